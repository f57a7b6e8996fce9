#include "core/live/training_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nns::live {

namespace {

base::Error bad_training(std::string found, std::string expected) {
  return {.found = std::move(found), .expected = std::move(expected), .where = "stream", .offset = std::nullopt};
}

template <class T>
void keep_rows(std::vector<T>& column, const std::vector<std::size_t>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) column[i] = column[rows[i]];
  column.resize(rows.size());
}

bool is_activation(std::uint32_t subject) {
  return subject == static_cast<std::uint32_t>(wire::TrainingSubject::Activations) ||
         subject == static_cast<std::uint32_t>(wire::TrainingSubject::OutputGradients);
}

constexpr float kNsPerMs = 1e6F;
// A series that is longer is thinned by half.
constexpr std::size_t kMostPoints = std::size_t{1} << 19U;

}  // namespace

void TrainingSteps::keep(const std::vector<std::size_t>& rows) {
  keep_rows(step, rows);
  keep_rows(seconds, rows);
  keep_rows(loss, rows);
  keep_rows(learning_rate, rows);
  keep_rows(samples, rows);
  keep_rows(gradient_norm, rows);
  for (auto& rates : more_rates) keep_rows(rates, rows);
  for (auto& phase : phase_ms) keep_rows(phase, rows);
}

std::vector<std::size_t> thinned_rows(const TrainingSteps& steps, std::size_t most) {
  std::vector<std::size_t> rows;
  const std::size_t count = steps.size();
  if (count <= most || most < 2) {
    for (std::size_t i = most < 2 && count > most ? count - most : 0; i < count; ++i) rows.push_back(i);
    return rows;
  }
  // Two of each part: the lowest and the highest loss, where NaN is highest, in their order.
  const std::size_t parts = most / 2;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = count * part / parts;
    const std::size_t end = count * (part + 1) / parts;
    std::size_t low = begin;
    std::size_t high = begin;
    for (std::size_t i = begin + 1; i < end; ++i) {
      if (steps.loss[i] < steps.loss[low] || std::isnan(steps.loss[low])) low = i;
      if (steps.loss[i] > steps.loss[high] || std::isnan(steps.loss[i])) high = i;
    }
    if (part == 0) low = begin;
    if (part + 1 == parts) high = end - 1;
    rows.push_back(std::min(low, high));
    if (low != high) rows.push_back(std::max(low, high));
  }
  return rows;
}

std::optional<std::uint32_t> TrainingView::document_of(const Message& message) {
  switch (message.get().body_type()) {
    case wire::Body::Training:
      return message.as<wire::Training>()->document();
    case wire::Body::TrainingModules:
      return message.as<wire::TrainingModules>()->document();
    case wire::Body::TrainingSteps:
      return message.as<wire::TrainingSteps>()->document();
    case wire::Body::TrainingScalars:
      return message.as<wire::TrainingScalars>()->document();
    case wire::Body::TrainingNumbers:
      return message.as<wire::TrainingNumbers>()->document();
    case wire::Body::TrainingHistogram:
      return message.as<wire::TrainingHistogram>()->document();
    case wire::Body::TrainingValues:
      return message.as<wire::TrainingValues>()->document();
    case wire::Body::TrainingLog:
      return message.as<wire::TrainingLog>()->document();
    case wire::Body::TrainingTimeline:
      return message.as<wire::TrainingTimeline>()->document();
    case wire::Body::TensorHistory:
      return message.as<wire::TensorHistory>()->document();
    case wire::Body::TrainingCheckpoints:
      return message.as<wire::TrainingCheckpoints>()->document();
    case wire::Body::TrainingAlert:
      return message.as<wire::TrainingAlert>()->document();
    case wire::Body::TrainingHooks:
      return message.as<wire::TrainingHooks>()->document();
    case wire::Body::Ranks:
      return message.as<wire::Ranks>()->document();
    default:
      return std::nullopt;
  }
}

bool TrainingView::is_current(std::uint32_t version) const {
  return modules() != nullptr && modules()->version() == version;
}

