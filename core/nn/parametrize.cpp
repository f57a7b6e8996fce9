// torch.nn.utils.parametrize: tensors of a module that are computed from others each time they are read.
#include "core/nn/layer_definition.h"
#include "core/nn/utility.h"
#include "core/object/iterator.h"
#include "core/ops/python_function.h"

// Behaviour: torch/nn/utils/parametrize.py.
namespace nns::nn {
namespace {

using object::ErrorKind;

constexpr std::string_view kParametrizeModule = "torch.nn.utils.parametrize";
constexpr std::string_view kParametrizations = "parametrizations";

std::string_view type_name(Interpreter& in, const Value& value) { return in.type_of(value).name(); }
std::string dtype_text(const Tensor& tensor) { return tensor::torch_dtype_text(tensor.dtype()); }
std::string numbered(std::size_t i) { return fmt::format("original{}", i); }

const std::vector<Value>* sequence_of(const Value& value, std::vector<Value>& items) {
  if (const auto* tuple = value.as<object::Tuple>()) {
    items.assign(tuple->items().begin(), tuple->items().end());
    return &items;
  }
  if (const auto* list = value.as<object::List>()) {
    items = list->items();
    return &items;
  }
  return nullptr;
}

// _maybe_set: `target` looks at what `source` looks at, and stays the same object.
void set_to(Tensor& target, const Tensor& source) { target.set_data(source); }

PyResult<void> register_tensor(const LayerSelf& module, std::string_view name, const Value& tensor) {
  const char* method = tensor.as<Tensor>()->is_parameter() ? "register_parameter" : "register_buffer";
  NNS_TRY(module.call(method, {module.interpreter.text(name), tensor}));
  return {};
}

// The parametrizations of a ParametrizationList, the last one first.
PyResult<std::vector<Value>> reversed_children(const LayerSelf& list) {
  NNS_TRY_ASSIGN(Dict* const modules, as_module(list.value)->required_registry(Registry::Modules));
  std::vector<Value> children;
  for (std::size_t at = 0; Dict::Entry* entry = modules->next(at);) children.insert(children.begin(), entry->value);
  return children;
}

// What must hold of what a parametrization gives: a tensor of the dtype and shape of `before`. The names stand before
// "dtype" and "shape" in the error.
PyResult<void> check_unchanged(Interpreter& in, const Value& made, const Tensor& before, std::string_view flag,
                               std::string_view name_before, std::string_view name_after) {
  const Tensor* const after = made.as<Tensor>();
  if (after == nullptr) {
    return object::value_error(in, "A parametrization must return a tensor. Got {}.", type_name(in, made));
  }
  const auto changed = [&](std::string_view what, const std::string& old_one, const std::string& new_one) {
    return object::value_error(in,
                               "Registering a parametrization may not change the {} of the tensor, unless {} flag is "
                               "enabled.\n{}{}: {}\n{}{}: {}",
                               what, flag, name_before, what, old_one, name_after, what, new_one);
  };
  if (after->dtype() != before.dtype()) return changed("dtype", dtype_text(before), dtype_text(*after));
  if (!(after->shape() == before.shape())) {
    return changed("shape", tensor::size_text(before.shape()), tensor::size_text(after->shape()));
  }
  return {};
}

// ParametrizationList.__init__: the originals are what the inverses make of the tensor.
PyResult<void> init_list(LayerInit& self) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const std::int64_t count, object::length(in, self[0]));
  if (count == 0) return object::value_error(in, "ParametrizationList requires one or more modules.");
  NNS_TRY(self.init_base({self[0]}));
  NNS_TRY(self.set("unsafe", self[2]));
  const Ref<Tensor> original(self[1].as<Tensor>());
  if (!original) {
    return object::attribute_error(in, "'{}' object has no attribute 'shape'", type_name(in, self[1]));
  }
  const Ref<Tensor> before = tensor::detach(*original);
  Value made = self[1];
  NNS_TRY_ASSIGN(const std::vector<Value> children, reversed_children(self));
  const Name right_inverse = in.intern("right_inverse");
  {
    const ops::GradModeGuard no_grad(in, false);
    for (const Value& child : children) {
      NNS_TRY_ASSIGN(const bool inverts, object::hasattr(in, child, right_inverse));
      if (!inverts) continue;
      PyResult<Value> inverse = in.call_method(child, right_inverse, {made});
      if (inverse.ok()) {
        made = *inverse;
      } else if (!inverse.error().is(ErrorKind::NotImplementedError)) {
        return inverse.error();
      }
    }
  }
  std::vector<Value> several;
  const Tensor* const one = made.as<Tensor>();
  if (one == nullptr && sequence_of(made, several) == nullptr) {
    return object::value_error(in,
                               "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {}",
                               type_name(in, made));
  }
  NNS_TRY(self.set("is_tensor", Value(one != nullptr)));
  NNS_TRY(self.set("ntensors", Value(one != nullptr ? std::size_t{1} : several.size())));
  if (one != nullptr) {
    if (one->dtype() != original->dtype()) {
      return object::value_error(in,
                                 "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                                 "original.dtype: {}\nright_inverse(original).dtype: {}",
                                 dtype_text(*original), dtype_text(*one));
    }
    set_to(*original, *one);
    NNS_TRY(register_tensor(self, "original", self[1]));
  }
  for (std::size_t i = 0; i < several.size(); ++i) {
    Ref<Tensor> part(several[i].as<Tensor>());
    if (!part) {
      return object::value_error(in,
                                 "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                                 "element {} of the sequence with type {}.",
                                 i, type_name(in, several[i]));
    }
    if (original->is_parameter()) {
      NNS_TRY_ASSIGN(part, tensor::make_parameter(in, *part, original->requires_grad()));
    }
    NNS_TRY(part->set_requires_grad(original->requires_grad()));
    NNS_TRY(register_tensor(self, numbered(i), Value(part)));
  }
  NNS_TRY_ASSIGN(const bool unsafe, self.bool_argument(2));
  if (unsafe) return {};
  NNS_TRY_ASSIGN(const Value result, in.call(self.value, {}));
  return check_unchanged(in, result, *before, "`unsafe`", "unparametrized ", "parametrized ");
}

