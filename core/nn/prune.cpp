// torch.nn.utils.prune: BasePruningMethod, PruningContainer and the functions that prune several tensors or undo it.
#include "core/nn/prune.h"

#include "core/nn/arguments.h"
#include "core/nn/layer_definition.h"
#include "core/object/iterator.h"
#include "core/ops/term.h"

namespace nns::nn {
namespace {

using object::ErrorKind;
using ops::OpId;
using ops::Term;

const Class& base_class(Interpreter& in) { return *prune_class(in, "BasePruningMethod").as<Class>(); }

PyResult<std::string> tensor_name(Interpreter& in, const Value& method) {
  return LayerSelf(in, method).format("{_tensor_name}");
}

// BasePruningMethod.apply_mask: the module's tensor with zeros where the mask has them.
PyResult<Value> masked(Interpreter& in, const Value& method, const Value& module) {
  NNS_TRY_ASSIGN(const std::string name, tensor_name(in, method));
  const LayerSelf owner(in, module);
  NNS_TRY_ASSIGN(const Value mask, owner.get(name + "_mask"));
  NNS_TRY_ASSIGN(const Value original, owner.get(name + "_orig"));
  const Ref<Tensor> tensor(original.as<Tensor>());
  return ops::value_of(ops::as_dtype(Term(Ref<Tensor>(mask.as<Tensor>())), tensor->dtype()) * Term(tensor));
}

PyResult<Value> renew_pruned(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string name, tensor_name(in, a[0]));
  NNS_TRY_ASSIGN(const Value pruned, masked(in, a[0], a[1]));
  NNS_TRY(LayerSelf(in, a[1]).set(name, pruned));
  return Value();
}

Value ones_like(Interpreter& in, const Tensor& tensor) {
  return Value(tensor::ones(in, tensor.shape(), tensor.dtype(), tensor.device()));
}

PyResult<void> check_scores(Interpreter& in, const Value& scores, const Tensor& tensor, const std::string& text) {
  const Tensor* const given = scores.as<Tensor>();
  if (given != nullptr && given->shape() == tensor.shape()) return {};
  return object::make_error(in, ErrorKind::AssertionError, text);
}

// BasePruningMethod.prune: a tensor of no module.
PyResult<Value> prune_tensor(Interpreter& in, Args a) {
  const Ref<Tensor> tensor(a[1].as<Tensor>());
  if (!tensor) return object::type_error(in, "prune() takes a tensor, not {}", in.type_of(a[1]).name());
  if (!a[3].is_none()) {
    NNS_TRY(check_scores(in, a[3], *tensor, "importance_scores should have the same shape as tensor t"));
  }
  const Value default_mask = a[2].is_none() ? ones_like(in, *tensor) : a[2];
  NNS_TRY_ASSIGN(const Value mask, compute_pruning_mask(in, a[0], a[3].is_none() ? a[1] : a[3], default_mask));
  return ops::call_op(in, OpId::mul, {a[1], mask});
}

// BasePruningMethod.remove: the tensor keeps its zeros and is the parameter that it was.
PyResult<Value> make_permanent(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string name, tensor_name(in, a[0]));
  NNS_TRY_ASSIGN(const Value pruned, masked(in, a[0], a[1]));
  const Name key = in.intern(name);
  NNS_TRY_ASSIGN(const bool there, object::hasattr(in, a[1], key));
  if (there) NNS_TRY(object::delattr(in, a[1], key));
  Module& module = *as_module(a[1]);
  NNS_TRY_ASSIGN(Dict* const parameters, module.required_registry(Registry::Parameters));
  NNS_TRY_ASSIGN(const Value original, object::getitem(in, Value(parameters), in.text(name + "_orig")));
  original.as<Tensor>()->set_data(*pruned.as<Tensor>());
  NNS_TRY(object::delitem(in, Value(parameters), in.text(name + "_orig")));
  NNS_TRY_ASSIGN(Dict* const buffers, module.required_registry(Registry::Buffers));
  NNS_TRY(object::delitem(in, Value(buffers), in.text(name + "_mask")));
  NNS_TRY(module.setattr(key, original));
  return Value();
}

