// torch.UntypedStorage. Behaviour: torch/csrc/Storage.cpp, StorageMethods.cpp; torch/storage.py.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "core/object/bytes.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/python/torch/parts.h"
#include "core/tensor/copies.h"
#include "core/tensor/tensor.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;
using tensor::Device;
using tensor::Dims;
using tensor::Storage;
using tensor::Tensor;

Storage& self_of(Args a) { return static_cast<Storage&>(*a[0].object()); }

PyResult<Ref<Storage>> storage_of(Interpreter& in, const Value& value) {
  auto* storage = dynamic_cast<Storage*>(value.object());
  if (storage == nullptr) return object::type_error(in, "expected UntypedStorage, not {}", in.type_of(value).name());
  return Ref<Storage>(storage);
}

// Where the storage of a tensor says that it lies that has none: torch/_dispatch.py, make_wrapper. Null: it is one.
const Value* wrapper_device(Storage& storage) {
  Dict* const attributes = storage.device() == Device::Meta ? storage.instance_dict(false) : nullptr;
  return attributes == nullptr ? nullptr : attributes->find("_wrapper_device");
}

// Errors: RuntimeError  there are no bytes, and it is not on meta either.
PyResult<void> check_valid(Storage& storage, std::string_view what) {
  if (wrapper_device(storage) == nullptr) return {};
  return object::runtime_error(storage.interpreter(), "Attempted to {} on an invalid python storage.", what);
}

// The bytes as a tensor: what copies from device to device takes.
object::PyError no_data(Interpreter& in) {
  return object::make_error(in, object::ErrorKind::NotImplementedError, "Cannot copy out of meta tensor; no data!");
}

PyResult<Ref<Storage>> moved(const Ref<Storage>& storage, Device device) {
  if (storage->device() == device) return storage;
  if (storage->device() == Device::Meta) return no_data(storage->interpreter());
  Interpreter& in = storage->interpreter();
  NNS_TRY_ASSIGN(Ref<Storage> made, Storage::try_allocate(in, storage->bytes(), device));
  if (made->bytes() > 0) NNS_TRY(tensor::copy_items(*tensor::bytes_of(made), *tensor::bytes_of(storage)));
  return made;
}

PyResult<std::string> host_bytes(const Ref<Storage>& storage) {
  if (storage->device() == Device::Meta) {
    return object::error<object::ErrorKind::NotImplementedError>(storage->interpreter(),
                                                                 "Not available for 'meta' device type");
  }
  if (storage->bytes() == 0) return std::string();
  NNS_TRY_ASSIGN(const Ref<Tensor> host, tensor::on_host(*tensor::bytes_of(storage)));
  return std::string(reinterpret_cast<const char*>(host->data()), static_cast<std::size_t>(storage->bytes()));
}

// Which bytes slice `index` means. Errors: RuntimeError  its step is not 1.
PyResult<object::Slice::Bounds> run_of(Interpreter& in, const object::Slice& index, std::int64_t size) {
  NNS_TRY_ASSIGN(const object::Slice::Bounds bounds, index.bounds(in, size));
  if (bounds.step == 1) return bounds;
  return object::runtime_error(in, "Trying to slice with a step of {}, but only a step of 1 is supported", bounds.step);
}

PyResult<std::int64_t> place_of(Interpreter& in, const Value& index, std::int64_t size) {
  if (!index.is_int()) {
    return object::type_error(in, "can't index a torch.UntypedStorage with {}", object::type_name_of(in, index));
  }
  const std::int64_t at = index.as_int() < 0 ? index.as_int() + size : index.as_int();
  if (at >= 0 && at < size) return at;
  return object::error<object::ErrorKind::IndexError>(in, "index {} out of range for storage of size {}", at, size);
}

// Some of the bytes: shared, and with `owner` keeping them.
Ref<Storage> part_of(Interpreter& in, Storage& self, std::int64_t offset, std::int64_t size) {
  std::byte* const begin = self.data() == nullptr ? nullptr : self.data() + offset;
  return Storage::wrap(in, begin, static_cast<std::uint64_t>(size), std::make_shared<Ref<Storage>>(&self));
}

