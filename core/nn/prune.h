#pragma once

#include "core/nn/utility.h"

namespace nns::nn {

// The classes of torch.nn.utils.prune, between their files. Behaviour: torch/nn/utils/prune.py.

inline constexpr std::string_view kPruneModule = "torch.nn.utils.prune";
/// The attribute of a method that holds the name of the tensor it prunes.
inline constexpr std::string_view kPrunedName = "_tensor_name";

/// A class of the module, made at the first question.
inline Value prune_class(Interpreter& interpreter, std::string_view name) {
  return utility(interpreter, kPruneModule, name);
}
/// A new class derived from BasePruningMethod. `type`: its PRUNING_TYPE, or empty.
Class& define_pruning_class(Interpreter& interpreter, std::string_view name, std::string_view type);
/// cls.apply(module, name, *positional, importance_scores=scores): prunes the tensor and returns the method.
PyResult<Value> apply_pruning(Interpreter& interpreter, const Value& cls, const Value& module, const Value& name,
                              std::span<const Value> positional, const Value& scores,
                              std::span<const Keyword> keywords = {});
/// method.compute_mask(t, default_mask=default_mask)
PyResult<Value> compute_pruning_mask(Interpreter& interpreter, const Value& method, const Value& t,
                                     const Value& default_mask);

}  // namespace nns::nn
