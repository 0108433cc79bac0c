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
