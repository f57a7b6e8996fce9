#pragma once

#include <chrono>
#include <string>

#include "core/train/training.h"
#include "native/cli/terminal.h"

namespace nns::cli {

/// Tells how a training goes: a line that stays on a terminal's standard error, or with --json an object a line on
/// standard output (after that of TrainViewers): {"step": …, "loss": …}, {"metric": …}, {"evaluation": …}, {"log": …},
/// {"checkpoint": …}, {"out": …} and at the end {"state": …}.
class TrainReport final : public train::TrainingListener {
 public:
  TrainReport(bool json, const Terminal& terminal) : json_(json), terminal_(terminal) {}

  void step_made(const train::StepReport& step, double seconds) override;
  void scalar_logged(const std::string& name, bool is_evaluation, std::uint64_t step, double seconds,
                     double value) override;
  void line_logged(train::LogLevel level, std::uint64_t step, double seconds, const std::string& text) override;
  void checkpoint_saved(const train::SavedCheckpoint& saved) override;
  /// What the program wrote.
  void wrote(std::string_view text);
  void ended(const train::Training& training);

 private:
  void clear_line();

  bool json_;
  Terminal terminal_;
  bool has_line_ = false;
  std::chrono::steady_clock::time_point told_{};
  std::uint64_t told_step_ = 0;
  double told_seconds_ = 0;
};

}  // namespace nns::cli