base::Result<void> TrainingView::apply(const Message& message) {
  switch (message.get().body_type()) {
    case wire::Body::Training: {
      const wire::Training& told = *message.as<wire::Training>();
      if (told.learning_rates()->size() != told.learning_rate_of()->size()) {
        return bad_training(fmt::format("{} learning rates of {} optimisers", told.learning_rates()->size(),
                                        told.learning_rate_of()->size()),
                            "one each");
      }
      state_ = message;
      break;
    }
    case wire::Body::TrainingModules: {
      const wire::TrainingModules& told = *message.as<wire::TrainingModules>();
      NNS_TRY(check_modules(told));
      if (!is_current(told.version())) {
        moments_.clear();
        times_.clear();
        histograms_.clear();
        values_.clear();
        histories_.clear();
        timeline_.reset();
        hooks_.reset();
      }
      modules_ = message;
      break;
    }
    case wire::Body::TrainingSteps:
      NNS_TRY(add_steps(*message.as<wire::TrainingSteps>()));
      break;
    case wire::Body::TrainingScalars:
      NNS_TRY(add_scalars(*message.as<wire::TrainingScalars>()));
      break;
    case wire::Body::TrainingNumbers:
      NNS_TRY(add_numbers(*message.as<wire::TrainingNumbers>()));
      break;
    case wire::Body::TrainingHistogram:
      NNS_TRY(add_histogram(message));
      break;
    case wire::Body::TrainingValues: {
      const wire::TrainingValues& told = *message.as<wire::TrainingValues>();
      if (std::uint64_t{told.width()} * told.height() != told.values()->size()) {
        return bad_training(fmt::format("{} values of {} x {}", told.values()->size(), told.height(), told.width()),
                            "one each");
      }
      if (is_current(told.version())) add_values(message);
      break;
    }
    case wire::Body::TrainingLog:
      add_log(*message.as<wire::TrainingLog>());
      break;
    case wire::Body::TrainingTimeline: {
      const wire::TrainingTimeline& told = *message.as<wire::TrainingTimeline>();
      for (const wire::Span* span : *told.spans()) {
        if (span->end_ns() < span->begin_ns()) return bad_training("a span that ends before it begins", "an end later");
      }
      if (is_current(told.version())) timeline_ = message;
      break;
    }
    case wire::Body::TensorHistory: {
      const wire::TensorHistory& told = *message.as<wire::TensorHistory>();
      if (is_current(told.version())) add_history(told);
      break;
    }
    case wire::Body::TrainingHooks: {
      const wire::TrainingHooks& told = *message.as<wire::TrainingHooks>();
      if (!is_current(told.version())) break;
      for (const wire::TrainingHook* hook : *told.hooks()) {
        if (hook->module_() >= modules()->path()->size())
          return bad_training("a hook of a module that is not there", "its number");
      }
      hooks_ = message;
      break;
    }
    case wire::Body::TrainingCheckpoints:
      checkpoints_ = message;
      break;
    case wire::Body::Ranks:
      ranks_ = message;
      break;
    case wire::Body::TrainingAlert:
      alert_ = message;
      break;
    default:
      return {};
  }
  ++version_;
  return {};
}

base::Result<void> TrainingView::check_modules(const wire::TrainingModules& told) const {
  const auto modules = told.parent()->size();
  const auto tensors = told.tensor_module()->size();
  if (told.path()->size() != modules || told.class_name()->size() != modules || told.tensor_path()->size() != tensors ||
      told.tensor_shape()->size() != tensors || told.tensor_numel()->size() != tensors ||
      told.tensor_trainable()->size() != tensors || told.tensor_optimizer()->size() != tensors ||
      (told.tensor_device() != nullptr && told.tensor_device()->size() != tensors)) {
    return bad_training("modules whose columns have different lengths", "one length");
  }
  for (flatbuffers::uoffset_t i = 0; i < modules; ++i) {
    const std::uint32_t parent = told.parent()->Get(i);
    // Pre-order: whoever walks upward ends.
    if (parent != UINT32_MAX && parent >= i) {
      return bad_training(fmt::format("module {} below module {}", i, parent), "a parent before it");
    }
  }
  for (flatbuffers::uoffset_t i = 0; i < tensors; ++i) {
    if (told.tensor_module()->Get(i) >= modules) {
      return bad_training(fmt::format("a tensor of module {}", told.tensor_module()->Get(i)),
                          fmt::format("below {}", modules));
    }
  }
  return {};
}

