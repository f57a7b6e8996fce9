// torch.nn.modules.lazy.LazyModuleMixin and the layers that find their sizes at the first call.
#include "core/nn/arguments.h"
#include "core/nn/layer_definition.h"
#include "core/ops/python_function.h"
#include "core/ops/term.h"
#include "core/tensor/uninitialized.h"

// Behaviour: torch/nn/modules/lazy.py; the Lazy classes of linear.py, conv.py, batchnorm.py and instancenorm.py.
namespace nns::nn {
namespace {

using object::ErrorKind;

constexpr std::string_view kHasUninitialized = "has_uninitialized_params";

bool is_lazy(const Value& value) {
  const Tensor* const tensor = value.as<Tensor>();
  return tensor != nullptr && tensor->is_uninitialized();
}

// The own parameters, then the own buffers.
PyResult<void> for_each_tensor(Module& self, const std::function<PyResult<void>(const Value&, const Value&)>& use) {
  for (const Registry registry : {Registry::Parameters, Registry::Buffers}) {
    NNS_TRY_ASSIGN(Dict* const entries, self.required_registry(registry));
    for (std::size_t at = 0; Dict::Entry* entry = entries->next(at);) NNS_TRY(use(entry->key, entry->value));
  }
  return {};
}

PyResult<Value> has_uninitialized_params(Interpreter&, Args a) {
  bool found = false;
  NNS_TRY(for_each_tensor(self_of(a), [&found](const Value&, const Value& tensor) -> PyResult<void> {
    found = found || is_lazy(tensor);
    return {};
  }));
  return Value(found);
}

PyResult<bool> asks_uninitialized(const LayerSelf& self) {
  NNS_TRY_ASSIGN(const Value answer, self.call(kHasUninitialized));
  return object::truth(self.interpreter, answer);
}

// _lazy_load_hook: before loading, what has no shape takes that of what is loaded.
PyResult<Value> take_shapes(Interpreter& in, Args a) {
  Dict* const state = a[1].as<Dict>();
  NNS_TRY_ASSIGN(const std::string prefix, text_of(in, a[2]));
  const auto take_shape = [&](const Value& name, const Value& tensor) -> PyResult<void> {
    if (state == nullptr || !is_lazy(tensor)) return {};
    NNS_TRY_ASSIGN(const std::string own, text_of(in, name));
    const Value* const given = state->find(std::string_view(prefix + own));
    if (given == nullptr || is_lazy(*given)) return {};
    NNS_TRY_ASSIGN(const Value shape, object::getattr(in, *given, in.intern("shape")));
    NNS_TRY(in.call_method(tensor, in.intern("materialize"), {shape}));
    return {};
  };
  NNS_TRY(for_each_tensor(self_of(a), take_shape));
  return Value();
}

// _infer_parameters: what the first call runs before forward. After it the module is of its final class.
PyResult<Value> infer_parameters(Interpreter& in, Args a) {
  const LayerSelf module(in, a[1]);
  NNS_TRY_ASSIGN(const std::vector<Value> positional, object::to_vector(in, a[2]));
  std::vector<Keyword> keywords;
  if (Dict* const named = a[3].as<Dict>()) keywords = keywords_of(in, *named);
  NNS_TRY(in.call_method(a[1], in.intern("initialize_parameters"), positional, keywords));
  NNS_TRY_ASSIGN(const bool incomplete, asks_uninitialized(module));
  if (incomplete) {
    NNS_TRY_ASSIGN(const Value name, in.call_method(a[0], NnLibrary::of(in).names.get_name));
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, name));
    return object::runtime_error(in, "module {} has not been fully initialized", shown);
  }
  for (const char* hook : {"_initialize_hook", "_load_hook"}) {
    NNS_TRY_ASSIGN(const Value handle, module.get(hook));
    NNS_TRY(in.call_method(handle, in.intern("remove")));
  }
  for (const char* hook : {"_initialize_hook", "_load_hook"}) NNS_TRY(object::delattr(in, a[1], in.intern(hook)));
  NNS_TRY_ASSIGN(const Value becomes, module.get("cls_to_become"));
  if (!becomes.is_none()) NNS_TRY(module.set("__class__", becomes));
  return Value();
}

