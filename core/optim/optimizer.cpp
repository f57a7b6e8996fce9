#include "core/optim/optimizer.h"

#include <algorithm>
#include <unordered_set>

#include "core/nn/hooks.h"
#include "core/object/default_dict.h"
#include "core/object/operations.h"
#include "core/ops/dispatch.h"
#include "core/ops/op.h"
#include "core/ops/sparse_items.h"
#include "core/ops/training_observer.h"
#include "core/optim/step_plan.h"
#include "core/tensor/capture.h"

// Behaviour: torch/optim/optimizer.py.
namespace nns::optim {
namespace {

using object::Tuple;

// torch.typename(value).
std::string torch_type_name(Interpreter& in, const Value& value) {
  if (const Tensor* tensor = value.as<Tensor>()) return tensor->type_string();
  return object::type_name_of(in, value);
}

// "(name, tensor)" pairs become tensors in `params` and names in `names`.
PyResult<void> split_names(Interpreter& in, std::vector<Value>& params, std::vector<Value>& names) {
  for (Value& param : params) {
    const Tuple* pair = param.as<Tuple>();
    if (pair == nullptr) continue;
    if (pair->size() < 2) return object::error<object::ErrorKind::IndexError>(in, "tuple index out of range");
    names.push_back((*pair)[0]);
    param = Value((*pair)[1]);
  }
  if (!names.empty() && names.size() != params.size()) {
    return object::value_error(in, "all optimizer params should be with/without names. Some param names are missing");
  }
  return {};
}

PyResult<void> check_param(Interpreter& in, const Value& param, bool differentiable) {
  const Tensor* tensor = param.as<Tensor>();
  if (tensor == nullptr) {
    return object::type_error(in, "optimizer can only optimize Tensors, but one of the params is {}",
                              torch_type_name(in, param));
  }
  const bool retains_grad = tensor->autograd() != nullptr && tensor->autograd()->retains_grad;
  if (!differentiable && !tensor->is_leaf() && !retains_grad) {
    return object::value_error(in, "can't optimize a non-leaf Tensor");
  }
  return {};
}

PyResult<void> add_group(Optimizer& self, const Value& value) {
  Interpreter& in = self.interpreter();
  const auto& names = names_of(in);
  const Ref<Dict> group(value.as<Dict>());
  if (!group) {
    return object::type_error(in, "param_group must be a dict, but got {}", object::class_repr(in.type_of(value)));
  }
  // 1. The parameters as a list, the names beside them.
  const Value* given = group->find(names.params);
  if (given == nullptr) return object::key_error(in, names.params.value());
  const Value params_value = *given;
  std::vector<Value> params;
  if (params_value.as<Tensor>() != nullptr) {
    params.push_back(params_value);
  } else if (params_value.as<object::Set>() != nullptr) {
    return object::type_error(in,
                              "optimizer parameters need to be organized in ordered collections, but the ordering of "
                              "tensors in sets will change between runs. Please use a list instead.");
  } else {
    NNS_TRY_ASSIGN(params, object::to_vector(in, params_value));
  }
  std::vector<Value> param_names;
  NNS_TRY(split_names(in, params, param_names));
  group->set(names.params, Value(in.list(params)));
  if (!param_names.empty()) group->set(names.param_names, Value(in.list(std::move(param_names))));
  // 2. Each is a tensor that may be optimised.
  NNS_TRY_ASSIGN(Dict* const defaults, self.defaults());
  const Value* differentiable = defaults->find(names.differentiable);
  NNS_TRY_ASSIGN(const bool is_differentiable,
                 object::truth(in, differentiable == nullptr ? Value() : *differentiable));
  for (const Value& param : params) NNS_TRY(check_param(in, param, is_differentiable));
  // 3. What the group does not say is as the defaults say.
  for (std::size_t at = 0; Dict::Entry* entry = defaults->next(at);) {
    if (!group->contains(entry->key)) group->set(entry->key, entry->value);
  }
  // 4. No parameter twice.
  std::unordered_set<const object::Object*> own;
  for (const Value& param : params) own.insert(param.object());
  if (own.size() != params.size()) {
    in.warn(object::ErrorKind::UserWarning,
            "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see "
            "github.com/pytorch/pytorch/issues/40967 for more information");
  }
  NNS_TRY_ASSIGN(List* const groups, self.param_groups());
  const bool has_names = group->contains(names.param_names);
  bool is_repeated = false;
  for (const Value& other : groups->items()) {
    Dict* const there = other.as<Dict>();
    if (there == nullptr) continue;
    NNS_TRY_ASSIGN(const List* const its_params, params_of(in, *there));
    is_repeated = is_repeated || std::any_of(its_params->items().begin(), its_params->items().end(),
                                             [&own](const Value& param) { return own.contains(param.object()); });
    if (there->contains(names.param_names) != has_names) {
      return object::value_error(in,
                                 "all optimizer param groups should be with/without names. cannot add param group {} "
                                 "to the optimizer",
                                 has_names ? "with names" : "without names");
    }
  }
  if (is_repeated) return object::value_error(in, "some parameters appear in more than one parameter group");
  groups->append(Value(group));
  return {};
}

PyResult<std::string> optimizer_text(Optimizer& self) {
  Interpreter& in = self.interpreter();
  std::string text = std::string(self.type().name()) + " (";
  NNS_TRY_ASSIGN(List* const groups, self.param_groups());
  const std::vector<Value> items = groups->items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    text += fmt::format("\nParameter Group {}\n", i);
    Dict* const group = items[i].as<Dict>();
    if (group == nullptr) continue;
    std::vector<std::pair<std::string, Value>> rows;
    for (std::size_t at = 0; Dict::Entry* entry = group->next(at);) {
      NNS_TRY_ASSIGN(std::string key, object::str(in, entry->key));
      if (key != "params") rows.emplace_back(std::move(key), entry->value);
    }
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [key, value] : rows) {
      NNS_TRY_ASSIGN(const std::string shown, object::str(in, value));
      text += fmt::format("    {}: {}\n", key, shown);
    }
  }
  return text + ")";
}

