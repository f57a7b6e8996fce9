#include <algorithm>
#include <cmath>
#include <limits>

#include "core/object/operations.h"
#include "core/ops/op.h"
#include "core/optim/group_options.h"
#include "core/optim/tensor_steps.h"

// Behaviour: torch/optim/_adafactor.py, _single_tensor_adafactor.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct Options {
  double lr = 0, beta2_decay = 0, d = 0, weight_decay = 0;
  bool maximize = false;
  std::optional<double> eps1;
  double eps2 = 0;
};

PyResult<Options> read(GroupOptions& group) {
  const Names& names = OptimLibrary::of(group.interpreter()).names;
  Options options;
  NNS_TRY(group.read(options,
                     {{&Options::lr, names.lr},
                      {&Options::beta2_decay, names.beta2_decay},
                      {&Options::d, names.d},
                      {&Options::weight_decay, names.weight_decay}},
                     {{&Options::maximize, names.maximize}}));
  NNS_TRY_ASSIGN(const Value eps, group.value(names.eps));
  NNS_TRY_ASSIGN(const Value eps1, object::getitem(group.interpreter(), eps, Value(0)));
  NNS_TRY_ASSIGN(const Value eps2, object::getitem(group.interpreter(), eps, Value(1)));
  if (!eps1.is_none()) {
    NNS_TRY_ASSIGN(options.eps1, number_of(group.interpreter(), eps1));
  }
  NNS_TRY_ASSIGN(options.eps2, number_of(group.interpreter(), eps2));
  return options;
}

// torch.finfo(dtype).eps.
double spacing_of(tensor::DType dtype) {
  switch (dtype) {
    case tensor::DType::Float64:
      return std::numeric_limits<double>::epsilon();
    case tensor::DType::Float16:
      return 0x1p-10;
    case tensor::DType::BFloat16:
      return 0x1p-7;
    default:
      return static_cast<double>(std::numeric_limits<float>::epsilon());
  }
}

PyResult<Tensor*> tensor_in(Interpreter& in, Dict& state, Name name) {
  const Value* found = state.find(name);
  if (found == nullptr) return object::key_error(in, name.value());
  if (Tensor* tensor = found->as<Tensor>()) return tensor;
  return object::type_error(in, "state '{}' must be a Tensor", name.view());
}

void make_adafactor_state(Dict& state, const Tensor& grad) {
  Interpreter& in = grad.interpreter();
  const Names& names = OptimLibrary::of(in).names;
  state.set(names.step, Value(make_scalar(in, 0)));
  if (grad.ndim() < 2) {
    state.set(names.variance, Value(tensor::zeros(in, grad.shape(), grad.dtype(), grad.device())));
    return;
  }
  tensor::Dims rows = grad.shape(), columns = grad.shape();
  rows[grad.ndim() - 1] = 1;
  columns[grad.ndim() - 2] = 1;
  state.set(names.row_var, Value(tensor::zeros(in, rows, grad.dtype(), grad.device())));
  state.set(names.col_var, Value(tensor::zeros(in, columns, grad.dtype(), grad.device())));
}

// state.lerp_(mean of grad * grad along `dim`, weight), without the square of the whole gradient.
PyResult<void> average_square(Tensor& state, const Term& grad, std::int64_t dim, double weight) {
  Interpreter& in = state.interpreter();
  const Term norm = ops::apply(OpId::norm, {grad, Value(2), Value(in.tuple({Value(dim)})), true});
  const Tensor& of = grad.tensor();
  const std::int64_t size = of.shape()[of.ndim() - static_cast<std::size_t>(-dim)];
  const Term mean = ops::square(norm) / size;
  if (!mean.ok()) return mean.result().error();
  return write(in, OpId::lerp, {Value(&state), Value(mean.ref()), Value(weight)});
}

