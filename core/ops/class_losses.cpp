#include <algorithm>

#include "core/ops/errors.h"
#include "core/ops/node.h"
#include "core/ops/plain_numbers.h"

// Losses of one class among many, named by its number: nll_loss, and cross_entropy with its log_softmax in one pass.
// Behaviour: aten/src/ATen/native/{LossNLL,LossNLL2d}.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

enum class Reduction : std::int64_t { None, Mean, Sum };

// The items as (batch, classes, inner); each of batch x inner samples has a target.
struct Samples {
  std::int64_t batch = 1, classes = 1, inner = 1;
  std::int64_t count() const { return batch * inner; }
};
Samples samples_of(const Dims& shape) {
  Samples made;
  if (shape.size() == 1) {
    made.classes = shape[0];
    return made;
  }
  made.batch = shape[0];
  made.classes = shape[1];
  for (std::size_t i = 2; i < shape.size(); ++i) made.inner *= shape[i];
  return made;
}

// What of a sample's loss is due to each class: -sum over c of share(c) * log p(c), where the target has
// (1 - smoothing) * weight more than the smoothing / classes * weight of every class.
template <class T>
class Targets {
 public:
  Targets(const Samples& samples, const Tensor& target, const Tensor* weight, std::int64_t ignored, double smoothing)
      : samples_(samples),
        weights_(weight),
        ignored_(ignored),
        own_(static_cast<T>(1 - smoothing)),
        shared_(static_cast<T>(smoothing / static_cast<double>(samples.classes))) {
    classes_.reserve(static_cast<std::size_t>(samples.count()));
    tensor::for_each_place(target, [&](std::int64_t place) { classes_.push_back(tensor::read_int64(target, place)); });
    for (std::int64_t c = 0; weights_ && c < samples.classes; ++c) all_ += weights_[c];
    if (!weights_) all_ = static_cast<T>(samples.classes);
  }

  bool is_ignored(std::int64_t sample) const { return class_of(sample) == ignored_; }
  std::int64_t class_of(std::int64_t sample) const { return classes_[static_cast<std::size_t>(sample)]; }
  T weight(std::int64_t c) const { return weights_ ? weights_[c] : T(1); }
  bool is_smoothed() const { return shared_ > T(0); }
  T share(std::int64_t c) const { return shared_ * weight(c); }
  T own_share(std::int64_t c) const { return own_ * weight(c); }
  /// The sum of a sample's shares.
  T sum(std::int64_t sample) const { return own_share(class_of(sample)) + shared_ * all_; }
  /// What a mean is divided by: the sum of the targets' weights.
  T total() const {
    double total = 0;
    for (const std::int64_t c : classes_) {
      if (c != ignored_) total += static_cast<double>(weight(c));
    }
    return static_cast<T>(total);
  }
  /// A target that is no class, if there is one.
  const std::int64_t* find_wrong() const {
    for (const std::int64_t& c : classes_) {
      if (c != ignored_ && (c < 0 || c >= samples_.classes)) return &c;
    }
    return nullptr;
  }

 private:
  Samples samples_;
  NumbersIn<T> weights_;
  std::vector<std::int64_t> classes_;
  std::int64_t ignored_;
  T own_, shared_, all_ = 0;
};

// Arguments of both losses: input 0, target 1, weight 2, reduction 3, ignore_index 4; cross_entropy's smoothing 5.
double smoothing_of(const OpCall& call, std::size_t i) { return call.args.size() > i ? call.real(i) : 0; }

