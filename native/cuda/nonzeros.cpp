#include <algorithm>

#include "core/ops/indexing_work.h"
#include "native/cuda/ops.h"

// The places of items that are not 0: how many there are is read once, then there is room for them. The rule is that of
// core/ops/index.cpp.
namespace nns::cuda {

// input 0.
PyResult<void> run_nonzero(Ops& ops, OpCall& call) {
  constexpr std::int64_t kThreads = 256, kLeastPart = 4096, kMostParts = 1024;
  const Tensor& in = call.required(0);
  object::Interpreter& interpreter = call.interpreter;
  const std::int64_t bytes = tensor::item_bytes(in.dtype());
  ops::NonzeroWork work;
  if (in.ndim() > static_cast<std::size_t>(decltype(work.plan)::kMostDims)) return ops.run_on_host(call);
  for (std::size_t i = in.ndim(); i-- > 0;) {
    const std::int64_t strides[1] = {in.strides()[i] * bytes};
    if (!work.plan.add(in.shape()[i], strides)) return ops.run_on_host(call);
    work.sizes[i] = in.shape()[i];
  }
  if (in.numel() == 0) return {};
  work.in = in.data();
  work.item_bytes = static_cast<std::int32_t>(bytes);
  work.bits = ~std::uint64_t{0} >> (tensor::is_floating(in.dtype()) ? 65 - 8 * bytes : 64 - 8 * bytes);
  work.dims = static_cast<std::int32_t>(in.ndim());
  const std::int64_t parts = std::clamp<std::int64_t>((work.plan.count + kLeastPart - 1) / kLeastPart, 1, kMostParts);
  work.part_items = ((work.plan.count + parts - 1) / parts + kThreads - 1) / kThreads * kThreads;
  work.parts = (work.plan.count + work.part_items - 1) / work.part_items;
  NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> memory,
                 ops.room(interpreter, static_cast<std::uint64_t>(8 * (work.parts + 1))));
  work.counts = reinterpret_cast<std::int64_t*>(memory.get());
  ops::launch_nonzero_counts(work, ops.stream());
  NNS_TRY(ops.launched(interpreter));
  std::int64_t count = 0;
  NNS_TRY(ops.raised(interpreter, ops.device().download(reinterpret_cast<std::byte*>(&count),
                                                        memory.get() + 8 * work.parts, sizeof(count))));
  NNS_TRY_ASSIGN(call.outputs[0],
                 tensor::try_empty(interpreter, tensor::Dims({count, static_cast<std::int64_t>(in.ndim())}),
                                   DType::Int64, tensor::Device::Cuda));
  if (count == 0 || in.ndim() == 0) return {};
  work.out = reinterpret_cast<std::int64_t*>(call.output().data());
  ops::launch_nonzero(work, ops.stream());
  return ops.launched(interpreter);
}

}  // namespace nns::cuda
