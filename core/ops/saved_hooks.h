#pragma once

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

  bool are_in_force() const { return !pairs.empty() && !refusal; }
};

class OpNode;
/// The arguments of which something is kept, in the order in which they are packed and unpacked: that of torch's names.
std::vector<std::size_t> packing_order(const OpNode& node);
/// Whether what is kept of arguments was packed.
bool has_packed_arguments(const OpNode& node);

}  // namespace nns::ops
