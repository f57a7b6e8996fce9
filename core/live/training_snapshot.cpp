#include <algorithm>

#include "core/live/training_view.h"

namespace nns::live {

namespace {

using Builder = flatbuffers::FlatBufferBuilder;

Bytes copy_of(const Message& message) { return Bytes(message.bytes()); }

template <class T>
std::vector<T> picked(const std::vector<T>& column, const std::vector<std::size_t>& rows) {
  std::vector<T> part;
  part.reserve(rows.size());
  for (const std::size_t row : rows) part.push_back(column[row]);
  return part;
}

Bytes steps_message(std::uint32_t document, const TrainingSteps& steps, const std::vector<std::size_t>& rows,
                    std::uint64_t left_out) {
  constexpr double kNsPerMs = 1e6;
  Builder builder(rows.size() * 112 + 1024);
  const auto column = [&](const auto& values) { return builder.CreateVector(picked(values, rows)); };
  std::array<flatbuffers::Offset<flatbuffers::Vector<std::uint64_t>>, TrainingSteps::kPhases> phases;
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    std::vector<std::uint64_t> ns;
    ns.reserve(rows.size());
    for (const std::size_t row : rows) {
      ns.push_back(static_cast<std::uint64_t>(static_cast<double>(steps.phase_ms[phase][row]) * kNsPerMs));
    }
    phases[phase] = builder.CreateVector(ns);
  }
  std::vector<double> norms;
  norms.reserve(rows.size());
  for (const std::size_t row : rows) norms.push_back(static_cast<double>(steps.gradient_norm[row]));
  const auto step = column(steps.step);
  const auto seconds = column(steps.seconds);
  const auto loss = column(steps.loss);
  const auto rate = column(steps.learning_rate);
  const auto samples = column(steps.samples);
  const auto norm = builder.CreateVector(norms);
  std::vector<double> rates;
  for (const std::vector<double>& of_group : steps.more_rates) {
    for (const std::size_t row : rows) rates.push_back(of_group[row]);
  }
  flatbuffers::Offset<flatbuffers::Vector<double>> more_rates;
  if (!rates.empty()) more_rates = builder.CreateVector(rates);
  const auto told =
      wire::CreateTrainingSteps(builder, document, true, left_out, step, seconds, loss, rate, samples, phases[0],
                                phases[1], phases[2], phases[3], phases[4], phases[5], norm, more_rates);
  return finish_message(builder, told);
}

Bytes series_message(std::uint32_t document, const TrainingSeries& series, std::size_t most) {
  std::vector<std::size_t> rows;
  const std::size_t stride = (series.step.size() + most - 1) / std::max<std::size_t>(1, most);
  // Counted from the newest, which is always told.
  for (std::size_t left = series.step.size(); left > 0; left -= std::min(left, std::max<std::size_t>(1, stride))) {
    rows.push_back(left - 1);
  }
  std::reverse(rows.begin(), rows.end());
  Builder builder;
  const auto name = builder.CreateString(series.name);
  const auto step = builder.CreateVector(picked(series.step, rows));
  const auto seconds = builder.CreateVector(picked(series.seconds, rows));
  const auto value = builder.CreateVector(picked(series.value, rows));
  const auto told = wire::CreateTrainingScalars(builder, document, true, name, series.kind, step, seconds, value);
  return finish_message(builder, told);
}

}  // namespace

std::vector<Bytes> TrainingView::snapshot(std::size_t most_steps) const {
  constexpr std::size_t kMostLines = 500;
  std::vector<Bytes> messages;
  for (const auto* message : {&state_, &modules_, &checkpoints_}) {
    if (*message) messages.push_back(copy_of(**message));
  }
  if (steps_.size() > 0) {
    const std::vector<std::size_t> rows = thinned_rows(steps_, most_steps);
    messages.push_back(steps_message(document_, steps_, rows, steps_left_out_ + steps_.size() - rows.size()));
  }
  for (const TrainingSeries& series : series_) messages.push_back(series_message(document_, series, most_steps));
  if (!log_.empty()) {
    Builder builder;
    std::vector<flatbuffers::Offset<wire::LogLine>> lines;
    const std::size_t first = log_.size() - std::min(log_.size(), kMostLines);
    for (std::size_t i = first; i < log_.size(); ++i) {
      const auto text = builder.CreateString(log_[i].text);
      lines.push_back(wire::CreateLogLine(builder, log_[i].step, log_[i].seconds, log_[i].level, text));
    }
    const auto all = builder.CreateVector(lines);
    const auto told = wire::CreateTrainingLog(builder, document_, true, log_left_out_ + first, all);
    messages.push_back(finish_message(builder, told));
  }
  if (modules() != nullptr && (!moments_.empty() || !times_.empty())) {
    Builder builder;
    std::vector<wire::ModuleTimes> times;
    std::vector<wire::Moments> moments;
    std::uint64_t step = 0;
    for (const auto& [module, value] : times_) {
      times.push_back(value.second);
      step = std::max(step, value.first);
    }
    for (const auto& [key, value] : moments_) {
      moments.push_back(value.second);
      step = std::max(step, value.first);
    }
    const auto all_times = builder.CreateVectorOfStructs(times);
    const auto all_moments = builder.CreateVectorOfStructs(moments);
    const auto told =
        wire::CreateTrainingNumbers(builder, document_, modules()->version(), step, all_times, all_moments);
    messages.push_back(finish_message(builder, told));
  }
  // The newest and some before it: the rest is not worth what a snapshot would grow by.
  constexpr std::size_t kMostOfEach = 16;
  for (const auto& [key, kept] : histograms_) {
    const std::size_t first = kept.size() - std::min(kept.size(), kMostOfEach);
    for (std::size_t i = first; i < kept.size(); ++i) messages.push_back(copy_of(kept[i]));
  }
  for (const auto& [id, message] : values_) messages.push_back(copy_of(message));
  for (const auto& [tensor, history] : histories_) {
    Builder builder(1024);
    const std::vector<wire::Touch> all(history.touches.begin(), history.touches.end());
    const auto touches = builder.CreateVectorOfStructs(all);
    messages.push_back(finish_message(builder, wire::CreateTensorHistory(builder, document_, modules()->version(),
                                                                         history.subscription, tensor, touches)));
  }
  for (const auto* message : {&timeline_, &ranks_, &hooks_, &alert_}) {
    if (*message) messages.push_back(copy_of(**message));
  }
  return messages;
}

}  // namespace nns::live