PyResult<Value> item_at(Interpreter& in, Args a) {
  Storage& self = self_of(a);
  const auto size = static_cast<std::int64_t>(self.bytes());
  if (self.device() == Device::Meta) {
    return object::error<object::ErrorKind::NotImplementedError>(in, "Not available for 'meta' device type");
  }
  if (const auto* slice = a[1].as<object::Slice>()) {
    NNS_TRY_ASSIGN(const object::Slice::Bounds run, run_of(in, *slice, size));
    if (!tensor::is_cpu(self.device())) return object::runtime_error(in, "slices are of storages on the CPU");
    return Value(part_of(in, self, run.start, static_cast<std::int64_t>(run.count)));
  }
  NNS_TRY_ASSIGN(const std::int64_t at, place_of(in, a[1], size));
  if (tensor::is_cpu(self.device())) return Value(std::int64_t{std::to_integer<unsigned char>(self.data()[at])});
  NNS_TRY_ASSIGN(const std::string bytes, host_bytes(Ref<Storage>(&self)));
  return Value(std::int64_t{static_cast<unsigned char>(bytes[static_cast<std::size_t>(at)])});
}

// The byte that `value` is, as a cast to it makes it.
PyResult<std::int64_t> byte_of(Interpreter& in, const Value& value, std::string_view what) {
  if (!value.is_int() && !value.is_bool()) {
    return object::runtime_error(in, "{}, but got {}", what, object::type_name_of(in, value));
  }
  return value.as_int() & 0xFF;
}

PyResult<void> fill_bytes(Storage& self, std::int64_t offset, std::int64_t count, std::int64_t value) {
  if (count == 0 || self.device() == Device::Meta) return {};
  const Ref<Tensor> part = tensor::make_tensor(
      self.interpreter(), {Ref<Storage>(&self), Dims({count}), Dims({1}), offset, tensor::DType::UInt8});
  tensor::fill_items(*part, static_cast<double>(value));
  self.bump_version();
  return {};
}

PyResult<Value> set_item(Interpreter& in, Args a) {
  Storage& self = self_of(a);
  NNS_TRY_ASSIGN(const std::int64_t byte, byte_of(in, a[2], "can only set storage content with a int types"));
  const auto size = static_cast<std::int64_t>(self.bytes());
  if (const auto* slice = a[1].as<object::Slice>()) {
    NNS_TRY_ASSIGN(const object::Slice::Bounds run, run_of(in, *slice, size));
    NNS_TRY(fill_bytes(self, run.start, static_cast<std::int64_t>(run.count), byte));
    return Value();
  }
  NNS_TRY_ASSIGN(const std::int64_t at, place_of(in, a[1], size));
  NNS_TRY(fill_bytes(self, at, 1, byte));
  return Value();
}

