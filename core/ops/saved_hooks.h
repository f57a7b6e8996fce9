#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/object/interpreter.h"

namespace nns::ops {

/// What torch.autograd.graph.saved_tensors_hooks put in force. A tensor that is kept for backward goes through `pack`
/// of the innermost pair, and what that gives is kept in its place; `unpack` makes a tensor of it when it is asked for.
/// Behaviour: aten/src/ATen/SavedTensorHooks.cpp.
struct SavedTensorHooks {
  static SavedTensorHooks& of(object::Interpreter& interpreter);

  struct Pair {
    object::Value pack, unpack;
  };
  /// The innermost last.
  std::vector<Pair> pairs;
  /// While hooks may not be used: what an attempt raises.
  std::optional<std::string> refusal;
  /// Called with a tensor that is about to be written in place; Absent: nobody asks.
  object::Value before_write = object::Value::absent();

  /// Tells before_write of the tensor. Errors: what it raises.
  static object::PyResult<void> tell_write(object::Interpreter& interpreter, object::Value tensor) {
    SavedTensorHooks& hooks = of(interpreter);
    if (hooks.before_write.is_absent()) [[likely]]
      return {};
    const object::Value told = hooks.before_write;
    NNS_TRY(interpreter.call(told, {std::move(tensor)}));
    return {};
  }

  bool are_in_force() const { return !pairs.empty() && !refusal; }
};

class Node;
class OpNode;
class SavedTensor;
/// What Python sees of something kept, before any hook: torch._C._autograd.SavedTensor. `find`: where it is, or null
/// once it was released.
object::Value saved_object(object::Interpreter& interpreter, object::Ref<Node> node,
                           std::function<SavedTensor*()> find);
object::Class& saved_object_class(object::Interpreter& interpreter);
/// The arguments of which something is kept, in the order in which they are packed and unpacked: that of torch's names.
std::vector<std::size_t> packing_order(const OpNode& node);
/// Whether what is kept of arguments was packed.
bool has_packed_arguments(const OpNode& node);

}  // namespace nns::ops
