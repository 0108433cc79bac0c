// Made by guardgen 0.1.0; do not edit, change the program and build again.
// For which arguments a trace is valid: function kv_cache of examples/kv_cache.py, traced at level call.
// Traced with grad mode on, default dtype torch.float32, default device cpu, autocast off.
#ifndef GUARDGEN_kv_cache_HPP
#define GUARDGEN_kv_cache_HPP

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
namespace kv_cache {

// Everything that is checked.
inline constexpr std::array<Guard, 22> GUARDS{{
    Guard{"query: a tensor of rank 4, torch.float32 on cpu", "fact", ""},
    Guard{"key: a tensor of rank 4, torch.float32 on cpu", "fact", ""},
    Guard{"value: a tensor of rank 4, torch.float32 on cpu", "fact", ""},
    Guard{"keys: a tensor of rank 4, torch.float32 on cpu", "fact", ""},
    Guard{"values: a tensor of rank 4, torch.float32 on cpu", "fact", ""},
    Guard{"keys.shape[0] == values.shape[0]", "observation", "examples/kv_cache.py:30: if keys.shape != values.shape:"},
    Guard{"keys.shape[1] == values.shape[1]", "observation", "examples/kv_cache.py:30: if keys.shape != values.shape:"},
    Guard{"keys.shape[2] == values.shape[2]", "observation", "examples/kv_cache.py:30: if keys.shape != values.shape:"},
    Guard{"keys.shape[3] == values.shape[3]", "observation", "examples/kv_cache.py:30: if keys.shape != values.shape:"},
    Guard{"position >= 0", "observation", "examples/kv_cache.py:32: if not 0 <= position < keys.shape[2]:"},
    Guard{"keys.shape[2] > position", "observation", "examples/kv_cache.py:32: if not 0 <= position < keys.shape[2]:"},
    Guard{
        "key.shape[0] == keys.shape[0] or key.shape[0] == 1",
        "precondition",
        "examples/kv_cache.py:35: keys[:, :, position:seen] = key",
    },
    Guard{
        "key.shape[1] == keys.shape[1] or key.shape[1] == 1",
        "precondition",
        "examples/kv_cache.py:35: keys[:, :, position:seen] = key",
    },
    Guard{"key.shape[2] == 1", "precondition", "examples/kv_cache.py:35: keys[:, :, position:seen] = key"},
    Guard{
        "key.shape[3] == keys.shape[3] or key.shape[3] == 1",
        "precondition",
        "examples/kv_cache.py:35: keys[:, :, position:seen] = key",
    },
    Guard{
        "value.shape[0] == keys.shape[0] or value.shape[0] == 1",
        "precondition",
        "examples/kv_cache.py:36: values[:, :, position:seen] = value",
    },
    Guard{
        "value.shape[1] == keys.shape[1] or value.shape[1] == 1",
        "precondition",
        "examples/kv_cache.py:36: values[:, :, position:seen] = value",
    },
    Guard{"value.shape[2] == 1", "precondition", "examples/kv_cache.py:36: values[:, :, position:seen] = value"},
    Guard{
        "value.shape[3] == keys.shape[3] or value.shape[3] == 1",
        "precondition",
        "examples/kv_cache.py:36: values[:, :, position:seen] = value",
    },
    Guard{
        "query.shape[3] == keys.shape[3]",
        "precondition",
        "examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5",
    },
    Guard{
        "query.shape[0] == keys.shape[0] or query.shape[0] == 1 or keys.shape[0] == 1",
        "precondition",
        "examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5",
    },
    Guard{
        "query.shape[1] == keys.shape[1] or query.shape[1] == 1 or keys.shape[1] == 1",
        "precondition",
        "examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5",
    },
}};

namespace detail {

inline bool sizes(
    std::int64_t query_0, std::int64_t query_1, std::int64_t query_3, std::int64_t key_0, std::int64_t key_1,
    std::int64_t key_2, std::int64_t key_3, std::int64_t value_0, std::int64_t value_1, std::int64_t value_2,
    std::int64_t value_3, std::int64_t keys_0, std::int64_t keys_1, std::int64_t keys_2, std::int64_t keys_3,
    std::int64_t values_0, std::int64_t values_1, std::int64_t values_2, std::int64_t values_3, std::int64_t position) {
  // at examples/kv_cache.py:30: if keys.shape != values.shape:
  if (keys_0 != values_0) return false;
  if (keys_1 != values_1) return false;
  if (keys_2 != values_2) return false;
  if (keys_3 != values_3) return false;
  // at examples/kv_cache.py:32: if not 0 <= position < keys.shape[2]:
  if (position < 0) return false;
  if (keys_2 <= position) return false;
  // at examples/kv_cache.py:35: keys[:, :, position:seen] = key
  if (key_0 != keys_0 && key_0 != 1) return false;
  if (key_1 != keys_1 && key_1 != 1) return false;
  if (key_2 != 1) return false;
  if (key_3 != keys_3 && key_3 != 1) return false;
  // at examples/kv_cache.py:36: values[:, :, position:seen] = value
  if (value_0 != keys_0 && value_0 != 1) return false;
  if (value_1 != keys_1 && value_1 != 1) return false;
  if (value_2 != 1) return false;
  if (value_3 != keys_3 && value_3 != 1) return false;
  // at examples/kv_cache.py:37: scores = query @ keys[:, :, :seen].transpose(-2, -1) / query.shape[3] ** 0.5
  if (query_3 != keys_3) return false;
  if (query_0 != keys_0 && query_0 != 1 && keys_0 != 1) return false;
  if (query_1 != keys_1 && query_1 != 1 && keys_1 != 1) return false;
  return true;
}

}  // namespace detail

// Whether the trace is valid for these arguments.
inline bool check(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& keys, const Tensor& values,
    std::int64_t position) {
  // query: a tensor of rank 4, torch.float32 on cpu
  if (!is_shape(query.sizes, 4)
      || query.dtype != DType::float32
      || !(query.device == Device{DeviceType::cpu})
      || query.layout != Layout::strided) {
    return false;
  }
  // key: a tensor of rank 4, torch.float32 on cpu
  if (!is_shape(key.sizes, 4)
      || key.dtype != DType::float32
      || !(key.device == Device{DeviceType::cpu})
      || key.layout != Layout::strided) {
    return false;
  }
  // value: a tensor of rank 4, torch.float32 on cpu
  if (!is_shape(value.sizes, 4)
      || value.dtype != DType::float32
      || !(value.device == Device{DeviceType::cpu})
      || value.layout != Layout::strided) {
    return false;
  }
  // keys: a tensor of rank 4, torch.float32 on cpu
  if (!is_shape(keys.sizes, 4)
      || keys.dtype != DType::float32
      || !(keys.device == Device{DeviceType::cpu})
      || keys.layout != Layout::strided) {
    return false;
  }
  // values: a tensor of rank 4, torch.float32 on cpu
  if (!is_shape(values.sizes, 4)
      || values.dtype != DType::float32
      || !(values.device == Device{DeviceType::cpu})
      || values.layout != Layout::strided) {
    return false;
  }
  if (!detail::sizes(
      query.sizes[0], query.sizes[1], query.sizes[3], key.sizes[0], key.sizes[1], key.sizes[2], key.sizes[3],
      value.sizes[0], value.sizes[1], value.sizes[2], value.sizes[3], keys.sizes[0], keys.sizes[1], keys.sizes[2],
      keys.sizes[3], values.sizes[0], values.sizes[1], values.sizes[2], values.sizes[3], position)) return false;
  return true;
}

// Whether the trace is valid for tensors of these sizes, as far as sizes tell.
inline bool check_shapes(Sizes query, Sizes key, Sizes value, Sizes keys, Sizes values, std::int64_t position) {
  if (!is_shape(query, 4)) return false;
  if (!is_shape(key, 4)) return false;
  if (!is_shape(value, 4)) return false;
  if (!is_shape(keys, 4)) return false;
  if (!is_shape(values, 4)) return false;
  if (!detail::sizes(
      query[0], query[1], query[3], key[0], key[1], key[2], key[3], value[0], value[1], value[2], value[3], keys[0],
      keys[1], keys[2], keys[3], values[0], values[1], values[2], values[3], position)) return false;
  return true;
}

// Every guard that fails for these arguments; none where `check` is true.
inline std::vector<Violation> violations(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& keys, const Tensor& values,
    std::int64_t position) {
  Report report;
  const bool query_known = report.tensor(
      GUARDS[0], "query", query, 4, DType::float32, Device{DeviceType::cpu}, Layout::strided);
  const bool key_known = report.tensor(
      GUARDS[1], "key", key, 4, DType::float32, Device{DeviceType::cpu}, Layout::strided);
  const bool value_known = report.tensor(
      GUARDS[2], "value", value, 4, DType::float32, Device{DeviceType::cpu}, Layout::strided);
  const bool keys_known = report.tensor(
      GUARDS[3], "keys", keys, 4, DType::float32, Device{DeviceType::cpu}, Layout::strided);
  const bool values_known = report.tensor(
      GUARDS[4], "values", values, 4, DType::float32, Device{DeviceType::cpu}, Layout::strided);
  const std::int64_t keys_0 = keys.sizes[0];
  const std::int64_t values_0 = values.sizes[0];
  const std::int64_t keys_1 = keys.sizes[1];
  const std::int64_t values_1 = values.sizes[1];
  const std::int64_t keys_2 = keys.sizes[2];
  const std::int64_t values_2 = values.sizes[2];
  const std::int64_t keys_3 = keys.sizes[3];
  const std::int64_t values_3 = values.sizes[3];
  const std::int64_t key_0 = key.sizes[0];
  const std::int64_t key_1 = key.sizes[1];
  const std::int64_t key_2 = key.sizes[2];
  const std::int64_t key_3 = key.sizes[3];
  const std::int64_t value_0 = value.sizes[0];
  const std::int64_t value_1 = value.sizes[1];
  const std::int64_t value_2 = value.sizes[2];
  const std::int64_t value_3 = value.sizes[3];
  const std::int64_t query_3 = query.sizes[3];
  const std::int64_t query_0 = query.sizes[0];
  const std::int64_t query_1 = query.sizes[1];
  if (keys_known && values_known) {
    report.holds(GUARDS[5], keys_0 == values_0, {{"keys.shape[0]", keys_0}, {"values.shape[0]", values_0}});
    report.holds(GUARDS[6], keys_1 == values_1, {{"keys.shape[1]", keys_1}, {"values.shape[1]", values_1}});
    report.holds(GUARDS[7], keys_2 == values_2, {{"keys.shape[2]", keys_2}, {"values.shape[2]", values_2}});
    report.holds(GUARDS[8], keys_3 == values_3, {{"keys.shape[3]", keys_3}, {"values.shape[3]", values_3}});
  }
  report.holds(GUARDS[9], position >= 0, {{"position", position}});
  if (keys_known) {
    report.holds(GUARDS[10], keys_2 > position, {{"keys.shape[2]", keys_2}, {"position", position}});
  }
  if (key_known && keys_known) {
    report.holds(GUARDS[11], key_0 == keys_0 || key_0 == 1, {{"key.shape[0]", key_0}, {"keys.shape[0]", keys_0}});
    report.holds(GUARDS[12], key_1 == keys_1 || key_1 == 1, {{"key.shape[1]", key_1}, {"keys.shape[1]", keys_1}});
  }
  if (key_known) {
    report.equal(GUARDS[13], "key.shape[2]", key_2, 1);
  }
  if (key_known && keys_known) {
    report.holds(GUARDS[14], key_3 == keys_3 || key_3 == 1, {{"key.shape[3]", key_3}, {"keys.shape[3]", keys_3}});
  }
  if (value_known && keys_known) {
    report.holds(GUARDS[15], value_0 == keys_0 || value_0 == 1, {{"value.shape[0]", value_0}, {"keys.shape[0]", keys_0}});
    report.holds(GUARDS[16], value_1 == keys_1 || value_1 == 1, {{"value.shape[1]", value_1}, {"keys.shape[1]", keys_1}});
  }
  if (value_known) {
    report.equal(GUARDS[17], "value.shape[2]", value_2, 1);
  }
  if (value_known && keys_known) {
    report.holds(GUARDS[18], value_3 == keys_3 || value_3 == 1, {{"value.shape[3]", value_3}, {"keys.shape[3]", keys_3}});
  }
  if (query_known && keys_known) {
    report.holds(GUARDS[19], query_3 == keys_3, {{"query.shape[3]", query_3}, {"keys.shape[3]", keys_3}});
    report.holds(
        GUARDS[20], query_0 == keys_0 || query_0 == 1 || keys_0 == 1,
        {{"query.shape[0]", query_0}, {"keys.shape[0]", keys_0}});
    report.holds(
        GUARDS[21], query_1 == keys_1 || query_1 == 1 || keys_1 == 1,
        {{"query.shape[1]", query_1}, {"keys.shape[1]", keys_1}});
  }
  return report.violations;
}

}  // namespace kv_cache
}  // namespace guardgen

#endif  // GUARDGEN_kv_cache_HPP
