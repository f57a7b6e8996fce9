#include <fmt/format.h>

#include <algorithm>

#include "core/object/instance.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"
#include "core/object/operators.h"
#include "core/tensor/capture.h"
#include "core/tensor/copies.h"
#include "core/tensor/device_class.h"
#include "core/tensor/distributed.h"
#include "core/tensor/dtype_class.h"
#include "core/tensor/order.h"
#include "core/tensor/promotion.h"
#include "core/tensor/size_class.h"
#include "core/tensor/tensor.h"

namespace nns::tensor {
namespace {

using Args = std::span<const Value>;
using object::Class;

Tensor& self_of(Args a) { return *a[0].as<Tensor>(); }

// The tensor whose bytes and gradients those of `self` are: of a sparse one its values.
Tensor& holder_of(Tensor& self) { return self.sparse() == nullptr ? self : *self.sparse()->values; }

// Nested lists of the items from dimension `dim` on.
Value nested(const Tensor& self, std::size_t dim, std::int64_t place) {
  if (dim == self.ndim()) return read_value(self, place);
  std::vector<Value> items;
  for (std::int64_t i = 0; i < self.shape()[dim]; ++i) {
    items.push_back(nested(self, dim + 1, place + i * self.strides()[dim]));
  }
  return self.interpreter().list(std::move(items));
}

PyResult<Value> only_item(Interpreter& in, const Tensor& self) {
  if (self.numel() != 1) {
    return object::runtime_error(in, "a Tensor with {} elements cannot be converted to Scalar", self.numel());
  }
  if (const SparseParts* const parts = self.sparse()) {
    // Values of one place are added.
    Value sum(0);
    for (std::int64_t i = 0; i < parts->values->numel(); ++i) {
      NNS_TRY_ASSIGN(sum, object::binary(in, object::BinaryOperator::Add, sum,
                                         read_value(*parts->values, parts->values->offset() + i)));
    }
    return sum;
  }
  if (self.is_meta()) return object::runtime_error(in, "Tensor.item() cannot be called on meta tensors");
  NNS_TRY_ASSIGN(const Ref<Tensor> host, on_host(self));
  return read_value(*host, host->offset());
}

PyResult<Value> item_at(Interpreter& in, const Tensor& self, const Value& key) {
  if (const object::Tuple* keys = key.as<object::Tuple>()) {
    Ref<Tensor> current = detach(self);
    for (const Value& one : keys->items()) {
      NNS_TRY_ASSIGN(const Value part, item_at(in, *current, one));
      current = Ref<Tensor>(part.as<Tensor>());
    }
    return Value(current);
  }
  if (self.ndim() == 0) {
    return object::error<object::ErrorKind::IndexError>(
        in,
        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
        "0-dim tensor to a number");
  }
  const std::int64_t size = self.shape()[0];
  if (const object::Slice* slice = key.as<object::Slice>()) {
    NNS_TRY_ASSIGN(const auto taken, slice->indices(in, size));
    Dims shape = self.shape(), strides = self.strides();
    shape[0] = static_cast<std::int64_t>(taken.size());
    if (taken.size() > 1) strides[0] *= taken[1] - taken[0];
    return Value(as_strided(self, shape, strides, self.offset() + (taken.empty() ? 0 : taken[0] * self.strides()[0])));
  }
  NNS_TRY_ASSIGN(const std::int64_t index, object::index(in, key));
  if (index < -size || index >= size) {
    return object::error<object::ErrorKind::IndexError>(in, "index {} is out of bounds for dimension 0 with size {}",
                                                        index, size);
  }
  return Value(select(self, 0, index < 0 ? index + size : index));
}

// tensor.to(...): a dtype, a device or another tensor, by position or by name.
PyResult<Value> convert(Interpreter& in, Tensor& self, Args arguments, const object::Dict& keywords) {
  DType dtype = self.dtype();
  Device device = self.device();
  std::vector<Value> given(arguments.begin(), arguments.end());
  for (const char* name : {"device", "dtype"}) {
    if (Value* value = const_cast<object::Dict&>(keywords).find(std::string_view(name))) given.push_back(*value);
  }
  for (const Value& one : given) {
    if (one.is_none() || one.is_bool()) continue;
    if (const Tensor* other = one.as<Tensor>()) {
      dtype = other->dtype();
      device = other->device();
    } else if (&in.type_of(one) == TensorLibrary::of(in).dtype) {
      NNS_TRY_ASSIGN(dtype, dtype_of(in, one));
    } else {
      NNS_TRY_ASSIGN(device, device_of(in, one));
    }
  }
  NNS_TRY_ASSIGN(Ref<Tensor> made, to(self, dtype, device));
  return Value(made);
}

void add_values(Class& cls) {
  cls.def("tolist(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (self_of(a).sparse() != nullptr) {
      return object::runtime_error(in, "Cannot access data pointer of Tensor that doesn't have storage");
    }
    if (self_of(a).is_meta()) {
      return object::error<object::ErrorKind::NotImplementedError>(in, "Cannot copy out of meta tensor; no data!");
    }
    NNS_TRY_ASSIGN(const Ref<Tensor> host, on_host(self_of(a)));
    return nested(*host, 0, host->offset());
  });
  cls.def("item(self)", [](Interpreter& in, Args a) -> PyResult<Value> { return only_item(in, self_of(a)); });
  cls.def("__index__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (is_integral(self_of(a).dtype()) && self_of(a).numel() == 1) return only_item(in, self_of(a));
    return object::type_error(in, "only integer tensors of a single element can be converted to an index");
  });
  cls.def("__bool__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (self_of(a).numel() != 1) {
      return object::runtime_error(in, "Boolean value of Tensor with {} is ambiguous",
                                   self_of(a).numel() == 0 ? "no values" : "more than one value");
    }
    if (const SparseParts* const parts = self_of(a).sparse()) {
      for (std::int64_t i = 0; i < parts->values->numel(); ++i) {
        if (read_double(*parts->values, parts->values->offset() + i) != 0) return Value(true);
      }
      return Value(false);
    }
    if (self_of(a).is_meta()) return object::runtime_error(in, "Tensor.item() cannot be called on meta tensors");
    return Value(read_complex(self_of(a), self_of(a).offset()) != std::complex<double>());
  });
  cls.def("__len__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (self_of(a).ndim() == 0) return object::type_error(in, "len() of a 0-d tensor");
    return Value(self_of(a).shape()[0]);
  });
  cls.def("__getitem__(self, key)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return item_at(in, self_of(a), a[1]); });
  cls.def("__setitem__(self, key, value)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value view, item_at(in, self_of(a), a[1]));
    Tensor& target = *view.as<Tensor>();
    if (const Tensor* source = a[2].as<Tensor>()) {
      NNS_TRY(copy_(target, *source));
      return Value();
    }
    if (!a[2].is_float() && !a[2].is_int() && !a[2].is_bool()) {
      return object::type_error(in, "can't assign a {} to a {}", in.type_of(a[2]).name(), self_of(a).type_string());
    }
    fill_(target, a[2].is_float() ? a[2].as_float() : static_cast<double>(a[2].as_int()));
    return Value();
  });
  cls.def("__repr__(self)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return in.text(tensor_text(self_of(a))); });
  cls.def("copy_(self, src, non_blocking=False)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Tensor* source = a[1].as<Tensor>();
    if (source == nullptr) {
      return object::type_error(in, "copy_(): argument 'other' (position 1) must be Tensor, not {}",
                                in.type_of(a[1]).name());
    }
    NNS_TRY(copy_(self_of(a), *source));
    return a[0];
  });
  cls.def("fill_(self, value)", [](Interpreter&, Args a) -> PyResult<Value> {
    fill_(self_of(a), a[1].is_float() ? a[1].as_float() : static_cast<double>(a[1].as_int()));
    return a[0];
  });
  cls.def("zero_(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    fill_(self_of(a), 0);
    return a[0];
  });
}

