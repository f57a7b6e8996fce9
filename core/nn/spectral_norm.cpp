// Spectral normalisation: a weight over its largest singular value, which power iteration estimates; as a
// parametrization and, older, as a hook before forward.
#include "core/nn/layer_definition.h"
#include "core/nn/utility.h"
#include "core/ops/term.h"

// Behaviour: torch/nn/utils/parametrizations.py, _SpectralNorm and spectral_norm; torch/nn/utils/spectral_norm.py.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;

constexpr std::string_view kSpectralParametrizations = "torch.nn.utils.parametrizations";
constexpr std::string_view kUtils = "torch.nn.utils";
constexpr std::string_view kLegacy = "torch.nn.utils.spectral_norm";

// F.normalize(vector, dim=0, eps=eps).
Term normalized(const Term& vector, double eps) {
  const Term length = ops::apply(OpId::norm, {vector, 2.0, Value(0), true});
  return vector / ops::apply(OpId::clamp, {length, eps});
}

PyResult<void> renew(Tensor& target, const Term& product, double eps) {
  NNS_TRY_ASSIGN(const Ref<Tensor> made, normalized(product, eps).take());
  return tensor::copy_(target, *made);
}

Term times(const Term& matrix, const Ref<Tensor>& vector) { return ops::apply(OpId::mv, {matrix, Term(vector)}); }

// The weight with dimension `dim` as rows and all others as columns.
Term as_matrix(Interpreter& in, const Ref<Tensor>& weight, std::size_t dim) {
  Term matrix(weight);
  if (dim != 0) {
    std::vector<std::int64_t> order{static_cast<std::int64_t>(dim)};
    for (std::size_t d = 0; d < weight->ndim(); ++d) {
      if (d != dim) order.push_back(static_cast<std::int64_t>(d));
    }
    matrix = ops::apply(OpId::permute, {matrix, ops::dims_value(in, Dims(order))});
  }
  return ops::apply(OpId::reshape, {matrix, ops::dims_value(in, Dims({weight->shape()[dim], -1}))});
}

Term conjugate_transpose(const Term& matrix) {
  const Term transposed = ops::apply(OpId::t, {matrix});
  return transposed.ok() && tensor::is_complex(transposed.tensor().dtype()) ? ops::conj(transposed) : transposed;
}

// A normal vector of length 1, of the weight's dtype.
PyResult<Ref<Tensor>> random_direction(Interpreter& in, std::int64_t size, const Tensor& weight, double eps) {
  const Ref<Tensor> drawn = tensor::empty(in, Dims({size}), weight.dtype(), weight.device());
  tensor::normal_(*drawn, tensor::TensorLibrary::of(in).generator, 0, 1);
  return normalized(Term(drawn), eps).take();
}

// u . (matrix v), recorded.
Term singular_value(const Term& matrix, const Ref<Tensor>& u, const Ref<Tensor>& v) {
  const Term left = tensor::is_complex(u->dtype()) ? ops::conj(Term(u)) : Term(u);
  return ops::apply(OpId::dot, {left, times(matrix, v)});
}

PyResult<Ref<Tensor>> tensor_attribute(const LayerSelf& self, std::string_view name) {
  NNS_TRY_ASSIGN(Tensor* const found, self.get_tensor(name));
  return Ref<Tensor>(found);
}

// Where the rows of a weight of such a module are, if nobody says: transposed convolutions have them second.
Value default_dim(Interpreter& in, const Value& module, const Value& dim) {
  if (!dim.is_none()) return dim;
  for (const LayerId id : {LayerId::ConvTranspose1d, LayerId::ConvTranspose2d, LayerId::ConvTranspose3d}) {
    if (object::isinstance(in, module, layer_class(in, id))) return Value(1);
  }
  return Value(0);
}

// _SpectralNorm._power_method.
PyResult<void> iterate(const LayerSelf& self, const Term& matrix, std::int64_t times_left) {
  if (!matrix.ok()) return matrix.result().error();
  const ops::GradModeGuard no_grad(self.interpreter, false);
  NNS_TRY_ASSIGN(const double eps, self.get_float("eps"));
  NNS_TRY_ASSIGN(const Ref<Tensor> u, tensor_attribute(self, "_u"));
  NNS_TRY_ASSIGN(const Ref<Tensor> v, tensor_attribute(self, "_v"));
  for (; times_left > 0; --times_left) {
    NNS_TRY(renew(*u, times(matrix, v), eps));
    NNS_TRY(renew(*v, times(conjugate_transpose(matrix), u), eps));
  }
  return {};
}

