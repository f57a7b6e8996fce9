#include "core/ops/errors.h"
#include "core/ops/normalization.h"
#include "core/ops/plain_numbers.h"

// Behaviour: aten/src/ATen/native/Normalization.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

// The items as (batch, channels, inner).
struct Channels {
  std::int64_t batch = 1, channels = 1, inner = 1;
  std::int64_t count() const { return batch * inner; }
};
Channels channels_of(const Dims& shape) {
  Channels made{shape[0], shape[1], 1};
  for (std::size_t i = 2; i < shape.size(); ++i) made.inner *= shape[i];
  return made;
}

// Calls use(first item, past the last) for the runs of one channel.
template <class Use>
void for_each_run(const Channels& shape, std::int64_t channel, Use use) {
  for (std::int64_t n = 0; n < shape.batch; ++n) {
    const std::int64_t first = (n * shape.channels + channel) * shape.inner;
    use(first, first + shape.inner);
  }
}

// The running statistic moves towards what was seen.
void move_towards(const Tensor& running, std::int64_t channel, double seen, double momentum) {
  const std::int64_t place = running.offset() + channel * running.strides()[0];
  const double before = tensor::read_double(running, place);
  const double now = (1 - momentum) * before + momentum * seen;
  store_items(running.dtype(), running.storage()->data() + place * tensor::item_bytes(running.dtype()), 0, 1,
              Compute::Double, &now);
}

// input 0, weight 1, bias 2, running_mean 3, running_var 4, training 5, momentum 6, eps 7.
PyResult<void> batch_norm_shape(OpCall& call) {
  const Tensor& input = call.required(0);
  Interpreter& in = call.interpreter;
  if (input.ndim() < 2) {
    return object::error<object::ErrorKind::IndexError>(
        in, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
  }
  if (!tensor::is_floating(input.dtype())) return not_implemented_for(in, "batch_norm", input.dtype());
  const std::int64_t channels = input.shape()[1];
  const bool training = call.flag(5);
  constexpr std::pair<std::size_t, std::string_view> kStatistics[] = {{3, "running_mean"}, {4, "running_var"}};
  constexpr std::pair<std::size_t, std::string_view> kParameters[] = {{1, "weight"}, {2, "bias"}};
  const auto check = [&](std::size_t i, std::string_view name) -> PyResult<void> {
    if (call.tensor(i) == nullptr || call.tensor(i)->numel() == channels) return {};
    return object::runtime_error(in, "{} should contain {} elements not {}", name, channels, call.tensor(i)->numel());
  };
  for (const auto& [i, name] : kStatistics) {
    NNS_TRY(check(i, name));
    if (call.tensor(i) == nullptr && !training) {
      return object::runtime_error(in, "{} must be defined in evaluation mode", name);
    }
  }
  for (const auto& [i, name] : kParameters) {
    NNS_TRY(check(i, name));
    NNS_TRY(check_parameter_dtype(call, input, call.tensor(i)));
  }
  const DType statistics = call.tensor(1) != nullptr ? call.tensor(1)->dtype() : input.dtype();
  NNS_TRY(call.give(input.shape(), input.dtype()));
  NNS_TRY(call.give(Dims({training ? channels : 0}), statistics));
  return call.give(Dims({training ? channels : 0}), statistics);
}

template <class T>
void normalize_channels(OpCall& call) {
  const Channels shape = channels_of(call.required(0).shape());
  const NumbersIn<T> x(call.required(0)), w(call.tensor(1)), b(call.tensor(2));
  const ZeroedNumbers<T> out(call.output(0)), means(call.output(1)), invstds(call.output(2));
  const bool training = call.flag(5);
  const double momentum = call.real(6), eps = call.real(7);
  if (call.required(0).numel() == 0) return;
  for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
    double mean = 0, invstd = 0;
    if (training) {
      double sum = 0, squares = 0;
      for_each_run(shape, channel, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) sum += static_cast<double>(x[i]);
      });
      const auto count = static_cast<double>(shape.count());
      mean = sum / count;
      for_each_run(shape, channel, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const double off = static_cast<double>(x[i]) - mean;
          squares += off * off;
        }
      });
      invstd = 1 / std::sqrt(squares / count + eps);
      means[channel] = static_cast<T>(mean);
      invstds[channel] = static_cast<T>(invstd);
      // The variance that is kept is the unbiased one.
      if (call.tensor(3) != nullptr) move_towards(*call.tensor(3), channel, mean, momentum);
      if (call.tensor(4) != nullptr) move_towards(*call.tensor(4), channel, squares / (count - 1), momentum);
    } else {
      const auto statistic = [&](std::size_t i) {
        const Tensor& one = call.required(i);
        return tensor::read_double(one, one.offset() + channel * one.strides()[0]);
      };
      mean = statistic(3);
      invstd = 1 / std::sqrt(statistic(4) + eps);
    }
    const T scale = static_cast<T>(invstd) * (w ? w[channel] : T(1));
    const T middle = static_cast<T>(mean), shift = b ? b[channel] : T(0);
    for_each_run(shape, channel, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) out[i] = (x[i] - middle) * scale + shift;
    });
  }
}