// The dimension that a query names. Behaviour: c10/core/WrapDimMinimal.cpp.
PyResult<std::int64_t> dimension_of(Interpreter& in, const Tensor& self, const Value& given, std::string_view query) {
  if (!given.is_int()) {
    NNS_TRY_ASSIGN(const bool is_index, object::hasattr(in, given, in.intern("__index__")));
    if (!is_index) {
      return object::type_error(in, "{}(): argument 'dim' (position 1) must be int, not {}", query,
                                in.type_of(given).name());
    }
  }
  NNS_TRY_ASSIGN(const std::int64_t dim, object::index(in, given));
  const auto count = static_cast<std::int64_t>(self.ndim());
  if (count == 0) {
    return object::make_error(in, object::ErrorKind::IndexError,
                              fmt::format("Dimension specified as {} but tensor has no dimensions", dim));
  }
  if (dim < -count || dim >= count) {
    return object::make_error(in, object::ErrorKind::IndexError,
                              fmt::format("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                                          -count, count - 1, dim));
  }
  return dim < 0 ? dim + count : dim;
}

void add_shapes(Class& cls) {
  const auto shape_of = [](Interpreter& in, Args a) -> PyResult<Value> { return size_value(in, self_of(a).shape()); };
  cls.def("size(self, dim=None)", [shape_of](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].is_none()) return shape_of(in, a);
    NNS_TRY_ASSIGN(const std::int64_t dim, dimension_of(in, self_of(a), a[1], "size"));
    NNS_TRY_ASSIGN(const Value size, shape_of(in, a));
    return object::getitem(in, size, Value(dim));
  });
  cls.def("dim(self)", [](Interpreter&, Args a) -> PyResult<Value> { return Value(self_of(a).ndim()); });
  cls.def("numel(self)", [](Interpreter&, Args a) -> PyResult<Value> { return Value(self_of(a).numel()); });
  cls.def("nelement(self)", [](Interpreter&, Args a) -> PyResult<Value> { return Value(self_of(a).numel()); });
  cls.def("element_size(self)",
          [](Interpreter&, Args a) -> PyResult<Value> { return Value(item_bytes(self_of(a).dtype())); });
  cls.def("storage_offset(self)", [](Interpreter&, Args a) -> PyResult<Value> { return Value(self_of(a).offset()); });
  cls.def("stride(self, dim=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    std::vector<Value> strides(self_of(a).strides().begin(), self_of(a).strides().end());
    if (self_of(a).sparse() != nullptr) std::fill(strides.begin(), strides.end(), Value(0));
    if (a[1].is_none()) return Value(in.tuple(std::move(strides)));
    NNS_TRY_ASSIGN(const std::int64_t dim, dimension_of(in, self_of(a), a[1], "stride"));
    return strides[static_cast<std::size_t>(dim)];
  });
  cls.def("is_contiguous(self)",
          [](Interpreter&, Args a) -> PyResult<Value> { return Value(self_of(a).is_contiguous()); });
  cls.def("data_ptr(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (self_of(a).sparse() != nullptr) {
      return object::runtime_error(in, "Cannot access data pointer of Tensor that doesn't have storage");
    }
    return Value(self_of(a).is_meta() || self_of(a).numel() == 0
                     ? std::int64_t{0}
                     : static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(self_of(a).data())));
  });
  cls.def("is_floating_point(self)",
          [](Interpreter&, Args a) -> PyResult<Value> { return Value(is_floating(self_of(a).dtype())); });
  cls.def("is_complex(self)",
          [](Interpreter&, Args a) -> PyResult<Value> { return Value(is_complex(self_of(a).dtype())); });
  cls.def("is_shared(self)",
          [](Interpreter&, Args a) -> PyResult<Value> { return Value(self_of(a).storage()->is_shared()); });
  cls.def("share_memory_(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    self_of(a).storage()->mark_shared();
    return a[0];
  });
}