PyResult<void> check_target(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& input = call.required(0);
  const Tensor& target = call.required(1);
  const Dims &shape = input.shape(), &wanted = target.shape();
  if (shape.size() < 1) return object::runtime_error(in, "Expected 1 or more dimensions (got {})", shape.size());
  if (shape.size() != 1 && wanted.size() > 0 && shape[0] != wanted[0]) {
    return object::value_error(in, "Expected input batch_size ({}) to match target batch_size ({}).", shape[0],
                               wanted[0]);
  }
  if (shape.size() <= 2) {
    if (wanted.size() > 1) {
      return object::runtime_error(in, "0D or 1D target tensor expected, multi-target not supported");
    }
    const bool fits = shape.size() == 1 ? target.numel() == 1 : (wanted.size() == 1 && wanted[0] == shape[0]);
    if (!fits) {
      return object::runtime_error(in, "size mismatch (got input: {}, target: {})", shape_text(shape),
                                   shape_text(wanted));
    }
  } else {
    std::vector<std::int64_t> expected{shape[0]};
    for (std::size_t i = 2; i < shape.size(); ++i) expected.push_back(shape[i]);
    if (!(wanted == Dims(expected))) {
      return object::runtime_error(in, "Expected target size {}, got {}", shape_text(Dims(expected)),
                                   shape_text(wanted));
    }
  }
  if (target.dtype() != DType::Int64 && target.dtype() != DType::UInt8) {
    return object::runtime_error(in, "expected scalar type Long but found {}",
                                 tensor::info(target.dtype()).scalar_name);
  }
  const Tensor* const weight = call.tensor(2);
  const std::int64_t classes = samples_of(shape).classes;
  if (weight != nullptr && !(weight->ndim() == 1 && weight->numel() == classes)) {
    return object::runtime_error(in,
                                 "weight tensor should be defined either for all {} classes or no classes but got "
                                 "weight tensor of shape: {}",
                                 classes, shape_text(weight->shape()));
  }
  if (weight != nullptr && weight->dtype() != input.dtype()) {
    return object::runtime_error(in, "expected scalar type {} but found {}", tensor::info(input.dtype()).scalar_name,
                                 tensor::info(weight->dtype()).scalar_name);
  }
  if (!tensor::is_floating(input.dtype())) {
    return not_implemented_for(in, "nll_loss_out_frame", input.dtype());
  }
  return {};
}

// Under autocast the GPU's kernel reads 16-bit scores as they are.
DType loss_dtype(const OpCall& call) {
  const Tensor& input = call.required(0);
  Autocast& autocast = OpLibrary::of(call.interpreter).autocast;
  const bool is_cast = call.op.id == OpId::cross_entropy_fused && input.is_cuda() && autocast.is_active() &&
                       autocast.mode("cuda")->is_enabled && tensor::item_bytes(input.dtype()) == 2;
  return is_cast ? DType::Float32 : input.dtype();
}

// Outputs: the loss, what a mean was divided by; of cross_entropy each sample's LineSum.
PyResult<void> loss_shape(OpCall& call) {
  NNS_TRY(check_target(call));
  const Tensor& input = call.required(0);
  const DType dtype = loss_dtype(call);
  const bool is_each = static_cast<Reduction>(call.integer(3)) == Reduction::None;
  NNS_TRY(call.give(is_each ? call.required(1).shape() : Dims(), dtype));
  NNS_TRY(call.give(Dims(), dtype));
  if (call.op.id == OpId::cross_entropy_fused) {
    const DType kept = compute_of(input.dtype()) == Compute::Double ? DType::Float64 : DType::Float32;
    NNS_TRY(call.give(Dims({samples_of(input.shape()).count(), 2}), kept));
  }
  return {};
}

// The largest item of a line, and log(sum of exp(x - largest)): apart, so that nothing is lost where items are large.
template <class T>
struct LineSum {
  T largest = -std::numeric_limits<T>::infinity();
  T log_sum = 0;
  T log_probability(T x) const { return x - largest - log_sum; }
};