PyResult<Value> make_base(Interpreter& in, Args) {
  Class& cls = in.define_class({.name = "BasePruningMethod", .module = kPruneModule});
  cls.def("__call__(self, module, inputs)", renew_pruned);
  cls.def("compute_mask(self, t, default_mask)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  cls.def("apply_mask(self, module)", [](Interpreter& i, Args a) { return masked(i, a[0], a[1]); });
  cls.def("prune(self, t, default_mask=None, importance_scores=None)", prune_tensor);
  cls.def("remove(self, module)", make_permanent);
  cls.def_class("apply(cls, module, name, *args, importance_scores=None, **kwargs)",
                [](Interpreter& i, Args a) -> PyResult<Value> {
                  return apply_pruning(i, a[0], a[1], a[2], a[3].as<object::Tuple>()->items(), a[4],
                                       keywords_of(i, *a[5].as<Dict>()));
                });
  return class_value(cls);
}

// PruningContainer.add_pruning_method.
PyResult<Value> add_method(Interpreter& in, Args a) {
  const LayerSelf self(in, a[0]);
  if (!a[1].is_none() && !object::isinstance(in, a[1], base_class(in))) {
    return object::type_error(in, "{} is not a BasePruningMethod subclass", object::class_repr(in.type_of(a[1])));
  }
  if (!a[1].is_none()) {
    NNS_TRY_ASSIGN(const std::string own, tensor_name(in, a[0]));
    NNS_TRY_ASSIGN(const std::string other, tensor_name(in, a[1]));
    if (own != other) {
      NNS_TRY_ASSIGN(const std::string shown, object::str(in, a[0]));
      return object::value_error(
          in, "Can only add pruning methods acting on the parameter named '{}' to PruningContainer {}. Found '{}'", own,
          shown, other);
    }
  }
  NNS_TRY_ASSIGN(const Value methods, self.get("_pruning_methods"));
  NNS_TRY_ASSIGN(std::vector<Value> all, object::to_vector(in, methods));
  all.push_back(a[1]);
  NNS_TRY(self.set("_pruning_methods", Value(in.tuple(std::move(all)))));
  return Value();
}

PyResult<Value> init_container(Interpreter& in, Args a) {
  const LayerSelf self(in, a[0]);
  NNS_TRY(self.set("_pruning_methods", Value(in.tuple())));
  const auto& given = a[1].as<object::Tuple>()->items();
  if (given.size() == 1) {
    NNS_TRY_ASSIGN(const Value name, LayerSelf(in, given[0]).get(kPrunedName));
    NNS_TRY(self.set(kPrunedName, name));
  }
  for (const Value& method : given) NNS_TRY(self.call("add_pruning_method", {method}));
  return Value();
}

// Of a structured method: the part of a tensor whose channels are not all zero in the mask.
PyResult<Value> kept_channels(Interpreter& in, const Value& method, const Ref<Tensor>& t, const Ref<Tensor>& mask) {
  NNS_TRY_ASSIGN(const Value dim_value, object::getattr_or_absent(in, method, in.intern("dim")));
  if (dim_value.is_absent()) {
    return object::attribute_error(in,
                                   "Pruning methods of PRUNING_TYPE \"structured\" need to have the attribute `dim` "
                                   "defined.");
  }
  NNS_TRY_ASSIGN(std::int64_t dim, object::index(in, dim_value));
  const auto ndim = static_cast<std::int64_t>(t->ndim());
  if (dim < 0) dim += ndim;
  if (dim < 0) {
    return object::error<ErrorKind::IndexError>(in, "Index is out of bounds for tensor with dimensions {}", ndim);
  }
  if (dim >= ndim) return object::error<ErrorKind::IndexError>(in, "list assignment index out of range");
  std::vector<std::int64_t> others;
  std::vector<Value> part;
  for (std::int64_t d = 0; d < ndim; ++d) {
    if (d != dim) others.push_back(d);
    part.emplace_back(object::make<object::Slice>(in, Value(), Value(), Value()));
  }
  const Term kept = ops::ne(ops::apply(OpId::sum_dim, {Term(mask), ops::dims_value(in, Dims(others))}), 0);
  NNS_TRY_ASSIGN(Value channels, ops::value_of(kept));
  part[static_cast<std::size_t>(dim)] = std::move(channels);
  return Value(in.tuple(std::move(part)));
}

// PruningContainer.compute_mask: the last method works on what the ones before it left.
PyResult<Value> combined_mask(Interpreter& in, Args a) {
  const LayerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(const Value methods, self.get("_pruning_methods"));
  NNS_TRY_ASSIGN(const std::vector<Value> all, object::to_vector(in, methods));
  if (all.empty()) return object::error<ErrorKind::IndexError>(in, "tuple index out of range");
  const Value& method = all.back();
  const Ref<Tensor> t(a[1].as<Tensor>()), mask(a[2].as<Tensor>());
  NNS_TRY_ASSIGN(const Value type_value, LayerSelf(in, method).get("PRUNING_TYPE"));
  NNS_TRY_ASSIGN(const std::string type, object::str(in, type_value));
  NNS_TRY_ASSIGN(const Value typed, ops::value_of(ops::as_dtype(Term(mask), t->dtype())));
  NNS_TRY_ASSIGN(const Value combined, ops::call_op(in, OpId::clone, {typed}));
  Value part;
  if (type == "unstructured") {
    NNS_TRY_ASSIGN(part, ops::value_of(ops::eq(Term(mask), 1)));
  } else if (type == "structured") {
    NNS_TRY_ASSIGN(part, kept_channels(in, method, t, mask));
  } else if (type == "global") {
    part = in.ellipsis();
  } else {
    return object::value_error(in, "Unrecognized PRUNING_TYPE {}", type);
  }
  NNS_TRY_ASSIGN(const Value left, object::getitem(in, a[1], part));
  NNS_TRY_ASSIGN(const Value left_mask, object::getitem(in, a[2], part));
  NNS_TRY_ASSIGN(const Value made, compute_pruning_mask(in, method, left, left_mask));
  NNS_TRY_ASSIGN(const Value cast, ops::value_of(ops::as_dtype(Term(Ref<Tensor>(made.as<Tensor>())), t->dtype())));
  NNS_TRY(object::setitem(in, combined, part, cast));
  return combined;
}

PyResult<Value> make_container(Interpreter& in, Args) {
  Class& cls = define_pruning_class(in, "PruningContainer", "");
  cls.def("__init__(self, *args)", init_container);
  cls.def("add_pruning_method(self, method)", add_method);
  cls.def("__len__(self)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value methods, LayerSelf(i, a[0]).get("_pruning_methods"));
    NNS_TRY_ASSIGN(const std::int64_t count, object::length(i, methods));
    return Value(count);
  });
  cls.def("__iter__(self)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value methods, LayerSelf(i, a[0]).get("_pruning_methods"));
    return object::iter(i, methods);
  });
  cls.def("__getitem__(self, idx)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value methods, LayerSelf(i, a[0]).get("_pruning_methods"));
    return object::getitem(i, methods, a[1]);
  });
  cls.def("compute_mask(self, t, default_mask)", combined_mask);
  return class_value(cls);
}