void add_conversions(Class& cls) {
  cls.def("detach(self)", [](Interpreter&, Args a) -> PyResult<Value> { return Value(detach(self_of(a))); });
  cls.def("clone(self)", [](Interpreter&, Args a) -> PyResult<Value> { return Value(clone(self_of(a))); });
  cls.def("to(self, *args, **kwargs)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return convert(in, self_of(a), a[1].as<object::Tuple>()->items(), *a[2].as<object::Dict>());
  });
  cls.def("type(self, dtype=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].is_none()) return in.text(self_of(a).type_string());
    NNS_TRY_ASSIGN(const DType dtype, dtype_of(in, a[1]));
    NNS_TRY_ASSIGN(Ref<Tensor> made, to(self_of(a), dtype, self_of(a).device()));
    return Value(made);
  });
  struct Row {
    const char* signature;
    DType dtype;
  };
  for (const Row& row :
       {Row{"float(self)", DType::Float32}, Row{"double(self)", DType::Float64}, Row{"half(self)", DType::Float16},
        Row{"bfloat16(self)", DType::BFloat16}, Row{"int(self)", DType::Int32}, Row{"long(self)", DType::Int64},
        Row{"bool(self)", DType::Bool}}) {
    cls.def(row.signature, [dtype = row.dtype](Interpreter&, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(Ref<Tensor> made, to(self_of(a), dtype, self_of(a).device()));
      return Value(made);
    });
  }
  cls.def("cpu(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<Tensor> made, to(self_of(a), self_of(a).dtype(), Device::Cpu));
    return Value(made);
  });
  cls.def("requires_grad_(self, requires_grad=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool wanted, object::truth(in, a[1]));
    NNS_TRY(self_of(a).set_requires_grad(wanted));
    return a[0];
  });
}

