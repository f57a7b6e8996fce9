#include "core/ops/term.h"
#include "native/cuda/sortings.h"

// Bodies of the ops of layers and losses: arguments of the kernels from those of the call.
namespace nns::cuda {
namespace {

bool in_double(const Tensor& tensor) { return tensor.dtype() == DType::Float64; }

}  // namespace

PyResult<void> run_softmax(Ops& ops, OpCall& call) {
  const Tensor& in = call.required(0);
  const Tensor& out = call.output();
  if (in.numel() == 0) return {};
  const bool is_item = in.ndim() == 0;
  const std::size_t dim = call.dimension(call.integer(1), in.ndim()).value();
  const std::int64_t in_bytes = tensor::item_bytes(in.dtype()), out_bytes = tensor::item_bytes(out.dtype());
  ops::SoftmaxWork work;
  bool fits = true;
  for (std::size_t i = in.ndim(); i-- > 0;) {
    const std::int64_t strides[2] = {in.strides()[i] * in_bytes, out.strides()[i] * out_bytes};
    if (i != dim) fits = fits && work.lines.add(in.shape()[i], strides);
  }
  if (!fits) {
    return object::error<object::ErrorKind::NotImplementedError>(
        call.interpreter, "{} on cuda:0 of tensors with more than {} dimensions that cannot be joined", call.op.name,
        decltype(work.lines)::kMostDims);
  }
  work.length = is_item ? 1 : in.shape()[dim];
  work.in_stride = is_item ? in_bytes : in.strides()[dim] * in_bytes;
  work.out_stride = is_item ? out_bytes : out.strides()[dim] * out_bytes;
  work.in = numbers(in);
  work.out = numbers(out);
  work.is_log = call.op.id == OpId::log_softmax_same;
  work.in_double = in_double(in);
  ops::launch_softmax(work, ops.stream());
  return ops.launched(call.interpreter);
}

// input 0, normalized_shape 1, weight 2, bias 3, eps 4; outputs: normalized, mean, rstd.
PyResult<void> run_layer_norm(Ops& ops, OpCall& call) {
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> weight, ops.dense_or_none(call.tensor(2)));
  NNS_TRY_ASSIGN(const Ref<Tensor> bias, ops.dense_or_none(call.tensor(3)));
  ops::LayerNormWork work;
  work.length = tensor::element_count(call.dims(1));
  work.rows = call.output(1).numel();
  if (work.length == 0) work.rows = 0;
  work.in = numbers(in);
  work.weight = numbers(weight);
  work.bias = numbers(bias);
  work.out = numbers(call.output(0));
  work.mean = numbers(call.output(1));
  work.rstd = numbers(call.output(2));
  work.eps = call.real(4);
  work.in_double = in_double(*in);
  ops::launch_layer_norm(work, ops.stream());
  return ops.launched(call.interpreter);
}

PyResult<std::shared_ptr<std::byte>> room_for_parts(Ops& ops, OpCall& call, ops::LayerNormBackwardWork& work) {
  work.part_count = ops::layer_norm_parts(work.rows, work.length, ops.device().properties().multiProcessorCount);
  const auto numbers = 2 * static_cast<std::uint64_t>(work.part_count) * static_cast<std::uint64_t>(work.length);
  NNS_TRY_ASSIGN(std::shared_ptr<std::byte> room, ops.room(call.interpreter, numbers * sizeof(double)));
  work.parts = reinterpret_cast<double*>(room.get());
  return room;
}

// grad_out 0, input 1, normalized_shape 2, mean 3, rstd 4, weight 5.
PyResult<void> run_layer_norm_backward(Ops& ops, OpCall& call) {
  NNS_TRY_ASSIGN(const Ref<Tensor> grad, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(call.required(1)));
  NNS_TRY_ASSIGN(const Ref<Tensor> mean, ops.dense(call.required(3)));
  NNS_TRY_ASSIGN(const Ref<Tensor> rstd, ops.dense(call.required(4)));
  NNS_TRY_ASSIGN(const Ref<Tensor> weight, ops.dense_or_none(call.tensor(5)));
  ops::LayerNormBackwardWork work;
  work.length = tensor::element_count(call.dims(2));
  work.rows = mean->numel();
  if (work.length == 0) return {};
  work.grad = numbers(grad);
  work.in = numbers(in);
  work.mean = numbers(mean);
  work.rstd = numbers(rstd);
  work.weight = numbers(weight);
  work.in_grad = numbers(call.output(0));
  work.weight_grad = numbers(call.output(1));
  work.bias_grad = numbers(call.output(2));
  work.in_double = in_double(*in);
  NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> parts, room_for_parts(ops, call, work));
  ops::launch_layer_norm_backward(work, ops.stream());
  return ops.launched(call.interpreter);
}