// The method that prunes `name` from now on: a new one, in a container with what pruned it before.
PyResult<Value> composite_method(Interpreter& in, const Value& cls, Module& module, const Value& name,
                                 std::span<const Value> positional, std::span<const Keyword> keywords) {
  NNS_TRY_ASSIGN(const Value id, find_hook(module, Registry::ForwardPreHooks, base_class(in), kPrunedName, name));
  Value old;
  if (!id.is_absent()) {
    Dict& hooks = *module.registry_dict(Registry::ForwardPreHooks);
    old = *hooks.find(id);
    hooks.erase(id);
  }
  NNS_TRY_ASSIGN(const Value method, in.call(cls, positional, keywords));
  NNS_TRY(LayerSelf(in, method).set(kPrunedName, name));
  if (old.is_none()) return method;
  const Value container_class = prune_class(in, "PruningContainer");
  if (!object::isinstance(in, old, *container_class.as<Class>())) {
    NNS_TRY_ASSIGN(old, in.call(container_class, {old}));
  }
  NNS_TRY(LayerSelf(in, old).call("add_pruning_method", {method}));
  return old;
}

PyResult<Value> is_pruned(Interpreter& in, Args a) {
  if (as_module(a[0]) == nullptr) {
    return object::attribute_error(in, "'{}' object has no attribute 'named_modules'", in.type_of(a[0]).name());
  }
  NNS_TRY_ASSIGN(const std::vector<NamedModule> modules, self_of(a).named_modules());
  for (const NamedModule& one : modules) {
    Dict* const hooks = one.module->filled_registry(Registry::ForwardPreHooks);
    if (hooks == nullptr) continue;
    for (const auto& [id, hook] : snapshot(*hooks)) {
      if (object::isinstance(in, hook, base_class(in))) return Value(true);
    }
  }
  return Value(false);
}

