#include <fmt/format.h>

#include <algorithm>

#include "core/ops/errors.h"
#include "core/ops/layouts.h"
#include "core/ops/node.h"
#include "core/ops/node_names.h"
#include "core/ops/promotion.h"
#include "core/ops/python_function.h"
#include "core/ops/subscript.h"
#include "core/ops/term.h"
#include "core/tensor/gpu_choice.h"

// Functions of torch that ask about dtypes, shapes and tensors.
// Behaviour: aten/src/ATen/native/TypeProperties.cpp, Resize.cpp; torch/functional.py; torch/__init__.py.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;

Value dtype_value(Interpreter& in, DType dtype) { return tensor::TensorLibrary::of(in).dtype_value(dtype); }

PyResult<Value> result_type(Interpreter& in, Args a) {
  TypePromotion promotion(in);
  NNS_TRY(promotion.add(a[0]));
  NNS_TRY(promotion.add(a[1]));
  NNS_TRY_ASSIGN(const DType dtype, promotion.dtype());
  return dtype_value(in, dtype);
}

PyResult<Value> is_nonzero(Interpreter& in, Args a) {
  const Tensor& self = *a[0].as<Tensor>();
  if (self.numel() == 0) return object::runtime_error(in, "Boolean value of Tensor with no values is ambiguous");
  if (self.numel() > 1) {
    return object::runtime_error(in, "Boolean value of Tensor with more than one value is ambiguous");
  }
  const GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const Value is_true, call_op(in, OpId::ne, {a[0], Value(0)}));
  if (self.is_meta()) return no_item_of_meta(in);
  return tensor::read_value(*is_true.as<Tensor>(), is_true.as<Tensor>()->offset());
}

// torch.broadcast_shapes(*shapes): each a tuple of ints or one int.
PyResult<Value> shape_of_all(Interpreter& in, Args a) {
  Dims shape;
  for (const Value& given : a[0].as<object::Tuple>()->items()) {
    Value one = given;
    if (const auto* const list = given.as<object::List>()) one = Value(in.tuple(list->items()));
    const auto* const sizes = one.as<object::Tuple>();
    const bool are_ints = sizes == nullptr
                              ? one.is_int()
                              : std::all_of(sizes->items().begin(), sizes->items().end(),
                                            [](const Value& size) { return size.is_int() || size.is_bool(); });
    if (!are_ints) {
      return object::runtime_error(in,
                                   "Input shapes should be of type ints, a tuple of ints, or a list of ints, got {}",
                                   in.type_of(given).name());
    }
    const Dims wanted = dims_of(one);
    for (std::size_t i = wanted.size(); i-- > 0;) {
      if (wanted[i] >= 0) continue;
      return object::runtime_error(in, "Trying to create tensor with negative dimension ({0}): ({0})", wanted[i]);
    }
    const PyResult<Dims> joined = broadcast_shapes(in, shape, wanted);
    if (!joined.ok()) {
      return object::runtime_error(in, "Shape mismatch: objects cannot be broadcast to a single shape");
    }
    shape = joined.value();
  }
  return tensor::size_value(in, shape);
}

// The storage seen in another shape, made larger where it is too small.
PyResult<Value> resize_in_order(Interpreter& in, const Value& self_value, const Dims& shape) {
  Tensor& self = *self_value.as<Tensor>();
  if (self.requires_grad() && !self.is_inference())
    return object::runtime_error(in, "cannot resize variables that require grad");
  NNS_TRY(tensor::check_not_negative(in, shape));
  if (self.shape() == shape) return self_value;
  const auto size = static_cast<std::int64_t>(tensor::item_bytes(self.dtype()));
  const Dims strides = tensor::contiguous_strides(shape);
  NNS_TRY_ASSIGN(const std::uint64_t own, tensor::storage_bytes(in, shape, self.dtype()));
  const std::uint64_t bytes = own + static_cast<std::uint64_t>(self.offset() * size);
  tensor::Storage& storage = *self.storage();
  const auto before = static_cast<std::int64_t>(storage.bytes());
  if (tensor::element_count(shape) > 0 && bytes > storage.bytes()) {
    NNS_TRY(storage.resize(bytes));
    // What is new is not defined in PyTorch, and zero here.
    const std::int64_t added = static_cast<std::int64_t>(bytes) - before;
    if (!self.is_meta()) {
      tensor::fill_items(
          *tensor::make_tensor(in, {self.storage(), Dims({added}), Dims({1}), before, tensor::DType::UInt8}), 0);
    }
  }
  self.set_data(*tensor::as_strided(self, shape, strides, self.offset()));
  return self_value;
}