// The bytes of a file: shared ones as they lie there, the others a copy. Behaviour: aten/src/ATen/MapAllocator.cpp.
PyResult<Value> from_file(Interpreter& in, Args a) {
  const auto* path = a[0].as<object::Str>();
  if (path == nullptr) {
    return object::type_error(in, "argument 1 must be str, not {}", object::type_name_of(in, a[0]));
  }
  NNS_TRY_ASSIGN(const bool is_shared, object::truth(in, a[1]));
  NNS_TRY_ASSIGN(const std::int64_t wanted, object::index(in, a[2]));
  const std::string name(path->view());
  const Streams& streams = Machine::of(in).streams;
  const auto refused = [&](const FileRefusal& why, std::string_view mode) {
    return object::runtime_error(in, "unable to open file <{}> in {} mode: {} ({})", name, mode, why.text, why.number);
  };
  std::uint64_t size = wanted > 0 ? static_cast<std::uint64_t>(wanted) : 0;
  std::shared_ptr<base::ByteSource> source;
  if (!is_shared || size == 0) {
    auto opened = streams.open_file(name);
    if (const auto* refusal = std::get_if<FileRefusal>(&opened)) return refused(*refusal, "read-only");
    source = std::get<0>(std::move(opened));
    if (size > source->size()) {
      return object::runtime_error(in, "file <{}> size <{}> is smaller than the required mapping size <{}>", name,
                                   source->size(), size);
    }
    if (size == 0) size = source->size();
  }
  Ref<Storage> made;
  if (is_shared && size > 0) {
    if (!streams.map_file)
      return object::runtime_error(in, "unable to mmap {} bytes from file <{}>: no files are mapped here", size, name);
    auto mapped = streams.map_file(name, size);
    if (const auto* refusal = std::get_if<FileRefusal>(&mapped)) return refused(*refusal, "read-write");
    std::byte* const begin = std::get<0>(mapped).get();
    made = Storage::wrap(in, begin, size, std::get<0>(std::move(mapped)));
    made->mark_shared();
  } else {
    NNS_TRY_ASSIGN(const Ref<Storage> read, Storage::try_allocate(in, size, Device::Cpu));
    if (size > 0) {
      const base::Result<void> done = source->read(0, {read->data(), static_cast<std::size_t>(size)});
      if (!done.ok())
        return object::runtime_error(in, "unable to mmap {} bytes from file <{}>: {}", size, name,
                                     done.error().message());
    }
    made = Storage::wrap(in, read->data(), size, std::make_shared<Ref<Storage>>(read));
  }
  made->set_file_name(name);
  return Value(made);
}

void add_sizes(Class& cls) {
  for (const std::string_view name : {"nbytes(self)", "size(self)", "__len__(self)"}) {
    cls.def(name, [](Interpreter&, Args a) -> PyResult<Value> {
      return Value(static_cast<std::int64_t>(self_of(a).bytes()));
    });
  }
  cls.def("element_size(self)", [](Interpreter&, Args) -> PyResult<Value> { return Value(1); });
  cls.def("data_ptr(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(check_valid(self_of(a), "access the data pointer"));
    const Storage& self = self_of(a);
    return Value(self.bytes() == 0 ? 0 : static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(self.data())));
  });
  cls.def("resizable(self)", [](Interpreter&, Args a) -> PyResult<Value> { return Value(self_of(a).is_resizable()); });
  cls.def("resize_(self, size)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(check_valid(self_of(a), "call resize_()"));
    if (!a[1].is_int()) {
      return object::runtime_error(in, "resize_ expects an int, but got {}", object::type_name_of(in, a[1]));
    }
    if (a[1].as_int() < 0) {
      return object::runtime_error(in, "Requested storage size ({}) cannot be represented as a size_t", a[1].as_int());
    }
    NNS_TRY(self_of(a).resize(static_cast<std::uint64_t>(a[1].as_int())));
    return a[0];
  });
  cls.def("new(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Ref<Storage> made, Storage::try_allocate(in, 0, self_of(a).device()));
    return Value(made);
  });
  // Behaviour: torch/storage.py, UntypedStorage.filename.
  cls.property("filename", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    const std::string& name = static_cast<Storage&>(*self.object()).file_name();
    return name.empty() ? Value() : in.text(name);
  });
  // What tells one storage from another, as long as both live.
  cls.property("_cdata", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(self.object())));
  });
  cls.property("device", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    if (const Value* const told = wrapper_device(static_cast<Storage&>(*self.object()))) return *told;
    return tensor::TensorLibrary::of(in).device_value(static_cast<Storage&>(*self.object()).device());
  });
  cls.property("is_cuda", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<Storage&>(*self.object()).device() == Device::Cuda);
  });
  cls.def("untyped(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls.def("is_shared(self)", [](Interpreter&, Args a) -> PyResult<Value> { return Value(self_of(a).is_shared()); });
  cls.def("share_memory_(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (self_of(a).device() == Device::Meta) return object::runtime_error(in, "_share_fd_: only available on CPU");
    self_of(a).mark_shared();
    return a[0];
  });
}

