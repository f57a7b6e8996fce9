#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/tensor/device_class.h"

// x.to(...), x.float() and their like, with their gradients.
// Behaviour: torch/csrc/autograd/generated/python_variable_methods.cpp (THPVariable_to, dispatch_to),
// aten/src/ATen/native/TensorConversions.cpp.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;

PyResult<Value> converted(Interpreter& in, const Value& self, DType dtype, Device device, bool is_copy) {
  Tensor& tensor = *self.as<Tensor>();
  if (device != tensor.device() && device != Device::Meta && !tensor.is_meta()) {
    const tensor::TensorLibrary& library = tensor::TensorLibrary::of(in);
    return call_op(in, OpId::to_device, {self, library.dtype_value(dtype), library.device_value(device)});
  }
  if (device != tensor.device()) {
    NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::to(tensor, dtype, device));
    NNS_TRY(made->set_requires_grad(tensor.requires_grad() && tensor::is_differentiable(dtype)));
    return Value(std::move(made));
  }
  if (dtype != tensor.dtype()) {
    return call_op(in, OpId::to_dtype, {self, tensor::TensorLibrary::of(in).dtype_value(dtype)});
  }
  return is_copy ? call_op(in, OpId::clone, {self}) : PyResult<Value>(self);
}

PyResult<Value> to_given(Interpreter& in, const Value& self, const Value& device, const Value& dtype, bool is_copy) {
  const Tensor& tensor = *self.as<Tensor>();
  Device place = tensor.device();
  DType wanted = tensor.dtype();
  if (!device.is_none()) {
    NNS_TRY_ASSIGN(place, tensor::device_of(in, device));
  }
  if (!dtype.is_none()) {
    NNS_TRY_ASSIGN(wanted, tensor::dtype_of(in, dtype));
  }
  return converted(in, self, wanted, place, is_copy);
}

// torch.memory_format. Behaviour: c10/core/MemoryFormat.h.
enum class MemoryFormat : std::uint8_t { Preserve, Contiguous, ChannelsLast, ChannelsLast3d };
constexpr std::string_view kMemoryFormats[] = {"preserve_format", "contiguous_format", "channels_last",
                                               "channels_last_3d"};

MemoryFormat format_of(const Value& value) {
  const auto* const named = value.as<tensor::Named>();
  return named == nullptr ? MemoryFormat::Preserve : static_cast<MemoryFormat>(named->which());
}
bool has_channels_last(MemoryFormat format) { return format >= MemoryFormat::ChannelsLast; }
// How many dimensions its tensors have. Must hold: has_channels_last(format).
std::size_t rank_of(MemoryFormat format) { return format == MemoryFormat::ChannelsLast ? 4 : 5; }

void add_memory_formats(Interpreter& in) {
  object::Class& cls = in.define_class({.name = "memory_format", .module = "torch"});
  cls.def("__repr__(self)", [](Interpreter& inner, Args a) -> PyResult<Value> {
    return inner.text(fmt::format("torch.{}", kMemoryFormats[a[0].as<tensor::Named>()->which()]));
  });
  object::Dict& torch = python_module(in, "torch");
  torch.set(in.intern("memory_format"), Value(static_cast<object::Object*>(&cls)));
  for (std::size_t i = 0; i < std::size(kMemoryFormats); ++i) {
    torch.set(in.intern(kMemoryFormats[i]), Value(object::make<tensor::Named>(cls, static_cast<std::uint8_t>(i))));
  }
}

// The strides of items whose channels lie next to each other: of a shape (batch, channels, ...).
Dims channels_last_strides(const Dims& shape) {
  Dims strides = shape;
  std::int64_t stride = 1;
  strides[1] = stride;
  stride *= std::max<std::int64_t>(shape[1], 1);
  for (std::size_t dim = shape.size(); dim-- > 2;) {
    strides[dim] = stride;
    stride *= std::max<std::int64_t>(shape[dim], 1);
  }
  strides[0] = stride;
  return strides;
}

// Whether the items lie so; dimensions of one item have no say.
bool lies_channels_last(const Tensor& tensor) {
  const Dims wanted = channels_last_strides(tensor.shape());
  for (std::size_t dim = 0; dim < tensor.ndim(); ++dim) {
    if (tensor.shape()[dim] != 1 && tensor.strides()[dim] != wanted[dim]) return false;
  }
  return true;
}

// The tensor with its items in that order, itself where they are; a copy in any case with `is_copy`.
PyResult<Value> in_format(Interpreter& in, const Value& self, MemoryFormat format, bool is_copy) {
  const Tensor& tensor = *self.as<Tensor>();
  const std::size_t ndim = rank_of(format);
  if (tensor.ndim() != ndim) {
    return object::runtime_error(in, "required rank {} tensor to use {} format", ndim,
                                 kMemoryFormats[static_cast<std::size_t>(format)]);
  }
  if (!is_copy && lies_channels_last(tensor)) return self;
  // The channels go to the end and, once the items lie so, back.
  std::vector<Value> there{Value(0)}, back{Value(0), Value(static_cast<std::int64_t>(ndim) - 1)};
  for (std::size_t dim = 2; dim < ndim; ++dim) {
    there.emplace_back(static_cast<std::int64_t>(dim));
    back.emplace_back(static_cast<std::int64_t>(dim) - 1);
  }
  there.emplace_back(1);
  NNS_TRY_ASSIGN(const Value moved, call_op(in, OpId::permute, {self, Value(in.tuple(std::move(there)))}));
  NNS_TRY_ASSIGN(const Value dense, call_op(in, is_copy ? OpId::clone : OpId::contiguous, {moved}));
  return call_op(in, OpId::permute, {dense, Value(in.tuple(std::move(back)))});
}

