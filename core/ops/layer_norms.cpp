#include <fmt/ranges.h>

#include "core/base/parallel.h"
#include "core/ops/errors.h"
#include "core/ops/normalization.h"
#include "core/ops/plain_numbers.h"
#include "core/ops/result_moments.h"
#include "core/ops/vector_rows.h"

// Normalization of each sample by itself: layer_norm, group_norm, rms_norm.
// Behaviour: aten/src/ATen/native/{layer_norm,group_norm}.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

// The items as (batch, groups, channels of a group, inner): each (batch, group) is normalized by itself, each channel
// of each group has a weight. layer_norm is the case of one group and no inner items.
struct Groups {
  std::int64_t batch = 0, groups = 1, channels = 1, inner = 1;
  std::int64_t row_length() const { return channels * inner; }
  std::int64_t rows() const { return batch * groups; }
};

// Mean and 1 / sqrt(variance + eps) of `count` items, in two passes.
template <class T>
void statistics(const T* x, std::int64_t count, double eps, T& mean, T& invstd) {
  if constexpr (std::is_same_v<T, float>) {
    mean = static_cast<float>(vectors::sum(x, count) / static_cast<double>(count));
    const double variance = vectors::sum_of_squares(x, mean, count) / static_cast<double>(count);
    invstd = static_cast<float>(1 / std::sqrt(variance + eps));
    return;
  }
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(x[i]);
  const double middle = sum / static_cast<double>(count);
  double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double off = static_cast<double>(x[i]) - middle;
    squares += off * off;
  }
  mean = static_cast<T>(middle);
  invstd = static_cast<T>(1 / std::sqrt(squares / static_cast<double>(count) + eps));
}

// Calls use(first item, past the last, number of the channel) for the runs of a row that share a weight.
template <class Use>
void for_each_channel(const Groups& shape, std::int64_t row, Use use) {
  const std::int64_t first = row % shape.groups * shape.channels;
  for (std::int64_t c = 0; c < shape.channels; ++c) use(c * shape.inner, (c + 1) * shape.inner, first + c);
}

// Items that a thread takes at least, and of a block that is worked on at a time.
constexpr std::int64_t kItemsOfThread = 32768, kItemsOfBlock = 4096;

template <class T>
struct GroupsIn {
  NumbersIn<T> x, weight, bias;
};

// Row `row`, normalized.
template <class T>
void normalize_row(const Groups& shape, const GroupsIn<T>& in, std::int64_t row, T mean, T invstd, T* to) {
  const NumbersIn<T>&w = in.weight, &b = in.bias;
  const T* const from = in.x.data() + row * shape.row_length();
  if (shape.inner == 1 && shape.groups == 1) {
    if constexpr (std::is_same_v<T, float>)
      return vectors::normalize(from, mean, invstd, w.data(), b.data(), to, shape.channels);
    for (std::int64_t i = 0; i < shape.channels; ++i) {
      const T normal = (from[i] - mean) * invstd;
      to[i] = normal * (w ? w[i] : T(1)) + (b ? b[i] : T(0));
    }
    return;
  }
  for_each_channel(shape, row, [&](std::int64_t begin, std::int64_t end, std::int64_t channel) {
    const T scale = invstd * (w ? w[channel] : T(1));
    const T shift = (b ? b[channel] : T(0)) - mean * scale;
    for (std::int64_t i = begin; i < end; ++i) to[i] = from[i] * scale + shift;
  });
}

