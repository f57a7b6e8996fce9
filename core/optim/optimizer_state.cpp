#include <unordered_map>

#include "core/nn/hooks.h"
#include "core/object/copy.h"
#include "core/object/iterator.h"
#include "core/object/operations.h"
#include "core/optim/optimizer.h"

// Optimizer.state_dict, load_state_dict and the hooks around them.
// Behaviour: torch/optim/optimizer.py.
namespace nns::optim {
namespace {

PyResult<Dict*> hook_table(Optimizer& self, Name name) {
  NNS_TRY_ASSIGN(const Value found, object::getattr(self.interpreter(), Value(&self), name));
  if (Dict* table = found.as<Dict>()) return table;
  return object::type_error(self.interpreter(), "{} must be a dict", name.view());
}

PyResult<Value> register_hook(Optimizer& self, Name table_name, const Value& hook, bool prepend) {
  NNS_TRY_ASSIGN(Dict* const table, hook_table(self, table_name));
  const auto handle = nn::add_hook(self.interpreter(), table_name.view(), *table, hook);
  if (prepend) table->move_to_end(Value(handle->id()), false);
  autograd::tell_hook_entered(self.interpreter(), self, table_name.view(), handle->id());
  return Value(handle);
}

// Calls each hook of a table with `self` and, where there is one, `state_dict`, which what they return replaces.
PyResult<void> run_hooks(Optimizer& self, Name table_name, Value* state_dict) {
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(Dict* const table, hook_table(self, table_name));
  for (const auto& [id, hook] : nn::snapshot(*table)) {
    autograd::tell_hook_fires(in, self, table_name.view(), id);
    if (state_dict == nullptr) {
      NNS_TRY(in.call(hook, {Value(&self)}));
      continue;
    }
    NNS_TRY_ASSIGN(Value result, in.call(hook, {Value(&self), *state_dict}));
    if (!result.is_none()) *state_dict = std::move(result);
  }
  return {};
}

PyResult<Value> packed_state_dict(Optimizer& self) {
  Interpreter& in = self.interpreter();
  const auto& names = names_of(in);
  NNS_TRY(run_hooks(self, names.state_dict_pre_hooks, nullptr));
  // 1. Every parameter gets the number of its first place.
  std::unordered_map<const object::Object*, std::int64_t> numbers;
  const Ref<List> packed_groups = in.list();
  std::int64_t start = 0;
  NNS_TRY_ASSIGN(List* const groups, self.param_groups());
  for (const Value& value : groups->items()) {
    Dict* const group = value.as<Dict>();
    if (group == nullptr) return object::type_error(in, "a parameter group must be a dict");
    NNS_TRY_ASSIGN(const List* const params, params_of(in, *group));
    const Ref<Dict> packed = in.dict();
    for (std::size_t at = 0; Dict::Entry* entry = group->next(at);) {
      if (!entry->key.is(names.params.value())) packed->set(entry->key, entry->value);
    }
    std::vector<Value> ids;
    for (std::size_t i = 0; i < params->size(); ++i) {
      numbers.try_emplace(params->items()[i].object(), start + static_cast<std::int64_t>(i));
    }
    for (const Value& param : params->items()) ids.emplace_back(numbers[param.object()]);
    start += static_cast<std::int64_t>(ids.size());
    packed->set(names.params, Value(in.list(std::move(ids))));
    packed_groups->append(Value(packed));
  }
  // 2. The state is keyed by these numbers.
  const Ref<Dict> packed_state = in.dict();
  NNS_TRY_ASSIGN(Dict* const state, self.state());
  for (std::size_t at = 0; Dict::Entry* entry = state->next(at);) {
    if (entry->key.as<Tensor>() == nullptr) {
      packed_state->set(entry->key, entry->value);
      continue;
    }
    const auto found = numbers.find(entry->key.object());
    if (found == numbers.end())
      return object::key_error(in, Value(static_cast<std::int64_t>(in.id_of(*entry->key.object()))));
    packed_state->set(Value(found->second), entry->value);
  }
  const Ref<Dict> made = in.dict();
  made->set(names.state, Value(packed_state));
  made->set(names.param_groups, Value(packed_groups));
  Value result(made);
  NNS_TRY(run_hooks(self, names.state_dict_post_hooks, &result));
  return result;
}

// Takes a saved state over for one parameter: floating tensors in its dtype, but for "step".
class StateCast {
 public:
  StateCast(Interpreter& in, Tensor& param, bool step_is_float)
      : in_(in), param_(param), step_is_float_(step_is_float) {}

