// SequentialLR and ChainedScheduler.
#include <algorithm>

#include "core/object/operations.h"
#include "core/optim/group_options.h"
#include "core/optim/lr_scheduler.h"

// Behaviour: torch/optim/lr_scheduler.py.
namespace nns::optim {
namespace {

PyResult<void> check_parts(const SchedulerSelf& self, const std::vector<Value>& schedulers, const Value& optimizer) {
  Interpreter& in = self.interpreter;
  const std::string_view owner = in.type_of(self.value).name();
  Class& plateau = OptimLibrary::of(in).scheduler_class(SchedulerId::ReduceLROnPlateau);
  for (std::size_t i = 0; i < schedulers.size(); ++i) {
    NNS_TRY_ASSIGN(const Value its_optimizer, object::getattr_or_absent(in, schedulers[i], in.intern("optimizer")));
    if (its_optimizer.is_absent()) {
      return object::type_error(in, "{} at index {} should have `optimizer` as its attribute.", owner, i);
    }
    if (object::isinstance(in, schedulers[i], plateau)) {
      return object::value_error(
          in,
          "{} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to "
          "be specified when calling `step`, but got one at index {} in the given schedulers "
          "sequence.",
          owner, i);
    }
    if (!optimizer.is(its_optimizer)) {
      NNS_TRY_ASSIGN(const std::string shown, object::str(in, its_optimizer));
      return object::value_error(in,
                                 "{} expects all schedulers to belong to the same optimizer, but got scheduler {} at "
                                 "index {} has {}, which is different from {}.",
                                 owner, in.type_of(schedulers[i]).name(), i, shown, in.type_of(optimizer).name());
    }
  }
  return {};
}

// SequentialLR.recursive_undo: takes back the step that each scheduler took when it was made.
PyResult<void> undo(Interpreter& in, const Value& scheduler) {
  NNS_TRY_ASSIGN(const Value parts, object::getattr_or_absent(in, scheduler, in.intern("_schedulers")));
  if (!parts.is_absent()) {
    NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in, parts));
    for (const Value& item : items) NNS_TRY(undo(in, item));
    return {};
  }
  const Name name = in.intern("last_epoch");
  NNS_TRY_ASSIGN(const Value epoch, object::getattr_or_absent(in, scheduler, name));
  if (epoch.is_absent()) return {};
  NNS_TRY_ASSIGN(const std::int64_t last, object::index(in, epoch));
  return object::setattr(in, scheduler, name, Value(last - 1));
}

PyResult<Value> init_sequential(Interpreter& in, Args a) {
  const SchedulerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(const std::vector<Value> schedulers, object::to_vector(in, a[2]));
  NNS_TRY_ASSIGN(const std::vector<Value> milestones, object::to_vector(in, a[3]));
  if (schedulers.empty()) {
    return object::value_error(in, "{} expects at least one scheduler, but got no scheduler.", in.type_of(a[0]).name());
  }
  NNS_TRY(check_parts(self, schedulers, a[1]));
  if (milestones.size() + 1 != schedulers.size()) {
    return object::value_error(in,
                               "Sequential Schedulers expects number of schedulers provided to be one more than the "
                               "number of milestone points, but got number of schedulers {} and the number of "
                               "milestones to be equal to {}",
                               schedulers.size(), milestones.size());
  }
  self.set("_schedulers", a[2]);
  self.set("_milestones", a[3]);
  NNS_TRY_ASSIGN(const std::int64_t last_epoch, object::index(in, a[4]));
  self.set("last_epoch", Value(last_epoch + 1));
  self.set("optimizer", a[1]);
  NNS_TRY_ASSIGN(const std::vector<Dict*> groups, self.groups());
  for (Dict* group : groups) {
    const Value* initial = group->find("initial_lr");
    if (initial == nullptr) return object::key_error(in, in.text("initial_lr"));
    NNS_TRY(set_group_value(in, *group, "lr", Value(*initial)));
  }
  NNS_TRY(undo(in, a[0]));
  NNS_TRY(in.call_method(schedulers[0], in.intern("_initial_step")));
  NNS_TRY_ASSIGN(const Value rates, in.call_method(schedulers[0], in.intern("get_last_lr")));
  self.set("_last_lr", rates);
  return Value();
}