PyResult<void> init_parametrization(LayerInit& self) {
  Interpreter& in = self.interpreter;
  const Ref<Tensor> weight(self[0].as<Tensor>());
  if (!weight) return object::attribute_error(in, "'{}' object has no attribute 'ndim'", in.type_of(self[0]).name());
  NNS_TRY_ASSIGN(const std::int64_t dim, self.int_argument(2));
  NNS_TRY_ASSIGN(const std::int64_t count, self.int_argument(1));
  const auto ndim = static_cast<std::int64_t>(weight->ndim());
  if (dim >= ndim || dim < -ndim) {
    return object::error<object::ErrorKind::IndexError>(
        in, "Dimension out of range (expected to be in range of [-{}, {}] but got {})", ndim, ndim - 1, dim);
  }
  if (count <= 0) {
    return object::value_error(in, "Expected n_power_iterations to be positive, but got n_power_iterations={}", count);
  }
  const std::size_t place = ops::wrapped(dim, weight->ndim());
  NNS_TRY(self.set("dim", Value(place)));
  NNS_TRY(self.set("eps", self[3]));
  if (ndim < 2) return {};
  NNS_TRY(self.set("n_power_iterations", self[1]));
  NNS_TRY_ASSIGN(const double eps, self.get_float("eps"));
  const Term matrix = as_matrix(in, weight, place);
  if (!matrix.ok()) return matrix.result().error();
  NNS_TRY_ASSIGN(const Ref<Tensor> u, random_direction(in, matrix.tensor().shape()[0], *weight, eps));
  NNS_TRY_ASSIGN(const Ref<Tensor> v, random_direction(in, matrix.tensor().shape()[1], *weight, eps));
  NNS_TRY(self.add_buffer("_u", Value(u)));
  NNS_TRY(self.add_buffer("_v", Value(v)));
  constexpr std::int64_t kFirstIterations = 15;
  return iterate(self, matrix, kFirstIterations);
}

PyResult<Value> parametrized(Interpreter& in, Args a) {
  const LayerSelf self(in, a[0]);
  const Ref<Tensor> weight(a[1].as<Tensor>());
  if (!weight) return object::attribute_error(in, "'{}' object has no attribute 'ndim'", in.type_of(a[1]).name());
  NNS_TRY_ASSIGN(const double eps, self.get_float("eps"));
  if (weight->ndim() == 1) return ops::value_of(normalized(Term(weight), eps));
  NNS_TRY_ASSIGN(const std::int64_t dim, self.get_int("dim"));
  const Term matrix = as_matrix(in, weight, static_cast<std::size_t>(dim));
  NNS_TRY_ASSIGN(const bool training, self.is_true("training"));
  if (training) {
    NNS_TRY_ASSIGN(const std::int64_t count, self.get_int("n_power_iterations"));
    NNS_TRY(iterate(self, matrix, count));
  }
  // The next call writes into the two again, while the backward pass still needs these.
  NNS_TRY_ASSIGN(const Ref<Tensor> u, tensor_attribute(self, "_u"));
  NNS_TRY_ASSIGN(const Ref<Tensor> v, tensor_attribute(self, "_v"));
  return ops::value_of(Term(weight) / singular_value(matrix, tensor::clone(*u), tensor::clone(*v)));
}

PyResult<Value> make_parametrization(Interpreter& in, Args) {
  Class& cls = in.define_class(
      {.name = "_SpectralNorm", .module = kSpectralParametrizations, .bases = {NnLibrary::of(in).module}});
  LayerDefinition(in, cls, Value()).init("weight, n_power_iterations=1, dim=0, eps=1e-12", init_parametrization);
  cls.def("forward(self, weight)", parametrized);
  cls.def("right_inverse(self, value)", [](Interpreter&, Args a) -> PyResult<Value> { return a[1]; });
  return class_value(cls);
}

PyResult<Value> parametrize_spectral_norm(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string name, object::str(in, a[1]));
  NNS_TRY_ASSIGN(const Value weight, object::getattr_or_absent(in, a[0], in.intern(name)));
  if (weight.as<Tensor>() == nullptr) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, a[0]));
    return object::value_error(in, "Module '{}' has no parameter or buffer with name '{}'", shown, name);
  }
  NNS_TRY_ASSIGN(const Value norm, in.call(utility(in, kSpectralParametrizations, "_SpectralNorm"),
                                           {weight, a[2], default_dim(in, a[0], a[4]), a[3]}));
  return call_utility(in, "torch.nn.utils.parametrize", "register_parametrization", std::array{a[0], a[1], norm});
}