void add_contents(Class& cls) {
  cls.def("__getitem__(self, index)", item_at);
  cls.def("__setitem__(self, index, value)", set_item);
  cls.def_static("from_file(filename, shared=False, nbytes=0)", from_file);
  cls.def("fill_(self, value)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(check_valid(self_of(a), "call fill_()"));
    NNS_TRY_ASSIGN(const std::int64_t byte, byte_of(in, a[1], "fill_ expects int"));
    NNS_TRY(fill_bytes(self_of(a), 0, static_cast<std::int64_t>(self_of(a).bytes()), byte));
    return a[0];
  });
  cls.def("tolist(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string bytes, host_bytes(Ref<Storage>(&self_of(a))));
    std::vector<Value> items;
    for (const char c : bytes) items.emplace_back(std::int64_t{static_cast<unsigned char>(c)});
    return Value(in.list(std::move(items)));
  });
  cls.def("_to_bytes(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(std::string bytes, host_bytes(Ref<Storage>(&self_of(a))));
    return Value(object::make<object::Bytes>(*in.builtins().bytes, std::move(bytes)));
  });
  cls.def_static("_from_bytes(bytes)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const auto* bytes = a[0].as<object::Bytes>();
    if (bytes == nullptr) return object::type_error(in, "expected bytes, not {}", in.type_of(a[0]).name());
    NNS_TRY_ASSIGN(const Ref<Storage> made, Storage::try_allocate(in, bytes->view().size(), Device::Cpu));
    std::copy_n(reinterpret_cast<const std::byte*>(bytes->view().data()), bytes->view().size(), made->data());
    return Value(made);
  });
  // A part that shares the bytes.
  cls.def("_part(self, offset, size)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t offset, object::index(in, a[1]));
    NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, a[2]));
    Storage& self = self_of(a);
    const auto bytes = static_cast<std::int64_t>(self.bytes());
    if (!tensor::is_cpu(self.device()) || offset < 0 || size < 0 || offset > bytes || size > bytes - offset) {
      return object::runtime_error(in, "bytes {} to {} of a storage of {} bytes", offset, offset + size, bytes);
    }
    return Value(part_of(in, self, offset, size));
  });
  // Numbers of `item_bytes` bytes each from the other byte order. Must hold: on the CPU.
  cls.def("_swap_bytes(self, item_bytes)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t width, object::index(in, a[1]));
    Storage& self = self_of(a);
    if (width < 1 || !tensor::is_cpu(self.device()))
      return object::value_error(in, "only storages on the CPU are swapped");
    const auto step = static_cast<std::uint64_t>(width);
    for (std::uint64_t at = 0; step > 1 && step <= self.bytes() - at; at += step) {
      std::byte* const number = self.data() + static_cast<std::ptrdiff_t>(at);
      std::reverse(number, number + static_cast<std::ptrdiff_t>(step));
    }
    self.bump_version();
    return a[0];
  });
  cls.def("clone(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Ref<Storage> made, tensor::clone_storage(Ref<Storage>(&self_of(a))));
    return Value(made);
  });
  cls.def("copy_(self, source, non_blocking=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Ref<Storage> source, storage_of(in, a[1]));
    NNS_TRY(check_valid(*source, "call copy_()"));
    if (source->bytes() != self_of(a).bytes()) {
      return object::runtime_error(in, "size does not match, self was {} bytes but src was {} bytes",
                                   self_of(a).bytes(), source->bytes());
    }
    if (source->device() == Device::Meta && self_of(a).device() != Device::Meta) return no_data(in);
    if (source->bytes() > 0)
      NNS_TRY(tensor::copy_items(*tensor::bytes_of(Ref<Storage>(&self_of(a))), *tensor::bytes_of(source)));
    self_of(a).bump_version();
    return a[0];
  });
  cls.def("cpu(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Ref<Storage> made, moved(Ref<Storage>(&self_of(a)), Device::Cpu));
    return Value(made);
  });
  cls.def("cuda(self, device=None, non_blocking=False)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Device device, tensor::device_of(in, in.text("cuda")));
    NNS_TRY_ASSIGN(const Ref<Storage> made, moved(Ref<Storage>(&self_of(a)), device));
    return Value(made);
  });
  cls.def("to(self, *, device, non_blocking=False)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Device device, tensor::device_of(in, a[1]));
    NNS_TRY_ASSIGN(const Ref<Storage> made, moved(Ref<Storage>(&self_of(a)), device));
    return Value(made);
  });
}

