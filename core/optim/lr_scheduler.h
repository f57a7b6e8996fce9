#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/optim/optimizer.h"

namespace nns::optim {

/// Makes a scheduler by the name of its class: make_scheduler(in, "StepLR", {optimizer, 30}, {{"gamma", 0.5}}).
/// The class is called as a program calls it. A scheduler is an instance whose numbers lie in its __dict__.
/// Behaviour: torch/optim/lr_scheduler.py.
/// Differs: where a group's lr is a Tensor, get_lr gives numbers; the Tensor in the group is written all the same.
/// Errors: what its constructor raises; AttributeError  torch.optim.lr_scheduler has no such class.
PyResult<Value> make_scheduler(Interpreter& interpreter, std::string_view name, std::vector<Value> positional,
                               const Keywords& keywords = {});

/// Before somebody gives a group of the optimizer another rate than its schedulers made: what these compute from (base
/// rates; the extremes of cycles) is scaled, so that they go on from `rate` as they would from the one there is. Those
/// that compute each rate from the last one do so anyway. Returns the classes of the schedulers.
/// Errors: a rate of 0, or schedulers that are at 0 (at the edge of a warmup): nothing can be scaled so.
base::Result<std::vector<std::string>> rescale_schedulers(Optimizer& optimizer, std::size_t group, double rate);

// For the files of the classes.

/// The rows of schedulers.def.
enum class SchedulerId : std::uint8_t {
#define NNS_SCHEDULER(name, module, base) name,
#include "core/optim/schedulers.def"
#undef NNS_SCHEDULER
  Count
};

/// Adds the methods of a class of schedulers.def. Each row has its specialisation in the file of its family.
template <SchedulerId id>
void define_scheduler(Class& cls);
#define NNS_SCHEDULER(name, module, base) \
  template <>                             \
  void define_scheduler<SchedulerId::name>(Class & cls);
#include "core/optim/schedulers.def"
#undef NNS_SCHEDULER

/// LRScheduler's own methods; called once, by OptimLibrary.
void add_scheduler_class(Class& cls);

/// A scheduler while a method of it runs.
class SchedulerSelf {
 public:
  SchedulerSelf(Interpreter& in, const Value& self) : interpreter(in), value(self) {}

  Interpreter& interpreter;
  const Value value;

  /// self.name. Errors: AttributeError; TypeError  no number.
  PyResult<Value> get(std::string_view name) const;
  PyResult<double> number(std::string_view name) const;
  PyResult<std::int64_t> integer(std::string_view name) const;
  PyResult<bool> is_true(std::string_view name) const;
  /// self.name = new_value, in the instance's __dict__.
  void set(std::string_view name, const Value& new_value) const;

  PyResult<Value> optimizer() const { return get("optimizer"); }
  /// The dicts of self.optimizer.param_groups.
  PyResult<std::vector<Dict*>> groups() const;
  /// [group[key] for group in groups], tensors copied.
  PyResult<std::vector<Value>> values_of(std::string_view key) const;
  PyResult<std::vector<double>> numbers_of(std::string_view key) const;
  PyResult<std::vector<double>> base_lrs() const;
  /// Every group's lr times `factor`.
  PyResult<std::vector<Value>> scaled(double factor) const;

  /// LRScheduler.__init__(self, optimizer, last_epoch).
  PyResult<void> init_base(const Value& optimizer, const Value& last_epoch) const;
};

using GetLr = PyResult<std::vector<Value>> (*)(SchedulerSelf& self);
/// Defines get_lr and, where there is one, the form that computes the rates from the epoch alone.
void define_get_lr(Class& cls, GetLr get_lr, GetLr closed_form = nullptr);

/// Errors: TypeError  "Linear is not an Optimizer".
PyResult<Optimizer*> require_optimizer(Interpreter& interpreter, const Value& value);
/// group[key] = number, or written into the Tensor that stands there. Errors: KeyError.
PyResult<void> set_group_value(Interpreter& interpreter, Dict& group, std::string_view key, const Value& number);
/// One value for each group: the items of a list or tuple, anything else repeated; tensors copied.
/// Errors: ValueError  another length.
PyResult<std::vector<Value>> one_for_each_group(Interpreter& interpreter, std::string_view name, std::size_t groups,
                                                const Value& value);
/// A copy of the instance's __dict__ without these keys.
Ref<Dict> attributes_without(const Value& self, std::initializer_list<std::string_view> names);
/// self.__dict__.update(state).
PyResult<void> update_attributes(Interpreter& interpreter, const Value& self, const Value& state);
/// The __dict__ of a callable object, copied; None for a function, which is not saved.
Value saved_callable(Interpreter& interpreter, const Value& callable);
/// Runs `use` while self.<flag> is true.
PyResult<void> while_flag(const SchedulerSelf& self, std::string_view flag, const std::function<PyResult<void>()>& use);
/// The warning of a step with an epoch.
void warn_epoch(Interpreter& interpreter);

}  // namespace nns::optim
