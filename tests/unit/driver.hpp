// Reads calls from standard input and writes what guards answer; included after the headers that are asked.

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Described {
  std::vector<std::int64_t> sizes, strides;
  guardgen::Tensor description;

  guardgen::Tensor tensor() const {
    guardgen::Tensor result = description;
    result.sizes = guardgen::Sizes(sizes);
    result.strides = guardgen::Sizes(strides);
    return result;
  }
};

class Reader {
 public:
  explicit Reader(std::string data) : data_(std::move(data)) {}

  bool done() const { return at_ == data_.size(); }
  std::int64_t read_int() { return read<std::int64_t>(); }
  double read_float() { return read<double>(); }
  bool read_bool() { return read_int() != 0; }
  guardgen::DType read_dtype() { return static_cast<guardgen::DType>(read_int()); }

  std::string read_str() {
    const auto size = static_cast<std::size_t>(read_int());
    at_ += size;
    return data_.substr(at_ - size, size);
  }

  Described read_tensor() {
    Described result;
    result.sizes = read_list();
    result.strides = read_list();
    guardgen::Tensor& tensor = result.description;
    tensor.dtype = static_cast<guardgen::DType>(read_int());
    tensor.device.type = static_cast<guardgen::DeviceType>(read_int());
    tensor.device.index = static_cast<int>(read_int());
    tensor.layout = static_cast<guardgen::Layout>(read_int());
    tensor.storage_offset = read_int();
    tensor.requires_grad = read_bool();
    tensor.identity = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(read_int()));
    return result;
  }

 private:
  std::string data_;
  std::size_t at_ = 0;

  template <class Value>
  Value read() {
    Value value;
    if (at_ + sizeof value > data_.size()) std::abort();
    std::memcpy(&value, data_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  std::vector<std::int64_t> read_list() {
    std::vector<std::int64_t> list(static_cast<std::size_t>(read_int()));
    for (std::int64_t& each : list) each = read_int();
    return list;
  }
};

struct Answer {
  bool wanted = false, check = false, check_shapes = false;
  std::vector<guardgen::Violation> violations;
};

using Ask = void (*)(Reader&, Answer&);

inline std::string all_input() {
  std::string data;
  char block[1 << 16];
  for (std::size_t size = 0; (size = std::fread(block, 1, sizeof block, stdin)) > 0;) data.append(block, size);
  return data;
}

inline int answer(const Ask* asks, bool violations) {
  Reader in(all_input());
  while (!in.done()) {
    Answer out;
    out.wanted = violations;
    asks[in.read_int()](in, out);
    std::putchar((out.check ? 1 : 0) | (out.check_shapes ? 2 : 0));
    if (!violations) continue;
    std::string texts;
    for (const guardgen::Violation& each : out.violations) texts += each.text() + '\0';
    const auto size = static_cast<std::int64_t>(texts.size());
    std::fwrite(&size, sizeof size, 1, stdout);
    std::fwrite(texts.data(), 1, texts.size(), stdout);
  }
  return 0;
}