// Arguments: input 0, weight, bias; outputs: normalized, mean, invstd.
PyResult<void> run_groups(OpCall& call, const Groups& shape, const Tensor* weight, const Tensor* bias, double eps) {
  const std::int64_t length = shape.row_length();
  with_floating(call.required(0).dtype(), [&]<class T>(T) {
    const GroupsIn<T> in{NumbersIn<T>(call.required(0)), NumbersIn<T>(weight), NumbersIn<T>(bias)};
    const NumbersOut<T> out(call.output(0)), means(call.output(1)), invstds(call.output(2));
    ResultMoments* const moments = std::is_same_v<T, float> ? ResultMoments::of_result(call.output(0)) : nullptr;
    const std::int64_t rows_of_block = std::max<std::int64_t>(1, kItemsOfBlock / std::max<std::int64_t>(1, length));
    const std::int64_t least = std::max<std::int64_t>(1, kItemsOfThread / std::max<std::int64_t>(1, length));
    base::run_ranges(shape.rows(), least, rows_of_block, [&](std::int64_t first, std::int64_t last) {
      Moments found;
      for (std::int64_t begin = first; begin < last; begin += rows_of_block) {
        const std::int64_t end = std::min(last, begin + rows_of_block);
        for (std::int64_t row = begin; row < end; ++row) {
          T mean = 0, invstd = 0;
          statistics(in.x.data() + row * length, length, eps, mean, invstd);
          means.data()[row] = mean;
          invstds.data()[row] = invstd;
          normalize_row(shape, in, row, mean, invstd, out.data() + row * length);
        }
        if constexpr (std::is_same_v<T, float>) {
          if (moments != nullptr) [[unlikely]]
            add_moments(found, out.data() + begin * length, (end - begin) * length);
        }
      }
      if (moments != nullptr) moments->add(found);
    });
    out.store();
    means.store();
    invstds.store();
  });
  return {};
}

template <class T>
struct GroupsBackward {
  NumbersIn<T> grad, x, means, invstds, weight;
};

// The gradient of row `row` by its input, with what it adds to those of weight and bias.
template <class T>
void normalize_row_backward(const Groups& shape, const GroupsBackward<T>& in, std::int64_t row, T* to, T* w_grad,
                            T* b_grad) {
  const NumbersIn<T>& w = in.weight;
  const std::int64_t start = row * shape.row_length();
  const T *const g = in.grad.data() + start, *const from = in.x.data() + start;
  const T mean = in.means[row], invstd = in.invstds[row];
  const auto count = static_cast<T>(shape.row_length());
  T sum = 0, sum_normal = 0;
  if (shape.inner == 1 && shape.groups == 1) {
    if constexpr (std::is_same_v<T, float>) {
      const vectors::NormSums sums =
          vectors::normalize_gradient_sums(from, g, mean, invstd, w.data(), w_grad, b_grad, shape.channels);
      return vectors::normalize_gradient(from, g, mean, invstd, w.data(), static_cast<float>(sums.plain / count),
                                         static_cast<float>(sums.normal / count), to, shape.channels);
    }
    for (std::int64_t i = 0; i < shape.channels; ++i) {
      const T normal = (from[i] - mean) * invstd;
      const T weighted = g[i] * (w ? w[i] : T(1));
      sum += weighted;
      sum_normal += weighted * normal;
      w_grad[i] += g[i] * normal;
      b_grad[i] += g[i];
    }
    const T a = sum / count, b = sum_normal / count;
    for (std::int64_t i = 0; i < shape.channels; ++i) {
      const T normal = (from[i] - mean) * invstd;
      to[i] = invstd * (g[i] * (w ? w[i] : T(1)) - a - normal * b);
    }
    return;
  }
  for_each_channel(shape, row, [&](std::int64_t begin, std::int64_t end, std::int64_t channel) {
    T of_bias = 0, of_weight = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      of_bias += g[i];
      of_weight += g[i] * (from[i] - mean) * invstd;
    }
    const T scale = w ? w[channel] : T(1);
    sum += of_bias * scale;
    sum_normal += of_weight * scale;
    w_grad[channel] += of_weight;
    b_grad[channel] += of_bias;
  });
  const T a = sum / count, b = sum_normal / count;
  for_each_channel(shape, row, [&](std::int64_t begin, std::int64_t end, std::int64_t channel) {
    const T scale = w ? w[channel] : T(1);
    for (std::int64_t i = begin; i < end; ++i) to[i] = invstd * (g[i] * scale - a - (from[i] - mean) * invstd * b);
  });
}

