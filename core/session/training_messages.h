#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/live/message.h"
#include "core/train/training.h"

/// What is told of a training, as messages.
namespace nns::session {

/// What a command about a training asks for and cannot have.
base::Error training_refused(std::string found, std::string expected);
/// How fast it goes. `started`: Unix seconds; `watch_share`: of the time, that watching takes.
struct TrainingPace {
  double started = 0, steps_per_second = 0, samples_per_second = 0, watch_share = 0;
};
live::Bytes training_state(std::uint32_t document, train::Training& training, const TrainingPace& pace,
                           std::uint32_t series_left_out);
live::Bytes training_modules(std::uint32_t document, const train::ModuleTable& table);
live::Bytes training_checkpoints(std::uint32_t document, std::span<const train::SavedCheckpoint> checkpoints);
live::Bytes training_numbers(std::uint32_t document, const train::StepReport& step);
live::Bytes training_histogram(std::uint32_t document, const train::StepReport& step,
                               const train::FoundHistogram& found);
live::Bytes training_timeline(std::uint32_t document, const train::StepReport& step);
live::Bytes training_alert(std::uint32_t document, const train::StepReport& step, const std::string& text,
                           bool is_paused);

/// A step as the stream tells it: a row.
struct StepRow {
  std::uint64_t step = 0;
  double seconds = 0, loss = 0, learning_rate = 0, gradient_norm = 0;
  std::uint32_t samples = 0;
  std::array<std::uint64_t, train::kPhases> phase_ns{};
  std::vector<double> more_rates{};  ///< of the groups after the first
};
live::Bytes training_steps(std::uint32_t document, std::span<const StepRow> rows, bool is_restart,
                           std::uint64_t left_out);

struct ScalarPoint {
  std::uint64_t step = 0;
  double seconds = 0, value = 0;
};
live::Bytes training_scalars(std::uint32_t document, const std::string& name, bool is_evaluation,
                             std::span<const ScalarPoint> points, bool is_restart);

struct LogRow {
  std::uint64_t step = 0;
  double seconds = 0;
  train::LogLevel level = train::LogLevel::Info;
  std::string text;
};
live::Bytes training_log(std::uint32_t document, std::span<const LogRow> rows, bool is_restart, std::uint64_t left_out);

/// A tensor as wire::TrainingValues says: weights of a convolution and of attention (`subject`) as small matrices side
/// by side, else a matrix of at most width x height means; nothing of tensors without values.
std::optional<live::Bytes> training_values(std::uint32_t document, std::uint32_t version, std::uint32_t id,
                                           std::uint64_t step, std::uint32_t of, std::uint32_t subject,
                                           const tensor::Tensor& tensor, std::uint32_t width, std::uint32_t height);
struct TouchRow {
  std::uint64_t step = 0;
  train::FoundTouch touch;
};
live::Bytes tensor_history(std::uint32_t document, std::uint32_t version, std::uint32_t id, std::uint32_t tensor,
                           std::span<const TouchRow> touches);
live::Bytes training_subscribed(std::uint64_t request, std::uint32_t document, std::uint32_t id, std::size_t modules,
                                std::size_t tensors, std::uint32_t every, float most_per_second, float cost);
/// The recipes that are built in.
live::Bytes recipe_list();

}  // namespace nns::session