// x.resize_(sizes, memory_format=...); `like`: whose order is meant by preserve_format.
// Behaviour: aten/src/ATen/native/Resize.cpp, resize_ and resize_as_.
PyResult<Value> resize(Interpreter& in, const Value& self_value, const Dims& shape, const Value& given,
                       const Tensor* like) {
  // Counted as a write only where the size changes.
  const std::uint64_t version = self_value.as<Tensor>()->version();
  const bool is_other = !(self_value.as<Tensor>()->shape() == shape);
  NNS_TRY(resize_in_order(in, self_value, shape));
  self_value.as<Tensor>()->set_version(version + (is_other ? 1 : 0));
  if (given.is_none()) return self_value;
  MemoryFormat wanted = format_of(given);
  if (wanted == MemoryFormat::Preserve) {
    if (like == nullptr) return object::runtime_error(in, "Unsupported memory format Preserve");
    wanted = suggested_format(*like);
  }
  NNS_TRY(check_rank(in, wanted, shape.size()));
  Tensor& self = *self_value.as<Tensor>();
  self.set_data(*tensor::as_strided(self, shape, strides_of(wanted, shape), self.offset()));
  return self_value;
}

// x.view(dtype): the same bytes as items of another type. Behaviour: aten/src/ATen/native/TensorConversions.cpp,
// view_dtype.
PyResult<Value> view_as_dtype(Interpreter& in, Args a) {
  const Tensor& self = *a[0].as<Tensor>();
  NNS_TRY_ASSIGN(const DType dtype, tensor::dtype_of(in, a[1]));
  const auto from = static_cast<std::int64_t>(tensor::item_bytes(self.dtype()));
  const auto to = static_cast<std::int64_t>(tensor::item_bytes(dtype));
  const std::string kinds = fmt::format("to view {} as {} (different element sizes)",
                                        tensor::info(self.dtype()).scalar_name, tensor::info(dtype).scalar_name);
  Dims shape = self.shape(), strides = self.strides();
  std::int64_t offset = self.offset();
  if (from != to) {
    if (self.ndim() == 0) return object::runtime_error(in, "self.dim() cannot be 0 {}", kinds);
    const std::size_t last = self.ndim() - 1;
    if (strides[last] != 1) {
      return object::runtime_error(in, "self.stride(-1) must be 1 {}, but got {}", kinds, strides[last]);
    }
    const std::int64_t ratio = from > to ? from / to : to / from;
    if (from > to) {
      for (std::size_t i = 0; i < last; ++i) strides[i] *= ratio;
      shape[last] *= ratio;
      offset *= ratio;
    } else {
      if (shape[last] % ratio != 0) {
        return object::runtime_error(in, "self.size(-1) must be divisible by {} {}, but got {}", ratio, kinds,
                                     shape[last]);
      }
      if (offset % ratio != 0) {
        return object::runtime_error(in, "self.storage_offset() must be divisible by {} {}, but got {}", ratio, kinds,
                                     offset);
      }
      for (std::size_t i = 0; i < last; ++i) {
        if (strides[i] % ratio != 0) {
          return object::runtime_error(in, "self.stride({}) must be divisible by {} {}, but got {}", i, ratio, kinds,
                                       strides[i]);
        }
        strides[i] /= ratio;
      }
      shape[last] /= ratio;
      offset /= ratio;
    }
  }
  return Value(tensor::make_tensor(in, {self.storage(), shape, strides, offset, dtype}));
}

// x.unsqueeze_(0) and its like: a tensor becomes a view of itself.
// Behaviour: aten/src/ATen/native/TensorShape.cpp, squeeze_, unsqueeze_, transpose_, t_, as_strided_.
PyResult<Value> become_view(Interpreter& in, OpId id, Args args) {
  const Value& keep = args[0];
  Tensor& self = *keep.as<Tensor>();
  if (OpLibrary::of(in).grad_mode.is_enabled || self.is_inference()) NNS_TRY(check_writable(self));
  NNS_TRY_ASSIGN(const Value made, with_node_name(call_op(in, id, args), name_of_view_in_place(id, args)));
  const Ref<Tensor> view(made.as<Tensor>());
  self.set_data(*view);
  // Without gradients the history stays as it is; of a view it is made anew.
  if (OpLibrary::of(in).grad_mode.is_enabled) self.set_grad_fn(view->grad_fn(), view->output_number());
  self.bump_version();
  return keep;
}
template <OpId id>
PyResult<Value> view_in_place(Interpreter& in, Args a) {
  return become_view(in, id, a);
}