// Outputs: gradients of input, weight and bias; arguments: gradient 0, input 1, then mean, invstd and weight.
PyResult<void> run_groups_backward(OpCall& call, const Groups& shape, const Tensor& mean_tensor,
                                   const Tensor& invstd_tensor, const Tensor* weight) {
  with_floating(call.required(1).dtype(), [&]<class T>(T) {
    const GroupsBackward<T> in{NumbersIn<T>(call.required(0)), NumbersIn<T>(call.required(1)),
                               NumbersIn<T>(mean_tensor), NumbersIn<T>(invstd_tensor), NumbersIn<T>(weight)};
    const NumbersOut<T> x_grad(call.output(0));
    const ZeroedNumbers<T> w_grad(call.output(1)), b_grad(call.output(2));
    // The sums over rows are joined block by block, however many threads there are: their bits are the same.
    constexpr std::int64_t kMostBlocks = 16;
    const std::int64_t rows = shape.rows(), length = std::max<std::int64_t>(1, shape.row_length());
    const std::int64_t blocks = std::clamp<std::int64_t>(rows * length / kItemsOfThread, 1,
                                                         std::min(kMostBlocks, std::max<std::int64_t>(1, rows)));
    const std::int64_t channels = shape.groups * shape.channels;
    std::vector<T> sums(static_cast<std::size_t>(blocks > 1 ? 2 * blocks * channels : 0));
    base::run_parts(blocks, [&](std::int64_t block) {
      T* const of_weight = blocks > 1 ? sums.data() + 2 * block * channels : w_grad.data();
      T* const of_bias = blocks > 1 ? of_weight + channels : b_grad.data();
      for (std::int64_t row = rows * block / blocks; row < rows * (block + 1) / blocks; ++row)
        normalize_row_backward(shape, in, row, x_grad.data() + row * shape.row_length(), of_weight, of_bias);
    });
    for (std::int64_t block = 0; block < blocks && blocks > 1; ++block) {
      const T* const of_block = sums.data() + 2 * block * channels;
      for (std::int64_t i = 0; i < channels; ++i) {
        w_grad[i] += of_block[i];
        b_grad[i] += of_block[channels + i];
      }
    }
    x_grad.store();
  });
  return {};
}

// The formula of a normalization of groups: `b` has input, weight and bias as arguments 0, `weight` and `weight` + 1.
PyResult<void> give_formula(Backward& b, const Groups& shape, std::size_t weight, double eps) {
  Interpreter& in = b.interpreter();
  const Value split = dims_value(in, Dims({shape.batch, shape.groups, shape.channels, shape.inner}));
  const Value of_channels = dims_value(in, Dims({1, shape.groups, shape.channels, 1}));
  NormalizationFormula formula;
  formula.x = apply(OpId::reshape, {b.arg(0), split});
  formula.grad = apply(OpId::reshape, {b.grad(), split});
  if (b.is_tensor(weight)) {
    formula.weight = as_dtype(apply(OpId::reshape, {b.arg(weight), of_channels}), b.input(0).dtype);
  }
  formula.dims = Dims({2, 3});
  formula.eps = eps;
  const NormalizationFormula::Gradients made = formula.gradients(in);
  const auto shaped = [&](const Term& term, std::size_t i) {
    return apply(OpId::reshape,
                 {sum_to(term, i == 0 ? dims_of(split) : dims_of(of_channels)), dims_value(in, b.input(i).shape)});
  };
  if (b.needs(0)) NNS_TRY(b.give(0, shaped(made.x, 0)));
  if (b.is_tensor(weight) && b.needs(weight)) NNS_TRY(b.give(weight, shaped(made.weight, weight)));
  if (b.is_tensor(weight + 1) && b.needs(weight + 1)) NNS_TRY(b.give(weight + 1, shaped(made.bias, weight + 1)));
  return {};
}

// Hands out what a fused backward gave.
PyResult<void> give_fused(Backward& b, const PyResult<Value>& made, std::size_t weight) {
  if (!made.ok()) return made.error();
  const object::Tuple& grads = *made.value().as<object::Tuple>();
  const std::size_t inputs[] = {0, weight, weight + 1};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!b.is_tensor(inputs[i]) || !b.needs(inputs[i])) continue;
    NNS_TRY(b.give(inputs[i], Term(Ref<Tensor>(grads[i].as<Tensor>()))));
  }
  return {};
}

// ---------------------------------------------------------------- layer_norm

Groups layer_groups(const Dims& shape, std::size_t normalized) {
  Groups made{1, 1, 1, 1};
  for (std::size_t i = 0; i < shape.size(); ++i)
    (i + normalized < shape.size() ? made.batch : made.channels) *= shape[i];
  return made;
}