void add_mixin(Interpreter& interpreter, NnLibrary& library) {
  Class& cls = interpreter.define_class({.name = "LazyModuleMixin", .module = "torch.nn.modules.lazy"});
  library.lazy_mixin = &cls;
  ops::python_module(interpreter, cls.module()).set(interpreter.intern(cls.name()), class_value(cls));
  cls.attribute("cls_to_become", Value());
  cls.def("__init__(self, *args, **kwargs)", [made = &cls](Interpreter& in, Args a) -> PyResult<Value> {
    const Value super = *a[0].object()->type().lookup_after(in.names().dunder_init, *made);
    std::vector<Value> positional{a[0]};
    const auto& given = a[1].as<object::Tuple>()->items();
    positional.insert(positional.end(), given.begin(), given.end());
    NNS_TRY(in.call(super, positional, keywords_of(in, *a[2].as<Dict>())));
    const LayerSelf self(in, a[0]);
    NNS_TRY_ASSIGN(const Value on_load, self.get("_lazy_load_hook"));
    NNS_TRY_ASSIGN(const Value load_hook, self.call("_register_load_state_dict_pre_hook", {on_load}));
    NNS_TRY(self.set("_load_hook", load_hook));
    NNS_TRY_ASSIGN(const Value on_call, self.get("_infer_parameters"));
    const Keyword with_kwargs{in.intern("with_kwargs"), Value(true)};
    NNS_TRY_ASSIGN(const Value call_hook, in.call_method(a[0], in.intern("register_forward_pre_hook"),
                                                         std::span<const Value>(&on_call, 1), {&with_kwargs, 1}));
    NNS_TRY(self.set("_initialize_hook", call_hook));
    return Value();
  });
  cls.def(
      "_lazy_load_hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)",
      take_shapes);
  cls.def("initialize_parameters(self, *args, **kwargs)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return object::error<ErrorKind::NotImplementedError>(in, "initialize_parameters is not implemented for {}",
                                                         in.type_of(a[0]).name());
  });
  cls.def(fmt::format("{}(self)", kHasUninitialized), has_uninitialized_params);
  cls.def("_infer_parameters(self, module, args, kwargs=None)", infer_parameters);
  cls.def("_replicate_for_data_parallel(self)", [](Interpreter& in, Args) -> PyResult<Value> {
    return object::runtime_error(in,
                                 "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy "
                                 "forward pass to correctly initialize the modules");
  });
}

void add_tensors(Interpreter& interpreter, NnLibrary& library) {
  const tensor::UninitializedClasses made = tensor::add_uninitialized_classes(interpreter);
  Dict& module = ops::python_module(interpreter, "torch.nn.parameter");
  for (Class* cls : {made.mixin, made.parameter, made.buffer}) {
    module.set(interpreter.intern(cls->name()), Value(static_cast<object::Object*>(cls)));
    if (cls != made.mixin) library.add_class(cls->name(), *cls);
  }
  module.set(interpreter.intern("is_lazy"),
             Value(interpreter.function("is_lazy(param)",
                                        [](Interpreter&, Args a) -> PyResult<Value> { return Value(is_lazy(a[0])); })));
}

// self.name = UninitializedParameter or UninitializedBuffer.
PyResult<void> set_uninitialized(const LayerInit& self, std::string_view cls, std::string_view name,
                                 const Factory& factory) {
  Class& of = *NnLibrary::of(self.interpreter).find_class(cls);
  NNS_TRY_ASSIGN(const Ref<Tensor> made,
                 tensor::make_uninitialized(of, factory.dtype, factory.device, cls == "UninitializedParameter"));
  return self.set(name, Value(made));
}
PyResult<void> set_parameter(const LayerInit& self, std::string_view name, const Factory& factory) {
  return set_uninitialized(self, "UninitializedParameter", name, factory);
}