// In one pass: the sum is kept relative to the largest item so far.
template <class T>
LineSum<T> line_sum(const T* x, std::int64_t count, std::int64_t stride) {
  constexpr std::int64_t kBlock = 64;
  LineSum<T> made;
  double sum = 0;
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t end = std::min(count, begin + kBlock);
    T block = x[begin * stride];
    for (std::int64_t c = begin + 1; c < end; ++c) block = std::max(block, x[c * stride]);
    if (block > made.largest) {
      if (sum > 0) sum *= std::exp(static_cast<double>(made.largest - block));
      made.largest = block;
    }
    if (made.largest == -std::numeric_limits<T>::infinity()) continue;  // nothing but zeros so far
    T part = 0;
    for (std::int64_t c = begin; c < end; ++c) part += std::exp(x[c * stride] - made.largest);
    sum += static_cast<double>(part);
  }
  made.log_sum = static_cast<T>(std::log(sum));
  return made;
}

template <bool has_softmax, class T>
PyResult<void> run_loss_of(OpCall& call) {
  const Samples samples = samples_of(call.required(0).shape());
  const Targets<T> targets(samples, call.required(1), call.tensor(2), call.integer(4), smoothing_of(call, 5));
  if (const std::int64_t* wrong = targets.find_wrong()) {
    return object::error<object::ErrorKind::IndexError>(call.interpreter, "Target {} is out of bounds.", *wrong);
  }
  const NumbersIn<T> x(call.required(0));
  const ZeroedNumbers<T> loss(call.output(0)), total(call.output(1));
  const ZeroedNumbers<T> log_sums(has_softmax ? &call.output(2) : nullptr);
  const auto reduction = static_cast<Reduction>(call.integer(3));
  double sum = 0;
  for (std::int64_t sample = 0; sample < samples.count(); ++sample) {
    if (targets.is_ignored(sample)) continue;
    const T* const line = x.data() + sample / samples.inner * samples.classes * samples.inner + sample % samples.inner;
    const std::int64_t own = targets.class_of(sample);
    LineSum<T> sums{T(0), T(0)};
    if constexpr (has_softmax) {
      sums = line_sum(line, samples.classes, samples.inner);
      log_sums[2 * sample] = sums.largest;
      log_sums[2 * sample + 1] = sums.log_sum;
    }
    T one = -targets.own_share(own) * sums.log_probability(line[own * samples.inner]);
    if (targets.is_smoothed()) {
      for (std::int64_t c = 0; c < samples.classes; ++c)
        one -= targets.share(c) * sums.log_probability(line[c * samples.inner]);
    }
    if (reduction == Reduction::None)
      loss[sample] = one;
    else
      sum += static_cast<double>(one);
  }
  total[0] = targets.total();
  if (reduction == Reduction::Sum) loss[0] = static_cast<T>(sum);
  if (reduction == Reduction::Mean) loss[0] = static_cast<T>(sum / static_cast<double>(targets.total()));
  return {};
}

template <bool has_softmax>
PyResult<void> run_loss(OpCall& call) {
  PyResult<void> done;
  with_floating(call.required(0).dtype(), [&]<class T>(T) { done = run_loss_of<has_softmax, T>(call); });
  return done;
}

// The gradient of the loss by the logarithms of the probabilities, for a gradient of 1: -share(c), and of a mean
// divided by the sum of weights. Arguments as of the loss, with the smoothing at 5.
PyResult<void> run_shares(OpCall& call) {
  const Samples samples = samples_of(call.required(0).shape());
  with_floating(call.required(0).dtype(), [&]<class T>(T) {
    const Targets<T> targets(samples, call.required(1), call.tensor(2), call.integer(4), call.real(5));
    const ZeroedNumbers<T> out(call.output());
    const bool is_mean = static_cast<Reduction>(call.integer(3)) == Reduction::Mean;
    const T factor = is_mean ? T(-1) / targets.total() : T(-1);
    for (std::int64_t sample = 0; sample < samples.count(); ++sample) {
      if (targets.is_ignored(sample)) continue;
      T* const line = out.data() + sample / samples.inner * samples.classes * samples.inner + sample % samples.inner;
      if (targets.is_smoothed()) {
        for (std::int64_t c = 0; c < samples.classes; ++c) line[c * samples.inner] = factor * targets.share(c);
      }
      const std::int64_t own = targets.class_of(sample);
      line[own * samples.inner] += factor * targets.own_share(own);
    }
  });
  return {};
}

