#include "core/optim/fused_step.h"
#include "core/optim/rule_formulas.h"

// Behaviour: torch/optim/rmsprop.py, _single_tensor_rmsprop.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct RmspropRule {
  static constexpr std::string_view kSparseRefusal = "RMSprop does not support sparse gradients";
  static constexpr StateSlot kSlots[] = {{&Names::step, StateSlot::Kind::Scalar, 0},
                                         {&Names::square_avg, StateSlot::Kind::Like, 0},
                                         {&Names::momentum_buffer, StateSlot::Kind::Like, 0},
                                         {&Names::grad_avg, StateSlot::Kind::Like, 0}};
  static constexpr StateLayout kLayout{kSlots};

  using Options = RmspropOptions;
  static PyResult<Options> read(GroupOptions& group) {
    const Names& names = OptimLibrary::of(group.interpreter()).names;
    Options options;
    NNS_TRY(group.read(options,
                       {{&Options::lr, names.lr},
                        {&Options::alpha, names.alpha},
                        {&Options::eps, names.eps},
                        {&Options::weight_decay, names.weight_decay},
                        {&Options::momentum, names.momentum}},
                       {{&Options::centered, names.centered}, {&Options::maximize, names.maximize}}));
    return options;
  }
  static std::uint32_t wanted(const Options& options) {
    return 0b0011U | (options.momentum > 0 ? 0b0100U : 0U) | (options.centered ? 0b1000U : 0U);
  }
  static std::array<double, 4> starts(const Options&) { return {}; }

  struct Memo {};
  using Scalars = RmspropScalars;
  static Scalars advance(const Options&, Lane& lane, Memo&) {
    lane.set_scalar(0, lane.scalar(0) + 1);
    return {};
  }

  template <class F>
  static void update(const Options& options, const Scalars&, const Rows& rows, std::int64_t count) {
    using N = typename F::Number;
    auto* const __restrict param = items<F>(rows.param);
    const auto* const __restrict grad = items<F>(rows.grad);
    auto* const __restrict square = items<F>(rows.state[1]);
    auto* const __restrict buffer = items<F>(rows.state[2]);
    auto* const __restrict average = items<F>(rows.state[3]);
    const RmspropNumbers<N> numbers(options);
    with_flag(options.weight_decay != 0, [&](auto has_decay) {
      with_flag(options.centered, [&](auto is_centered) {
        with_flag(options.momentum > 0, [&](auto has_momentum) {
          for (std::int64_t i = 0; i < count; ++i) {
            N x = F::load(param[i]), v = F::load(square[i]);
            N velocity = has_momentum.value ? F::load(buffer[i]) : N(0);
            N mean = is_centered.value ? F::load(average[i]) : N(0);
            rmsprop_item<F>(numbers, has_decay, is_centered, has_momentum, x, F::load(grad[i]), v, velocity, mean);
            param[i] = F::store(x);
            square[i] = F::store(v);
            if constexpr (has_momentum.value) buffer[i] = F::store(velocity);
            if constexpr (is_centered.value) average[i] = F::store(mean);
          }
        });
      });
    });
  }
  static PyResult<void> run_on_device(DeviceSteps& steps, Interpreter& in, const StepWork<Options, Scalars>& work) {
    return steps.step(in, work);
  }
};

PyResult<Value> init_rmsprop(Interpreter& in, Args a) {
  const Names& names = OptimLibrary::of(in).names;
  const Value &lr = a[2], &alpha = a[3], &eps = a[4], &weight_decay = a[5], &momentum = a[6];
  ArgumentChecks checks(in);
  NNS_TRY(checks.learning_rate(lr));
  NNS_TRY(checks.not_negative(eps, "Invalid epsilon value"));
  NNS_TRY(checks.not_negative(momentum, "Invalid momentum value"));
  NNS_TRY(checks.not_negative(weight_decay, "Invalid weight_decay value"));
  NNS_TRY(checks.not_negative(alpha, "Invalid alpha value"));
  NNS_TRY(init_optimizer(self_of(a), a[1],
                         make_defaults(in, {{names.lr, lr},
                                            {names.momentum, momentum},
                                            {names.alpha, alpha},
                                            {names.eps, eps},
                                            {names.centered, a[7]},
                                            {names.weight_decay, weight_decay},
                                            {names.capturable, a[8]},
                                            {names.foreach, a[9]},
                                            {names.maximize, a[10]},
                                            {names.differentiable, a[11]}})));
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::RMSprop>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0, momentum=0, centered=False, "
      "capturable=False, foreach=None, maximize=False, differentiable=False)",
      init_rmsprop);
  define_step<RmspropRule>(cls);
  cls.def("__setstate__(self, state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Names& names = OptimLibrary::of(in).names;
    return restore_optimizer(self_of(a), a[1],
                             {{names.momentum, Value(0)},
                              {names.centered, Value(false)},
                              {names.foreach, Value()},
                              {names.maximize, Value(false)},
                              {names.differentiable, Value(false)},
                              {names.capturable, Value(false)}},
                             {names.step});
  });
}

}  // namespace nns::optim