PyResult<void> clear_gradient(Tensor& param, bool set_to_none) {
  ops::tell_touched(param, ops::Touch::Cleared);
  if (set_to_none) {
    tensor::Capture::assign_grad(param, nullptr);
    return {};
  }
  if (tensor::Capture* const capture = tensor::Capture::current()) capture->note_grad(param);
  if (!param.grad()) return {};
  Tensor& grad = *param.grad();
  if (grad.sparse() != nullptr) {
    ops::clear_items(grad);
    return {};
  }
  if (!grad.is_leaf()) {
    grad.set_grad_fn(nullptr);
  } else {
    NNS_TRY(grad.set_requires_grad(false));
  }
  tensor::fill_(grad, 0);
  return {};
}

PyResult<void> clear_gradients(Optimizer& self, bool set_to_none) {
  NNS_TRY_ASSIGN(List* const groups, self.param_groups());
  for (const Value& group : groups->items()) {
    if (group.as<Dict>() == nullptr) continue;
    NNS_TRY_ASSIGN(List* const params, params_of(self.interpreter(), *group.as<Dict>()));
    for (const Value& param : params->items()) {
      if (Tensor* tensor = param.as<Tensor>()) NNS_TRY(clear_gradient(*tensor, set_to_none));
    }
  }
  return {};
}

bool is_hooked(Interpreter& in, const Value& function) {
  Dict* const attributes = function.is_object() ? function.object()->instance_dict(false) : nullptr;
  return attributes != nullptr && attributes->contains(names_of(in).hooked);
}

struct StepHook {
  std::string_view table;
  std::int64_t id = 0;
  Value hook;
};

// The hooks of all optimisers, in `global`, and those of `self`.
std::vector<StepHook> hooks_of(Optimizer& self, std::string_view global_table, Dict& global, Name own_table,
                               bool own_first) {
  std::vector<StepHook> global_hooks, own_hooks;
  for (const auto& [id, hook] : nn::snapshot(global)) global_hooks.push_back({global_table, id, hook});
  if (Value* table = self.dict().find(own_table); table != nullptr && table->as<Dict>() != nullptr) {
    for (const auto& [id, hook] : nn::snapshot(*table->as<Dict>())) own_hooks.push_back({own_table.view(), id, hook});
  }
  std::vector<StepHook>& first = own_first ? own_hooks : global_hooks;
  const std::vector<StepHook>& then = own_first ? global_hooks : own_hooks;
  first.insert(first.end(), then.begin(), then.end());
  return std::move(first);
}

