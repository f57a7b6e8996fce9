#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/python/eval/code.h"

namespace nns::recorder {

/// Which slots of a frame a program can store to between one place where it is observed and the next: what has to be
/// looked at there. Places are statements and heads of loops; only locals count, cells are written by other frames too.
/// Method: all instructions that can be reached from a place without passing another one.
class StoredSlots {
 public:
  explicit StoredSlots(const python::Code& code);

  /// Of what runs behind the instruction of the place that was observed last. Must hold: it is one.
  std::span<const std::uint32_t> behind(std::uint32_t instruction) const {
    const Run& run = runs_[instruction];
    return {slots_.data() + run.begin, run.count};
  }

 private:
  struct Run {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
  };
  std::vector<Run> runs_;  ///< by instruction
  std::vector<std::uint32_t> slots_;
};

}  // namespace nns::recorder
