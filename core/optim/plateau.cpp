#include <algorithm>
#include <limits>

#include "core/object/operations.h"
#include "core/optim/group_options.h"
#include "core/optim/lr_scheduler.h"

// Behaviour: torch/optim/lr_scheduler.py, class ReduceLROnPlateau.
namespace nns::optim {
namespace {

PyResult<void> set_comparison(const SchedulerSelf& self, const Value& mode, const Value& threshold,
                              const Value& threshold_mode) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const std::string mode_name, object::str(in, mode));
  NNS_TRY_ASSIGN(const std::string threshold_name, object::str(in, threshold_mode));
  if (mode_name != "min" && mode_name != "max") return object::value_error(in, "mode {} is unknown!", mode_name);
  if (threshold_name != "rel" && threshold_name != "abs") {
    return object::value_error(in, "threshold mode {} is unknown!", threshold_name);
  }
  const double worst = std::numeric_limits<double>::infinity();
  self.set("mode_worse", Value(mode_name == "min" ? worst : -worst));
  self.set("mode", mode);
  self.set("threshold", threshold);
  self.set("threshold_mode", threshold_mode);
  return {};
}

PyResult<bool> is_better(const SchedulerSelf& self, double now, double best) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Value mode, self.get("mode"));
  NNS_TRY_ASSIGN(const Value threshold_mode, self.get("threshold_mode"));
  NNS_TRY_ASSIGN(const double threshold, self.number("threshold"));
  NNS_TRY_ASSIGN(const std::string mode_name, object::str(in, mode));
  NNS_TRY_ASSIGN(const std::string threshold_name, object::str(in, threshold_mode));
  const bool is_relative = threshold_name == "rel";
  if (mode_name == "min") return now < (is_relative ? best * (1.0 - threshold) : best - threshold);
  return now > (is_relative ? best * (threshold + 1.0) : best + threshold);
}

PyResult<void> reduce(const SchedulerSelf& self) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const std::vector<Dict*> groups, self.groups());
  NNS_TRY_ASSIGN(const Value list, self.get("min_lrs"));
  NNS_TRY_ASSIGN(std::vector<Value> lowest, object::to_vector(in, list));
  if (groups.size() != lowest.size()) {
    NNS_TRY_ASSIGN(const Value otherwise, self.get("default_min_lr"));
    if (otherwise.is_none()) {
      return object::runtime_error(in,
                                   "The number of param groups in the `optimizer` ({}) differs from when "
                                   "`ReduceLROnPlateau` was initialized ({}), usually due to a new param group being "
                                   "added to the optimizer. Please modify the `min_lrs` field to match the length of "
                                   "the `optimizer` param groups.",
                                   groups.size(), lowest.size());
    }
    lowest.assign(groups.size(), otherwise);
    self.set("min_lrs", Value(in.list(lowest)));
  }
  NNS_TRY_ASSIGN(const double factor, self.number("factor"));
  NNS_TRY_ASSIGN(const double least_change, self.number("eps"));
  NNS_TRY_ASSIGN(const std::vector<double> rates, self.numbers_of("lr"));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    NNS_TRY_ASSIGN(const double floor, number_of(in, lowest[i]));
    const double next = std::max(rates[i] * factor, floor);
    if (rates[i] - next > least_change) NNS_TRY(set_group_value(in, *groups[i], "lr", Value(next)));
  }
  return {};
}