bool has_step_hooks(Optimizer& self) {
  OptimLibrary& library = OptimLibrary::of(self.interpreter());
  const auto is_filled = [&self](Name table) {
    const Value* found = self.dict().find_raw(table);
    const Dict* hooks = found == nullptr ? nullptr : found->as<Dict>();
    return hooks != nullptr && !hooks->empty();
  };
  return !library.step_pre_hooks().empty() || !library.step_post_hooks().empty() ||
         is_filled(library.names.step_pre_hooks) || is_filled(library.names.step_post_hooks);
}

// A step of which whoever watches the training is told.
template <class Step>
PyResult<Value> watched(Optimizer& self, Step step) {
  ops::TrainingObserver* const watching = ops::OpLibrary::of(self.interpreter()).training;
  if (watching == nullptr) [[likely]]
    return step();
  const Ref<Optimizer> alive(&self);
  watching->step_began(self);
  PyResult<Value> done = step();
  watching->step_ended(self, done.ok());
  return done;
}

// Optimizer.profile_hook_step: `call` runs the step itself on the arguments that the hooks left.
template <class Call>
PyResult<Value> run_hooked(Optimizer& self, Value args, Value kwargs, const Value& function, Call call) {
  Interpreter& in = self.interpreter();
  OptimLibrary& library = OptimLibrary::of(in);
  const auto run = [&](const StepHook& one) {
    autograd::tell_hook_fires(in, self, one.table, one.id);
    return in.call(one.hook, {Value(&self), args, kwargs});
  };
  for (const StepHook& hook :
       hooks_of(self, kGlobalPreHooks, library.step_pre_hooks(), library.names.step_pre_hooks, false)) {
    NNS_TRY_ASSIGN(const Value result, run(hook));
    if (result.is_none()) continue;
    const Tuple* pair = result.as<Tuple>();
    if (pair == nullptr || pair->size() != 2) {
      NNS_TRY_ASSIGN(const std::string shown_function, object::str(in, function));
      NNS_TRY_ASSIGN(const std::string shown, object::str(in, result));
      return object::runtime_error(in, "{} must return None or a tuple of (new_args, new_kwargs), but got {}.",
                                   shown_function, shown);
    }
    args = (*pair)[0];
    kwargs = (*pair)[1];
  }
  NNS_TRY_ASSIGN(Value out, call(args, kwargs));
  for (const StepHook& hook :
       hooks_of(self, kGlobalPostHooks, library.step_post_hooks(), library.names.step_post_hooks, true)) {
    NNS_TRY(run(hook));
  }
  return out;
}

}  // namespace

Optimizer::Optimizer(Class& cls) : Instance(cls) {}
Optimizer::~Optimizer() = default;

StepPlan& Optimizer::plan() {
  if (!plan_) plan_ = std::make_unique<StepPlan>();
  return *plan_;
}

void Optimizer::traverse(object::Visitor& visitor) const {
  Instance::traverse(visitor);
  if (plan_) plan_->traverse(visitor);
}

void Optimizer::clear_references() {
  Instance::clear_references();
  plan_ = nullptr;
}

PyResult<Value> Optimizer::attribute(Name name) {
  if (const Value* found = dict().find(name)) return *found;
  return object::getattr(interpreter(), Value(this), name);
}

PyResult<List*> Optimizer::param_groups() {
  const Name name = names_of(interpreter()).param_groups;
  NNS_TRY_ASSIGN(const Value found, attribute(name));
  if (List* groups = found.as<List>()) return groups;
  return object::type_error(interpreter(), "param_groups must be a list, not {}", interpreter().type_of(found).name());
}

PyResult<Dict*> Optimizer::state() {
  NNS_TRY_ASSIGN(const Value found, attribute(names_of(interpreter()).state));
  if (Dict* state = found.as<Dict>()) return state;
  return object::type_error(interpreter(), "state must be a dict, not {}", interpreter().type_of(found).name());
}

PyResult<Dict*> Optimizer::defaults() {
  NNS_TRY_ASSIGN(const Value found, attribute(names_of(interpreter()).defaults));
  if (Dict* defaults = found.as<Dict>()) return defaults;
  return object::type_error(interpreter(), "defaults must be a dict, not {}", interpreter().type_of(found).name());
}

PyResult<Value> Optimizer::step(const Value& closure) {
  const Name name = names_of(interpreter()).step;
  if (closure.is_none()) return interpreter().call_method(Value(this), name);
  return interpreter().call_method(Value(this), name, {closure});
}

