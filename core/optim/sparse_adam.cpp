#include <cmath>
#include <tuple>

#include "core/object/operations.h"
#include "core/optim/group_options.h"
#include "core/optim/tensor_steps.h"

// Behaviour: torch/optim/sparse_adam.py; torch/optim/_functional.py, sparse_adam.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct SparseAdamOptions {
  double lr = 0, beta1 = 0, beta2 = 0, eps = 0;
  bool maximize = false;
};

PyResult<SparseAdamOptions> read_sparse_adam(GroupOptions& group, Dict& given) {
  const Names& names = OptimLibrary::of(group.interpreter()).names;
  SparseAdamOptions options;
  NNS_TRY(group.read(options, {{&SparseAdamOptions::lr, names.lr}, {&SparseAdamOptions::eps, names.eps}}, {}));
  NNS_TRY_ASSIGN(std::tie(options.beta1, options.beta2), group.pair(names.betas));
  // Files of older versions lack it.
  if (given.find(names.maximize) != nullptr) {
    NNS_TRY_ASSIGN(options.maximize, group.flag(names.maximize));
  }
  return options;
}

PyResult<Tensor*> average_in(Interpreter& in, Dict& state, Name name) {
  const Value* const found = state.find(name);
  if (found == nullptr) return object::key_error(in, name.value());
  if (Tensor* const tensor = found->as<Tensor>()) return tensor;
  return object::type_error(in, "state '{}' must be a Tensor", name.view());
}

// Moves an average to `target` at the places of `grad` alone, and gives what it is there now.
PyResult<Term> move_average(Tensor& average, const Tensor& grad, const Term& target, double weight) {
  const Term before(ops::items_at(average, grad));
  const Term by = (target - before) * weight;
  NNS_TRY_ASSIGN(Ref<Tensor> change, Term(by).take());
  NNS_TRY(ops::add_sparse(average, *ops::with_values(grad, std::move(change))));
  return by + before;
}

PyResult<void> update_rows(const SparseAdamOptions& options, Dict& state, double step, Tensor& param) {
  Interpreter& in = param.interpreter();
  const Names& names = OptimLibrary::of(in).names;
  NNS_TRY_ASSIGN(const Ref<Tensor> given, signed_sparse(*param.grad(), options.maximize));
  // The update is no linear one: each place may come once.
  NNS_TRY_ASSIGN(const Ref<Tensor> grad, ops::coalesced(*given));
  const Term values(grad->sparse()->values);
  if (values.tensor().numel() == 0) return {};
  NNS_TRY_ASSIGN(Tensor* const mean, average_in(in, state, names.exp_avg));
  NNS_TRY_ASSIGN(Tensor* const square, average_in(in, state, names.exp_avg_sq));
  NNS_TRY_ASSIGN(const Term first, move_average(*mean, *grad, values, 1 - options.beta1));
  NNS_TRY_ASSIGN(const Term second, move_average(*square, *grad, values * values, 1 - options.beta2));
  const double size = options.lr * std::sqrt(1 - std::pow(options.beta2, step)) / (1 - std::pow(options.beta1, step));
  const Term move = first / (ops::sqrt(second) + options.eps) * -size;
  NNS_TRY_ASSIGN(Ref<Tensor> change, Term(move).take());
  return ops::add_sparse(param, *ops::with_values(*grad, std::move(change)));
}

// The count of steps is a number of Python here.
PyResult<double> count_step(Dict& state, const Tensor& param) {
  Interpreter& in = param.interpreter();
  const Names& names = OptimLibrary::of(in).names;
  if (state.empty()) {
    state.set(names.step, Value(0));
    for (const Name name : {names.exp_avg, names.exp_avg_sq}) {
      state.set(name, Value(tensor::zeros(in, param.shape(), param.dtype(), param.device())));
    }
  }
  const Value* const before = state.find(names.step);
  if (before == nullptr) return object::key_error(in, names.step.value());
  NNS_TRY_ASSIGN(const double step, number_of(in, *before));
  if (before->is_int()) {
    state.set(names.step, Value(before->as_int() + 1));
  } else if (Tensor* const count = before->as<Tensor>()) {
    NNS_TRY(write(in, OpId::add, {Value(count), Value(1)}));
  } else {
    state.set(names.step, Value(step + 1));
  }
  return step + 1;
}

