// torch.func.functional_call: a module called with other parameters and buffers than its own; the tensors of several
// modules as one.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/nn/arguments.h"
#include "core/nn/utility.h"
#include "core/object/operations.h"
#include "core/ops/op.h"

// Behaviour: torch/_functorch/functional_call.py; torch/nn/utils/stateless.py, _reparametrize_module.
namespace nns::nn {
namespace {

// The tensors of a module by path, also those that are there under several names.
PyResult<std::vector<NamedTensor>> all_tensors(Module& module) {
  NNS_TRY_ASSIGN(std::vector<NamedTensor> all, module.named_parameters("", true, false));
  NNS_TRY_ASSIGN(const std::vector<NamedTensor> buffers, module.named_buffers("", true, false));
  all.insert(all.end(), buffers.begin(), buffers.end());
  return all;
}

// A place that holds another tensor for the time of a call.
struct Swapped {
  Ref<Module> owner;
  Name name;
  Dict* registry = nullptr;
  Value before = Value::absent();
};

PyResult<Swapped> swap_in(Interpreter& in, Module& root, std::string_view path, const Value& tensor) {
  const std::size_t dot = path.rfind('.');
  Swapped swapped;
  swapped.owner = Ref<Module>(&root);
  if (dot != std::string_view::npos) {
    NNS_TRY_ASSIGN(swapped.owner, root.get_submodule(path.substr(0, dot)));
  }
  swapped.name = in.intern(dot == std::string_view::npos ? path : path.substr(dot + 1));
  if (tensor.as<Tensor>() == nullptr && !tensor.is_none()) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, tensor));
    return object::type_error(in, "{} is not an instance of torch.Tensor", shown);
  }
  for (const Registry registry : {Registry::Parameters, Registry::Buffers}) {
    Dict* const entries = swapped.owner->filled_registry(registry);
    Value* const found = entries == nullptr ? nullptr : entries->find(swapped.name);
    if (found == nullptr) continue;
    swapped.registry = entries;
    swapped.before = *found;
    entries->set(swapped.name, tensor);
    return swapped;
  }
  const Value owner(swapped.owner);
  NNS_TRY_ASSIGN(swapped.before, object::getattr_or_absent(in, owner, swapped.name));
  if (!swapped.before.is_absent() && swapped.before.as<Tensor>() == nullptr) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, swapped.before));
    return object::type_error(in, "attribute `{}`: {} is not an instance of torch.Tensor", swapped.name.view(), shown);
  }
  NNS_TRY(object::setattr(in, owner, swapped.name, tensor));
  return swapped;
}

// What stands there now; Absent: nothing.
Value value_in_place(Interpreter& in, const Swapped& swapped) {
  if (swapped.registry != nullptr) {
    const Value* const found = swapped.registry->find(swapped.name);
    return found == nullptr ? Value::absent() : *found;
  }
  PyResult<Value> found = object::getattr_or_absent(in, Value(swapped.owner), swapped.name);
  return found.ok() ? std::move(found).value() : Value::absent();
}

PyResult<void> swap_back(Interpreter& in, const Swapped& swapped) {
  if (swapped.registry != nullptr) {
    swapped.registry->set(swapped.name, swapped.before);
    return {};
  }
  const Value owner(swapped.owner);
  if (swapped.before.is_absent()) return object::delattr(in, owner, swapped.name);
  return object::setattr(in, owner, swapped.name, swapped.before);
}

// What is given for one name of a tied tensor is given for all.
// Errors: ValueError  different values for names of one tensor.
PyResult<void> tie(Interpreter& in, Module& module, Dict& given) {
  NNS_TRY_ASSIGN(const std::vector<NamedTensor> all, all_tensors(module));
  std::map<const Tensor*, std::vector<std::string>> names;
  std::vector<const Tensor*> order;
  for (const NamedTensor& one : all) {
    auto& own = names[one.tensor.get()];
    if (own.empty()) order.push_back(one.tensor.get());
    own.push_back(one.name);
  }
  for (const Tensor* tensor : order) {
    const std::vector<std::string>& tied = names[tensor];
    if (tied.size() < 2) continue;
    std::vector<std::string> given_names;
    Value value = Value::absent();
    for (const std::string& name : tied) {
      const Value* found = given.find(std::string_view(name));
      if (found == nullptr) continue;
      if (!value.is_absent() && !value.is(*found)) {
        given_names.push_back(name);
        std::sort(given_names.begin(), given_names.end());
        std::string shown;
        for (const std::string& one : given_names) shown += (shown.empty() ? "'" : ", '") + one + "'";
        return object::value_error(in,
                                   "functional_call got multiple values for keys [{}], which are tied. Consider using "
                                   "tie_weights=False",
                                   shown);
      }
      value = *found;
      given_names.push_back(name);
    }
    if (value.is_absent()) continue;
    for (const std::string& name : tied) given.set(in.text(name), value);
  }
  return {};
}

