// Schedulers that give each group a factor of its rate.
#include <algorithm>
#include <cmath>

#include "core/object/operations.h"
#include "core/optim/group_options.h"
#include "core/optim/lr_scheduler.h"

// Behaviour: torch/optim/lr_scheduler.py.
namespace nns::optim {
namespace {

using object::Tuple;

// lr_lambda as a list with one function for each group.
PyResult<std::vector<Value>> functions_of(Interpreter& in, const Value& optimizer, const Value& given) {
  NNS_TRY_ASSIGN(Optimizer* const found, require_optimizer(in, optimizer));
  NNS_TRY_ASSIGN(const List* const groups, found->param_groups());
  if (given.as<List>() == nullptr && given.as<Tuple>() == nullptr) return std::vector<Value>(groups->size(), given);
  NNS_TRY_ASSIGN(std::vector<Value> functions, object::to_vector(in, given));
  if (functions.size() != groups->size()) {
    return object::value_error(in, "Expected {} lr_lambdas, but got {}", groups->size(), functions.size());
  }
  return functions;
}

bool is_callable(Interpreter& in, const Value& value) {
  if (!value.is_object()) return false;
  if (value.as<object::NativeFunction>() != nullptr || value.as<object::BoundMethod>() != nullptr) return true;
  if (value.as<Class>() != nullptr || &in.type_of(value) == in.builtins().function) return true;
  return in.type_of(value).lookup(in.names().dunder_call) != nullptr;
}

// The functions are not saved, objects that can be called are, by their attributes.
void save_functions(Class& cls) {
  cls.def("state_dict(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Ref<Dict> state = attributes_without(a[0], {"optimizer", "lr_lambdas"});
    NNS_TRY_ASSIGN(const Value functions, SchedulerSelf(in, a[0]).get("lr_lambdas"));
    NNS_TRY_ASSIGN(std::vector<Value> items, object::to_vector(in, functions));
    for (Value& item : items) item = saved_callable(in, item);
    state->set(in.intern("lr_lambdas"), Value(in.list(std::move(items))));
    return Value(state);
  });
  cls.def("load_state_dict(self, state_dict)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Name key = in.intern("lr_lambdas");
    NNS_TRY_ASSIGN(const Value saved, object::getitem(in, a[1], key.value()));
    NNS_TRY_ASSIGN(const Value own, SchedulerSelf(in, a[0]).get("lr_lambdas"));
    NNS_TRY(update_attributes(in, a[0], a[1]));
    a[0].object()->instance_dict(true)->set(key, own);
    NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in, saved));
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].is_none()) continue;
      NNS_TRY_ASSIGN(const Value function, object::getitem(in, own, Value(i)));
      NNS_TRY(update_attributes(in, function, items[i]));
    }
    return Value();
  });
}

// function(last_epoch) for each group.
PyResult<std::vector<double>> lambda_factors(const SchedulerSelf& self) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Value functions, self.get("lr_lambdas"));
  NNS_TRY_ASSIGN(const Value epoch, self.get("last_epoch"));
  NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in, functions));
  std::vector<double> factors;
  for (const Value& function : items) {
    NNS_TRY_ASSIGN(const Value factor, in.call(function, {epoch}));
    NNS_TRY_ASSIGN(const double number, number_of(in, factor));
    factors.push_back(number);
  }
  return factors;
}

PyResult<std::vector<Value>> products(const SchedulerSelf& self, const std::vector<double>& rates,
                                      const std::vector<double>& factors) {
  if (rates.size() != factors.size()) {
    return object::value_error(self.interpreter, "zip() argument 2 is {} than argument 1",
                               factors.size() > rates.size() ? "shorter" : "longer");
  }
  std::vector<Value> made;
  for (std::size_t i = 0; i < rates.size(); ++i) made.emplace_back(rates[i] * factors[i]);
  return made;
}

