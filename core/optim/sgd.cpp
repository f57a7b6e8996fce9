#include "core/optim/fused_step.h"
#include "core/optim/tensor_steps.h"

// Behaviour: torch/optim/sgd.py, _single_tensor_sgd.
namespace nns::optim {
namespace {

using Names = OptimLibrary::Names;

struct SgdRule {
  static constexpr StateSlot kSlots[] = {{&Names::momentum_buffer, StateSlot::Kind::Like, 0}};
  static constexpr StateLayout kLayout{kSlots, true};

  using Options = SgdOptions;
  static PyResult<Options> read(GroupOptions& group) {
    const Names& names = OptimLibrary::of(group.interpreter()).names;
    Options options;
    NNS_TRY(group.read(options,
                       {{&Options::lr, names.lr},
                        {&Options::momentum, names.momentum},
                        {&Options::dampening, names.dampening},
                        {&Options::weight_decay, names.weight_decay}},
                       {{&Options::nesterov, names.nesterov}, {&Options::maximize, names.maximize}}));
    return options;
  }
  static std::uint32_t wanted(const Options& options) { return options.momentum != 0 ? 1 : 0; }
  static std::array<double, 1> starts(const Options&) { return {0}; }

  struct Memo {};
  using Scalars = SgdScalars;
  static Scalars advance(const Options&, const Lane& lane, Memo&) { return {lane.fresh != 0}; }

  template <class F>
  static void update(const Options& options, const Scalars& scalars, const Rows& rows, std::int64_t count) {
    using N = typename F::Number;
    auto* const __restrict param = items<F>(rows.param);
    const auto* const __restrict grad = items<F>(rows.grad);
    auto* const __restrict buffer = items<F>(rows.state[0]);
    const SgdNumbers<N> numbers(options);
    with_flag(options.weight_decay != 0, [&](auto has_decay) {
      const auto gradient = [&](std::int64_t i) {
        return sgd_gradient<F>(numbers, has_decay, F::load(param[i]), F::load(grad[i]));
      };
      const auto move = [&](std::int64_t i, N by) { param[i] = F::store(F::load(param[i]) + numbers.rate * by); };
      if (options.momentum == 0) {
        for (std::int64_t i = 0; i < count; ++i) move(i, gradient(i));
        return;
      }
      with_flag(options.nesterov, [&](auto is_nesterov) {
        with_flag(scalars.is_first, [&](auto is_first) {
          for (std::int64_t i = 0; i < count; ++i) {
            N velocity = F::load(buffer[i]);
            const N by = sgd_direction<F>(numbers, is_nesterov, is_first, gradient(i), velocity);
            buffer[i] = F::store(velocity);
            move(i, by);
          }
        });
      });
    });
  }
  // The buffer of a sparse gradient is sparse.
  static PyResult<void> update_sparse(Optimizer& self, GroupOptions& group, const Options& options, Lane& lane, Memo&) {
    Interpreter& in = self.interpreter();
    NNS_TRY_ASSIGN(const Value fused, group.value(OptimLibrary::of(in).names.fused));
    if (fused.is(Value(true))) {
      return object::runtime_error(in, "`_fused_sgd` does not support sparse gradients");
    }
    const ops::GradModeGuard no_grad(in, false);
    Tensor& param = *lane.param;
    NNS_TRY_ASSIGN(Ref<Tensor> grad, signed_sparse(*param.grad(), options.maximize));
    if (options.weight_decay != 0) {
      return object::runtime_error(in, "add(sparse, dense) is not supported. Use add(dense, sparse) instead.");
    }
    if (options.momentum == 0) return ops::add_sparse(param, *grad, -options.lr);
    NNS_TRY_ASSIGN(Dict* const state, state_of(self, param));
    const Name name = OptimLibrary::of(in).names.momentum_buffer;
    const Value* const found = state->find(name);
    Ref<Tensor> buffer(found == nullptr ? nullptr : found->as<Tensor>());
    if (!buffer) {
      buffer = tensor::clone(*grad);
      state->set(name, Value(buffer));
    } else {
      const Ref<Tensor> items = buffer->sparse() == nullptr ? buffer : buffer->sparse()->values;
      NNS_TRY(write(in, OpId::mul, {Value(items), Value(options.momentum)}));
      NNS_TRY(ops::add_sparse(*buffer, *grad, 1 - options.dampening));
    }
    if (!options.nesterov) return add_either(param, *buffer, -options.lr);
    if (buffer->sparse() == nullptr) {
      return object::runtime_error(in, "add(sparse, dense) is not supported. Use add(dense, sparse) instead.");
    }
    NNS_TRY_ASSIGN(grad, ops::sparse_sum(*grad, *buffer, options.momentum));
    return ops::add_sparse(param, *grad, -options.lr);
  }
  static PyResult<void> add_either(Tensor& param, Tensor& by, double alpha) {
    return by.sparse() != nullptr ? ops::add_sparse(param, by, alpha) : add_to(param, Term(Ref<Tensor>(&by)), alpha);
  }
  static PyResult<void> run_on_device(DeviceSteps& steps, Interpreter& in, const StepWork<Options, Scalars>& work) {
    return steps.sgd(in, work);
  }
};

PyResult<Value> init_sgd(Interpreter& in, Args a) {
  const Names& names = OptimLibrary::of(in).names;
  const Value &lr = a[2], &momentum = a[3], &dampening = a[4], &weight_decay = a[5], &nesterov = a[6];
  ArgumentChecks checks(in);
  NNS_TRY(checks.learning_rate(lr));
  NNS_TRY(checks.not_negative(momentum, "Invalid momentum value"));
  NNS_TRY(checks.not_negative(weight_decay, "Invalid weight_decay value"));
  NNS_TRY_ASSIGN(const bool is_nesterov, object::truth(in, nesterov));
  NNS_TRY_ASSIGN(const double momentum_number, number_of(in, momentum));
  NNS_TRY_ASSIGN(const double dampening_number, number_of(in, dampening));
  if (is_nesterov && (momentum_number <= 0 || dampening_number != 0)) {
    return object::value_error(in, "Nesterov momentum requires a momentum and zero dampening");
  }
  NNS_TRY(init_optimizer(self_of(a), a[1],
                         make_defaults(in, {{names.lr, lr},
                                            {names.momentum, momentum},
                                            {names.dampening, dampening},
                                            {names.weight_decay, weight_decay},
                                            {names.nesterov, nesterov},
                                            {names.maximize, a[7]},
                                            {names.foreach, a[8]},
                                            {names.differentiable, a[9]},
                                            {names.fused, a[10]}})));
  NNS_TRY(check_fused(in, a[10], a[9], a[8]));
  return Value();
}

}  // namespace

template <>
void define<OptimizerId::SGD>(Class& cls) {
  cls.def(
      "__init__(self, params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, "
      "foreach=None, differentiable=False, fused=None)",
      init_sgd);
  define_step<SgdRule>(cls);
  cls.def("__setstate__(self, state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Names& names = OptimLibrary::of(in).names;
    return restore_optimizer(self_of(a), a[1],
                             {{names.nesterov, Value(false)},
                              {names.maximize, Value(false)},
                              {names.foreach, Value()},
                              {names.differentiable, Value(false)},
                              {names.fused, Value(false)}},
                             {});
  });
}

}  // namespace nns::optim