// Where a tensor says that it lies that has no memory of its own: torch/_dispatch.py, make_wrapper. Null: it lies
// there.
const Value* told_device(const Tensor& tensor) {
  if (!tensor.is_meta() || tensor.sparse() != nullptr) return nullptr;
  object::Dict* const attributes = tensor.storage()->instance_dict(false);
  return attributes == nullptr ? nullptr : attributes->find("_wrapper_device");
}

PyResult<Device> told_or_own_device(Interpreter& in, Tensor& tensor) {
  if (const Value* const told = told_device(tensor)) return device_of(in, *told);
  return holder_of(tensor).device();
}

// tensor.detach() of a tensor whose class may say what that is. Errors: RuntimeError  it gives one of another class.
PyResult<Ref<Tensor>> detached_for_parameter(Interpreter& in, const Ref<Tensor>& data) {
  NNS_TRY_ASSIGN(const Value made, in.call_method(Value(data), in.intern("detach"), {}));
  auto* const tensor = made.as<Tensor>();
  if (tensor != nullptr && &tensor->type() == &data->type()) return Ref<Tensor>(tensor);
  return object::runtime_error(in,
                               "Creating a Parameter from an instance of type {} requires that detach() returns an "
                               "instance of the same type, but "
                               "return type {} was found instead. To use the type as a Parameter, please correct the "
                               "detach() semantics defined by "
                               "its __torch_dispatch__() implementation.",
                               data->type().name(), in.type_of(made).name());
}

