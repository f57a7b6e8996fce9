#include <cmath>
#include <numbers>

#include "core/object/operations.h"
#include "core/optim/group_options.h"
#include "core/optim/momentum_cycle.h"

// Behaviour: torch/optim/lr_scheduler.py, class OneCycleLR.
namespace nns::optim {
namespace {

bool is_positive_int(const Value& value) { return value.is_int() && value.as_int() > 0; }

PyResult<std::int64_t> total_steps(Interpreter& in, const Value& total, const Value& epochs, const Value& steps) {
  const auto refuse = [&in](std::string_view name, const Value& value) -> PyResult<std::int64_t> {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, value));
    return object::value_error(in, "Expected positive integer {}, but got {}", name, shown);
  };
  if (!total.is_none()) {
    if (!is_positive_int(total)) return refuse("total_steps", total);
    return total.as_int();
  }
  if (epochs.is_none() || steps.is_none()) {
    return object::value_error(in, "You must define either total_steps OR (epochs AND steps_per_epoch)");
  }
  if (!is_positive_int(epochs)) return refuse("epochs", epochs);
  if (!is_positive_int(steps)) return refuse("steps_per_epoch", steps);
  return epochs.as_int() * steps.as_int();
}

// One entry of self._schedule_phases.
Value phase(Interpreter& in, const Value& end_step, std::array<std::string_view, 4> keys) {
  constexpr std::string_view kNames[] = {"start_lr", "end_lr", "start_momentum", "end_momentum"};
  const Ref<Dict> made = in.dict();
  made->set(in.intern("end_step"), end_step);
  for (std::size_t i = 0; i < keys.size(); ++i) made->set(in.intern(kNames[i]), in.text(keys[i]));
  return Value(made);
}

Value schedule(Interpreter& in, std::int64_t total, double start, bool three_phases) {
  const auto steps = static_cast<double>(total);
  std::vector<Value> phases{
      phase(in, Value(start * steps - 1), {"initial_lr", "max_lr", "max_momentum", "base_momentum"})};
  if (three_phases) {
    phases.push_back(
        phase(in, Value(2 * start * steps - 2), {"max_lr", "initial_lr", "base_momentum", "max_momentum"}));
    phases.push_back(phase(in, Value(total - 1), {"initial_lr", "min_lr", "max_momentum", "max_momentum"}));
  } else {
    phases.push_back(phase(in, Value(total - 1), {"max_lr", "min_lr", "base_momentum", "max_momentum"}));
  }
  return Value(in.list(std::move(phases)));
}

double anneal_by_cosine(double start, double end, double part) {
  return end + (start - end) / 2.0 * (std::cos(std::numbers::pi * part) + 1);
}
double anneal_linearly(double start, double end, double part) { return (end - start) * part + start; }

// What takes the place of one of them in the state of an old PyTorch: `anneal_func`.
struct Annealing {
  double (*rule)(double, double, double);
  Value legacy;

  PyResult<double> at(Interpreter& in, double start, double end, double part) const {
    if (rule != nullptr) return rule(start, end, part);
    NNS_TRY_ASSIGN(const Value made, in.call(legacy, {Value(start), Value(end), Value(part)}));
    return number_of(in, made);
  }
};

// Behaviour: OneCycleLR._anneal_func.
PyResult<Annealing> annealing_of(const SchedulerSelf& self) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const bool is_named, object::hasattr(in, self.value, in.intern("_anneal_func_type")));
  if (!is_named) {
    NNS_TRY_ASSIGN(const Value legacy, self.get("anneal_func"));
    return Annealing{.rule = nullptr, .legacy = legacy};
  }
  NNS_TRY_ASSIGN(const Value strategy, self.get("_anneal_func_type"));
  NNS_TRY_ASSIGN(const std::string name, object::str(in, strategy));
  if (name == "cos") return Annealing{.rule = anneal_by_cosine, .legacy = {}};
  if (name == "linear") return Annealing{.rule = anneal_linearly, .legacy = {}};
  return object::value_error(in, "Unknown _anneal_func_type: {}", name);
}

// A static method of the class.
template <double (*rule)(double, double, double)>
PyResult<Value> call_rule(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const double start, number_of(in, a[0]));
  NNS_TRY_ASSIGN(const double end, number_of(in, a[1]));
  NNS_TRY_ASSIGN(const double part, number_of(in, a[2]));
  return Value(rule(start, end, part));
}

// group[phase[key]]
PyResult<double> number_at(Interpreter& in, Dict& group, Dict& phase, std::string_view key) {
  const Value* name = phase.find(key);
  const Value* found = name == nullptr ? nullptr : group.find(*name);
  if (found == nullptr) return object::key_error(in, name == nullptr ? in.text(key) : Value(*name));
  return number_of(in, Value(*found));
}

