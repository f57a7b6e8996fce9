#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/live/message.h"

namespace nns::live {

/// How much of a training is remembered.
struct TrainingLimits {
  std::size_t most_steps = std::size_t{1} << 20U;  ///< of more the older ones are thinned by half
  std::size_t most_log_lines = 10'000;
  std::size_t most_histograms = 240;  ///< of each module or tensor: older ones are thinned by half
  std::size_t most_series = 256;
  std::size_t most_touches = 10'000;  ///< of each tensor
};

/// The steps of a training as columns of one length, oldest first.
struct TrainingSteps {
  /// Phases in the order of the protocol: data, forward, backward, optimizer, other, watch.
  static constexpr std::size_t kPhases = 6;
  std::vector<std::uint64_t> step;
  std::vector<double> seconds;
  std::vector<double> loss;
  std::vector<double> learning_rate;  ///< of the first group
  /// Of each further group of parameters: NaN in steps that had none.
  std::vector<std::vector<double>> more_rates;
  std::vector<std::uint32_t> samples;
  std::vector<float> gradient_norm;
  std::array<std::vector<float>, kPhases> phase_ms;

  std::size_t size() const { return step.size(); }
  /// Only the rows with these numbers, which ascend.
  void keep(const std::vector<std::size_t>& rows);
};

/// Of so many rows at most `most`, the same number out of each part of the run; of a part those whose loss is extreme,
/// so that a curve keeps its peaks.
std::vector<std::size_t> thinned_rows(const TrainingSteps& steps, std::size_t most);

/// A quantity by name.
struct TrainingSeries {
  std::string name;
  wire::ScalarKind kind = wire::ScalarKind::Metric;
  std::vector<std::uint64_t> step;
  std::vector<double> seconds;
  std::vector<double> value;
};

struct TrainingLogLine {
  std::uint64_t step = 0;
  double seconds = 0;
  wire::LogLevel level = wire::LogLevel::Info;
  std::string text;
};

/// What the stream told of one training: all that panels show of it, and what whoever comes later is told.
/// Threads: one.
class TrainingView {
 public:
  explicit TrainingView(std::uint32_t document, TrainingLimits limits = {}) : document_(document), limits_(limits) {}

  /// Takes over a message about this training. Messages of other kinds change nothing.
  /// Errors: columns of different lengths, numbers of modules or tensors that are not there; it is unchanged then.
  base::Result<void> apply(const Message& message);
  /// Whether this kind of message is about a training, and of which document.
  static std::optional<std::uint32_t> document_of(const Message& message);

  std::uint32_t document() const { return document_; }
  /// Grows with every change.
  std::uint64_t version() const { return version_; }

  /// Null before it was told.
  const wire::Training* state() const { return as<wire::Training>(state_); }
  const wire::TrainingModules* modules() const { return as<wire::TrainingModules>(modules_); }
  const wire::TrainingCheckpoints* checkpoints() const { return as<wire::TrainingCheckpoints>(checkpoints_); }
  const wire::TrainingAlert* alert() const { return as<wire::TrainingAlert>(alert_); }
  /// The hooks of the modules that somebody looks at.
  const wire::TrainingHooks* hooks() const { return as<wire::TrainingHooks>(hooks_); }
  const wire::TrainingTimeline* timeline() const { return as<wire::TrainingTimeline>(timeline_); }
  /// Of a training that several ranks make together; null: nothing was told of them.
  const wire::Ranks* ranks() const { return as<wire::Ranks>(ranks_); }
  const TrainingSteps& steps() const { return steps_; }
  std::uint64_t steps_left_out() const { return steps_left_out_; }
  const std::vector<TrainingSeries>& series() const { return series_; }
  const std::deque<TrainingLogLine>& log() const { return log_; }
  std::uint64_t log_left_out() const { return log_left_out_; }
  /// The newest of that subject of a module or tensor, and of which step; null: none was told.
  const std::pair<std::uint64_t, wire::Moments>* moments(wire::TrainingSubject subject, std::uint32_t of) const;
  /// The subjects of which there are moments.
  std::vector<wire::TrainingSubject> subjects() const;
  const std::pair<std::uint64_t, wire::ModuleTimes>* times(std::uint32_t module) const;
  /// The histograms of a subject of a module or tensor over time, oldest first, or null.
  const std::deque<Message>* histograms(wire::TrainingSubject subject, std::uint32_t of) const;
  /// Of which there are histograms: subject and module or tensor.
  std::vector<std::pair<wire::TrainingSubject, std::uint32_t>> histogram_keys() const;
  /// The newest that came for a subscription, or null.
  const wire::TrainingValues* values(std::uint32_t subscription) const;
  /// The newest of a tensor (a module, of Attention), or of any, whoever asked for them.
  const wire::TrainingValues* values_of(wire::TrainingSubject subject, std::uint32_t of = UINT32_MAX) const;
  /// What touched a parameter, oldest first; null: nothing was told of it.
  const std::deque<wire::Touch>* history(std::uint32_t tensor) const;

  /// The messages from which another view becomes the same, but for steps beyond `most_steps`, which are thinned.
  std::vector<Bytes> snapshot(std::size_t most_steps) const;

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  template <class T>
  static const T* as(const std::optional<Message>& message) {
    return message ? message->as<T>() : nullptr;
  }
  base::Result<void> add_steps(const wire::TrainingSteps& steps);
  base::Result<void> add_scalars(const wire::TrainingScalars& scalars);
  base::Result<void> add_numbers(const wire::TrainingNumbers& numbers);
  void add_log(const wire::TrainingLog& log);
  void add_history(const wire::TensorHistory& told);
  void add_values(const Message& message);
  base::Result<void> check_modules(const wire::TrainingModules& modules) const;
  base::Result<void> add_histogram(const Message& message);
  // Numbers of another version of the modules say nothing of these.
  bool is_current(std::uint32_t version) const;

  std::uint32_t document_;
  TrainingLimits limits_;
  std::uint64_t version_ = 0;
  std::optional<Message> state_;
  std::optional<Message> modules_;
  std::optional<Message> checkpoints_;
  std::optional<Message> alert_;
  std::optional<Message> timeline_;
  std::optional<Message> ranks_;
  std::optional<Message> hooks_;
  TrainingSteps steps_;
  std::uint64_t steps_left_out_ = 0;
  std::vector<TrainingSeries> series_;
  std::deque<TrainingLogLine> log_;
  std::uint64_t log_left_out_ = 0;
  std::map<Key, std::pair<std::uint64_t, wire::Moments>> moments_;
  std::map<std::uint32_t, std::pair<std::uint64_t, wire::ModuleTimes>> times_;
  std::map<Key, std::deque<Message>> histograms_;
  std::map<std::array<std::uint32_t, 3>, Message> values_;  // by subscription, subject, and module or tensor
  struct History {
    std::uint32_t subscription = 0;
    std::deque<wire::Touch> touches;
  };
  std::map<std::uint32_t, History> histories_;  // by tensor
};

}  // namespace nns::live
