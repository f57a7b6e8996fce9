#include "core/ops/adam_rows.h"
#include "core/optim/fused_step.h"

// Behaviour: torch/optim/adam.py, _single_tensor_adam; torch/optim/adamw.py.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct AdamRule {
  static constexpr std::string_view kSparseRefusal =
      "Adam does not support sparse gradients, please consider SparseAdam instead";
  static constexpr StateSlot kSlots[] = {{&Names::step, StateSlot::Kind::Scalar, 0},
                                         {&Names::exp_avg, StateSlot::Kind::Like, 0},
                                         {&Names::exp_avg_sq, StateSlot::Kind::Like, 0},
                                         {&Names::max_exp_avg_sq, StateSlot::Kind::Like, 0}};
  static constexpr StateLayout kLayout{kSlots};

  using Options = AdamOptions;
  static PyResult<Options> read(GroupOptions& group) {
    const Names& names = OptimLibrary::of(group.interpreter()).names;
    Options options;
    NNS_TRY(group.read(
        options, {{&Options::lr, names.lr}, {&Options::eps, names.eps}, {&Options::weight_decay, names.weight_decay}},
        {{&Options::amsgrad, names.amsgrad},
         {&Options::maximize, names.maximize},
         {&Options::decoupled, names.decoupled_weight_decay}}));
    NNS_TRY_ASSIGN(const auto betas, group.pair(names.betas));
    options.beta1 = betas.first;
    options.beta2 = betas.second;
    return options;
  }
  static std::uint32_t wanted(const Options& options) { return options.amsgrad ? 0b1111 : 0b0111; }
  static std::array<double, 4> starts(const Options&) { return {}; }

  using Scalars = AdamScalars;
  using Memo = StepMemo<Scalars>;
  static Scalars advance(const Options& options, Lane& lane, Memo& memo) {
    const double step = lane.scalar(0) + 1;
    lane.set_scalar(0, step);
    if (step != memo.step) {
      memo.step = step;
      memo.scalars.step_size = options.lr / (1 - std::pow(options.beta1, step));
      memo.scalars.root_of_correction = std::sqrt(1 - std::pow(options.beta2, step));
    }
    return memo.scalars;
  }

  using Row = ops::vectors::AdamRow;
  static bool has_rows(const Options& options) { return !options.amsgrad; }
  static Row row_of(const Rows& rows, std::int64_t count) {
    return {items<Float32Format>(rows.param), items<Float32Format>(rows.grad), items<Float32Format>(rows.state[1]),
            items<Float32Format>(rows.state[2]), count};
  }
  static bool are_equal(const Scalars& a, const Scalars& b) {
    return a.step_size == b.step_size && a.root_of_correction == b.root_of_correction;
  }
  static ops::vectors::AdamStep step_of(const Options& options, const Scalars& scalars) {
    const AdamNumbers<float> numbers(options, scalars);
    const bool decays = options.weight_decay != 0;
    const bool shrinks = decays && options.decoupled, adds_decay = decays && !options.decoupled;
    return {options.maximize,
            shrinks ? numbers.shrink : 1,
            adds_decay ? numbers.decay : 0,
            numbers.weight1,
            numbers.beta2,
            numbers.weight2,
            numbers.root,
            numbers.eps,
            numbers.rate};
  }
  static void update_rows(const Options& options, const Scalars& scalars, std::span<const Row> rows) {
    ops::vectors::adam(step_of(options, scalars), rows);
  }
  static void update_watched_row(const Options& options, const Scalars& scalars, const Row& row,
                                 ops::UpdateMoments& wanted) {
    ops::vectors::adam_watched(step_of(options, scalars), row, wanted);
  }

  template <class F>
  static void update(const Options& options, const Scalars& scalars, const Rows& rows, std::int64_t count) {
    using N = typename F::Number;
    auto* const __restrict param = items<F>(rows.param);
    const auto* const __restrict grad = items<F>(rows.grad);
    auto* const __restrict average = items<F>(rows.state[1]);
    auto* const __restrict square = items<F>(rows.state[2]);
    auto* const __restrict largest = items<F>(rows.state[3]);
    const AdamNumbers<N> numbers(options, scalars);
    const bool decays = options.weight_decay != 0;
    if constexpr (std::is_same_v<typename F::Item, float>) {
      if (!options.amsgrad) {
        const Row row = row_of(rows, count);
        return update_rows(options, scalars, {&row, 1});
      }
    }
    with_flag(decays && !options.decoupled, [&](auto adds_decay) {
      with_flag(decays && options.decoupled, [&](auto shrinks) {
        with_flag(options.amsgrad, [&](auto keeps_largest) {
          for (std::int64_t i = 0; i < count; ++i) {
            N x = F::load(param[i]), m = F::load(average[i]), v = F::load(square[i]);
            N most = keeps_largest.value ? F::load(largest[i]) : N(0);
            adam_item<F>(numbers, adds_decay, shrinks, keeps_largest, x, F::load(grad[i]), m, v, most);
            param[i] = F::store(x);
            average[i] = F::store(m);
            square[i] = F::store(v);
            if constexpr (keeps_largest.value) largest[i] = F::store(most);
          }
        });
      });
    });
  }
  static PyResult<void> run_on_device(DeviceSteps& steps, Interpreter& in, const StepWork<Options, Scalars>& work) {
    return steps.adam(in, work);
  }
};

