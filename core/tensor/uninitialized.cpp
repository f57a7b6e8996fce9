#include "core/tensor/uninitialized.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/object/operations.h"

namespace nns::tensor {
namespace {

using Args = std::span<const Value>;
using object::Class;

// What may be done with a tensor that has no shape. Properties may be read, except the shape.
constexpr std::string_view kAllowed[] = {"__hash__",   "size",     "copy_",   "is_complex", "is_floating_point",
                                         "half",       "float",    "double",  "char",       "short",
                                         "int",        "long",     "cuda",    "cpu",        "to",
                                         "get_device", "__init__", "__repr__"};

// The methods of Tensor, as they are once somebody makes such a tensor, refuse: torch does it in __torch_function__.
void refuse_methods(Class& mixin) {
  Interpreter& in = mixin.interpreter();
  const object::Name mark = in.intern("numel");
  if (mixin.attributes_for_reading().find(mark) != nullptr) return;
  object::Dict& methods = TensorLibrary::of(in).tensor->attributes_for_reading();
  for (std::size_t at = 0; object::Dict::Entry* entry = methods.next(at);) {
    const object::Str* name = entry->key.as<object::Str>();
    const object::Object* function = entry->value.object();
    if (name == nullptr || function == nullptr || mixin.attributes_for_reading().find(entry->key) != nullptr ||
        function->descriptor_kind() != object::DescriptorKind::Method ||
        std::find(std::begin(kAllowed), std::end(kAllowed), name->view()) != std::end(kAllowed)) {
      continue;
    }
    mixin.def(fmt::format("{}(self, *args, **kwargs)", name->view()),
              [shown = std::string(name->view())](Interpreter&, Args a) -> PyResult<Value> {
                std::string_view plain = shown;
                if (plain.starts_with("__")) plain = plain.substr(2, plain.size() - 4);
                return no_values_yet(*a[0].as<Tensor>(),
                                     fmt::format("<method '{}' of 'torch._C.TensorBase' objects>", plain));
              });
  }
}

// UninitializedTensorMixin.materialize: the same object, with memory for this shape, of the class that it becomes.
PyResult<Value> materialize(Interpreter& in, Args a) {
  Tensor& self = *a[0].as<Tensor>();
  std::vector<Value> items{a[1]};
  if (!a[1].is_int()) {
    NNS_TRY_ASSIGN(items, object::to_vector(in, a[1]));
  }
  std::vector<std::int64_t> shape;
  for (const Value& item : items) {
    NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, item));
    shape.push_back(size);
  }
  NNS_TRY(check_not_negative(in, Dims(shape)));
  Device device = self.device();
  DType dtype = self.dtype();
  if (!a[2].is_none()) {
    NNS_TRY_ASSIGN(device, device_of(in, a[2]));
  }
  if (!a[3].is_none()) {
    NNS_TRY_ASSIGN(dtype, dtype_of(in, a[3]));
  }
  NNS_TRY_ASSIGN(const Ref<Tensor> made, try_empty(in, Dims(shape), dtype, device));
  const Value* becomes = self.type().lookup(in.intern("cls_to_become"));
  self.set_data(*made);
  self.set_uninitialized(false);
  self.set_type(*becomes->as<Class>());
  return Value();
}

// cls(requires_grad, device, dtype), then what a buffer adds.
PyResult<Ref<Tensor>> made_of(Interpreter& in, Args a) {
  DType dtype = TensorLibrary::of(in).default_dtype;
  Device device = Device::Cpu;
  NNS_TRY_ASSIGN(const bool requires_grad, object::truth(in, a[1]));
  if (!a[2].is_none()) {
    NNS_TRY_ASSIGN(device, device_of(in, a[2]));
  }
  if (!a[3].is_none()) {
    NNS_TRY_ASSIGN(dtype, dtype_of(in, a[3]));
  }
  return make_uninitialized(*a[0].as<Class>(), dtype, device, requires_grad);
}

}  // namespace

