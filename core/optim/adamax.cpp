#include "core/optim/fused_step.h"

// Behaviour: torch/optim/adamax.py, _single_tensor_adamax.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct AdamaxRule {
  static constexpr StateSlot kSlots[] = {{&Names::step, StateSlot::Kind::Scalar, 0},
                                         {&Names::exp_avg, StateSlot::Kind::Like, 0},
                                         {&Names::exp_inf, StateSlot::Kind::Like, 0}};
  static constexpr StateLayout kLayout{kSlots};

  struct Options {
    double lr = 0, beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0;
    bool maximize = false;
  };
  static PyResult<Options> read(GroupOptions& group) {
    const Names& names = OptimLibrary::of(group.interpreter()).names;
    Options options;
    NNS_TRY(group.read(
        options, {{&Options::lr, names.lr}, {&Options::eps, names.eps}, {&Options::weight_decay, names.weight_decay}},
        {{&Options::maximize, names.maximize}}));
    NNS_TRY_ASSIGN(const auto betas, group.pair(names.betas));
    options.beta1 = betas.first;
    options.beta2 = betas.second;
    return options;
  }
  static std::uint32_t wanted(const Options&) { return 0b111; }
  static std::array<double, 3> starts(const Options&) { return {}; }

  struct Scalars {
    double rate = 0;
  };
  using Memo = StepMemo<Scalars>;
  static Scalars advance(const Options& options, Lane& lane, Memo& memo) {
    const double step = lane.scalar(0) + 1;
    lane.set_scalar(0, step);
    if (step != memo.step) memo = {step, {options.lr / (1 - std::pow(options.beta1, step))}};
    return memo.scalars;
  }

  template <class F>
  static void update(const Options& options, const Scalars& scalars, const Rows& rows, std::int64_t count) {
    using N = typename F::Number;
    auto* const __restrict param = items<F>(rows.param);
    const auto* const __restrict grad = items<F>(rows.grad);
    auto* const __restrict average = items<F>(rows.state[1]);
    auto* const __restrict norm = items<F>(rows.state[2]);
    const N sign = options.maximize ? N(-1) : N(1);
    const N decay = static_cast<N>(options.weight_decay);
    const N weight1 = static_cast<N>(1 - options.beta1);
    const N beta2 = static_cast<N>(options.beta2);
    const N eps = static_cast<N>(options.eps);
    const N rate = static_cast<N>(-scalars.rate);
    with_flag(options.weight_decay != 0, [&](auto has_decay) {
      for (std::int64_t i = 0; i < count; ++i) {
        const N x = F::load(param[i]);
        N g = sign * F::load(grad[i]);
        if constexpr (has_decay.value) g = F::rounded(g + decay * x);
        const N m = lerp<F>(F::load(average[i]), g, weight1);
        const N largest = maximum(F::rounded(F::load(norm[i]) * beta2), F::rounded(std::abs(g) + eps));
        average[i] = F::store(m);
        norm[i] = F::store(largest);
        param[i] = F::store(x + rate * m / largest);
      }
    });
  }
};

PyResult<Value> init_adamax(Interpreter& in, Args a) {
  const Names& names = OptimLibrary::of(in).names;
  ArgumentChecks checks(in);
  NNS_TRY(checks.learning_rate(a[2]));
  NNS_TRY(checks.not_negative(a[4], "Invalid epsilon value"));
  NNS_TRY(checks.betas(a[3]));
  NNS_TRY(checks.not_negative(a[5], "Invalid weight_decay value"));
  NNS_TRY(init_optimizer(self_of(a), a[1],
                         make_defaults(in, {{names.lr, a[2]},
                                            {names.betas, a[3]},
                                            {names.eps, a[4]},
                                            {names.weight_decay, a[5]},
                                            {names.foreach, a[6]},
                                            {names.maximize, a[7]},
                                            {names.differentiable, a[8]},
                                            {names.capturable, a[9]}})));
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::Adamax>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, foreach=None, *, "
      "maximize=False, differentiable=False, capturable=False)",
      init_adamax);
  define_step<AdamaxRule>(cls);
  cls.def("__setstate__(self, state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Names& names = OptimLibrary::of(in).names;
    return restore_capturable(self_of(a), a[1], {names.step});
  });
}

}  // namespace nns::optim