PyResult<void> check_strict(Interpreter& in, Module& module, Dict& given) {
  NNS_TRY_ASSIGN(const std::vector<NamedTensor> all, all_tensors(module));
  std::vector<std::string> unexpected, missing;
  for (const Value& key : given.keys()) {
    const std::string_view name = key.as<object::Str>()->view();
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const NamedTensor& one) { return one.name == name; });
    if (!is_known) unexpected.emplace_back(name);
  }
  for (const NamedTensor& one : all) {
    if (given.find(std::string_view(one.name)) == nullptr) missing.push_back(one.name);
  }
  std::sort(unexpected.begin(), unexpected.end());
  std::sort(missing.begin(), missing.end());
  std::string problems;
  const auto add = [&problems](std::string_view what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    if (!problems.empty()) problems += "\n\t";
    problems += what;
    for (std::size_t i = 0; i < names.size(); ++i) {
      problems += i == 0 ? ": " : ", ";
      problems += object::str_repr(names[i]);
    }
    problems += '.';
  };
  add("Unexpected key(s)", unexpected);
  add("Missing key(s)", missing);
  if (problems.empty()) return {};
  return object::runtime_error(in, "Error(s) in reparametrizing for {}:\n\t{}", module.type().name(), problems);
}

// One dict of all that was given.
PyResult<Ref<Dict>> merged(Interpreter& in, const Value& given) {
  Ref<Dict> made = in.dict();
  std::vector<Value> repeated;
  std::vector<Value> dicts{given};
  if (given.as<Dict>() == nullptr) {
    if (given.as<object::Tuple>() == nullptr && given.as<object::List>() == nullptr) {
      return object::value_error(in,
                                 "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
                                 "{}",
                                 object::class_repr(in.type_of(given)));
    }
    NNS_TRY_ASSIGN(dicts, object::to_vector(in, given));
  }
  for (const Value& one : dicts) {
    Dict* const entries = one.as<Dict>();
    if (entries == nullptr) {
      return object::value_error(in, "Expected all elements of parameter_and_buffer_dicts to be dictionaries");
    }
    for (std::size_t at = 0; Dict::Entry* entry = entries->next(at);) {
      if (entry->key.as<object::Str>() == nullptr) return object::type_error(in, "keys must be strings");
      if (made->contains(entry->key)) repeated.push_back(entry->key);
      made->set(entry->key, entry->value);
    }
  }
  if (!repeated.empty()) {
    NNS_TRY_ASSIGN(const std::string shown, object::repr(in, Value(in.list(std::move(repeated)))));
    return object::value_error(in, "{} appeared in multiple dictionaries; behavior of functional call is ambiguous",
                               shown);
  }
  return made;
}

PyResult<Value> functional_call(Interpreter& in, Args a) {
  Module* const module = as_module(a[0]);
  if (module == nullptr) {
    return object::type_error(in, "Expected a Module; got {}", in.type_of(a[0]).name());
  }
  NNS_TRY_ASSIGN(const Ref<Dict> given, merged(in, a[1]));
  NNS_TRY_ASSIGN(const bool ties, object::truth(in, a[4]));
  NNS_TRY_ASSIGN(const bool is_strict, object::truth(in, a[5]));
  if (ties) NNS_TRY(tie(in, *module, *given));
  if (is_strict) NNS_TRY(check_strict(in, *module, *given));
  std::vector<Value> positional;
  if (const auto* tuple = a[2].as<object::Tuple>()) {
    positional.assign(tuple->items().begin(), tuple->items().end());
  } else if (!a[2].is_none()) {
    positional.push_back(a[2]);
  }
  std::vector<Keyword> keywords;
  if (Dict* named = a[3].as<Dict>()) keywords = keywords_of(in, *named);
  // All go back, whatever happens.
  std::vector<Swapped> swapped;
  PyResult<Value> result = Value();
  for (const Value& key : given->keys()) {
    auto one = swap_in(in, *module, key.as<object::Str>()->view(), *given->find(key));
    if (!one.ok()) {
      result = std::move(one).error();
      break;
    }
    swapped.push_back(std::move(one).value());
  }
  if (result.ok()) result = in.call(a[0], positional, keywords);
  // What the module put in their places goes into the dict that was given.
  if (Dict* const shown = a[1].as<Dict>()) {
    const std::vector<Value> names = given->keys();
    for (std::size_t i = 0; i < swapped.size(); ++i) {
      const Value now = value_in_place(in, swapped[i]);
      if (!now.is_absent() && shown->contains(names[i])) shown->set(names[i], now);
    }
  }
  for (std::size_t i = swapped.size(); i-- > 0;) {
    const PyResult<void> back = swap_back(in, swapped[i]);
    if (!back.ok() && result.ok()) result = back.error();
  }
  return result;
}