// SpectralNorm.compute_weight of the hook.
PyResult<Value> compute_weight(Interpreter& in, const Value& hook, const Value& module, bool iterates) {
  const LayerSelf self(in, hook), owner(in, module);
  NNS_TRY_ASSIGN(const std::string name, self.format("{name}"));
  NNS_TRY_ASSIGN(const std::int64_t dim, self.get_int("dim"));
  NNS_TRY_ASSIGN(const Ref<Tensor> weight, tensor_attribute(owner, name + "_orig"));
  NNS_TRY_ASSIGN(Ref<Tensor> u, tensor_attribute(owner, name + "_u"));
  NNS_TRY_ASSIGN(Ref<Tensor> v, tensor_attribute(owner, name + "_v"));
  const Term matrix = as_matrix(in, weight, static_cast<std::size_t>(dim));
  if (!matrix.ok()) return matrix.result().error();
  if (iterates) {
    const ops::GradModeGuard no_grad(in, false);
    NNS_TRY_ASSIGN(const std::int64_t count, self.get_int("n_power_iterations"));
    NNS_TRY_ASSIGN(const double eps, self.get_float("eps"));
    for (std::int64_t i = 0; i < count; ++i) {
      NNS_TRY(renew(*v, times(ops::apply(OpId::t, {matrix}), u), eps));
      NNS_TRY(renew(*u, times(matrix, v), eps));
    }
    u = tensor::clone(*u);
    v = tensor::clone(*v);
  }
  return ops::value_of(Term(weight) / ops::apply(OpId::dot, {Term(u), times(matrix, v)}));
}

PyResult<Value> apply_hook(Interpreter& in, Args a) {
  Module* const target = as_module(a[0]);
  if (target == nullptr) {
    return object::attribute_error(in, "'{}' object has no attribute '_forward_pre_hooks'", in.type_of(a[0]).name());
  }
  const LayerSelf module(in, a[0]);
  const Value cls = utility(in, kLegacy, "SpectralNorm");
  NNS_TRY_ASSIGN(const std::string name, object::str(in, a[1]));
  NNS_TRY_ASSIGN(const Value there, find_hook(*target, Registry::ForwardPreHooks, *cls.as<Class>(), "name", a[1]));
  if (!there.is_absent()) {
    return object::runtime_error(in, "Cannot register two spectral_norm hooks on the same parameter {}", name);
  }
  NNS_TRY_ASSIGN(const Value hook, in.call(cls, {a[1], a[2], a[3], a[4]}));
  NNS_TRY_ASSIGN(Dict* const parameters, target->required_registry(Registry::Parameters));
  NNS_TRY_ASSIGN(const Value found, object::getitem(in, Value(parameters), a[1]));
  const Ref<Tensor> weight(found.as<Tensor>());
  if (!weight) {
    return object::value_error(in, "`SpectralNorm` cannot be applied as parameter `{}` is None", name);
  }
  if (weight->is_uninitialized()) {
    return object::value_error(in,
                               "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to "
                               "run the dummy forward before applying spectral normalization");
  }
  NNS_TRY_ASSIGN(const double eps, number(in, a[4]));
  NNS_TRY_ASSIGN(const std::int64_t dim, object::index(in, a[3]));
  const Term matrix = as_matrix(in, tensor::detach(*weight), ops::wrapped(dim, weight->ndim()));
  if (!matrix.ok()) return matrix.result().error();
  NNS_TRY_ASSIGN(const Ref<Tensor> u, random_direction(in, matrix.tensor().shape()[0], *weight, eps));
  NNS_TRY_ASSIGN(const Ref<Tensor> v, random_direction(in, matrix.tensor().shape()[1], *weight, eps));
  NNS_TRY(target->delattr(in.intern(name)));
  NNS_TRY(module.call("register_parameter", {in.text(name + "_orig"), found}));
  NNS_TRY(module.set(name, Value(tensor::detach(*weight))));
  NNS_TRY(module.call("register_buffer", {in.text(name + "_u"), Value(u)}));
  NNS_TRY(module.call("register_buffer", {in.text(name + "_v"), Value(v)}));
  NNS_TRY(module.call("register_forward_pre_hook", {hook}));
  for (const auto& [part, method] :
       {std::pair{"SpectralNormStateDictHook", "_register_state_dict_hook"},
        std::pair{"SpectralNormLoadStateDictPreHook", "_register_load_state_dict_pre_hook"}}) {
    NNS_TRY_ASSIGN(const Value made, in.call(utility(in, kLegacy, part), {hook}));
    NNS_TRY(module.call(method, {made}));
  }
  return hook;
}

