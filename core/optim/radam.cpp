#include "core/optim/fused_step.h"
#include "core/optim/rule_formulas.h"

// Behaviour: torch/optim/radam.py, _single_tensor_radam.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct RadamRule {
  static constexpr std::string_view kSparseRefusal = "RAdam does not support sparse gradients";
  static constexpr StateSlot kSlots[] = {{&Names::step, StateSlot::Kind::Scalar, 0},
                                         {&Names::exp_avg, StateSlot::Kind::Like, 0},
                                         {&Names::exp_avg_sq, StateSlot::Kind::Like, 0}};
  static constexpr StateLayout kLayout{kSlots};

  using Options = RadamOptions;
  static PyResult<Options> read(GroupOptions& group) {
    const Names& names = OptimLibrary::of(group.interpreter()).names;
    Options options;
    NNS_TRY(group.read(
        options, {{&Options::lr, names.lr}, {&Options::eps, names.eps}, {&Options::weight_decay, names.weight_decay}},
        {{&Options::maximize, names.maximize}, {&Options::decoupled, names.decoupled_weight_decay}}));
    NNS_TRY_ASSIGN(const auto betas, group.pair(names.betas));
    options.beta1 = betas.first;
    options.beta2 = betas.second;
    return options;
  }
  static std::uint32_t wanted(const Options&) { return 0b111; }
  static std::array<double, 3> starts(const Options&) { return {}; }

  using Scalars = RadamScalars;
  using Memo = StepMemo<Scalars>;
  static Scalars advance(const Options& options, Lane& lane, Memo& memo) {
    const double step = lane.scalar(0) + 1;
    lane.set_scalar(0, step);
    if (step != memo.step) {
      Scalars& scalars = memo.scalars;
      memo.step = step;
      const double power2 = std::pow(options.beta2, step);
      const double correction2 = 1 - power2;
      scalars.correction1 = 1 - std::pow(options.beta1, step);
      // Lengths of the approximated moving average: at most, and now.
      const double longest = 2 / (1 - options.beta2) - 1;
      const double length = longest - 2 * step * power2 / correction2;
      scalars.is_rectified = length > 5.0;
      if (scalars.is_rectified) {
        scalars.root_of_correction2 = std::sqrt(correction2);
        scalars.rectification =
            std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length));
      }
    }
    return memo.scalars;
  }

  template <class F>
  static void update(const Options& options, const Scalars& scalars, const Rows& rows, std::int64_t count) {
    using N = typename F::Number;
    auto* const __restrict param = items<F>(rows.param);
    const auto* const __restrict grad = items<F>(rows.grad);
    auto* const __restrict average = items<F>(rows.state[1]);
    auto* const __restrict square = items<F>(rows.state[2]);
    const RadamNumbers<N> numbers(options, scalars);
    const bool decays = options.weight_decay != 0;
    with_flag(decays && !options.decoupled, [&](auto adds_decay) {
      with_flag(decays && options.decoupled, [&](auto shrinks) {
        with_flag(scalars.is_rectified, [&](auto is_rectified) {
          for (std::int64_t i = 0; i < count; ++i) {
            N x = F::load(param[i]), a = F::load(average[i]), b = F::load(square[i]);
            radam_item<F>(numbers, adds_decay, shrinks, is_rectified, x, F::load(grad[i]), a, b);
            param[i] = F::store(x);
            average[i] = F::store(a);
            square[i] = F::store(b);
          }
        });
      });
    });
  }
  static PyResult<void> run_on_device(DeviceSteps& steps, Interpreter& in, const StepWork<Options, Scalars>& work) {
    return steps.step(in, work);
  }
};

PyResult<Value> init_radam(Interpreter& in, Args a) {
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
                                            {names.maximize, a[8]},
                                            {names.foreach, a[7]},
                                            {names.capturable, a[9]},
                                            {names.decoupled_weight_decay, a[6]},
                                            {names.differentiable, a[10]}})));
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::RAdam>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, decoupled_weight_decay=False, "
      "*, foreach=None, maximize=False, capturable=False, differentiable=False)",
      init_radam);
  define_step<RadamRule>(cls);
  cls.def("__setstate__(self, state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Names& names = OptimLibrary::of(in).names;
    return restore_optimizer(self_of(a), a[1],
                             {{names.foreach, Value()},
                              {names.maximize, Value(false)},
                              {names.differentiable, Value(false)},
                              {names.decoupled_weight_decay, Value(false)},
                              {names.capturable, Value(false)}},
                             {names.step});
  });
}

}  // namespace nns::optim