void add_properties(Class& cls) {
  cls.property("shape", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return size_value(in, self.as<Tensor>()->shape());
  });
  cls.property("ndim",
               [](Interpreter&, const Value& self) -> PyResult<Value> { return Value(self.as<Tensor>()->ndim()); });
  cls.property("dtype", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return TensorLibrary::of(in).dtype_value(self.as<Tensor>()->dtype());
  });
  cls.property("device", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    if (const Value* const told = told_device(*self.as<Tensor>())) return *told;
    return TensorLibrary::of(in).device_value(holder_of(*self.as<Tensor>()).device());
  });
  cls.property("is_meta", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Device told, told_or_own_device(in, *self.as<Tensor>()));
    return Value(told == Device::Meta);
  });
  cls.property("is_cuda", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Device told, told_or_own_device(in, *self.as<Tensor>()));
    return Value(told == Device::Cuda);
  });
  cls.property("is_sparse", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(self.as<Tensor>()->sparse() != nullptr);
  });
  for (const std::string_view name : {"is_sparse_csr", "is_quantized", "is_mkldnn", "is_nested"}) {
    cls.property(name, [](Interpreter&, const Value&) -> PyResult<Value> { return Value(false); });
  }
  cls.property("layout", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return TensorLibrary::of(in).layout_value(self.as<Tensor>()->sparse() == nullptr ? Layout::Strided
                                                                                     : Layout::SparseCoo);
  });
  cls.property("is_leaf", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(holder_of(*self.as<Tensor>()).is_leaf());
  });
  cls.property("grad_fn", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(holder_of(*self.as<Tensor>()).grad_fn());
  });
  cls.property(
      "requires_grad",
      [](Interpreter&, const Value& self) -> PyResult<Value> {
        return Value(holder_of(*self.as<Tensor>()).requires_grad());
      },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        NNS_TRY_ASSIGN(const bool wanted, object::truth(in, value));
        return holder_of(*self.as<Tensor>()).set_requires_grad(wanted);
      });
  cls.property(
      "grad",
      [](Interpreter& in, const Value& self) -> PyResult<Value> {
        const Tensor& tensor = *self.as<Tensor>();
        if (const SparseParts* const parts = tensor.sparse(); parts != nullptr && parts->values->grad()) {
          return Value(make_sparse(in, tensor.shape(), {parts->indices, parts->values->grad(), parts->is_coalesced}));
        }
        return Value(tensor.grad());
      },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        if (!value.is_none() && !value.is_absent() && value.as<Tensor>() == nullptr) {
          return object::type_error(in, "assigned grad expected to be a Tensor or None but got grad of type '{}'",
                                    in.type_of(value).name());
        }
        Capture::assign_grad(*self.as<Tensor>(), Ref<Tensor>(value.as<Tensor>()));
        return {};
      });
  cls.property(
      "data", [](Interpreter&, const Value& self) -> PyResult<Value> { return Value(detach(*self.as<Tensor>())); },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        const Tensor* other = value.as<Tensor>();
        if (value.is_absent())
          return object::runtime_error(in, "Deleting tensor data is not allowed. Delete tensor instead!");
        if (other == nullptr) {
          return object::type_error(in, "Variable data has to be a tensor, but got {}", in.type_of(value).name());
        }
        if (other->device() != self.as<Tensor>()->device()) {
          return object::runtime_error(in,
                                       "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` "
                                       "have incompatible tensor type.");
        }
        if (self.as<Tensor>()->requires_grad() && !is_differentiable(other->dtype())) {
          return object::runtime_error(
              in, "data set to a tensor that requires gradients must be floating point or complex dtype");
        }
        // The count of writes is that of the tensor, not of the bytes. Behaviour: c10/core/TensorImpl.h, set_data.
        Tensor& written = *self.as<Tensor>();
        const std::uint64_t version = written.version();
        written.set_data(*other);
        if (written.version() != version)
          written.autograd_meta().own_version = std::make_shared<std::uint64_t>(version);
        return {};
      });
  cls.property(
      "persistent",
      [](Interpreter& in, const Value& self) -> PyResult<Value> {
        const Tensor& tensor = *self.as<Tensor>();
        if (tensor.is_buffer()) return Value(tensor.is_persistent_buffer());
        return object::attribute_error(in, "'{}' object has no attribute 'persistent'", tensor.type().name());
      },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        NNS_TRY_ASSIGN(const bool wanted, object::truth(in, value));
        self.as<Tensor>()->mark_buffer(wanted);
        return {};
      });
}