PyResult<std::vector<Value>> base_times(const SchedulerSelf& self, double factor) {
  NNS_TRY_ASSIGN(const std::vector<double> rates, self.base_lrs());
  std::vector<Value> made;
  for (const double rate : rates) made.emplace_back(rate * factor);
  return made;
}

// a // b of Python.
std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

PyResult<std::int64_t> step_size_of(const SchedulerSelf& self) {
  NNS_TRY_ASSIGN(const std::int64_t size, self.integer("step_size"));
  if (size != 0) return size;
  return object::error<object::ErrorKind::ZeroDivisionError>(self.interpreter, "integer modulo by zero");
}

PyResult<std::int64_t> count_at(Interpreter& in, const Value& milestones, const Value& epoch) {
  Dict* const counts = milestones.as<Dict>();
  if (counts == nullptr) return object::type_error(in, "milestones must be a dict of counts");
  const Value* found = counts->find(epoch);
  return found == nullptr ? 0 : found->as_int();
}

}  // namespace

template <>
void define_scheduler<SchedulerId::LambdaLR>(Class& cls) {
  cls.def("__init__(self, optimizer, lr_lambda, last_epoch=-1)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const SchedulerSelf self(in, a[0]);
    self.set("optimizer", a[1]);
    NNS_TRY_ASSIGN(std::vector<Value> functions, functions_of(in, a[1], a[2]));
    self.set("lr_lambdas", Value(in.list(std::move(functions))));
    NNS_TRY(self.init_base(a[1], a[3]));
    return Value();
  });
  define_get_lr(cls, [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
    NNS_TRY_ASSIGN(const std::vector<double> factors, lambda_factors(self));
    NNS_TRY_ASSIGN(const std::vector<double> rates, self.base_lrs());
    return products(self, rates, factors);
  });
  save_functions(cls);
}

template <>
void define_scheduler<SchedulerId::MultiplicativeLR>(Class& cls) {
  cls.def("__init__(self, optimizer, lr_lambda, last_epoch=-1)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const SchedulerSelf self(in, a[0]);
    self.set("optimizer", a[1]);
    NNS_TRY_ASSIGN(std::vector<Value> functions, functions_of(in, a[1], a[2]));
    for (const Value& function : functions) {
      if (!is_callable(in, function)) {
        return object::type_error(in, "lr_lambda should be a function, but got {}", in.type_of(function).name());
      }
    }
    self.set("lr_lambdas", Value(in.list(std::move(functions))));
    NNS_TRY(self.init_base(a[1], a[3]));
    return Value();
  });
  define_get_lr(cls, [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
    NNS_TRY_ASSIGN(const bool is_initial, self.is_true("_is_initial"));
    if (is_initial) return self.values_of("lr");
    NNS_TRY_ASSIGN(const std::vector<double> factors, lambda_factors(self));
    NNS_TRY_ASSIGN(const std::vector<double> rates, self.numbers_of("lr"));
    return products(self, rates, factors);
  });
  save_functions(cls);
}

template <>
void define_scheduler<SchedulerId::StepLR>(Class& cls) {
  cls.def("__init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            const SchedulerSelf self(in, a[0]);
            self.set("step_size", a[2]);
            self.set("gamma", a[3]);
            NNS_TRY(self.init_base(a[1], a[4]));
            return Value();
          });
  define_get_lr(
      cls,
      [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
        NNS_TRY_ASSIGN(const std::int64_t epoch, self.integer("last_epoch"));
        if (epoch == 0) return self.values_of("lr");
        NNS_TRY_ASSIGN(const std::int64_t size, step_size_of(self));
        if (epoch % size != 0) return self.values_of("lr");
        NNS_TRY_ASSIGN(const double gamma, self.number("gamma"));
        return self.scaled(gamma);
      },
      [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
        NNS_TRY_ASSIGN(const std::int64_t epoch, self.integer("last_epoch"));
        NNS_TRY_ASSIGN(const std::int64_t size, step_size_of(self));
        NNS_TRY_ASSIGN(const double gamma, self.number("gamma"));
        return base_times(self, std::pow(gamma, static_cast<double>(floor_divide(epoch, size))));
      });
}