PyResult<Value> remove_hook(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string name, LayerSelf(in, a[0]).format("{name}"));
  const ops::GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const Value weight, compute_weight(in, a[0], a[1], false));
  for (const char* part : {"", "_u", "_v", "_orig"}) NNS_TRY(object::delattr(in, a[1], in.intern(name + part)));
  NNS_TRY_ASSIGN(const Ref<Tensor> parameter, tensor::make_parameter(in, *weight.as<Tensor>()));
  NNS_TRY(in.call_method(a[1], in.intern("register_parameter"), {in.text(name), Value(parameter)}));
  return Value();
}

PyResult<Value> make_hook_class(Interpreter& in, Args) {
  Class& cls = in.define_class({.name = "SpectralNorm", .module = kLegacy});
  cls.attribute("_version", Value(1));
  cls.def("__init__(self, name='weight', n_power_iterations=1, dim=0, eps=1e-12)",
          [](Interpreter& i, Args a) -> PyResult<Value> {
            const LayerSelf self(i, a[0]);
            NNS_TRY_ASSIGN(const std::int64_t count, object::index(i, a[2]));
            NNS_TRY(self.set("name", a[1]));
            NNS_TRY(self.set("dim", a[3]));
            if (count <= 0) {
              return object::value_error(i, "Expected n_power_iterations to be positive, but got n_power_iterations={}",
                                         count);
            }
            NNS_TRY(self.set("n_power_iterations", a[2]));
            NNS_TRY(self.set("eps", a[4]));
            return Value();
          });
  cls.def("compute_weight(self, module, do_power_iteration)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool iterates, object::truth(i, a[2]));
    return compute_weight(i, a[0], a[1], iterates);
  });
  cls.def("remove(self, module)", remove_hook);
  cls.def("__call__(self, module, inputs)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string name, LayerSelf(i, a[0]).format("{name}"));
    NNS_TRY_ASSIGN(const bool training, LayerSelf(i, a[1]).is_true("training"));
    NNS_TRY_ASSIGN(const Value weight, compute_weight(i, a[0], a[1], training));
    NNS_TRY(LayerSelf(i, a[1]).set(name, weight));
    return Value();
  });
  cls.def_static("apply(module, name, n_power_iterations, dim, eps)", apply_hook);
  return class_value(cls);
}

// A class whose objects are made with the hook and have its name: for the tables of state_dict and load_state_dict.
Class& companion_class(Interpreter& in, std::string_view name) {
  Class& cls = in.define_class({.name = name, .module = kLegacy});
  cls.def("__init__(self, fn)", [](Interpreter& i, Args a) -> PyResult<Value> {
    const LayerSelf self(i, a[0]);
    NNS_TRY(self.set("fn", a[1]));
    return Value();
  });
  cls.property("name", [](Interpreter& i, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value hook, LayerSelf(i, self).get("fn"));
    return LayerSelf(i, hook).get("name");
  });
  return cls;
}

PyResult<Value> make_saving_class(Interpreter& in, Args) {
  Class& cls = companion_class(in, "SpectralNormStateDictHook");
  cls.def("__call__(self, module, state_dict, prefix, local_metadata)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value name, LayerSelf(i, a[0]).get("name"));
    NNS_TRY_ASSIGN(const std::string text, object::str(i, name));
    Dict& metadata = *a[4].as<Dict>();
    const Name section = i.intern("spectral_norm");
    if (!metadata.contains(section)) metadata.set(section, Value(i.dict()));
    Dict& versions = *metadata.find(section)->as<Dict>();
    const std::string key = text + ".version";
    if (versions.find(std::string_view(key)) != nullptr) {
      return object::runtime_error(i, "Unexpected key in metadata['spectral_norm']: {}", key);
    }
    versions.set(i.text(key), Value(1));
    return Value();
  });
  return class_value(cls);
}

// What files from before version 1 have not: the right vector, so that normalize(W v) = u and u W v = sigma.
// Behaviour: torch/nn/utils/spectral_norm.py, SpectralNorm._solve_v_and_rescale.
PyResult<Value> right_vector(Interpreter& in, const Ref<Tensor>& original, const Ref<Tensor>& weight,
                             const Ref<Tensor>& left, std::int64_t dim) {
  const ops::GradModeGuard no_grad(in, false);
  const Term sigma = ops::apply(OpId::mean, {Term(original) / Term(weight)});
  const Term matrix = as_matrix(in, original, ops::wrapped(dim, original->ndim()));
  const Term transposed = ops::apply(OpId::t, {matrix});
  const Term inverse = ops::apply(OpId::pinverse, {ops::apply(OpId::mm, {transposed, matrix})});
  const Term direction = ops::apply(OpId::mv, {ops::apply(OpId::mm, {inverse, transposed}), Term(left)});
  const Term length = ops::apply(OpId::dot, {Term(left), ops::apply(OpId::mv, {matrix, direction})});
  return ops::value_of(direction * (sigma / length));
}

