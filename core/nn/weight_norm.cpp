// Weight normalisation: a weight as a length and a direction, as a parametrization and, older, as a hook before
// forward.
#include "core/nn/layer_definition.h"
#include "core/nn/utility.h"
#include "core/ops/op.h"

// Behaviour: torch/nn/utils/parametrizations.py, _WeightNorm and weight_norm; torch/nn/utils/weight_norm.py.
namespace nns::nn {
namespace {

using ops::OpId;

constexpr std::string_view kWeightParametrizations = "torch.nn.utils.parametrizations";
constexpr std::string_view kWeightNormUtils = "torch.nn.utils";
constexpr std::string_view kLegacyWeightNorm = "torch.nn.utils.weight_norm";

// None: one length for all.
Value dim_of(const Value& dim) { return dim.is_none() ? Value(-1) : dim; }

PyResult<Value> make_weight_parametrization(Interpreter& in, Args) {
  Class& cls =
      in.define_class({.name = "_WeightNorm", .module = kWeightParametrizations, .bases = {NnLibrary::of(in).module}});
  LayerDefinition(in, cls, Value()).init("dim=0", [](LayerInit& self) { return self.set("dim", dim_of(self[0])); });
  cls.def("forward(self, weight_g, weight_v)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value dim, LayerSelf(i, a[0]).get("dim"));
    return ops::call_op(i, OpId::weight_norm, {a[2], a[1], dim});
  });
  cls.def("right_inverse(self, weight)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value dim, LayerSelf(i, a[0]).get("dim"));
    NNS_TRY_ASSIGN(const Value length, ops::call_op(i, OpId::norm_except_dim, {a[1], Value(2), dim}));
    return Value(i.tuple({length, a[1]}));
  });
  return class_value(cls);
}

PyResult<Value> parametrize_weight_norm(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Value norm, in.call(utility(in, kWeightParametrizations, "_WeightNorm"), {a[2]}));
  const Keyword unsafe{in.intern("unsafe"), Value(true)};
  NNS_TRY(call_utility(in, "torch.nn.utils.parametrize", "register_parametrization", std::array{a[0], a[1], norm},
                       {&unsafe, 1}));
  NNS_TRY_ASSIGN(const std::string name, object::str(in, a[1]));
  // Files that the older function wrote have other names for the two.
  const Value hook(in.function(
      "_weight_norm_compat_hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)",
      [name](Interpreter& i, Args given) -> PyResult<Value> {
        Dict* const state = given[0].as<Dict>();
        NNS_TRY_ASSIGN(const std::string prefix, object::str(i, given[1]));
        const Value old_keys[] = {i.text(fmt::format("{}{}_g", prefix, name)),
                                  i.text(fmt::format("{}{}_v", prefix, name))};
        if (state == nullptr || !state->contains(old_keys[0]) || !state->contains(old_keys[1])) return Value();
        for (std::size_t part = 0; part < 2; ++part) {
          const Value tensor = *state->find(old_keys[part]);
          state->erase(old_keys[part]);
          state->set(i.text(fmt::format("{}parametrizations.{}.original{}", prefix, name, part)), tensor);
        }
        return Value();
      }));
  NNS_TRY(in.call_method(a[0], in.intern("_register_load_state_dict_pre_hook"), {hook}));
  return a[0];
}

// The weight that a module's <name>_g and <name>_v stand for.
PyResult<Value> compute_weight(Interpreter& in, const Value& hook, const Value& module) {
  const LayerSelf self(in, hook), owner(in, module);
  NNS_TRY_ASSIGN(const std::string name, self.format("{name}"));
  NNS_TRY_ASSIGN(const Value dim, self.get("dim"));
  NNS_TRY_ASSIGN(const Value length, owner.get(name + "_g"));
  NNS_TRY_ASSIGN(const Value direction, owner.get(name + "_v"));
  return ops::call_op(in, OpId::weight_norm, {direction, length, dim});
}

PyResult<Value> renew_weight(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string name, LayerSelf(in, a[0]).format("{name}"));
  NNS_TRY_ASSIGN(const Value weight, compute_weight(in, a[0], a[1]));
  NNS_TRY(LayerSelf(in, a[1]).set(name, weight));
  return Value();
}

PyResult<Value> remove_weight_norm_hook(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string name, LayerSelf(in, a[0]).format("{name}"));
  NNS_TRY_ASSIGN(const Value weight, compute_weight(in, a[0], a[1]));
  NNS_TRY(object::delattr(in, a[1], in.intern(name)));
  NNS_TRY_ASSIGN(Dict* const parameters, as_module(a[1])->required_registry(Registry::Parameters));
  for (const char* part : {"_g", "_v"}) NNS_TRY(object::delitem(in, Value(parameters), in.text(name + part)));
  NNS_TRY_ASSIGN(const Ref<Tensor> parameter, tensor::make_parameter(in, *weight.as<Tensor>()));
  NNS_TRY(LayerSelf(in, a[1]).set(name, Value(parameter)));
  return Value();
}