// ParametrizationList.right_inverse: what an assignment to the tensor does.
PyResult<Value> assign_originals(Interpreter& in, Args a) {
  const LayerSelf self(in, a[0]);
  const ops::GradModeGuard no_grad(in, false);
  Value value = a[1];
  const Name right_inverse = in.intern("right_inverse");
  NNS_TRY_ASSIGN(const std::vector<Value> children, reversed_children(self));
  for (const Value& child : children) {
    NNS_TRY_ASSIGN(const bool inverts, object::hasattr(in, child, right_inverse));
    if (!inverts) {
      return object::runtime_error(in, "parametrization {} does not implement right_inverse.", type_name(in, child));
    }
    NNS_TRY_ASSIGN(value, in.call_method(child, right_inverse, {value}));
  }
  NNS_TRY_ASSIGN(const bool is_tensor, self.is_true("is_tensor"));
  if (is_tensor) {
    const Tensor* const one = value.as<Tensor>();
    if (one == nullptr) {
      return object::value_error(in, "`right_inverse` should return a tensor. Got {}", type_name(in, value));
    }
    NNS_TRY_ASSIGN(Tensor* const original, self.get_tensor("original"));
    if (one->dtype() != original->dtype()) {
      return object::value_error(in,
                                 "The tensor returned by `right_inverse` has dtype {} while `original` has dtype {}",
                                 dtype_text(*one), dtype_text(*original));
    }
    set_to(*original, *one);
    return Value();
  }
  std::vector<Value> several;
  if (sequence_of(value, several) == nullptr) {
    return object::value_error(in, "'right_inverse' must return a sequence of tensors. Got {}.", type_name(in, value));
  }
  NNS_TRY_ASSIGN(const std::int64_t count, self.get_int("ntensors"));
  if (static_cast<std::int64_t>(several.size()) != count) {
    return object::value_error(
        in, "'right_inverse' must return a sequence of tensors of length {}. Got a sequence of length {}.", count,
        several.size());
  }
  for (std::size_t i = 0; i < several.size(); ++i) {
    NNS_TRY_ASSIGN(Tensor* const original, self.get_tensor(numbered(i)));
    const Tensor* const part = several[i].as<Tensor>();
    if (part == nullptr) {
      return object::value_error(in, "`right_inverse` must return a sequence of tensors. Got element {} of type {}", i,
                                 type_name(in, several[i]));
    }
    if (part->dtype() != original->dtype()) {
      return object::value_error(in,
                                 "Tensor {} returned by `right_inverse` has dtype {} while `original{}` has dtype {}",
                                 i, dtype_text(*part), i, dtype_text(*original));
    }
    set_to(*original, *part);
  }
  return Value();
}