PyResult<std::vector<Value>> one_cycle_rates(SchedulerSelf& self) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const std::int64_t epoch, self.integer("last_epoch"));
  NNS_TRY_ASSIGN(const std::int64_t total, self.integer("total_steps"));
  if (epoch > total) {
    return object::value_error(in, "Tried to step {} times. The specified number of total steps is {}", epoch, total);
  }
  NNS_TRY_ASSIGN(const Annealing annealing, annealing_of(self));
  NNS_TRY_ASSIGN(const Value phases_value, self.get("_schedule_phases"));
  NNS_TRY_ASSIGN(const std::vector<Value> phases, object::to_vector(in, phases_value));
  NNS_TRY_ASSIGN(const bool cycles_momentum, self.is_true("cycle_momentum"));
  NNS_TRY_ASSIGN(const std::vector<Dict*> groups, self.groups());
  const auto step = static_cast<double>(epoch);
  std::vector<Value> rates;
  for (Dict* group : groups) {
    double start_step = 0;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      Dict* const now = phases[i].as<Dict>();
      const Value* end = now == nullptr ? nullptr : now->find("end_step");
      if (end == nullptr) return object::key_error(in, in.text("end_step"));
      NNS_TRY_ASSIGN(const double end_step, number_of(in, Value(*end)));
      if (step > end_step && i + 1 < phases.size()) {
        start_step = end_step;
        continue;
      }
      if (end_step == start_step) {
        return object::error<object::ErrorKind::ZeroDivisionError>(in, "division by zero");
      }
      const double part = (step - start_step) / (end_step - start_step);
      NNS_TRY_ASSIGN(const double first, number_at(in, *group, *now, "start_lr"));
      NNS_TRY_ASSIGN(const double last, number_at(in, *group, *now, "end_lr"));
      NNS_TRY_ASSIGN(const double rate, annealing.at(in, first, last, part));
      rates.emplace_back(rate);
      if (cycles_momentum) {
        NNS_TRY_ASSIGN(const double from, number_at(in, *group, *now, "start_momentum"));
        NNS_TRY_ASSIGN(const double to, number_at(in, *group, *now, "end_momentum"));
        NNS_TRY_ASSIGN(const bool uses_beta1, self.is_true("use_beta1"));
        NNS_TRY_ASSIGN(const double momentum, annealing.at(in, from, to, part));
        NNS_TRY(set_momentum(in, *group, uses_beta1, Value(momentum)));
      }
      break;
    }
  }
  return rates;
}

PyResult<Value> init_one_cycle(Interpreter& in, Args a) {
  const SchedulerSelf self(in, a[0]);
  const Value &max_lr = a[2], &start = a[6], &strategy = a[7], &last_epoch = a[14];
  NNS_TRY(require_optimizer(in, a[1]));
  self.set("optimizer", a[1]);
  NNS_TRY_ASSIGN(const std::int64_t total, total_steps(in, a[3], a[4], a[5]));
  self.set("total_steps", Value(total));
  NNS_TRY_ASSIGN(const bool three_phases, object::truth(in, a[13]));
  NNS_TRY_ASSIGN(const double part, number_of(in, start));
  self.set("_schedule_phases", schedule(in, total, part, three_phases));
  if (part < 0 || part > 1 || !start.is_float()) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, start));
    return object::value_error(in, "Expected float between 0 and 1 pct_start, but got {}", shown);
  }
  NNS_TRY_ASSIGN(const std::string name, object::str(in, strategy));
  if (name != "cos" && name != "linear") {
    return object::value_error(in, "anneal_strategy must be one of 'cos' or 'linear', instead got {}", name);
  }
  self.set("_anneal_func_type", strategy);
  NNS_TRY_ASSIGN(const std::vector<Dict*> groups, self.groups());
  NNS_TRY_ASSIGN(const std::vector<Value> highest, one_for_each_group(in, "max_lr", groups.size(), max_lr));
  const bool is_new = last_epoch.is_int() && last_epoch.as_int() == -1;
  if (is_new) {
    NNS_TRY_ASSIGN(const double divisor, number_of(in, a[11]));
    NNS_TRY_ASSIGN(const double final_divisor, number_of(in, a[12]));
    for (std::size_t i = 0; i < groups.size(); ++i) {
      NNS_TRY_ASSIGN(const double top, number_of(in, highest[i]));
      groups[i]->set(in.intern("initial_lr"), Value(top / divisor));
      groups[i]->set(in.intern("max_lr"), highest[i]);
      groups[i]->set(in.intern("min_lr"), Value(top / divisor / final_divisor));
    }
  }
  self.set("cycle_momentum", a[8]);
  NNS_TRY_ASSIGN(const bool cycles_momentum, object::truth(in, a[8]));
  if (cycles_momentum) NNS_TRY(begin_momentum_cycle(self, a[9], a[10], is_new));
  NNS_TRY(self.init_base(a[1], last_epoch));
  return Value();
}

}  // namespace

template <>
void define_scheduler<SchedulerId::OneCycleLR>(Class& cls) {
  cls.def(
      "__init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3, "
      "anneal_strategy='cos', cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0, "
      "final_div_factor=10000.0, three_phase=False, last_epoch=-1)",
      init_one_cycle);
  cls.def_static("_annealing_cos(start, end, pct)", call_rule<anneal_by_cosine>);
  cls.def_static("_annealing_linear(start, end, pct)", call_rule<anneal_linearly>);
  define_get_lr(cls, one_cycle_rates);
}

}  // namespace nns::optim
