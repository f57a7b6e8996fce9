#include "core/session/training_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/live/broadcast.h"
#include "core/session/answers.h"
#include "core/session/rank_messages.h"

namespace nns::session {

namespace wire = live::wire;
namespace subject = train::subject;

namespace {

constexpr auto kBetweenTellings = std::chrono::milliseconds(100);
constexpr std::size_t kMostSteps = std::size_t{1} << 17U;
constexpr std::size_t kMostPoints = std::size_t{1} << 16U;
constexpr std::size_t kMostSeries = 256;
constexpr std::size_t kMostLines = 4096;
constexpr std::size_t kMostRates = 32;  // of groups, whose past is kept
// Of all viewers together: a stream has at most 256, each with 32.
constexpr std::size_t kMostSubscriptions = 8192;
constexpr std::size_t kMostTouches = 4096;
constexpr std::size_t kRowsOfMessage = 8192;
// The subscription of watch_all(): those of viewers begin with 1.
constexpr std::uint32_t kAll = 0;

enum Waiting : std::uint64_t { kTimeline, kHistogram, kValues };

bool has(std::uint32_t bits, std::uint32_t bit) { return (bits & bit) != 0; }
bool has(wire::TrainingForm forms, wire::TrainingForm form) { return (forms & form) != wire::TrainingForm::NONE; }

}  // namespace

TrainingSession::TrainingSession(std::uint32_t document, train::Training& training, bool was_started)
    : document_(document),
      training_(training),
      is_shown_(was_started),
      started_(std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count()),
      hooks_(document),
      measured_(Clock::now()) {
  training_.add_listener(*this);
  training_.set_planner([this](const train::ModuleTable& table) { return plan(table); });
}

TrainingSession::~TrainingSession() {
  training_.set_planner({});
  training_.remove_listener(*this);
}

void TrainingSession::find_subjects(Subscription& subscription, const train::ModuleTable& table) const {
  const auto& wanted = subscription.wanted;
  subscription.version = table.version();
  const auto add = [](std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& given, std::size_t most) {
    for (const std::uint32_t number : given) {
      if (number < most) to.push_back(number);
    }
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  };
  std::vector<std::uint32_t> modules = wanted.modules, tensors = wanted.tensors;
  if (!wanted.pattern.empty()) {
    for (std::uint32_t i = 0; i < table.modules().size(); ++i) {
      if (train::ModuleTable::matches(wanted.pattern, table.modules()[i].path)) modules.push_back(i);
    }
    for (std::uint32_t i = 0; i < table.tensors().size(); ++i) {
      if (train::ModuleTable::matches(wanted.pattern, table.tensors()[i].path)) tensors.push_back(i);
    }
  }
  subscription.modules.clear();
  subscription.tensors.clear();
  add(subscription.modules, modules, table.modules().size());
  add(subscription.tensors, tensors, table.tensors().size());
}

// Of the newest table, the modules whose hooks somebody looks at.
void TrainingSession::look_at_hooks(const train::ModuleTable& table) {
  std::set<std::uint32_t> modules;
  for (auto& [id, subscription] : subscriptions_) {
    if (!has(subscription.wanted.forms, wire::TrainingForm::Hooks)) continue;
    if (subscription.version != table.version()) find_subjects(subscription, table);
    modules.insert(subscription.modules.begin(), subscription.modules.end());
  }
  hooks_version_ = table.version();
  hooks_.look_at(table, {modules.begin(), modules.end()});
}

train::StepPlan TrainingSession::plan(const train::ModuleTable& table) {
  train::StepPlan plan;
  const Clock::time_point now = Clock::now();
  const std::uint64_t step = training_.watch().steps();
  for (auto& [id, subscription] : subscriptions_) {
    if (subscription.version != table.version()) find_subjects(subscription, table);
    const auto& wanted = subscription.wanted;
    const std::uint64_t every = std::max<std::uint32_t>(wanted.every, 1);
    subscription.is_due = step % every == 0;
    if (wanted.most_per_second > 0) {
      // In step with all others of that rate, so that many viewers cost what one does.
      const auto turn = [&](Clock::time_point time) {
        return std::floor(std::chrono::duration<double>(time.time_since_epoch()).count() *
                          static_cast<double>(wanted.most_per_second));
      };
      subscription.is_due = subscription.is_due && turn(now) > turn(subscription.last);
    }
    if (!subscription.is_due) continue;
    const auto forms = wanted.forms;
    const auto bits = static_cast<std::uint32_t>(wanted.subjects);
    plan.times = plan.times || has(forms, wire::TrainingForm::Times);
    plan.timeline = plan.timeline || has(forms, wire::TrainingForm::Timeline);
    const auto mark = [](std::vector<std::uint8_t>& rows, std::size_t size, const std::vector<std::uint32_t>& numbers,
                         std::uint32_t which) {
      if (which == 0 || numbers.empty()) return;
      rows.resize(size);
      for (const std::uint32_t number : numbers) rows[number] |= static_cast<std::uint8_t>(which);
    };
    const std::size_t modules = table.modules().size(), tensors = table.tensors().size();
    if (has(forms, wire::TrainingForm::Moments)) {
      mark(plan.modules, modules, subscription.modules, bits & subject::kOfModules);
      mark(plan.tensors, tensors, subscription.tensors, bits & subject::kOfTensors);
    }
    if (has(forms, wire::TrainingForm::Values) && has(bits, subject::kAttention)) {
      // What a module's own modules attend to is its, too; they come after it.
      plan.attention.resize(modules);
      for (const std::uint32_t number : subscription.modules) plan.attention[number] = 1;
      for (std::size_t i = 0; i < modules; ++i) {
        const std::uint32_t parent = table.modules()[i].parent;
        if (parent != train::kNone && plan.attention[parent] != 0) plan.attention[i] = 1;
      }
    }
    if (has(forms, wire::TrainingForm::History)) mark(plan.histories, tensors, subscription.tensors, 1);
    if (has(forms, wire::TrainingForm::Histograms)) {
      mark(plan.module_histograms, modules, subscription.modules, bits & subject::kOfModules);
      mark(plan.tensor_histograms, tensors, subscription.tensors, bits & (subject::kParameters | subject::kGradients));
    }
  }
  return plan;
}

// The first attention in a module that the subscription names, or below it; null: there was none.
const train::FoundAttention* TrainingSession::attention_of(const Subscription& subscription,
                                                           const train::StepReport& step) const {
  if (!has(static_cast<std::uint32_t>(subscription.wanted.subjects), subject::kAttention)) return nullptr;
  const auto& modules = training_.watch().table().modules();
  for (const train::FoundAttention& found : step.attentions) {
    for (std::uint32_t at = found.module; at < modules.size(); at = modules[at].parent) {
      if (std::binary_search(subscription.modules.begin(), subscription.modules.end(), at)) return &found;
    }
  }
  return nullptr;
}

void TrainingSession::keep_numbers(const train::StepReport& step) {
  const train::ModuleTable& table = training_.watch().table();
  if (!step.times.empty() || !step.moments.empty()) {
    live::Bytes told = training_numbers(document_, step);
    const std::uint64_t contents = live::latest_key(*wire::GetMessage(told.data()))->second;
    // Each set of modules that is looked at together has a rate of its own.
    constexpr std::size_t kMostSets = 32;
    if (numbers_version_ != table.version() || numbers_.size() == kMostSets) numbers_.clear();
    numbers_version_ = table.version();
    numbers_.insert_or_assign(contents, told);
    waiting_.insert_or_assign({UINT64_MAX, 0, contents, 0}, std::move(told));
  }
  if (!step.spans.empty()) waiting_.insert_or_assign({kTimeline, 0, 0, 0}, training_timeline(document_, step));
  for (const train::FoundHistogram& found : step.histograms) {
    waiting_.insert_or_assign({kHistogram, found.of, found.subject, 0}, training_histogram(document_, step, found));
  }
  const Clock::time_point now = Clock::now();
  for (auto& entry : subscriptions_) {
    const auto id = entry.first;
    auto& subscription = entry.second;
    if (!subscription.is_due) continue;
    subscription.last = now;
    subscription.is_due = false;
    if (subscription.version != table.version()) continue;
    const auto& wanted = subscription.wanted;
    if (has(wanted.forms, wire::TrainingForm::Values)) {
      constexpr std::size_t kMostTensors = 64;
      for (std::size_t i = 0; i < std::min(subscription.tensors.size(), kMostTensors); ++i) {
        const std::uint32_t of = subscription.tensors[i];
        const auto show = [&](std::uint32_t bit, const tensor::Tensor& tensor) {
          if (auto told = training_values(document_, table.version(), id, step.step, of, bit, tensor, wanted.width,
                                          wanted.height)) {
            waiting_.insert_or_assign({kValues, of, bit, id}, *std::move(told));
          }
        };
        const auto bits = static_cast<std::uint32_t>(wanted.subjects);
        const tensor::Tensor& tensor = *table.tensors()[of].tensor;
        if ((bits & ~subject::kAttention) == 0 || has(bits, subject::kParameters)) show(subject::kParameters, tensor);
        if (has(bits, subject::kGradients) && tensor.grad()) show(subject::kGradients, *tensor.grad());
      }
      if (const train::FoundAttention* attention = attention_of(subscription, step)) {
        if (auto told = training_values(document_, table.version(), id, step.step, attention->module,
                                        subject::kAttention, *attention->weights, wanted.width, wanted.height))
          waiting_.insert_or_assign({kValues, 0, subject::kAttention, id}, *std::move(told));
      }
    }
    if (!has(wanted.forms, wire::TrainingForm::History)) continue;
    for (const train::FoundTouch& touch : step.touches) {
      if (!std::binary_search(subscription.tensors.begin(), subscription.tensors.end(), touch.tensor)) continue;
      auto& rows = touches_[{id, touch.tensor}];
      if (rows.size() == kMostTouches) rows.erase(rows.begin(), rows.begin() + kMostTouches / 2);
      rows.push_back({step.step, touch});
    }
  }
}

void TrainingSession::step_made(const train::StepReport& step, double seconds) {
  is_shown_ = true;
  if (steps_.size() == kMostSteps) {
    // Every second of the older half goes; viewers keep what they were told.
    std::deque<StepRow> kept;
    const std::size_t told = steps_told_;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (i >= kMostSteps / 2 || i % 2 == 0 || i >= told) {
        kept.push_back(steps_[i]);
      } else {
        ++steps_left_out_;
        --steps_told_;
      }
    }
    if (kept.size() == steps_.size()) {
      // Nobody took any of them.
      kept.pop_front();
      ++steps_left_out_;
    }
    steps_ = std::move(kept);
  }
  steps_.push_back({step.step, seconds, step.loss,
                    step.learning_rates.empty() ? std::numeric_limits<double>::quiet_NaN() : step.learning_rates[0],
                    step.gradient_norm, static_cast<std::uint32_t>(step.samples), step.phase_ns});
  if (const auto& rates = step.learning_rates; rates.size() > 1) {
    const auto end = rates.begin() + static_cast<std::ptrdiff_t>(std::min(rates.size(), kMostRates));
    steps_.back().more_rates.assign(rates.begin() + 1, end);
  }
  keep_numbers(step);
  if (!step.is_finite) {
    const bool pauses = training_.options().stops_on_nan;
    alert_ =
        training_alert(document_, step,
                       pauses ? "the run was paused: what is learned from here on is lost" : "the run goes on", pauses);
    waiting_.insert_or_assign({UINT64_MAX, 1, 0, 0}, alert_);
  }
  measured_samples_ += step.samples;
  ++measured_steps_;
  watch_ns_ += step.phase_ns[static_cast<std::size_t>(train::Phase::Watch)];
  all_ns_ += step.total_ns();
}

