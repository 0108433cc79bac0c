// Made by guardgen 0.1.0; do not edit, change the program and build again.
// For which arguments a trace is valid: function ranking of examples/ranking.py, traced at level call.
// Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
// The module was in evaluation.
#ifndef GUARDGEN_ranking_HPP
#define GUARDGEN_ranking_HPP

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

namespace guardgen {
namespace ranking {

// Everything that is checked.
inline constexpr std::array<Guard, 6> GUARDS{{
    Guard{"tokens: a tensor of rank 2, torch.int64 on cpu", "fact", ""},
    Guard{"mask: a tensor of rank 2, torch.float32 on cpu", "fact", ""},
    Guard{"1 <= batch <= 64", "declared", "dynamic_shapes: tokens.shape[0] is Dim(\"batch\", min=1, max=64)"},
    Guard{
        "1 <= length <= 512",
        "declared",
        "dynamic_shapes: tokens.shape[1] is Dim(\"length\", min=1, max=512)\012examples/ranking.py:28: if tokens.shape[1] > POSITIONS:",
    },
    Guard{"batch == mask.shape[0]", "declared", "dynamic_shapes: mask.shape[0] is Dim(\"batch\", min=1, max=64)"},
    Guard{"length == mask.shape[1]", "declared", "dynamic_shapes: mask.shape[1] is Dim(\"length\", min=1, max=512)"},
}};

namespace detail {

inline bool sizes(std::int64_t tokens_0, std::int64_t tokens_1, std::int64_t mask_0, std::int64_t mask_1) {
  // dynamic_shapes: tokens.shape[0] is Dim("batch", min=1, max=64)
  if (tokens_0 > 64 || tokens_0 < 1) return false;
  // dynamic_shapes: tokens.shape[1] is Dim("length", min=1, max=512)
  // at examples/ranking.py:28: if tokens.shape[1] > POSITIONS:
  if (tokens_1 > 512 || tokens_1 < 1) return false;
  // dynamic_shapes: mask.shape[0] is Dim("batch", min=1, max=64)
  if (tokens_0 != mask_0) return false;
  // dynamic_shapes: mask.shape[1] is Dim("length", min=1, max=512)
  if (tokens_1 != mask_1) return false;
  return true;
}

}  // namespace detail

// Whether the trace is valid for these arguments.
inline bool check(const Tensor& tokens, const Tensor& mask) {
  // tokens: a tensor of rank 2, torch.int64 on cpu
  if (!is_shape(tokens.sizes, 2)
      || tokens.dtype != DType::int64
      || !(tokens.device == Device{DeviceType::cpu})
      || tokens.layout != Layout::strided) {
    return false;
  }
  // mask: a tensor of rank 2, torch.float32 on cpu
  if (!is_shape(mask.sizes, 2)
      || mask.dtype != DType::float32
      || !(mask.device == Device{DeviceType::cpu})
      || mask.layout != Layout::strided) {
    return false;
  }
  if (!detail::sizes(tokens.sizes[0], tokens.sizes[1], mask.sizes[0], mask.sizes[1])) return false;
  return true;
}

// Whether the trace is valid for tensors of these sizes, as far as sizes tell.
inline bool check_shapes(Sizes tokens, Sizes mask) {
  if (!is_shape(tokens, 2)) return false;
  if (!is_shape(mask, 2)) return false;
  if (!detail::sizes(tokens[0], tokens[1], mask[0], mask[1])) return false;
  return true;
}

// Every guard that fails for these arguments; none where `check` is true.
inline std::vector<Violation> violations(const Tensor& tokens, const Tensor& mask) {
  Report report;
  const bool tokens_known = report.tensor(
      GUARDS[0], "tokens", tokens, 2, DType::int64, Device{DeviceType::cpu}, Layout::strided);
  const bool mask_known = report.tensor(
      GUARDS[1], "mask", mask, 2, DType::float32, Device{DeviceType::cpu}, Layout::strided);
  const std::int64_t tokens_0 = tokens.sizes[0];
  const std::int64_t tokens_1 = tokens.sizes[1];
  const std::int64_t mask_0 = mask.sizes[0];
  const std::int64_t mask_1 = mask.sizes[1];
  if (tokens_known) {
    report.holds(GUARDS[2], tokens_0 <= 64 && tokens_0 >= 1, {{"batch (tokens.shape[0])", tokens_0}});
    report.holds(GUARDS[3], tokens_1 <= 512 && tokens_1 >= 1, {{"length (tokens.shape[1])", tokens_1}});
  }
  if (tokens_known && mask_known) {
    report.holds(GUARDS[4], tokens_0 == mask_0, {{"batch (tokens.shape[0])", tokens_0}, {"mask.shape[0]", mask_0}});
    report.holds(GUARDS[5], tokens_1 == mask_1, {{"length (tokens.shape[1])", tokens_1}, {"mask.shape[1]", mask_1}});
  }
  return report.violations;
}

}  // namespace ranking
}  // namespace guardgen

#endif  // GUARDGEN_ranking_HPP