PyResult<Ref<Tensor>> make_uninitialized(Class& cls, DType dtype, Device device, bool requires_grad) {
  Interpreter& in = cls.interpreter();
  for (Class* base : cls.mro()) {
    if (base->name() == "UninitializedTensorMixin") refuse_methods(*base);
  }
  auto made = object::make<Tensor>(cls, empty(in, Dims({0}), dtype, device)->view());
  NNS_TRY(made->set_requires_grad(requires_grad));
  made->set_uninitialized(true);
  if (!made->is_parameter()) made->mark_buffer(true);
  return made;
}

object::PyError no_shape_yet(Interpreter& interpreter) {
  return object::runtime_error(
      interpreter,
      "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
      "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` to "
      "initialize the parameters before accessing their attributes.");
}

object::PyError no_values_yet(const Tensor& self, std::string_view function) {
  return object::value_error(
      self.interpreter(),
      "Attempted to use an uninitialized parameter in {}. This error happens when you are using a `LazyModule` or "
      "explicitly manipulating `torch.nn.parameter.{}` objects. When using LazyModules Call `forward` with a dummy "
      "batch to initialize the parameters before calling torch functions",
      function, self.type().name());
}

UninitializedClasses add_uninitialized_classes(Interpreter& interpreter) {
  const TensorLibrary& library = TensorLibrary::of(interpreter);
  constexpr std::string_view kModule = "torch.nn.parameter";
  UninitializedClasses made{};
  made.mixin = &interpreter.define_class({.name = "UninitializedTensorMixin", .module = kModule});
  made.mixin->def("materialize(self, shape, device=None, dtype=None)", materialize);
  made.mixin->property("shape", [](Interpreter& in, const Value&) -> PyResult<Value> { return no_shape_yet(in); });
  made.mixin->def("share_memory_(self)", [](Interpreter& in, Args) -> PyResult<Value> {
    return object::runtime_error(in,
                                 "Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
                                 "initialize the parameters before calling `module.share_memory()`.");
  });
  made.mixin->def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return in.text(fmt::format("<{}>", in.type_of(a[0]).name()));
  });
  made.parameter = &interpreter.define_class(
      {.name = "UninitializedParameter", .module = kModule, .bases = {made.mixin, library.parameter}});
  made.parameter->attribute("cls_to_become", Value(static_cast<object::Object*>(library.parameter)));
  made.parameter->def_static("__new__(cls, requires_grad=True, device=None, dtype=None)",
                             [](Interpreter& in, Args a) -> PyResult<Value> {
                               NNS_TRY_ASSIGN(Ref<Tensor> tensor, made_of(in, a));
                               return Value(std::move(tensor));
                             });
  made.parameter->def("__deepcopy__(self, memo)", [](Interpreter&, Args a) -> PyResult<Value> {
    const Tensor& self = *a[0].as<Tensor>();
    NNS_TRY_ASSIGN(Ref<Tensor> copy,
                   make_uninitialized(self.type(), self.dtype(), self.device(), self.requires_grad()));
    return Value(std::move(copy));
  });
  made.buffer = &interpreter.define_class(
      {.name = "UninitializedBuffer", .module = kModule, .bases = {made.mixin, library.tensor}});
  made.buffer->attribute("cls_to_become", Value(static_cast<object::Object*>(library.tensor)));
  made.buffer->def_static("__new__(cls, requires_grad=False, device=None, dtype=None, persistent=True)",
                          [](Interpreter& in, Args a) -> PyResult<Value> {
                            NNS_TRY_ASSIGN(Ref<Tensor> tensor, made_of(in, a));
                            NNS_TRY_ASSIGN(const bool persistent, object::truth(in, a[4]));
                            tensor->mark_buffer(persistent);
                            return Value(std::move(tensor));
                          });
  return made;
}

}  // namespace nns::tensor
