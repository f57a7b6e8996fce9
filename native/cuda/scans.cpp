#include "core/ops/indexing_work.h"
#include "core/tensor/cuda_contents.h"
#include "native/cuda/ops.h"

// Running sums and triangles: arguments of the kernels from those of the call. The rules are those of
// core/ops/scans.cpp and joining.cpp.
namespace nns::cuda {

namespace {

ops::ScanKind kind_of_scan(OpId id) {
  switch (id) {
    case OpId::cumprod:
      return ops::ScanKind::Product;
    case OpId::logcumsumexp:
      return ops::ScanKind::LogSumExp;
    case OpId::cummax:
      return ops::ScanKind::Largest;
    case OpId::cummin:
      return ops::ScanKind::Smallest;
    default:
      return ops::ScanKind::Sum;
  }
}

}  // namespace

// input 0, dim 1, of sums and products dtype 2.
PyResult<void> run_scan(Ops& ops, OpCall& call) {
  const Tensor& in = call.required(0);
  const Tensor& out = call.output();
  if (tensor::is_complex(in.dtype()) || tensor::is_complex(out.dtype()) || !tensor::has_kernels(out.dtype()))
    return ops.run_on_host(call);
  if (in.numel() == 0) return {};
  const bool is_item = in.ndim() == 0;
  const std::size_t dim = call.dimension(call.integer(1), in.ndim()).value();
  const std::int64_t in_bytes = tensor::item_bytes(in.dtype()), out_bytes = tensor::item_bytes(out.dtype());
  ops::ScanWork work;
  for (std::size_t i = in.ndim(); i-- > 0;) {
    const std::int64_t strides[2] = {in.strides()[i] * in_bytes, out.strides()[i] * out_bytes};
    if (i != dim && !work.lines.add(in.shape()[i], strides)) return ops.run_on_host(call);
  }
  work.length = is_item ? 1 : in.shape()[dim];
  work.in_stride = is_item ? in_bytes : in.strides()[dim] * in_bytes;
  work.out_stride = is_item ? out_bytes : out.strides()[dim] * out_bytes;
  work.in = numbers(in);
  work.out = numbers(out);
  work.kind = kind_of_scan(call.op.id);
  if (call.outputs.size() > 1) work.places = reinterpret_cast<std::int64_t*>(call.output(1).data());
  work.is_whole = !tensor::is_floating(out.dtype());
  ops::launch_scan(work, ops.stream());
  return ops.launched(call.interpreter);
}

// input 0, diagonal 1.
PyResult<void> run_triangle(Ops& ops, OpCall& call) {
  const Tensor& in = call.required(0);
  const Tensor& out = call.output();
  const std::int64_t bytes = tensor::item_bytes(in.dtype());
  ops::TriangleWork work;
  for (std::size_t i = in.ndim(); i-- > 0;) {
    const std::int64_t strides[2] = {in.strides()[i] * bytes, out.strides()[i] * bytes};
    if (!work.plan.add(in.shape()[i], strides)) return ops.run_on_host(call);
  }
  work.rows = in.shape()[in.ndim() - 2];
  work.columns = in.shape()[in.ndim() - 1];
  work.diagonal = call.integer(1);
  work.keeps_lower = call.op.id == OpId::tril;
  work.in = in.data();
  work.out = out.data();
  work.item_bytes = bytes;
  ops::launch_triangle(work, ops.stream());
  return ops.launched(call.interpreter);
}

}  // namespace nns::cuda
