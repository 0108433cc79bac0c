// Python's arguments as the guard's: sizes are read where PyTorch has them, and no object of Python is made.

#ifdef Py_GIL_DISABLED
#error "the native form holds borrowed references, as it may under Python's global lock alone"
#endif

// What stands in `THPVariable` of torch/csrc/autograd/python_variable.h, whose own includes take a compiler long. The
// module is loaded only by the release of PyTorch that it was compiled for.
struct TensorObject {
  PyObject_HEAD
  at::TensorBase tensor;
};

inline PyObject* tensor_type = nullptr;
inline PyObject* parameter_type = nullptr;

inline DType dtype_of(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Bool: return DType::bool_;
    case c10::ScalarType::Byte: return DType::uint8;
    case c10::ScalarType::Char: return DType::int8;
    case c10::ScalarType::Short: return DType::int16;
    case c10::ScalarType::Int: return DType::int32;
    case c10::ScalarType::Long: return DType::int64;
    case c10::ScalarType::UInt16: return DType::uint16;
    case c10::ScalarType::UInt32: return DType::uint32;
    case c10::ScalarType::UInt64: return DType::uint64;
    case c10::ScalarType::Half: return DType::float16;
    case c10::ScalarType::BFloat16: return DType::bfloat16;
    case c10::ScalarType::Float: return DType::float32;
    case c10::ScalarType::Double: return DType::float64;
    case c10::ScalarType::ComplexHalf: return DType::complex32;
    case c10::ScalarType::ComplexFloat: return DType::complex64;
    case c10::ScalarType::ComplexDouble: return DType::complex128;
    case c10::ScalarType::Float8_e4m3fn: return DType::float8_e4m3fn;
    case c10::ScalarType::Float8_e5m2: return DType::float8_e5m2;
    case c10::ScalarType::Float8_e4m3fnuz: return DType::float8_e4m3fnuz;
    case c10::ScalarType::Float8_e5m2fnuz: return DType::float8_e5m2fnuz;
    case c10::ScalarType::Float8_e8m0fnu: return DType::float8_e8m0fnu;
    case c10::ScalarType::QInt8: return DType::qint8;
    case c10::ScalarType::QUInt8: return DType::quint8;
    case c10::ScalarType::QInt32: return DType::qint32;
    default: return DType::other;
  }
}

inline Device device_of(c10::Device device) {
  const int index = device.has_index() ? device.index() : -1;
  switch (device.type()) {
    case c10::DeviceType::CPU: return {DeviceType::cpu, index};
    case c10::DeviceType::CUDA: return {DeviceType::cuda, index};
    case c10::DeviceType::HIP: return {DeviceType::hip, index};
    case c10::DeviceType::HPU: return {DeviceType::hpu, index};
    case c10::DeviceType::IPU: return {DeviceType::ipu, index};
    case c10::DeviceType::MAIA: return {DeviceType::maia, index};
    case c10::DeviceType::Meta: return {DeviceType::meta, index};
    case c10::DeviceType::MPS: return {DeviceType::mps, index};
    case c10::DeviceType::MTIA: return {DeviceType::mtia, index};
    case c10::DeviceType::Vulkan: return {DeviceType::vulkan, index};
    case c10::DeviceType::XLA: return {DeviceType::xla, index};
    case c10::DeviceType::XPU: return {DeviceType::xpu, index};
    case c10::DeviceType::PrivateUse1: return {DeviceType::privateuseone, index};
    default: return {DeviceType::other, index};
  }
}

inline Layout layout_of(c10::Layout layout) {
  switch (layout) {
    case c10::Layout::Strided: return Layout::strided;
    case c10::Layout::Sparse: return Layout::sparse_coo;
    case c10::Layout::SparseCsr: return Layout::sparse_csr;
    case c10::Layout::SparseCsc: return Layout::sparse_csc;
    case c10::Layout::SparseBsr: return Layout::sparse_bsr;
    case c10::Layout::SparseBsc: return Layout::sparse_bsc;
    case c10::Layout::Jagged: return Layout::jagged;
    case c10::Layout::Mkldnn: return Layout::_mkldnn;
    default: return Layout::other;
  }
}

inline Sizes sizes_of(c10::IntArrayRef sizes) { return {sizes.data(), sizes.size()}; }

// Readers, a kind of argument each: whether the object is one that is read without asking Python.

template <bool strides, bool offset, bool requires_grad>
bool read_tensor(PyObject* object, Tensor& value) {
  const auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  if (type != tensor_type && type != parameter_type) return false;
  const at::TensorBase& tensor = reinterpret_cast<TensorObject*>(object)->tensor;
  const c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  if (!tensor.defined() || impl->has_symbolic_sizes_strides()) return false;
  value.sizes = sizes_of(impl->sizes());
  value.dtype = dtype_of(c10::typeMetaToScalarType(impl->dtype()));
  value.device = impl->is_cpu() ? Device{} : device_of(impl->device());
  value.layout = layout_of(impl->layout());
  value.identity = object;
  if constexpr (strides) value.strides = sizes_of(impl->strides());
  if constexpr (offset) value.storage_offset = impl->storage_offset();
  if constexpr (requires_grad) value.requires_grad = impl->requires_grad();
  return true;
}