PyResult<void> Optimizer::zero_grad(bool set_to_none) {
  NNS_TRY(interpreter().call_method(Value(this), names_of(interpreter()).zero_grad, {Value(set_to_none)}));
  return {};
}

PyResult<void> Optimizer::add_param_group(const Value& group) {
  NNS_TRY(interpreter().call_method(Value(this), names_of(interpreter()).add_param_group, {group}));
  return {};
}

PyResult<Value> Optimizer::state_dict() {
  return interpreter().call_method(Value(this), names_of(interpreter()).state_dict);
}

PyResult<void> Optimizer::load_state_dict(const Value& state_dict) {
  NNS_TRY(interpreter().call_method(Value(this), names_of(interpreter()).load_state_dict, {state_dict}));
  return {};
}

std::vector<object::Keyword> keywords_of(Interpreter& interpreter, const Keywords& keywords) {
  std::vector<object::Keyword> named;
  for (const auto& [key, value] : keywords) named.push_back({interpreter.intern(key), value});
  return named;
}

PyResult<Ref<Optimizer>> make_optimizer(Interpreter& interpreter, std::string_view name, const Value& params,
                                        const Keywords& keywords) {
  Class* const cls = OptimLibrary::of(interpreter).find_class(name);
  if (cls == nullptr) return object::attribute_error(interpreter, "module 'torch.optim' has no attribute '{}'", name);
  NNS_TRY_ASSIGN(const Value made, interpreter.call(Value(static_cast<object::Object*>(cls)), {&params, 1},
                                                    keywords_of(interpreter, keywords)));
  return Ref<Optimizer>(static_cast<Optimizer*>(made.object()));
}

Ref<Dict> make_state(Interpreter& interpreter) {
  return object::make_default_dict(*OptimLibrary::of(interpreter).default_dict,
                                   Value(static_cast<object::Object*>(interpreter.builtins().dict)));
}

PyResult<void> init_optimizer(Optimizer& self, const Value& params, Ref<Dict> defaults) {
  Interpreter& in = self.interpreter();
  const auto& names = names_of(in);
  Dict& own = self.dict();
  own.set(names.defaults, Value(std::move(defaults)));
  for (const Name table :
       {names.step_pre_hooks, names.step_post_hooks, names.state_dict_pre_hooks, names.state_dict_post_hooks,
        names.load_state_dict_pre_hooks, names.load_state_dict_post_hooks}) {
    own.set(table, Value(in.ordered_dict()));
  }
  NNS_TRY(patch_step(self));
  if (params.as<Tensor>() != nullptr) {
    return object::type_error(
        in, "params argument given to the optimizer should be an iterable of Tensors or dicts, but got {}",
        torch_type_name(in, params));
  }
  own.set(names.state, Value(make_state(in)));
  own.set(names.param_groups, Value(in.list()));
  NNS_TRY_ASSIGN(std::vector<Value> groups, object::to_vector(in, params));
  if (groups.empty()) return object::value_error(in, "optimizer got an empty parameter list");
  if (groups[0].as<Dict>() == nullptr) {
    const Ref<Dict> group = in.dict();
    group->set(names.params, Value(in.list(std::move(groups))));
    groups.assign(1, Value(group));
  }
  for (const Value& group : groups) NNS_TRY(self.add_param_group(group));
  own.set(names.warned_capturable, Value(true));
  return {};
}

PyResult<void> set_optimizer_state(Optimizer& self, const Value& state) {
  Interpreter& in = self.interpreter();
  const auto& names = names_of(in);
  Dict& own = self.dict();
  if (Dict* const entries = state.as<Dict>()) {
    for (std::size_t at = 0; Dict::Entry* entry = entries->next(at);) own.set(entry->key, entry->value);
  }
  for (const Name table :
       {names.step_pre_hooks, names.step_post_hooks, names.state_dict_pre_hooks, names.state_dict_post_hooks,
        names.load_state_dict_pre_hooks, names.load_state_dict_post_hooks}) {
    if (!own.contains(table)) own.set(table, Value(in.ordered_dict()));
  }
  NNS_TRY(patch_step(self));
  NNS_TRY_ASSIGN(Dict* const defaults, self.defaults());
  if (!defaults->contains(names.differentiable)) defaults->set(names.differentiable, Value(false));
  return {};
}

