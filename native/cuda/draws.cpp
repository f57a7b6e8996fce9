#include <numbers>

#include "core/ops/random_work.h"
#include "core/tensor/float_formats.h"
#include "native/cuda/device.h"
#include "native/cuda/failure.h"
#include "native/cuda/item_order.h"

// Random numbers drawn on the device.
namespace nns::cuda {
namespace {

using tensor::DType;
using tensor::RandomLaw;

// What a floating dtype keeps of a number.
double rounded(DType dtype, double number) {
  const auto single = static_cast<float>(number);
  switch (dtype) {
    case DType::BFloat16:
      return tensor::bfloat16_to_float(tensor::bfloat16_from_float(single));
    case DType::Float16:
      return tensor::half_to_float(tensor::half_from_float(single));
    case DType::Float32:
      return single;
    default:
      return number;
  }
}

}  // namespace

base::Result<void> Device::draw_items(const tensor::StridedItems& to, const tensor::Dims& shape, const RandomLaw& law,
                                      tensor::PhiloxState& state) {
  if (tensor::element_count(shape) == 0) return {};
  if (tensor::is_complex(to.dtype)) {
    // Real and imaginary parts, each with half the variance. Behaviour: DistributionTemplates.h, normal_impl_.
    const DType part = to.dtype == DType::Complex128 ? DType::Float64 : DType::Float32;
    RandomLaw of_parts = law;
    of_parts.is_wide = part == DType::Float64;
    if (law.kind == RandomLaw::Kind::Normal) of_parts.second /= std::numbers::sqrt2;
    return draw_items(as_pairs(to, part), with_pairs(shape), of_parts, state);
  }
  ops::DrawWork work;
  work.out = to.data;
  work.dtype = to.dtype;
  work.law = law;
  work.state = state;
  const std::int64_t bytes = tensor::item_bytes(to.dtype);
  for (const std::size_t dim : order_in_memory(to.strides)) {
    if (!work.plan.add(shape[dim], {to.strides[dim] * bytes})) {
      return failure(std::string(operation_) + ": a tensor of more dimensions on cuda than can be filled");
    }
  }
  if (law.kind == RandomLaw::Kind::Uniform) {
    work.law.first = rounded(to.dtype, law.first);
    work.law.second = rounded(to.dtype, law.second);
    work.span = rounded(to.dtype, work.law.second - work.law.first);
  }
  const int blocks_at_once = properties_.maxThreadsPerMultiProcessor / static_cast<int>(tensor::DrawPlan::kThreads);
  work.threads = tensor::draw_plan(static_cast<std::uint64_t>(work.plan.count), law.is_wide,
                                   static_cast<std::uint32_t>(properties_.multiProcessorCount * blocks_at_once));
  ops::launch_draw(work, stream_);
  state.offset += work.threads.used;
  return launched();
}

}  // namespace nns::cuda