void TrainingSession::scalar_logged(const std::string& name, bool is_evaluation, std::uint64_t step, double seconds,
                                    double value) {
  is_shown_ = true;
  const std::pair<std::string, bool> key(name, is_evaluation);
  if (!scalars_.contains(key) && scalars_.size() == kMostSeries) {
    constexpr std::size_t kMostNames = 65536;
    if (scalars_left_out_.size() < kMostNames && scalars_left_out_.insert(key).second &&
        scalars_left_out_.size() == 1) {
      training_.log_line(
          train::LogLevel::Warning,
          fmt::format("more than {} quantities by name: \"{}\" and further ones are not shown", kMostSeries, name));
    }
    return;
  }
  Series& series = scalars_[key];
  if (series.points.size() == kMostPoints) {
    std::vector<ScalarPoint> kept;
    for (std::size_t i = 0; i < series.points.size(); i += 2) kept.push_back(series.points[i]);
    series.points = std::move(kept);
    series.told = 0;
    series.is_restart = true;
  }
  series.points.push_back({step, seconds, value});
}

void TrainingSession::line_logged(train::LogLevel level, std::uint64_t step, double seconds, const std::string& text) {
  if (log_.size() == kMostLines) {
    log_.pop_front();
    if (log_told_ > 0) {
      --log_told_;
    } else {
      ++log_left_out_;
    }
  }
  log_.push_back({step, seconds, level, text});
}

