#include <algorithm>
#include <cmath>

#include "core/object/operations.h"
#include "core/ops/op.h"
#include "core/ops/sparse_items.h"
#include "core/optim/group_options.h"
#include "core/optim/lbfgs_line_search.h"

// Behaviour: torch/optim/lbfgs.py.
namespace nns::optim {
namespace {

using ops::apply;

Term dot(const Term& a, const Term& b) { return apply(OpId::dot, {a, b}); }
PyResult<double> largest_item(const Term& term) { return item_of(apply(OpId::max, {apply(OpId::abs, {term})})); }

Term copy_of(const Ref<Tensor>& tensor) { return Term(tensor::clone(*tensor)); }

struct LbfgsOptions {
  double lr = 0, tolerance_grad = 0, tolerance_change = 0;
  std::int64_t max_iter = 0, max_eval = 0, history_size = 0;
  bool searches_line = false;
};

PyResult<LbfgsOptions> read(Interpreter& in, Dict& group) {
  const auto& names = OptimLibrary::of(in).names;
  GroupOptions reader(in, group);
  LbfgsOptions options;
  NNS_TRY(reader.read(options,
                      {{&LbfgsOptions::lr, names.lr},
                       {&LbfgsOptions::tolerance_grad, in.intern("tolerance_grad")},
                       {&LbfgsOptions::tolerance_change, in.intern("tolerance_change")}},
                      {}));
  const std::pair<std::int64_t LbfgsOptions::*, std::string_view> counts[] = {
      {&LbfgsOptions::max_iter, "max_iter"},
      {&LbfgsOptions::max_eval, "max_eval"},
      {&LbfgsOptions::history_size, "history_size"}};
  for (const auto& [member, name] : counts) {
    NNS_TRY_ASSIGN(const Value count, reader.value(in.intern(name)));
    NNS_TRY_ASSIGN(options.*member, object::index(in, count));
  }
  NNS_TRY_ASSIGN(const Value search, reader.value(in.intern("line_search_fn")));
  options.searches_line = !search.is_none();
  if (options.searches_line) {
    const auto* name = search.as<object::Str>();
    if (name == nullptr || name->view() != "strong_wolfe") {
      return object::runtime_error(in, "only 'strong_wolfe' is supported");
    }
  }
  return options;
}

// One step: the parameters as one flat vector, and what is known of the curvature.
class LbfgsStep {
 public:
  LbfgsStep(Optimizer& self, Value closure, List& params, LbfgsOptions options, Dict& state)
      : in_(self.interpreter()), closure_(std::move(closure)), options_(options), state_(state) {
    for (const Value& param : params.items()) params_.emplace_back(param.as<Tensor>());
  }

  PyResult<Value> run();

 private:
  struct History {
    std::vector<Term> directions, steps, inverses;
  };
  PyResult<double> evaluate(Value* result);
  PyResult<Ref<Tensor>> flat_gradient() const;
  PyResult<void> move(const Term& direction, double by) const;
  PyResult<LinePoint> point_at(double position, const Term& direction, const std::vector<Ref<Tensor>>& origin);
  void read_state();
  void write_state();
  PyResult<void> remember_curvature();
  Term direction_of_descent();
  std::int64_t count(std::string_view name) const { return state_.find(name)->as_int(); }
  void add_count(std::string_view name, std::int64_t by) { state_.set(in_.intern(name), Value(count(name) + by)); }