// Behaviour: _check_layer_norm_inputs; `what`: the parameters beside the input that are checked.
PyResult<void> check_layer_norm(OpCall& call, const Dims& normalized, std::initializer_list<std::size_t> parameters) {
  Interpreter& in = call.interpreter;
  if (normalized.size() == 0) {
    return object::runtime_error(in,
                                 "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least "
                                 "one element, but got normalized_shape = []");
  }
  for (const std::size_t i : parameters) {
    const Tensor* const parameter = call.tensor(i);
    if (parameter == nullptr || parameter->shape() == normalized) continue;
    return object::runtime_error(
        in, "Expected {0} to be of same shape as normalized_shape, but got {0} of shape {1} and normalized_shape = {2}",
        call.op.parameters[i].name, shape_text(parameter->shape()), shape_text(normalized));
  }
  const Dims& shape = call.required(0).shape();
  bool fits = shape.size() >= normalized.size();
  for (std::size_t i = 0; fits && i < normalized.size(); ++i) {
    fits = shape[shape.size() - normalized.size() + i] == normalized[i];
  }
  if (fits) return {};
  return object::runtime_error(in,
                               "Given normalized_shape={}, expected input with shape [*, {}], but got input of size{}",
                               shape_text(normalized), fmt::join(normalized.span(), ", "), shape_text(shape));
}

// The statistics have the shape of the input with 1 for what is normalized.
Dims statistics_shape(const Dims& shape, std::size_t normalized) {
  Dims made = shape;
  for (std::size_t i = shape.size() - normalized; i < shape.size(); ++i) made[i] = 1;
  return made;
}

PyResult<void> check_floating(OpCall& call, const Tensor& input, std::string_view kernel) {
  if (tensor::is_floating(input.dtype())) return {};
  return not_implemented_for(call.interpreter, kernel, input.dtype());
}

PyResult<void> layer_norm_shape(OpCall& call) {
  const Tensor& input = call.required(0);
  const Dims normalized = call.dims(1);
  NNS_TRY(check_layer_norm(call, normalized, {2, 3}));
  NNS_TRY(check_floating(call, input, "LayerNormKernelImpl"));
  for (const std::size_t i : {2U, 3U}) NNS_TRY(check_parameter_dtype(call, input, call.tensor(i)));
  const DType statistics = call.tensor(2) != nullptr ? call.tensor(2)->dtype() : input.dtype();
  const Dims small = statistics_shape(input.shape(), normalized.size());
  NNS_TRY(call.give(input.shape(), input.dtype()));
  NNS_TRY(call.give(small, statistics));
  return call.give(small, statistics);
}

// Shapes of the gradients of input (argument 1) and of two parameters of this shape.
PyResult<void> backward_shape(OpCall& call, const Dims& parameters) {
  const Tensor& input = call.required(1);
  NNS_TRY(check_floating(call, input, call.op.name));
  NNS_TRY(call.give(input.shape(), input.dtype()));
  // Parameters have the dtype of the means: gradients of wide ones are not rounded to the dtype of the input.
  const DType of_parameters = call.required(call.op.id == OpId::native_layer_norm_backward ? 3 : 2).dtype();
  NNS_TRY(call.give(parameters, of_parameters));
  return call.give(parameters, of_parameters);
}

PyResult<void> layer_norm_joint(Backward& b) {
  const Dims normalized = dims_of(b.value(1));
  const Groups shape = layer_groups(b.input(0).shape, normalized.size());
  if (b.is_recorded()) return give_formula(b, shape, 2, b.real(4));
  return give_fused(b,
                    call_op(b.interpreter(), OpId::native_layer_norm_backward,
                            {Value(b.grad().ref()), Value(b.arg(0).ref()), b.value(1), Value(b.out(1).ref()),
                             Value(b.out(2).ref()), Value(b.optional(2).ref())}),
                    2);
}

// ---------------------------------------------------------------- group_norm