// ParametrizationList.forward: the first parametrization gets the originals, the next ones what the one before gave.
PyResult<Value> compute(LayerSelf& self) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const bool is_tensor, self.is_true("is_tensor"));
  NNS_TRY_ASSIGN(const std::int64_t count, self.get_int("ntensors"));
  std::vector<Value> originals;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    NNS_TRY_ASSIGN(Value one, self.get(is_tensor ? "original" : numbered(i)));
    originals.push_back(std::move(one));
  }
  NNS_TRY_ASSIGN(const Value first, self.get("0"));
  NNS_TRY_ASSIGN(Value made, in.call(first, originals));
  for (std::size_t i = 1;; ++i) {
    NNS_TRY_ASSIGN(const Value next, object::getattr_or_absent(in, self.value, in.intern(fmt::format("{}", i))));
    if (next.is_absent()) return made;
    NNS_TRY_ASSIGN(made, in.call(next, {made}));
  }
}

PyResult<Value> make_list_class(Interpreter& in, Args) {
  Class* const base = NnLibrary::of(in).find_class("ModuleList");
  Class& cls = in.define_class({.name = "ParametrizationList", .module = kParametrizeModule, .bases = {base}});
  LayerDefinition(in, cls, Value()).init_alone("modules, original, unsafe=False", init_list).method("forward", compute);
  cls.def("right_inverse(self, value)", assign_originals);
  return class_value(cls);
}

PyResult<bool> is_parametrized(Interpreter& in, const Value& module, const Value& name) {
  NNS_TRY_ASSIGN(const Value all, object::getattr_or_absent(in, module, in.intern(kParametrizations)));
  if (all.is_absent() || !object::isinstance(in, all, *NnLibrary::of(in).find_class("ModuleDict"))) return false;
  if (!name.is_none()) return object::contains(in, all, name);
  NNS_TRY_ASSIGN(const std::int64_t count, object::length(in, all));
  return count > 0;
}

// module.parametrizations[name]
PyResult<Value> list_of(Interpreter& in, const Value& module, const Value& name) {
  NNS_TRY_ASSIGN(const Value all, object::getattr(in, module, in.intern(kParametrizations)));
  return object::getitem(in, all, name);
}

// What `cached` keeps, in the module's own names: how many contexts are open, and the tensors by module and name.
constexpr std::string_view kOpenCaches = "_cache_enabled";
constexpr std::string_view kCache = "_cache";

std::int64_t open_caches(Interpreter& in) {
  const Value* found = ops::python_module(in, kParametrizeModule).find(kOpenCaches);
  return found == nullptr ? 0 : found->as_int();
}

// _inject_property: reading the tensor computes it, writing it goes through the inverses.
void add_property(Interpreter& in, Module& module, Class& cls, const Value& name) {
  const std::string key = fmt::format("{}.{}", in.id_of(module), name.as<object::Str>()->view());
  const Value read(in.function("get_parametrized(self)", [name, key](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value list, list_of(i, a[0], name));
    if (open_caches(i) == 0) return i.call(list, {});
    const Ref<Dict> cache(ops::python_module(i, kParametrizeModule).find(kCache)->as<Dict>());
    if (const Value* found = cache->find(std::string_view(key))) return *found;
    NNS_TRY_ASSIGN(Value made, i.call(list, {}));
    cache->set(i.text(key), made);
    return made;
  }));
  const Value write(in.function("set_original(self, value)", [name](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value list, list_of(i, a[0], name));
    return i.call_method(list, i.intern("right_inverse"), {a[1]});
  }));
  cls.set_attribute(in.intern(*name.as<object::Str>()), object::make<object::Property>(in, read, write));
}