// What a conversion gave, in the order that was asked for.
PyResult<Value> formatted(Interpreter& in, PyResult<Value> made, const Value& format) {
  const MemoryFormat wanted = format_of(format);
  if (!made.ok() || !has_channels_last(wanted) || (*made).as<Tensor>()->is_meta()) return made;
  return in_format(in, *made, wanted, false);
}

template <DType dtype>
PyResult<Value> as_dtype_of(Interpreter& in, Args a) {
  return converted(in, a[0], dtype, a[0].as<Tensor>()->device(), false);
}

}  // namespace

void add_conversions(Interpreter& interpreter) {
  add_memory_formats(interpreter);
  constexpr std::string_view kRest = "bool non_blocking=False, bool copy=False, *, memory_format? memory_format=None";
  add_method(
      interpreter, fmt::format("to(Tensor input, device? device=None, dtype? dtype=None, {})", kRest),
      [](Interpreter& in, Args a) { return formatted(in, to_given(in, a[0], a[1], a[2], a[4].as_bool()), a[5]); });
  add_method(interpreter, fmt::format("to(Tensor input, dtype dtype, {})", kRest), [](Interpreter& in, Args a) {
    return formatted(in, to_given(in, a[0], Value(), a[1], a[3].as_bool()), a[4]);
  });
  add_method(interpreter, fmt::format("to(Tensor input, Tensor other, {})", kRest),
             [](Interpreter& in, Args a) -> PyResult<Value> {
               const Tensor& other = *a[1].as<Tensor>();
               return formatted(in, converted(in, a[0], other.dtype(), other.device(), a[3].as_bool()), a[4]);
             });
  add_method(interpreter, "type_as(Tensor input, Tensor other)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Tensor& other = *a[1].as<Tensor>();
    return converted(in, a[0], other.dtype(), other.device(), false);
  });
  struct Row {
    std::string_view name;
    PyResult<Value> (*body)(Interpreter&, Args);
  };
  constexpr Row kRows[] = {
      {"float", as_dtype_of<DType::Float32>},    {"double", as_dtype_of<DType::Float64>},
      {"half", as_dtype_of<DType::Float16>},     {"bfloat16", as_dtype_of<DType::BFloat16>},
      {"int", as_dtype_of<DType::Int32>},        {"long", as_dtype_of<DType::Int64>},
      {"short", as_dtype_of<DType::Int16>},      {"char", as_dtype_of<DType::Int8>},
      {"byte", as_dtype_of<DType::UInt8>},       {"bool", as_dtype_of<DType::Bool>},
      {"cfloat", as_dtype_of<DType::Complex64>}, {"cdouble", as_dtype_of<DType::Complex128>},
  };
  for (const Row& row : kRows) {
    add_method(interpreter, fmt::format("{}(Tensor input, *, memory_format? memory_format=None)", row.name), row.body);
  }
  add_method(interpreter, "cpu(Tensor input, *, memory_format? memory_format=None)",
             [](Interpreter& in, Args a) -> PyResult<Value> {
               return converted(in, a[0], a[0].as<Tensor>()->dtype(), Device::Cpu, false);
             });
  add_method(interpreter, "cuda(Tensor input, device? device=None, bool non_blocking=False)",
             [](Interpreter& in, Args a) -> PyResult<Value> {
               NNS_TRY_ASSIGN(const Device device, tensor::device_of(in, a[1].is_none() ? in.text("cuda") : a[1]));
               return converted(in, a[0], a[0].as<Tensor>()->dtype(), device, false);
             });
  add_method(interpreter, "type(Tensor input, any dtype=None, bool non_blocking=False)",
             [](Interpreter& in, Args a) -> PyResult<Value> {
               const Tensor& self = *a[0].as<Tensor>();
               if (a[1].is_none()) return in.text(self.type_string());
               NNS_TRY_ASSIGN(const DType dtype, tensor::dtype_of(in, a[1]));
               return converted(in, a[0], dtype, self.device(), false);
             });
  add_method(interpreter, "clone(Tensor input, *, memory_format? memory_format=None)", [](Interpreter& in, Args a) {
    const MemoryFormat format = format_of(a[1]);
    return has_channels_last(format) ? in_format(in, a[0], format, true) : call_op(in, OpId::clone, {a[0]});
  });
  add_method(
      interpreter, "contiguous(Tensor input, *, memory_format? memory_format=None)", [](Interpreter& in, Args a) {
        const MemoryFormat format = format_of(a[1]);
        return has_channels_last(format) ? in_format(in, a[0], format, false) : call_op(in, OpId::contiguous, {a[0]});
      });
  add_method(interpreter, "is_contiguous(Tensor input, *, memory_format? memory_format=None)",
             [](Interpreter&, Args a) -> PyResult<Value> {
               const Tensor& self = *a[0].as<Tensor>();
               const MemoryFormat format = format_of(a[1]);
               if (!has_channels_last(format)) return Value(self.is_contiguous());
               return Value(self.ndim() == rank_of(format) && lies_channels_last(self));
             });
  add_method(interpreter, "zero_(Tensor input)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<Tensor> made, call_in_place(in, OpId::fill, std::array{a[0], Value(0)}));
    return Value(std::move(made));
  });
  add_method(interpreter, "copy_(Tensor input, Tensor other, bool non_blocking=False)",
             [](Interpreter& in, Args a) -> PyResult<Value> {
               NNS_TRY_ASSIGN(const Value spread,
                              call_op(in, OpId::expand, {a[1], tensor::size_value(in, a[0].as<Tensor>()->shape())}));
               NNS_TRY_ASSIGN(Ref<Tensor> made, call_in_place(in, OpId::copy, std::array{a[0], spread}));
               return Value(std::move(made));
             });
}

}  // namespace nns::ops