PyResult<void> step_on(const SchedulerSelf& self, const Value& metrics, Value epoch) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const double now, number_of(in, metrics));
  if (epoch.is_none()) {
    NNS_TRY_ASSIGN(const std::int64_t last, self.integer("last_epoch"));
    epoch = Value(last + 1);
  } else {
    warn_epoch(in);
  }
  self.set("last_epoch", epoch);
  NNS_TRY_ASSIGN(const double best, self.number("best"));
  NNS_TRY_ASSIGN(std::int64_t bad_epochs, self.integer("num_bad_epochs"));
  NNS_TRY_ASSIGN(const bool improved, is_better(self, now, best));
  if (improved) self.set("best", Value(now));
  bad_epochs = improved ? 0 : bad_epochs + 1;
  NNS_TRY_ASSIGN(const std::int64_t cooldown, self.integer("cooldown_counter"));
  if (cooldown > 0) {
    self.set("cooldown_counter", Value(cooldown - 1));
    bad_epochs = 0;
  }
  NNS_TRY_ASSIGN(const std::int64_t patience, self.integer("patience"));
  if (bad_epochs > patience) {
    NNS_TRY(reduce(self));
    NNS_TRY_ASSIGN(const Value pause, self.get("cooldown"));
    self.set("cooldown_counter", pause);
    bad_epochs = 0;
  }
  self.set("num_bad_epochs", Value(bad_epochs));
  NNS_TRY_ASSIGN(std::vector<Value> rates, self.values_of("lr"));
  self.set("_last_lr", Value(in.list(std::move(rates))));
  return {};
}

PyResult<Value> init_plateau(Interpreter& in, Args a) {
  const SchedulerSelf self(in, a[0]);
  const Value &optimizer = a[1], &mode = a[2], &factor = a[3], &min_lr = a[8];
  NNS_TRY_ASSIGN(const double factor_number, number_of(in, factor));
  if (factor_number >= 1.0) return object::value_error(in, "Factor should be < 1.0.");
  self.set("factor", factor);
  NNS_TRY(require_optimizer(in, optimizer));
  self.set("optimizer", optimizer);
  NNS_TRY_ASSIGN(const std::vector<Dict*> groups, self.groups());
  const bool is_list = min_lr.as<List>() != nullptr || min_lr.as<object::Tuple>() != nullptr;
  std::vector<Value> lowest(groups.size(), min_lr);
  if (is_list) {
    NNS_TRY_ASSIGN(lowest, object::to_vector(in, min_lr));
    if (lowest.size() != groups.size()) {
      return object::value_error(in, "expected {} min_lrs, got {}", groups.size(), lowest.size());
    }
  }
  self.set("default_min_lr", is_list ? Value() : min_lr);
  self.set("min_lrs", Value(in.list(std::move(lowest))));
  self.set("patience", a[4]);
  self.set("cooldown", a[7]);
  self.set("eps", a[9]);
  self.set("last_epoch", Value(0));
  NNS_TRY_ASSIGN(std::vector<Value> rates, self.values_of("lr"));
  self.set("_last_lr", Value(in.list(std::move(rates))));
  NNS_TRY(set_comparison(self, mode, a[5], a[6]));
  NNS_TRY(in.call_method(a[0], in.intern("_reset")));
  return Value();
}

}  // namespace

template <>
void define_scheduler<SchedulerId::ReduceLROnPlateau>(Class& cls) {
  cls.def(
      "__init__(self, optimizer, mode='min', factor=0.1, patience=10, threshold=0.0001, threshold_mode='rel', "
      "cooldown=0, min_lr=0, eps=1e-08)",
      init_plateau);
  cls.def("_reset(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const SchedulerSelf self(in, a[0]);
    NNS_TRY_ASSIGN(const Value worst, self.get("mode_worse"));
    self.set("best", worst);
    self.set("cooldown_counter", Value(0));
    self.set("num_bad_epochs", Value(0));
    return Value();
  });
  cls.def("step(self, metrics, epoch=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(step_on(SchedulerSelf(in, a[0]), a[1], a[2]));
    return Value();
  });
  cls.property("in_cooldown", [](Interpreter& in, const Value& value) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t counter, SchedulerSelf(in, value).integer("cooldown_counter"));
    return Value(counter > 0);
  });
  cls.def("load_state_dict(self, state_dict)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const SchedulerSelf self(in, a[0]);
    NNS_TRY(update_attributes(in, a[0], a[1]));
    NNS_TRY_ASSIGN(const Value mode, self.get("mode"));
    NNS_TRY_ASSIGN(const Value threshold, self.get("threshold"));
    NNS_TRY_ASSIGN(const Value threshold_mode, self.get("threshold_mode"));
    NNS_TRY(set_comparison(self, mode, threshold, threshold_mode));
    return Value();
  });
}

}  // namespace nns::optim
