// Made by guardgen 0.1.0; do not edit, change the program and build again.
// For which arguments a trace is valid: function convnet of examples/convnet.py, traced at level call.
// Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
// The module was in evaluation.
#ifndef GUARDGEN_convnet_HPP
#define GUARDGEN_convnet_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifndef GUARDGEN_TENSOR
#define GUARDGEN_TENSOR 0x42360506

namespace guardgen {
inline namespace runtime_42360506 {

// What a guard looks at.

enum class DType : std::uint8_t {
  other, bool_, uint8, int8, int16, int32, int64, uint16, uint32, uint64, float16, bfloat16, float32, float64,
  complex32, complex64, complex128, float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz, float8_e8m0fnu,
  qint8, quint8, qint32,
};
enum class DeviceType : std::uint8_t {
  other, cpu, cuda, hip, hpu, ipu, maia, meta, mps, mtia, vulkan, xla, xpu, privateuseone,
};
enum class Layout : std::uint8_t {
  other, strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, jagged, _mkldnn,
};

struct Device {
  DeviceType type = DeviceType::cpu;
  int index = -1;  // -1 where there is none, as for "cpu"
};

constexpr bool operator==(Device left, Device right) { return left.type == right.type && left.index == right.index; }

// Sizes or strides of a tensor, which are somewhere else and stay there as long as this is used. Those in braces are
// there until the call ends that they are written in: `check_shapes({13, 8}, {8, 8})`, but no variable made of them.
class Sizes {
 public:
  constexpr Sizes() = default;
  constexpr Sizes(std::initializer_list<std::int64_t> sizes) : Sizes(sizes.begin(), sizes.size()) {}
  constexpr Sizes(const std::int64_t* data, std::size_t count) : data_(data), count_(count) {}
  Sizes(const std::vector<std::int64_t>& sizes) : data_(sizes.data()), count_(sizes.size()) {}
  template <std::size_t count>
  constexpr Sizes(const std::int64_t (&sizes)[count]) : data_(sizes), count_(count) {}
  template <std::size_t count>
  constexpr Sizes(const std::array<std::int64_t, count>& sizes) : data_(sizes.data()), count_(count) {}

  constexpr std::size_t count() const { return count_; }
  constexpr std::int64_t operator[](std::size_t at) const { return at < count_ ? data_[at] : 0; }

 private:
  const std::int64_t* data_ = nullptr;
  std::size_t count_ = 0;
};

// Whether there are `rank` sizes, none of them negative, as unknown ones are in some frameworks.
inline bool is_shape(const Sizes& sizes, std::size_t rank) {
  for (std::size_t i = 0; i < sizes.count(); ++i) {
    if (sizes[i] < 0) return false;
  }
  return sizes.count() == rank;
}

struct Tensor {
  Sizes sizes;
  DType dtype = DType::float32;
  Device device = {};
  Layout layout = Layout::strided;
  Sizes strides = {};               // if left out, those of a contiguous tensor
  std::int64_t storage_offset = 0;
  bool requires_grad = false;
  const void* identity = nullptr;   // of the object: two tensors with one identity are the same argument

  std::int64_t stride(std::size_t dim) const {
    if (strides.count() != 0) return strides[dim];
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::int64_t product = 1;
    for (std::size_t i = sizes.count(); i > dim + 1; --i) {
      const std::int64_t size = sizes[i - 1] < 1 ? 1 : sizes[i - 1];
      product = product > most / size ? most : product * size;
    }
    return product;
  }
};

// Whether a tensor of that rank was given its strides, or none.
inline bool has_strides(const Tensor& tensor, std::size_t rank) {
  return tensor.sizes.count() == rank && (tensor.strides.count() == rank || tensor.strides.count() == 0);
}

inline bool same(const Tensor& left, const Tensor& right) {
  return &left == &right || (left.identity != nullptr && left.identity == right.identity);
}

}  // inline namespace runtime_42360506
}  // namespace guardgen

