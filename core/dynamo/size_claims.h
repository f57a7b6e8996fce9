#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/dynamo/expression.h"
#include "core/dynamo/graph.h"

namespace nns::dynamo {

/// Something that tracing took of a shape: a constant, or a formula that was fitted to the worlds of Symbols.
struct SizeClaim {
  /// What has the shape, or the tuple of tensors whose length counts.
  const Node* node = nullptr;
  /// How it was asked: "size", "numel", "__len__".
  std::string method = {};
  std::vector<Value> arguments = {};
  /// What it gives; Absent: what the expression does.
  Value expected = Value::absent();
  std::shared_ptr<const Expression> expression = {};
};

/// What a compiled frame took of shapes that follow from symbols. Worlds are samples: for sizes that the frame has not
/// run with before the graph runs on tensors without contents, and what was taken is compared.
struct SizeClaims {
  std::vector<SizeClaim> all;
  /// What the shapes follow from.
  std::vector<const Source*> symbols;
  /// Numbers for which all hold, and for which some do not.
  std::set<std::vector<std::int64_t>> held, refuted;

  /// What inputs are is guarded; of what follows from them only samples were looked at.
  void add(SizeClaim claim) {
    if (claim.node->op != Node::Op::Placeholder) all.push_back(std::move(claim));
  }
  bool needs_check() const { return !all.empty() && !symbols.empty(); }
};

}  // namespace nns::dynamo