base::Result<void> TrainingView::add_steps(const wire::TrainingSteps& told) {
  const auto count = told.step()->size();
  const std::array<const flatbuffers::Vector<std::uint64_t>*, TrainingSteps::kPhases> phases = {
      told.data_ns(), told.forward_ns(), told.backward_ns(), told.optimizer_ns(), told.other_ns(), told.watch_ns()};
  bool holds = told.seconds()->size() == count && told.loss()->size() == count &&
               told.learning_rate()->size() == count && told.samples()->size() == count &&
               told.gradient_norm()->size() == count;
  for (const auto* phase : phases) holds &= phase->size() == count;
  const auto* const more = told.more_rates();
  const std::uint32_t others = more == nullptr || count == 0 ? 0 : more->size() / count;
  if (more != nullptr) holds &= more->size() == others * count;
  if (!holds) return bad_training("steps whose columns have different lengths", "one length");
  if (told.restart()) {
    steps_ = TrainingSteps();
    steps_left_out_ = 0;
  }
  steps_left_out_ += told.left_out();
  // A run that was taken up again begins before what it had made when it was stopped.
  if (count > 0 && steps_.size() > 0 && told.step()->Get(0) <= steps_.step.back()) {
    const auto from = std::lower_bound(steps_.step.begin(), steps_.step.end(), told.step()->Get(0));
    std::vector<std::size_t> rows(static_cast<std::size_t>(from - steps_.step.begin()));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
    steps_.keep(rows);
  }
  constexpr double kNoRate = std::numeric_limits<double>::quiet_NaN();
  if (others > steps_.more_rates.size()) steps_.more_rates.resize(others, std::vector<double>(steps_.size(), kNoRate));
  for (flatbuffers::uoffset_t i = 0; i < count; ++i) {
    if (steps_.size() > 0 && told.step()->Get(i) <= steps_.step.back()) continue;  // columns ascend
    steps_.step.push_back(told.step()->Get(i));
    steps_.seconds.push_back(told.seconds()->Get(i));
    steps_.loss.push_back(told.loss()->Get(i));
    steps_.learning_rate.push_back(told.learning_rate()->Get(i));
    for (std::uint32_t group = 0; group < steps_.more_rates.size(); ++group)
      steps_.more_rates[group].push_back(group < others ? more->Get(group * count + i) : kNoRate);
    steps_.samples.push_back(told.samples()->Get(i));
    steps_.gradient_norm.push_back(static_cast<float>(told.gradient_norm()->Get(i)));
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      steps_.phase_ms[phase].push_back(static_cast<float>(phases[phase]->Get(i)) / kNsPerMs);
    }
  }
  if (steps_.size() > limits_.most_steps) {
    const std::size_t before = steps_.size();
    steps_.keep(thinned_rows(steps_, limits_.most_steps / 2));
    steps_left_out_ += before - steps_.size();
  }
  return {};
}