// self.name.materialize(shape). With `asserts` it must have no shape yet; None is left alone.
PyResult<void> materialize(const LayerSelf& self, std::string_view name, const Dims& shape, bool asserts) {
  NNS_TRY_ASSIGN(const Value tensor, self.get(name));
  if (tensor.is_none()) return {};
  if (asserts && !is_lazy(tensor)) return object::make_error(self.interpreter, ErrorKind::AssertionError, "");
  NNS_TRY(self.interpreter.call_method(tensor, self.interpreter.intern("materialize"),
                                       {ops::dims_value(self.interpreter, shape)}));
  return {};
}

PyResult<const Tensor*> tensor_of(Interpreter& in, const Value& input, std::string_view attribute) {
  if (const Tensor* const tensor = input.as<Tensor>()) return tensor;
  return object::attribute_error(in, "'{}' object has no attribute '{}'", in.type_of(input).name(), attribute);
}

// reset_parameters that waits until the size is known.
void define_reset(Class& cls, const char* size) {
  cls.def("reset_parameters(self)", [made = &cls, size](Interpreter& in, Args a) -> PyResult<Value> {
    const LayerSelf self(in, a[0]);
    NNS_TRY_ASSIGN(const bool waits, asks_uninitialized(self));
    if (waits) return Value();
    NNS_TRY_ASSIGN(const std::int64_t count, self.get_int(size));
    if (count == 0) return Value();
    const Value super = *in.type_of(a[0]).lookup_after(NnLibrary::of(in).names.reset_parameters, *made);
    return in.call(super, {a[0]});
  });
}

// Behaviour: LazyLinear.initialize_parameters.
PyResult<Value> initialize_linear(Interpreter& in, Args a) {
  const LayerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(const Tensor* const input, tensor_of(in, a[1], "shape"));
  if (input->ndim() == 0) {
    return object::error<ErrorKind::IndexError>(in, "tuple index out of range");
  }
  const std::int64_t features = input->shape()[input->ndim() - 1];
  NNS_TRY_ASSIGN(const bool waits, asks_uninitialized(self));
  if (waits) {
    NNS_TRY(self.set("in_features", Value(features)));
    NNS_TRY_ASSIGN(const std::int64_t out_features, self.get_int("out_features"));
    NNS_TRY(materialize(self, "weight", {out_features, features}, false));
    NNS_TRY(materialize(self, "bias", {out_features}, false));
    NNS_TRY(self.call("reset_parameters"));
  }
  NNS_TRY_ASSIGN(const std::int64_t known, self.get_int("in_features"));
  if (known != 0) return Value();
  // The tensors came from a state dict.
  NNS_TRY_ASSIGN(const Tensor* const weight, self.get_tensor("weight"));
  const std::int64_t loaded = weight->shape()[weight->ndim() - 1];
  if (loaded != features) {
    return object::error<ErrorKind::AssertionError>(
        in, "The in_features inferred from input: {} is not equal to in_features from self.weight: {}", features,
        loaded);
  }
  NNS_TRY(self.set("in_features", Value(features)));
  return Value();
}

// Behaviour: _LazyConvXdMixin.initialize_parameters and _get_in_channels.
PyResult<Value> initialize_convolution(Interpreter& in, Args a) {
  const LayerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(const bool waits, asks_uninitialized(self));
  if (!waits) return Value();
  NNS_TRY_ASSIGN(const Value kernel_size, self.get("kernel_size"));
  NNS_TRY_ASSIGN(const std::vector<std::int64_t> kernel, int_items(in, kernel_size));
  NNS_TRY_ASSIGN(const Tensor* const input, tensor_of(in, a[1], "dim"));
  const std::size_t least = kernel.size() + 1;
  if (input->ndim() != least && input->ndim() != least + 1) {
    return object::runtime_error(in, "Expected {}D (unbatched) or {}D (batched) input to {}, but got input of size: {}",
                                 least, least + 1, in.type_of(a[0]).name(), tensor::size_text(input->shape()));
  }
  const std::int64_t in_channels = input->shape()[input->ndim() - least];
  NNS_TRY(self.set("in_channels", Value(in_channels)));
  NNS_TRY_ASSIGN(const std::int64_t groups, self.get_int("groups"));
  if (in_channels % groups != 0) return object::value_error(in, "in_channels must be divisible by groups");
  NNS_TRY_ASSIGN(const std::int64_t out_channels, self.get_int("out_channels"));
  NNS_TRY_ASSIGN(const bool transposed, self.is_true("transposed"));
  std::vector<std::int64_t> shape =
      transposed ? std::vector{in_channels, out_channels / groups} : std::vector{out_channels, in_channels / groups};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  NNS_TRY(materialize(self, "weight", Dims(shape), true));
  NNS_TRY(materialize(self, "bias", {out_channels}, true));
  return self.call("reset_parameters");
}