PyResult<void> check_group_norm(OpCall& call, std::int64_t groups, std::int64_t channels, std::size_t weight,
                                std::size_t bias) {
  Interpreter& in = call.interpreter;
  const Dims& shape = call.required(0).shape();
  if (groups <= 0) {
    return object::runtime_error(in, "Expected num groups to be greater than 0, got {}", groups);
  }
  if (channels % groups != 0) {
    return object::runtime_error(in,
                                 "Expected number of channels in input to be divisible by num_groups, but got input of "
                                 "shape {} and num_groups={}",
                                 shape_text(shape), groups);
  }
  for (const std::size_t i : {weight, bias}) {
    const Tensor* const parameter = call.tensor(i);
    if (parameter == nullptr || (parameter->ndim() == 1 && parameter->numel() == channels)) continue;
    return object::runtime_error(
        in,
        "Expected {0} to be a vector of size equal to the number of channels in input, but got "
        "{0} of shape {1} and input of shape {2}",
        i == weight ? "weight" : "bias", shape_text(parameter->shape()), shape_text(shape));
  }
  return {};
}

PyResult<Value> group_norm_of(OpCall& call) {
  const Dims& shape = call.required(0).shape();
  const std::int64_t groups = call.integer(1);
  if (shape.size() < 2) {
    return object::runtime_error(call.interpreter, "Expected at least 2 dimensions for input tensor but received {}",
                                 shape.size());
  }
  NNS_TRY(check_group_norm(call, groups, shape[1], 2, 3));
  std::int64_t inner = 1;
  for (std::size_t i = 2; i < shape.size(); ++i) inner *= shape[i];
  NNS_TRY_ASSIGN(const Value made, call_op(call.interpreter, OpId::native_group_norm,
                                           {call.args[0], call.args[2], call.args[3], Value(shape[0]), Value(shape[1]),
                                            Value(inner), Value(groups), call.args[4]}));
  return (*made.as<object::Tuple>())[0];
}

// input 0, weight 1, bias 2, N 3, C 4, HxW 5, group 6, eps 7.
PyResult<void> native_group_norm_shape(OpCall& call) {
  const Tensor& input = call.required(0);
  NNS_TRY(check_group_norm(call, call.integer(6), call.integer(4), 1, 2));
  NNS_TRY(check_floating(call, input, "GroupNormKernelImpl"));
  for (const std::size_t i : {1U, 2U}) NNS_TRY(check_parameter_dtype(call, input, call.tensor(i)));
  const DType statistics = call.tensor(1) != nullptr ? call.tensor(1)->dtype() : input.dtype();
  const Dims small({call.integer(3), call.integer(6)});
  NNS_TRY(call.give(input.shape(), input.dtype()));
  NNS_TRY(call.give(small, statistics));
  return call.give(small, statistics);
}

Groups groups_of(std::int64_t batch, std::int64_t channels, std::int64_t inner, std::int64_t groups) {
  return {batch, groups, channels / groups, inner};
}

PyResult<void> group_norm_joint(Backward& b) {
  const Groups shape = groups_of(b.integer(3), b.integer(4), b.integer(5), b.integer(6));
  if (b.is_recorded()) return give_formula(b, shape, 1, b.real(7));
  return give_fused(b,
                    call_op(b.interpreter(), OpId::native_group_norm_backward,
                            {Value(b.grad().ref()), Value(b.arg(0).ref()), Value(b.out(1).ref()), Value(b.out(2).ref()),
                             Value(b.optional(1).ref()), b.value(3), b.value(4), b.value(5), b.value(6)}),
                    1);
}

// ---------------------------------------------------------------- rms_norm

double chosen_epsilon(const Value& given, DType dtype) {
  if (!given.is_none()) return Number::of(given).as_double();
  return compute_of(dtype) == Compute::Double ? std::numeric_limits<double>::epsilon()
                                              : static_cast<double>(std::numeric_limits<float>::epsilon());
}

PyResult<void> rms_norm_shape(OpCall& call) {
  const Tensor& input = call.required(0);
  const Dims normalized = call.dims(1);
  NNS_TRY(check_layer_norm(call, normalized, {2}));
  if (!tensor::is_floating(input.dtype())) {
    return object::runtime_error(call.interpreter,
                                 "mean(): could not infer output dtype. Input dtype must be either a floating point or "
                                 "complex dtype. Got: {}",
                                 tensor::info(input.dtype()).scalar_name);
  }
  NNS_TRY(call.give(input.shape(), input.dtype()));
  return call.give(statistics_shape(input.shape(), normalized.size()), input.dtype());
}