PyResult<Value> make_loading_class(Interpreter& in, Args) {
  Class& cls = companion_class(in, "SpectralNormLoadStateDictPreHook");
  cls.def("__call__(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)",
          [](Interpreter& i, Args a) -> PyResult<Value> {
            NNS_TRY_ASSIGN(const Value name, LayerSelf(i, a[0]).get("name"));
            NNS_TRY_ASSIGN(const std::string text, object::str(i, name));
            NNS_TRY_ASSIGN(const std::string prefix, object::str(i, a[2]));
            const Value* section = a[3].as<Dict>()->find(std::string_view("spectral_norm"));
            const Value* version =
                section == nullptr ? nullptr : section->as<Dict>()->find(std::string_view(text + ".version"));
            if (version != nullptr && version->is_int() && version->as_int() >= 1) return Value();
            Dict& state = *a[1].as<Dict>();
            const std::string weight = prefix + text;
            const auto has = [&](const char* suffix) {
              return state.find(std::string_view(weight + suffix)) != nullptr;
            };
            if (version == nullptr && has("_orig") && has("_u") && has("_v") && !has("")) return Value();
            NNS_TRY_ASSIGN(const bool strict, object::truth(i, a[4]));
            bool is_complete = true;
            for (const char* suffix : {"_orig", "", "_u"}) {
              if (has(suffix)) continue;
              is_complete = false;
              if (strict) a[5].as<object::List>()->append(i.text(weight + suffix));
            }
            if (!is_complete) return Value();
            const auto tensor_at = [&](const char* suffix) {
              return Ref<Tensor>(state.find(std::string_view(weight + suffix))->as<Tensor>());
            };
            const Ref<Tensor> original = tensor_at("_orig"), scaled = tensor_at(""), left = tensor_at("_u");
            if (!original || !scaled || !left) return Value();
            NNS_TRY_ASSIGN(const Value hook, LayerSelf(i, a[0]).get("fn"));
            NNS_TRY_ASSIGN(const Value dim, LayerSelf(i, hook).get("dim"));
            NNS_TRY_ASSIGN(Value right, right_vector(i, original, scaled, left, dim.as_int()));
            state.erase(Value(i.intern(weight).value()));
            state.set(i.intern(weight + "_v"), std::move(right));
            return Value();
          });
  return class_value(cls);
}

PyResult<Value> legacy_spectral_norm(Interpreter& in, Args a) {
  NNS_TRY(apply_hook(in, std::array{a[0], a[1], a[2], default_dim(in, a[0], a[4]), a[3]}));
  return a[0];
}

PyResult<Value> remove_spectral_norm(Interpreter& in, Args a) {
  NNS_TRY(remove_named_hook(in, a[0], *utility(in, kLegacy, "SpectralNorm").as<Class>(), "name", a[1],
                            "spectral_norm of '{name}' not found in {module}"));
  Module& module = *as_module(a[0]);
  for (const auto& [table, part] : {std::pair{Registry::StateDictHooks, "SpectralNormStateDictHook"},
                                    std::pair{Registry::LoadStateDictPreHooks, "SpectralNormLoadStateDictPreHook"}}) {
    NNS_TRY_ASSIGN(const Value id, find_hook(module, table, *utility(in, kLegacy, part).as<Class>(), "name", a[1]));
    if (!id.is_absent()) module.registry_dict(table)->erase(id);
  }
  return a[0];
}

constexpr UtilityRow kSpectralNormRows[] = {
    {kSpectralParametrizations, "_SpectralNorm", make_parametrization},
    {kSpectralParametrizations, "spectral_norm(module, name='weight', n_power_iterations=1, eps=1e-12, dim=None)",
     parametrize_spectral_norm},
    {kLegacy, "SpectralNorm", make_hook_class},
    {kLegacy, "SpectralNormStateDictHook", make_saving_class},
    {kLegacy, "SpectralNormLoadStateDictPreHook", make_loading_class},
    {kUtils, "spectral_norm(module, name='weight', n_power_iterations=1, eps=1e-12, dim=None)", legacy_spectral_norm},
    {kUtils, "remove_spectral_norm(module, name='weight')", remove_spectral_norm},
};

}  // namespace

std::span<const UtilityRow> spectral_norm_utilities() { return kSpectralNormRows; }

}  // namespace nns::nn