// One tensor of those of several models: a leaf, if theirs ask for gradients.
PyResult<Value> stacked(Interpreter& in, const std::vector<Ref<Tensor>>& tensors, std::string_view name) {
  const auto asks = [](const Ref<Tensor>& one) { return one->requires_grad(); };
  const bool all_ask = std::all_of(tensors.begin(), tensors.end(), asks);
  if (!all_ask && std::any_of(tensors.begin(), tensors.end(), asks)) {
    return object::runtime_error(in, "Expected {} from each model to have the same .requires_grad", name);
  }
  const Value parts(in.tuple(std::vector<Value>(tensors.begin(), tensors.end())));
  NNS_TRY_ASSIGN(Ref<Tensor> made, ops::call_tensor_op(in, ops::OpId::stack, {&parts, 1}));
  if (!all_ask) return Value(std::move(made));
  made = tensor::detach(*made);
  NNS_TRY(made->set_requires_grad(true));
  return Value(std::move(made));
}

using TensorWalk = PyResult<std::vector<NamedTensor>> (*)(Module& module);

PyResult<Value> stacked_by_name(Interpreter& in, const std::vector<Module*>& models, TensorWalk walk) {
  std::vector<std::map<std::string, Ref<Tensor>>> all;
  const Ref<Dict> made = in.dict();
  for (Module* model : models) {
    NNS_TRY_ASSIGN(const std::vector<NamedTensor> own, walk(*model));
    if (all.empty()) {
      for (const NamedTensor& one : own) made->set(in.text(one.name), Value());
    }
    auto& by_name = all.emplace_back();
    for (const NamedTensor& one : own) by_name[one.name] = one.tensor;
  }
  for (const Value& key : made->keys()) {
    const std::string name(key.as<object::Str>()->view());
    std::vector<Ref<Tensor>> tensors;
    for (const auto& by_name : all) {
      const auto found = by_name.find(name);
      if (found == by_name.end()) return object::key_error(in, key);
      tensors.push_back(found->second);
    }
    NNS_TRY_ASSIGN(Value one, stacked(in, tensors, name));
    made->set(key, std::move(one));
  }
  return Value(made);
}

PyResult<Value> stack_module_state(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Value> given, object::to_vector(in, a[0]));
  if (given.empty()) return object::runtime_error(in, "stack_module_state: Expected at least one model, got 0.");
  std::vector<Module*> models;
  for (const Value& one : given) {
    models.push_back(as_module(one));
    if (models.back() == nullptr) {
      return object::attribute_error(in, "'{}' object has no attribute 'training'", in.type_of(one).name());
    }
  }
  for (Module* model : models) {
    if (model->training() != models[0]->training()) {
      return object::runtime_error(in, "stack_module_state: Expected all models to have the same training/eval mode.");
    }
  }
  for (const Module* model : models) {
    if (&model->type() != &models[0]->type()) {
      return object::runtime_error(in, "stack_module_state: Expected all models to be of the same class.");
    }
  }
  NNS_TRY_ASSIGN(const Value parameters,
                 stacked_by_name(in, models, [](Module& module) { return module.named_parameters(); }));
  NNS_TRY_ASSIGN(const Value buffers,
                 stacked_by_name(in, models, [](Module& module) { return module.named_buffers(); }));
  return Value(in.tuple({parameters, buffers}));
}

constexpr UtilityRow kCallRows[] = {
    {"torch.func", "stack_module_state(models)", stack_module_state},
    {"torch.func",
     "functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False)",
     functional_call},
};

}  // namespace

std::span<const UtilityRow> functional_call_utilities() { return kCallRows; }

}  // namespace nns::nn