// weight 0, indices 1.
PyResult<void> run_embedding(Ops& ops, OpCall& call) {
  if (call.output().numel() == 0) return {};
  NNS_TRY_ASSIGN(const Ref<Tensor> table, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> indices, ops.dense(call.required(1)));
  ops::EmbeddingWork work;
  work.table = table->data();
  work.indices = indices->data();
  work.index_dtype = indices->dtype();
  work.out = call.output().data();
  work.count = indices->numel();
  work.table_rows = table->shape()[0];
  work.row_bytes = table->shape()[1] * tensor::item_bytes(table->dtype());
  work.complaint = ops.device().complaint();
  ops::launch_embedding(work, ops.stream());
  return ops.launched(call.interpreter);
}

// grad 0, indices 1, num_weights 2, padding_idx 3, scale_grad_by_freq 4.
PyResult<void> run_embedding_backward(Ops& ops, OpCall& call) {
  const Tensor& out = call.output();
  if (out.numel() == 0) return {};
  NNS_TRY_ASSIGN(const Ref<Tensor> grad, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> indices, ops.dense(call.required(1)));
  ops::EmbeddingBackwardWork work;
  work.grad = numbers(grad);
  work.sums = numbers(out);
  work.count = indices->numel();
  work.table_rows = out.shape()[0];
  work.width = out.shape()[1];
  work.padding = call.integer(3);
  if (work.count >= ops::kLongestSortedLine) return ops.run_on_host(call);
  ops::SortWork sorting;
  sorting.lines.keys = work.keys = ops::SortKeys::of(indices->dtype(), false);
  sorting.lines.length = sorting.count = work.count;
  sorting.lines.item_bytes = static_cast<std::int32_t>(tensor::item_bytes(indices->dtype()));
  sorting.lines.in_stride = sorting.lines.item_bytes;
  sorting.lines.in = indices->data();
  sorting.lines.line_count = 1;
  NNS_TRY_ASSIGN(const Sorted sorted, sort(ops, call.interpreter, sorting, true));
  work.sorted = sorted.pairs;
  work.by_frequency = call.flag(4);
  work.in_double = in_double(*grad);
  ops::launch_embedding_backward(work, ops.stream());
  return ops.launched(call.interpreter);
}

// weight 0, indices 1, offsets 2, scale_grad_by_freq 3, mode 4, sparse 5, per_sample_weights 6, include_last_offset 7,
// padding_idx 8.
PyResult<void> run_embedding_bag(Ops& ops, OpCall& call) {
  if (!has_floats(call.required(0))) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> table, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> indices, ops.dense(call.required(1)));
  NNS_TRY_ASSIGN(const Ref<Tensor> offsets, ops.dense(call.required(2)));
  NNS_TRY_ASSIGN(const Ref<Tensor> scale, ops.dense_or_none(call.tensor(6)));
  const auto longs = [&](std::size_t i) { return reinterpret_cast<std::int64_t*>(call.output(i).data()); };
  ops::EmbeddingBagWork work;
  work.mode = static_cast<ops::EmbeddingBagWork::Mode>(call.integer(4));
  work.table = numbers(table);
  work.scale = numbers(scale);
  work.out = numbers(call.output(0));
  work.indices = indices->data();
  work.index_dtype = indices->dtype();
  work.offsets = offsets->data();
  work.offset_dtype = offsets->dtype();
  work.count = indices->numel();
  work.offset_count = offsets->numel();
  work.bags = call.output(0).shape()[0];
  work.table_rows = table->shape()[0];
  work.width = table->shape()[1];
  work.padding = call.is_none(8) ? -1 : call.integer(8);
  work.bag_of = longs(1);
  work.sizes = longs(2);
  work.rows = longs(3);
  work.complaint = ops.device().complaint();
  work.in_double = in_double(*table);
  // Without a column nobody counts.
  if (work.bags * work.width == 0) {
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
      if (call.output(i).numel() > 0) tensor::fill_items(call.output(i), 0);
    }
  }
  ops::launch_embedding_bag(work, ops.stream());
  return ops.launched(call.interpreter);
}

