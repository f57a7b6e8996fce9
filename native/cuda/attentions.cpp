#include <array>

#include "core/ops/attention.h"
#include "core/ops/attention_work.h"
#include "native/cuda/ops.h"

// Attention tile by tile: arguments of the kernels from those of the call. The rules are those of
// core/ops/attention.cpp.
namespace nns::cuda {
namespace {

using ops::AttentionWork;

std::int64_t number_bytes(DType dtype) { return dtype == DType::Float64 ? 8 : 4; }

/// By AttentionWork::Operand; null: there is none.
using Operands = std::array<const Tensor*, AttentionWork::kOperands>;

ops::MatrixRows rows_of(const Tensor* tensor) {
  if (tensor == nullptr) return {};
  const std::int64_t bytes = tensor::item_bytes(tensor->dtype());
  // Of a mask with one item for many, the stride is 0.
  const auto stride = [&](std::size_t from_end) {
    if (tensor->ndim() < from_end) return std::int64_t{0};
    const std::size_t dim = tensor->ndim() - from_end;
    return tensor->shape()[dim] == 1 ? 0 : tensor->strides()[dim] * bytes;
  };
  return {tensor->data(), stride(2), stride(1)};
}

// Sizes, strides and dtypes. False: so many dimensions that cannot be joined are no kernel's.
bool set_operands(AttentionWork& work, const Operands& of) {
  const tensor::Dims& shape = of[AttentionWork::kQuery]->shape();
  const std::size_t ndim = shape.size();
  bool fits = true;
  for (std::size_t dim = ndim - 2; dim-- > 0;) {
    std::int64_t strides[AttentionWork::kOperands] = {};
    for (std::size_t i = 0; i < of.size(); ++i) {
      const Tensor* const one = of[i];
      if (one == nullptr || one->ndim() + dim < ndim) continue;
      const std::size_t own = one->ndim() + dim - ndim;
      if (one->shape()[own] != 1) strides[i] = one->strides()[own] * tensor::item_bytes(one->dtype());
    }
    fits = fits && work.batches.add(shape[dim], strides);
  }
  work.queries = shape[ndim - 2];
  work.keys = of[AttentionWork::kKey]->shape()[ndim - 2];
  work.width = static_cast<std::int32_t>(shape[ndim - 1]);
  work.value_width = static_cast<std::int32_t>(of[AttentionWork::kValue]->shape()[ndim - 1]);
  work.query = rows_of(of[AttentionWork::kQuery]);
  work.key = rows_of(of[AttentionWork::kKey]);
  work.value = rows_of(of[AttentionWork::kValue]);
  work.mask = rows_of(of[AttentionWork::kMask]);
  work.grad = rows_of(of[AttentionWork::kGrad]);
  work.out = rows_of(of[AttentionWork::kOut]);
  work.dtype = of[AttentionWork::kQuery]->dtype();
  work.item_bytes = tensor::item_bytes(work.dtype);
  if (const Tensor* const mask = of[AttentionWork::kMask]; mask != nullptr) work.mask_dtype = mask->dtype();
  return fits;
}

bool attends_to(const Operands& of) {
  const Tensor &query = *of[AttentionWork::kQuery], &value = *of[AttentionWork::kValue];
  const std::size_t last = query.ndim() - 1;
  const std::int64_t width = query.shape()[last], value_width = value.shape()[last];
  return has_floats(query) && width > 0 && width <= ops::kMostAttentionWidth && value_width <= ops::kMostAttentionWidth;
}

std::int64_t shared_bytes(Ops& ops) {
  return static_cast<std::int64_t>(ops.device().properties().sharedMemPerBlockOptin);
}

}  // namespace

// Arguments: attention.h, run_attention_tiles().
PyResult<void> run_attention(Ops& ops, OpCall& call) {
  const Operands operands{call.tensor(0), call.tensor(1), call.tensor(2), call.tensor(5), nullptr, &call.output(0)};
  AttentionWork work;
  if (!attends_to(operands) || !set_operands(work, operands)) return ops.run_on_host(call);
  work.is_causal = call.flag(4);
  work.dropout = ops::dropout_of(call, 3, 7);
  work.scale = ops::attention_scale(call.args[6], work.width);
  work.room = shared_bytes(ops);
  work.tiles = ops::attention_tiles(work.width, work.value_width, work.item_bytes, number_bytes(work.dtype), work.room,
                                    &ops::AttentionTiles::forward_bytes);
  if (work.tiles.rows == 0) return ops.run_on_host(call);
  work.log_sums = call.output(1).data();
  ops::launch_attention(work, ops.stream());
  return ops.launched(call.interpreter);
}

// Arguments: attention.h, run_attention_tiles_backward().
PyResult<void> run_attention_backward(Ops& ops, OpCall& call) {
  const Operands operands{call.tensor(1), call.tensor(2),  call.tensor(3),  call.tensor(8), call.tensor(0),
                          call.tensor(4), &call.output(0), &call.output(1), &call.output(2)};
  ops::AttentionBackwardWork job;
  AttentionWork& work = job.of;
  if (!attends_to(operands) || !set_operands(work, operands)) return ops.run_on_host(call);
  work.is_causal = call.flag(7);
  work.dropout = ops::dropout_of(call, 6, 10);
  work.scale = ops::attention_scale(call.args[9], work.width);
  work.room = shared_bytes(ops);
  work.tiles = ops::attention_tiles(work.width, work.value_width, work.item_bytes, number_bytes(work.dtype), work.room,
                                    &ops::AttentionTiles::backward_bytes);
  if (work.tiles.rows == 0) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> log_sums, ops.dense(call.required(5)));
  const std::int64_t rows = work.batches.count * work.queries;
  NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> shares,
                 ops.room(call.interpreter, static_cast<std::uint64_t>(rows * number_bytes(work.dtype))));
  work.log_sums = log_sums->data();
  job.query_grad = rows_of(&call.output(0));
  job.key_grad = rows_of(&call.output(1));
  job.value_grad = rows_of(&call.output(2));
  job.shares = shares.get();
  ops::launch_attention_backward(job, ops.stream());
  return ops.launched(call.interpreter);
}

}  // namespace nns::cuda
