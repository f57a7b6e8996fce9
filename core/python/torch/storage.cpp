// torch.UntypedStorage. Behaviour: torch/csrc/Storage.cpp, StorageMethods.cpp; torch/storage.py.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/python/torch/parts.h"
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

// The bytes as a tensor: what copies from device to device takes.
Ref<Tensor> as_bytes(const Ref<Storage>& storage) {
  return tensor::make_tensor(storage->interpreter(), {storage, Dims({static_cast<std::int64_t>(storage->bytes())}),
                                                      Dims({1}), 0, tensor::DType::UInt8});
}

PyResult<Ref<Storage>> moved(const Ref<Storage>& storage, Device device) {
  if (storage->device() == device) return storage;
  Interpreter& in = storage->interpreter();
  NNS_TRY_ASSIGN(Ref<Storage> made, Storage::try_allocate(in, storage->bytes(), device));
  if (made->bytes() > 0) NNS_TRY(tensor::copy_items(*as_bytes(made), *as_bytes(storage)));
  return made;
}

PyResult<std::string> host_bytes(const Ref<Storage>& storage) {
  if (storage->device() == Device::Meta) {
    return object::error<object::ErrorKind::NotImplementedError>(storage->interpreter(),
                                                                 "Not available for 'meta' device type");
  }
  if (storage->bytes() == 0) return std::string();
  NNS_TRY_ASSIGN(const Ref<Tensor> host, tensor::on_host(*as_bytes(storage)));
  return std::string(reinterpret_cast<const char*>(host->data()), static_cast<std::size_t>(storage->bytes()));
}

PyResult<Value> byte_at(Interpreter& in, Args a) {
  const auto size = static_cast<std::int64_t>(self_of(a).bytes());
  NNS_TRY_ASSIGN(const std::int64_t given, object::index(in, a[1]));
  const std::int64_t at = given < 0 ? given + size : given;
  if (at < 0 || at >= size) {
    return object::error<object::ErrorKind::IndexError>(in, "index {} out of range for storage of size {}", given,
                                                        size);
  }
  NNS_TRY_ASSIGN(const std::string bytes, host_bytes(Ref<Storage>(&self_of(a))));
  return Value(std::int64_t{static_cast<unsigned char>(bytes[static_cast<std::size_t>(at)])});
}

void add_sizes(Class& cls) {
  for (const std::string_view name : {"nbytes(self)", "size(self)", "__len__(self)"}) {
    cls.def(name, [](Interpreter&, Args a) -> PyResult<Value> {
      return Value(static_cast<std::int64_t>(self_of(a).bytes()));
    });
  }
  cls.def("element_size(self)", [](Interpreter&, Args) -> PyResult<Value> { return Value(1); });
  cls.def("data_ptr(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(self_of(a).data())));
  });
  // What tells one storage from another, as long as both live.
  cls.property("_cdata", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(self.object())));
  });
  cls.property("device", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return tensor::TensorLibrary::of(in).device_value(static_cast<Storage&>(*self.object()).device());
  });
  cls.property("is_cuda", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<Storage&>(*self.object()).device() == Device::Cuda);
  });
  cls.def("untyped(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls.def("is_shared(self)", [](Interpreter&, Args a) -> PyResult<Value> { return Value(self_of(a).is_shared()); });
}

void add_contents(Class& cls) {
  cls.def("__getitem__(self, index)", byte_at);
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
    return Value(Storage::wrap(in, self.data() + offset, static_cast<std::uint64_t>(size),
                               std::make_shared<Ref<Storage>>(&self)));
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
  cls.def("clone(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Ref<Storage> made, Storage::try_allocate(in, self_of(a).bytes(), self_of(a).device()));
    if (made->bytes() > 0) NNS_TRY(tensor::copy_items(*as_bytes(made), *as_bytes(Ref<Storage>(&self_of(a)))));
    return Value(made);
  });
  cls.def("copy_(self, source, non_blocking=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Ref<Storage> source, storage_of(in, a[1]));
    if (source->bytes() != self_of(a).bytes()) {
      return object::runtime_error(in, "size does not match, self was {} bytes but src was {} bytes",
                                   self_of(a).bytes(), source->bytes());
    }
    if (source->bytes() > 0) NNS_TRY(tensor::copy_items(*as_bytes(Ref<Storage>(&self_of(a))), *as_bytes(source)));
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

}  // namespace

void fill_storage(Interpreter& interpreter) {
  const auto& library = tensor::TensorLibrary::of(interpreter);
  Class& cls = *library.storage;
  cls.def_static("__new__(cls, size=0, *, device=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    Device device = Device::Cpu;
    if (!a[2].is_none()) {
      NNS_TRY_ASSIGN(device, tensor::device_of(in, a[2]));
    }
    NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, a[1]));
    if (size < 0) return object::runtime_error(in, "Storage size must be non-negative, got {}", size);
    NNS_TRY_ASSIGN(const Ref<Storage> made, Storage::try_allocate(in, static_cast<std::uint64_t>(size), device));
    return Value(made);
  });
  cls.def("__init__(self, *args, **kwargs)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  add_sizes(cls);
  add_contents(cls);
  const Value shown(static_cast<object::Object*>(&cls));
  ops::python_module(interpreter, "torch").set(interpreter.intern("UntypedStorage"), shown);

  Class& tensor_class = *library.tensor;
  tensor_class.def("untyped_storage(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[0].as<Tensor>()->sparse() != nullptr) {
      return object::error<object::ErrorKind::NotImplementedError>(in, "Cannot access storage of SparseTensorImpl");
    }
    return Value(a[0].as<Tensor>()->storage());
  });
  tensor_class.def("storage(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value module, Machine::of(in).import_module("torch._tensor", 0, nullptr));
    return in.call_method(module, in.intern("_typed_storage"), a);
  });
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