template <>
void define_scheduler<SchedulerId::MultiStepLR>(Class& cls) {
  cls.def("__init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            const SchedulerSelf self(in, a[0]);
            NNS_TRY_ASSIGN(const std::vector<Value> milestones, object::to_vector(in, a[2]));
            // How often each epoch is named.
            const Ref<Dict> counts = in.dict();
            for (const Value& milestone : milestones) {
              NNS_TRY(object::require_hashable(in, milestone));
              NNS_TRY_ASSIGN(const std::int64_t before, count_at(in, Value(counts), milestone));
              counts->set(milestone, Value(before + 1));
            }
            self.set("milestones", Value(counts));
            self.set("gamma", a[3]);
            NNS_TRY(self.init_base(a[1], a[4]));
            return Value();
          });
  define_get_lr(
      cls,
      [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
        NNS_TRY_ASSIGN(const Value epoch, self.get("last_epoch"));
        NNS_TRY_ASSIGN(const Value milestones, self.get("milestones"));
        NNS_TRY_ASSIGN(const std::int64_t count, count_at(self.interpreter, milestones, epoch));
        if (count == 0) return self.values_of("lr");
        NNS_TRY_ASSIGN(const double gamma, self.number("gamma"));
        return self.scaled(std::pow(gamma, static_cast<double>(count)));
      },
      [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
        NNS_TRY_ASSIGN(const double epoch, self.number("last_epoch"));
        NNS_TRY_ASSIGN(const Value milestones, self.get("milestones"));
        NNS_TRY_ASSIGN(const double gamma, self.number("gamma"));
        std::int64_t passed = 0;
        if (Dict* const counts = milestones.as<Dict>()) {
          for (std::size_t at = 0; Dict::Entry* entry = counts->next(at);) {
            NNS_TRY_ASSIGN(const double milestone, number_of(self.interpreter, entry->key));
            if (milestone <= epoch) passed += entry->value.as_int();
          }
        }
        return base_times(self, std::pow(gamma, static_cast<double>(passed)));
      });
}

template <>
void define_scheduler<SchedulerId::ConstantLR>(Class& cls) {
  cls.def("__init__(self, optimizer, factor=0.3333333333333333, total_iters=5, last_epoch=-1)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            const SchedulerSelf self(in, a[0]);
            NNS_TRY_ASSIGN(const double factor, number_of(in, a[2]));
            if (factor > 1 || factor < 0) {
              return object::value_error(in, "Constant multiplicative factor expected to be between 0 and 1.");
            }
            self.set("factor", a[2]);
            self.set("total_iters", a[3]);
            NNS_TRY(self.init_base(a[1], a[4]));
            return Value();
          });
  define_get_lr(
      cls,
      [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
        NNS_TRY_ASSIGN(const std::int64_t epoch, self.integer("last_epoch"));
        NNS_TRY_ASSIGN(const std::int64_t total, self.integer("total_iters"));
        NNS_TRY_ASSIGN(const double factor, self.number("factor"));
        if (epoch == 0) return self.scaled(factor);
        if (epoch != total) return self.values_of("lr");
        if (factor == 0) {
          return object::error<object::ErrorKind::ZeroDivisionError>(self.interpreter, "division by zero");
        }
        return self.scaled(1.0 / factor);
      },
      [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
        NNS_TRY_ASSIGN(const double epoch, self.number("last_epoch"));
        NNS_TRY_ASSIGN(const double total, self.number("total_iters"));
        NNS_TRY_ASSIGN(const double factor, self.number("factor"));
        return base_times(self, factor + (epoch >= total ? 1 - factor : 0));
      });
}

