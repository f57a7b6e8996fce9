#include "core/optim/lr_scheduler.h"

#include "core/object/operations.h"
#include "core/optim/group_options.h"

// Behaviour: torch/optim/lr_scheduler.py, class LRScheduler.
namespace nns::optim {
namespace {

using object::NativeFunction;
using object::Tuple;

constexpr std::string_view kWrapped = "_wrapped_by_lr_sched";

PyResult<bool> has_attribute(Interpreter& in, const Value& value, std::string_view name) {
  return object::hasattr(in, value, in.intern(name));
}

// Wraps optimizer.step, so that the scheduler sees whether it was called. The wrapper knows the optimiser weakly.
PyResult<void> watch_step(Interpreter& in, Optimizer& optimizer) {
  const Value self(&optimizer);
  const Name step = OptimLibrary::of(in).names.step;
  NNS_TRY_ASSIGN(const Value bound, object::getattr(in, self, step));
  NNS_TRY_ASSIGN(const bool is_wrapped, has_attribute(in, bound, kWrapped));
  if (is_wrapped) return {};
  const auto* method = bound.as<object::BoundMethod>();
  if (method == nullptr) {
    return object::attribute_error(in, "'{}' object has no attribute '__func__'", in.type_of(bound).name());
  }
  const Value function = method->function();
  const Ref<object::WeakReference> reference = object::make<object::WeakReference>(optimizer);
  const Ref<NativeFunction> wrapper = in.function(
      "wrapper(*args, **kwargs)", [function, reference](Interpreter& interpreter, Args a) -> PyResult<Value> {
        const Ref<object::Object> alive = reference->get();
        if (!alive) return object::attribute_error(interpreter, "'NoneType' object has no attribute '_opt_called'");
        static_cast<Optimizer&>(*alive).dict().set(interpreter.intern("_opt_called"), Value(true));
        std::vector<Value> positional{Value(alive)};
        const auto rest = a[0].as<Tuple>()->items();
        positional.insert(positional.end(), rest.begin(), rest.end());
        std::vector<object::Keyword> named;
        Dict& more = *a[1].as<Dict>();
        for (std::size_t at = 0; Dict::Entry* entry = more.next(at);) {
          named.push_back({interpreter.intern(*entry->key.as<object::Str>()), entry->value});
        }
        return interpreter.call(function, positional, named);
      });
  wrapper->instance_dict(true)->set(in.intern(kWrapped), Value(true));
  optimizer.dict().set(step, Value(wrapper));
  return {};
}

PyResult<void> warn_of_order(const SchedulerSelf& self) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Value optimizer, self.optimizer());
  NNS_TRY_ASSIGN(const Value step, object::getattr(in, optimizer, OptimLibrary::of(in).names.step));
  NNS_TRY_ASSIGN(const bool is_wrapped, has_attribute(in, step, kWrapped));
  if (!is_wrapped) {
    in.warn(object::ErrorKind::UserWarning,
            "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, "
            "make sure to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
            "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate");
    return {};
  }
  NNS_TRY_ASSIGN(const Value called, object::getattr_or_absent(in, optimizer, in.intern("_opt_called")));
  NNS_TRY_ASSIGN(const bool was_called, object::truth(in, called));
  if (!was_called) {
    in.warn(object::ErrorKind::UserWarning,
            "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should "
            "call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this "
            "will result in PyTorch skipping the first value of the learning rate schedule. See more details at "
            "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate");
  }
  return {};
}

// LRScheduler._update_lr(epoch).
PyResult<void> update_rates(const SchedulerSelf& self, const Value& epoch) {
  Interpreter& in = self.interpreter;
  std::vector<Value> rates;
  NNS_TRY(while_flag(self, "_get_lr_called_within_step", [&]() -> PyResult<void> {
    std::string_view method = "get_lr";
    if (epoch.is_none()) {
      NNS_TRY_ASSIGN(const std::int64_t last, self.integer("last_epoch"));
      self.set("last_epoch", Value(last + 1));
    } else {
      self.set("last_epoch", epoch);
      NNS_TRY_ASSIGN(const bool has_closed_form, has_attribute(in, self.value, "_get_closed_form_lr"));
      if (has_closed_form) method = "_get_closed_form_lr";
    }
    NNS_TRY_ASSIGN(const Value made, in.call_method(self.value, in.intern(method)));
    NNS_TRY_ASSIGN(rates, object::to_vector(in, made));
    return {};
  }));
  NNS_TRY_ASSIGN(const std::vector<Dict*> groups, self.groups());
  if (rates.size() != groups.size()) {
    return object::value_error(in, "zip() argument 2 is {} than argument 1",
                               rates.size() < groups.size() ? "shorter" : "longer");
  }
  for (std::size_t i = 0; i < groups.size(); ++i) NNS_TRY(set_group_value(in, *groups[i], "lr", rates[i]));
  NNS_TRY_ASSIGN(std::vector<Value> now, self.values_of("lr"));
  self.set("_last_lr", Value(in.list(std::move(now))));
  return {};
}

