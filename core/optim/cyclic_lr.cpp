#include <cmath>

#include "core/object/operations.h"
#include "core/optim/group_options.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/momentum_cycle.h"

// Behaviour: torch/optim/lr_scheduler.py, class CyclicLR.
namespace nns::optim {
namespace {

std::string_view text_of(const Value& value) {
  const auto* text = value.as<object::Str>();
  return text == nullptr ? std::string_view() : text->view();
}

// The scale of the mode that a program chose, unless it brought a function.
PyResult<void> choose_scale(const SchedulerSelf& self, std::string_view mode) {
  self.set("scale_mode", self.interpreter.text(mode == "exp_range" ? "iterations" : "cycle"));
  // No method of the schedule itself: that would be a cycle, which outlives its last name.
  Interpreter& in = self.interpreter;
  double gamma = 1;
  if (mode == "exp_range") {
    NNS_TRY_ASSIGN(gamma, self.number("gamma"));
  }
  const bool halves = mode == "triangular2", decays = mode == "exp_range";
  const auto scale = [halves, decays, gamma](Interpreter& i, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, number_of(i, a[0]));
    if (decays) return Value(std::pow(gamma, x));
    return Value(halves ? 1 / std::pow(2.0, x - 1) : 1.0);
  };
  const std::string_view name = decays   ? "_exp_range_scale_fn(x)"
                                : halves ? "_triangular2_scale_fn(x)"
                                         : "_triangular_scale_fn(x)";
  self.set("_scale_fn_ref", Value(in.function(name, scale)));
  return {};
}

// self.scale_fn(x)
PyResult<double> scale_at(const SchedulerSelf& self, double x, const Value& x_value) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Value custom, self.get("_scale_fn_custom"));
  if (!custom.is_none()) {
    NNS_TRY_ASSIGN(const Value scale, in.call(custom, {x_value}));
    return number_of(in, scale);
  }
  NNS_TRY_ASSIGN(const Value mode, self.get("mode"));
  if (text_of(mode) == "triangular2") return 1 / std::pow(2.0, x - 1);
  if (text_of(mode) != "exp_range") return 1.0;
  NNS_TRY_ASSIGN(const double gamma, self.number("gamma"));
  return std::pow(gamma, x);
}

PyResult<std::vector<double>> numbers_in(const SchedulerSelf& self, std::string_view name) {
  NNS_TRY_ASSIGN(const Value list, self.get(name));
  NNS_TRY_ASSIGN(const std::vector<Value> values, object::to_vector(self.interpreter, list));
  std::vector<double> numbers;
  for (const Value& value : values) {
    NNS_TRY_ASSIGN(const double number, number_of(self.interpreter, value));
    numbers.push_back(number);
  }
  return numbers;
}

PyResult<std::vector<Value>> cyclic_rates(SchedulerSelf& self) {
  NNS_TRY_ASSIGN(const Value epoch_value, self.get("last_epoch"));
  NNS_TRY_ASSIGN(const double epoch, self.number("last_epoch"));
  NNS_TRY_ASSIGN(const double total, self.number("total_size"));
  NNS_TRY_ASSIGN(const double ratio, self.number("step_ratio"));
  const double cycle = std::floor(1 + epoch / total);
  const double x = 1.0 + epoch / total - cycle;
  const double height = x <= ratio ? x / ratio : (x - 1) / (ratio - 1);
  NNS_TRY_ASSIGN(const Value mode, self.get("scale_mode"));
  const bool by_cycle = text_of(mode) == "cycle";
  NNS_TRY_ASSIGN(const double scale, by_cycle ? scale_at(self, cycle, Value(static_cast<std::int64_t>(cycle)))
                                              : scale_at(self, epoch, epoch_value));
  NNS_TRY_ASSIGN(const std::vector<double> lowest, self.base_lrs());
  NNS_TRY_ASSIGN(const std::vector<double> highest, numbers_in(self, "max_lrs"));
  std::vector<Value> rates;
  for (std::size_t i = 0; i < lowest.size() && i < highest.size(); ++i) {
    rates.emplace_back(lowest[i] + (highest[i] - lowest[i]) * height * scale);
  }
  NNS_TRY_ASSIGN(const bool cycles_momentum, self.is_true("cycle_momentum"));
  if (!cycles_momentum) return rates;
  NNS_TRY_ASSIGN(const std::vector<double> least, numbers_in(self, "base_momentums"));
  NNS_TRY_ASSIGN(const std::vector<double> most, numbers_in(self, "max_momentums"));
  NNS_TRY_ASSIGN(const bool uses_beta1, self.is_true("use_beta1"));
  NNS_TRY_ASSIGN(const std::vector<Dict*> groups, self.groups());
  for (std::size_t i = 0; i < groups.size() && i < least.size(); ++i) {
    const double momentum = most[i] - (most[i] - least[i]) * height * scale;
    NNS_TRY(set_momentum(self.interpreter, *groups[i], uses_beta1, Value(momentum)));
  }
  return rates;
}