// grad 0, input 1, log_sums 2, target 3, weight 4, reduction 5, ignore_index 6, smoothing 7.
PyResult<void> run_cross_entropy_backward(OpCall& call) {
  const Samples samples = samples_of(call.required(1).shape());
  with_floating(call.required(1).dtype(), [&]<class T>(T) {
    const Targets<T> targets(samples, call.required(3), call.tensor(4), call.integer(6), call.real(7));
    const NumbersIn<T> grad(call.required(0)), x(call.required(1)), log_sums(call.required(2));
    const ZeroedNumbers<T> out(call.output());
    const auto reduction = static_cast<Reduction>(call.integer(5));
    const T scale = reduction == Reduction::Mean ? T(1) / targets.total() : T(1);
    for (std::int64_t sample = 0; sample < samples.count(); ++sample) {
      if (targets.is_ignored(sample)) continue;
      const std::int64_t first = sample / samples.inner * samples.classes * samples.inner + sample % samples.inner;
      const T* const from = x.data() + first;
      T* const to = out.data() + first;
      const T factor = (reduction == Reduction::None ? grad[sample] : grad[0]) * scale;
      const T all = factor * targets.sum(sample);
      const LineSum<T> sums{log_sums[2 * sample], log_sums[2 * sample + 1]};
      for (std::int64_t c = 0; c < samples.classes; ++c)
        to[c * samples.inner] = all * std::exp(sums.log_probability(from[c * samples.inner]));
      if (targets.is_smoothed()) {
        for (std::int64_t c = 0; c < samples.classes; ++c) to[c * samples.inner] -= factor * targets.share(c);
      }
      const std::int64_t own = targets.class_of(sample);
      to[own * samples.inner] -= factor * targets.own_share(own);
    }
  });
  return {};
}

// The gradient of a loss, one number or one a sample, so that it broadcasts over the classes.
Term spread_grad(Backward& b) {
  const bool is_each = static_cast<Reduction>(b.integer(3)) == Reduction::None;
  if (!is_each || b.input(0).shape.size() == 1) return b.grad();
  return apply(OpId::unsqueeze, {b.grad(), 1});
}

Term shares_of(Backward& b, const TermArgument& smoothing) {
  return apply(OpId::class_loss_shares, {b.arg(0), b.arg(1), b.optional(2), b.value(3), b.value(4), smoothing});
}

Term nll_gradient(Backward& b) { return shares_of(b, 0.0) * spread_grad(b); }

Term cross_entropy_gradient(Backward& b) {
  if (!b.is_recorded()) {
    return apply(OpId::cross_entropy_backward,
                 {b.grad(), b.arg(0), b.out(2), b.arg(1), b.optional(2), b.value(3), b.value(4), b.value(5)});
  }
  const int dim = b.input(0).shape.size() == 1 ? 0 : 1;
  const Term shares = shares_of(b, b.value(5));
  const Term sum = apply(OpId::sum_dim, {shares, dim, true});
  return (shares - apply(OpId::softmax, {b.arg(0), dim}) * sum) * spread_grad(b);
}

PyResult<Value> first_of(OpCall& call, OpId id) {
  NNS_TRY_ASSIGN(const Value made, call_op(call.interpreter, id, call.args));
  return (*made.as<object::Tuple>())[0];
}