// _inject_new_class: the module gets a class of its own.
PyResult<void> give_class(const LayerSelf& module) {
  Interpreter& in = module.interpreter;
  Class& before = in.type_of(module.value);
  const std::string name = fmt::format("Parametrized{}", before.name());
  NNS_TRY_ASSIGN(const Ref<Class> made,
                 Class::make(in, {.name = name, .module = kParametrizeModule, .bases = {&before}}));
  made->def("__getstate__(self)", [](Interpreter& i, Args) -> PyResult<Value> {
    return object::runtime_error(i,
                                 "Serialization of parametrized modules is only supported through state_dict(). See:\n"
                                 "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
                                 "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training");
  });
  return module.set("__class__", Value(made));
}

// A further parametrization of a tensor must take and give tensors like it.
PyResult<void> check_next(Interpreter& in, const LayerSelf& module, const Value& name, const Value& parametrization) {
  const std::string_view text = name.as<object::Str>()->view();
  NNS_TRY_ASSIGN(const Value now, module.get(text));
  const Tensor& before = *now.as<Tensor>();
  NNS_TRY_ASSIGN(const Value made, in.call(parametrization, {now}));
  NNS_TRY(check_unchanged(in, made, before, "the `unsafe`", fmt::format("module.{}.", text),
                          fmt::format("parametrization(module.{}).", text)));
  const Name right_inverse = in.intern("right_inverse");
  NNS_TRY_ASSIGN(const bool inverts, object::hasattr(in, parametrization, right_inverse));
  if (!inverts) return {};
  PyResult<Value> inverse = in.call_method(parametrization, right_inverse, {made});
  if (!inverse.ok()) {
    if (inverse.error().is(ErrorKind::NotImplementedError)) return {};
    return inverse.error();
  }
  const Tensor* const back = inverse->as<Tensor>();
  if (back == nullptr) {
    return object::value_error(in, "parametrization.right_inverse must return a tensor. Got: {}",
                               type_name(in, *inverse));
  }
  const auto changed = [&](std::string_view what, const std::string& old_one, const std::string& new_one) {
    return object::value_error(in,
                               "The tensor returned by parametrization.right_inverse must have the same {0} as "
                               "module.{1}, unless the `unsafe` flag is enabled.\nmodule.{1}.{0}: {2}\nreturned {0}: "
                               "{3}",
                               what, text, old_one, new_one);
  };
  if (back->dtype() != before.dtype()) return changed("dtype", dtype_text(before), dtype_text(*back));
  if (!(back->shape() == before.shape())) {
    return changed("shape", tensor::size_text(before.shape()), tensor::size_text(back->shape()));
  }
  return {};
}