PyResult<Value> init_cyclic(Interpreter& in, Args a) {
  const SchedulerSelf self(in, a[0]);
  const Value &mode = a[6], &scale_fn = a[8], &last_epoch = a[13];
  NNS_TRY(require_optimizer(in, a[1]));
  self.set("optimizer", a[1]);
  NNS_TRY_ASSIGN(const std::vector<Dict*> groups, self.groups());
  NNS_TRY_ASSIGN(const std::vector<Value> lowest, one_for_each_group(in, "base_lr", groups.size(), a[2]));
  const bool is_new = last_epoch.is_int() && last_epoch.as_int() == -1;
  for (std::size_t i = 0; is_new && i < groups.size(); ++i) {
    NNS_TRY(set_group_value(in, *groups[i], "lr", lowest[i]));
  }
  NNS_TRY_ASSIGN(std::vector<Value> highest, one_for_each_group(in, "max_lr", groups.size(), a[3]));
  self.set("max_lrs", Value(in.list(std::move(highest))));
  NNS_TRY_ASSIGN(const double up, number_of(in, a[4]));
  double down = up;
  if (!a[5].is_none()) {
    NNS_TRY_ASSIGN(down, number_of(in, a[5]));
  }
  self.set("total_size", Value(up + down));
  self.set("step_ratio", Value(up / (up + down)));
  const std::string_view chosen = text_of(mode);
  const bool is_known = chosen == "triangular" || chosen == "triangular2" || chosen == "exp_range";
  if (!is_known && scale_fn.is_none()) return object::value_error(in, "mode is invalid and scale_fn is None");
  self.set("mode", mode);
  self.set("gamma", a[7]);
  self.set("_scale_fn_custom", scale_fn);
  self.set("scale_mode", a[9]);
  if (scale_fn.is_none()) NNS_TRY(choose_scale(self, chosen));
  NNS_TRY_ASSIGN(const bool cycles_momentum, object::truth(in, a[10]));
  self.set("cycle_momentum", a[10]);
  if (cycles_momentum) {
    NNS_TRY_ASSIGN(MomentumBounds bounds, begin_momentum_cycle(self, a[11], a[12], is_new));
    self.set("base_momentums", Value(in.list(std::move(bounds.least))));
    self.set("max_momentums", Value(in.list(std::move(bounds.most))));
  }
  NNS_TRY(self.init_base(a[1], last_epoch));
  self.set("base_lrs", Value(in.list(lowest)));
  return Value();
}

}  // namespace

template <>
void define_scheduler<SchedulerId::CyclicLR>(Class& cls) {
  cls.def(
      "__init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode='triangular', "
      "gamma=1.0, scale_fn=None, scale_mode='cycle', cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, "
      "last_epoch=-1)",
      init_cyclic);
  cls.def("scale_fn(self, x)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const double x, number_of(in, a[1]));
    NNS_TRY_ASSIGN(const double scale, scale_at(SchedulerSelf(in, a[0]), x, a[1]));
    return Value(scale);
  });
  define_get_lr(cls, cyclic_rates);
  cls.def("state_dict(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Ref<Dict> state = attributes_without(a[0], {"optimizer", "_scale_fn_custom", "_scale_fn_ref"});
    NNS_TRY_ASSIGN(const Value custom, SchedulerSelf(in, a[0]).get("_scale_fn_custom"));
    state->set(in.intern("_scale_fn_custom"), saved_callable(in, custom));
    return Value(state);
  });
  cls.def("load_state_dict(self, state_dict)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const SchedulerSelf self(in, a[0]);
    const Name key = in.intern("_scale_fn_custom");
    NNS_TRY_ASSIGN(const Value saved, object::getitem(in, a[1], key.value()));
    NNS_TRY_ASSIGN(const Value custom, self.get("_scale_fn_custom"));
    NNS_TRY(update_attributes(in, a[0], a[1]));
    self.set("_scale_fn_custom", custom);
    if (!saved.is_none()) NNS_TRY(update_attributes(in, custom, saved));
    if (custom.is_none()) {
      NNS_TRY_ASSIGN(const Value mode, self.get("mode"));
      NNS_TRY(choose_scale(self, text_of(mode)));
    }
    return Value();
  });
}

}  // namespace nns::optim