PyResult<Dims> dims_argument(Interpreter& in, const Value& value) {
  std::vector<std::int64_t> sizes;
  NNS_TRY(object::for_each(in, value, [&](const Value& one) -> PyResult<void> {
    NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, one));
    sizes.push_back(size);
    return {};
  }));
  return Dims(sizes);
}

PyResult<tensor::TensorView> view_of(Interpreter& in, Args a, tensor::DType dtype) {
  tensor::TensorView view;
  NNS_TRY_ASSIGN(view.storage, storage_of(in, a[0]));
  NNS_TRY_ASSIGN(view.offset, object::index(in, a[1]));
  NNS_TRY_ASSIGN(view.shape, dims_argument(in, a[2]));
  NNS_TRY_ASSIGN(view.strides, dims_argument(in, a[3]));
  view.dtype = dtype;
  NNS_TRY(tensor::check_in_bounds(in, view));
  return view;
}

// What UntypedStorage(given, device=device) holds: so many bytes, or those of a sequence.
PyResult<Ref<Storage>> new_storage(Interpreter& in, const Value& given, const Value& on) {
  Device device = Device::Cpu;
  if (!on.is_none()) {
    NNS_TRY_ASSIGN(device, tensor::device_of(in, on));
  }
  if (given.is_int()) {
    if (given.as_int() < 0) {
      return object::runtime_error(in, "Storage size must be non-negative, got {}", given.as_int());
    }
    return Storage::try_allocate(in, static_cast<std::uint64_t>(given.as_int()), device);
  }
  std::vector<std::byte> bytes;
  NNS_TRY(object::for_each(in, given, [&](const Value& one) -> PyResult<void> {
    if (!one.is_int() && !one.is_bool()) {
      return object::runtime_error(in,
                                   "torch.UntypedStorage(): tried to construct a storage from a sequence ({}), but one "
                                   "of the items was of type {} instead of int",
                                   object::type_name_of(in, given), object::type_name_of(in, one));
    }
    bytes.push_back(static_cast<std::byte>(one.as_int() & 0xFF));
    return {};
  }));
  NNS_TRY_ASSIGN(const Ref<Storage> made, Storage::try_allocate(in, bytes.size(), Device::Cpu));
  std::copy(bytes.begin(), bytes.end(), made->data());
  return moved(made, device);
}

// Those that are made of others: module torch._untyped_storage.
constexpr std::string_view kStoragePythonMethods[] = {
    "type",
    "get_device",
    "__str__",
    "__repr__",
    "__iter__",
    "__copy__",
    "__sizeof__",
    "_to",
    "double",
    "float",
    "half",
    "long",
    "int",
    "short",
    "char",
    "byte",
    "bool",
    "bfloat16",
    "complex_double",
    "complex_float",
    "float8_e5m2",
    "float8_e4m3fn",
    "float8_e5m2fnuz",
    "float8_e4m3fnuz",
    "is_pinned",
    "pin_memory",
    "byteswap",
    "_write_file",
    "_share_fd_cpu_",
    "_share_filename_cpu_",
};

void add_python_methods(Class& cls) {
  const auto forward = [](std::string_view method) {
    return [name = std::string(method)](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const Value module, Machine::of(in).import_module("torch._untyped_storage", 0, nullptr));
      NNS_TRY_ASSIGN(const Value function, object::getattr(in, module, in.intern(name)));
      const auto given = a[a.size() - 2].as<object::Tuple>()->items();
      std::vector<Value> positional(a.begin(), a.end() - 2);
      positional.insert(positional.end(), given.begin(), given.end());
      return in.call(function, positional, object::keywords_of(in, *a[a.size() - 1].as<Dict>()));
    };
  };
  for (const std::string_view method : kStoragePythonMethods) {
    cls.def(fmt::format("{}(self, *args, **kwargs)", method), forward(method));
  }
  cls.def("__deepcopy__(self, memo)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Ref<Storage> made,
                   tensor::deep_copied_storage(Ref<Storage>(&self_of(a)), object::CopyMemo(in, a[1])));
    return Value(made);
  });
  for (const std::string_view method : {"from_buffer", "_new_shared"}) {
    cls.def_static(fmt::format("{}(*args, **kwargs)", method), forward(method));
  }
  cls.attribute("is_sparse", Value(false));
  cls.attribute("is_sparse_csr", Value(false));
}

}  // namespace

