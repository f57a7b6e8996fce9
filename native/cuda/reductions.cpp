#include "core/ops/reduction.h"

#include <limits>

#include "core/ops/errors.h"
#include "native/cuda/ops.h"

namespace nns::cuda {
namespace {

using ops::Compute;
using ops::ReductionKind;
using ops::ReductionWork;

/// What a reduction op asks for. Behaviour: reductions.cpp and extremes.cpp of core/ops.
struct Request {
  ReductionKind kind = ReductionKind::Sum;
  /// The argument that names the dimensions; none: all.
  int dims = -1;
  bool is_mean = false;
  bool gives_values = true;
  /// The output with the places; none: -1.
  int places = -1;
};

Request request_of(OpId id) {
  switch (id) {
    case OpId::sum:
      return {.kind = ReductionKind::Sum};
    case OpId::sum_dim:
      return {.kind = ReductionKind::Sum, .dims = 1};
    case OpId::mean:
      return {.kind = ReductionKind::Sum, .is_mean = true};
    case OpId::mean_dim:
      return {.kind = ReductionKind::Sum, .dims = 1, .is_mean = true};
    case OpId::prod:
      return {.kind = ReductionKind::Product};
    case OpId::prod_dim:
      return {.kind = ReductionKind::Product, .dims = 1};
    case OpId::var:
    case OpId::std:
      return {.kind = ReductionKind::Variance, .dims = 1};
    case OpId::max:
      return {.kind = ReductionKind::Largest};
    case OpId::min:
      return {.kind = ReductionKind::Smallest};
    case OpId::max_dim:
      return {.kind = ReductionKind::Largest, .dims = 1, .places = 1};
    case OpId::min_dim:
      return {.kind = ReductionKind::Smallest, .dims = 1, .places = 1};
    case OpId::amax:
      return {.kind = ReductionKind::Largest, .dims = 1};
    case OpId::amin:
      return {.kind = ReductionKind::Smallest, .dims = 1};
    case OpId::argmax:
      return {.kind = ReductionKind::Largest, .dims = 1, .gives_values = false, .places = 0};
    case OpId::argmin:
      return {.kind = ReductionKind::Smallest, .dims = 1, .gives_values = false, .places = 0};
    case OpId::any:
      return {.kind = ReductionKind::Any, .dims = 1};
    case OpId::all:
      return {.kind = ReductionKind::All, .dims = 1};
    case OpId::count_nonzero:
      return {.kind = ReductionKind::Count, .dims = 1};
    case OpId::norm:
      return {.kind = ReductionKind::Norm, .dims = 2};
    default:
      return {.kind = ReductionKind::LogSumExp, .dims = 1};
  }
}

// The type that items are read as.
Compute compute_of(const OpCall& call, ReductionKind kind) {
  const bool by_output = kind == ReductionKind::Sum || kind == ReductionKind::Product;
  const DType dtype = by_output ? call.output().dtype() : call.required(0).dtype();
  switch (kind) {
    case ReductionKind::Any:
    case ReductionKind::All:
    case ReductionKind::Count:
      return Compute::Bool;
    case ReductionKind::Norm:
    case ReductionKind::Variance:
    case ReductionKind::LogSumExp:
      return dtype == DType::Float64 ? Compute::Double : Compute::Float;
    default: {
      const Compute natural = ops::compute_of(dtype);
      return natural == Compute::Bool ? Compute::Int64 : natural;
    }
  }
}

// The walk over some dimensions, the last one innermost.
bool add_dims(ops::WalkPlan<1>& plan, const tensor::Dims& shape, const tensor::Dims& strides, std::int64_t bytes) {
  bool fits = true;
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    const std::int64_t stride[1] = {strides[dim] * bytes};
    fits = fits && plan.add(shape[dim], stride);
  }
  return fits;
}

}  // namespace

PyResult<void> run_reduction(Ops& ops, OpCall& call) {
  object::Interpreter& in = call.interpreter;
  const Tensor& input = call.required(0);
  const Request request = request_of(call.op.id);
  const auto chosen =
      request.dims < 0 ? ops::all_of(call) : ops::chosen_of(call, static_cast<std::size_t>(request.dims));
  const ops::Walk walk = ops::walk_of(input, chosen);
  ReductionWork work;
  work.kind = request.kind;
  work.compute = compute_of(call, request.kind);
  if (tensor::is_complex(input.dtype()) || work.compute == Compute::UInt64) {
    return ops::not_implemented_for(in, call.op.name + "_cuda", input.dtype());
  }
  const std::int64_t bytes = tensor::item_bytes(input.dtype());
  if (!add_dims(work.kept, walk.kept_shape, walk.kept_strides, bytes) ||
      !add_dims(work.gone, walk.gone_shape, walk.gone_strides, bytes)) {
    return object::error<object::ErrorKind::NotImplementedError>(
        in, "{} on cuda:0 of tensors with more than {} dimensions that cannot be joined", call.op.name,
        decltype(work.kept)::kMostDims);
  }
  if (work.kept.count == 0) return {};
  work.in = input.data();
  work.in_dtype = input.dtype();
  work.in_bytes = bytes;
  if (request.gives_values) {
    work.out = call.output().data();
    work.out_dtype = call.output().dtype();
    work.out_bytes = tensor::item_bytes(work.out_dtype);
  }
  if (request.places >= 0) {
    work.places = reinterpret_cast<std::int64_t*>(call.output(static_cast<std::size_t>(request.places)).data());
  }
  if (request.is_mean) {
    work.setting =
        work.gone.count == 0 ? std::numeric_limits<double>::quiet_NaN() : 1 / static_cast<double>(work.gone.count);
  } else if (request.kind == ReductionKind::Norm) {
    work.setting = call.is_none(1) ? 2 : call.real(1);
  } else if (request.kind == ReductionKind::Variance) {
    work.setting = call.is_none(2) ? 1 : call.real(2);
    work.is_root = call.op.id == OpId::std;
  }
  ops::plan_reduction(work, ops.device().properties().multiProcessorCount);
  std::shared_ptr<std::byte> parts;
  if (work.lanes.parts > 1) {
    const std::int64_t wanted = work.result_count * work.lanes.parts * ops::kReductionPartBytes;
    NNS_TRY_ASSIGN(parts, ops.room(in, static_cast<std::uint64_t>(wanted)));
    work.parts = parts.get();
  }
  ops::launch_reduction(work, ops.stream());
  return ops.launched(in);
}

}  // namespace nns::cuda
