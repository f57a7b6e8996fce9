#include <algorithm>
#include <cmath>

#include "core/object/operations.h"
#include "core/ops/op.h"
#include "core/optim/group_options.h"
#include "core/optim/tensor_steps.h"

// Behaviour: torch/optim/_muon.py, _single_tensor_muon.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct MuonOptions {
  double lr = 0, weight_decay = 0, momentum = 0, eps = 0;
  bool nesterov = false, use_addmm = false;
  std::array<double, 3> coefficients{};
  std::int64_t steps = 0;
  std::string adjustment;
};

PyResult<MuonOptions> read_muon(GroupOptions& group) {
  Interpreter& in = group.interpreter();
  const Names& names = OptimLibrary::of(in).names;
  MuonOptions options;
  NNS_TRY(group.read(options,
                     {{&MuonOptions::lr, names.lr},
                      {&MuonOptions::weight_decay, names.weight_decay},
                      {&MuonOptions::momentum, names.momentum},
                      {&MuonOptions::eps, names.eps}},
                     {{&MuonOptions::nesterov, names.nesterov}, {&MuonOptions::use_addmm, names.use_addmm}}));
  NNS_TRY_ASSIGN(const Value steps, group.value(names.ns_steps));
  NNS_TRY_ASSIGN(options.steps, object::index(in, steps));
  if (options.steps >= 100) {
    return object::value_error(in, "Number of steps must be less than 100 for computational efficiency");
  }
  NNS_TRY_ASSIGN(const Value coefficients, group.value(names.ns_coefficients));
  NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in, coefficients));
  if (items.size() != 3) return object::value_error(in, "Coefficients must be a tuple of exactly 3 values");
  for (std::size_t i = 0; i < 3; ++i) {
    NNS_TRY_ASSIGN(options.coefficients[i], number_of(in, items[i]));
  }
  NNS_TRY_ASSIGN(const Value adjustment, group.value(names.adjust_lr_fn));
  if (const auto* text = adjustment.as<object::Str>()) options.adjustment = text->view();
  return options;
}

// The orthogonal factor of `update`, by Newton-Schulz iterations in bfloat16.
Term orthogonalised(const MuonOptions& options, const Term& update) {
  if (!update.ok()) return update;
  const bool is_tall = update.tensor().shape()[0] > update.tensor().shape()[1];
  const auto transposed = [](const Term& x) { return ops::apply(OpId::t, {x}); };
  const auto& [a, b, c] = options.coefficients;
  Term x = ops::as_dtype(update, tensor::DType::BFloat16);
  if (is_tall) x = transposed(x);
  x = x / ops::apply(OpId::clamp, {ops::apply(OpId::norm, {x}), Value(options.eps)});
  for (std::int64_t i = 0; i < options.steps; ++i) {
    const Term gram = ops::matmul(x, transposed(x));
    if (options.use_addmm) {
      const Term gram_update = ops::apply(OpId::addmm, {gram, gram, gram, Value(b), Value(c)});
      x = ops::apply(OpId::addmm, {x, gram_update, x, Value(a), Value(1)});
    } else {
      const Term gram_update = b * gram + ops::matmul(c * gram, gram);
      x = a * x + ops::matmul(gram_update, x);
    }
  }
  return is_tall ? transposed(x) : x;
}

double adjusted_rate(const MuonOptions& options, const tensor::Dims& shape) {
  const auto rows = static_cast<double>(shape[0]), columns = static_cast<double>(shape[1]);
  if (options.adjustment == "match_rms_adamw") return options.lr * (0.2 * std::sqrt(std::max(rows, columns)));
  return options.lr * std::sqrt(std::max(1.0, rows / columns));
}

PyResult<void> update_matrix(const MuonOptions& options, Dict& state, Tensor& param) {
  Interpreter& in = param.interpreter();
  const Name name = OptimLibrary::of(in).names.momentum_buffer;
  const Ref<Tensor>& grad = param.grad();
  if (grad->ndim() != 2) return object::value_error(in, "Param gradient must be a 2D matrix");
  if (!state.contains(name)) {
    state.set(name, Value(tensor::zeros(in, grad->shape(), grad->dtype(), grad->device())));
  }
  Tensor* const buffer = state.find(name)->as<Tensor>();
  if (buffer == nullptr) return object::type_error(in, "state 'momentum_buffer' must be a Tensor");
  if (param.is_meta()) return {};
  NNS_TRY(write(in, OpId::lerp, {Value(buffer), Value(grad), Value(1 - options.momentum)}));
  const Term held{Ref<Tensor>(buffer)};
  const Term direction = options.nesterov ? ops::apply(OpId::lerp, {Term(grad), held, Value(options.momentum)}) : held;
  const Term step = orthogonalised(options, direction);
  NNS_TRY(write(in, OpId::mul, {Value(&param), Value(1 - options.lr * options.weight_decay)}));
  return add_to(param, step, -adjusted_rate(options, param.shape()));
}