PyResult<void> take_step(const SchedulerSelf& self, const Value& epoch) {
  NNS_TRY_ASSIGN(const std::int64_t steps, self.integer("_step_count"));
  if (steps == 1) NNS_TRY(warn_of_order(self));
  self.set("_step_count", Value(steps + 1));
  if (!epoch.is_none()) warn_epoch(self.interpreter);
  NNS_TRY(self.interpreter.call_method(self.value, self.interpreter.intern("_update_lr"), {epoch}));
  return {};
}

// The step that a new scheduler takes.
PyResult<Value> take_first_step(const SchedulerSelf& self) {
  const auto first_step = [&self]() -> PyResult<void> {
    NNS_TRY(self.interpreter.call_method(self.value, self.interpreter.intern("step")));
    return {};
  };
  NNS_TRY(while_flag(self, "_is_initial", first_step));
  return Value();
}

}  // namespace

PyResult<Value> SchedulerSelf::get(std::string_view name) const {
  return object::getattr(interpreter, value, interpreter.intern(name));
}

PyResult<double> SchedulerSelf::number(std::string_view name) const {
  NNS_TRY_ASSIGN(const Value found, get(name));
  return number_of(interpreter, found);
}

PyResult<std::int64_t> SchedulerSelf::integer(std::string_view name) const {
  NNS_TRY_ASSIGN(const Value found, get(name));
  if (found.is_float()) return static_cast<std::int64_t>(found.as_float());
  return object::index(interpreter, found);
}

PyResult<bool> SchedulerSelf::is_true(std::string_view name) const {
  NNS_TRY_ASSIGN(const Value found, get(name));
  return object::truth(interpreter, found);
}

void SchedulerSelf::set(std::string_view name, const Value& new_value) const {
  value.object()->instance_dict(true)->set(interpreter.intern(name), new_value);
}

PyResult<std::vector<Dict*>> SchedulerSelf::groups() const {
  NNS_TRY_ASSIGN(const Value owner, optimizer());
  NNS_TRY_ASSIGN(Optimizer* const found, require_optimizer(interpreter, owner));
  NNS_TRY_ASSIGN(const List* const list, found->param_groups());
  std::vector<Dict*> dicts;
  for (const Value& group : list->items()) {
    if (group.as<Dict>() == nullptr) return object::type_error(interpreter, "a parameter group must be a dict");
    dicts.push_back(group.as<Dict>());
  }
  return dicts;
}

namespace {
// What is done to a tensor later changes no schedule.
Value copy_of(const Value& value) {
  const Tensor* const tensor = value.as<Tensor>();
  return tensor == nullptr ? value : Value(tensor::clone(*tensor));
}
}  // namespace

PyResult<std::vector<Value>> SchedulerSelf::values_of(std::string_view key) const {
  NNS_TRY_ASSIGN(const std::vector<Dict*> dicts, groups());
  std::vector<Value> values;
  for (Dict* group : dicts) {
    const Value* found = group->find(key);
    if (found == nullptr) return object::key_error(interpreter, interpreter.text(key));
    values.push_back(copy_of(*found));
  }
  return values;
}

PyResult<std::vector<double>> SchedulerSelf::numbers_of(std::string_view key) const {
  NNS_TRY_ASSIGN(const std::vector<Value> values, values_of(key));
  std::vector<double> numbers;
  for (const Value& one : values) {
    NNS_TRY_ASSIGN(const double number, number_of(interpreter, one));
    numbers.push_back(number);
  }
  return numbers;
}

