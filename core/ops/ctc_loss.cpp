#include <algorithm>

#include "core/ops/errors.h"
#include "core/ops/node.h"
#include "core/ops/plain_numbers.h"

// Connectionist temporal classification: the probability of all paths that spell a target.
// Behaviour: aten/src/ATen/native/LossCTC.cpp; Graves et al. (2006), with logarithms throughout.
namespace nns::ops {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_add(double a, double b, double c) {
  const double largest = std::max({a, b, c});
  if (largest == kNever) return kNever;
  return largest + std::log(std::exp(a - largest) + std::exp(b - largest) + std::exp(c - largest));
}

// Arguments: log_probs 0 (time, batch, classes), targets 1, input_lengths 2, target_lengths 3, blank 4.
struct Lengths {
  std::vector<std::int64_t> inputs, targets;
};

std::vector<std::int64_t> items_of(const Value& value) {
  const Dims dims = dims_of(value);
  return {dims.begin(), dims.end()};
}

// A target with a blank before, between and behind its labels.
class Spelling {
 public:
  Spelling(const Tensor& targets, std::int64_t first, std::int64_t stride, std::int64_t length, std::int64_t blank)
      : labels_(static_cast<std::size_t>(2 * length + 1), blank) {
    for (std::int64_t i = 0; i < length; ++i)
      labels_[static_cast<std::size_t>(2 * i + 1)] = tensor::read_int64(targets, first + i * stride);
  }
  std::int64_t size() const { return static_cast<std::int64_t>(labels_.size()); }
  std::int64_t operator[](std::int64_t s) const { return labels_[static_cast<std::size_t>(s)]; }
  // Whether a path may go from s - 2 to s: over a blank, between different labels.
  bool skips(std::int64_t s) const { return s > 1 && s < size() && (*this)[s] != (*this)[s - 2]; }