void TrainingSession::checkpoint_saved(const train::SavedCheckpoint& /*saved*/) {
  for (const std::uint64_t request : checkpoint_requests_) ended_requests_.emplace_back(request, true);
  checkpoint_requests_.clear();
}

void TrainingSession::ranks_made(const train::RankReport& ranks) {
  ranks_ = ranks_message(document_, ranks);
  waiting_.insert_or_assign({UINT64_MAX, 2, 0, 0}, ranks_);
}

void TrainingSession::measure(Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - measured_).count();
  if (seconds < 1) return;
  steps_per_second_ = static_cast<double>(measured_steps_) / seconds;
  samples_per_second_ = static_cast<double>(measured_samples_) / seconds;
  watch_share_ = all_ns_ == 0 ? 0 : static_cast<double>(watch_ns_) / static_cast<double>(all_ns_);
  measured_ = now;
  measured_steps_ = measured_samples_ = watch_ns_ = all_ns_ = 0;
}

void TrainingSession::record(std::function<void(live::Bytes)> recorder) {
  recorder_ = std::move(recorder);
  watch_all(true);
}

void TrainingSession::watch_all(bool ever_rarer) {
  live::TrainingSubscription& all = subscriptions_[kAll].wanted;
  all.id = kAll;
  all.pattern.assign(1, '*');
  all.subjects = wire::TrainingSubject::Activations | wire::TrainingSubject::OutputGradients |
                 wire::TrainingSubject::Parameters | wire::TrainingSubject::Gradients | wire::TrainingSubject::Updates;
  all.forms = wire::TrainingForm::Times | wire::TrainingForm::Moments | wire::TrainingForm::Histograms |
              wire::TrainingForm::Timeline;
  all.most_per_second = 2;
  if (ever_rarer) ever_rarer_since_ = Clock::now();
}