PyResult<void> patch_step(Optimizer& self) {
  Interpreter& in = self.interpreter();
  const auto& names = names_of(in);
  self.dict().set(names.zero_grad_profile_name,
                  in.text(fmt::format("Optimizer.zero_grad#{}.zero_grad", self.type().name())));
  Class& cls = self.type();
  const Value* found = cls.lookup(names.step);
  if (found == nullptr || is_hooked(in, *found)) return {};
  const Value original = *found;
  const Ref<object::NativeFunction> wrapper =
      in.function("step(self, *args, **kwargs)", [original](Interpreter& interpreter, Args a) -> PyResult<Value> {
        std::vector<Value> positional{a[0]};
        const auto rest = a[1].as<Tuple>()->items();
        positional.insert(positional.end(), rest.begin(), rest.end());
        const Value arguments(interpreter.tuple(std::move(positional)));
        const auto step = [&](const Value& args, const Value& kwargs) -> PyResult<Value> {
          NNS_TRY_ASSIGN(const std::vector<Value> given, object::to_vector(interpreter, args));
          std::vector<object::Keyword> named;
          if (Dict* more = kwargs.as<Dict>()) {
            for (std::size_t at = 0; Dict::Entry* entry = more->next(at);) {
              named.push_back({interpreter.intern(*entry->key.as<object::Str>()), entry->value});
            }
          }
          return interpreter.call(original, given, named);
        };
        return watched(self_of(a), [&] { return run_hooked(self_of(a), arguments, a[2], original, step); });
      });
  wrapper->instance_dict(true)->set(names.hooked, Value(true));
  wrapper->instance_dict(true)->set(in.names().dunder_wrapped, original);
  cls.set_attribute(names.step, Value(wrapper));
  return {};
}

void mark_step_hooked(Class& cls) {
  const auto& names = names_of(cls.interpreter());
  cls.lookup(names.step)->object()->instance_dict(true)->set(names.hooked, Value(true));
}

// The step as one action: it reads the options anew each time, so that schedulers are heard.
static PyResult<Value> step_captured(tensor::Capture& capture, Optimizer& self, StepBody body) {
  NNS_TRY_ASSIGN(const List* const groups, self.param_groups());
  for (const Value& group : groups->items()) {
    if (group.as<Dict>() == nullptr) continue;
    NNS_TRY_ASSIGN(const List* const params, params_of(self.interpreter(), *group.as<Dict>()));
    for (const Value& param : params->items()) {
      if (Tensor* const tensor = param.as<Tensor>()) capture.watch(*tensor);
    }
  }
  const tensor::Capture::Action step = [kept = Ref<Optimizer>(&self), body]() -> PyResult<void> {
    // Hooks that were registered since are called.
    const PyResult<Value> done = step_with_hooks(*kept, Value(), body);
    return done.ok() ? PyResult<void>() : PyResult<void>(done.error());
  };
  NNS_TRY(capture.act(step));
  return Value();
}

static PyResult<Value> step_unwatched(Optimizer& self, const Value& closure, StepBody body);

PyResult<Value> step_with_hooks(Optimizer& self, const Value& closure, StepBody body) {
  return watched(self, [&] { return step_unwatched(self, closure, body); });
}

static PyResult<bool> is_differentiable(Optimizer& self) {
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(Dict* const defaults, self.defaults());
  const Value* const flag = defaults->find(OptimLibrary::of(in).names.differentiable);
  return object::truth(in, flag == nullptr ? Value() : *flag);
}

// Whether somebody else carries out what is done with a parameter: __torch_dispatch__.
static PyResult<bool> has_dispatched_param(Optimizer& self) {
  Interpreter& in = self.interpreter();
  if (!tensor::TensorLibrary::of(in).any_sparse) return false;
  NNS_TRY_ASSIGN(const List* const groups, self.param_groups());
  for (const Value& group : groups->items()) {
    Dict* const options = group.as<Dict>();
    if (options == nullptr) continue;
    NNS_TRY_ASSIGN(const List* const params, params_of(in, *options));
    for (const Value& param : params->items()) {
      if (param.as<Tensor>() != nullptr && ops::is_dispatched(*param.as<Tensor>())) return true;
    }
  }
  return false;
}