#elif GUARDGEN_TENSOR != 0x42360506
#error "these headers were made by different versions of guardgen; build them again"
#endif

#ifndef GUARDGEN_REPORT
#define GUARDGEN_REPORT 0x42360506

namespace guardgen {
inline namespace runtime_42360506 {

// What a guard says when it fails.

// One thing that is checked. `kind` is fact, precondition, observation or data; `lines` made it, one in a line.
struct Guard {
  std::string_view condition, kind, lines;
};

// A guard that fails: what was looked at, what the trace needs it to be, and what it is.
struct Violation {
  std::string condition, what, expected, actual, lines;

  std::string text() const {
    const std::string since = lines.empty() ? "" : ", since " + lines.substr(0, lines.find('\n'));
    return what + ": expected " + expected + ", got " + actual + since;
  }
};

inline std::string shown(bool value) { return value ? "True" : "False"; }
inline std::string shown(std::int64_t value) { return std::to_string(value); }
inline std::string shown(std::string_view value) { return "'" + std::string(value) + "'"; }

// With as many digits as tell it from other floats.
inline std::string shown(double value) {
  std::string text;
  for (int digits = 15; digits <= 17; ++digits) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(digits);
    out << value;
    text = out.str();
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double read = 0;
    if (in >> read && read == value) break;
  }
  return text.find_first_of(".einf") == std::string::npos ? text + ".0" : text;
}

inline std::string shown(DType value) {
  constexpr std::string_view names[] = {
      "another dtype", "torch.bool", "torch.uint8", "torch.int8", "torch.int16", "torch.int32", "torch.int64",
      "torch.uint16", "torch.uint32", "torch.uint64", "torch.float16", "torch.bfloat16", "torch.float32",
      "torch.float64", "torch.complex32", "torch.complex64", "torch.complex128", "torch.float8_e4m3fn",
      "torch.float8_e5m2", "torch.float8_e4m3fnuz", "torch.float8_e5m2fnuz", "torch.float8_e8m0fnu", "torch.qint8",
      "torch.quint8", "torch.qint32"};
  const auto at = static_cast<std::size_t>(value);
  return std::string(names[at < std::size(names) ? at : 0]);
}

inline std::string shown(Device value) {
  constexpr std::string_view names[] = {"another device", "cpu", "cuda", "hip", "hpu", "ipu", "maia", "meta",
                                        "mps", "mtia", "vulkan", "xla", "xpu", "privateuseone"};
  const auto at = static_cast<std::size_t>(value.type);
  const std::string name(names[at < std::size(names) ? at : 0]);
  return value.index < 0 ? name : name + ":" + std::to_string(value.index);
}

inline std::string shown(Layout value) {
  constexpr std::string_view names[] = {"another layout", "torch.strided", "torch.sparse_coo",
                                        "torch.sparse_csr", "torch.sparse_csc", "torch.sparse_bsr",
                                        "torch.sparse_bsc", "torch.jagged", "torch._mkldnn"};
  const auto at = static_cast<std::size_t>(value);
  return std::string(names[at < std::size(names) ? at : 0]);
}

// A number and how the program calls it.
struct Named {
  std::string_view name;
  std::string value;

  template <class Number>
  Named(std::string_view called, Number number) : name(called), value(shown(number)) {}
};

// Collects violations. What cannot be read is skipped, since its cause is reported already.
class Report {
 public:
  std::vector<Violation> violations;

  void add(const Guard& guard, std::string what, std::string expected, std::string actual) {
    violations.push_back({std::string(guard.condition), std::move(what), std::move(expected), std::move(actual),
                          std::string(guard.lines)});
  }