template <>
void define_scheduler<SchedulerId::LinearLR>(Class& cls) {
  cls.def("__init__(self, optimizer, start_factor=0.3333333333333333, end_factor=1.0, total_iters=5, last_epoch=-1)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            const SchedulerSelf self(in, a[0]);
            NNS_TRY_ASSIGN(const double start, number_of(in, a[2]));
            NNS_TRY_ASSIGN(const double end, number_of(in, a[3]));
            if (start > 1 || start <= 0) {
              return object::value_error(
                  in, "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.");
            }
            if (end > 1 || end < 0) {
              return object::value_error(in, "Ending multiplicative factor expected to be between 0 and 1.");
            }
            self.set("start_factor", a[2]);
            self.set("end_factor", a[3]);
            self.set("total_iters", a[4]);
            NNS_TRY(self.init_base(a[1], a[5]));
            return Value();
          });
  define_get_lr(
      cls,
      [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
        NNS_TRY_ASSIGN(const std::int64_t epoch, self.integer("last_epoch"));
        NNS_TRY_ASSIGN(const std::int64_t total, self.integer("total_iters"));
        NNS_TRY_ASSIGN(const double start, self.number("start_factor"));
        NNS_TRY_ASSIGN(const double end, self.number("end_factor"));
        NNS_TRY_ASSIGN(const bool is_initial, self.is_true("_is_initial"));
        if (epoch == 0) return self.scaled(start);
        if (is_initial || epoch > total) return self.values_of("lr");
        return self.scaled(1.0 + (end - start) / (static_cast<double>(total) * start +
                                                  static_cast<double>(epoch - 1) * (end - start)));
      },
      [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
        NNS_TRY_ASSIGN(const double epoch, self.number("last_epoch"));
        NNS_TRY_ASSIGN(const double total, self.number("total_iters"));
        NNS_TRY_ASSIGN(const double start, self.number("start_factor"));
        NNS_TRY_ASSIGN(const double end, self.number("end_factor"));
        return base_times(self, start + (end - start) * std::min(total, epoch) / total);
      });
}

template <>
void define_scheduler<SchedulerId::ExponentialLR>(Class& cls) {
  cls.def("__init__(self, optimizer, gamma, last_epoch=-1)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const SchedulerSelf self(in, a[0]);
    self.set("gamma", a[2]);
    NNS_TRY(self.init_base(a[1], a[3]));
    return Value();
  });
  define_get_lr(
      cls,
      [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
        NNS_TRY_ASSIGN(const bool is_initial, self.is_true("_is_initial"));
        if (is_initial) return self.values_of("lr");
        NNS_TRY_ASSIGN(const double gamma, self.number("gamma"));
        return self.scaled(gamma);
      },
      [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
        NNS_TRY_ASSIGN(const double epoch, self.number("last_epoch"));
        NNS_TRY_ASSIGN(const double gamma, self.number("gamma"));
        return base_times(self, std::pow(gamma, epoch));
      });
}

template <>
void define_scheduler<SchedulerId::PolynomialLR>(Class& cls) {
  cls.def("__init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            const SchedulerSelf self(in, a[0]);
            self.set("total_iters", a[2]);
            self.set("power", a[3]);
            NNS_TRY(self.init_base(a[1], a[4]));
            return Value();
          });
  define_get_lr(
      cls,
      [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
        NNS_TRY_ASSIGN(const double epoch, self.number("last_epoch"));
        NNS_TRY_ASSIGN(const double total, self.number("total_iters"));
        NNS_TRY_ASSIGN(const double power, self.number("power"));
        NNS_TRY_ASSIGN(const bool is_initial, self.is_true("_is_initial"));
        if (is_initial || epoch > total) return self.values_of("lr");
        return self.scaled(std::pow((1.0 - epoch / total) / (1.0 - (epoch - 1) / total), power));
      },
      [](SchedulerSelf& self) -> PyResult<std::vector<Value>> {
        NNS_TRY_ASSIGN(const double epoch, self.number("last_epoch"));
        NNS_TRY_ASSIGN(const double total, self.number("total_iters"));
        NNS_TRY_ASSIGN(const double power, self.number("power"));
        return base_times(self, std::pow(1.0 - std::min(total, epoch) / total, power));
      });
}

}  // namespace nns::optim
