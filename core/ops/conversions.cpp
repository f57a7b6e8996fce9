#include "core/object/operations.h"
#include "core/ops/layouts.h"
#include "core/ops/node_names.h"
#include "core/ops/python_function.h"
#include "core/tensor/device_class.h"
#include "core/tensor/order.h"

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
    NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::to_in_order(tensor, dtype, device));
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

constexpr MemoryFormat kMemoryFormats[] = {MemoryFormat::Preserve, MemoryFormat::Contiguous, MemoryFormat::ChannelsLast,
                                           MemoryFormat::ChannelsLast3d};

void add_memory_formats(Interpreter& in) {
  object::Class& cls = in.define_class({.name = "memory_format", .module = "torch"});
  cls.def("__repr__(self)", [](Interpreter& inner, Args a) -> PyResult<Value> {
    return inner.text(fmt::format("torch.{}", format_name(format_of(a[0]))));
  });
  object::Dict& torch = python_module(in, "torch");
  torch.set(in.intern("memory_format"), Value(static_cast<object::Object*>(&cls)));
  cls.def_static("__new__(cls, *args, **kwargs)", [](Interpreter& inner, Args) -> PyResult<Value> {
    return object::type_error(inner, "cannot create 'torch.memory_format' instances");
  });
  for (const MemoryFormat format : kMemoryFormats) {
    torch.set(in.intern(format_name(format)),
              Value(object::make<tensor::Named>(cls, static_cast<std::uint8_t>(format))));
  }
  torch.set(in.intern("legacy_contiguous_format"), *torch.find(in.intern(format_name(MemoryFormat::Contiguous))));
}

bool lies_in(const Tensor& tensor, MemoryFormat format) {
  return format == MemoryFormat::Contiguous ? tensor.is_contiguous() : is_channels_last_contiguous(tensor);
}

// The tensor with its items in that order, itself where they are.
PyResult<Value> in_format(Interpreter& in, const Value& self, MemoryFormat format) {
  const Tensor& tensor = *self.as<Tensor>();
  NNS_TRY(check_rank(in, format, tensor.ndim()));
  if (lies_in(tensor, format)) return self;
  return call_op(in, OpId::clone, {self, format_value(in, format)});
}

// What a conversion gave, in the order that was asked for.
PyResult<Value> formatted(Interpreter& in, PyResult<Value> made, const Value& format) {
  const MemoryFormat wanted = format_of(format);
  if (!made.ok() || wanted == MemoryFormat::Preserve) return made;
  // Where several formats would do, torch takes a copy.
  if (suggested_format(*(*made).as<Tensor>()) == wanted) return made;
  return call_op(in, OpId::clone, {*made, format_value(in, wanted)});
}

template <DType dtype>
PyResult<Value> as_dtype_of(Interpreter& in, Args a) {
  return formatted(in, converted(in, a[0], dtype, a[0].as<Tensor>()->device(), false), a[1]);
}

// What the arguments of a module's to() mean: (device, dtype, non_blocking, memory_format).
// Behaviour: torch/csrc/utils/python_arg_parser.h, parse_to_conversion.
void add_parse_to(Interpreter& interpreter, std::string_view rest) {
  constexpr std::string_view kModule = "torch._C._nn";
  // non_blocking, copy and memory_format come last.
  const auto parsed = [](Interpreter& in, const Value& device, const Value& dtype, Args rest_of) -> PyResult<Value> {
    if (rest_of[1].as_bool()) return object::runtime_error(in, ".to() does not accept copy argument");
    // It is not asked here whether there is such a device.
    Value place = device;
    object::Class& of_devices = *tensor::TensorLibrary::of(in).device;
    if (!device.is_none() && &in.type_of(device) != &of_devices) {
      NNS_TRY_ASSIGN(place, in.call(Value(static_cast<object::Object*>(&of_devices)), {device}));
    }
    return Value(in.tuple({place, dtype, rest_of[0], rest_of[2]}));
  };
  add_function(interpreter, kModule, fmt::format("to(device? device=None, dtype? dtype=None, {})", rest),
               [parsed](Interpreter& in, Args a) { return parsed(in, a[0], a[1], a.subspan(2)); });
  add_function(interpreter, kModule, fmt::format("to(dtype dtype, {})", rest),
               [parsed](Interpreter& in, Args a) { return parsed(in, Value(), a[0], a.subspan(1)); });
  add_function(interpreter, kModule, fmt::format("to(Tensor tensor, {})", rest), [parsed](Interpreter& in, Args a) {
    const Tensor& like = *a[0].as<Tensor>();
    const tensor::TensorLibrary& library = tensor::TensorLibrary::of(in);
    return parsed(in, library.device_value(like.device()), library.dtype_value(like.dtype()), a.subspan(1));
  });
  object::Dict& module = python_module(interpreter, kModule);
  module.set(interpreter.intern("_parse_to"), *module.find("to"));
  module.erase(Value(interpreter.intern("to").value()));
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
  add_parse_to(interpreter, kRest);
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
               return formatted(in, converted(in, a[0], a[0].as<Tensor>()->dtype(), Device::Cpu, false), a[1]);
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
  add_method(interpreter, "contiguous(Tensor input, *, memory_format? memory_format=None)",
             [](Interpreter& in, Args a) -> PyResult<Value> {
               const MemoryFormat format = format_of(a[1]);
               if (format == MemoryFormat::Preserve && !a[1].is_none()) {
                 return object::runtime_error(in, "preserve memory format is unsupported by the contiguous operator");
               }
               if (format == MemoryFormat::Preserve) return call_op(in, OpId::contiguous, {a[0]});
               return in_format(in, a[0], format);
             });
  add_method(interpreter, "is_contiguous(Tensor input, *, memory_format? memory_format=None)",
             [](Interpreter&, Args a) -> PyResult<Value> {
               const Tensor& self = *a[0].as<Tensor>();
               const MemoryFormat format = format_of(a[1]);
               if (format == MemoryFormat::Preserve || format == MemoryFormat::Contiguous) {
                 return Value(self.is_contiguous());
               }
               return Value(self.ndim() == (format == MemoryFormat::ChannelsLast ? 4U : 5U) &&
                            is_channels_last_contiguous(self));
             });
  add_method(interpreter, "zero_(Tensor input)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<Tensor> made, call_in_place(in, OpId::fill, std::array{a[0], Value(0)}));
    // Of a view the history is that of its base.
    const bool is_own = made->autograd() == nullptr || !made->autograd()->view_base;
    return with_node_name(Value(std::move(made)), is_own ? "ZeroBackward0" : "");
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