  // Whether the rank is right, so that sizes can be read.
  bool tensor(const Guard& guard, const std::string& what, const Tensor& value, std::size_t rank, DType dtype,
              Device device, Layout layout) {
    attribute(guard, what + ".dtype", value.dtype, dtype);
    if (!(value.device == device)) add(guard, what + ".device", shown(device), shown(value.device));
    attribute(guard, what + ".layout", value.layout, layout);
    if (is_shape(value.sizes, rank)) return true;
    if (value.sizes.count() == rank) add(guard, what + ".shape", "sizes from 0", "a negative one");
    else add(guard, what + ".dim()", std::to_string(rank), std::to_string(value.sizes.count()));
    return false;
  }

  template <class Value>
  void attribute(const Guard& guard, const std::string& what, Value value, Value expected) {
    if (value != expected) add(guard, what, shown(expected), shown(value));
  }

  // Whether strides can be read.
  bool strides(const Guard& guard, const std::string& what, const Tensor& value, std::size_t rank) {
    if (has_strides(value, rank) || value.sizes.count() != rank) return has_strides(value, rank);
    add(guard, what + ".stride()", std::to_string(rank) + " strides", std::to_string(value.strides.count()));
    return false;
  }

  void same(const Guard& guard, const std::string& what, const std::string& other, bool is, bool wanted) {
    const std::string texts[] = {"another object than " + other, "the same object as " + other};
    if (is != wanted) add(guard, what, texts[wanted ? 1 : 0], texts[wanted ? 0 : 1]);
  }

  template <class Value>
  void constant(const Guard& guard, const std::string& what, const std::string& expected, bool holds, Value value) {
    if (!holds) add(guard, what, expected, shown(value));
  }

  void equal(const Guard& guard, const std::string& what, std::int64_t value, std::int64_t expected) {
    attribute(guard, what, value, expected);
  }
  void equal(const Guard& guard, const std::string& what, bool value, bool expected) {
    attribute(guard, what, value, expected);
  }

  void holds(const Guard& guard, bool condition, std::initializer_list<Named> values) {
    if (condition) return;
    std::string actual;
    for (const Named& each : values) {
      actual += (actual.empty() ? "" : ", ") + std::string(each.name) + " = " + each.value;
    }
    const std::string_view what = values.size() == 0 ? guard.condition : values.begin()->name;
    add(guard, std::string(what), std::string(guard.condition), actual);
  }
};

}  // inline namespace runtime_42360506
}  // namespace guardgen

#elif GUARDGEN_REPORT != 0x42360506
#error "these headers were made by different versions of guardgen; build them again"
#endif

#ifndef GUARDGEN_ARITHMETIC
#define GUARDGEN_ARITHMETIC 0x42360506

