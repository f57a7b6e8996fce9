#include "core/optim/fused_step.h"
#include "core/optim/rule_formulas.h"

// Behaviour: torch/optim/nadam.py, _single_tensor_nadam.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct NadamRule {
  static constexpr std::string_view kSparseRefusal = "NAdam does not support sparse gradients";
  static constexpr StateSlot kSlots[] = {{&Names::step, StateSlot::Kind::Scalar, 0},
                                         {&Names::mu_product, StateSlot::Kind::Scalar, 1},
                                         {&Names::exp_avg, StateSlot::Kind::Like, 0},
                                         {&Names::exp_avg_sq, StateSlot::Kind::Like, 0}};
  static constexpr StateLayout kLayout{kSlots};

  using Options = NadamOptions;
  static PyResult<Options> read(GroupOptions& group) {
    const Names& names = OptimLibrary::of(group.interpreter()).names;
    Options options;
    NNS_TRY(group.read(options,
                       {{&Options::lr, names.lr},
                        {&Options::eps, names.eps},
                        {&Options::weight_decay, names.weight_decay},
                        {&Options::momentum_decay, names.momentum_decay}},
                       {{&Options::maximize, names.maximize}, {&Options::decoupled, names.decoupled_weight_decay}}));
    NNS_TRY_ASSIGN(const auto betas, group.pair(names.betas));
    options.beta1 = betas.first;
    options.beta2 = betas.second;
    return options;
  }
  static std::uint32_t wanted(const Options&) { return 0b1111; }
  static std::array<double, 4> starts(const Options&) { return {0, 1, 0, 0}; }

  using Scalars = NadamScalars;
  using Memo = StepMemo<Scalars>;
  static Scalars advance(const Options& options, Lane& lane, Memo& memo) {
    const double step = lane.scalar(0) + 1;
    lane.set_scalar(0, step);
    if (step != memo.step) {
      const auto momentum_at = [&options](double at) {
        return options.beta1 * (1.0 - 0.5 * std::pow(0.96, at * options.momentum_decay));
      };
      memo.step = step;
      memo.scalars.correction2 = 1 - std::pow(options.beta2, step);
      memo.scalars.mu = momentum_at(step);
      memo.scalars.mu_next = momentum_at(step + 1);
    }
    Scalars scalars = memo.scalars;
    // The product is a tensor: it is rounded as one, and its product with mu as well.
    const bool is_double = lane.state[1].tensor->dtype() == tensor::DType::Float64;
    const double before = lane.scalar(1);
    lane.set_scalar(1, is_double ? before * scalars.mu
                                 : static_cast<double>(static_cast<float>(before) * static_cast<float>(scalars.mu)));
    const double product = lane.scalar(1);
    scalars.grad_rate = -options.lr * (1.0 - scalars.mu) / (1.0 - product);
    scalars.average_rate = (-options.lr * scalars.mu_next) / (1.0 - product * scalars.mu_next);
    return scalars;
  }

  template <class F>
  static void update(const Options& options, const Scalars& scalars, const Rows& rows, std::int64_t count) {
    using N = typename F::Number;
    auto* const __restrict param = items<F>(rows.param);
    const auto* const __restrict grad = items<F>(rows.grad);
    auto* const __restrict average = items<F>(rows.state[2]);
    auto* const __restrict square = items<F>(rows.state[3]);
    const NadamNumbers<N> numbers(options, scalars);
    const bool decays = options.weight_decay != 0;
    with_flag(decays && !options.decoupled, [&](auto adds_decay) {
      with_flag(decays && options.decoupled, [&](auto shrinks) {
        for (std::int64_t i = 0; i < count; ++i) {
          N x = F::load(param[i]), a = F::load(average[i]), b = F::load(square[i]);
          nadam_item<F>(numbers, adds_decay, shrinks, x, F::load(grad[i]), a, b);
          param[i] = F::store(x);
          average[i] = F::store(a);
          square[i] = F::store(b);
        }
      });
    });
  }
  static PyResult<void> run_on_device(DeviceSteps& steps, Interpreter& in, const StepWork<Options, Scalars>& work) {
    return steps.step(in, work);
  }
};

PyResult<Value> init_nadam(Interpreter& in, Args a) {
  const Names& names = OptimLibrary::of(in).names;
  ArgumentChecks checks(in);
  NNS_TRY(checks.learning_rate(a[2]));
  NNS_TRY(checks.not_negative(a[4], "Invalid epsilon value"));
  NNS_TRY(checks.betas(a[3]));
  NNS_TRY(checks.not_negative(a[5], "Invalid weight_decay value"));
  NNS_TRY(checks.not_negative(a[6], "Invalid momentum_decay value"));
  NNS_TRY(init_optimizer(self_of(a), a[1],
                         make_defaults(in, {{names.lr, a[2]},
                                            {names.betas, a[3]},
                                            {names.eps, a[4]},
                                            {names.weight_decay, a[5]},
                                            {names.momentum_decay, a[6]},
                                            {names.decoupled_weight_decay, a[7]},
                                            {names.maximize, a[9]},
                                            {names.foreach, a[8]},
                                            {names.capturable, a[10]},
                                            {names.differentiable, a[11]}})));
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::NAdam>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, momentum_decay=0.004, "
      "decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False)",
      init_nadam);
  define_step<NadamRule>(cls);
  cls.def("__setstate__(self, state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Names& names = OptimLibrary::of(in).names;
    return restore_optimizer(self_of(a), a[1],
                             {{names.maximize, Value(false)},
                              {names.foreach, Value()},
                              {names.capturable, Value(false)},
                              {names.differentiable, Value(false)},
                              {names.decoupled_weight_decay, Value(false)}},
                             {names.step, names.mu_product});
  });
}

}  // namespace nns::optim