  Interpreter& in_;
  Value closure_;
  LbfgsOptions options_;
  Dict& state_;
  std::vector<Ref<Tensor>> params_;
  History history_;
  Term direction_, scale_;
  double length_ = 0;
  Ref<Tensor> gradient_, previous_gradient_;
  double loss_ = 0, previous_loss_ = 0;
};

PyResult<double> LbfgsStep::evaluate(Value* result) {
  NNS_TRY_ASSIGN(const Value loss, call_closure(in_, closure_));
  if (result != nullptr) *result = loss;
  return number_of(in_, loss);
}

PyResult<Ref<Tensor>> LbfgsStep::flat_gradient() const {
  std::vector<Value> parts;
  for (const Ref<Tensor>& param : params_) {
    Ref<Tensor> part;
    if (param->grad() && param->grad()->sparse() == nullptr) {
      part = tensor::clone(*param->grad());
    } else {
      part = tensor::zeros(in_, param->shape(), param->dtype(), param->device());
      if (param->grad()) NNS_TRY(ops::add_sparse(*part, *param->grad()));
    }
    // A complex number is two numbers.
    const bool is_complex = tensor::is_complex(part->dtype());
    const tensor::DType dtype = part->dtype() == tensor::DType::Complex64    ? tensor::DType::Float32
                                : part->dtype() == tensor::DType::Complex128 ? tensor::DType::Float64
                                                                             : part->dtype();
    const std::int64_t count = part->numel() * (is_complex ? 2 : 1);
    parts.emplace_back(tensor::make_tensor(in_, {part->storage(), {count}, {1}, 0, dtype}));
  }
  const Value all = in_.tuple(std::move(parts));
  return ops::call_tensor_op(in_, OpId::cat, {&all, 1});
}

PyResult<void> LbfgsStep::move(const Term& direction, double by) const {
  if (!direction.ok()) return direction.result().error();
  std::int64_t offset = 0;
  for (const Ref<Tensor>& param : params_) {
    const Tensor& flat = direction.tensor();
    const bool is_complex = tensor::is_complex(param->dtype());
    const std::int64_t width = is_complex ? 2 : 1;
    // The part of the direction, looked at as the parameter's dtype and shape.
    const Term part(
        tensor::make_tensor(in_, {flat.storage(), param->shape(), tensor::contiguous_strides(param->shape()),
                                  (flat.offset() + offset) / width, param->dtype()}));
    NNS_TRY(add_to(*param, part, by));
    offset += param->numel() * width;
  }
  return {};
}

PyResult<LinePoint> LbfgsStep::point_at(double position, const Term& direction,
                                        const std::vector<Ref<Tensor>>& origin) {
  NNS_TRY(move(direction, position));
  LinePoint point;
  point.position = position;
  NNS_TRY_ASSIGN(point.loss, evaluate(nullptr));
  NNS_TRY_ASSIGN(point.gradient, flat_gradient());
  for (std::size_t i = 0; i < params_.size(); ++i) NNS_TRY(tensor::copy_(*params_[i], *origin[i]));
  NNS_TRY_ASSIGN(point.slope, item_of(dot(Term(point.gradient), direction)));
  return point;
}

void LbfgsStep::read_state() {
  const auto tensor_of = [this](std::string_view name) -> Ref<Tensor> {
    const Value* found = state_.find(name);
    return Ref<Tensor>(found == nullptr ? nullptr : found->as<Tensor>());
  };
  const auto list_of = [this](std::string_view name) {
    std::vector<Term> terms;
    const Value* found = state_.find(name);
    if (const List* list = found == nullptr ? nullptr : found->as<List>()) {
      for (const Value& item : list->items()) {
        if (item.as<Tensor>() != nullptr) terms.emplace_back(Ref<Tensor>(item.as<Tensor>()));
      }
    }
    return terms;
  };
  const auto number_in = [this](std::string_view name) {
    const Value* found = state_.find(name);
    if (found == nullptr) return 0.0;
    const PyResult<double> number = number_of(in_, *found);
    return number.ok() ? number.value() : 0.0;
  };
  direction_ = Term(tensor_of("d"));
  length_ = number_in("t");
  history_ = {list_of("old_dirs"), list_of("old_stps"), list_of("ro")};
  scale_ = Term(tensor_of("H_diag"));
  previous_gradient_ = tensor_of("prev_flat_grad");
  previous_loss_ = number_in("prev_loss");
}

void LbfgsStep::write_state() {
  const auto list_of = [this](const std::vector<Term>& terms) {
    std::vector<Value> items;
    for (const Term& term : terms) items.emplace_back(term.ref());
    return Value(in_.list(std::move(items)));
  };
  const auto set = [this](std::string_view name, Value value) { state_.set(in_.intern(name), std::move(value)); };
  set("d", Value(direction_.ref()));
  set("t", Value(length_));
  set("old_dirs", list_of(history_.directions));
  set("old_stps", list_of(history_.steps));
  set("ro", list_of(history_.inverses));
  set("H_diag", scale_.is_none() ? Value(1) : Value(scale_.ref()));
  set("prev_flat_grad", Value(previous_gradient_));
  set("prev_loss", Value(previous_loss_));
}

PyResult<void> LbfgsStep::remember_curvature() {
  const Term change = Term(gradient_) - Term(previous_gradient_);
  const Term step = direction_ * length_;
  const Term product = dot(change, step);
  NNS_TRY_ASSIGN(const double curvature, item_of(product));
  if (!(curvature > 1e-10)) return {};
  if (static_cast<std::int64_t>(history_.directions.size()) == options_.history_size) {
    for (auto* terms : {&history_.directions, &history_.steps, &history_.inverses}) terms->erase(terms->begin());
  }
  history_.directions.push_back(change);
  history_.steps.push_back(step);
  history_.inverses.push_back(ops::reciprocal(product));
  scale_ = product / dot(change, change);
  if (!scale_.ok()) return scale_.result().error();
  if (!history_.inverses.back().ok()) return history_.inverses.back().result().error();
  return {};
}

// The two loops of L-BFGS: the approximate inverse Hessian times the gradient, downhill.
Term LbfgsStep::direction_of_descent() {
  Term q = -Term(gradient_);
  const std::size_t known = history_.directions.size();
  std::vector<Term> factors(known);
  for (std::size_t i = known; i-- > 0;) {
    factors[i] = dot(history_.steps[i], q) * history_.inverses[i];
    q = q - history_.directions[i] * factors[i];
  }
  if (!scale_.is_none()) q = q * scale_;
  for (std::size_t i = 0; i < known; ++i) {
    const Term back = dot(history_.directions[i], q) * history_.inverses[i];
    q = q + history_.steps[i] * (factors[i] - back);
  }
  return q;
}

PyResult<Value> LbfgsStep::run() {
  for (const std::string_view name : {"func_evals", "n_iter"}) {
    if (state_.find(name) == nullptr) state_.set(in_.intern(name), Value(0));
  }
  Value first_loss;
  NNS_TRY_ASSIGN(loss_, evaluate(&first_loss));
  std::int64_t evaluations = 1;
  add_count("func_evals", 1);
  NNS_TRY_ASSIGN(gradient_, flat_gradient());
  NNS_TRY_ASSIGN(double steepest, largest_item(Term(gradient_)));
  if (steepest <= options_.tolerance_grad) return first_loss;
  read_state();
  for (std::int64_t iteration = 1; iteration <= options_.max_iter; ++iteration) {
    add_count("n_iter", 1);
    // 1. The direction.
    const bool is_first = count("n_iter") == 1;
    if (is_first) {
      direction_ = -Term(gradient_);
      history_ = {};
      scale_ = Term();
    } else {
      NNS_TRY(remember_curvature());
      direction_ = direction_of_descent();
    }
    if (!direction_.ok()) return direction_.result().error();
    previous_gradient_ = copy_of(gradient_).ref();
    previous_loss_ = loss_;
    // 2. How far.
    length_ = options_.lr;
    if (is_first) {
      NNS_TRY_ASSIGN(const double total, item_of(apply(OpId::sum, {apply(OpId::abs, {Term(gradient_)})})));
      length_ = std::min(1.0, 1.0 / total) * options_.lr;
    }
    NNS_TRY_ASSIGN(const double slope, item_of(dot(Term(gradient_), direction_)));
    if (slope > -options_.tolerance_change) break;
    std::int64_t line_evaluations = 0;
    if (options_.searches_line) {
      std::vector<Ref<Tensor>> origin;
      for (const Ref<Tensor>& param : params_) origin.push_back(tensor::clone(*param));
      NNS_TRY_ASSIGN(const double reach, largest_item(direction_));
      const EvaluateOnLine evaluate_at = [&](double position) { return point_at(position, direction_, origin); };
      NNS_TRY_ASSIGN(const LineSearchResult found, strong_wolfe(evaluate_at, {0, loss_, gradient_, slope}, length_,
                                                                reach, options_.tolerance_change));
      loss_ = found.point.loss;
      gradient_ = found.point.gradient;
      length_ = found.point.position;
      line_evaluations = found.evaluations;
      NNS_TRY(move(direction_, length_));
      NNS_TRY_ASSIGN(steepest, largest_item(Term(gradient_)));
    } else {
      NNS_TRY(move(direction_, length_));
      if (iteration != options_.max_iter) {
        NNS_TRY_ASSIGN(loss_, evaluate(nullptr));
        NNS_TRY_ASSIGN(gradient_, flat_gradient());
        NNS_TRY_ASSIGN(steepest, largest_item(Term(gradient_)));
        line_evaluations = 1;
      }
    }
    evaluations += line_evaluations;
    add_count("func_evals", line_evaluations);
    // 3. Whether to go on.
    if (iteration == options_.max_iter || evaluations >= options_.max_eval) break;
    if (steepest <= options_.tolerance_grad) break;
    NNS_TRY_ASSIGN(const double moved, largest_item(direction_ * length_));
    if (moved <= options_.tolerance_change || std::abs(loss_ - previous_loss_) < options_.tolerance_change) break;
  }
  write_state();
  return first_loss;
}

PyResult<Value> step_lbfgs(Optimizer& self, const Value& closure) {
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(List* const groups, self.param_groups());
  Dict* const group = groups->size() == 1 ? groups->items()[0].as<Dict>() : nullptr;
  if (group == nullptr) return object::make_error(in, object::ErrorKind::AssertionError, "");
  const ops::GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const LbfgsOptions options, read(in, *group));
  NNS_TRY_ASSIGN(List* const params, params_of(in, *group));
  // It has one state, kept under the first parameter, so that loading gives it that parameter's dtype.
  NNS_TRY_ASSIGN(Dict* const state, state_of(self, *params->items()[0].as<Tensor>()));
  LbfgsStep step(self, closure, *params, options, *state);
  return step.run();
}

PyResult<Value> init_lbfgs(Interpreter& in, Args a) {
  Value max_eval = a[4];
  if (max_eval.is_none()) {
    NNS_TRY_ASSIGN(const std::int64_t max_iter, object::index(in, a[3]));
    max_eval = Value(max_iter * 5 / 4);
  }
  const Ref<Dict> defaults = in.dict();
  const std::pair<std::string_view, Value> entries[] = {{"lr", a[2]},
                                                        {"max_iter", a[3]},
                                                        {"max_eval", max_eval},
                                                        {"tolerance_grad", a[5]},
                                                        {"tolerance_change", a[6]},
                                                        {"history_size", a[7]},
                                                        {"line_search_fn", a[8]}};
  if (const Tensor* lr = a[2].as<Tensor>(); lr != nullptr && lr->numel() != 1) {
    return object::value_error(in, "Tensor lr must be 1-element");
  }
  ArgumentChecks checks(in);
  NNS_TRY(checks.not_negative(a[2], "Invalid learning rate"));
  for (const auto& [name, value] : entries) defaults->set(in.intern(name), value);
  NNS_TRY(init_optimizer(self_of(a), a[1], defaults));
  NNS_TRY_ASSIGN(List* const groups, self_of(a).param_groups());
  if (groups->size() != 1) {
    return object::value_error(in, "LBFGS doesn't support per-parameter options (parameter groups)");
  }
  NNS_TRY_ASSIGN(const Value params,
                 object::getitem(in, groups->items()[0], OptimLibrary::of(in).names.params.value()));
  self_of(a).dict().set(in.intern("_params"), params);
  self_of(a).dict().set(in.intern("_numel_cache"), Value());
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::LBFGS>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-07, tolerance_change=1e-09, "
      "history_size=100, line_search_fn=None)",
      init_lbfgs);
  cls.def("step(self, closure)",
          [](Interpreter&, Args a) -> PyResult<Value> { return step_with_hooks(self_of(a), a[1], &step_lbfgs); });
  mark_step_hooked(cls);
}

}  // namespace nns::optim
