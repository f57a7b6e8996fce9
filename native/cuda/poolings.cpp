#include "core/ops/pooling.h"

#include "core/ops/pooling_work.h"
#include "native/cuda/ops.h"

// Pooling: arguments of the kernels from those of the call. The rules are those of core/ops/max_pooling.cpp and
// average_pooling.cpp.
namespace nns::cuda {
namespace {

using ops::PoolWork;
using tensor::Dims;

bool takes(const Tensor& one) { return has_floats(one) && one.numel() <= kMostItems; }

// The windows behind those of dimensions that there are not.
void set_windows(PoolWork& work, std::span<const ops::WindowDim> windows) {
  for (std::size_t i = 0; i < windows.size(); ++i) work.dims[3 - windows.size() + i].window = windows[i];
}
void set_adaptive(PoolWork& work, const Dims& in, const Dims& out, std::size_t dims) {
  const auto of_in = ops::last_sizes(in, dims), of_out = ops::last_sizes(out, dims);
  for (std::size_t i = 0; i < dims; ++i) {
    ops::PoolDim& dim = work.dims[3 - dims + i];
    dim.window.in = of_in[i];
    dim.window.out = of_out[i];
    dim.is_adaptive = true;
  }
}
void set_sides(PoolWork& work, const Tensor& in, const Tensor& out) {
  work.in = numbers(in);
  work.out = numbers(out);
  work.planes = work.in_plane() == 0 ? 0 : in.numel() / work.in_plane();
  work.in_double = in.dtype() == DType::Float64;
}

// The arguments of pooling with windows of a fixed size were checked by the shape rule.
PyResult<std::vector<ops::WindowDim>> fixed_windows(OpCall& call, std::size_t dims, std::size_t dilation_at,
                                                    std::size_t ceil_mode_at) {
  NNS_TRY_ASSIGN(const ops::PoolArguments arguments, ops::pool_arguments(call, dims, dilation_at, ceil_mode_at, {}));
  return arguments.windows(call.required(0).shape());
}

PyResult<void> run_max(Ops& ops, OpCall& call, PoolWork& work, const Ref<Tensor>& in) {
  set_sides(work, *in, call.output(0));
  work.places = reinterpret_cast<std::int64_t*>(call.output(1).data());
  ops::launch_max_pool(work, ops.stream());
  return ops.launched(call.interpreter);
}

}  // namespace

PyResult<void> run_max_pool(Ops& ops, OpCall& call) {
  const Tensor& input = call.required(0);
  if (!takes(input) || !takes(call.output())) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(input));
  PoolWork work;
  const std::size_t dims = call.op.id == OpId::max_pool2d_with_indices ? 2 : 3;
  NNS_TRY_ASSIGN(const auto windows, fixed_windows(call, dims, 4, 5));
  set_windows(work, windows);
  return run_max(ops, call, work, in);
}

PyResult<void> run_adaptive_max_pool(Ops& ops, OpCall& call) {
  const Tensor& input = call.required(0);
  if (!takes(input) || !takes(call.output())) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(input));
  PoolWork work;
  set_adaptive(work, input.shape(), call.output().shape(), call.op.id == OpId::adaptive_max_pool2d ? 2 : 3);
  return run_max(ops, call, work, in);
}

// input 0, kernel_size 1, stride 2, padding 3, ceil_mode 4, count_include_pad 5, divisor_override 6.
PyResult<void> run_average_pool(Ops& ops, OpCall& call) {
  const Tensor& input = call.required(0);
  if (!takes(input) || !takes(call.output())) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(input));
  PoolWork work;
  NNS_TRY_ASSIGN(const auto windows, fixed_windows(call, call.op.id == OpId::avg_pool2d ? 2 : 3, 0, 4));
  set_windows(work, windows);
  set_sides(work, *in, call.output());
  work.counts_padding = call.flag(5);
  work.divisor = call.is_none(6) ? 0 : call.integer(6);
  ops::launch_mean_pool(work, ops.stream());
  return ops.launched(call.interpreter);
}

// grad 0, input_size 1, kernel_size 2, stride 3, padding 4, ceil_mode 5, count_include_pad 6, divisor_override 7.
PyResult<void> run_average_pool_backward(Ops& ops, OpCall& call) {
  const Tensor& grad = call.required(0);
  if (!takes(grad) || !takes(call.output())) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> out, ops.dense(grad));
  const auto ints = [&](std::size_t i) {
    const Dims given = call.dims(i);
    return std::vector<std::int64_t>(given.begin(), given.end());
  };
  ops::PoolArguments arguments{ints(2).size(), ints(2), ints(3), ints(4), {}, call.flag(5)};
  arguments.dilation.assign(arguments.dims, 1);
  PoolWork work;
  set_windows(work, arguments.windows(call.output().shape()));
  set_sides(work, call.output(), *out);
  work.counts_padding = call.flag(6);
  work.divisor = call.is_none(7) ? 0 : call.integer(7);
  ops::launch_mean_pool_backward(work, ops.stream());
  return ops.launched(call.interpreter);
}