  PyResult<Value> cast(const Value& value, const Value& key) const {
    if (Tensor* tensor = value.as<Tensor>()) return cast_tensor(*tensor, key);
    if (Dict* dict = value.as<Dict>()) {
      const Ref<Dict> made = in_.dict();
      for (std::size_t at = 0; Dict::Entry* entry = dict->next(at);) {
        NNS_TRY_ASSIGN(Value one, cast(entry->value, entry->key));
        made->set(entry->key, std::move(one));
      }
      return Value(made);
    }
    const bool is_tuple = value.as<object::Tuple>() != nullptr;
    if (!is_tuple && value.as<List>() == nullptr) return value;
    NNS_TRY_ASSIGN(std::vector<Value> items, object::to_vector(in_, value));
    for (Value& item : items) {
      NNS_TRY_ASSIGN(item, cast(item, Value()));
    }
    return is_tuple ? Value(in_.tuple(std::move(items))) : Value(in_.list(std::move(items)));
  }

 private:
  PyResult<Value> cast_tensor(Tensor& tensor, const Value& key) const {
    const object::Str* const name = key.as<object::Str>();
    if (name != nullptr && name->view() == "step") {
      if (!step_is_float_) return Value(&tensor);
      NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::to(tensor, tensor::DType::Float32, param_.device()));
      return Value(std::move(made));
    }
    const tensor::DType dtype = tensor::is_floating(param_.dtype()) ? param_.dtype() : tensor.dtype();
    NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::to(tensor, dtype, param_.device()));
    return Value(std::move(made));
  }

  Interpreter& in_;
  Tensor& param_;
  bool step_is_float_;
};

PyResult<bool> option(Interpreter& in, Dict& group, Name name) {
  const Value* found = group.find(name);
  return object::truth(in, found == nullptr ? Value() : *found);
}

PyResult<std::size_t> count_params(Interpreter& in, const Value& group) {
  NNS_TRY_ASSIGN(const Value params, object::getitem(in, group, names_of(in).params.value()));
  NNS_TRY_ASSIGN(const std::int64_t count, object::length(in, params));
  return static_cast<std::size_t>(count);
}