PyResult<Value> apply_weight_norm_hook(Interpreter& in, Args a) {
  in.warn(object::ErrorKind::FutureWarning,
          "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.");
  Module* const target = as_module(a[0]);
  if (target == nullptr) {
    return object::attribute_error(in, "'{}' object has no attribute '_forward_pre_hooks'", in.type_of(a[0]).name());
  }
  const LayerSelf module(in, a[0]);
  const Value cls = utility(in, kLegacyWeightNorm, "WeightNorm");
  NNS_TRY_ASSIGN(const std::string name, object::str(in, a[1]));
  NNS_TRY_ASSIGN(const Value there, find_hook(*target, Registry::ForwardPreHooks, *cls.as<Class>(), "name", a[1]));
  if (!there.is_absent()) {
    return object::runtime_error(in, "Cannot register two weight_norm hooks on the same parameter {}", name);
  }
  NNS_TRY_ASSIGN(const Value hook, in.call(cls, {a[1], dim_of(a[2])}));
  NNS_TRY_ASSIGN(const Value weight, module.get(name));
  const Ref<Tensor> tensor(weight.as<Tensor>());
  if (tensor && tensor->is_uninitialized()) {
    return object::value_error(in,
                               "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to "
                               "run the dummy forward before applying weight normalization");
  }
  NNS_TRY_ASSIGN(Dict* const parameters, target->required_registry(Registry::Parameters));
  NNS_TRY(object::delitem(in, Value(parameters), a[1]));
  NNS_TRY_ASSIGN(const Value length, ops::call_op(in, OpId::norm_except_dim, {weight, Value(2), dim_of(a[2])}));
  NNS_TRY_ASSIGN(const Ref<Tensor> g, tensor::make_parameter(in, *length.as<Tensor>()));
  NNS_TRY_ASSIGN(const Ref<Tensor> v, tensor::make_parameter(in, *tensor));
  NNS_TRY(module.call("register_parameter", {in.text(name + "_g"), Value(g)}));
  NNS_TRY(module.call("register_parameter", {in.text(name + "_v"), Value(v)}));
  NNS_TRY_ASSIGN(const Value computed, compute_weight(in, hook, a[0]));
  NNS_TRY(module.set(name, computed));
  NNS_TRY(module.call("register_forward_pre_hook", {hook}));
  return hook;
}

PyResult<Value> make_weight_norm_class(Interpreter& in, Args) {
  Class& cls = in.define_class({.name = "WeightNorm", .module = kLegacyWeightNorm});
  cls.def("__init__(self, name, dim)", [](Interpreter& i, Args a) -> PyResult<Value> {
    const LayerSelf self(i, a[0]);
    NNS_TRY(self.set("name", a[1]));
    NNS_TRY(self.set("dim", dim_of(a[2])));
    return Value();
  });
  cls.def("compute_weight(self, module)", [](Interpreter& i, Args a) { return compute_weight(i, a[0], a[1]); });
  cls.def("remove(self, module)", remove_weight_norm_hook);
  cls.def("__call__(self, module, inputs)", renew_weight);
  cls.def_static("apply(module, name, dim)", apply_weight_norm_hook);
  return class_value(cls);
}

PyResult<Value> legacy_weight_norm(Interpreter& in, Args a) {
  NNS_TRY(apply_weight_norm_hook(in, a));
  return a[0];
}

PyResult<Value> remove_weight_norm(Interpreter& in, Args a) {
  return remove_named_hook(in, a[0], *utility(in, kLegacyWeightNorm, "WeightNorm").as<Class>(), "name", a[1],
                           "weight_norm of '{name}' not found in {module}");
}

constexpr UtilityRow kWeightNormRows[] = {
    {kWeightParametrizations, "_WeightNorm", make_weight_parametrization},
    {kWeightParametrizations, "weight_norm(module, name='weight', dim=0)", parametrize_weight_norm},
    {kLegacyWeightNorm, "WeightNorm", make_weight_norm_class},
    {kWeightNormUtils, "weight_norm(module, name='weight', dim=0)", legacy_weight_norm},
    {kWeightNormUtils, "remove_weight_norm(module, name='weight')", remove_weight_norm},
};

}  // namespace

std::span<const UtilityRow> weight_norm_utilities() { return kWeightNormRows; }

}  // namespace nns::nn