namespace guardgen {
inline namespace runtime_42360506 {

// What Python's operators answer for ints of 64 bits, where the result is one too; no divisor is 0.

inline std::int64_t floordiv(std::int64_t left, std::int64_t right) {
  const std::int64_t quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

inline std::int64_t modulo(std::int64_t left, std::int64_t right) {
  if (right == -1) return 0;  // the least int there is would trap
  const std::int64_t rest = left % right;
  return rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest;
}

inline std::int64_t least(std::int64_t left, std::int64_t right) { return right < left ? right : left; }
inline std::int64_t greatest(std::int64_t left, std::int64_t right) { return right > left ? right : left; }
inline std::int64_t absolute(std::int64_t value) { return value < 0 ? -value : value; }
inline double to_float(std::int64_t value) { return static_cast<double>(value); }
inline std::int64_t bit_and(std::int64_t left, std::int64_t right) { return left & right; }
inline std::int64_t bit_or(std::int64_t left, std::int64_t right) { return left | right; }
inline std::int64_t bit_xor(std::int64_t left, std::int64_t right) { return left ^ right; }

}  // inline namespace runtime_42360506
}  // namespace guardgen

#elif GUARDGEN_ARITHMETIC != 0x42360506
#error "these headers were made by different versions of guardgen; build them again"
#endif

#ifndef GUARDGEN_INTEGER
#define GUARDGEN_INTEGER 0x42360506

namespace guardgen {
inline namespace runtime_42360506 {

// Whole numbers of any length. What fits 64 bits takes no memory of its own.

class Int {
 public:
  Int(std::int64_t value) : small_(value) {}

  // Of decimal digits, after a sign or none.
  static Int parse(std::string_view text) {
    const bool negative = text.front() == '-';
    Digits digits;
    for (const char each : text.substr(negative ? 1 : 0)) {
      digits = plus(times(digits, {10}), {static_cast<std::uint32_t>(each - '0')});
    }
    return Int(negative, std::move(digits));
  }

  // The whole number that a finite float is without its fraction.
  static Int truncated(double value) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    if (exponent <= 53) return Int(static_cast<std::int64_t>(value));
    return Int(static_cast<std::int64_t>(std::ldexp(fraction, 53))) * power_of_two(exponent - 53);
  }

  static Int power_of_two(std::int64_t exponent) {
    Digits digits(static_cast<std::size_t>(exponent / 32) + 1, 0);
    digits.back() = std::uint32_t{1} << (exponent % 32);
    return Int(false, std::move(digits));
  }

  bool is_small() const { return digits_.empty(); }
  std::int64_t small() const { return small_; }
  bool negative() const { return is_small() ? small_ < 0 : negative_; }

  // How many bits the absolute value has.
  std::int64_t bits() const {
    const Digits digits = magnitude();
    if (digits.empty()) return 0;
    std::int64_t count = 32 * (static_cast<std::int64_t>(digits.size()) - 1);
    for (std::uint32_t last = digits.back(); last != 0; last >>= 1) ++count;
    return count;
  }

  friend int compare(const Int& left, const Int& right) {
    if (left.is_small() && right.is_small()) return left.small_ < right.small_ ? -1 : left.small_ > right.small_;
    if (left.negative() != right.negative()) return left.negative() ? -1 : 1;
    const int sizes = order(left.magnitude(), right.magnitude());
    return left.negative() ? -sizes : sizes;
  }
  friend bool operator==(const Int& left, const Int& right) { return compare(left, right) == 0; }
  friend bool operator!=(const Int& left, const Int& right) { return compare(left, right) != 0; }
  friend bool operator<(const Int& left, const Int& right) { return compare(left, right) < 0; }
  friend bool operator<=(const Int& left, const Int& right) { return compare(left, right) <= 0; }
  friend bool operator>(const Int& left, const Int& right) { return compare(left, right) > 0; }
  friend bool operator>=(const Int& left, const Int& right) { return compare(left, right) >= 0; }

  friend Int operator-(const Int& value) {
    if (value.is_small() && value.small_ != least_small) return Int(-value.small_);
    return Int(!value.negative(), value.magnitude());
  }

  friend Int operator+(const Int& left, const Int& right) {
    if (left.is_small() && right.is_small()) {
      const std::int64_t a = left.small_, b = right.small_;
      if (b >= 0 ? a <= most_small - b : a >= least_small - b) return Int(a + b);
    }
    const Digits a = left.magnitude(), b = right.magnitude();
    if (left.negative() == right.negative()) return Int(left.negative(), plus(a, b));
    const bool larger = order(a, b) >= 0;
    return Int(larger ? left.negative() : right.negative(), larger ? minus(a, b) : minus(b, a));
  }

  friend Int operator-(const Int& left, const Int& right) { return left + -right; }
  friend Int operator~(const Int& value) { return -value - Int(1); }

  friend Int operator*(const Int& left, const Int& right) {
    if (left.is_short() && right.is_short()) return Int(left.small_ * right.small_);
    return Int(left.negative() != right.negative(), times(left.magnitude(), right.magnitude()));
  }

  // Rounded down; the divisor is not 0.
  friend Int floordiv(const Int& left, const Int& right) { return divided(left, right).first; }
  friend Int modulo(const Int& left, const Int& right) { return divided(left, right).second; }

  // Bits, as if each number had endlessly many; `select` is one of `and`, `or`, `xor` of 32 of them.
  template <class Select>
  friend Int bitwise(const Int& left, const Int& right, Select select) {
    const std::size_t count = 1 + std::max(left.magnitude().size(), right.magnitude().size());
    Digits a = left.complement(count), b = right.complement(count);
    for (std::size_t i = 0; i < count; ++i) a[i] = select(a[i], b[i]);
    if ((a.back() >> 31) == 0) return Int(false, std::move(a));
    return Int(true, negated(std::move(a)));
  }

  // The nearest float, the even one of two; infinite where it is too large for one.
  friend double to_float(const Int& value) {
    if (value.is_small()) return static_cast<double>(value.small_);
    return scaled(value, Int(0), 0);
  }

  // The nearest float of a quotient; the divisor is not 0.
  friend double true_divide(const Int& left, const Int& right) {
    if (left.is_exact_float() && right.is_exact_float()) {
      return static_cast<double>(left.small_) / static_cast<double>(right.small_);
    }
    // A quotient of 55 bits or more, but no finer than floats near 0 are; its remainder only says which way to round.
    const std::int64_t shift = std::max<std::int64_t>(left.bits() - right.bits(), -1021) - 55;
    const Int dividend = left.absolute() * power_of_two(std::max<std::int64_t>(-shift, 0));
    const Int divisor = right.absolute() * power_of_two(std::max<std::int64_t>(shift, 0));
    const auto [quotient, rest] = divided(dividend, divisor);
    const double result = scaled(quotient, rest, shift);
    return left.negative() != right.negative() ? -result : result;
  }

  Int absolute() const { return negative() ? -*this : *this; }

 private:
  using Digits = std::vector<std::uint32_t>;  // to base 2**32, the lowest first, none of them for 0

  static constexpr std::int64_t most_small = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t least_small = std::numeric_limits<std::int64_t>::min();

  std::int64_t small_ = 0;  // the number, where there are no digits
  bool negative_ = false;
  Digits digits_;

  Int(bool negative, Digits digits) : negative_(negative), digits_(trimmed(std::move(digits))) {
    if (digits_.size() > 2) return;
    std::uint64_t size = 0;
    for (std::size_t i = digits_.size(); i > 0; --i) size = size << 32 | digits_[i - 1];
    if (size > static_cast<std::uint64_t>(most_small)) return;
    small_ = negative ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
    negative_ = false;
    digits_.clear();
  }

  bool is_short() const { return is_small() && small_ >= -0x7fffffff && small_ <= 0x7fffffff; }
  bool is_exact_float() const {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    return is_small() && small_ >= -most && small_ <= most;
  }

  Digits magnitude() const {
    if (!is_small()) return digits_;
    const auto bits = static_cast<std::uint64_t>(small_);
    const std::uint64_t size = small_ < 0 ? ~bits + 1 : bits;
    return trimmed({static_cast<std::uint32_t>(size & 0xffffffffU), static_cast<std::uint32_t>(size >> 32)});
  }

  static Digits trimmed(Digits digits) {
    while (!digits.empty() && digits.back() == 0) digits.pop_back();
    return digits;
  }

  static int order(const Digits& left, const Digits& right) {
    if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
    for (std::size_t i = left.size(); i > 0; --i) {
      if (left[i - 1] != right[i - 1]) return left[i - 1] < right[i - 1] ? -1 : 1;
    }
    return 0;
  }

  static Digits plus(const Digits& left, const Digits& right) {
    Digits sum(std::max(left.size(), right.size()) + 1, 0);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      carry += i < left.size() ? left[i] : 0;
      carry += i < right.size() ? right[i] : 0;
      sum[i] = static_cast<std::uint32_t>(carry & 0xffffffffU);
      carry >>= 32;
    }
    return trimmed(std::move(sum));
  }