// Behaviour: _LazyNormBase.initialize_parameters.
PyResult<Value> initialize_norm(Interpreter& in, Args a) {
  const LayerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(const bool waits, asks_uninitialized(self));
  if (!waits) return Value();
  NNS_TRY_ASSIGN(const Tensor* const input, tensor_of(in, a[1], "shape"));
  if (input->ndim() < 2) return object::error<ErrorKind::IndexError>(in, "tuple index out of range");
  const std::int64_t features = input->shape()[1];
  NNS_TRY(self.set("num_features", Value(features)));
  NNS_TRY_ASSIGN(const bool affine, self.is_true("affine"));
  NNS_TRY_ASSIGN(const bool tracks, self.is_true("track_running_stats"));
  for (const char* name : {"weight", "bias"}) {
    if (affine) NNS_TRY(materialize(self, name, {features}, true));
  }
  for (const char* name : {"running_mean", "running_var"}) {
    if (tracks) NNS_TRY(materialize(self, name, {features}, false));
  }
  return self.call("reset_parameters");
}

// The class that becomes the layer `id`: its methods come from `first`, then from `rest`.
Class& add_lazy(Interpreter& interpreter, NnLibrary& library, LayerId id, Class& first, Class& rest) {
  Class& becomes = layer_class(interpreter, id);
  const std::string name = fmt::format("Lazy{}", becomes.name());
  Class& made = interpreter.define_class({.name = name, .module = becomes.module(), .bases = {&first, &rest}});
  made.attribute("cls_to_become", class_value(becomes));
  library.add_class(name, made);
  return made;
}

// The layer before its sizes are known is made without a bias, so that no memory is used twice.
PyResult<void> init_convolution(LayerInit& self, std::size_t arguments) {
  NNS_TRY_ASSIGN(const Factory factory, self.factory(self[arguments - 2], self[arguments - 1]));
  std::vector<Value> passed{Value(0), Value(0)};
  constexpr std::size_t kBias = 6;
  for (std::size_t i = 1; i < arguments; ++i) passed.push_back(i == kBias ? Value(false) : self[i]);
  NNS_TRY(self.init_base(passed));
  NNS_TRY(set_parameter(self, "weight", factory));
  NNS_TRY(self.set("out_channels", self[0]));
  NNS_TRY_ASSIGN(const bool has_bias, self.bool_argument(kBias));
  if (has_bias) NNS_TRY(set_parameter(self, "bias", factory));
  return {};
}

PyResult<void> init_norm(LayerInit& self) {
  NNS_TRY_ASSIGN(const Factory factory, self.factory(self[4], self[5]));
  NNS_TRY(self.init_base({Value(0), self[0], self[1], Value(false), Value(false), self[4], self[5]}));
  NNS_TRY(self.set("affine", self[2]));
  NNS_TRY(self.set("track_running_stats", self[3]));
  NNS_TRY_ASSIGN(const bool affine, self.bool_argument(2));
  NNS_TRY_ASSIGN(const bool tracks, self.bool_argument(3));
  NNS_TRY_ASSIGN(const bool has_bias, self.bool_argument(6));
  if (affine) NNS_TRY(set_parameter(self, "weight", factory));
  if (affine && has_bias) NNS_TRY(set_parameter(self, "bias", factory));
  if (!tracks) return {};
  for (const char* name : {"running_mean", "running_var"}) {
    NNS_TRY(set_uninitialized(self, "UninitializedBuffer", name, factory));
  }
  return self.set("num_batches_tracked",
                  Value(tensor::zeros(self.interpreter, {}, tensor::DType::Int64, factory.device)));
}

