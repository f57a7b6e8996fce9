#include <limits>

#include "core/ops/channel_work.h"
#include "core/ops/dense_norms.h"
#include "native/cuda/ops.h"

// Normalizations over channels: arguments of the kernels from those of the call. The rules are those of
// core/ops/batch_norm.cpp and layer_norms.cpp.
namespace nns::cuda {
namespace {

using ops::ChannelShape;

bool is_double(const Tensor& tensor) { return tensor.dtype() == DType::Float64; }

ChannelShape channels_of(const tensor::Dims& shape) {
  ChannelShape made{shape[0], shape[1], 1};
  for (std::size_t i = 2; i < shape.size(); ++i) made.inner *= shape[i];
  return made;
}

PyResult<void> fill_with_zeros(OpCall& call) {
  for (const Ref<Tensor>& one : call.outputs) tensor::fill_items(*one, 0);
  return {};
}

// The sums of each channel and the factors made of them, kept until they are queued.
struct ChannelRoom {
  std::shared_ptr<std::byte> memory;
  double* sums = nullptr;
  double* factors = nullptr;
  std::uint32_t parts = 1;

  static PyResult<ChannelRoom> of(Ops& ops, OpCall& call, const ChannelShape& shape) {
    ChannelRoom made;
    made.parts = ops::channel_blocks(shape).parts;
    const auto numbers = static_cast<std::uint64_t>(2 * shape.channels) * (made.parts + 1);
    NNS_TRY_ASSIGN(made.memory, ops.room(call.interpreter, numbers * sizeof(double)));
    made.factors = reinterpret_cast<double*>(made.memory.get());
    made.sums = made.factors + 2 * shape.channels;
    return made;
  }
};

ops::RunningStatistic running(const Tensor* tensor) {
  if (tensor == nullptr) return {};
  return {numbers(*tensor), tensor->strides()[0] * tensor::item_bytes(tensor->dtype())};
}

}  // namespace

// input 0, weight 1, bias 2, running_mean 3, running_var 4, training 5, momentum 6, eps 7.
PyResult<void> run_batch_norm(Ops& ops, OpCall& call) {
  if (call.required(0).numel() == 0) return fill_with_zeros(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> weight, ops.dense_or_none(call.tensor(1)));
  NNS_TRY_ASSIGN(const Ref<Tensor> bias, ops.dense_or_none(call.tensor(2)));
  const ChannelShape shape = channels_of(in->shape());
  NNS_TRY_ASSIGN(const ChannelRoom room, ChannelRoom::of(ops, call, shape));
  ops::BatchNormWork work;
  work.shape = shape;
  work.in = numbers(in);
  work.weight = numbers(weight);
  work.bias = numbers(bias);
  work.out = numbers(call.output(0));
  work.mean = numbers(call.output(1));
  work.invstd = numbers(call.output(2));
  work.running_mean = running(call.tensor(3));
  work.running_var = running(call.tensor(4));
  work.is_training = call.flag(5);
  work.momentum = call.real(6);
  work.eps = call.real(7);
  work.sums = room.sums;
  work.parts = room.parts;
  work.factors = room.factors;
  work.in_double = is_double(*in);
  if (work.is_training) {
    ops::launch_channel_sums({shape, numbers(in), {}, {}, {}, 0, room.sums, room.parts, is_double(*in)}, ops.stream());
  }
  ops::launch_batch_norm(work, ops.stream());
  return ops.launched(call.interpreter);
}

// grad 0, input 1, weight 2, running_mean 3, running_var 4, save_mean 5, save_invstd 6, training 7, eps 8.
PyResult<void> run_batch_norm_backward(Ops& ops, OpCall& call) {
  if (call.required(1).numel() == 0) return fill_with_zeros(call);
  const bool is_training = call.flag(7);
  NNS_TRY_ASSIGN(const Ref<Tensor> grad, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(call.required(1)));
  NNS_TRY_ASSIGN(const Ref<Tensor> weight, ops.dense_or_none(call.tensor(2)));
  NNS_TRY_ASSIGN(const Ref<Tensor> mean, ops.dense(call.required(is_training ? 5 : 3)));
  NNS_TRY_ASSIGN(Ref<Tensor> invstd, ops.dense(call.required(is_training ? 6 : 4)));
  const ChannelShape shape = channels_of(in->shape());
  const bool in_double = is_double(*in);
  if (!is_training) {
    NNS_TRY_ASSIGN(const Ref<Tensor> made,
                   tensor::try_empty(call.interpreter, {shape.channels}, in_double ? DType::Float64 : DType::Float32,
                                     tensor::Device::Cuda));
    ops::launch_channel_invstd(numbers(invstd), numbers(made), shape.channels, call.real(8), in_double, ops.stream());
    invstd = made;
  }
  NNS_TRY_ASSIGN(const ChannelRoom room, ChannelRoom::of(ops, call, shape));
  ops::launch_channel_sums(
      {shape, numbers(in), numbers(grad), numbers(mean), numbers(invstd), 0, room.sums, room.parts, in_double},
      ops.stream());
  ops::BatchNormBackwardWork work;
  work.shape = shape;
  work.grad = numbers(grad);
  work.in = numbers(in);
  work.weight = numbers(weight);
  work.mean = numbers(mean);
  work.invstd = numbers(invstd);
  work.in_grad = numbers(call.output(0));
  work.weight_grad = numbers(call.output(1));
  work.bias_grad = numbers(call.output(2));
  work.is_training = is_training;
  work.sums = room.sums;
  work.parts = room.parts;
  work.factors = room.factors;
  work.in_double = in_double;
  ops::launch_batch_norm_backward(work, ops.stream());
  return ops.launched(call.interpreter);
}

namespace {

ops::RowNormWork row_norm_of(const Tensor& in, std::int64_t rows, std::int64_t groups, std::int64_t channels,
                             std::int64_t inner) {
  ops::RowNormWork work;
  work.rows = rows;
  work.groups = groups;
  work.channels = channels;
  work.inner = inner;
  work.in = numbers(in);
  work.in_double = is_double(in);
  return work;
}

// The gradients of input, weight and bias of rows that were normalized each by itself; RMS norm has no mean.
PyResult<void> run_row_gradients(Ops& ops, OpCall& call, ops::RowNormWork work, const Ref<Tensor>& grad,
                                 std::int64_t channels) {
  work.out = numbers(call.output(0));
  ops::launch_row_norm_backward(work, numbers(grad), ops.stream());
  const ChannelShape shape{work.rows / work.groups, channels, work.inner};
  NNS_TRY_ASSIGN(const ChannelRoom room, ChannelRoom::of(ops, call, shape));
  ops::launch_channel_sums(
      {shape, work.in, numbers(grad), work.mean, work.rstd, work.groups, room.sums, room.parts, work.in_double},
      ops.stream());
  const ops::DeviceNumbers bias_grad = call.outputs.size() > 2 ? numbers(call.output(2)) : ops::DeviceNumbers();
  ops::launch_channel_gradients(room.sums, room.parts, channels, numbers(call.output(1)), bias_grad, ops.stream());
  return ops.launched(call.interpreter);
}

}  // namespace

// input 0, weight 1, bias 2, N 3, C 4, HxW 5, group 6, eps 7; outputs: normalized, mean, rstd.
PyResult<void> run_group_norm(Ops& ops, OpCall& call) {
  if (call.required(0).numel() == 0) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> weight, ops.dense_or_none(call.tensor(1)));
  NNS_TRY_ASSIGN(const Ref<Tensor> bias, ops.dense_or_none(call.tensor(2)));
  const std::int64_t groups = call.integer(6);
  ops::RowNormWork work = row_norm_of(*in, call.integer(3) * groups, groups, call.integer(4) / groups, call.integer(5));
  work.weight = numbers(weight);
  work.bias = numbers(bias);
  work.out = numbers(call.output(0));
  work.mean = numbers(call.output(1));
  work.rstd = numbers(call.output(2));
  work.eps = call.real(7);
  ops::launch_row_norm(work, ops.stream());
  return ops.launched(call.interpreter);
}