PyResult<Value> step_sparse_adam(Optimizer& self, const Value& closure) {
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(Value loss, call_closure(in, closure));
  const ops::GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(List* const groups, self.param_groups());
  for (const Value& value : std::vector<Value>(groups->items())) {
    Dict* const group = value.as<Dict>();
    if (group == nullptr) return object::type_error(in, "a parameter group must be a dict");
    GroupOptions reader(in, *group);
    NNS_TRY_ASSIGN(const SparseAdamOptions options, read_sparse_adam(reader, *group));
    NNS_TRY_ASSIGN(List* const params, params_of(in, *group));
    struct Row {
      Ref<Tensor> param;
      Ref<Dict> state;
      double step = 0;
    };
    // All are counted before one is updated.
    std::vector<Row> rows;
    for (const Value& item : std::vector<Value>(params->items())) {
      Tensor& param = *item.as<Tensor>();
      if (!param.grad()) continue;
      if (param.grad()->sparse() == nullptr) {
        return object::runtime_error(in, "SparseAdam does not support dense gradients, please consider Adam instead");
      }
      NNS_TRY_ASSIGN(Dict* const state, state_of(self, param));
      NNS_TRY_ASSIGN(const double step, count_step(*state, param));
      rows.push_back({Ref<Tensor>(&param), Ref<Dict>(state), step});
    }
    for (const Row& row : rows) {
      if (!row.param->is_meta()) NNS_TRY(update_rows(options, *row.state, row.step, *row.param));
    }
  }
  return loss;
}

// The indices [group, parameter] of which `is_such` holds, as Python shows a list of lists.
template <class Is>
PyResult<std::string> such_params(Optimizer& self, Is is_such) {
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(List* const groups, self.param_groups());
  std::string shown;
  for (std::size_t i = 0; i < groups->size(); ++i) {
    NNS_TRY_ASSIGN(List* const params, params_of(in, *groups->items()[i].as<Dict>()));
    for (std::size_t k = 0; k < params->size(); ++k) {
      if (is_such(*params->items()[k].template as<Tensor>())) {
        shown += fmt::format("{}[{}, {}]", shown.empty() ? "" : ", ", i, k);
      }
    }
  }
  return shown;
}

PyResult<Value> init_sparse_adam(Interpreter& in, Args a) {
  const Names& names = OptimLibrary::of(in).names;
  const Value &lr = a[2], &betas = a[3], &eps = a[4];
  if (const Tensor* const rate = lr.as<Tensor>(); rate != nullptr && rate->numel() != 1) {
    return object::value_error(in, "Tensor lr must be 1-element");
  }
  ArgumentChecks checks(in);
  NNS_TRY_ASSIGN(const double rate, number_of(in, lr));
  NNS_TRY(checks.require(rate > 0, "Invalid learning rate", lr));
  NNS_TRY_ASSIGN(const double least, number_of(in, eps));
  NNS_TRY(checks.require(least > 0, "Invalid epsilon value", eps));
  NNS_TRY(checks.betas(betas));
  Optimizer& self = self_of(a);
  NNS_TRY(init_optimizer(
      self, a[1], make_defaults(in, {{names.lr, lr}, {names.betas, betas}, {names.eps, eps}, {names.maximize, a[5]}})));
  NNS_TRY_ASSIGN(const std::string sparse, such_params(self, [](const Tensor& x) { return x.sparse() != nullptr; }));
  if (!sparse.empty()) {
    return object::value_error(in, "Sparse params at indices [{}]: SparseAdam requires dense parameter tensors",
                               sparse);
  }
  NNS_TRY_ASSIGN(const std::string complex,
                 such_params(self, [](const Tensor& x) { return tensor::is_complex(x.dtype()); }));
  if (!complex.empty()) {
    return object::value_error(in, "Complex params at indices [{}]: SparseAdam does not support complex parameters",
                               complex);
  }
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::SparseAdam>(Class& cls) {
  cls.def("__init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, maximize=False)", init_sparse_adam);
  cls.def("step(self, closure=None)",
          [](Interpreter&, Args a) -> PyResult<Value> { return step_with_hooks(self_of(a), a[1], &step_sparse_adam); });
  mark_step_hooked(cls);
}

}  // namespace nns::optim