namespace {

// What the kernels of losses read, kept until they are queued.
struct LossTensors {
  Ref<Tensor> in, target, weight;
  ops::ClassLossWork work;
};

// The arguments of the input, the target, the weight, the reduction and the ignored class; of the smoothing or none.
PyResult<LossTensors> loss_tensors(Ops& ops, OpCall& call, std::size_t input, std::size_t target, int smoothing) {
  LossTensors made;
  NNS_TRY_ASSIGN(made.in, ops.dense(call.required(input)));
  NNS_TRY_ASSIGN(made.target, ops.dense(call.required(target)));
  NNS_TRY_ASSIGN(made.weight, ops.dense_or_none(call.tensor(target + 1)));
  const tensor::Dims& shape = made.in->shape();
  ops::ClassLossWork& work = made.work;
  work.batch = shape.size() == 1 ? 1 : shape[0];
  work.classes = shape.size() == 1 ? shape[0] : shape[1];
  for (std::size_t i = 2; i < shape.size(); ++i) work.inner *= shape[i];
  work.in = numbers(made.in);
  work.weight = numbers(made.weight);
  work.targets = made.target->data();
  work.target_dtype = made.target->dtype();
  work.reduction = static_cast<int>(call.integer(target + 2));
  work.ignored = call.integer(target + 3);
  work.smoothing = smoothing < 0 ? 0 : call.real(static_cast<std::size_t>(smoothing));
  work.complaint = ops.device().complaint();
  work.in_double = in_double(*made.in);
  return made;
}

PyResult<std::shared_ptr<std::byte>> loss_room(Ops& ops, OpCall& call, ops::ClassLossWork& work) {
  const auto numbers = static_cast<std::uint64_t>(std::max<std::int64_t>(work.samples(), 1)) * 2;
  NNS_TRY_ASSIGN(std::shared_ptr<std::byte> room, ops.room(call.interpreter, numbers * sizeof(double)));
  work.each = reinterpret_cast<double*>(room.get());
  return room;
}

}  // namespace

// input 0, target 1, weight 2, reduction 3, ignore_index 4; of cross_entropy label_smoothing 5.
PyResult<void> run_class_loss(Ops& ops, OpCall& call) {
  const bool has_softmax = call.op.id == OpId::cross_entropy_fused;
  NNS_TRY_ASSIGN(LossTensors tensors, loss_tensors(ops, call, 0, 1, has_softmax ? 5 : -1));
  ops::ClassLossWork& work = tensors.work;
  work.has_softmax = has_softmax;
  work.loss = numbers(call.output(0));
  work.total = numbers(call.output(1));
  if (has_softmax) work.log_sums = numbers(call.output(2));
  NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> room, loss_room(ops, call, work));
  ops::launch_class_loss(work, ops.stream());
  return ops.launched(call.interpreter);
}

// input 0, target 1, weight 2, reduction 3, ignore_index 4, label_smoothing 5.
PyResult<void> run_class_loss_shares(Ops& ops, OpCall& call) {
  NNS_TRY_ASSIGN(LossTensors tensors, loss_tensors(ops, call, 0, 1, 5));
  NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> room, loss_room(ops, call, tensors.work));
  ops::launch_class_loss_backward({tensors.work, {}, numbers(call.output())}, ops.stream());
  return ops.launched(call.interpreter);
}

// grad 0, input 1, log_sums 2, target 3, weight 4, reduction 5, ignore_index 6, label_smoothing 7.
PyResult<void> run_cross_entropy_backward(Ops& ops, OpCall& call) {
  NNS_TRY_ASSIGN(LossTensors tensors, loss_tensors(ops, call, 1, 3, 7));
  NNS_TRY_ASSIGN(const Ref<Tensor> grad, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> log_sums, ops.dense(call.required(2)));
  tensors.work.has_softmax = true;
  tensors.work.log_sums = numbers(log_sums);
  NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> room, loss_room(ops, call, tensors.work));
  ops::launch_class_loss_backward({tensors.work, numbers(grad), numbers(call.output())}, ops.stream());
  return ops.launched(call.interpreter);
}

// input 0, target 1, reduction 2.
PyResult<void> run_mse_loss(Ops&, OpCall& call) {
  ops::GradModeGuard no_grad(call.interpreter, false);
  const ops::Term difference =
      ops::as_dtype(ops::Term(Ref<Tensor>(call.tensor(0))), call.common) - ops::Term(Ref<Tensor>(call.tensor(1)));
  ops::Term loss = ops::square(difference);
  constexpr std::int64_t kMean = 1, kSum = 2;
  if (call.integer(2) == kMean) loss = ops::apply(OpId::mean, {loss});
  if (call.integer(2) == kSum) loss = ops::apply(OpId::sum, {loss});
  if (!loss.ok()) return loss.result().error();
  return tensor::copy_items(call.output(), loss.tensor());
}

}  // namespace nns::cuda