PyResult<Value> register_parametrization(Interpreter& in, Args a) {
  Module* const target = as_module(a[0]);
  object::Str* const name = a[1].as<object::Str>();
  if (target == nullptr || name == nullptr) {
    return object::type_error(in, "register_parametrization() takes a module and the name of a tensor");
  }
  const LayerSelf module(in, a[0]);
  NNS_TRY_ASSIGN(const Value training, module.get("training"));
  NNS_TRY(in.call_method(a[2], NnLibrary::of(in).names.train, {training}));
  NNS_TRY_ASSIGN(const bool unsafe, object::truth(in, a[3]));
  NNS_TRY_ASSIGN(const bool known, is_parametrized(in, a[0], a[1]));
  if (known) {
    if (!unsafe) NNS_TRY(check_next(in, module, a[1], a[2]));
    NNS_TRY_ASSIGN(const Value list, list_of(in, a[0], a[1]));
    const LayerSelf parametrizations(in, list);
    NNS_TRY(parametrizations.call("append", {a[2]}));
    NNS_TRY_ASSIGN(const bool was_unsafe, parametrizations.is_true("unsafe"));
    NNS_TRY(parametrizations.set("unsafe", Value(was_unsafe || unsafe)));
    return a[0];
  }
  bool is_registered = false;
  for (const Registry registry : {Registry::Buffers, Registry::Parameters}) {
    NNS_TRY_ASSIGN(Dict* const entries, target->required_registry(registry));
    is_registered = is_registered || entries->contains(a[1]);
  }
  if (!is_registered) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, a[0]));
    return object::value_error(
        in, "Module '{}' does not have a parameter, a buffer, or a parametrized element with name '{}'", shown,
        name->view());
  }
  NNS_TRY_ASSIGN(const Value original, module.get(name->view()));
  NNS_TRY_ASSIGN(const Value list, in.call(utility(in, kParametrizeModule, "ParametrizationList"),
                                           {Value(in.list({a[2]})), original, Value(unsafe)}));
  NNS_TRY(target->delattr(in.intern(*name)));
  NNS_TRY_ASSIGN(const bool has_class, is_parametrized(in, a[0], Value()));
  if (!has_class) {
    NNS_TRY(give_class(module));
    NNS_TRY_ASSIGN(const Value all, in.call(class_value(*NnLibrary::of(in).find_class("ModuleDict")), {}));
    NNS_TRY(module.set(kParametrizations, all));
  }
  add_property(in, *target, target->type(), a[1]);
  NNS_TRY_ASSIGN(const Value all, module.get(kParametrizations));
  NNS_TRY(object::setitem(in, all, a[1], list));
  return a[0];
}

PyResult<Value> remove_parametrizations(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const bool known, is_parametrized(in, a[0], a[1]));
  NNS_TRY_ASSIGN(const std::string name, object::str(in, a[1]));
  if (!known) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, a[0]));
    return object::value_error(in, "Module {} does not have a parametrization on {}", shown, name);
  }
  const LayerSelf module(in, a[0]);
  NNS_TRY_ASSIGN(const Value list, list_of(in, a[0], a[1]));
  const LayerSelf parametrizations(in, list);
  NNS_TRY_ASSIGN(const bool is_tensor, parametrizations.is_true("is_tensor"));
  NNS_TRY_ASSIGN(const bool leaves, object::truth(in, a[2]));
  Value restored;
  if (is_tensor) {
    NNS_TRY_ASSIGN(restored, parametrizations.get("original"));
    if (leaves) {
      const ops::GradModeGuard no_grad(in, false);
      NNS_TRY_ASSIGN(const Value now, module.get(name));
      set_to(*restored.as<Tensor>(), *now.as<Tensor>());
    }
  } else if (leaves) {
    NNS_TRY_ASSIGN(restored, module.get(name));
    const Tensor& now = *restored.as<Tensor>();
    if (now.requires_grad()) {
      NNS_TRY_ASSIGN(const Ref<Tensor> parameter, tensor::make_parameter(in, now));
      restored = Value(parameter);
    }
  } else {
    return object::value_error(in,
                               "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized "
                               "in terms of a sequence of tensors.");
  }
  Class& cls = in.type_of(a[0]);
  cls.delete_attribute(in.intern(name));
  NNS_TRY_ASSIGN(const Value all, module.get(kParametrizations));
  NNS_TRY(object::delitem(in, all, a[1]));
  NNS_TRY(register_tensor(module, name, restored));
  NNS_TRY_ASSIGN(const bool others, is_parametrized(in, a[0], Value()));
  if (others) return a[0];
  NNS_TRY(object::delattr(in, a[0], in.intern(kParametrizations)));
  NNS_TRY(module.set("__class__", class_value(*cls.bases()[0])));
  return a[0];
}

PyResult<Value> type_before(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const bool known, is_parametrized(in, a[0], Value()));
  Class& cls = in.type_of(a[0]);
  return class_value(known ? *cls.bases()[0] : cls);
}