  // `left` is not less than `right`.
  static Digits minus(const Digits& left, const Digits& right) {
    Digits difference(left.size(), 0);
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::uint64_t taken = (i < right.size() ? right[i] : 0) + borrow;
      borrow = left[i] < taken ? 1 : 0;
      difference[i] = static_cast<std::uint32_t>((left[i] + (borrow << 32) - taken) & 0xffffffffU);
    }
    return trimmed(std::move(difference));
  }

  static Digits times(const Digits& left, const Digits& right) {
    Digits product(left.size() + right.size(), 0);
    for (std::size_t i = 0; i < left.size(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < right.size(); ++j) {
        carry += product[i + j] + static_cast<std::uint64_t>(left[i]) * right[j];
        product[i + j] = static_cast<std::uint32_t>(carry & 0xffffffffU);
        carry >>= 32;
      }
      product[i + right.size()] = static_cast<std::uint32_t>(carry);
    }
    return trimmed(std::move(product));
  }

  // Quotient and remainder, bit by bit.
  static std::pair<Digits, Digits> divided(const Digits& left, const Digits& right) {
    Digits quotient(left.size(), 0), rest;
    for (std::size_t i = left.size(); i > 0; --i) {
      for (int bit = 31; bit >= 0; --bit) {
        rest = plus(rest, rest);
        if (((left[i - 1] >> bit) & 1U) != 0) rest = plus(rest, {1});
        if (order(rest, right) < 0) continue;
        rest = minus(rest, right);
        quotient[i - 1] |= std::uint32_t{1} << bit;
      }
    }
    return {trimmed(std::move(quotient)), std::move(rest)};
  }