PyResult<void> run_adaptive_average_pool(Ops& ops, OpCall& call) {
  const Tensor& input = call.required(0);
  if (!takes(input) || !takes(call.output())) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(input));
  PoolWork work;
  set_adaptive(work, input.shape(), call.output().shape(), call.op.id == OpId::adaptive_avg_pool2d_windows ? 2 : 3);
  set_sides(work, *in, call.output());
  ops::launch_mean_pool(work, ops.stream());
  return ops.launched(call.interpreter);
}

// grad 0, input_size 1, dims 2.
PyResult<void> run_adaptive_average_pool_backward(Ops& ops, OpCall& call) {
  const Tensor& grad = call.required(0);
  if (!takes(grad) || !takes(call.output())) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> out, ops.dense(grad));
  PoolWork work;
  set_adaptive(work, call.output().shape(), grad.shape(), static_cast<std::size_t>(call.integer(2)));
  set_sides(work, call.output(), *out);
  ops::launch_mean_pool_backward(work, ops.stream());
  return ops.launched(call.interpreter);
}

namespace {

std::int64_t plane_of(const Dims& shape, std::size_t dims) {
  std::int64_t count = 1;
  for (const std::int64_t size : ops::last_sizes(shape, dims)) count *= size;
  return count;
}

ops::PoolPlacesWork places_work(const Tensor& indices, const Tensor& sparse, const Tensor& dense, std::size_t dims) {
  ops::PoolPlacesWork work;
  work.sparse_plane = plane_of(sparse.shape(), dims);
  work.dense_plane = plane_of(dense.shape(), dims);
  work.planes = work.sparse_plane == 0 ? 0 : sparse.numel() / work.sparse_plane;
  work.places = reinterpret_cast<const std::int64_t*>(indices.data());
  work.places_stride = work.sparse_plane;
  work.sparse = numbers(sparse);
  work.dense = numbers(dense);
  work.in_double = dense.dtype() == DType::Float64;
  return work;
}

}  // namespace

// input 0, indices 1, size 2.
PyResult<void> run_pool_scatter(Ops& ops, OpCall& call) {
  const Tensor& out = call.output();
  if (!takes(call.required(0))) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> sparse, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> indices, ops.dense(call.required(1)));
  // 16-bit sums are rounded once.
  Ref<Tensor> dense(&call.output());
  if (tensor::item_bytes(out.dtype()) == 2) {
    NNS_TRY_ASSIGN(dense, tensor::try_empty(call.interpreter, out.shape(), DType::Float32, tensor::Device::Cuda));
  }
  tensor::fill_items(*dense, 0);
  ops::launch_pool_scatter(places_work(*indices, *sparse, *dense, call.dims(2).size()), ops.stream());
  NNS_TRY(ops.launched(call.interpreter));
  if (dense.get() == &out) return {};
  return tensor::copy_items(out, *dense);
}

// input 0, indices 1, dims 2.
PyResult<void> run_pool_gather(Ops& ops, OpCall& call) {
  if (!takes(call.required(0))) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> dense, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> indices, ops.dense(call.required(1)));
  const auto dims = static_cast<std::size_t>(call.integer(2));
  ops::launch_pool_gather(places_work(*indices, call.output(), *dense, dims), ops.stream());
  return ops.launched(call.interpreter);
}

// input 0, indices 1, output_size 2.
PyResult<void> run_unpool(Ops& ops, OpCall& call) {
  const Tensor& out = call.output();
  const std::size_t dims = call.op.id == OpId::max_unpool2d ? 2 : 3;
  if (!has_floats(out) || out.numel() == 0 || plane_of(call.required(0).shape(), dims) > kMostItems) {
    return ops.run_on_host(call);
  }
  NNS_TRY_ASSIGN(const Ref<Tensor> sparse, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> indices, ops.dense(call.required(1)));
  NNS_TRY_ASSIGN(const Ref<Tensor> owners,
                 tensor::try_empty(call.interpreter, out.shape(), DType::Int32, tensor::Device::Cuda));
  tensor::fill_items(*owners, -1);
  ops::PoolPlacesWork work = places_work(*indices, *sparse, out, dims);
  work.complaint = ops.device().complaint();
  ops::launch_unpool(work, reinterpret_cast<int*>(owners->data()), ops.stream());
  return ops.launched(call.interpreter);
}

}  // namespace nns::cuda
