#define HWY_TARGET_INCLUDE "core/ops/moment_kernels.h"
#include <hwy/foreach_target.h>

#include "core/ops/moments.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/base/parallel.h"

#include "core/ops/moment_kernels.h"

namespace nns::ops {

using tensor::DType;
using tensor::PyResult;
using tensor::Ref;
using tensor::Tensor;

HWY_EXPORT(add_values);
HWY_EXPORT(add_rows);
HWY_EXPORT(count_bins);
HWY_EXPORT(add_differences);
HWY_EXPORT(are_finite);

void add_moments(Moments& moments, const float* values, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(add_values)(moments, values, count);
}
void add_moments_of_rows(Moments& moments, const float* first, std::int64_t rows, std::int64_t columns,
                         std::int64_t stride) {
  HWY_DYNAMIC_DISPATCH(add_rows)(moments, first, rows, columns, stride);
}
void add_moments_of_difference(Moments& moments, const float* a, const float* b, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(add_differences)(moments, a, b, count);
}

double Moments::mean() const { return sum / static_cast<double>(finite()); }

double Moments::deviation() const {
  if (finite() == 0) return std::numeric_limits<double>::quiet_NaN();
  const double middle = mean();
  return std::sqrt(std::max(0.0, square / static_cast<double>(finite()) - middle * middle));
}

double Moments::absmax() const {
  return finite() == 0 ? std::numeric_limits<double>::quiet_NaN() : std::max(-low, high);
}

double Moments::norm() const { return finite() == 0 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(square); }

void Moments::join(const Moments& more) {
  count += more.count;
  nan += more.nan;
  infinite += more.infinite;
  zeros += more.zeros;
  sum += more.sum;
  square += more.square;
  low = std::min(low, more.low);
  high = std::max(high, more.high);
}

namespace {

// Whether the items fill one piece of memory, in whatever order.
bool fills_memory(const Tensor& tensor) {
  if (tensor.is_contiguous()) return true;
  return tensor.ndim() == 2 && tensor.strides()[0] == 1 && tensor.strides()[1] == tensor.shape()[0];
}

// The items as floats, one behind the other: the tensor itself where they lie so.
PyResult<Ref<Tensor>> as_floats(const Tensor& given) {
  NNS_TRY_ASSIGN(const Ref<Tensor> here, tensor::on_host(given));
  if (here->dtype() == DType::Float32 && fills_memory(*here)) return here;
  object::Interpreter& in = given.interpreter();
  if (tensor::is_complex(here->dtype())) {
    // Their two parts beside each other.
    const Ref<Tensor> parts = tensor::empty(in, {here->numel(), 2}, DType::Float32);
    auto* out = reinterpret_cast<float*>(parts->data());
    tensor::for_each_place(*here, [&](std::int64_t place) {
      const std::complex<double> item = tensor::read_complex(*here, place);
      *out++ = static_cast<float>(item.real());
      *out++ = static_cast<float>(item.imag());
    });
    return parts;
  }
  const Ref<Tensor> floats = tensor::empty(in, here->shape(), DType::Float32);
  NNS_TRY(tensor::copy_items(*floats, *here));
  return floats;
}

// Fewer are not worth a second thread.
constexpr std::int64_t kShared = 1 << 17;

}  // namespace

PyResult<Moments> moments_of(const Tensor& given) {
  Moments moments;
  const std::int64_t numel = given.numel();
  if (numel == 0) return moments;
  NNS_TRY_ASSIGN(const Ref<Tensor> floats, as_floats(given));
  const auto* values = reinterpret_cast<const float*>(floats->data());
  const std::int64_t count = floats->numel();
  const std::int64_t parts =
      base::thread_count() == 1 ? 1 : std::min<std::int64_t>(base::thread_count(), count / kShared);
  if (parts <= 1) {
    add_moments(moments, values, count);
    return moments;
  }
  std::vector<Moments> found(static_cast<std::size_t>(parts));
  base::run_parts(parts, [&](std::int64_t i) {
    const std::int64_t begin = count / parts * i;
    const std::int64_t end = i + 1 == parts ? count : count / parts * (i + 1);
    add_moments(found[static_cast<std::size_t>(i)], values + begin, end - begin);
  });
  for (const Moments& part : found) moments.join(part);
  return moments;
}

bool are_all_finite(const float* values, std::int64_t count) { return HWY_DYNAMIC_DISPATCH(are_finite)(values, count); }

PyResult<bool> is_all_finite(const Tensor& given) {
  if (given.numel() == 0) return true;
  NNS_TRY_ASSIGN(const Ref<Tensor> here, tensor::on_host(given));
  // A double may be larger than any float.
  if (here->dtype() == DType::Float64 && fills_memory(*here)) {
    const auto* values = reinterpret_cast<const double*>(here->data());
    return std::all_of(values, values + here->numel(), [](double value) { return std::isfinite(value); });
  }
  if (here->dtype() == DType::Complex128 || !fills_memory(*here)) {
    bool is_finite = true;
    tensor::for_each_place(*here, [&](std::int64_t place) {
      const std::complex<double> item = tensor::read_complex(*here, place);
      is_finite = is_finite && std::isfinite(item.real()) && std::isfinite(item.imag());
    });
    return is_finite;
  }
  NNS_TRY_ASSIGN(const Ref<Tensor> floats, as_floats(*here));
  const auto* values = reinterpret_cast<const float*>(floats->data());
  std::atomic<bool> is_finite = true;
  base::run_ranges(floats->numel(), kShared, 1, [&](std::int64_t begin, std::int64_t end) {
    if (!are_all_finite(values + begin, end - begin)) is_finite = false;
  });
  return is_finite.load();
}

namespace {

// Runs of values that lie `stride` apart in memory; the last may be shorter.
struct Sample {
  static constexpr std::int64_t kRunLength = 64;
  const float* values;
  std::int64_t count, stride;