PyResult<void> run_rms_norm(OpCall& call) {
  const Tensor& input = call.required(0);
  const Groups shape = layer_groups(input.shape(), call.dims(1).size());
  const double eps = chosen_epsilon(call.args[3], input.dtype());
  with_floating(input.dtype(), [&]<class T>(T) {
    const NumbersIn<T> x(input), w(call.tensor(2));
    const ZeroedNumbers<T> out(call.output(0)), scales(call.output(1));
    for (std::int64_t row = 0; row < shape.batch; ++row) {
      const T* const from = x.data() + row * shape.channels;
      T* const to = out.data() + row * shape.channels;
      double squares = 0;
      for (std::int64_t i = 0; i < shape.channels; ++i)
        squares += static_cast<double>(from[i]) * static_cast<double>(from[i]);
      const T scale = static_cast<T>(1 / std::sqrt(squares / static_cast<double>(shape.channels) + eps));
      scales[row] = scale;
      for (std::int64_t i = 0; i < shape.channels; ++i) to[i] = from[i] * scale * (w ? w[i] : T(1));
    }
  });
  return {};
}

// Arguments: gradient, input, normalized_shape, scale, weight; outputs: gradients of input and weight.
PyResult<void> run_rms_norm_backward(OpCall& call) {
  const Tensor& input = call.required(1);
  const Groups shape = layer_groups(input.shape(), call.dims(2).size());
  with_floating(input.dtype(), [&]<class T>(T) {
    const NumbersIn<T> grad(call.required(0)), x(input), scales(call.required(3)), w(call.tensor(4));
    const ZeroedNumbers<T> x_grad(call.output(0)), w_grad(call.output(1));
    for (std::int64_t row = 0; row < shape.batch; ++row) {
      const std::int64_t start = row * shape.channels;
      const T *const g = grad.data() + start, *const from = x.data() + start;
      T* const to = x_grad.data() + start;
      const T scale = scales[row];
      T along = 0;
      for (std::int64_t i = 0; i < shape.channels; ++i) {
        along += g[i] * (w ? w[i] : T(1)) * from[i];
        w_grad[i] += g[i] * from[i] * scale;
      }
      const T share = along * scale * scale / static_cast<T>(shape.channels);
      for (std::int64_t i = 0; i < shape.channels; ++i) to[i] = scale * (g[i] * (w ? w[i] : T(1)) - from[i] * share);
    }
  });
  return {};
}

// Of complex numbers: with their squares, not with those of their sizes. Behaviour: layer_norm.cpp, rms_norm_composite.
Term complex_rms_norm(OpCall& call) {
  const std::size_t ndim = call.required(0).ndim(), normalized = call.dims(1).size();
  std::vector<std::int64_t> last;
  for (std::size_t i = ndim - normalized; i < ndim; ++i) last.push_back(static_cast<std::int64_t>(i));
  const Term x(Ref<Tensor>(call.tensor(0)));
  const Term mean = apply(OpId::mean_dim, {square(x), dims_value(call.interpreter, Dims(last)), true});
  const Term made = x * rsqrt(mean + chosen_epsilon(call.args[3], call.required(0).dtype()));
  return call.tensor(2) == nullptr ? made : made * Term(Ref<Tensor>(call.tensor(2)));
}

PyResult<void> rms_norm_joint(Backward& b) {
  Interpreter& in = b.interpreter();
  const Dims& shape = b.input(0).shape;
  const std::size_t normalized = dims_of(b.value(1)).size();
  if (!b.is_recorded()) {
    NNS_TRY_ASSIGN(const Value made, call_op(in, OpId::fused_rms_norm_backward,
                                             {Value(b.grad().ref()), Value(b.arg(0).ref()), b.value(1),
                                              Value(b.out(1).ref()), Value(b.optional(2).ref())}));
    const object::Tuple& grads = *made.as<object::Tuple>();
    if (b.needs(0)) NNS_TRY(b.give(0, Term(Ref<Tensor>(grads[0].as<Tensor>()))));
    if (b.is_tensor(2) && b.needs(2)) NNS_TRY(b.give(2, Term(Ref<Tensor>(grads[1].as<Tensor>()))));
    return {};
  }
  std::vector<std::int64_t> last;
  for (std::size_t i = shape.size() - normalized; i < shape.size(); ++i) last.push_back(static_cast<std::int64_t>(i));
  const auto mean = [&](const Term& x) { return apply(OpId::mean_dim, {x, dims_value(in, Dims(last)), true}); };
  const Term x = b.arg(0);
  const Term scale = rsqrt(mean(square(x)) + chosen_epsilon(b.value(3), b.input(0).dtype));
  const Term weighted = b.is_tensor(2) ? b.grad() * b.arg(2) : b.grad();
  if (b.needs(0)) NNS_TRY(b.give(0, scale * (weighted - x * square(scale) * mean(weighted * x))));
  if (b.is_tensor(2) && b.needs(2)) NNS_TRY(b.give(2, b.grad() * x * scale));
  return {};
}

}  // namespace

