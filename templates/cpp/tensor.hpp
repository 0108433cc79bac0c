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