base::Result<void> TrainingView::add_scalars(const wire::TrainingScalars& told) {
  const auto count = told.step()->size();
  if (told.seconds()->size() != count || told.value()->size() != count) {
    return bad_training("points whose columns have different lengths", "one length");
  }
  const std::string_view name = text_of(told.name());
  auto series = std::find_if(series_.begin(), series_.end(), [&](const TrainingSeries& known) {
    return known.name == name && known.kind == told.kind();
  });
  if (series == series_.end()) {
    if (series_.size() >= limits_.most_series) {
      return bad_training(fmt::format("more than {} quantities by name", series_.size()), "fewer");
    }
    series = series_.insert(series_.end(), TrainingSeries{std::string(name), told.kind(), {}, {}, {}});
  }
  if (told.restart()) *series = TrainingSeries{std::string(name), told.kind(), {}, {}, {}};
  for (flatbuffers::uoffset_t i = 0; i < count; ++i) {
    // Several points of one step are one quantity's newest.
    while (!series->step.empty() && series->step.back() >= told.step()->Get(i)) {
      series->step.pop_back();
      series->seconds.pop_back();
      series->value.pop_back();
    }
    series->step.push_back(told.step()->Get(i));
    series->seconds.push_back(told.seconds()->Get(i));
    series->value.push_back(told.value()->Get(i));
  }
  if (series->step.size() > kMostPoints) {
    std::vector<std::size_t> rows;
    for (std::size_t i = series->step.size() % 2 == 0 ? 1 : 0; i < series->step.size(); i += 2) rows.push_back(i);
    keep_rows(series->step, rows);
    keep_rows(series->seconds, rows);
    keep_rows(series->value, rows);
  }
  return {};
}

base::Result<void> TrainingView::add_numbers(const wire::TrainingNumbers& told) {
  if (!is_current(told.version())) return {};
  const std::uint32_t module_count = modules()->parent()->size();
  const std::uint32_t tensor_count = modules()->tensor_module()->size();
  for (const wire::Moments* moments : *told.moments()) {
    const std::uint32_t count = is_activation(moments->subject()) ? module_count : tensor_count;
    if (moments->of() >= count) {
      return bad_training(fmt::format("numbers of {} {}", moments->of(), count == module_count ? "module" : "tensor"),
                          fmt::format("below {}", count));
    }
  }
  for (const wire::ModuleTimes* times : *told.times()) {
    if (times->module_() >= module_count) {
      return bad_training(fmt::format("times of module {}", times->module_()), fmt::format("below {}", module_count));
    }
  }
  for (const wire::Moments* moments : *told.moments()) {
    auto& known = moments_.try_emplace({moments->subject(), moments->of()}, 0, *moments).first->second;
    if (known.first <= told.step()) known = {told.step(), *moments};
  }
  for (const wire::ModuleTimes* times : *told.times()) {
    auto& known = times_.try_emplace(times->module_(), 0, *times).first->second;
    if (known.first <= told.step()) known = {told.step(), *times};
  }
  return {};
}

base::Result<void> TrainingView::add_histogram(const Message& message) {
  const wire::TrainingHistogram& told = *message.as<wire::TrainingHistogram>();
  constexpr std::uint32_t kMostBins = 4096;
  if (!std::isfinite(told.low()) || !std::isfinite(told.high()) || told.low() > told.high() ||
      told.counts()->size() > kMostBins) {
    return bad_training(
        fmt::format("a histogram of {} bins from {} to {}", told.counts()->size(), told.low(), told.high()),
        fmt::format("at most {} bins between two numbers", kMostBins));
  }
  if (!is_current(told.version())) return {};
  const std::uint32_t count =
      is_activation(told.subject()) ? modules()->parent()->size() : modules()->tensor_module()->size();
  if (told.of() >= count) {
    return bad_training(fmt::format("a histogram of number {}", told.of()), fmt::format("below {}", count));
  }
  auto& kept = histograms_[{told.subject(), told.of()}];
  if (!kept.empty() && kept.back().as<wire::TrainingHistogram>()->step() >= told.step()) kept.pop_back();
  kept.push_back(message);
  if (kept.size() > limits_.most_histograms) {
    std::deque<Message> half;
    for (std::size_t i = kept.size() % 2 == 0 ? 1 : 0; i < kept.size(); i += 2) half.push_back(std::move(kept[i]));
    kept = std::move(half);
  }
  return {};
}

void TrainingView::add_log(const wire::TrainingLog& told) {
  if (told.restart()) {
    log_.clear();
    log_left_out_ = 0;
  }
  log_left_out_ += told.left_out();
  for (const wire::LogLine* line : *told.lines()) {
    log_.push_back({line->step(), line->seconds(), line->level(), std::string(text_of(line->text()))});
  }
  while (log_.size() > limits_.most_log_lines) {
    log_.pop_front();
    ++log_left_out_;
  }
}