  Sample(const float* first, std::int64_t items, std::uint64_t most) : values(first), count(items) {
    const auto runs = static_cast<std::int64_t>(std::max<std::uint64_t>(1, most / kRunLength));
    stride = std::max(kRunLength, (count + runs - 1) / runs);
  }
  std::int64_t whole_runs() const { return count < kRunLength ? 0 : (count - kRunLength) / stride + 1; }
  /// Of the last run that is no whole one: nothing where there is none.
  std::span<const float> rest() const {
    const std::int64_t begin = whole_runs() * stride;
    return begin < count ? std::span(values + begin, static_cast<std::size_t>(count - begin))
                         : std::span<const float>();
  }
};

Moments moments_of(const Sample& sample) {
  Moments moments;
  const std::int64_t runs = sample.whole_runs();
  add_moments_of_rows(moments, sample.values, runs, Sample::kRunLength, sample.stride);
  add_moments(moments, sample.rest().data(), static_cast<std::int64_t>(sample.rest().size()));
  return moments;
}

}  // namespace

PyResult<SampledHistogram> histogram_of(const Tensor& given, std::size_t bins, std::uint64_t most) {
  SampledHistogram histogram;
  histogram.counts.assign(bins, 0);
  if (given.numel() == 0) return histogram;
  NNS_TRY_ASSIGN(const Ref<Tensor> floats, as_floats(given));
  const Sample sample(reinterpret_cast<const float*>(floats->data()), floats->numel(), most);
  const Moments extremes = moments_of(sample);
  histogram.sampled = extremes.finite();
  if (histogram.sampled == 0) return histogram;
  histogram.low = extremes.low;
  histogram.high = extremes.high;
  if (!(histogram.low < histogram.high)) {
    // All the same: one bin's width around it.
    const double half = histogram.low == 0 ? 0.5 : std::abs(histogram.low) / 2;
    histogram.low -= half;
    histogram.high += half;
  }
  const double scale = static_cast<double>(bins) / (histogram.high - histogram.low);
  const auto count_singly = [&](std::span<const float> values) {
    for (const float value : values) {
      if (!std::isfinite(value)) continue;
      const double place = (static_cast<double>(value) - histogram.low) * scale;
      ++histogram.counts[std::min(bins - 1, static_cast<std::size_t>(place))];
    }
  };
  const std::int64_t runs = sample.whole_runs();
  const bool fits_floats = std::isnormal(static_cast<float>(scale)) &&
                           std::isfinite(static_cast<float>(histogram.high - histogram.low)) && bins < (1U << 20);
  if (fits_floats && extremes.finite() == extremes.count) {
    HWY_DYNAMIC_DISPATCH(count_bins)
    (sample.values, runs, sample.stride, static_cast<float>(histogram.low), static_cast<float>(scale),
     histogram.counts);
  } else {
    for (std::int64_t run = 0; run < runs; ++run)
      count_singly(std::span(sample.values + run * sample.stride, Sample::kRunLength));
  }
  count_singly(sample.rest());
  return histogram;
}

}  // namespace nns::ops