PyResult<std::vector<double>> SchedulerSelf::base_lrs() const {
  NNS_TRY_ASSIGN(const Value list, get("base_lrs"));
  NNS_TRY_ASSIGN(const std::vector<Value> values, object::to_vector(interpreter, list));
  std::vector<double> numbers;
  for (const Value& one : values) {
    NNS_TRY_ASSIGN(const double number, number_of(interpreter, one));
    numbers.push_back(number);
  }
  return numbers;
}

PyResult<std::vector<Value>> SchedulerSelf::scaled(double factor) const {
  NNS_TRY_ASSIGN(const std::vector<double> rates, numbers_of("lr"));
  std::vector<Value> made;
  for (const double rate : rates) made.emplace_back(rate * factor);
  return made;
}

PyResult<void> SchedulerSelf::init_base(const Value& given, const Value& last_epoch) const {
  Interpreter& in = interpreter;
  NNS_TRY_ASSIGN(Optimizer* const found, require_optimizer(in, given));
  set("optimizer", given);
  NNS_TRY_ASSIGN(const std::vector<Dict*> dicts, groups());
  const Name initial = in.intern("initial_lr");
  const bool is_new = last_epoch.is_int() && last_epoch.as_int() == -1;
  for (std::size_t i = 0; i < dicts.size(); ++i) {
    if (dicts[i]->contains(initial)) continue;
    if (!is_new) {
      return object::key_error(
          in, in.text(fmt::format("param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler "
                                  "with last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume "
                                  "training from a checkpoint but haven't properly loaded the optimizer state\n2. "
                                  "You're using last_epoch >= 0 for a fresh training run (not recommended)",
                                  i)));
    }
    const Value* rate = dicts[i]->find("lr");
    if (rate == nullptr) return object::key_error(in, in.text("lr"));
    const Tensor* const tensor = rate->as<Tensor>();
    dicts[i]->set(initial, tensor == nullptr ? Value(*rate) : Value(tensor::clone(*tensor)));
  }
  NNS_TRY_ASSIGN(std::vector<Value> rates, values_of("initial_lr"));
  set("base_lrs", Value(in.list(std::move(rates))));
  set("last_epoch", last_epoch);
  NNS_TRY(watch_step(in, *found));
  std::erase_if(found->schedulers, [](const Ref<object::WeakReference>& one) { return !one->get(); });
  found->schedulers.push_back(object::make<object::WeakReference>(*value.object()));
  NNS_TRY(in.call_method(value, in.intern("_initial_step")));
  return {};
}

void define_get_lr(Class& cls, GetLr get_lr, GetLr closed_form) {
  cls.def("get_lr(self)", [get_lr](Interpreter& in, Args a) -> PyResult<Value> {
    SchedulerSelf self(in, a[0]);
    NNS_TRY_ASSIGN(const bool is_in_step, self.is_true("_get_lr_called_within_step"));
    if (!is_in_step) {
      in.warn(object::ErrorKind::UserWarning,
              "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.");
    }
    NNS_TRY_ASSIGN(std::vector<Value> rates, get_lr(self));
    return Value(in.list(std::move(rates)));
  });
  if (closed_form == nullptr) return;
  cls.def("_get_closed_form_lr(self)", [closed_form](Interpreter& in, Args a) -> PyResult<Value> {
    SchedulerSelf self(in, a[0]);
    NNS_TRY_ASSIGN(std::vector<Value> rates, closed_form(self));
    return Value(in.list(std::move(rates)));
  });
}

PyResult<Optimizer*> require_optimizer(Interpreter& interpreter, const Value& value) {
  if (auto* optimizer = value.as<Optimizer>()) return optimizer;
  return object::type_error(interpreter, "{} is not an Optimizer", interpreter.type_of(value).name());
}

PyResult<void> set_group_value(Interpreter& interpreter, Dict& group, std::string_view key, const Value& number) {
  const Value* found = group.find(key);
  if (found == nullptr) return object::key_error(interpreter, interpreter.text(key));
  Tensor* const tensor = found->as<Tensor>();
  if (tensor == nullptr) {
    group.set(interpreter.intern(key), number);
    return {};
  }
  NNS_TRY_ASSIGN(const double rate, number_of(interpreter, number));
  tensor::fill_(*tensor, rate);
  return {};
}

