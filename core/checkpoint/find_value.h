#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/elements.h"

namespace nns::checkpoint {

enum class FindWhat : std::uint8_t { NaN, Infinity, Maximum, Minimum };

/// A resumable search through the values of a tensor in row-major order: the first at or behind `from` that is NaN,
/// infinite, or equal to the largest or the smallest finite value; behind the last it goes on from the beginning.
/// Values are numbered as read_values() numbers them: items that pack two are two. Complex numbers count by magnitude.
class FindValueTask {
 public:
  FindValueTask(ElementSource source, FindWhat what, std::uint64_t from);
  ~FindValueTask();
  /// True when done. Errors: the tensor does not lie inside its storage; reading failed.
  base::Result<bool> step(const base::Budget& budget);
  /// Must hold: step() returned true. Nothing if there is no such value.
  std::optional<std::uint64_t> found() const;
  /// Units: values.
  std::uint64_t done() const;
  std::uint64_t total() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nns::checkpoint
