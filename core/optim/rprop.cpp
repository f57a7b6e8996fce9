#include "core/optim/fused_step.h"
#include "core/optim/rule_formulas.h"

// Behaviour: torch/optim/rprop.py, _single_tensor_rprop.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct RpropRule {
  static constexpr std::string_view kSparseRefusal = "Rprop does not support sparse gradients";
  static constexpr StateSlot kSlots[] = {{&Names::step, StateSlot::Kind::Scalar, 0},
                                         {&Names::prev, StateSlot::Kind::Like, 0},
                                         {&Names::step_size, StateSlot::Kind::Like, 0}};
  static constexpr StateLayout kLayout{kSlots};

  using Options = RpropOptions;
  static PyResult<Options> read(GroupOptions& group) {
    const Names& names = OptimLibrary::of(group.interpreter()).names;
    Options options;
    NNS_TRY(group.read(options, {{&Options::lr, names.lr}}, {{&Options::maximize, names.maximize}}));
    NNS_TRY_ASSIGN(const auto etas, group.pair(names.etas));
    NNS_TRY_ASSIGN(const auto sizes, group.pair(names.step_sizes));
    options.shrink = etas.first;
    options.grow = etas.second;
    options.smallest = sizes.first;
    options.largest = sizes.second;
    return options;
  }
  static std::uint32_t wanted(const Options&) { return 0b111; }
  static std::array<double, 3> starts(const Options& options) { return {0, 0, options.lr}; }

  struct Memo {};
  using Scalars = RpropScalars;
  static Scalars advance(const Options&, Lane& lane, Memo&) {
    lane.set_scalar(0, lane.scalar(0) + 1);
    return {};
  }

  template <class F>
  static void update(const Options& options, const Scalars&, const Rows& rows, std::int64_t count) {
    using N = typename F::Number;
    auto* const __restrict param = items<F>(rows.param);
    const auto* const __restrict grad = items<F>(rows.grad);
    auto* const __restrict previous = items<F>(rows.state[1]);
    auto* const __restrict sizes = items<F>(rows.state[2]);
    const RpropNumbers<F> numbers(options);
    for (std::int64_t i = 0; i < count; ++i) {
      N x = F::load(param[i]), a = F::load(previous[i]), b = F::load(sizes[i]);
      rprop_item<F>(numbers, x, F::load(grad[i]), a, b);
      param[i] = F::store(x);
      previous[i] = F::store(a);
      sizes[i] = F::store(b);
    }
  }
  static PyResult<void> run_on_device(DeviceSteps& steps, Interpreter& in, const StepWork<Options, Scalars>& work) {
    return steps.step(in, work);
  }
};

PyResult<Value> init_rprop(Interpreter& in, Args a) {
  const Names& names = OptimLibrary::of(in).names;
  ArgumentChecks checks(in);
  NNS_TRY(checks.learning_rate(a[2]));
  NNS_TRY_ASSIGN(const Value minus, object::getitem(in, a[3], Value(0)));
  NNS_TRY_ASSIGN(const Value plus, object::getitem(in, a[3], Value(1)));
  NNS_TRY_ASSIGN(const double shrink, number_of(in, minus));
  NNS_TRY_ASSIGN(const double grow, number_of(in, plus));
  if (!(0 < shrink && shrink < 1 && 1 < grow)) {
    NNS_TRY_ASSIGN(const std::string minus_text, object::str(in, minus));
    NNS_TRY_ASSIGN(const std::string plus_text, object::str(in, plus));
    return object::value_error(in, "Invalid eta values: {}, {}", minus_text, plus_text);
  }
  NNS_TRY(init_optimizer(self_of(a), a[1],
                         make_defaults(in, {{names.lr, a[2]},
                                            {names.etas, a[3]},
                                            {names.step_sizes, a[4]},
                                            {names.foreach, a[6]},
                                            {names.maximize, a[7]},
                                            {names.differentiable, a[8]},
                                            {names.capturable, a[5]}})));
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::Rprop>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=0.01, etas=(0.5, 1.2), step_sizes=(1e-06, 50), *, capturable=False, foreach=None, "
      "maximize=False, differentiable=False)",
      init_rprop);
  define_step<RpropRule>(cls);
  cls.def("__setstate__(self, state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Names& names = OptimLibrary::of(in).names;
    return restore_capturable(self_of(a), a[1], {names.step});
  });
}

}  // namespace nns::optim