PyResult<void> load(Optimizer& self, const Value& given) {
  Interpreter& in = self.interpreter();
  const auto& names = names_of(in);
  NNS_TRY_ASSIGN(Value state_dict, in.call_method(given, names.copy));
  NNS_TRY(run_hooks(self, names.load_state_dict_pre_hooks, &state_dict));
  // 1. The groups must be as many and as large.
  NNS_TRY_ASSIGN(List* const groups, self.param_groups());
  NNS_TRY_ASSIGN(const Value given_groups, object::getitem(in, state_dict, names.param_groups.value()));
  NNS_TRY_ASSIGN(const Value copied_groups, object::deep_copy(in, given_groups));
  NNS_TRY_ASSIGN(const std::vector<Value> saved_groups, object::to_vector(in, copied_groups));
  if (groups->size() != saved_groups.size()) {
    return object::value_error(in, "loaded state dict has a different number of parameter groups");
  }
  for (std::size_t i = 0; i < saved_groups.size(); ++i) {
    NNS_TRY_ASSIGN(const std::size_t mine, count_params(in, groups->items()[i]));
    NNS_TRY_ASSIGN(const std::size_t theirs, count_params(in, saved_groups[i]));
    if (mine != theirs) {
      return object::value_error(
          in, "loaded state dict contains a parameter group that doesn't match the size of optimizer's group");
    }
  }
  // 2. Numbers lead to parameters.
  const Ref<Dict> params_by_id = in.dict();
  const Ref<Dict> step_is_float = in.dict();
  for (std::size_t i = 0; i < saved_groups.size(); ++i) {
    Dict* const saved = saved_groups[i].as<Dict>();
    Dict* const group = groups->items()[i].as<Dict>();
    if (saved == nullptr || group == nullptr) return object::type_error(in, "a parameter group must be a dict");
    NNS_TRY_ASSIGN(const Value ids_value, object::getitem(in, saved_groups[i], names.params.value()));
    NNS_TRY_ASSIGN(const std::vector<Value> ids, object::to_vector(in, ids_value));
    NNS_TRY_ASSIGN(const List* const params, params_of(in, *group));
    NNS_TRY_ASSIGN(const bool capturable, option(in, *saved, names.capturable));
    NNS_TRY_ASSIGN(const bool fused, option(in, *saved, names.fused));
    for (std::size_t k = 0; k < ids.size(); ++k) {
      NNS_TRY(object::require_hashable(in, ids[k]));
      params_by_id->set(ids[k], params->items()[k]);
      if (!step_is_float->contains(ids[k])) step_is_float->set(ids[k], Value(capturable || fused));
    }
  }
  // 3. What belongs to a parameter takes its dtype; the rest is kept as it is.
  const Ref<Dict> state = make_state(in);
  NNS_TRY_ASSIGN(const Value saved_state, object::getitem(in, state_dict, names.state.value()));
  if (saved_state.as<Dict>() == nullptr) {
    return object::attribute_error(in, "'{}' object has no attribute 'items'", in.type_of(saved_state).name());
  }
  for (std::size_t at = 0; Dict::Entry* entry = saved_state.as<Dict>()->next(at);) {
    const Value* found = params_by_id->find(entry->key);
    Tensor* const param = found == nullptr ? nullptr : found->as<Tensor>();
    if (param == nullptr) {
      state->set(entry->key, entry->value);
      continue;
    }
    const StateCast cast(in, *param, step_is_float->find(entry->key)->as_bool());
    NNS_TRY_ASSIGN(Value made, cast.cast(entry->value, Value()));
    state->set(*found, std::move(made));
  }
  // 4. The saved options count, with the optimiser's own parameters.
  for (std::size_t i = 0; i < saved_groups.size(); ++i) {
    Dict& saved = *saved_groups[i].as<Dict>();
    Dict& group = *groups->items()[i].as<Dict>();
    if (const Value* param_names = group.find(names.param_names);
        param_names != nullptr && !saved.contains(names.param_names)) {
      saved.set(names.param_names, *param_names);
    }
    saved.set(names.params, *group.find(names.params));
  }
  const Ref<Dict> changes = in.dict();
  changes->set(names.state, Value(state));
  changes->set(names.param_groups, Value(in.list(saved_groups)));
  NNS_TRY(in.call_method(Value(&self), names.setstate, {Value(changes)}));
  return run_hooks(self, names.load_state_dict_post_hooks, nullptr);
}

}  // namespace

void add_optimizer_state_methods(Class& cls) {
  cls.def("state_dict(self)", [](Interpreter&, Args a) -> PyResult<Value> { return packed_state_dict(self_of(a)); });
  cls.def("load_state_dict(self, state_dict)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(load(self_of(a), a[1]));
    return Value();
  });
  cls.def("register_step_pre_hook(self, hook)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return register_hook(self_of(a), names_of(in).step_pre_hooks, a[1], false);
  });
  cls.def("register_step_post_hook(self, hook)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return register_hook(self_of(a), names_of(in).step_post_hooks, a[1], false);
  });
  cls.def("register_state_dict_pre_hook(self, hook, prepend=False)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool prepend, object::truth(in, a[2]));
    return register_hook(self_of(a), names_of(in).state_dict_pre_hooks, a[1], prepend);
  });
  cls.def("register_state_dict_post_hook(self, hook, prepend=False)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool prepend, object::truth(in, a[2]));
    return register_hook(self_of(a), names_of(in).state_dict_post_hooks, a[1], prepend);
  });
  cls.def("register_load_state_dict_pre_hook(self, hook, prepend=False)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            NNS_TRY_ASSIGN(const bool prepend, object::truth(in, a[2]));
            return register_hook(self_of(a), names_of(in).load_state_dict_pre_hooks, a[1], prepend);
          });
  cls.def("register_load_state_dict_post_hook(self, hook, prepend=False)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            NNS_TRY_ASSIGN(const bool prepend, object::truth(in, a[2]));
            return register_hook(self_of(a), names_of(in).load_state_dict_post_hooks, a[1], prepend);
          });
}

}  // namespace nns::optim