// grad 0, input 1, mean 2, rstd 3, weight 4, N 5, C 6, HxW 7, group 8.
PyResult<void> run_group_norm_backward(Ops& ops, OpCall& call) {
  if (call.required(1).numel() == 0) return fill_with_zeros(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> grad, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(call.required(1)));
  NNS_TRY_ASSIGN(const Ref<Tensor> mean, ops.dense(call.required(2)));
  NNS_TRY_ASSIGN(const Ref<Tensor> rstd, ops.dense(call.required(3)));
  NNS_TRY_ASSIGN(const Ref<Tensor> weight, ops.dense_or_none(call.tensor(4)));
  const std::int64_t groups = call.integer(8), channels = call.integer(6);
  ops::RowNormWork work = row_norm_of(*in, call.integer(5) * groups, groups, channels / groups, call.integer(7));
  work.weight = numbers(weight);
  work.mean = numbers(mean);
  work.rstd = numbers(rstd);
  return run_row_gradients(ops, call, work, grad, channels);
}

// input 0, normalized_shape 1, weight 2, eps 3; outputs: normalized, scale.
PyResult<void> run_rms_norm(Ops& ops, OpCall& call) {
  if (call.required(0).numel() == 0) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> weight, ops.dense_or_none(call.tensor(2)));
  const double least = is_double(*in) ? std::numeric_limits<double>::epsilon()
                                      : static_cast<double>(std::numeric_limits<float>::epsilon());
  ops::RowNormWork work = row_norm_of(*in, call.output(1).numel(), 1, tensor::element_count(call.dims(1)), 1);
  work.weight = numbers(weight);
  work.out = numbers(call.output(0));
  work.rstd = numbers(call.output(1));
  work.eps = call.is_none(3) ? least : call.real(3);
  ops::launch_row_norm(work, ops.stream());
  return ops.launched(call.interpreter);
}

// grad 0, input 1, normalized_shape 2, scale 3, weight 4; outputs: gradients of input and weight.
PyResult<void> run_rms_norm_backward(Ops& ops, OpCall& call) {
  if (call.required(1).numel() == 0) return fill_with_zeros(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> grad, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(call.required(1)));
  NNS_TRY_ASSIGN(const Ref<Tensor> rstd, ops.dense(call.required(3)));
  NNS_TRY_ASSIGN(const Ref<Tensor> weight, ops.dense_or_none(call.tensor(4)));
  const std::int64_t length = tensor::element_count(call.dims(2));
  ops::LayerNormBackwardWork dense;
  dense.rows = rstd->numel();
  dense.length = length;
  dense.grad = numbers(grad);
  dense.in = numbers(in);
  dense.rstd = numbers(rstd);
  dense.weight = numbers(weight);
  dense.in_grad = numbers(call.output(0));
  dense.weight_grad = numbers(call.output(1));
  if (ops::takes_dense_norm(dense)) {
    NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> parts, room_for_parts(ops, call, dense));
    ops::launch_layer_norm_backward(dense, ops.stream());
    return ops.launched(call.interpreter);
  }
  ops::RowNormWork work = row_norm_of(*in, rstd->numel(), 1, length, 1);
  work.weight = numbers(weight);
  work.rstd = numbers(rstd);
  return run_row_gradients(ops, call, work, grad, length);
}

}  // namespace nns::cuda