// The step by the optimiser's rule, or as operations where gradients flow through it.
static PyResult<Value> carry_out(Optimizer& self, const Value& closure, StepBody body) {
  NNS_TRY_ASSIGN(const bool is_recorded, is_differentiable(self));
  NNS_TRY_ASSIGN(const bool is_dispatched, has_dispatched_param(self));
  const bool through_operations = is_recorded || is_dispatched;
  if (!through_operations) return body(self, closure);
  Interpreter& in = self.interpreter();
  const OptimLibrary& library = OptimLibrary::of(in);
  if (!library.differentiable_step) {
    return object::make_error(in, object::ErrorKind::NotImplementedError,
                              "step() with differentiable=True is not available; build the update from tensor "
                              "operations instead");
  }
  NNS_TRY_ASSIGN(Value loss, call_closure(in, closure));
  NNS_TRY(library.differentiable_step(self));
  return loss;
}

static PyResult<Value> step_unwatched(Optimizer& self, const Value& closure, StepBody body) {
  if (tensor::Capture* const capture = tensor::Capture::current(); capture != nullptr && !capture->is_inside()) {
    NNS_TRY_ASSIGN(const bool through_operations, is_differentiable(self));
    if (!has_step_hooks(self) && closure.is_none() && !through_operations) return step_captured(*capture, self, body);
    capture->refuse("a step of an optimizer has hooks, a closure or gradients of its own");
  }
  if (!has_step_hooks(self)) return carry_out(self, closure, body);
  Interpreter& in = self.interpreter();
  std::vector<Value> args{Value(&self)};
  if (!closure.is_none()) args.push_back(closure);
  const Value function = *self.type().lookup(names_of(in).step);
  return run_hooked(self, Value(in.tuple(std::move(args))), Value(in.dict()), function,
                    [&](const Value& given, const Value& kwargs) -> PyResult<Value> {
                      NNS_TRY_ASSIGN(const std::vector<Value> positional, object::to_vector(in, given));
                      Value chosen = positional.size() > 1 ? positional[1] : Value();
                      if (Dict* named = kwargs.as<Dict>()) {
                        if (const Value* found = named->find("closure")) chosen = *found;
                      }
                      return carry_out(self, chosen, body);
                    });
}

PyResult<Value> call_closure(Interpreter& interpreter, const Value& closure) {
  if (closure.is_none()) return Value();
  const ops::GradModeGuard recording(interpreter, true);
  return interpreter.call(closure, std::span<const Value>());
}

PyResult<List*> params_of(Interpreter& interpreter, Dict& group) {
  const Name name = names_of(interpreter).params;
  const Value* found = group.find(name);
  if (found == nullptr) return object::key_error(interpreter, name.value());
  if (List* params = found->as<List>()) return params;
  return object::type_error(interpreter, "the params of a group must be a list, not {}",
                            interpreter.type_of(*found).name());
}

void add_optimizer_class(Interpreter& interpreter, OptimLibrary& library) {
  Class& cls = *library.optimizer;
  cls.def("__init__(self, params, defaults)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[2].as<Dict>() == nullptr) {
      return object::type_error(in, "defaults must be a dict, not {}", in.type_of(a[2]).name());
    }
    NNS_TRY(init_optimizer(self_of(a), a[1], Ref<Dict>(a[2].as<Dict>())));
    return Value();
  });
  cls.def("add_param_group(self, param_group)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(add_group(self_of(a), a[1]));
    return Value();
  });
  cls.def("zero_grad(self, set_to_none=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool set_to_none, object::truth(in, a[1]));
    NNS_TRY(clear_gradients(self_of(a), set_to_none));
    return Value();
  });
  cls.def("step(self, closure=None)", [](Interpreter& in, Args) -> PyResult<Value> {
    return object::make_error(in, object::ErrorKind::NotImplementedError, "");
  });
  cls.def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, optimizer_text(self_of(a)));
    return in.text(text);
  });
  cls.def("__setstate__(self, state)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(set_optimizer_state(self_of(a), a[1]));
    return Value();
  });
  cls.def("__getstate__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Ref<Dict> state = in.dict();
    const auto& names = names_of(in);
    for (const Name name : {names.defaults, names.state, names.param_groups}) {
      NNS_TRY_ASSIGN(Value value, object::getattr(in, a[0], name));
      state->set(name, std::move(value));
    }
    return Value(state);
  });
  add_optimizer_state_methods(cls);
  static_cast<void>(interpreter);
}

}  // namespace nns::optim
