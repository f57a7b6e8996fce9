#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/dynamo/source.h"

namespace nns::dynamo {

/// How a number follows from numbers that the frame is given. Behaviour: sympy expressions of SymInt and SymFloat.
struct Expression {
  /// Where it is read; null: it is computed, or a constant.
  const Source* source = nullptr;
  /// What computes it of its operands.
  Value function = {};
  std::vector<std::shared_ptr<const Expression>> operands = {};
  Value constant = {};
  /// "x.size()[0] + 1", as reasons write it, and "s77 + 1", as graphs do.
  std::string text = {};
  std::string symbols = {};
  /// Of a comparison: "<=".
  std::string sign = {};
};

}  // namespace nns::dynamo