void add_convolutions(Interpreter& interpreter, NnLibrary& library) {
  Class& mixin = interpreter.define_class(
      {.name = "_LazyConvXdMixin", .module = "torch.nn.modules.conv", .bases = {library.lazy_mixin}});
  define_reset(mixin, "in_channels");
  mixin.def("initialize_parameters(self, input, *args, **kwargs)", initialize_convolution);
  struct Row {
    LayerId id;
    bool transposed;
  };
  for (const auto& [id, transposed] : {Row{LayerId::Conv1d, false}, Row{LayerId::Conv2d, false},
                                       Row{LayerId::Conv3d, false}, Row{LayerId::ConvTranspose1d, true},
                                       Row{LayerId::ConvTranspose2d, true}, Row{LayerId::ConvTranspose3d, true}}) {
    LayerDefinition layer(interpreter, add_lazy(interpreter, library, id, mixin, layer_class(interpreter, id)),
                          Value());
    layer.init_alone(transposed ? "out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, "
                                  "bias=True, dilation=1, padding_mode='zeros', device=None, dtype=None"
                                : "out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, "
                                  "padding_mode='zeros', device=None, dtype=None",
                     [count = transposed ? std::size_t{11} : std::size_t{10}](LayerInit& self) {
                       return init_convolution(self, count);
                     });
  }
}

void add_norms(Interpreter& interpreter, NnLibrary& library) {
  Class& base = interpreter.define_class({.name = "_LazyNormBase",
                                          .module = "torch.nn.modules.batchnorm",
                                          .bases = {library.lazy_mixin, &layer_class(interpreter, LayerId::NormBase)}});
  define_reset(base, "num_features");
  base.def("initialize_parameters(self, input)", initialize_norm);
  LayerDefinition(interpreter, base, Value())
      .init_alone(
          "eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True",
          init_norm);
  const Name forward = interpreter.names().forward;
  for (const LayerId id : {LayerId::BatchNorm1d, LayerId::BatchNorm2d, LayerId::BatchNorm3d, LayerId::InstanceNorm1d,
                           LayerId::InstanceNorm2d, LayerId::InstanceNorm3d}) {
    const Class& becomes = layer_class(interpreter, id);
    Class& made = add_lazy(interpreter, library, id, base, *becomes.bases()[0]);
    made.set_attribute(forward, *becomes.lookup(forward));
  }
}

}  // namespace

void add_lazy_classes(Interpreter& interpreter, NnLibrary& library) {
  add_tensors(interpreter, library);
  add_mixin(interpreter, library);
  LayerDefinition linear(
      interpreter,
      add_lazy(interpreter, library, LayerId::Linear, *library.lazy_mixin, layer_class(interpreter, LayerId::Linear)),
      Value());
  linear.init_alone("out_features, bias=True, device=None, dtype=None", [](LayerInit& self) -> PyResult<void> {
    NNS_TRY_ASSIGN(const Factory factory, self.factory(self[2], self[3]));
    NNS_TRY(self.init_base({Value(0), Value(0), Value(false)}));
    NNS_TRY(set_parameter(self, "weight", factory));
    NNS_TRY(self.set("out_features", self[0]));
    NNS_TRY_ASSIGN(const bool has_bias, self.bool_argument(1));
    if (has_bias) NNS_TRY(set_parameter(self, "bias", factory));
    return {};
  });
  define_reset(linear.cls, "in_features");
  linear.cls.def("initialize_parameters(self, input)", initialize_linear);
  add_convolutions(interpreter, library);
  add_norms(interpreter, library);
}

}  // namespace nns::nn