// torch.nn.Parameter and torch.nn.Buffer. Behaviour: torch/nn/parameter.py.
PyResult<Ref<Tensor>> data_of(Interpreter& in, const Value& data) {
  if (data.is_none()) return empty(in, Dims({0}), TensorLibrary::of(in).default_dtype);
  if (Tensor* tensor = data.as<Tensor>()) return Ref<Tensor>(tensor);
  return object::attribute_error(in, "'{}' object has no attribute 'detach'", in.type_of(data).name());
}

// Whether a parameter of the tensor is of the class that a program derived from Tensor.
bool keeps_class(Interpreter& in, const Tensor& data) {
  const TensorLibrary& library = TensorLibrary::of(in);
  return &data.type() != library.tensor && !data.type().is_subclass_of(*library.parameter) && !data.is_buffer() &&
         !data.is_uninitialized() && !is_distributed(data);
}

void add_parameter_classes(Interpreter& interpreter, TensorLibrary& library) {
  library.parameter =
      &interpreter.define_class({.name = "Parameter", .module = "torch.nn.parameter", .bases = {library.tensor}});
  library.parameter->def_static("__new__(cls, data=None, requires_grad=True)",
                                [](Interpreter& in, Args a) -> PyResult<Value> {
                                  NNS_TRY_ASSIGN(const Ref<Tensor> data, data_of(in, a[1]));
                                  NNS_TRY_ASSIGN(const bool wanted, object::truth(in, a[2]));
                                  if (keeps_class(in, *data)) {
                                    NNS_TRY_ASSIGN(const Ref<Tensor> kept, detached_for_parameter(in, data));
                                    NNS_TRY(kept->set_requires_grad(wanted));
                                    kept->instance_dict(true)->set(in.intern("_is_param"), Value(true));
                                    return Value(kept);
                                  }
                                  NNS_TRY_ASSIGN(Ref<Tensor> made, make_parameter(in, *data, wanted));
                                  if (a[0].as<Class>() != &made->type()) made->set_type(*a[0].as<Class>());
                                  return Value(made);
                                });
  library.parameter->set_instance_check([](const Value& value) {
    const Tensor* tensor = value.as<Tensor>();
    return tensor != nullptr && tensor->is_parameter();
  });
  library.buffer =
      &interpreter.define_class({.name = "Buffer", .module = "torch.nn.parameter", .bases = {library.tensor}});
  library.buffer->def_static("__new__(cls, data=None, *, persistent=True)",
                             [](Interpreter& in, Args a) -> PyResult<Value> {
                               NNS_TRY_ASSIGN(const Ref<Tensor> data, data_of(in, a[1]));
                               NNS_TRY_ASSIGN(const bool persistent, object::truth(in, a[2]));
                               auto made = detach(*data);
                               NNS_TRY(made->set_requires_grad(data->requires_grad()));
                               made->mark_buffer(persistent);
                               return Value(made);
                             });
  library.buffer->set_instance_check([](const Value& value) {
    const Tensor* tensor = value.as<Tensor>();
    return tensor != nullptr && tensor->is_buffer();
  });
}

}  // namespace