PyResult<void> update(const Options& options, Dict& state, Tensor& param) {
  Interpreter& in = param.interpreter();
  const Names& names = OptimLibrary::of(in).names;
  Term grad(param.grad());
  if (options.maximize) grad = -grad;
  if (!grad.ok()) return grad.result().error();
  const double eps1 = options.eps1.value_or(spacing_of(param.dtype()));
  NNS_TRY_ASSIGN(Tensor* const step, tensor_in(in, state, names.step));
  NNS_TRY(write(in, OpId::add, {Value(step), Value(1)}));
  const double steps = tensor::read_double(*step, step->offset());
  const double weight = std::pow(steps, options.beta2_decay);
  const double rho = std::min(options.lr, 1 / std::sqrt(steps));
  const Term self{Ref<Tensor>(&param)};
  NNS_TRY_ASSIGN(const double size, item_of(ops::apply(OpId::norm, {self, Value(2)})));
  const double alpha = std::max(options.eps2, size / std::sqrt(static_cast<double>(param.numel()))) * rho;
  if (options.weight_decay != 0) {
    NNS_TRY(write(in, OpId::mul, {Value(&param), Value(1 - options.lr * options.weight_decay)}));
  }
  Term variance;
  if (param.grad()->ndim() > 1) {
    NNS_TRY_ASSIGN(Tensor* const rows, tensor_in(in, state, names.row_var));
    NNS_TRY_ASSIGN(Tensor* const columns, tensor_in(in, state, names.col_var));
    NNS_TRY(average_square(*rows, grad, -1, weight));
    NNS_TRY(average_square(*columns, grad, -2, weight));
    const Term row_term{Ref<Tensor>(rows)};
    const Term mean = ops::apply(OpId::mean_dim, {row_term, Value(in.tuple({Value(-2)})), true});
    variance = ops::matmul(row_term, Term(Ref<Tensor>(columns))) / ops::apply(OpId::clamp, {mean, Value(eps1)});
  } else {
    NNS_TRY_ASSIGN(Tensor* const squares, tensor_in(in, state, names.variance));
    const Term square = grad * grad;
    if (!square.ok()) return square.result().error();
    NNS_TRY(write(in, OpId::lerp, {Value(squares), Value(square.ref()), Value(weight)}));
    variance = Term(Ref<Tensor>(squares));
  }
  // The square of eps1: the root follows.
  const Term move = ops::rsqrt(ops::apply(OpId::clamp, {variance, Value(eps1 * eps1)})) * grad;
  NNS_TRY_ASSIGN(const double length, item_of(ops::apply(OpId::norm, {move, Value(2)})));
  const double clip = std::max(1.0, length / (std::sqrt(static_cast<double>(param.numel())) * options.d));
  return add_to(param, move, -alpha / clip);
}

PyResult<Value> step_adafactor(Optimizer& self, const Value& closure) {
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(Value loss, call_closure(in, closure));
  const ops::GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(List* const groups, self.param_groups());
  for (const Value& value : std::vector<Value>(groups->items())) {
    Dict* const group = value.as<Dict>();
    if (group == nullptr) return object::type_error(in, "a parameter group must be a dict");
    GroupOptions reader(in, *group);
    NNS_TRY_ASSIGN(const Options options, read(reader));
    NNS_TRY_ASSIGN(List* const params, params_of(in, *group));
    for (const Value& item : std::vector<Value>(params->items())) {
      Tensor& param = *item.as<Tensor>();
      if (!param.grad()) continue;
      if (param.grad()->sparse() != nullptr) {
        return object::runtime_error(in, "Adafactor does not support sparse gradients");
      }
      if (tensor::is_complex(param.dtype())) {
        return object::runtime_error(in, "Adafactor does not support complex parameters");
      }
      NNS_TRY_ASSIGN(Dict* const state, state_of(self, param));
      if (state->empty()) make_adafactor_state(*state, *param.grad());
      if (!param.is_meta()) NNS_TRY(update(options, *state, param));
    }
  }
  return loss;
}

PyResult<Value> init_adafactor(Interpreter& in, Args a) {
  const Names& names = OptimLibrary::of(in).names;
  const Value &lr = a[2], &beta2_decay = a[3], &eps = a[4], &d = a[5], &weight_decay = a[6];
  if (const Tensor* tensor = lr.as<Tensor>(); tensor != nullptr && tensor->numel() != 1) {
    return object::value_error(in, "Tensor lr must be 1-element");
  }
  ArgumentChecks checks(in);
  NNS_TRY(checks.not_negative(lr, "Learning rate should be >= 0 but is"));
  NNS_TRY_ASSIGN(const double decay, number_of(in, beta2_decay));
  NNS_TRY(checks.require(decay <= 0, "beta2_decay should be <= 0 but is", beta2_decay));
  NNS_TRY_ASSIGN(const Value eps1, object::getitem(in, eps, Value(0)));
  NNS_TRY_ASSIGN(const Value eps2, object::getitem(in, eps, Value(1)));
  if (!eps1.is_none()) NNS_TRY(checks.not_negative(eps1, "epsilon1 should be >= 0 but is"));
  NNS_TRY(checks.not_negative(eps2, "epsilon2 should be >= 0 but is"));
  NNS_TRY_ASSIGN(const double threshold, number_of(in, d));
  NNS_TRY(checks.require(threshold >= 1, "Clipping threshold d should be >= 1 but is", d));
  NNS_TRY(checks.not_negative(weight_decay, "weight_decay should be >= 0 but is"));
  NNS_TRY(init_optimizer(self_of(a), a[1],
                         make_defaults(in, {{names.lr, lr},
                                            {names.beta2_decay, beta2_decay},
                                            {names.eps, eps},
                                            {names.d, d},
                                            {names.weight_decay, weight_decay},
                                            {names.foreach, a[7]},
                                            {names.maximize, a[8]}})));
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::Adafactor>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=0.01, beta2_decay=-0.8, eps=(None, 0.001), d=1.0, weight_decay=0.0, *, foreach=None, "
      "maximize=False)",
      init_adafactor);
  cls.def("step(self, closure=None)",
          [](Interpreter&, Args a) -> PyResult<Value> { return step_with_hooks(self_of(a), a[1], &step_adafactor); });
  mark_step_hooked(cls);
  cls.def("__setstate__(self, state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Names& names = OptimLibrary::of(in).names;
    return restore_optimizer(self_of(a), a[1], {{names.foreach, Value()}}, {names.step});
  });
}

}  // namespace nns::optim
