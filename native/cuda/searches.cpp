#include <algorithm>
#include <cmath>

#include "core/object/str.h"
#include "core/ops/place_work.h"
#include "native/cuda/ops.h"

// Numbers among sorted ones, and how many fall between bounds: arguments of the kernels from those of the call. The
// rules are those of core/ops/searching.cpp.
namespace nns::cuda {

// sorted_sequence 0, input 1, out_int32 2, right 3, side 4, sorter 5.
PyResult<void> run_search(Ops& ops, OpCall& call) {
  const Tensor& sequence = call.required(0);
  const Tensor* const given = call.tensor(1);
  const ops::Number number = given == nullptr ? ops::Number::of(call.args[1]) : ops::Number();
  NNS_TRY_ASSIGN(const Ref<Tensor> bounds, ops.dense(sequence));
  NNS_TRY_ASSIGN(const Ref<Tensor> inputs, ops.dense_or_none(given));
  NNS_TRY_ASSIGN(const Ref<Tensor> order, ops.dense_or_none(call.tensor(5)));
  ops::SearchWork work;
  work.bounds = numbers(bounds);
  work.length = sequence.shape()[sequence.ndim() - 1];
  work.has_one_line = sequence.ndim() == 1;
  work.line = given == nullptr || given->ndim() == 0 ? 1 : std::max<std::int64_t>(given->shape()[given->ndim() - 1], 1);
  if (order) work.order = reinterpret_cast<const std::int64_t*>(order->data());
  work.count = call.output().numel();
  work.inputs = numbers(inputs);
  work.is_whole = tensor::is_integral(sequence.dtype()) &&
                  (given == nullptr ? number.is_integral() : tensor::is_integral(given->dtype()));
  if (given == nullptr) {
    if (work.is_whole) work.integer = number.as_int64();
    work.real = number.as_double();
  }
  work.right = call.is_none(4) ? call.flag(3) : call.args[4].as<object::Str>()->view() == "right";
  work.out = numbers(call.output());
  work.complaint = ops.device().complaint();
  ops::launch_search(work, ops.stream());
  return ops.launched(call.interpreter);
}

// input 0, bins 1, min 2, max 3.
PyResult<void> run_histogram(Ops& ops, OpCall& call) {
  const Tensor& self = call.required(0);
  object::Interpreter& in = call.interpreter;
  ops::HistogramWork work;
  work.bins = call.integer(1);
  work.count = self.numel();
  work.low = call.real(2);
  work.high = call.real(3);
  // Without bounds those of the items; all equal, one around them.
  if (work.low == work.high && work.count > 0) {
    const ops::GradModeGuard no_grad(in, false);
    const auto extreme = [&](OpId id) -> PyResult<double> {
      NNS_TRY_ASSIGN(const Ref<Tensor> one, ops::call_tensor_op(in, id, std::array{call.args[0]}));
      return tensor::read_double(*one, one->offset());
    };
    NNS_TRY_ASSIGN(work.low, extreme(OpId::min));
    NNS_TRY_ASSIGN(work.high, extreme(OpId::max));
    ops.begin(call.op.name.c_str());
  }
  if (work.low == work.high) {
    work.low -= 1;
    work.high += 1;
  }
  if (!std::isfinite(work.low) || !std::isfinite(work.high)) {
    return object::runtime_error(in, "histogram: range of [{}, {}] is not finite", work.low, work.high);
  }
  if (!(work.low < work.high)) return object::runtime_error(in, "max must be larger than min");
  NNS_TRY_ASSIGN(const Ref<Tensor> counts,
                 tensor::try_empty(in, tensor::Dims({work.bins}), DType::Int64, tensor::Device::Cuda));
  tensor::fill_items(*counts, 0);
  NNS_TRY_ASSIGN(const Ref<Tensor> items, ops.dense(self));
  work.in = numbers(items);
  work.counts = reinterpret_cast<unsigned long long*>(counts->data());
  ops::launch_histogram(work, ops.stream());
  NNS_TRY(ops.launched(in));
  return tensor::copy_items(call.output(), *counts);
}

}  // namespace nns::cuda
