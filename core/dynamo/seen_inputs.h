#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace nns::dynamo {

/// Numbers that frames of one code were given, by the names of their sources: those that were not always the same are
/// compiled as symbols. Behaviour: torch/_dynamo/pgo.py, process_automatic_dynamic.
struct SeenNumber {
  Value first;
  bool is_dynamic = false;
};
/// How a stride follows from another dimension's, or the number that it is.
struct StrideRule {
  std::optional<std::size_t> inner = std::nullopt;
  std::int64_t number = 0;
  bool operator==(const StrideRule&) const = default;
};
/// The same of the sizes and strides of a tensor.
struct SeenTensor {
  tensor::Dims shape = {};
  std::vector<StrideRule> strides = {};
  std::vector<bool> size_varies = {}, stride_varies = {};
  bool is_first = true;
};
/// Which of a tensor's sizes and strides may be others at other calls.
struct FreeDimensions {
  std::vector<bool> sizes, strides, is_demanded, is_duck;
  std::vector<StrideRule> rules = {};
  /// The dimension whose stride times size a stride is, where that one may change.
  std::vector<std::optional<std::size_t>> stride_from = {};
  /// Whether one is free, or was before it was held.
  bool was_free = false;
};
struct SeenInputs {
  std::map<std::string, SeenNumber, std::less<>> numbers;
  std::map<std::string, SeenTensor, std::less<>> tensors;
  /// Shapes followed a rule that was not found: sizes are constants from then on.
  bool are_sizes_constant = false;
};

}  // namespace nns::dynamo
