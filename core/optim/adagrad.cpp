#include "core/optim/fused_step.h"
#include "core/optim/rule_formulas.h"
#include "core/optim/tensor_steps.h"

// Behaviour: torch/optim/adagrad.py, _single_tensor_adagrad.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct AdagradRule {
  static constexpr StateSlot kSlots[] = {{&Names::step, StateSlot::Kind::Scalar, 0},
                                         {&Names::sum, StateSlot::Kind::Like, 0}};
  static constexpr StateLayout kLayout{kSlots};

  using Options = AdagradOptions;
  static PyResult<Options> read(GroupOptions& group) {
    const Names& names = OptimLibrary::of(group.interpreter()).names;
    Options options;
    NNS_TRY(group.read(options,
                       {{&Options::lr, names.lr},
                        {&Options::lr_decay, names.lr_decay},
                        {&Options::eps, names.eps},
                        {&Options::weight_decay, names.weight_decay},
                        {&Options::initial, names.initial_accumulator_value}},
                       {{&Options::maximize, names.maximize}}));
    return options;
  }
  static std::uint32_t wanted(const Options&) { return 0b11; }
  static std::array<double, 2> starts(const Options& options) { return {0, options.initial}; }

  struct Memo {};
  using Scalars = AdagradScalars;
  static Scalars advance(const Options& options, Lane& lane, Memo&) {
    const double step = lane.scalar(0) + 1;
    lane.set_scalar(0, step);
    return {options.lr / (1 + (step - 1) * options.lr_decay)};
  }

  template <class F>
  static void update(const Options& options, const Scalars& scalars, const Rows& rows, std::int64_t count) {
    using N = typename F::Number;
    auto* const __restrict param = items<F>(rows.param);
    const auto* const __restrict grad = items<F>(rows.grad);
    auto* const __restrict sum = items<F>(rows.state[1]);
    const AdagradNumbers<N> numbers(options, scalars);
    with_flag(options.weight_decay != 0, [&](auto has_decay) {
      for (std::int64_t i = 0; i < count; ++i) {
        N x = F::load(param[i]), total = F::load(sum[i]);
        adagrad_item<F>(numbers, has_decay, x, F::load(grad[i]), total);
        param[i] = F::store(x);
        sum[i] = F::store(total);
      }
    });
  }
  static PyResult<void> update_sparse(Optimizer& self, GroupOptions& group, const Options& options, Lane& lane,
                                      Memo& memo) {
    Interpreter& in = self.interpreter();
    NNS_TRY_ASSIGN(const Value fused, group.value(OptimLibrary::of(in).names.fused));
    if (fused.is(Value(true))) {
      return object::runtime_error(in, "`fused` does not support sparse grad or complex param");
    }
    const ops::GradModeGuard no_grad(in, false);
    Tensor& param = *lane.param;
    if (!StepPlan::is_current(lane, wanted(options))) {
      NNS_TRY(self.plan().find_state(self, lane, kLayout, wanted(options), starts(options)));
    }
    const Scalars scalars = advance(options, lane, memo);
    lane.state[0].tensor->bump_version();
    lane.fresh = 0;
    if (options.weight_decay != 0) {
      return object::runtime_error(in, "weight_decay option is not compatible with sparse gradients");
    }
    NNS_TRY_ASSIGN(const Ref<Tensor> given, signed_sparse(*param.grad(), options.maximize));
    // The update is no linear one: each place may come once.
    NNS_TRY_ASSIGN(const Ref<Tensor> grad, ops::coalesced(*given));
    const Term values(grad->sparse()->values);
    Tensor& sum = *lane.state[1].tensor;
    NNS_TRY_ASSIGN(Ref<Tensor> squares, (values * values).take());
    NNS_TRY(ops::add_sparse(sum, *ops::with_values(*grad, std::move(squares))));
    const Term root = ops::sqrt(Term(ops::items_at(sum, *grad))) + options.eps;
    NNS_TRY_ASSIGN(Ref<Tensor> move, (values / root).take());
    return ops::add_sparse(param, *ops::with_values(*grad, std::move(move)), -scalars.rate);
  }
  static PyResult<void> run_on_device(DeviceSteps& steps, Interpreter& in, const StepWork<Options, Scalars>& work) {
    return steps.step(in, work);
  }
};

PyResult<Value> init_adagrad(Interpreter& in, Args a) {
  const Names& names = OptimLibrary::of(in).names;
  const Value &lr = a[2], &lr_decay = a[3], &weight_decay = a[4], &initial = a[5], &eps = a[6];
  ArgumentChecks checks(in);
  NNS_TRY(checks.learning_rate(lr));
  NNS_TRY(checks.not_negative(lr_decay, "Invalid lr_decay value"));
  NNS_TRY(checks.not_negative(weight_decay, "Invalid weight_decay value"));
  NNS_TRY(checks.not_negative(initial, "Invalid initial_accumulator_value value"));
  NNS_TRY(checks.not_negative(eps, "Invalid epsilon value"));
  Optimizer& self = self_of(a);
  NNS_TRY(init_optimizer(self, a[1],
                         make_defaults(in, {{names.lr, lr},
                                            {names.lr_decay, lr_decay},
                                            {names.eps, eps},
                                            {names.weight_decay, weight_decay},
                                            {names.initial_accumulator_value, initial},
                                            {names.foreach, a[7]},
                                            {names.maximize, a[8]},
                                            {names.differentiable, a[9]},
                                            {names.fused, a[10]}})));
  NNS_TRY(check_fused(in, a[10], a[9], a[7]));
  NNS_TRY(make_states<AdagradRule>(self));
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::Adagrad>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, "
      "foreach=None, *, maximize=False, differentiable=False, fused=None)",
      init_adagrad);
  define_step<AdagradRule>(cls);
  cls.def("__setstate__(self, state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Names& names = OptimLibrary::of(in).names;
    return restore_optimizer(self_of(a), a[1],
                             {{names.foreach, Value()},
                              {names.maximize, Value(false)},
                              {names.differentiable, Value(false)},
                              {names.fused, Value()}},
                             {names.step});
  });
  // The sums would move to memory that processes share; ours lie where they are.
  cls.def("share_memory(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Dict* const state, self_of(a).state());
    for (std::size_t at = 0; Dict::Entry* entry = state->next(at);) {
      Dict* const own = entry->value.as<Dict>();
      const Value* sum = own == nullptr ? nullptr : own->find(OptimLibrary::of(in).names.sum);
      if (sum != nullptr && sum->as<Tensor>() != nullptr) sum->as<Tensor>()->storage()->mark_shared();
    }
    return Value();
  });
}

}  // namespace nns::optim