PyResult<std::vector<Value>> one_for_each_group(Interpreter& interpreter, std::string_view name, std::size_t groups,
                                                const Value& value) {
  std::vector<Value> items;
  if (value.as<List>() == nullptr && value.as<Tuple>() == nullptr) {
    for (std::size_t i = 0; i < groups; ++i) items.push_back(copy_of(value));
    return items;
  }
  NNS_TRY_ASSIGN(items, object::to_vector(interpreter, value));
  if (items.size() != groups) {
    return object::value_error(interpreter,
                               "{} must have the same length as optimizer.param_groups. {} has {} values, param_groups "
                               "has {}.",
                               name, name, items.size(), groups);
  }
  return items;
}

Ref<Dict> attributes_without(const Value& self, std::initializer_list<std::string_view> names) {
  Ref<Dict> made = self.object()->interpreter().dict();
  Dict* const own = self.object()->instance_dict(true);
  for (std::size_t at = 0; Dict::Entry* entry = own->next(at);) {
    const std::string_view key = entry->key.as<object::Str>()->view();
    if (std::find(names.begin(), names.end(), key) == names.end()) made->set(entry->key, entry->value);
  }
  return made;
}

PyResult<void> update_attributes(Interpreter& interpreter, const Value& self, const Value& state) {
  Dict* const entries = state.as<Dict>();
  if (entries == nullptr) {
    return object::type_error(interpreter, "'{}' object is not iterable", interpreter.type_of(state).name());
  }
  Dict* const own = self.object()->instance_dict(true);
  for (std::size_t at = 0; Dict::Entry* entry = entries->next(at);) own->set(entry->key, entry->value);
  return {};
}

Value saved_callable(Interpreter& interpreter, const Value& callable) {
  if (callable.as<NativeFunction>() != nullptr || !callable.is_object()) return Value();
  if (&interpreter.type_of(callable) == interpreter.builtins().function) return Value();
  Dict* const state = callable.object()->instance_dict(false);
  const Ref<Dict> copy = interpreter.dict();
  if (state != nullptr) {
    for (std::size_t at = 0; Dict::Entry* entry = state->next(at);) copy->set(entry->key, entry->value);
  }
  return Value(copy);
}

PyResult<void> while_flag(const SchedulerSelf& self, std::string_view flag,
                          const std::function<PyResult<void>()>& use) {
  self.set(flag, Value(true));
  PyResult<void> result = use();
  self.set(flag, Value(false));
  return result;
}

void warn_epoch(Interpreter& interpreter) {
  interpreter.warn(object::ErrorKind::UserWarning,
                   "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
                   "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is "
                   "different from None, the closed form is used instead of the new chainable form, where available. "
                   "Please open an issue if you are unable to replicate your use case: "
                   "https://github.com/pytorch/pytorch/issues/new/choose.");
}

PyResult<Value> make_scheduler(Interpreter& interpreter, std::string_view name, std::vector<Value> positional,
                               const Keywords& keywords) {
  Class* const cls = OptimLibrary::of(interpreter).find_scheduler_class(name);
  if (cls == nullptr) {
    return object::attribute_error(interpreter, "module 'torch.optim.lr_scheduler' has no attribute '{}'", name);
  }
  return interpreter.call(Value(static_cast<object::Object*>(cls)), positional, keywords_of(interpreter, keywords));
}

void add_scheduler_class(Class& cls) {
  cls.attribute("_get_lr_called_within_step", Value(false));
  cls.attribute("_is_initial", Value(false));
  cls.def("__init__(self, optimizer, last_epoch=-1)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(SchedulerSelf(in, a[0]).init_base(a[1], a[2]));
    return Value();
  });
  cls.def("_initial_step(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const SchedulerSelf self(in, a[0]);
    self.set("_step_count", Value(0));
    return take_first_step(self);
  });
  cls.def("step(self, epoch=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(take_step(SchedulerSelf(in, a[0]), a[1]));
    return Value();
  });
  cls.def("_update_lr(self, epoch=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(update_rates(SchedulerSelf(in, a[0]), a[1]));
    return Value();
  });
  cls.def("get_lr(self)", [](Interpreter& in, Args) -> PyResult<Value> {
    return object::make_error(in, object::ErrorKind::NotImplementedError, "");
  });
  cls.def("get_last_lr(self)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return SchedulerSelf(in, a[0]).get("_last_lr"); });
  cls.def("state_dict(self)",
          [](Interpreter&, Args a) -> PyResult<Value> { return Value(attributes_without(a[0], {"optimizer"})); });
  cls.def("load_state_dict(self, state_dict)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(update_attributes(in, a[0], a[1]));
    return Value();
  });
}

}  // namespace nns::optim