void fill_storage(Interpreter& interpreter) {
  const auto& library = tensor::TensorLibrary::of(interpreter);
  Class& cls = *library.storage;
  Class& base = *cls.bases()[0].get();
  base.def_static("__new__(cls, size=0, *, allocator=None, device=None)",
                  [](Interpreter& in, Args a) -> PyResult<Value> {
                    Class& wanted = *a[0].as<Class>();
                    Class& plain = *tensor::TensorLibrary::of(in).storage;
                    if (&wanted == plain.bases()[0].get()) {
                      return object::runtime_error(
                          in, "Cannot directly construct StorageBase; subclass it and then construct that");
                    }
                    NNS_TRY_ASSIGN(const Ref<Storage> made, new_storage(in, a[1], a[3]));
                    if (&wanted == &plain) return Value(made);
                    const Ref<object::Object> derived = Storage::make_empty(wanted);
                    static_cast<Storage&>(*derived).swap_memory(*made);
                    return Value(derived);
                  });
  base.def("__init__(self, *args, **kwargs)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  add_sizes(base);
  add_contents(base);
  add_python_methods(cls);
  ops::python_module(interpreter, "torch._C").set(interpreter.intern("StorageBase"), Value(&base));
  ops::python_module(interpreter, "torch._C").set(interpreter.intern("TensorBase"), Value(library.tensor->bases()[0]));
  const Value shown(static_cast<object::Object*>(&cls));
  ops::python_module(interpreter, "torch").set(interpreter.intern("UntypedStorage"), shown);

  Class& tensor_class = *library.tensor;
  tensor_class.def("untyped_storage(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[0].as<Tensor>()->sparse() != nullptr) {
      return object::error<object::ErrorKind::NotImplementedError>(in, "Cannot access storage of SparseTensorImpl");
    }
    return Value(a[0].as<Tensor>()->storage());
  });
  struct Row {
    std::string_view signature, function;
  };
  for (const Row& row : {Row{"storage(self)", "_storage_with_warning"}, Row{"_typed_storage(self)", "_typed_storage"},
                         Row{"storage_type(self)", "_storage_type"}}) {
    tensor_class.def(row.signature, [function = row.function](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const Value module, Machine::of(in).import_module("torch._tensor", 0, nullptr));
      return in.call_method(module, in.intern(function), a);
    });
  }
  tensor_class.def("set_(self, source=None, storage_offset=0, size=None, stride=None)",
                   [](Interpreter& in, Args a) -> PyResult<Value> {
                     NNS_TRY_ASSIGN(const Value module, Machine::of(in).import_module("torch._tensor", 0, nullptr));
                     NNS_TRY_ASSIGN(const Value view, in.call_method(module, in.intern("_view_for_set"), a));
                     a[0].as<Tensor>()->set_data(*view.as<Tensor>());
                     a[0].as<Tensor>()->bump_version();
                     return a[0];
                   });

  // A tensor that looks at a storage. Errors: RuntimeError  it looks at what the storage does not have.
  const auto rebuild = interpreter.function("_rebuild_tensor(storage, storage_offset, size, stride, dtype)",
                                            [](Interpreter& in, Args a) -> PyResult<Value> {
                                              NNS_TRY_ASSIGN(const tensor::DType dtype, tensor::dtype_of(in, a[4]));
                                              NNS_TRY_ASSIGN(tensor::TensorView view, view_of(in, a, dtype));
                                              return Value(tensor::make_tensor(in, std::move(view)));
                                            });
  ops::python_module(interpreter, "torch._C").set(interpreter.intern("_rebuild_tensor"), Value(rebuild));
}

}  // namespace nns::python