// Behaviour: cross_entropy_loss_prob_target.
PyResult<Value> probabilities_loss(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& input = call.required(0);
  const Tensor& target = call.required(1);
  if (!tensor::is_floating(target.dtype())) {
    return object::runtime_error(in, "Expected floating point type for target with class probabilities, got {}",
                                 tensor::info(target.dtype()).scalar_name);
  }
  if (call.integer(4) >= 0) {
    return object::runtime_error(in, "ignore_index is not supported for floating point target");
  }
  const int dim = input.ndim() == 1 ? 0 : 1;
  const std::int64_t classes = input.shape()[static_cast<std::size_t>(dim)];
  const Tensor* const weight = call.tensor(2);
  if (weight != nullptr && !(weight->ndim() == 1 && weight->numel() == classes)) {
    return object::runtime_error(in,
                                 "cross_entropy: weight tensor should be defined either for all {} classes or no "
                                 "classes but got weight tensor of shape: {}",
                                 classes, shape_text(weight->shape()));
  }
  Term wanted(Ref<Tensor>(call.tensor(1)));
  const double smoothing = call.real(5);
  if (smoothing > 0) wanted = wanted * (1 - smoothing) + smoothing / static_cast<double>(classes);
  Term shares = apply(OpId::log_softmax, {Term(Ref<Tensor>(call.tensor(0))), dim}) * wanted;
  if (weight != nullptr) {
    Dims shape(input.ndim(), 1);
    shape[static_cast<std::size_t>(dim)] = classes;
    shares = shares * apply(OpId::view, {Term(Ref<Tensor>(call.tensor(2))), dims_value(in, shape)});
  }
  const auto reduction = static_cast<Reduction>(call.integer(3));
  if (reduction == Reduction::None) return value_of(-apply(OpId::sum_dim, {shares, dim}));
  const Term sum = -apply(OpId::sum, {shares});
  if (reduction == Reduction::Sum) return value_of(sum);
  return value_of(sum / (static_cast<double>(input.numel()) / static_cast<double>(classes)));
}

PyResult<Value> cross_entropy_of(OpCall& call) {
  const double smoothing = call.real(5);
  if (!(smoothing >= 0 && smoothing <= 1)) {
    return object::runtime_error(call.interpreter, "label_smoothing must be between 0.0 and 1.0. Got: {}", smoothing);
  }
  if (call.required(0).shape() == call.required(1).shape()) return probabilities_loss(call);
  return first_of(call, OpId::cross_entropy_fused);
}

PyResult<void> input_shape(OpCall& call, std::size_t i) {
  return call.give(call.required(i).shape(), call.required(i).dtype());
}

}  // namespace

template <>
OpBodies bodies<OpId::nll_loss>() {
  return {.composite = [](OpCall& call) { return first_of(call, OpId::nll_loss_forward); }};
}
template <>
OpBodies bodies<OpId::nll_loss_forward>() {
  return {.shape = loss_shape,
          .cpu = run_loss<false>,
          .gradients = {Gradient{0, argument(0) | argument(1) | argument(2), nll_gradient}},
          .differentiable_outputs = 1,
          .node_name = "NllLossBackward0"};
}
template <>
OpBodies bodies<OpId::cross_entropy_loss>() {
  return {.composite = cross_entropy_of};
}
// Differs: torch records a log_softmax and an nll_loss; this is both, and its node bears the name of the second.
template <>
OpBodies bodies<OpId::cross_entropy_fused>() {
  return {.shape = loss_shape,
          .cpu = run_loss<true>,
          .gradients = {Gradient{0, argument(0) | argument(1) | argument(2) | result(2), cross_entropy_gradient}},
          .differentiable_outputs = 1,
          .node_name = "NllLossBackward0"};
}
template <>
OpBodies bodies<OpId::cross_entropy_backward>() {
  return {.shape = [](OpCall& call) { return input_shape(call, 1); }, .cpu = run_cross_entropy_backward};
}
template <>
OpBodies bodies<OpId::class_loss_shares>() {
  return {.shape = [](OpCall& call) { return input_shape(call, 0); }, .cpu = run_shares};
}

}  // namespace nns::ops