// global_unstructured: the tensors of several modules are pruned as one.
PyResult<Value> prune_together(Interpreter& in, Args a) {
  if (!object::is_iterable(in, a[0])) {
    return object::type_error(in, "global_unstructured(): parameters is not an Iterable");
  }
  Dict* const given_scores = a[2].as<Dict>();
  if (given_scores == nullptr && !a[2].is_none()) {
    return object::type_error(in, "global_unstructured(): importance_scores must be of type dict");
  }
  NNS_TRY_ASSIGN(const std::vector<Value> pairs, object::to_vector(in, a[0]));
  std::vector<Value> scores, masks;
  for (const Value& pair : pairs) {
    NNS_TRY_ASSIGN(const std::vector<Value> two, object::to_vector(in, pair));
    if (two.size() != 2) return object::value_error(in, "not enough values to unpack (expected 2, got {})", two.size());
    const LayerSelf module(in, two[0]);
    NNS_TRY_ASSIGN(const std::string name, object::str(in, two[1]));
    NNS_TRY_ASSIGN(const Value tensor, module.get(name));
    Value score = tensor;
    for (std::size_t at = 0; Dict::Entry* entry = given_scores == nullptr ? nullptr : given_scores->next(at);) {
      const auto* key = entry->key.as<object::Tuple>();
      if (key == nullptr || key->size() != 2 || !(*key)[0].is(two[0])) continue;
      NNS_TRY_ASSIGN(const bool same, object::equal(in, (*key)[1], two[1]));
      if (same) score = entry->value;
    }
    scores.push_back(std::move(score));
    NNS_TRY_ASSIGN(Value mask, object::getattr_or_absent(in, two[0], in.intern(name + "_mask")));
    masks.push_back(mask.is_absent() ? ones_like(in, *tensor.as<Tensor>()) : std::move(mask));
  }
  const auto flat = [&in](std::vector<Value> tensors) {
    return call_utility(in, "torch.nn.utils", "parameters_to_vector", std::array{Value(in.list(std::move(tensors)))});
  };
  NNS_TRY_ASSIGN(const Value all_scores, flat(std::move(scores)));
  NNS_TRY_ASSIGN(const Value all_masks, flat(std::move(masks)));
  const Value temporary = in.text("temp");
  NNS_TRY_ASSIGN(const Value container, in.call(prune_class(in, "PruningContainer"), {}));
  NNS_TRY(LayerSelf(in, container).set(kPrunedName, temporary));
  NNS_TRY_ASSIGN(const Value method, in.call(a[1], {}, keywords_of(in, *a[3].as<Dict>())));
  NNS_TRY(LayerSelf(in, method).set(kPrunedName, temporary));
  NNS_TRY_ASSIGN(const std::string type, LayerSelf(in, method).format("{PRUNING_TYPE}"));
  if (type != "unstructured") {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, a[1]));
    return object::type_error(in,
                              "Only \"unstructured\" PRUNING_TYPE supported for the `pruning_method`. Found method {} "
                              "of type {}",
                              shown, type);
  }
  NNS_TRY(LayerSelf(in, container).call("add_pruning_method", {method}));
  NNS_TRY_ASSIGN(const Value mask, compute_pruning_mask(in, container, all_scores, all_masks));
  std::int64_t at = 0;
  for (const Value& pair : pairs) {
    NNS_TRY_ASSIGN(const std::vector<Value> two, object::to_vector(in, pair));
    NNS_TRY_ASSIGN(const std::string name, object::str(in, two[1]));
    NNS_TRY_ASSIGN(const Value tensor, LayerSelf(in, two[0]).get(name));
    const Tensor& one = *tensor.as<Tensor>();
    const Term part = ops::apply(OpId::narrow, {Term(Ref<Tensor>(mask.as<Tensor>())), 0, at, one.numel()});
    at += one.numel();
    NNS_TRY_ASSIGN(const Value own, ops::value_of(ops::apply(OpId::reshape, {part, ops::dims_value(in, one.shape())})));
    NNS_TRY(apply_pruning(in, prune_class(in, "CustomFromMask"), two[0], two[1], {&own, 1}, Value()));
  }
  return Value();
}

PyResult<Value> remove_pruning(Interpreter& in, Args a) {
  return remove_named_hook(in, a[0], base_class(in), kPrunedName, a[1],
                           "Parameter '{name}' of module {module} has to be pruned before pruning can be removed");
}