PyResult<Value> step_sequential(Interpreter& in, Args a) {
  const SchedulerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(const std::int64_t epoch_before, self.integer("last_epoch"));
  const std::int64_t epoch = epoch_before + 1;
  self.set("last_epoch", Value(epoch));
  NNS_TRY_ASSIGN(const Value milestones_value, self.get("_milestones"));
  NNS_TRY_ASSIGN(const std::vector<Value> milestones, object::to_vector(in, milestones_value));
  std::size_t at = 0;
  bool is_at_milestone = false;
  for (; at < milestones.size(); ++at) {
    NNS_TRY_ASSIGN(const std::int64_t milestone, object::index(in, milestones[at]));
    if (epoch < milestone) break;
    is_at_milestone = milestone == epoch;
  }
  NNS_TRY_ASSIGN(const Value schedulers, self.get("_schedulers"));
  NNS_TRY_ASSIGN(const Value scheduler, object::getitem(in, schedulers, Value(at)));
  if (is_at_milestone) {
    NNS_TRY(in.call_method(scheduler, in.intern("_update_lr"), {Value(0)}));
  } else {
    NNS_TRY(in.call_method(scheduler, in.intern("step")));
  }
  NNS_TRY_ASSIGN(const Value rates, in.call_method(scheduler, in.intern("get_last_lr")));
  self.set("_last_lr", rates);
  return Value();
}

PyResult<void> note_rates_of_last(const SchedulerSelf& self) {
  NNS_TRY_ASSIGN(std::vector<Value> rates, self.values_of("lr"));
  self.set("_last_lr", Value(self.interpreter.list(std::move(rates))));
  return {};
}

PyResult<Value> init_chained(Interpreter& in, Args a) {
  const SchedulerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(const std::vector<Value> schedulers, object::to_vector(in, a[1]));
  if (schedulers.empty()) {
    return object::value_error(in, "{} expects at least one scheduler to be chained, but got no scheduler.",
                               in.type_of(a[0]).name());
  }
  Value optimizer = a[2];
  if (optimizer.is_none()) {
    NNS_TRY_ASSIGN(optimizer, object::getattr(in, schedulers[0], in.intern("optimizer")));
  }
  NNS_TRY(check_parts(self, schedulers, optimizer));
  self.set("_schedulers", a[1]);
  self.set("optimizer", optimizer);
  NNS_TRY(note_rates_of_last(self));
  return Value();
}

PyResult<Value> step_chained(Interpreter& in, Args a) {
  const SchedulerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(const Value parts, self.get("_schedulers"));
  NNS_TRY_ASSIGN(const std::vector<Value> schedulers, object::to_vector(in, parts));
  for (const Value& scheduler : schedulers) NNS_TRY(in.call_method(scheduler, in.intern("step")));
  NNS_TRY(note_rates_of_last(self));
  return Value();
}

// The states of the parts lie within the state of the whole.
void save_parts(Class& cls) {
  cls.def("state_dict(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Ref<Dict> state = attributes_without(a[0], {"optimizer", "_schedulers"});
    NNS_TRY_ASSIGN(const Value parts, SchedulerSelf(in, a[0]).get("_schedulers"));
    NNS_TRY_ASSIGN(std::vector<Value> items, object::to_vector(in, parts));
    for (Value& item : items) {
      NNS_TRY_ASSIGN(item, in.call_method(item, in.intern("state_dict")));
    }
    state->set(in.intern("_schedulers"), Value(in.list(std::move(items))));
    return Value(state);
  });
  cls.def("load_state_dict(self, state_dict)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const SchedulerSelf self(in, a[0]);
    const Name key = in.intern("_schedulers");
    NNS_TRY_ASSIGN(const Value saved, object::getitem(in, a[1], key.value()));
    NNS_TRY_ASSIGN(const Value parts, self.get("_schedulers"));
    NNS_TRY(update_attributes(in, a[0], a[1]));
    self.set("_schedulers", parts);
    NNS_TRY_ASSIGN(const std::vector<Value> states, object::to_vector(in, saved));
    for (std::size_t i = 0; i < states.size(); ++i) {
      NNS_TRY_ASSIGN(const Value part, object::getitem(in, parts, Value(i)));
      NNS_TRY(in.call_method(part, in.intern("load_state_dict"), {states[i]}));
    }
    return Value();
  });
}

}  // namespace

template <>
void define_scheduler<SchedulerId::SequentialLR>(Class& cls) {
  cls.def("__init__(self, optimizer, schedulers, milestones, last_epoch=-1)", init_sequential);
  cls.def("step(self)", step_sequential);
  save_parts(cls);
}

template <>
void define_scheduler<SchedulerId::ChainedScheduler>(Class& cls) {
  cls.def("__init__(self, schedulers, optimizer=None)", init_chained);
  cls.def("step(self)", step_chained);
  save_parts(cls);
}

}  // namespace nns::optim
