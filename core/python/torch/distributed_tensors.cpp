// What DTensor and fully_shard need of C++; the rest of them is written in Python.
// Behaviour: torch/csrc/autograd/python_variable.cpp (DTensor), python_engine.cpp (queue_callback).
#include <cstring>

#include "core/object/operations.h"
#include "core/ops/final_callbacks.h"
#include "core/ops/python_function.h"
#include "core/python/torch/distributed.h"
#include "core/tensor/distributed.h"

namespace nns::python {
namespace {

using Args = DistributedArgs;
using tensor::Tensor;

PyResult<Tensor*> tensor_argument(Interpreter& in, const Value& value) {
  auto* const tensor = value.as<Tensor>();
  if (tensor == nullptr) return object::type_error(in, "expected torch.Tensor, not {}", in.type_of(value).name());
  return tensor;
}

// _split_gathered(gathered, count, targets, lengths): `gathered` holds one row for each of `count` ranks, and in each
// row `lengths[i]` items for targets[i]; those of all ranks go there one behind the other. It is not counted as a
// write: autograd sees the values that it saw before they were freed.
PyResult<Value> split_gathered(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Tensor* const gathered, tensor_argument(in, a[0]));
  NNS_TRY_ASSIGN(const std::int64_t count, object::index(in, a[1]));
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> targets, tensor_list(in, a[2]));
  std::vector<std::int64_t> lengths;
  NNS_TRY(object::for_each(in, a[3], [&](const Value& one) -> PyResult<void> {
    NNS_TRY_ASSIGN(const std::int64_t length, object::index(in, one));
    lengths.push_back(length);
    return {};
  }));
  std::int64_t row = 0;
  bool fits = count > 0 && lengths.size() == targets.size() && gathered->is_contiguous();
  for (std::size_t i = 0; fits && i < targets.size(); ++i) {
    const Tensor& target = *targets[i];
    // The sizes first: a product of what a program gave could overflow.
    fits = lengths[i] >= 0 && lengths[i] <= target.numel() / count && target.is_contiguous() &&
           target.dtype() == gathered->dtype() && tensor::is_cpu(target.device());
    row += fits ? lengths[i] : 0;
  }
  if (!fits || !tensor::is_cpu(gathered->device()) || row != gathered->numel() / count ||
      gathered->numel() % count != 0) {
    return object::value_error(in, "what was gathered does not fit to the parameters");
  }
  const std::uint64_t width = tensor::item_bytes(gathered->dtype());
  const std::byte* from = gathered->data();
  for (std::int64_t rank = 0; rank < count; ++rank) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const std::size_t bytes = static_cast<std::size_t>(lengths[i]) * static_cast<std::size_t>(width);
      if (bytes == 0) continue;
      std::memcpy(targets[i]->data() + static_cast<std::size_t>(rank) * bytes, from, bytes);
      from += bytes;
    }
  }
  return Value();
}

}  // namespace

void add_distributed_tensors(Interpreter& interpreter) {
  add_distributed_function(interpreter, "_expect_distributed_tensors()", [](Interpreter& in, Args) -> PyResult<Value> {
    tensor::expect_distributed(in);
    return Value();
  });
  // Whether the ranks take turns on one thread: then one call that C++ makes may wait for the others only once.
  // Who makes such ranks has said it before torch was imported.
  object::Dict& module = ops::python_module(interpreter, "torch._C._distributed_c10d");
  if (!module.contains(interpreter.intern("_takes_turns")))
    module.set(interpreter.intern("_takes_turns"), Value(false));
  // The part of a DTensor that is here, as a plain tensor without a history; writes are counted for both.
  add_distributed_function(interpreter, "_part_here(tensor)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Tensor* const self, tensor_argument(in, a[0]));
    return Value(tensor::detach(*self));
  });
  add_distributed_function(interpreter, "_split_gathered(gathered, count, targets, lengths)", split_gathered);
  add_distributed_function(interpreter, "_is_in_backward()", [](Interpreter& in, Args) -> PyResult<Value> {
    return Value(ops::FinalCallbacks::of(in).is_running());
  });
  // Calls `callback` when the backward that runs now has ended well.
  add_distributed_function(interpreter, "_queue_callback(callback)", [](Interpreter& in, Args a) -> PyResult<Value> {
    ops::FinalCallbacks& callbacks = ops::FinalCallbacks::of(in);
    if (!callbacks.is_running()) {
      return object::runtime_error(in, "Final callbacks can only be installed during backward pass.");
    }
    callbacks.queue([&in, callback = a[0]]() -> PyResult<void> {
      NNS_TRY(in.call(callback, {}));
      return {};
    });
    return Value();
  });
}

}  // namespace nns::python