void add_views_in_place(Interpreter& interpreter) {
  add_method(interpreter, "unsqueeze_(Tensor input, int dim)", view_in_place<OpId::unsqueeze>);
  add_method(interpreter, "squeeze_(Tensor input, int[1]? dim=None)", view_in_place<OpId::squeeze>);
  for (const std::string_view name : {"transpose_", "swapaxes_", "swapdims_"}) {
    add_method(interpreter, fmt::format("{}(Tensor input, int dim0, int dim1)", name), view_in_place<OpId::transpose>);
  }
  add_method(interpreter, "t_(Tensor input)", view_in_place<OpId::t>);
  add_method(interpreter, "as_strided_(Tensor input, int[] size, int[] stride, int? storage_offset=None)",
             view_in_place<OpId::as_strided>);
}

// The conjugated transposed matrices. `name`: what asks, for errors.
PyResult<Value> adjoint(Interpreter& in, const Value& self, std::string_view name) {
  if (self.as<Tensor>()->ndim() < 2) {
    return object::runtime_error(in, "tensor.{} is only supported on matrices or batches of matrices. Got {}-D tensor.",
                                 name, self.as<Tensor>()->ndim());
  }
  NNS_TRY_ASSIGN(const Value turned, call_op(in, OpId::transpose, {self, Value(-2), Value(-1)}));
  return tensor::is_complex(self.as<Tensor>()->dtype()) ? call_op(in, OpId::conj, {turned}) : PyResult<Value>(turned);
}

// x.real (0) and x.imag (1) of complex numbers: views, through which they can be written.
PyResult<Value> component(Interpreter& in, const Value& self, std::int64_t which) {
  if (!tensor::is_complex(self.as<Tensor>()->dtype())) {
    if (which == 0) return self;
    return object::runtime_error(in, "imag is not implemented for tensors with non-complex dtypes.");
  }
  NNS_TRY_ASSIGN(const Value pairs, call_op(in, OpId::view_as_real, {self}));
  return call_op(in, OpId::select, {pairs, Value(std::int64_t{-1}), Value(which)});
}

// x.real = 0, x.imag = y: written through the view.
PyResult<void> set_component(Interpreter& in, const Value& self, const Value& value, std::int64_t which) {
  NNS_TRY_ASSIGN(const Value part, component(in, self, which));
  const Value everything(in.ellipsis());
  return set_item(in, *part.as<Tensor>(), everything, value);
}

// What a tensor says of itself that is the same for all, or a number.
// Behaviour: torch/csrc/autograd/python_variable.cpp, python_variable_methods.cpp.
void add_facts(Interpreter& interpreter) {
  object::Class& cls = *tensor::TensorLibrary::of(interpreter).tensor;
  // Behaviour: torch/csrc/autograd/python_variable.cpp, THPVariable_get_real, get_imag.
  cls.property(
      "real", [](Interpreter& in, const Value& self) { return component(in, self, 0); },
      [](Interpreter& in, const Value& self, const Value& value) { return set_component(in, self, value, 0); });
  cls.property(
      "imag", [](Interpreter& in, const Value& self) { return component(in, self, 1); },
      [](Interpreter& in, const Value& self, const Value& value) { return set_component(in, self, value, 1); });
  cls.def("__reversed__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[0].as<Tensor>()->ndim() == 0) return a[0];
    return call_op(in, OpId::flip, {a[0], dims_value(in, Dims({0}))});
  });
  cls.property("nbytes", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(self.as<Tensor>()->nbytes()));
  });
  cls.property("itemsize", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(tensor::item_bytes(self.as<Tensor>()->dtype())));
  });
  cls.property("is_cpu", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(tensor::is_cpu(self.as<Tensor>()->device()));
  });
  for (const std::string_view name : {"is_mps", "is_xpu", "is_xla", "is_ipu", "is_hpu", "is_mtia", "is_vulkan"}) {
    cls.property(name, [](Interpreter&, const Value&) -> PyResult<Value> { return Value(false); });
  }
  // Complex numbers are conjugated and negated at once, and no memory is pinned.
  for (const std::string_view name : {"is_conj", "is_neg", "is_distributed"}) {
    add_method(interpreter, fmt::format("{}(Tensor input)", name),
               [](Interpreter&, Args) -> PyResult<Value> { return Value(false); });
  }
  add_method(interpreter, "is_pinned(Tensor input, device? device=None)",
             [](Interpreter&, Args) -> PyResult<Value> { return Value(false); });
  cls.property("mH", [](Interpreter& in, const Value& self) { return adjoint(in, self, "mH"); });
  cls.property("H", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    const std::size_t ndim = self.as<Tensor>()->ndim();
    if (ndim == 2) return adjoint(in, self, "H");
    return object::runtime_error(in, "tensor.H is only supported on matrices (2-D tensors). Got {}-D tensor.{}", ndim,
                                 ndim > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  });
  add_method(interpreter, "adjoint(Tensor input)",
             [](Interpreter& in, Args a) { return adjoint(in, a[0], "adjoint()"); });
  for (const std::string_view name : {"abs_", "absolute_"}) {
    add_method(interpreter, fmt::format("{}(Tensor input)", name), [](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(Ref<Tensor> made, call_in_place(in, OpId::abs, {&a[0], 1}));
      return Value(std::move(made));
    });
  }
  add_method(interpreter, "ndimension(Tensor input)", [](Interpreter&, Args a) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(a[0].as<Tensor>()->ndim()));
  });
  add_method(interpreter, "get_device(Tensor input)", [](Interpreter&, Args a) -> PyResult<Value> {
    return Value(std::int64_t{tensor::shown_index(a[0].as<Tensor>()->device())});
  });
  add_method(interpreter, "is_same_size(Tensor input, Tensor other)", [](Interpreter&, Args a) -> PyResult<Value> {
    return Value(a[0].as<Tensor>()->shape() == a[1].as<Tensor>()->shape());
  });
  add_method(interpreter, "is_set_to(Tensor input, Tensor tensor)", [](Interpreter&, Args a) -> PyResult<Value> {
    const Tensor &self = *a[0].as<Tensor>(), &other = *a[1].as<Tensor>();
    return Value(self.storage() == other.storage() && self.offset() == other.offset() &&
                 self.shape() == other.shape() && self.strides() == other.strides());
  });
  add_method(interpreter, "pin_memory(Tensor input, device? device=None)",
             [](Interpreter& in, Args a) -> PyResult<Value> {
               if (tensor::gpu_count(in) > 0) return a[0];
               return object::runtime_error(in, "Cannot access accelerator device when none is available.");
             });
}

}  // namespace

