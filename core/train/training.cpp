#include "core/train/training.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/optim/lr_scheduler.h"
#include "core/parallel/connector.h"

namespace nns::train {

namespace {

base::Error refused(std::string found, std::string expected) {
  return {.found = std::move(found), .expected = std::move(expected), .where = "training", .offset = std::nullopt};
}

std::string text_of(const NotFinite& found) {
  std::string text = fmt::format("{} in the {}", found.is_nan ? "NaN" : "Inf", phase_name(found.phase));
  if (!found.path.empty()) text += fmt::format(" of {}", found.path);
  if (!found.op.empty()) {
    text += found.is_op_about ? fmt::format(", made by {} or an op shortly before it", found.op)
                              : fmt::format(", first made by {}", found.op);
  }
  if (found.place.line > 0) text += fmt::format(", at {}:{}", found.place.file, found.place.line);
  if (found.rank >= 0) text += fmt::format(", on rank {}", found.rank);
  return text;
}

}  // namespace

Training::Training(python::Machine& machine, TrainingOptions options, std::shared_ptr<RunFiles> files)
    : machine_(machine), options_(std::move(options)), files_(std::move(files)), watch_(machine.interpreter(), *this) {
  if (options_.is_paused) state_ = State::Paused;
}

Training::~Training() {
  if (ranks_) parallel::ParallelLibrary::of(machine_.interpreter()).on_step = nullptr;
  watch_.release();
}

void Training::remove_listener(TrainingListener& listener) {
  listeners_.erase(std::remove(listeners_.begin(), listeners_.end(), &listener), listeners_.end());
}

double Training::seconds() const {
  Clock::duration all = ran_;
  if (state_ == State::Running) all += Clock::now() - running_since_;
  return std::chrono::duration<double>(all).count();
}

void Training::set_state(State state) {
  if (state == state_) return;
  if (state_ == State::Running) ran_ += Clock::now() - running_since_;
  if (state == State::Running) running_since_ = Clock::now();
  state_ = state;
  ++version_;
}

void Training::began() {
  if (state_ == State::Starting) set_state(State::Running);
}

void Training::ended(std::optional<base::Error> problem, bool was_stopped) {
  tell_joined_step();
  set_state(was_stopped ? State::Stopped : problem ? State::Failed : State::Finished);
  if (problem) problem_ = std::move(problem);
  ++version_;
}

void Training::pause() {
  if (state_ != State::Running && state_ != State::Starting) return;
  set_state(State::Paused);
  machine_.look_soon();
}

void Training::resume() {
  if (state_ != State::Paused) return;
  steps_until_pause_ = 0;
  problem_.reset();
  set_state(State::Running);
}

void Training::make_steps(std::uint64_t count) {
  if (state_ != State::Paused && state_ != State::Running) return;
  resume();
  steps_until_pause_ = std::max<std::uint64_t>(count, 1);
  ++version_;
}

void Training::stop() {
  is_stop_asked_ = true;
  machine_.interrupt();
  machine_.look_soon();
  resume();
}

base::Result<void> Training::set_learning_rate(std::uint32_t optimizer, std::uint32_t group, double rate) {
  if (!std::isfinite(rate) || rate < 0)
    return refused(fmt::format("a learning rate of {}", rate), "a finite number that is not below 0");
  const auto& optimizers = watch_.optimizers();
  object::Interpreter& in = machine_.interpreter();
  bool is_set = false;
  std::vector<std::string> schedulers;
  const bool is_one = group != kNone;
  for (std::uint32_t number = 0; number < optimizers.size(); ++number) {
    if (optimizer != kNone && optimizer != number) continue;
    const auto groups = optimizers[number]->param_groups();
    if (!groups.ok()) continue;
    for (std::uint32_t at = 0; at < groups.value()->items().size(); ++at) {
      if (group != kNone && group != at) continue;
      const Value entry = groups.value()->items()[at];
      object::Dict* const options = entry.as<object::Dict>();
      if (options == nullptr) continue;
      const auto followed = optim::rescale_schedulers(*optimizers[number], at, rate);
      if (!followed.ok()) return followed.error();
      schedulers.insert(schedulers.end(), followed.value().begin(), followed.value().end());
      const Value* const before = options->find("lr");
      Tensor* const held = before == nullptr ? nullptr : before->as<Tensor>();
      if (held != nullptr) {
        tensor::fill_(*held, rate);
      } else {
        options->set(in.intern("lr"), Value(rate));
      }
      is_set = true;
    }
  }
  if (!is_set) return refused("no optimiser with that number has made a step", "one that was told of");
  std::sort(schedulers.begin(), schedulers.end());
  schedulers.erase(std::unique(schedulers.begin(), schedulers.end()), schedulers.end());
  log_line(LogLevel::Info,
           fmt::format("learning rate{} set to {}{}", is_one ? fmt::format(" of group {}", group) : std::string(), rate,
                       schedulers.empty() ? std::string()
                                          : fmt::format(", from where {} goes on", fmt::join(schedulers, " and "))));
  // A program that writes its rates itself is found out at the next step.
  rate_set_.reset();
  if (schedulers.empty()) rate_set_ = {optimizer, group, rate};
  return {};
}

// A sparse tensor holds the items that are there.
static std::uint64_t held_bytes(const Tensor& tensor) {
  const tensor::SparseParts* const parts = tensor.sparse();
  return parts == nullptr ? tensor.nbytes() : parts->indices->nbytes() + parts->values->nbytes();
}

Training::Memory Training::memory() const {
  Memory memory;
  const tensor::ByteUse use = tensor::bytes_in_use();
  const auto beyond = [&](std::size_t bytes) {
    return static_cast<std::uint64_t>(bytes - std::min(bytes, bytes_before_.now));
  };
  memory.now = beyond(use.now);
  // The thread's largest use may be of something that it did before.
  memory.most = use.most > bytes_before_.most ? beyond(use.most) : memory.now;
  for (const ModuleTable::Parameter& row : watch_.table().tensors()) {
    memory.model += row.tensor->nbytes();
    if (const tensor::Ref<tensor::Tensor>& grad = row.tensor->grad()) memory.gradients += held_bytes(*grad);
  }
  for (const Ref<optim::Optimizer>& optimizer : watch_.optimizers()) {
    const auto state = optimizer->state();
    if (!state.ok()) continue;
    for (std::size_t at = 0; const object::Dict::Entry* entry = state.value()->next(at);) {
      object::Dict* const kept = entry->value.as<object::Dict>();
      if (kept == nullptr) continue;
      for (std::size_t of = 0; const object::Dict::Entry* one = kept->next(of);) {
        if (const Tensor* tensor = one->value.as<Tensor>()) memory.optimizers += held_bytes(*tensor);
      }
    }
  }
  return memory;
}

base::Result<void> Training::ask_checkpoint() {
  if (files_ == nullptr) return refused("this run has no folder", "one that is kept on a disk");
  if (!takes_checkpoints_)
    return refused("the program takes no checkpoints", "one that makes a nnscope.train.Run of its model");
  is_checkpoint_asked_ = true;
  ++version_;
  return {};
}

void Training::log_scalar(const std::string& name, bool is_evaluation, double value,
                          std::optional<std::uint64_t> step) {
  for (TrainingListener* const listener : listeners_)
    listener->scalar_logged(name, is_evaluation, step.value_or(watch_.steps()), seconds(), value);
}

void Training::log_line(LogLevel level, const std::string& text) {
  for (TrainingListener* const listener : listeners_) listener->line_logged(level, watch_.steps(), seconds(), text);
}

bool Training::wants_checkpoint() {
  const std::uint64_t steps = watch_.steps();
  const bool is_due = options_.checkpoint_every > 0 && steps > last_checkpoint_ &&
                      steps - last_checkpoint_ >= options_.checkpoint_every;
  return files_ != nullptr && (is_checkpoint_asked_ || is_due);
}

bool Training::save_checkpoint(const std::string& part, const std::string& name, double seconds, std::uint64_t keep) {
  for (TrainingListener* const listener : listeners_) listener->checkpoint_begins();
  if (const base::Result<void> done = files_->commit(part, name); !done.ok()) {
    checkpoint_failed(part, done.error().message());
    return false;
  }
  is_checkpoint_asked_ = false;
  last_checkpoint_ = watch_.steps();
  checkpoints_.push_back({watch_.steps(), name, files_->size(name), seconds});
  ++version_;
  for (TrainingListener* const listener : listeners_) listener->checkpoint_saved(checkpoints_.back());
  const std::vector<std::string> there = files_->list("checkpoints");
  for (std::size_t i = 0; keep > 0 && keep < there.size() - i; ++i) files_->remove("checkpoints/" + there[i]);
  return true;
}

void Training::checkpoint_failed(const std::string& part, const std::string& why) {
  // The run goes on: what it has learned is worth more than the file, and the older checkpoint is still there.
  files_->remove(part);
  is_checkpoint_asked_ = false;
  last_checkpoint_ = watch_.steps();
  log_line(LogLevel::Error, fmt::format("no checkpoint at step {}: {}", watch_.steps(), why));
}

StepPlan Training::plan_step(const ModuleTable& table) {
  StepPlan plan = planner_ ? planner_(table) : StepPlan();
  plan.checks_gradients = options_.checks_backward || watch_.steps() < checks_backward_until_;
  if (ranks_) {
    // What rank 0 plans is what is agreed on, unless the step is not seen in detail after all.
    ranks_->plan_next(plan, table.modules().size());
    if (ranks_->rank() != 0) ranks_->add_to(plan, table.modules().size());
  }
  return plan;
}

void Training::step_made(StepReport report) {
  if (!ranks_) return tell_step(std::move(report));
  // A program that does not meet is told of what this rank did.
  if (std::optional<StepReport> unmet = ranks_->put(std::move(report))) tell_step(*std::move(unmet));
}

void Training::join_ranks(int rank, int size) {
  ranks_ = std::make_unique<RankExchange>(rank, size, options_.machine);
  watch_.plan_again();
}

void Training::tell_joined_step() {
  if (!ranks_) return;
  std::optional<StepReport> report = ranks_->take();
  const std::optional<RankReport> all = ranks_->take_report();
  if (report) tell_step(*std::move(report));
  if (!all) return;
  for (TrainingListener* const listener : listeners_) listener->ranks_made(*all);
}

void Training::begin_joined_step(RankExchange::Next next) {
  const bool is_other = ranks_->begin_next(next);
  // Timelines cost a look at every parameter.
  auto& on_step = parallel::ParallelLibrary::of(machine_.interpreter()).on_step;
  if (ranks_->is_detailed()) {
    on_step = [this](parallel::StepTimeline timeline) { ranks_->set_timeline(std::move(timeline)); };
  } else {
    on_step = nullptr;
  }
  // Rank 0 has planned it already.
  if (is_other && ranks_->rank() != 0) watch_.plan_again();
}

void Training::tell_step(StepReport report) {
  samples_ += report.samples;
  ++version_;
  const double now = seconds();
  for (TrainingListener* const listener : listeners_) listener->step_made(report, now);
  // Where it was made was not seen: from now on all is looked at, should it happen again.
  constexpr std::uint64_t kStepsOfLooking = 100;
  const NotFinite& bad = report.not_finite;
  if (!report.is_finite && bad.phase == Phase::Backward && (bad.op.empty() || bad.is_op_about))
    checks_backward_until_ = report.step + kStepsOfLooking;
  const bool is_trouble = !report.is_finite && options_.stops_on_nan;
  // A run that goes on is told of the first of several such steps only.
  if (!report.is_finite && !is_trouble && was_finite_) log_line(LogLevel::Warning, text_of(report.not_finite));
  was_finite_ = report.is_finite;
  if (is_trouble) {
    problem_ = base::Error{.found = text_of(report.not_finite),
                           .expected = "numbers that are finite",
                           .where = fmt::format("step {}", report.step),
                           .offset = std::nullopt};
    log_line(LogLevel::Error, problem_->message());
  }
  if (rate_set_) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < report.learning_rates.size(); ++i) {
      const std::uint32_t optimizer = report.learning_rate_of[i];
      group = i > 0 && report.learning_rate_of[i - 1] == optimizer ? group + 1 : 0;
      const bool is_meant = (rate_set_->optimizer == kNone || rate_set_->optimizer == optimizer) &&
                            (rate_set_->group == kNone || rate_set_->group == group);
      if (!is_meant || report.learning_rates[i] == rate_set_->rate) continue;
      log_line(LogLevel::Warning,
               fmt::format("the program sets its learning rate itself: it is {} again", report.learning_rates[i]));
      break;
    }
    rate_set_.reset();
  }
  last_step_ = std::move(report);
  // Its tensors belong to the interpreter, which may end before this does.
  last_step_.attentions.clear();
  if (is_trouble || (steps_until_pause_ > 0 && --steps_until_pause_ == 0)) pause();
}

}  // namespace nns::train