// The last two minutes are seen twice a second; of what lasts twice as long, half as often.
void TrainingSession::become_rarer(Clock::time_point now) {
  constexpr float kSnapshots = 512;
  const std::chrono::duration<float> since = now - *ever_rarer_since_;
  float& rate = subscriptions_[kAll].wanted.most_per_second;
  if (since.count() * rate > kSnapshots) rate /= 2;
}

void TrainingSession::tell(const Send& send_to_viewers, bool all) {
  if (!is_shown_) return;
  const Send send = !recorder_ ? send_to_viewers : [&](live::Bytes message) {
    recorder_(message);
    send_to_viewers(std::move(message));
  };
  const Clock::time_point now = Clock::now();
  const bool is_changed = training_.version() != told_version_;
  const train::ModuleTable& table = training_.watch().table();
  if (hooks_.is_looking() && hooks_version_ != table.version()) look_at_hooks(table);
  // That it was paused, goes on or ended is told at once.
  const bool is_turn = training_.state() != told_state_;
  told_state_ = training_.state();
  if (!all && !is_turn &&
      (now - told_ < kBetweenTellings ||
       (!is_changed && waiting_.empty() && log_told_ == log_.size() && !hooks_.is_due())))
    return;
  told_ = now;
  if (ever_rarer_since_) become_rarer(now);
  measure(now);
  told_version_ = training_.version();
  send(training_state(document_, training_, {started_, steps_per_second_, samples_per_second_, watch_share_},
                      static_cast<std::uint32_t>(scalars_left_out_.size())));
  if (table.version() != told_table_ && !table.modules().empty()) {
    send(training_modules(document_, table));
    told_table_ = table.version();
  }
  if (training_.checkpoints().size() != told_checkpoints_) {
    send(training_checkpoints(document_, training_.checkpoints()));
    told_checkpoints_ = training_.checkpoints().size();
  }
  while (steps_told_ < steps_.size()) {
    const std::size_t end = std::min(steps_.size(), steps_told_ + kRowsOfMessage);
    const std::vector<StepRow> rows(steps_.begin() + static_cast<std::ptrdiff_t>(steps_told_),
                                    steps_.begin() + static_cast<std::ptrdiff_t>(end));
    send(training_steps(document_, rows, std::exchange(steps_restart_, false), std::exchange(steps_left_out_, 0)));
    steps_told_ = end;
  }
  for (auto& [key, series] : scalars_) {
    if (series.told == series.points.size()) continue;
    send(training_scalars(document_, key.first, key.second, std::span(series.points).subspan(series.told),
                          std::exchange(series.is_restart, false)));
    series.told = series.points.size();
  }
  if (log_told_ < log_.size()) {
    const std::vector<LogRow> rows(log_.begin() + static_cast<std::ptrdiff_t>(log_told_), log_.end());
    send(training_log(document_, rows, std::exchange(log_restart_, false), std::exchange(log_left_out_, 0)));
    log_told_ = log_.size();
  }
  for (auto& [key, message] : waiting_) send(std::move(message));
  waiting_.clear();
  for (auto& [key, rows] : touches_) send(tensor_history(document_, table.version(), key.first, key.second, rows));
  touches_.clear();
  if (hooks_.is_due()) {
    if (auto told = hooks_.tell(table, training_.watch().steps())) send(*std::move(told));
  }
  if (!training_.is_checkpoint_asked()) {
    // One that was asked for and neither made nor wanted any more could not be written; the log says why.
    for (const std::uint64_t request : checkpoint_requests_) ended_requests_.emplace_back(request, false);
    checkpoint_requests_.clear();
  }
  for (const auto& [request, is_made] : std::exchange(ended_requests_, {})) {
    send(is_made ? job_finished(request)
                 : job_failed(request, training_refused("no checkpoint was written", "see the log of the run")));
  }
}