inline bool read_int(PyObject* object, std::int64_t& value) {
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

inline bool read_bool(PyObject* object, bool& value) {
  value = object == Py_True;
  return value || object == Py_False;
}

inline bool read_float(PyObject* object, double& value) {
  if (!PyFloat_CheckExact(object)) return false;
  value = PyFloat_AS_DOUBLE(object);
  return true;
}

inline bool read_str(PyObject* object, std::string_view& value) {
  if (!PyUnicode_CheckExact(object)) return false;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) return false;  // surrogates have no UTF-8
  value = {text, static_cast<std::size_t>(size)};
  return true;
}

// Containers of the exact type and length.

inline bool is_list(PyObject* object, Py_ssize_t count) {
  return PyList_CheckExact(object) && PyList_GET_SIZE(object) == count;
}

inline bool is_tuple(PyObject* object, Py_ssize_t count) {
  return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == count;
}

inline bool is_dict(PyObject* object, Py_ssize_t count) {
  return PyDict_CheckExact(object) && PyDict_GET_SIZE(object) == count;
}

inline bool same_text(PyObject* one, PyObject* other) {
  return one == other || (PyUnicode_CheckExact(one) && PyUnicode_Compare(one, other) == 0);
}

// The next value of a dict, whose key must be this one: a guard wants keys in the order of the traced call.
inline bool next_item(PyObject* dict, Py_ssize_t& at, PyObject* key, PyObject*& value) {
  PyObject* found = nullptr;
  return PyDict_Next(dict, &at, &found, &value) && same_text(found, key);
}

// Parameters of Python: whether they can be given by position and by name.

struct Parameter {
  const char* name;
  bool by_position, by_name;
};

// The arguments of a call by parameter; `known` has the defaults, and its first item where there is none. False where
// Python would refuse the call, so that Python says why.
inline bool bind_arguments(const Parameter* parameters, PyObject* const* names, std::size_t count, PyObject* known,
                           PyObject* const* given, std::size_t positional, PyObject* keywords, PyObject** values) {
  std::size_t i = 0;
  for (; i < positional; ++i) {
    if (i >= count || !parameters[i].by_position) return false;
    values[i] = given[i];
  }
  for (; i < count; ++i) values[i] = nullptr;
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t k = 0; k < named; ++k) {
    std::size_t at = 0;
    while (at < count && !(parameters[at].by_name && same_text(PyTuple_GET_ITEM(keywords, k), names[at]))) ++at;
    if (at == count || values[at] != nullptr) return false;
    values[at] = given[positional + static_cast<std::size_t>(k)];
  }
  for (i = positional; i < count; ++i) {
    if (values[i] != nullptr) continue;
    values[i] = PyTuple_GET_ITEM(known, static_cast<Py_ssize_t>(i) + 1);
    if (values[i] == PyTuple_GET_ITEM(known, 0)) return false;
  }
  return true;
}

// The function that Python calls: `python` is asked where `check` says nothing.
inline PyObject* bound(PyMethodDef* check, const Parameter* parameters, std::size_t count, PyObject* const* given,
                       Py_ssize_t arguments) {
  if (arguments != 2 || !PyDict_CheckExact(given[1])) {
    PyErr_SetString(PyExc_TypeError, "bind takes the Python form and a dict of its defaults");
    return nullptr;
  }
  PyObject* known = PyTuple_New(static_cast<Py_ssize_t>(count) + 1);
  if (known == nullptr) return nullptr;
  for (std::size_t i = 0; i <= count; ++i) {
    PyObject* value = i == 0 ? given[0] : PyDict_GetItemString(given[1], parameters[i - 1].name);
    if (value == nullptr) value = given[0];
    Py_INCREF(value);
    PyTuple_SET_ITEM(known, static_cast<Py_ssize_t>(i), value);
  }
  PyObject* function = PyCFunction_New(check, known);
  Py_DECREF(known);
  return function;
}

inline bool keep_attribute(PyObject* module, const char* name, PyObject*& kept) {
  if (kept == nullptr && module != nullptr) kept = PyObject_GetAttrString(module, name);
  return kept != nullptr;
}

// PyTorch's types, and the names of parameters and keys; ImportError where PyTorch is not the one compiled for.
inline bool load(const char* release, const char* const* texts, PyObject** names, std::size_t count) {
  PyObject* torch = PyImport_ImportModule("torch");
  PyObject* nn = PyImport_ImportModule("torch.nn");
  PyObject* version = nullptr;
  bool loaded = keep_attribute(torch, "Tensor", tensor_type) && keep_attribute(nn, "Parameter", parameter_type) &&
                keep_attribute(torch, "__version__", version);
  if (loaded && std::strcmp(PyUnicode_Check(version) ? PyUnicode_AsUTF8(version) : "", release) != 0) {
    PyErr_Format(PyExc_ImportError, "compiled for PyTorch %s, and this is %S: build it again", release, version);
    loaded = false;
  }
  for (std::size_t i = 0; loaded && i < count; ++i) {
    names[i] = PyUnicode_InternFromString(texts[i]);
    loaded = names[i] != nullptr;
  }
  Py_XDECREF(torch);
  Py_XDECREF(nn);
  Py_XDECREF(version);
  return loaded;
}
