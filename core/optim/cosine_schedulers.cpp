// CosineAnnealingLR and CosineAnnealingWarmRestarts.
#include <cmath>
#include <numbers>

#include "core/object/operations.h"
#include "core/optim/group_options.h"
#include "core/optim/lr_scheduler.h"

// Behaviour: torch/optim/lr_scheduler.py.
namespace nns::optim {
namespace {

constexpr double kPi = std::numbers::pi;

// eta_min + (base - eta_min) * (1 + cos(angle)) / 2 for each group.
PyResult<std::vector<Value>> annealed(const SchedulerSelf& self, double lowest, double angle) {
  NNS_TRY_ASSIGN(const std::vector<double> rates, self.base_lrs());
  std::vector<Value> made;
  for (const double rate : rates) made.emplace_back(lowest + (rate - lowest) * (1 + std::cos(angle)) / 2);
  return made;
}

PyResult<std::vector<Value>> cosine_rates(SchedulerSelf& self) {
  NNS_TRY_ASSIGN(const bool is_initial, self.is_true("_is_initial"));
  if (is_initial) return self.values_of("lr");
  NNS_TRY_ASSIGN(const std::int64_t epoch, self.integer("last_epoch"));
  NNS_TRY_ASSIGN(const std::int64_t period, self.integer("T_max"));
  NNS_TRY_ASSIGN(const double lowest, self.number("eta_min"));
  NNS_TRY_ASSIGN(const std::int64_t steps, self.integer("_step_count"));
  if (period == 0) return object::error<object::ErrorKind::ZeroDivisionError>(self.interpreter, "division by zero");
  const auto half = static_cast<double>(period);
  const auto now = static_cast<double>(epoch);
  if (steps == 1 && epoch > 0) return annealed(self, lowest, now * kPi / half);
  NNS_TRY_ASSIGN(const std::vector<double> rates, self.numbers_of("lr"));
  NNS_TRY_ASSIGN(const std::vector<double> bases, self.base_lrs());
  const bool is_at_bottom = (epoch - 1 - period) % (2 * period) == 0;
  std::vector<Value> made;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (is_at_bottom) {
      made.emplace_back(rates[i] + (bases[i] - lowest) * (1 - std::cos(kPi / half)) / 2);
    } else {
      made.emplace_back(
          (1 + std::cos(kPi * now / half)) / (1 + std::cos(kPi * (now - 1) / half)) * (rates[i] - lowest) + lowest);
    }
  }
  return made;
}

// Where the cycle stands at `epoch`, which may lie between two.
PyResult<void> restart_at(const SchedulerSelf& self, const Value& epoch_value) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const double epoch, number_of(in, epoch_value));
  if (epoch < 0) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, epoch_value));
    return object::value_error(in, "Expected non-negative epoch, but got {}", shown);
  }
  NNS_TRY_ASSIGN(const std::int64_t first, self.integer("T_0"));
  NNS_TRY_ASSIGN(const std::int64_t factor, self.integer("T_mult"));
  const auto length = static_cast<double>(first);
  const auto growth = static_cast<double>(factor);
  if (epoch < length) {
    self.set("T_i", Value(first));
    self.set("T_cur", epoch_value);
  } else if (factor == 1) {
    const double rest = std::fmod(epoch, length);
    self.set("T_cur", epoch_value.is_float() ? Value(rest) : Value(static_cast<std::int64_t>(rest)));
  } else {
    const auto cycles =
        static_cast<double>(static_cast<std::int64_t>(std::log(epoch / length * (growth - 1) + 1) / std::log(growth)));
    const double scale = std::pow(growth, cycles);
    self.set("T_cur", Value(epoch - length * (scale - 1) / (growth - 1)));
    self.set("T_i", Value(static_cast<std::int64_t>(length * scale)));
  }
  return {};
}