void add_tensor_classes(Interpreter& interpreter, TensorLibrary& library) {
  Class& storage_base =
      interpreter.define_class({.name = "StorageBase", .module = "torch._C", .make_instance = &Storage::make_empty});
  library.storage =
      &interpreter.define_class({.name = "UntypedStorage", .module = "torch.storage", .bases = {&storage_base}});
  Class& tensor_base = interpreter.define_class({.name = "TensorBase", .module = "torch._C"});
  library.tensor = &interpreter.define_class({.name = "Tensor", .module = "torch", .bases = {&tensor_base}});
  // Behaviour: torch/csrc/autograd/python_variable.cpp, THPVariableMetaType_init.
  tensor_base.def_static("__new__(cls, *args, **kwargs)", [](Interpreter& in, Args) -> PyResult<Value> {
    return object::runtime_error(in, "Cannot directly construct TensorBase; subclass it and then construct that");
  });
  tensor_base.def_class("__init_subclass__(cls, **kwargs)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[0].as<object::Class>()->is_subclass_of(*TensorLibrary::of(in).tensor)) return Value();
    return object::runtime_error(in, "Cannot subclass _C.TensorBase directly");
  });
  library.tensor->def_static("__new__(cls, *args)", [](Interpreter& in, Args) -> PyResult<Value> {
    return Value(empty(in, Dims({0}), TensorLibrary::of(in).default_dtype));
  });
  library.tensor->def("__init__(self, *args, **kwargs)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  add_values(*library.tensor);
  add_shapes(*library.tensor);
  add_conversions(*library.tensor);
  add_copies(*library.tensor);
  add_properties(*library.tensor);
  add_parameter_classes(interpreter, library);

  add_size_class(interpreter, library);

  library.dtype = &interpreter.define_class({.name = "dtype", .module = "torch"});
  add_dtype_answers(library);
  library.dtype->def_static("__new__(cls, *args, **kwargs)", [](Interpreter& in, Args) -> PyResult<Value> {
    return object::type_error(in, "cannot create 'torch.dtype' instances");
  });
  for (const DTypeInfo& row : kDTypes) {
    library.dtypes_[static_cast<std::size_t>(row.dtype)] =
        object::make<Named>(*library.dtype, static_cast<std::uint8_t>(row.dtype));
  }
  add_device_class(interpreter, library);
  library.layout = &interpreter.define_class({.name = "layout", .module = "torch"});
  library.layout->def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return in.text(layout_text(static_cast<Layout>(a[0].as<Named>()->which())));
  });
  for (std::size_t i = 0; i < kLayouts; ++i) {
    library.layouts_[i] = object::make<Named>(*library.layout, static_cast<std::uint8_t>(i));
  }
}

PyResult<Layout> layout_of(Interpreter& interpreter, const Value& value) {
  if (&interpreter.type_of(value) == TensorLibrary::of(interpreter).layout) {
    return static_cast<Layout>(value.as<Named>()->which());
  }
  return object::type_error(interpreter, "layout must be torch.layout, not {}", interpreter.type_of(value).name());
}

PyResult<DType> dtype_of(Interpreter& interpreter, const Value& value) {
  if (&interpreter.type_of(value) == TensorLibrary::of(interpreter).dtype) {
    return static_cast<DType>(value.as<Named>()->which());
  }
  const Class* const legacy = value.as<Class>();
  const bool is_legacy = legacy != nullptr && legacy->module() == "torch" && legacy->name().ends_with("Tensor");
  if (const object::Str* text = value.as<object::Str>(); text != nullptr || is_legacy) {
    std::string_view name = is_legacy ? legacy->name() : text->view();
    if (name.starts_with("torch.")) name.remove_prefix(6);
    if (name.ends_with("Tensor")) {
      name.remove_suffix(6);
      for (const DTypeInfo& row : kDTypes) {
        if (row.scalar_name == name) return row.dtype;
      }
    }
    return object::value_error(interpreter, "invalid type: '{}'",
                               is_legacy ? legacy->full_name() : std::string(text->view()));
  }
  return object::type_error(interpreter, "dtype must be a type, str, or dtype object");
}

Value size_value(Interpreter& interpreter, const Dims& dims) {
  std::vector<Value> sizes(dims.begin(), dims.end());
  return object::make<object::Tuple>(*TensorLibrary::of(interpreter).size, std::move(sizes));
}

}  // namespace nns::tensor
