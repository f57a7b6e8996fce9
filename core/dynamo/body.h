#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/dynamo/graph.h"
#include "core/dynamo/report.h"
#include "core/dynamo/variable.h"

namespace nns::dynamo {

/// What a body takes: a node of the graph around it, and what stands for that inside.
struct BodyInput {
  const Node* outside;
  Node* inside;
};
/// A function while it is traced into a graph of its own.
struct Body {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  /// What it takes of the graph around it, in the order in which it first used that.
  std::vector<BodyInput> inputs = {};
  std::unordered_map<const Node*, Node*> placeholders = {};
  std::uint32_t scope = 0;
  /// Why it cannot be a graph: the first write to what lies outside.
  std::optional<BreakReason> unsafe_write = {};
  /// What the function gave, and the tensors and numbers in it.
  Variable* result = nullptr;
  std::vector<Variable*> leaves = {};
  std::vector<const Node*> leaf_nodes = {};
  /// What its graph gives: the leaves, if nothing else is said.
  std::vector<Argument> outputs = {};
};

/// A call of a torch.autograd.Function while it is traced.
struct CustomCall {
  Variable* cls = nullptr;
  Variable* context_class = nullptr;
  Variable* context = nullptr;
  /// One an argument.
  std::vector<Variable*> needs_input_grad = {};
  std::vector<bool> is_tensor = {};
};

}  // namespace nns::dynamo