PyResult<void> step_with_restarts(const SchedulerSelf& self, Value epoch) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const double last, self.number("last_epoch"));
  if (epoch.is_none() && last < 0) epoch = Value(0);
  if (epoch.is_none()) {
    epoch = Value(static_cast<std::int64_t>(last) + 1);
    NNS_TRY_ASSIGN(const Value before, self.get("T_cur"));
    NNS_TRY_ASSIGN(const double place, number_of(in, before));
    NNS_TRY_ASSIGN(const std::int64_t length, self.integer("T_i"));
    NNS_TRY_ASSIGN(const std::int64_t factor, self.integer("T_mult"));
    double next = place + 1;
    if (next >= static_cast<double>(length)) {
      next = std::fmod(next, static_cast<double>(length));
      self.set("T_i", Value(length * factor));
    }
    self.set("T_cur", before.is_float() ? Value(next) : Value(static_cast<std::int64_t>(next)));
  } else {
    NNS_TRY(restart_at(self, epoch));
  }
  NNS_TRY_ASSIGN(const double reached, number_of(in, epoch));
  self.set("last_epoch", Value(static_cast<std::int64_t>(std::floor(reached))));
  std::vector<Value> rates;
  NNS_TRY(while_flag(self, "_get_lr_called_within_step", [&]() -> PyResult<void> {
    NNS_TRY_ASSIGN(const Value made, in.call_method(self.value, in.intern("get_lr")));
    NNS_TRY_ASSIGN(rates, object::to_vector(in, made));
    return {};
  }));
  NNS_TRY_ASSIGN(const std::vector<Dict*> groups, self.groups());
  for (std::size_t i = 0; i < groups.size() && i < rates.size(); ++i) {
    NNS_TRY(set_group_value(in, *groups[i], "lr", rates[i]));
  }
  NNS_TRY_ASSIGN(std::vector<Value> now, self.values_of("lr"));
  self.set("_last_lr", Value(in.list(std::move(now))));
  return {};
}

}  // namespace

template <>
void define_scheduler<SchedulerId::CosineAnnealingLR>(Class& cls) {
  cls.def("__init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            const SchedulerSelf self(in, a[0]);
            self.set("T_max", a[2]);
            self.set("eta_min", a[3]);
            NNS_TRY(self.init_base(a[1], a[4]));
            return Value();
          });
  define_get_lr(cls, cosine_rates, [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
    NNS_TRY_ASSIGN(const double epoch, self.number("last_epoch"));
    NNS_TRY_ASSIGN(const double period, self.number("T_max"));
    NNS_TRY_ASSIGN(const double lowest, self.number("eta_min"));
    return annealed(self, lowest, kPi * epoch / period);
  });
}

template <>
void define_scheduler<SchedulerId::CosineAnnealingWarmRestarts>(Class& cls) {
  cls.def("__init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            const SchedulerSelf self(in, a[0]);
            const auto is_at_least_one = [](const Value& value) { return value.is_int() && value.as_int() >= 1; };
            NNS_TRY_ASSIGN(const std::string first, object::str(in, a[2]));
            NNS_TRY_ASSIGN(const std::string factor, object::str(in, a[3]));
            if (!is_at_least_one(a[2])) {
              return object::value_error(in, "Expected positive integer T_0, but got {}", first);
            }
            if (!is_at_least_one(a[3])) {
              return object::value_error(in, "Expected integer T_mult >= 1, but got {}", factor);
            }
            if (!a[4].is_float() && !a[4].is_int() && !a[4].is_bool()) {
              NNS_TRY_ASSIGN(const std::string shown, object::str(in, a[4]));
              return object::value_error(in, "Expected float or int eta_min, but got {} of type {}", shown,
                                         object::class_repr(in.type_of(a[4])));
            }
            self.set("T_0", a[2]);
            self.set("T_i", a[2]);
            self.set("T_mult", a[3]);
            self.set("eta_min", a[4]);
            self.set("T_cur", a[5]);
            NNS_TRY(self.init_base(a[1], a[5]));
            return Value();
          });
  define_get_lr(cls, [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
    NNS_TRY_ASSIGN(const double place, self.number("T_cur"));
    NNS_TRY_ASSIGN(const double length, self.number("T_i"));
    NNS_TRY_ASSIGN(const double lowest, self.number("eta_min"));
    return annealed(self, lowest, kPi * place / length);
  });
  cls.def("step(self, epoch=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(step_with_restarts(SchedulerSelf(in, a[0]), a[1]));
    return Value();
  });
}

}  // namespace nns::optim