PyResult<Value> step_muon(Optimizer& self, const Value& closure) {
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(Value loss, call_closure(in, closure));
  const ops::GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(List* const groups, self.param_groups());
  for (const Value& value : std::vector<Value>(groups->items())) {
    Dict* const group = value.as<Dict>();
    if (group == nullptr) return object::type_error(in, "a parameter group must be a dict");
    GroupOptions reader(in, *group);
    NNS_TRY_ASSIGN(const MuonOptions options, read_muon(reader));
    NNS_TRY_ASSIGN(List* const params, params_of(in, *group));
    for (const Value& item : std::vector<Value>(params->items())) {
      Tensor& param = *item.as<Tensor>();
      if (!param.grad()) continue;
      if (param.grad()->sparse() != nullptr) {
        return object::runtime_error(in, "Muon does not support sparse gradients");
      }
      if (tensor::is_complex(param.dtype())) {
        return object::runtime_error(in, "Muon does not support complex parameters");
      }
      NNS_TRY_ASSIGN(Dict* const state, state_of(self, param));
      NNS_TRY(update_matrix(options, *state, param));
    }
  }
  return loss;
}

PyResult<Value> init_muon(Interpreter& in, Args a) {
  const Names& names = OptimLibrary::of(in).names;
  const Value &lr = a[2], &weight_decay = a[3], &momentum = a[4], &adjust_lr_fn = a[9];
  if (const Tensor* tensor = lr.as<Tensor>(); tensor != nullptr && tensor->numel() != 1) {
    return object::value_error(in, "Tensor lr must be 1-element");
  }
  ArgumentChecks checks(in);
  NNS_TRY(checks.not_negative(lr, "Learning rate should be >= 0 but is"));
  NNS_TRY(checks.not_negative(momentum, "momentum should be >= 0 but is"));
  NNS_TRY(checks.not_negative(weight_decay, "weight decay should be >= 0 but is"));
  if (!adjust_lr_fn.is_none()) {
    NNS_TRY_ASSIGN(const std::string name, object::str(in, adjust_lr_fn));
    if (name != "original" && name != "match_rms_adamw") {
      return object::value_error(in, "Adjust learning rate function {} is not supported", name);
    }
  }
  NNS_TRY(init_optimizer(self_of(a), a[1],
                         make_defaults(in, {{names.lr, lr},
                                            {names.weight_decay, weight_decay},
                                            {names.momentum, momentum},
                                            {names.nesterov, a[5]},
                                            {names.ns_coefficients, a[6]},
                                            {names.eps, a[7]},
                                            {names.ns_steps, a[8]},
                                            {names.adjust_lr_fn, adjust_lr_fn},
                                            {names.use_addmm, a[10]}})));
  NNS_TRY_ASSIGN(List* const groups, self_of(a).param_groups());
  for (const Value& group : groups->items()) {
    NNS_TRY_ASSIGN(List* const params, params_of(in, *group.as<Dict>()));
    for (const Value& param : params->items()) {
      const Tensor& tensor = *param.as<Tensor>();
      if (tensor.ndim() == 2) continue;
      return object::value_error(in, "Muon only supports 2D parameters whereas we found a parameter with size: {}",
                                 tensor::size_text(tensor.shape()));
    }
  }
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::Muon>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=0.001, weight_decay=0.1, momentum=0.95, nesterov=True, "
      "ns_coefficients=(3.4445, -4.775, 2.0315), eps=1e-07, ns_steps=5, adjust_lr_fn=None, use_addmm=False)",
      init_muon);
  cls.def("step(self, closure=None)",
          [](Interpreter&, Args a) -> PyResult<Value> { return step_with_hooks(self_of(a), a[1], &step_muon); });
  mark_step_hooked(cls);
}

}  // namespace nns::optim
