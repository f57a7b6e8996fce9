#include <fmt/ranges.h>

#include <cmath>

#include "core/object/str.h"
#include "core/ops/errors.h"
#include "core/ops/plain_numbers.h"

// Where numbers belong among sorted ones, and how many fall between bounds.
// Behaviour: aten/src/ATen/native/Bucketization.cpp, BucketizationUtils.h, cpu/HistogramKernel.cpp.
namespace nns::ops {
namespace {

// Arguments of searchsorted.
constexpr std::size_t kSequence = 0, kInput = 1, kInt32 = 2, kRight = 3, kSide = 4, kSorter = 5;

PyResult<bool> takes_right(OpCall& call) {
  if (call.is_none(kSide)) return call.flag(kRight);
  const std::string_view side = call.args[kSide].as<object::Str>()->view();
  if (side != "left" && side != "right") {
    return object::runtime_error(call.interpreter,
                                 "torch.searchsorted(): side can only be 'left' or 'right' but got {}", side);
  }
  if (call.flag(kRight) && side == "left") {
    return object::runtime_error(call.interpreter,
                                 "torch.searchsorted(): side and right can't be set to opposites, got side of left "
                                 "while right was True");
  }
  return side == "right";
}

PyResult<void> search_shape(OpCall& call) {
  Interpreter& in = call.interpreter;
  NNS_TRY(takes_right(call));
  const Tensor& bounds = call.required(kSequence);
  const Dims shape = call.tensor(kInput) != nullptr ? call.required(kInput).shape() : Dims();
  if (bounds.ndim() == 0) {
    return object::runtime_error(
        in,
        "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
        "boundaries tensor dim(0) and input value's dim({}) numel({})",
        shape.size(), tensor::element_count(shape));
  }
  if (shape.size() == 0 && bounds.ndim() != 1) {
    return object::runtime_error(
        in,
        "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
        "boundaries tensor dim({}) and input value's dim(0) numel(1)",
        bounds.ndim());
  }
  bool fits = bounds.ndim() == 1 || bounds.ndim() == shape.size();
  for (std::size_t i = 0; fits && bounds.ndim() > 1 && i + 1 < shape.size(); ++i) {
    fits = bounds.shape()[i] == shape[i];
  }
  if (!fits) {
    return object::runtime_error(
        in,
        "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
        "tensor and input value tensor must match, but we got boundaries tensor [{}] and input value tensor [{}]",
        fmt::join(bounds.shape().span(), ", "), fmt::join(shape.span(), ", "));
  }
  if (!call.is_none(kSorter)) {
    const Tensor& sorter = call.required(kSorter);
    if (!(sorter.shape() == bounds.shape())) {
      return object::runtime_error(
          in,
          "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor [{}]and got "
          "sorter tensor [{}]",
          fmt::join(bounds.shape().span(), ", "), fmt::join(sorter.shape().span(), ", "));
    }
    if (sorter.dtype() != DType::Int64) {
      return object::runtime_error(in, "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {}",
                                   tensor::info(sorter.dtype()).scalar_name);
    }
  }
  return call.give(shape, call.flag(kInt32) ? DType::Int32 : DType::Int64);
}

// Compared as T; a NaN stands behind all numbers.
template <class T>
PyResult<void> search(OpCall& call) {
  const Tensor& sequence = call.required(kSequence);
  const bool right = takes_right(call).value();
  const NumbersIn<T> bounds(sequence);
  const NumbersIn<std::int64_t> order(call.tensor(kSorter));
  const Tensor* const given = call.tensor(kInput);
  std::vector<T> inputs;
  if (given == nullptr) {
    const Number number = Number::of(call.args[kInput]);
    if constexpr (std::is_integral_v<T>)
      inputs.push_back(number.as_int64());
    else
      inputs.push_back(static_cast<T>(number.as_double()));
  } else if (given->numel() > 0) {
    const NumbersIn<T> numbers(*given);
    inputs.assign(numbers.data(), numbers.data() + given->numel());
  }
  const std::int64_t length = sequence.shape()[sequence.ndim() - 1];
  const auto count = static_cast<std::int64_t>(inputs.size());
  const std::int64_t line = given == nullptr || given->ndim() == 0 ? 1 : given->shape()[given->ndim() - 1];
  std::vector<std::int64_t> found(inputs.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = sequence.ndim() == 1 ? 0 : i / line * length;
    const T x = inputs[static_cast<std::size_t>(i)];
    std::int64_t low = 0, high = length;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      const std::int64_t at = order ? order[first + middle] : middle;
      if (at < 0 || at >= length) {
        return object::runtime_error(call.interpreter, "torch.searchsorted(): sorter index out of range");
      }
      const T bound = bounds[first + at];
      if (right ? !(bound > x) : !(bound >= x))
        low = middle + 1;
      else
        high = middle;
    }
    found[static_cast<std::size_t>(i)] = low;
  }
  const Tensor& out = call.output();
  if (count > 0) {
    store_items(out.dtype(), out.data(), tensor::item_bytes(out.dtype()), count, Compute::Int64, found.data());
  }
  return {};
}
PyResult<void> run_search(OpCall& call) {
  const Tensor* const given = call.tensor(kInput);
  const bool is_whole =
      tensor::is_integral(call.required(kSequence).dtype()) &&
      (given == nullptr ? Number::of(call.args[kInput]).is_integral() : tensor::is_integral(given->dtype()));
  return is_whole ? search<std::int64_t>(call) : search<double>(call);
}

// bucketize(input, boundaries) is searchsorted(boundaries, input) for one line of bounds.
PyResult<Value> bucketize(OpCall& call) {
  const Tensor& bounds = call.required(1);
  if (bounds.ndim() != 1) {
    return object::runtime_error(call.interpreter,
                                 "bucketize(): boundaries tensor must be 1 dimension, but got dim({})", bounds.ndim());
  }
  return call_op(call.interpreter, OpId::searchsorted,
                 {call.args[1], call.args[0], call.args[2], call.args[3], Value(), Value()});
}

PyResult<void> histc_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  if (!tensor::is_floating(self.dtype())) {
    return not_implemented_for(call.interpreter, "histogram_cpu", self.dtype());
  }
  if (call.integer(1) <= 0) return object::runtime_error(call.interpreter, "bins must be > 0");
  return call.give(Dims({call.integer(1)}), self.dtype());
}
PyResult<void> run_histc(OpCall& call) {
  const Tensor& self = call.required(0);
  const std::int64_t bins = call.integer(1);
  double low = call.real(2), high = call.real(3);
  const NumbersIn<double> numbers(self);
  const std::int64_t count = self.numel();
  // Without bounds those of the items; all equal, one around them.
  if (low == high && count > 0) {
    const auto [least, most] = std::minmax_element(numbers.data(), numbers.data() + count);
    low = *least;
    high = *most;
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  if (!std::isfinite(low) || !std::isfinite(high)) {
    return object::runtime_error(call.interpreter, "histogram: range of [{}, {}] is not finite", low, high);
  }
  if (!(low < high)) return object::runtime_error(call.interpreter, "max must be larger than min");
  const NumbersOut<double> out(call.output());
  std::fill_n(out.data(), bins, 0.0);
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = numbers[i];
    if (!(x >= low && x <= high)) continue;
    const auto bin = static_cast<std::int64_t>((x - low) / (high - low) * static_cast<double>(bins));
    ++out.data()[std::min(bin, bins - 1)];
  }
  out.store();
  return {};
}

}  // namespace

template <>
OpBodies bodies<OpId::searchsorted>() {
  return {.shape = search_shape, .cpu = run_search};
}
template <>
OpBodies bodies<OpId::bucketize>() {
  return {.composite = bucketize};
}
template <>
OpBodies bodies<OpId::histc>() {
  return {.shape = histc_shape, .cpu = run_histc};
}

}  // namespace nns::ops
