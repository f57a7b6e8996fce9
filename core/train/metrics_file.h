#pragma once

#include <chrono>
#include <string>

#include "core/train/tensorboard.h"
#include "core/train/training.h"

namespace nns::train {

/// Keeps the numbers of a run in its folder: metrics.jsonl (a JSON object a line: step, seconds, and what was
/// measured), an event file of TensorBoard, and log.txt. Lines are written at most twice a second, before a checkpoint,
/// and at the end; a kill loses those of the last half second, never a line in the middle nor one of a step before the
/// checkpoint that the run goes on from. A disk that is full stops no training: what
/// cannot be written is left out, and the first reason is told once.
class MetricsFile final : public TrainingListener {
 public:
  /// `first_step`: of a run that goes on; what was measured since it began is no more, but what the program measured at
  /// the end of the step before stays.
  static base::Result<std::unique_ptr<MetricsFile>> open(RunFiles& files, std::uint64_t first_step);
  ~MetricsFile() override;

  void step_made(const StepReport& step, double seconds) override;
  void scalar_logged(const std::string& name, bool is_evaluation, std::uint64_t step, double seconds,
                     double value) override;
  void line_logged(LogLevel level, std::uint64_t step, double seconds, const std::string& text) override;
  void checkpoint_begins() override { flush(); }
  void checkpoint_saved(const SavedCheckpoint& saved) override;
  void flush();
  /// Why something could not be written, or empty.
  const std::string& problem() const { return problem_; }

 private:
  MetricsFile(std::unique_ptr<base::ByteSink> lines, std::unique_ptr<base::ByteSink> log,
              std::unique_ptr<TensorBoardFile> board)
      : lines_(std::move(lines)), log_(std::move(log)), board_(std::move(board)) {}
  void check(const base::Result<void>& done);
  void flush_sometimes();

  std::unique_ptr<base::ByteSink> lines_, log_;
  std::unique_ptr<TensorBoardFile> board_;
  std::string waiting_lines_, waiting_log_, problem_;
  std::chrono::steady_clock::time_point flushed_;
};

/// A number as JSON has it; NaN and infinities, which JSON has not, as null.
std::string json_number(double value);
std::string json_text(std::string_view text);
/// `,"lrs":[…]` of the groups of a step where there are several, else nothing.
std::string json_rates(const StepReport& step);

}  // namespace nns::train