void add_tensor_queries(Interpreter& interpreter) {
  add_views_in_place(interpreter);
  add_facts(interpreter);
  add_function(interpreter, "torch", "promote_types(dtype type1, dtype type2)",
               [](Interpreter& in, Args a) -> PyResult<Value> {
                 NNS_TRY_ASSIGN(const DType first, tensor::dtype_of(in, a[0]));
                 NNS_TRY_ASSIGN(const DType second, tensor::dtype_of(in, a[1]));
                 NNS_TRY_ASSIGN(const DType both, promote_types(in, first, second));
                 return dtype_value(in, both);
               });
  add_function(interpreter, "torch", "can_cast(dtype from_, dtype to)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const DType from, tensor::dtype_of(in, a[0]));
    NNS_TRY_ASSIGN(const DType to, tensor::dtype_of(in, a[1]));
    return Value(can_cast(from, to));
  });
  for (const std::string_view operands : {"Tensor tensor, Tensor other", "Tensor tensor, Number other",
                                          "Number scalar, Tensor tensor", "Number scalar1, Number scalar2"}) {
    add_function(interpreter, "torch", fmt::format("result_type({})", operands), result_type);
  }
  add_function(interpreter, "torch", "get_default_dtype()", [](Interpreter& in, Args) -> PyResult<Value> {
    return dtype_value(in, tensor::TensorLibrary::of(in).default_dtype);
  });
  add_function(interpreter, "torch", "is_nonzero(Tensor input)", is_nonzero);
  add_method(interpreter, "is_nonzero(Tensor input)", is_nonzero);
  add_method(interpreter, "view(Tensor input, dtype dtype)", view_as_dtype);
  const auto add_plain = [&interpreter](std::string_view name, std::string_view signature, object::NativeBody body) {
    python_module(interpreter, "torch")
        .set(interpreter.intern(name), Value(interpreter.function(signature, std::move(body))));
  };
  add_plain("is_tensor", "is_tensor(obj)",
            [](Interpreter&, Args a) -> PyResult<Value> { return Value(a[0].as<Tensor>() != nullptr); });
  add_plain("broadcast_shapes", "broadcast_shapes(*shapes)", shape_of_all);
  add_method(interpreter, "resize_(Tensor input, int[] size, *, memory_format? memory_format=None)",
             [](Interpreter& in, Args a) { return resize(in, a[0], dims_of(a[1]), a[2], nullptr); });
  add_method(
      interpreter, "resize_as_(Tensor input, Tensor the_template, *, memory_format? memory_format=None)",
      [](Interpreter& in, Args a) { return resize(in, a[0], a[1].as<Tensor>()->shape(), a[2], a[1].as<Tensor>()); });
  add_method(interpreter, "is_signed(Tensor input)", [](Interpreter&, Args a) -> PyResult<Value> {
    const DType dtype = a[0].as<Tensor>()->dtype();
    const tensor::DTypeKind kind = tensor::info(dtype).kind;
    return Value(kind != tensor::DTypeKind::Unsigned && kind != tensor::DTypeKind::Boolean);
  });
}

}  // namespace nns::ops