constexpr UtilityRow kPruneRows[] = {
    {kPruneModule, "BasePruningMethod", make_base},
    {kPruneModule, "PruningContainer", make_container},
    {kPruneModule, "global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs)", prune_together},
    {kPruneModule, "remove(module, name)", remove_pruning},
    {kPruneModule, "is_pruned(module)", is_pruned},
};

}  // namespace

std::span<const UtilityRow> prune_utilities() { return kPruneRows; }

Class& define_pruning_class(Interpreter& interpreter, std::string_view name, std::string_view type) {
  Class* const base = prune_class(interpreter, "BasePruningMethod").as<Class>();
  Class& cls = interpreter.define_class({.name = name, .module = kPruneModule, .bases = {base}});
  if (!type.empty()) cls.attribute("PRUNING_TYPE", interpreter.text(type));
  return cls;
}

PyResult<Value> compute_pruning_mask(Interpreter& interpreter, const Value& method, const Value& t,
                                     const Value& default_mask) {
  const Keyword named{interpreter.intern("default_mask"), default_mask};
  NNS_TRY_ASSIGN(Value mask, interpreter.call_method(method, interpreter.intern("compute_mask"),
                                                     std::span<const Value>(&t, 1), {&named, 1}));
  if (mask.as<Tensor>() != nullptr) return mask;
  return object::type_error(interpreter, "compute_mask must return a tensor, not {}", interpreter.type_of(mask).name());
}

// Behaviour: BasePruningMethod.apply.
PyResult<Value> apply_pruning(Interpreter& interpreter, const Value& cls, const Value& module, const Value& name,
                              std::span<const Value> positional, const Value& scores,
                              std::span<const Keyword> keywords) {
  Module* const target = as_module(module);
  if (target == nullptr) {
    return object::attribute_error(interpreter, "'{}' object has no attribute '_forward_pre_hooks'",
                                   interpreter.type_of(module).name());
  }
  const LayerSelf owner(interpreter, module);
  NNS_TRY_ASSIGN(const Value method, composite_method(interpreter, cls, *target, name, positional, keywords));
  const bool is_first =
      !object::isinstance(interpreter, method, *prune_class(interpreter, "PruningContainer").as<Class>());
  NNS_TRY_ASSIGN(const std::string text, object::str(interpreter, name));
  NNS_TRY_ASSIGN(const Value original, owner.get(text));
  const Ref<Tensor> tensor(original.as<Tensor>());
  if (!tensor) {
    return object::attribute_error(interpreter, "'{}' object has no attribute 'shape'",
                                   interpreter.type_of(original).name());
  }
  if (!scores.is_none()) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(interpreter, module));
    NNS_TRY(
        check_scores(interpreter, scores, *tensor,
                     fmt::format("importance_scores should have the same shape as parameter {} of {}", text, shown)));
  }
  NNS_TRY_ASSIGN(Dict* const parameters, target->required_registry(Registry::Parameters));
  Value default_mask;
  if (is_first) {
    NNS_TRY(owner.call("register_parameter", {interpreter.text(text + "_orig"), original}));
    NNS_TRY(object::delitem(interpreter, Value(parameters), name));
    default_mask = ones_like(interpreter, *tensor);
  } else {
    NNS_TRY_ASSIGN(const Value now, owner.get(text + "_mask"));
    default_mask = Value(tensor::clone(*now.as<Tensor>()));
  }
  const auto enter = [&]() -> PyResult<void> {
    NNS_TRY_ASSIGN(const Value mask,
                   compute_pruning_mask(interpreter, method, scores.is_none() ? original : scores, default_mask));
    NNS_TRY(owner.call("register_buffer", {interpreter.text(text + "_mask"), mask}));
    NNS_TRY_ASSIGN(const Value pruned, LayerSelf(interpreter, method).call("apply_mask", {module}));
    NNS_TRY(owner.set(text, pruned));
    NNS_TRY(owner.call("register_forward_pre_hook", {method}));
    return {};
  };
  PyResult<void> entered = enter();
  if (entered.ok()) return method;
  if (is_first) {
    NNS_TRY(owner.call("register_parameter", {name, original}));
    NNS_TRY(object::delitem(interpreter, Value(parameters), interpreter.text(text + "_orig")));
  }
  return std::move(entered).error();
}

}  // namespace nns::nn