// transfer_parametrizations_and_params: the other module computes its tensors as this one does, of the same originals.
PyResult<Value> transfer(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const bool known, is_parametrized(in, a[0], Value()));
  if (!known) return a[1];
  const LayerSelf from(in, a[0]), to(in, a[1]);
  std::vector<Value> names{a[2]};
  if (a[2].is_none()) {
    NNS_TRY_ASSIGN(const Value all, from.get(kParametrizations));
    NNS_TRY_ASSIGN(names, object::to_vector(in, all));
  }
  for (const Value& name : names) {
    NNS_TRY_ASSIGN(const std::string text, object::str(in, name));
    NNS_TRY_ASSIGN(const bool there, object::hasattr(in, a[1], in.intern(text)));
    if (!there) {
      NNS_TRY_ASSIGN(const Value now, from.get(text));
      NNS_TRY_ASSIGN(const Ref<Tensor> parameter, tensor::make_parameter(in, *now.as<Tensor>()));
      NNS_TRY(to.set(text, Value(parameter)));
    }
    NNS_TRY_ASSIGN(const Value list, list_of(in, a[0], name));
    NNS_TRY_ASSIGN(const std::vector<Value> functions, object::to_vector(in, list));
    for (const Value& function : functions) {
      NNS_TRY(call_utility(in, kParametrizeModule, "register_parametrization", std::array{a[1], name, function}));
    }
    NNS_TRY_ASSIGN(const Value other, list_of(in, a[1], name));
    const LayerSelf source(in, list), target(in, other);
    NNS_TRY_ASSIGN(const bool is_tensor, source.is_true("is_tensor"));
    NNS_TRY_ASSIGN(const std::int64_t count, source.get_int("ntensors"));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const std::string original = is_tensor ? "original" : numbered(i);
      NNS_TRY_ASSIGN(const Value shared, source.get(original));
      NNS_TRY(target.set(original, shared));
    }
  }
  return a[1];
}

// cached(): a context in which each tensor is computed once.
PyResult<Value> make_cached(Interpreter& in, Args) {
  Class& cls = in.define_class({.name = "_GeneratorContextManager", .module = "contextlib"});
  cls.def("__enter__(self)", [](Interpreter& i, Args) -> PyResult<Value> {
    Dict& module = ops::python_module(i, kParametrizeModule);
    module.set(i.intern(kOpenCaches), Value(open_caches(i) + 1));
    if (open_caches(i) == 1) module.set(i.intern(kCache), Value(i.dict()));
    return Value();
  });
  cls.def("__exit__(self, type, value, traceback)", [](Interpreter& i, Args) -> PyResult<Value> {
    Dict& module = ops::python_module(i, kParametrizeModule);
    module.set(i.intern(kOpenCaches), Value(open_caches(i) - 1));
    if (open_caches(i) == 0) module.set(i.intern(kCache), Value(i.dict()));
    return Value(false);
  });
  return Value(in.function("cached()", [made = class_value(cls)](Interpreter& i, Args) { return i.call(made, {}); }));
}

constexpr UtilityRow kParametrizeRows[] = {
    {kParametrizeModule, "ParametrizationList", make_list_class},
    {kParametrizeModule, "cached", make_cached},
    {kParametrizeModule, "register_parametrization(module, tensor_name, parametrization, *, unsafe=False)",
     register_parametrization},
    {kParametrizeModule, "is_parametrized(module, tensor_name=None)",
     [](Interpreter& in, Args a) -> PyResult<Value> {
       NNS_TRY_ASSIGN(const bool known, is_parametrized(in, a[0], a[1]));
       return Value(known);
     }},
    {kParametrizeModule, "remove_parametrizations(module, tensor_name, leave_parametrized=True)",
     remove_parametrizations},
    {kParametrizeModule, "type_before_parametrizations(module)", type_before},
    {kParametrizeModule, "transfer_parametrizations_and_params(from_module, to_module, tensor_name=None)", transfer},
};

}  // namespace

std::span<const UtilityRow> parametrize_utilities() { return kParametrizeRows; }

}  // namespace nns::nn