void TrainingSession::tell_from_start(const Send& send) {
  is_shown_ = true;
  told_table_ = 0;
  told_checkpoints_ = 0;
  steps_told_ = log_told_ = 0;
  steps_restart_ = log_restart_ = true;
  for (auto& [key, series] : scalars_) {
    series.told = 0;
    series.is_restart = true;
  }
  for (const auto& [contents, numbers] : numbers_) waiting_.insert_or_assign({UINT64_MAX, 0, contents, 0}, numbers);
  if (!alert_.empty()) waiting_.insert_or_assign({UINT64_MAX, 1, 0, 0}, alert_);
  if (!ranks_.empty()) waiting_.insert_or_assign({UINT64_MAX, 2, 0, 0}, ranks_);
  hooks_.forget_told();
  tell(send, true);
}

void TrainingSession::subscribe(const wire::SubscribeTraining& command, const Send& send) {
  const std::uint32_t id = command.id();
  if (!subscriptions_.contains(id) && subscriptions_.size() == kMostSubscriptions) {
    return send(
        job_failed(command.request(), training_refused(fmt::format("{} subscriptions", subscriptions_.size() + 1),
                                                       fmt::format("at most {}", kMostSubscriptions))));
  }
  Subscription& subscription = subscriptions_[id];
  subscription = {};
  subscription.wanted = {.id = id,
                         .pattern = std::string(live::text_of(command.pattern())),
                         .modules = {command.modules()->begin(), command.modules()->end()},
                         .tensors = {command.tensors()->begin(), command.tensors()->end()},
                         .subjects = command.subjects(),
                         .forms = command.forms(),
                         .every = command.every(),
                         .most_per_second = command.most_per_second(),
                         .width = command.width(),
                         .height = command.height()};
  const train::ModuleTable& table = training_.watch().table();
  find_subjects(subscription, table);
  look_at_hooks(table);
  hooks_.forget_told();
  is_shown_ = true;
  send(training_subscribed(command.request(), document_, id, subscription.modules.size(), subscription.tensors.size(),
                           std::max<std::uint32_t>(command.every(), 1), command.most_per_second(),
                           all_ns_ == 0 && watch_share_ == 0 ? -1.0F : static_cast<float>(watch_share_)));
  send(job_finished(command.request()));
}

