#include "core/optim/fused_step.h"
#include "core/optim/rule_formulas.h"

// Behaviour: torch/optim/adadelta.py, _single_tensor_adadelta.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct AdadeltaRule {
  static constexpr std::string_view kSparseRefusal = "Adadelta does not support sparse gradients";
  static constexpr StateSlot kSlots[] = {{&Names::step, StateSlot::Kind::Scalar, 0},
                                         {&Names::square_avg, StateSlot::Kind::Like, 0},
                                         {&Names::acc_delta, StateSlot::Kind::Like, 0}};
  static constexpr StateLayout kLayout{kSlots};

  using Options = AdadeltaOptions;
  static PyResult<Options> read(GroupOptions& group) {
    const Names& names = OptimLibrary::of(group.interpreter()).names;
    Options options;
    NNS_TRY(group.read(options,
                       {{&Options::lr, names.lr},
                        {&Options::rho, names.rho},
                        {&Options::eps, names.eps},
                        {&Options::weight_decay, names.weight_decay}},
                       {{&Options::maximize, names.maximize}}));
    return options;
  }
  static std::uint32_t wanted(const Options&) { return 0b111; }
  static std::array<double, 3> starts(const Options&) { return {}; }

  struct Memo {};
  using Scalars = AdadeltaScalars;
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
    auto* const __restrict moved = items<F>(rows.state[2]);
    const AdadeltaNumbers<N> numbers(options);
    with_flag(options.weight_decay != 0, [&](auto has_decay) {
      for (std::int64_t i = 0; i < count; ++i) {
        N x = F::load(param[i]), a = F::load(square[i]), b = F::load(moved[i]);
        adadelta_item<F>(numbers, has_decay, x, F::load(grad[i]), a, b);
        param[i] = F::store(x);
        square[i] = F::store(a);
        moved[i] = F::store(b);
      }
    });
  }
  static PyResult<void> run_on_device(DeviceSteps& steps, Interpreter& in, const StepWork<Options, Scalars>& work) {
    return steps.step(in, work);
  }
};

PyResult<Value> init_adadelta(Interpreter& in, Args a) {
  const Names& names = OptimLibrary::of(in).names;
  ArgumentChecks checks(in);
  NNS_TRY(checks.learning_rate(a[2]));
  NNS_TRY_ASSIGN(const double rho, number_of(in, a[3]));
  NNS_TRY(checks.require(rho >= 0 && rho <= 1, "Invalid rho value", a[3]));
  NNS_TRY(checks.not_negative(a[4], "Invalid epsilon value"));
  NNS_TRY(checks.not_negative(a[5], "Invalid weight_decay value"));
  NNS_TRY(init_optimizer(self_of(a), a[1],
                         make_defaults(in, {{names.lr, a[2]},
                                            {names.rho, a[3]},
                                            {names.eps, a[4]},
                                            {names.weight_decay, a[5]},
                                            {names.maximize, a[8]},
                                            {names.capturable, a[7]},
                                            {names.foreach, a[6]},
                                            {names.differentiable, a[9]}})));
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::Adadelta>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=1.0, rho=0.9, eps=1e-06, weight_decay=0, foreach=None, *, capturable=False, "
      "maximize=False, differentiable=False)",
      init_adadelta);
  define_step<AdadeltaRule>(cls);
  cls.def("__setstate__(self, state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Names& names = OptimLibrary::of(in).names;
    return restore_capturable(self_of(a), a[1], {names.step});
  });
}

}  // namespace nns::optim