// grad 0, input 1, weight 2, running_mean 3, running_var 4, save_mean 5, save_invstd 6, training 7, eps 8.
template <class T>
void channels_backward(OpCall& call) {
  const Tensor& input = call.required(1);
  const ZeroedNumbers<T> x_grad(call.output(0)), w_grad(call.output(1)), b_grad(call.output(2));
  if (input.numel() == 0) return;
  const Channels shape = channels_of(input.shape());
  const bool training = call.flag(7);
  const NumbersIn<T> grad(call.required(0)), x(input), w(call.tensor(2));
  const NumbersIn<T> means(call.tensor(training ? 5 : 3)), spreads(call.tensor(training ? 6 : 4));
  for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
    const T mean = means[channel];
    const T invstd = training ? spreads[channel]
                              : static_cast<T>(1 / std::sqrt(static_cast<double>(spreads[channel]) + call.real(8)));
    T sum = 0, sum_normal = 0;
    for_each_run(shape, channel, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        sum += grad[i];
        sum_normal += grad[i] * (x[i] - mean) * invstd;
      }
    });
    w_grad[channel] = sum_normal;
    b_grad[channel] = sum;
    const T scale = invstd * (w ? w[channel] : T(1));
    const auto count = static_cast<T>(shape.count());
    const T a = training ? sum / count : T(0), b = training ? sum_normal / count : T(0);
    for_each_run(shape, channel, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) x_grad[i] = scale * (grad[i] - a - (x[i] - mean) * invstd * b);
    });
  }
}

PyResult<void> batch_norm_joint(Backward& b) {
  Interpreter& in = b.interpreter();
  const bool training = b.flag(5);
  if (!b.is_recorded()) {
    NNS_TRY_ASSIGN(const Value made, call_op(in, OpId::native_batch_norm_backward,
                                             {Value(b.grad().ref()), Value(b.arg(0).ref()), Value(b.optional(1).ref()),
                                              Value(b.optional(3).ref()), Value(b.optional(4).ref()),
                                              Value(b.out(1).ref()), Value(b.out(2).ref()), b.value(5), b.value(7)}));
    const object::Tuple& grads = *made.as<object::Tuple>();
    for (std::size_t i = 0; i < 3; ++i) {
      if (b.is_tensor(i) && b.needs(i)) NNS_TRY(b.give(i, Term(Ref<Tensor>(grads[i].as<Tensor>()))));
    }
    return {};
  }
  const Channels shape = channels_of(b.input(0).shape);
  const Value split = dims_value(in, Dims({shape.batch, shape.channels, shape.inner}));
  const Dims of_channels({1, shape.channels, 1});
  const auto along_channels = [&](const Term& term) {
    return as_dtype(apply(OpId::reshape, {term, dims_value(in, of_channels)}), b.input(0).dtype);
  };
  NormalizationFormula formula;
  formula.x = apply(OpId::reshape, {b.arg(0), split});
  formula.grad = apply(OpId::reshape, {b.grad(), split});
  if (b.is_tensor(1)) formula.weight = along_channels(b.arg(1));
  formula.dims = Dims({0, 2});
  formula.eps = b.real(7);
  if (!training) {
    formula.fixed_mean = along_channels(b.arg(3));
    formula.fixed_invstd = rsqrt(along_channels(b.arg(4)) + b.real(7));
  }
  const NormalizationFormula::Gradients made = formula.gradients(in);
  const Term terms[] = {made.x, sum_to(made.weight, of_channels), sum_to(made.bias, of_channels)};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!b.is_tensor(i) || !b.needs(i)) continue;
    NNS_TRY(b.give(i, apply(OpId::reshape, {terms[i], dims_value(in, b.input(i).shape)})));
  }
  return {};
}

// Behaviour: at::batch_norm. Of no items: the input, with nothing learned.
PyResult<Value> batch_norm_of(OpCall& call) {
  NNS_TRY_ASSIGN(const Value made, call_op(call.interpreter, OpId::native_batch_norm, call.args.first(8)));
  return (*made.as<object::Tuple>())[0];
}

}  // namespace

template <>
OpBodies bodies<OpId::batch_norm>() {
  return {.composite = batch_norm_of};
}
template <>
OpBodies bodies<OpId::native_batch_norm>() {
  return {.shape = batch_norm_shape,
          .cpu = [](OpCall& call) -> PyResult<void> {
            with_floating(call.required(0).dtype(), [&]<class T>(T) { normalize_channels<T>(call); });
            return {};
          },
          .joint = batch_norm_joint,
          .joint_reads = argument(0) | argument(1) | argument(3) | argument(4) | result(1) | result(2),
          .differentiable_outputs = 1};
}
template <>
OpBodies bodies<OpId::native_batch_norm_backward>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            const Tensor& input = call.required(1);
            if (!tensor::is_floating(input.dtype())) {
              return not_implemented_for(call.interpreter, "batch_norm_backward", input.dtype());
            }
            NNS_TRY(call.give(input.shape(), input.dtype()));
            NNS_TRY(call.give(Dims({input.shape()[1]}), input.dtype()));
            return call.give(Dims({input.shape()[1]}), input.dtype());
          },
          .cpu = [](OpCall& call) -> PyResult<void> {
            with_floating(call.required(1).dtype(), [&]<class T>(T) { channels_backward<T>(call); });
            return {};
          }};
}

}  // namespace nns::ops
