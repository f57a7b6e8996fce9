#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/elements.h"

namespace nns::diff {

/// How far the values of two tensors of one shape are apart: d = b - a, value by value, whatever their element types.
/// NaN in the same place on both sides is no change, and neither is the same infinity. Where NaN or infinity differ the
/// value counts as changed, and is left out of the sums below.
struct TensorDifference {
  std::uint64_t count = 0;     ///< values; of complex tensors real and imaginary parts count apart
  std::uint64_t changed = 0;   ///< values that are not equal
  std::uint64_t nan_a = 0;     ///< NaN in A only
  std::uint64_t nan_b = 0;     ///< NaN in B only
  std::uint64_t nan_both = 0;  ///< not counted where the bytes are the same
  std::uint64_t infinite = 0;  ///< changed, with an infinity on one side or two different ones
  double max_abs = 0;          ///< largest |d|
  std::uint64_t max_at = 0;    ///< row-major index of an item with it
  double mean_abs = 0;         ///< mean |d|
  double relative = 0;         ///< ||d|| / ||a||, Euclidean; infinity if only a is zero
  double cosine = 1;           ///< a . b / (||a|| ||b||); NaN if one of them is zero and the other is not
  bool equal_bytes = false;    ///< the bytes are the same, nothing was decoded

  bool is_equal() const { return changed == 0; }
};

/// A resumable comparison of all values, block by block in the order of A's storage. As long as the bytes are equal
/// nothing is decoded. Integers are compared exactly, quantised values by what is stored. Keeps at most 4 MiB.
class DifferenceTask {
 public:
  DifferenceTask(checkpoint::ElementSource a, checkpoint::ElementSource b);
  ~DifferenceTask();
  /// True when done. Errors: different shapes; a complex tensor against one that is not; a tensor that does not lie
  /// inside its storage; reading failed. It stays failed.
  base::Result<bool> step(const base::Budget& budget);
  /// Units: items.
  std::uint64_t done() const;
  std::uint64_t total() const;
  /// Must hold: step() returned true.
  const TensorDifference& difference() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nns::diff
