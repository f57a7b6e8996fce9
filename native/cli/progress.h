#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "native/cli/terminal.h"

namespace nns::cli {

/// How long a job works between two looks at its line and at Ctrl+C.
inline constexpr std::chrono::milliseconds kSlice{50};

/// One line on standard error while something takes long: "reading  [#####.....]  48%  model.safetensors".
/// Shown only on a terminal, only after half a second, at most ten times a second; gone when it ends.
class ProgressLine {
 public:
  ProgressLine(const Terminal& terminal, std::string verb, std::string_view what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `total` 0: not known yet.
  void show(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  const Terminal& terminal_;
  std::string verb_;
  std::string what_;
  Clock::time_point next_;
  bool is_shown_ = false;
};

}  // namespace nns::cli