 private:
  std::vector<std::int64_t> labels_;
};

Spelling spelling_of(const Tensor& targets, const std::vector<std::int64_t>& lengths, std::size_t sample,
                     std::int64_t blank) {
  std::int64_t first = targets.offset();
  const std::int64_t stride = targets.strides()[targets.ndim() - 1];
  if (targets.ndim() == 1) {
    for (std::size_t i = 0; i < sample; ++i) first += lengths[i] * stride;
  } else {
    first += static_cast<std::int64_t>(sample) * targets.strides()[0];
  }
  return {targets, first, stride, lengths[sample], blank};
}

// log(probability) that the first t + 1 steps spell the first s + 1 places, for all t and s, row after row.
std::vector<double> forward_sums(const double* logs, std::int64_t step, std::int64_t time, const Spelling& spelling) {
  const std::int64_t places = spelling.size();
  std::vector<double> sums(static_cast<std::size_t>(time * places), kNever);
  for (std::int64_t s = 0; s < std::min<std::int64_t>(2, places); ++s)
    sums[static_cast<std::size_t>(s)] = logs[spelling[s]];
  for (std::int64_t t = 1; t < time; ++t) {
    const double* const before = sums.data() + (t - 1) * places;
    for (std::int64_t s = 0; s < places; ++s) {
      sums[static_cast<std::size_t>(t * places + s)] =
          log_add(before[s], s > 0 ? before[s - 1] : kNever, spelling.skips(s) ? before[s - 2] : kNever) +
          logs[t * step + spelling[s]];
    }
  }
  return sums;
}

// The same from the end: that steps t and later spell places s and later.
std::vector<double> backward_sums(const double* logs, std::int64_t step, std::int64_t time, const Spelling& spelling) {
  const std::int64_t places = spelling.size();
  std::vector<double> sums(static_cast<std::size_t>(time * places), kNever);
  for (std::int64_t s = std::max<std::int64_t>(0, places - 2); s < places; ++s)
    sums[static_cast<std::size_t>((time - 1) * places + s)] = logs[(time - 1) * step + spelling[s]];
  for (std::int64_t t = time - 1; t-- > 0;) {
    const double* const after = sums.data() + (t + 1) * places;
    for (std::int64_t s = 0; s < places; ++s) {
      sums[static_cast<std::size_t>(t * places + s)] =
          log_add(after[s], s + 1 < places ? after[s + 1] : kNever, spelling.skips(s + 2) ? after[s + 2] : kNever) +
          logs[t * step + spelling[s]];
    }
  }
  return sums;
}

double likelihood(const std::vector<double>& sums, std::int64_t time, std::int64_t places) {
  const double* const last = sums.data() + (time - 1) * places;
  return log_add(last[places - 1], places > 1 ? last[places - 2] : kNever, kNever);
}

PyResult<void> check_ctc(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor &logs = call.required(0), &targets = call.required(1);
  if (logs.ndim() != 3) {
    return object::runtime_error(in,
                                 "Expected 3-dimensional tensor, but got {}-dimensional tensor for argument #1 "
                                 "'log_probs' (while checking arguments for ctc_loss_cpu)",
                                 logs.ndim());
  }
  if (!tensor::is_floating(logs.dtype())) {
    return not_implemented_for(in, "ctc_loss_cpu", logs.dtype());
  }
  if (targets.dtype() != DType::Int64 && targets.dtype() != DType::Int32) {
    return object::runtime_error(in, "targets must be int or long");
  }
  const Lengths lengths{items_of(call.args[2]), items_of(call.args[3])};
  const std::int64_t batch = logs.shape()[1];
  if (call.integer(4) < 0 || call.integer(4) >= logs.shape()[2]) {
    return object::runtime_error(in, "blank must be in label range");
  }
  if (static_cast<std::int64_t>(lengths.inputs.size()) != batch) {
    return object::runtime_error(in, "input_lengths must be of size batch_size");
  }
  if (static_cast<std::int64_t>(lengths.targets.size()) != batch) {
    return object::runtime_error(in, "target_lengths must be of size batch_size");
  }
  std::int64_t all = 0, longest = 0;
  for (const std::int64_t length : lengths.targets) {
    if (length < 0) {
      return object::runtime_error(in,
                                   "Expected target_lengths to have value at least 0, but got value {} (while checking "
                                   "arguments for ctc_loss_cpu)",
                                   length);
    }
    all += length;
    longest = std::max(longest, length);
  }
  for (const std::int64_t length : lengths.inputs) {
    if (length >= 0 && length <= logs.shape()[0]) continue;
    return object::runtime_error(in,
                                 "Expected input_lengths to have value at {} {}, but got value {} (while checking "
                                 "arguments for ctc_loss_cpu)",
                                 length < 0 ? "least" : "most", length < 0 ? 0 : logs.shape()[0], length);
  }
  if (targets.ndim() != 1 && targets.ndim() != 2) {
    return object::runtime_error(in,
                                 "Expected 1 to 2 dimensions, but got {}-dimensional tensor for argument #2 'targets' "
                                 "(while checking arguments for ctc_loss_cpu)",
                                 targets.ndim());
  }
  const bool fits =
      targets.ndim() == 1 ? targets.numel() == all : targets.shape()[0] == batch && targets.shape()[1] >= longest;
  if (!fits) {
    return object::runtime_error(in,
                                 "Expected tensor to have size {}{} at dimension {}, but got size {} for argument #2 "
                                 "'targets' (while checking arguments for ctc_loss_cpu)",
                                 targets.ndim() == 1 ? "" : "at least ", targets.ndim() == 1 ? all : longest,
                                 targets.ndim() - 1, targets.shape()[targets.ndim() - 1]);
  }
  return {};
}

PyResult<void> ctc_shape(OpCall& call) {
  NNS_TRY(check_ctc(call));
  return call.give(Dims({call.required(0).shape()[1]}), call.required(0).dtype());
}

PyResult<void> run_ctc(OpCall& call) {
  const Tensor& logs = call.required(0);
  const Lengths lengths{items_of(call.args[2]), items_of(call.args[3])};
  const std::int64_t batch = logs.shape()[1], classes = logs.shape()[2];
  const NumbersIn<double> from(logs);
  std::vector<double> losses;
  for (std::int64_t n = 0; n < batch; ++n) {
    const auto sample = static_cast<std::size_t>(n);
    const Spelling spelling = spelling_of(call.required(1), lengths.targets, sample, call.integer(4));
    const std::int64_t time = lengths.inputs[sample];
    if (time == 0) {
      losses.push_back(lengths.targets[sample] == 0 ? 0 : -kNever);
      continue;
    }
    const std::vector<double> sums = forward_sums(from.data() + n * classes, batch * classes, time, spelling);
    losses.push_back(-likelihood(sums, time, spelling.size()));
  }
  store_items(logs.dtype(), call.output().data(), tensor::item_bytes(logs.dtype()), batch, Compute::Double,
              losses.data());
  return {};
}

// grad 0, log_probs 1, targets 2, input_lengths 3, target_lengths 4, blank 5, zero_infinity 6.
PyResult<void> run_ctc_backward(OpCall& call) {
  const Tensor& logs = call.required(1);
  const Lengths lengths{items_of(call.args[3]), items_of(call.args[4])};
  const std::int64_t batch = logs.shape()[1], classes = logs.shape()[2], step = batch * classes;
  const NumbersIn<double> from(logs), grads(call.required(0));
  const ZeroedNumbers<double> out(call.output());
  for (std::int64_t n = 0; n < batch; ++n) {
    const auto sample = static_cast<std::size_t>(n);
    const std::int64_t time = lengths.inputs[sample];
    if (time == 0) continue;
    const Spelling spelling = spelling_of(call.required(2), lengths.targets, sample, call.integer(5));
    const std::int64_t places = spelling.size();
    const double* const mine = from.data() + n * classes;
    const std::vector<double> before = forward_sums(mine, step, time, spelling);
    const std::vector<double> after = backward_sums(mine, step, time, spelling);
    const double loss = -likelihood(before, time, places);
    if (std::isinf(loss) && call.flag(6)) continue;
    std::vector<double> through(static_cast<std::size_t>(classes));
    for (std::int64_t t = 0; t < time; ++t) {
      std::fill(through.begin(), through.end(), kNever);
      for (std::int64_t s = 0; s < places; ++s) {
        double& sum = through[static_cast<std::size_t>(spelling[s])];
        const auto at = static_cast<std::size_t>(t * places + s);
        sum = log_add(sum, before[at] + after[at], kNever);
      }
      for (std::int64_t c = 0; c < classes; ++c) {
        const double log = mine[t * step + c];
        out[t * step + n * classes + c] =
            grads[n] * (std::exp(log) - std::exp(through[static_cast<std::size_t>(c)] + loss - log));
      }
    }
  }
  return {};
}

}  // namespace

template <>
OpBodies bodies<OpId::ctc_loss>() {
  return {.shape = ctc_shape,
          .cpu = run_ctc,
          .gradients = {Gradient{0, argument(0) | argument(1),
                                 [](Backward& b) {
                                   return apply(OpId::ctc_loss_backward, {b.grad(), b.arg(0), b.arg(1), b.value(2),
                                                                          b.value(3), b.value(4), b.value(5)});
                                 }}},
          .node_name = "CtcLossBackward0"};
}
template <>
OpBodies bodies<OpId::ctc_loss_backward>() {
  // As torch: the loss can be differentiated once.
  const GradientFormula refuse = [](Backward& b) {
    return Term(object::runtime_error(b.interpreter(), "derivative for aten::_ctc_loss_backward is not implemented"));
  };
  return {.shape = [](OpCall& call) -> PyResult<void> {
            return call.give(call.required(1).shape(), call.required(1).dtype());
          },
          .cpu = run_ctc_backward,
          .gradients = {Gradient{0, 0, refuse}, Gradient{1, 0, refuse}}};
}

}  // namespace nns::ops
