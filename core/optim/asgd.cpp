#include <algorithm>

#include "core/optim/fused_step.h"
#include "core/optim/rule_formulas.h"

// Behaviour: torch/optim/asgd.py, _single_tensor_asgd.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct AsgdRule {
  static constexpr std::string_view kSparseRefusal = "ASGD does not support sparse gradients";
  static constexpr StateSlot kSlots[] = {{&Names::step, StateSlot::Kind::Scalar, 0},
                                         {&Names::eta, StateSlot::Kind::Scalar, 0},
                                         {&Names::mu, StateSlot::Kind::Scalar, 1},
                                         {&Names::ax, StateSlot::Kind::Like, 0}};
  static constexpr StateLayout kLayout{kSlots};

  using Options = AsgdOptions;
  static PyResult<Options> read(GroupOptions& group) {
    const Names& names = OptimLibrary::of(group.interpreter()).names;
    Options options;
    NNS_TRY(group.read(options,
                       {{&Options::lr, names.lr},
                        {&Options::lambd, names.lambd},
                        {&Options::alpha, names.alpha},
                        {&Options::t0, names.t0},
                        {&Options::weight_decay, names.weight_decay}},
                       {{&Options::maximize, names.maximize}}));
    return options;
  }
  static std::uint32_t wanted(const Options&) { return 0b1111; }
  static std::array<double, 4> starts(const Options& options) { return {0, options.lr, 1, 0}; }

  using Scalars = AsgdScalars;
  using Memo = StepMemo<Scalars>;
  static Scalars advance(const Options& options, Lane& lane, Memo& memo) {
    const double step = lane.scalar(0) + 1;
    lane.set_scalar(0, step);
    const Scalars now{lane.scalar(1), lane.scalar(2)};
    // What the next step uses.
    if (step != memo.step) {
      memo.step = step;
      memo.scalars.eta = options.lr / std::pow(1 + options.lambd * options.lr * step, options.alpha);
      memo.scalars.mu = 1 / std::max(1.0, step - options.t0);
    }
    lane.set_scalar(1, memo.scalars.eta);
    lane.set_scalar(2, memo.scalars.mu);
    return now;
  }

  template <class F>
  static void update(const Options& options, const Scalars& scalars, const Rows& rows, std::int64_t count) {
    using N = typename F::Number;
    auto* const __restrict param = items<F>(rows.param);
    const auto* const __restrict grad = items<F>(rows.grad);
    auto* const __restrict average = items<F>(rows.state[3]);
    const AsgdNumbers<N> numbers(options, scalars);
    with_flag(options.weight_decay != 0, [&](auto has_decay) {
      with_flag(scalars.mu != 1, [&](auto averages) {
        for (std::int64_t i = 0; i < count; ++i) {
          N x = F::load(param[i]), mean = averages.value ? F::load(average[i]) : N(0);
          asgd_item<F>(numbers, has_decay, averages, x, F::load(grad[i]), mean);
          param[i] = F::store(x);
          average[i] = F::store(mean);
        }
      });
    });
  }
  static PyResult<void> run_on_device(DeviceSteps& steps, Interpreter& in, const StepWork<Options, Scalars>& work) {
    return steps.step(in, work);
  }
};

PyResult<Value> init_asgd(Interpreter& in, Args a) {
  const Names& names = OptimLibrary::of(in).names;
  ArgumentChecks checks(in);
  NNS_TRY(checks.learning_rate(a[2]));
  NNS_TRY(checks.not_negative(a[6], "Invalid weight_decay value"));
  NNS_TRY(init_optimizer(self_of(a), a[1],
                         make_defaults(in, {{names.lr, a[2]},
                                            {names.lambd, a[3]},
                                            {names.alpha, a[4]},
                                            {names.t0, a[5]},
                                            {names.weight_decay, a[6]},
                                            {names.foreach, a[7]},
                                            {names.maximize, a[8]},
                                            {names.differentiable, a[9]},
                                            {names.capturable, a[10]}})));
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::ASGD>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=0.01, lambd=0.0001, alpha=0.75, t0=1000000.0, weight_decay=0, foreach=None, "
      "maximize=False, differentiable=False, capturable=False)",
      init_asgd);
  define_step<AsgdRule>(cls);
  cls.def("__setstate__(self, state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Names& names = OptimLibrary::of(in).names;
    return restore_capturable(self_of(a), a[1], {names.step, names.eta, names.mu});
  });
}

}  // namespace nns::optim