// The arguments that Adam and AdamW share, in the order of Adam's signature behind `params`.
PyResult<void> init_adam(Interpreter& in, Optimizer& self, const Value& params, Args given) {
  const Names& names = OptimLibrary::of(in).names;
  const Value &lr = given[0], &betas = given[1], &eps = given[2], &weight_decay = given[3], &amsgrad = given[4];
  const Value& foreach = given[5], &maximize = given[6], &capturable = given[7], &differentiable = given[8];
  const Value &fused = given[9], &decoupled = given[10];
  ArgumentChecks checks(in);
  if (lr.as<Tensor>() != nullptr) {
    NNS_TRY_ASSIGN(const bool is_foreach, object::truth(in, foreach));
    NNS_TRY_ASSIGN(const bool is_capturable, object::truth(in, capturable));
    if (is_foreach && !is_capturable) {
      return object::value_error(in, "lr as a Tensor is not supported for capturable=False and foreach=True");
    }
  }
  NNS_TRY(checks.learning_rate(lr));
  NNS_TRY(checks.not_negative(eps, "Invalid epsilon value"));
  NNS_TRY(checks.betas(betas));
  NNS_TRY(checks.not_negative(weight_decay, "Invalid weight_decay value"));
  NNS_TRY_ASSIGN(const Value beta1, object::getitem(in, betas, Value(0)));
  NNS_TRY_ASSIGN(const Value beta2, object::getitem(in, betas, Value(1)));
  const bool both_floats = beta1.is_float() && beta2.is_float();
  const bool both_tensors = beta1.as<Tensor>() != nullptr && beta2.as<Tensor>() != nullptr;
  if (!both_floats && !both_tensors) {
    return object::value_error(in, "betas must be either both floats or both Tensors");
  }
  NNS_TRY(init_optimizer(self, params,
                         make_defaults(in, {{names.lr, lr},
                                            {names.betas, betas},
                                            {names.eps, eps},
                                            {names.weight_decay, weight_decay},
                                            {names.amsgrad, amsgrad},
                                            {names.maximize, maximize},
                                            {names.foreach, foreach},
                                            {names.capturable, capturable},
                                            {names.differentiable, differentiable},
                                            {names.fused, fused},
                                            {names.decoupled_weight_decay, decoupled}})));
  return check_fused(in, fused, differentiable, foreach);
}

PyResult<void> restore_adam(Optimizer& self, const Value& state) {
  const Names& names = OptimLibrary::of(self.interpreter()).names;
  NNS_TRY(set_optimizer_state(self, state));
  NNS_TRY(set_group_defaults(self, {{names.amsgrad, Value(false)},
                                    {names.maximize, Value(false)},
                                    {names.foreach, Value()},
                                    {names.capturable, Value(false)},
                                    {names.differentiable, Value(false)},
                                    {names.decoupled_weight_decay, Value(false)},
                                    {names.fused, Value()}}));
  return numbers_to_tensors(self, {names.step});
}

}  // namespace

template <>
void define<OptimizerId::Adam>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, amsgrad=False, *, "
      "foreach=None, maximize=False, capturable=False, differentiable=False, fused=None, "
      "decoupled_weight_decay=False)",
      [](Interpreter& in, Args a) -> PyResult<Value> {
        NNS_TRY(init_adam(in, self_of(a), a[1], a.subspan(2)));
        return Value();
      });
  define_step<AdamRule>(cls);
  cls.def("__setstate__(self, state)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(restore_adam(self_of(a), a[1]));
    return Value();
  });
}

template <>
void define<OptimizerId::AdamW>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01, amsgrad=False, *, "
      "maximize=False, foreach=None, capturable=False, differentiable=False, fused=None)",
      [](Interpreter& in, Args a) -> PyResult<Value> {
        // Adam's order: foreach before maximize, and the decoupled decay behind.
        const Value given[] = {a[2], a[3], a[4], a[5], a[6], a[8], a[7], a[9], a[10], a[11], Value(true)};
        NNS_TRY(init_adam(in, self_of(a), a[1], given));
        return Value();
      });
  cls.def("__setstate__(self, state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(restore_adam(self_of(a), a[1]));
    NNS_TRY_ASSIGN(List* const groups, self_of(a).param_groups());
    for (const Value& group : groups->items()) {
      if (Dict* options = group.as<Dict>()) {
        options->set(OptimLibrary::of(in).names.decoupled_weight_decay, Value(true));
      }
    }
    return Value();
  });
}

}  // namespace nns::optim