  // Quotient, rounded down, and remainder, with the sign of the divisor.
  static std::pair<Int, Int> divided(const Int& left, const Int& right) {
    if (left.is_small() && right.is_small() && right.small_ != -1) {
      std::int64_t quotient = left.small_ / right.small_, rest = left.small_ % right.small_;
      if (rest != 0 && (rest < 0) != (right.small_ < 0)) {
        --quotient;
        rest += right.small_;
      }
      return {Int(quotient), Int(rest)};
    }
    auto [quotient, rest] = divided(left.magnitude(), right.magnitude());
    const bool opposite = left.negative() != right.negative();
    const bool exact = rest.empty();
    const Int whole(opposite, std::move(quotient)), remainder(left.negative(), std::move(rest));
    if (!opposite || exact) return {whole, remainder};
    return {whole - Int(1), remainder + right};
  }

  // The lowest 32 * `count` bits, a negative number being the complement of its absolute value.
  Digits complement(std::size_t count) const {
    Digits digits = magnitude();
    digits.resize(count, 0);
    return negative() ? negated(std::move(digits)) : digits;
  }

  static Digits negated(Digits digits) {
    std::uint64_t carry = 1;
    for (std::uint32_t& each : digits) {
      carry += static_cast<std::uint32_t>(~each);
      each = static_cast<std::uint32_t>(carry & 0xffffffffU);
      carry >>= 32;
    }
    return digits;
  }

  // value * 2**shift as a float, rounded to the nearest, and to the even one of two unless there is a `rest` beyond.
  static double scaled(const Int& value, const Int& rest, std::int64_t shift) {
    const std::int64_t extra = std::max<std::int64_t>(std::max<std::int64_t>(value.bits(), -1021 - shift) - 53, 0);
    const auto [kept, cut] = divided(value.absolute(), power_of_two(extra));
    const Int half = extra == 0 ? Int(1) : power_of_two(extra - 1);
    const bool odd = modulo(kept, Int(2)) == Int(1);
    const bool beyond = cut > half || (cut == half && (odd || rest != Int(0)));
    const Int rounded = beyond ? kept + Int(1) : kept;
    const std::int64_t exponent = std::min<std::int64_t>(extra + shift, 5000);
    const double size = std::ldexp(static_cast<double>(rounded.small_), static_cast<int>(exponent));
    return value.negative() ? -size : size;
  }
};

}  // inline namespace runtime_42360506
}  // namespace guardgen