void TrainingSession::control(const wire::ControlTraining& command, const Send& send) {
  switch (command.action()) {
    case wire::TrainingAction::Pause:
      training_.pause();
      break;
    case wire::TrainingAction::Step:
      training_.make_steps(command.count());
      break;
    case wire::TrainingAction::Resume:
      training_.resume();
      break;
    case wire::TrainingAction::Stop:
      training_.stop();
      break;
    case wire::TrainingAction::Checkpoint: {
      const base::Result<void> asked = training_.ask_checkpoint();
      if (!asked.ok()) return send(job_failed(command.request(), asked.error()));
      checkpoint_requests_.push_back(command.request());
      return;
    }
  }
  send(job_finished(command.request()));
}

void TrainingSession::read_checkpoint(const wire::ReadCheckpoint& command, const Send& send) const {
  const auto& files = training_.files();
  const std::string name(live::text_of(command.name()));
  const auto refuse = [&](std::string found) {
    send(job_failed(command.request(), training_refused(std::move(found), "the newest checkpoint, kept in memory")));
  };
  if (files == nullptr || !files->is_in_memory()) return refuse("this run has no checkpoints in memory");
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  base::Result<std::string> part = files->read_part(name, command.first(), kPiece);
  const std::uint64_t total = files->size(name);
  if (!part.ok() || command.first() > total) return refuse(fmt::format("no checkpoint {}", name));
  checkpoint::TensorPiece piece;
  piece.next = command.first() + part.value().size();
  piece.total = total;
  piece.bytes = std::move(part).value();
  send(tensor_file_piece({command.request(), command.document(), 0}, piece));
}

bool TrainingSession::carry_out(const live::Message& message, const Send& send) {
  if (const auto* command = message.as<wire::ControlTraining>()) {
    control(*command, send);
  } else if (const auto* rate = message.as<wire::SetLearningRate>()) {
    const base::Result<void> set = training_.set_learning_rate(rate->optimizer(), rate->group(), rate->value());
    send(set.ok() ? job_finished(rate->request()) : job_failed(rate->request(), set.error()));
  } else if (const auto* subscribed = message.as<wire::SubscribeTraining>()) {
    subscribe(*subscribed, send);
  } else if (const auto* ended = message.as<wire::UnsubscribeTraining>()) {
    subscriptions_.erase(ended->id());
    look_at_hooks(training_.watch().table());
    send(job_finished(ended->request()));
  } else if (const auto* added = message.as<wire::AddHook>()) {
    const base::Result<void> made = hooks_.add(training_.watch().table(), added->module_(), added->point());
    send(made.ok() ? job_finished(added->request()) : job_failed(added->request(), made.error()));
  } else if (const auto* removed = message.as<wire::RemoveHook>()) {
    const base::Result<void> gone = hooks_.remove(training_.watch().table(), removed->module_(), removed->id());
    send(gone.ok() ? job_finished(removed->request()) : job_failed(removed->request(), gone.error()));
  } else if (const auto* file = message.as<wire::ReadCheckpoint>()) {
    read_checkpoint(*file, send);
  } else if (const auto* again = message.as<wire::RequestTraining>()) {
    tell_from_start(send);
    send(job_finished(again->request()));
  } else {
    return false;
  }
  return true;
}

}  // namespace nns::session
