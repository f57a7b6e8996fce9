#include <cmath>

#include "core/ops/attention_work.h"
#include "native/cuda/ops.h"

// Attention tile by tile: arguments of the kernels from those of the call. The rules are those of
// core/ops/attention.cpp.
namespace nns::cuda {
namespace {

using ops::AttentionWork;

std::int64_t number_bytes(DType dtype) { return dtype == DType::Float64 ? 8 : 4; }

struct Operands {
  const Tensor* query;
  const Tensor* key;
  const Tensor* value;
  const Tensor* mask = nullptr;
  const Tensor* grad = nullptr;
};

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

// False: so many dimensions that cannot be joined are no kernel's.
bool set_operands(AttentionWork& work, const Operands& of) {
  const tensor::Dims& shape = of.query->shape();
  const std::size_t ndim = shape.size();
  bool fits = true;
  for (std::size_t dim = ndim - 2; dim-- > 0;) {
    std::int64_t strides[5] = {};
    const Tensor* const tensors[] = {of.query, of.key, of.value, of.mask, of.grad};
    for (std::size_t i = 0; i < 5; ++i) {
      const Tensor* const one = tensors[i];
      if (one == nullptr || one->ndim() + dim < ndim) continue;
      const std::size_t own = one->ndim() + dim - ndim;
      if (one->shape()[own] != 1) strides[i] = one->strides()[own] * tensor::item_bytes(one->dtype());
    }
    fits = fits && work.batches.add(shape[dim], strides);
  }
  work.queries = shape[ndim - 2];
  work.keys = of.key->shape()[ndim - 2];
  work.width = static_cast<std::int32_t>(shape[ndim - 1]);
  work.value_width = static_cast<std::int32_t>(of.value->shape()[ndim - 1]);
  work.query = rows_of(of.query);
  work.key = rows_of(of.key);
  work.value = rows_of(of.value);
  work.mask = rows_of(of.mask);
  work.grad = rows_of(of.grad);
  work.dtype = of.query->dtype();
  work.item_bytes = tensor::item_bytes(work.dtype);
  if (of.mask != nullptr) work.mask_dtype = of.mask->dtype();
  return fits;
}

bool attends_to(const Operands& of) {
  const std::size_t last = of.query->ndim() - 1;
  const std::int64_t width = of.query->shape()[last], value_width = of.value->shape()[last];
  return has_floats(*of.query) && width > 0 && width <= ops::kMostAttentionWidth &&
         value_width <= ops::kMostAttentionWidth;
}

double scale_of(const OpCall& call, std::size_t parameter, std::int64_t width) {
  return call.is_none(parameter) ? 1 / std::sqrt(static_cast<double>(width)) : call.real(parameter);
}

std::int64_t shared_bytes(Ops& ops) {
  return static_cast<std::int64_t>(ops.device().properties().sharedMemPerBlockOptin);
}

}  // namespace

// query 0, key 1, value 2, dropout_p 3, is_causal 4, attn_mask 5, scale 6.
PyResult<void> run_attention(Ops& ops, OpCall& call) {
  const Operands operands{call.tensor(0), call.tensor(1), call.tensor(2), call.tensor(5)};
  AttentionWork work;
  if (!attends_to(operands) || !set_operands(work, operands)) return ops.run_on_host(call);
  work.is_causal = call.flag(4);
  work.scale = scale_of(call, 6, work.width);
  work.tiles = ops::attention_tiles(work.width, work.value_width, work.item_bytes, number_bytes(work.dtype),
                                    shared_bytes(ops), &ops::AttentionTiles::forward_bytes);
  if (work.tiles.rows == 0) return ops.run_on_host(call);
  work.out = call.output(0).data();
  work.log_sums = call.output(1).data();
  ops::launch_attention(work, ops.stream());
  return ops.launched(call.interpreter);
}

// grad_out 0, query 1, key 2, value 3, out 4, logsumexp 5, dropout_p 6, is_causal 7, attn_mask 8, scale 9.
PyResult<void> run_attention_backward(Ops& ops, OpCall& call) {
  const Operands operands{call.tensor(1), call.tensor(2), call.tensor(3), call.tensor(8), call.tensor(0)};
  ops::AttentionBackwardWork job;
  AttentionWork& work = job.of;
  if (!attends_to(operands) || !set_operands(work, operands)) return ops.run_on_host(call);
  work.is_causal = call.flag(7);
  work.scale = scale_of(call, 9, work.width);
  work.tiles = ops::attention_tiles(work.width, work.value_width, work.item_bytes, number_bytes(work.dtype),
                                    shared_bytes(ops), &ops::AttentionTiles::backward_bytes);
  if (work.tiles.rows == 0) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> out, ops.dense(call.required(4)));
  NNS_TRY_ASSIGN(const Ref<Tensor> log_sums, ops.dense(call.required(5)));
  const std::int64_t rows = work.batches.count * work.queries;
  NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> shares,
                 ops.room(call.interpreter, static_cast<std::uint64_t>(rows * number_bytes(work.dtype))));
  work.out = out->data();
  work.log_sums = log_sums->data();
  job.query_grad = call.output(0).data();
  job.key_grad = call.output(1).data();
  job.value_grad = call.output(2).data();
  job.shares = shares.get();
  ops::launch_attention_backward(job, ops.stream());
  return ops.launched(call.interpreter);
}

}  // namespace nns::cuda