#elif GUARDGEN_INTEGER != 0x42360506
#error "these headers were made by different versions of guardgen; build them again"
#endif

#ifndef GUARDGEN_POWERS
#define GUARDGEN_POWERS 0x42360506

namespace guardgen {
inline namespace runtime_42360506 {

// What is computed with whole numbers of any length beside their operators.

constexpr std::int64_t most_bits = 4096;  // of the powers and shifts that are computed, as in the Python form

inline Int least(const Int& left, const Int& right) { return right < left ? right : left; }
inline Int greatest(const Int& left, const Int& right) { return right > left ? right : left; }
inline Int absolute(const Int& value) { return value.absolute(); }

inline Int bit_and(const Int& left, const Int& right) {
  return bitwise(left, right, [](std::uint32_t a, std::uint32_t b) { return a & b; });
}
inline Int bit_or(const Int& left, const Int& right) {
  return bitwise(left, right, [](std::uint32_t a, std::uint32_t b) { return a | b; });
}
inline Int bit_xor(const Int& left, const Int& right) {
  return bitwise(left, right, [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
}

// Whether there is a whole number `base ** exponent` that is not too long to compute.
inline bool can_power(const Int& base, const Int& exponent) {
  if (exponent.negative()) return false;
  return base.bits() <= 1 || (exponent.is_small() && exponent <= Int(most_bits) &&
                              exponent.small() * base.bits() <= most_bits);
}

inline Int power(const Int& base, const Int& exponent) {
  if (base.bits() <= 1) return exponent == Int(0) ? Int(1) : modulo(exponent, Int(2)) == Int(0) ? base * base : base;
  Int result(1), factor = base;
  for (std::int64_t rest = exponent.small(); rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = result * factor;
    if (rest > 1) factor = factor * factor;
  }
  return result;
}

inline bool can_shift(const Int& value, const Int& count) {
  return !count.negative() && (value == Int(0) || (count.is_small() && count.small() <= most_bits));
}

inline Int shift_left(const Int& value, const Int& count) {
  return value == Int(0) ? value : value * Int::power_of_two(count.small());
}

inline Int shift_right(const Int& value, const Int& count) {
  if (!count.is_small() || count.small() > value.bits()) return Int(value.negative() ? -1 : 0);
  return floordiv(value, Int::power_of_two(count.small()));
}

inline double true_divide(std::int64_t left, std::int64_t right) { return true_divide(Int(left), Int(right)); }

// Whether Python computes this float, without an error.
inline bool can_convert(const Int& value) { return std::isfinite(to_float(value)); }
inline bool can_divide(const Int& left, const Int& right) {
  return right != Int(0) && std::isfinite(true_divide(left, right));
}

}  // inline namespace runtime_42360506
}  // namespace guardgen

#elif GUARDGEN_POWERS != 0x42360506
#error "these headers were made by different versions of guardgen; build them again"
#endif

#ifndef GUARDGEN_FLOATS
#define GUARDGEN_FLOATS 0x42360506

namespace guardgen {
inline namespace runtime_42360506 {

// Floats as in Python.

// Numbers are rounded after every operation: no compiler may join the two operations of a * b + c.
inline double rounded(double value) {
  volatile double stored = value;
  return stored;
}

inline double float_modulo(double left, double right) {
  const double rest = std::fmod(left, right);
  if (rest != 0) return (right < 0) != (rest < 0) ? rest + right : rest;
  return std::copysign(0.0, right);
}

inline double float_floordiv(double left, double right) {
  double rest = std::fmod(left, right);
  double quotient = (left - rest) / right;
  if (rest != 0 && (right < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, left / right);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

// Whether Python computes `base ** exponent` as a float, without an error.
inline bool can_float_power(double base, double exponent) {
  if (base == 0) return !(exponent < 0);
  if (base < 0 && std::isfinite(base) && std::isfinite(exponent) && exponent != std::floor(exponent)) return false;
  return std::isfinite(std::pow(base, exponent)) || !std::isfinite(base) || !std::isfinite(exponent);
}

// Whole numbers of finite floats.
inline Int rounded_down(double value) { return Int::truncated(std::floor(value)); }
inline Int rounded_up(double value) { return Int::truncated(std::ceil(value)); }

// The nearest whole number, the even one of two, whatever way the process rounds.
inline Int nearest(double value) {
  const double below = std::floor(value), beyond = value - below;
  const bool odd = std::fmod(below, 2) != 0;
  return Int::truncated(beyond > 0.5 || (beyond == 0.5 && odd) ? below + 1 : below);
}

}  // inline namespace runtime_42360506
}  // namespace guardgen

#elif GUARDGEN_FLOATS != 0x42360506
#error "these headers were made by different versions of guardgen; build them again"
#endif

namespace guardgen {
namespace convnet {

// Everything that is checked.
inline constexpr std::array<Guard, 3> GUARDS{{
    Guard{"images: a tensor of rank 4, torch.float32 on cpu", "fact", ""},
    Guard{
        "images.shape[1] == 3",
        "precondition",
        "examples/convnet.py:22: x = self.pool(torch.relu(self.first(images)))",
    },
    Guard{
        "images.shape[2] // 4 * (images.shape[3] // 4) == 16",
        "precondition",
        "examples/convnet.py:24: logits: torch.Tensor = self.head(x.flatten(1))",
    },
}};

namespace detail {

inline bool sizes(std::int64_t images_1, std::int64_t images_2, std::int64_t images_3) {
  // at examples/convnet.py:22: x = self.pool(torch.relu(self.first(images)))
  if (images_1 != 3) return false;
  // at examples/convnet.py:24: logits: torch.Tensor = self.head(x.flatten(1))
  if (Int(images_2 / 4) * (images_3 / 4) != 16) return false;
  return true;
}

}  // namespace detail

// Whether the trace is valid for these arguments.
inline bool check(const Tensor& images) {
  // images: a tensor of rank 4, torch.float32 on cpu
  if (!is_shape(images.sizes, 4)
      || images.dtype != DType::float32
      || !(images.device == Device{DeviceType::cpu})
      || images.layout != Layout::strided) {
    return false;
  }
  if (!detail::sizes(images.sizes[1], images.sizes[2], images.sizes[3])) return false;
  return true;
}

// Whether the trace is valid for tensors of these sizes, as far as sizes tell.
inline bool check_shapes(Sizes images) {
  if (!is_shape(images, 4)) return false;
  if (!detail::sizes(images[1], images[2], images[3])) return false;
  return true;
}

// Every guard that fails for these arguments; none where `check` is true.
inline std::vector<Violation> violations(const Tensor& images) {
  Report report;
  const bool images_known = report.tensor(
      GUARDS[0], "images", images, 4, DType::float32, Device{DeviceType::cpu}, Layout::strided);
  const std::int64_t images_1 = images.sizes[1];
  const std::int64_t images_2 = images.sizes[2];
  const std::int64_t images_3 = images.sizes[3];
  if (images_known) {
    report.equal(GUARDS[1], "images.shape[1]", images_1, 3);
    report.holds(
        GUARDS[2], Int(images_2 / 4) * (images_3 / 4) == 16,
        {{"images.shape[2]", images_2}, {"images.shape[3]", images_3}});
  }
  return report.violations;
}

}  // namespace convnet
}  // namespace guardgen

#endif  // GUARDGEN_convnet_HPP