const std::pair<std::uint64_t, wire::Moments>* TrainingView::moments(wire::TrainingSubject subject,
                                                                     std::uint32_t of) const {
  const auto found = moments_.find({static_cast<std::uint32_t>(subject), of});
  return found == moments_.end() ? nullptr : &found->second;
}

std::vector<wire::TrainingSubject> TrainingView::subjects() const {
  std::vector<wire::TrainingSubject> found;
  for (const auto& [key, value] : moments_) {
    const auto subject = static_cast<wire::TrainingSubject>(key.first);
    if (found.empty() || found.back() != subject) found.push_back(subject);
  }
  return found;
}

const std::pair<std::uint64_t, wire::ModuleTimes>* TrainingView::times(std::uint32_t module) const {
  const auto found = times_.find(module);
  return found == times_.end() ? nullptr : &found->second;
}

const std::deque<Message>* TrainingView::histograms(wire::TrainingSubject subject, std::uint32_t of) const {
  const auto found = histograms_.find({static_cast<std::uint32_t>(subject), of});
  return found == histograms_.end() ? nullptr : &found->second;
}

std::vector<std::pair<wire::TrainingSubject, std::uint32_t>> TrainingView::histogram_keys() const {
  std::vector<std::pair<wire::TrainingSubject, std::uint32_t>> keys;
  keys.reserve(histograms_.size());
  for (const auto& [key, kept] : histograms_)
    keys.emplace_back(static_cast<wire::TrainingSubject>(key.first), key.second);
  return keys;
}

// Of a subscription only the newest: one that follows what a person looks at is of other tensors from time to time.
void TrainingView::add_values(const Message& message) {
  constexpr std::ptrdiff_t kMostOfOne = 64;
  const wire::TrainingValues& told = *message.as<wire::TrainingValues>();
  values_.insert_or_assign({told.id(), told.subject(), told.of()}, message);
  const auto first = values_.lower_bound({told.id(), 0, 0});
  auto last = first;
  while (last != values_.end() && last->first[0] == told.id()) ++last;
  if (std::distance(first, last) <= kMostOfOne) return;
  values_.erase(std::min_element(first, last, [](const auto& a, const auto& b) {
    return a.second.template as<wire::TrainingValues>()->step() < b.second.template as<wire::TrainingValues>()->step();
  }));
}

const wire::TrainingValues* TrainingView::values(std::uint32_t subscription) const {
  const wire::TrainingValues* newest = nullptr;
  for (auto at = values_.lower_bound({subscription, 0, 0}); at != values_.end() && at->first[0] == subscription; ++at) {
    const auto* told = at->second.as<wire::TrainingValues>();
    if (newest == nullptr || told->step() > newest->step()) newest = told;
  }
  return newest;
}

const wire::TrainingValues* TrainingView::values_of(wire::TrainingSubject subject, std::uint32_t of) const {
  const wire::TrainingValues* newest = nullptr;
  for (const auto& [id, message] : values_) {
    const auto* told = message.as<wire::TrainingValues>();
    if ((of != UINT32_MAX && told->of() != of) || told->subject() != static_cast<std::uint32_t>(subject)) continue;
    if (newest == nullptr || told->step() > newest->step()) newest = told;
  }
  return newest;
}

void TrainingView::add_history(const wire::TensorHistory& told) {
  const auto& touches = *told.touches();
  if (touches.size() == 0) return;
  History& history = histories_[told.tensor()];
  history.subscription = told.id();
  auto& kept = history.touches;
  // A step is told whole: what is told of it again, or after the run went back to a checkpoint, takes its place.
  while (!kept.empty() && kept.back().step() >= touches.Get(0)->step()) kept.pop_back();
  for (const wire::Touch* touch : touches) kept.push_back(*touch);
  while (kept.size() > limits_.most_touches) kept.pop_front();
}

const std::deque<wire::Touch>* TrainingView::history(std::uint32_t tensor) const {
  const auto found = histories_.find(tensor);
  return found == histories_.end() ? nullptr : &found->second.touches;
}

}  // namespace nns::live
