#include "core/ops/tensor_lists.h"

#include <algorithm>

#include "core/tensor/distributed.h"

namespace nns::ops {

TensorLists* TensorLists::of(Interpreter& interpreter, std::span<const Ref<Tensor>> tensors) {
  auto* const lists = dynamic_cast<TensorLists*>(OpLibrary::of(interpreter).cuda.get());
  if (lists == nullptr || tensors.empty()) return nullptr;
  const bool all_fit = std::all_of(tensors.begin(), tensors.end(), [](const Ref<Tensor>& one) {
    return one->is_cuda() && one->is_contiguous() && !tensor::is_distributed(*one) &&
           tensor::is_floating(one->dtype()) && tensor::item_bytes(one->dtype()) > 1;
  });
  return all_fit ? lists : nullptr;
}

}  // namespace nns::ops