template <>
OpBodies bodies<OpId::layer_norm>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    NNS_TRY(check_layer_norm(call, call.dims(1), {2, 3}));
    NNS_TRY_ASSIGN(const Value made, call_op(call.interpreter, OpId::native_layer_norm, call.args.first(5)));
    return (*made.as<object::Tuple>())[0];
  }};
}
template <>
OpBodies bodies<OpId::native_layer_norm>() {
  return {.shape = layer_norm_shape,
          .cpu =
              [](OpCall& call) {
                return run_groups(call, layer_groups(call.required(0).shape(), call.dims(1).size()), call.tensor(2),
                                  call.tensor(3), call.real(4));
              },
          .joint = layer_norm_joint,
          .joint_reads = argument(0) | argument(2) | result(1) | result(2),
          .differentiable_outputs = 1};
}
template <>
OpBodies bodies<OpId::native_layer_norm_backward>() {
  return {.shape = [](OpCall& call) { return backward_shape(call, call.dims(2)); },
          .cpu =
              [](OpCall& call) {
                return run_groups_backward(call, layer_groups(call.required(1).shape(), call.dims(2).size()),
                                           call.required(3), call.required(4), call.tensor(5));
              }};
}
template <>
OpBodies bodies<OpId::group_norm>() {
  return {.composite = group_norm_of};
}
template <>
OpBodies bodies<OpId::native_group_norm>() {
  return {.shape = native_group_norm_shape,
          .cpu =
              [](OpCall& call) {
                return run_groups(call, groups_of(call.integer(3), call.integer(4), call.integer(5), call.integer(6)),
                                  call.tensor(1), call.tensor(2), call.real(7));
              },
          .joint = group_norm_joint,
          .joint_reads = argument(0) | argument(1) | result(1) | result(2),
          .differentiable_outputs = 1};
}
template <>
OpBodies bodies<OpId::native_group_norm_backward>() {
  return {.shape = [](OpCall& call) { return backward_shape(call, Dims({call.integer(6)})); },
          .cpu =
              [](OpCall& call) {
                return run_groups_backward(
                    call, groups_of(call.integer(5), call.integer(6), call.integer(7), call.integer(8)),
                    call.required(2), call.required(3), call.tensor(4));
              }};
}
template <>
OpBodies bodies<OpId::rms_norm>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    if (tensor::is_complex(call.required(0).dtype())) {
      NNS_TRY(check_layer_norm(call, call.dims(1), {2}));
      return value_of(complex_rms_norm(call));
    }
    NNS_TRY_ASSIGN(const Value made, call_op(call.interpreter, OpId::fused_rms_norm, call.args));
    return (*made.as<object::Tuple>())[0];
  }};
}
template <>
OpBodies bodies<OpId::fused_rms_norm>() {
  return {.shape = rms_norm_shape,
          .cpu = run_rms_norm,
          .joint = rms_norm_joint,
          .joint_reads = argument(0) | argument(2) | result(1),
          .differentiable_outputs = 1};
}
template <>
OpBodies bodies<OpId::fused_rms_norm_backward>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            const Tensor& input = call.required(1);
            NNS_TRY(check_floating(call, input, call.op.name));
            NNS_TRY(call.give(input.shape(), input.dtype()));
            return call.give(call.dims(2), input.dtype());
          },
          .cpu = run_rms_norm_backward};
}

}  // namespace nns::ops
