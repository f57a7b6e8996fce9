#include "core/train/watch.h"

#include <algorithm>
#include <utility>

#include "core/nn/registry_watch.h"
#include "core/object/operations.h"

namespace nns::train {

namespace {

constexpr std::size_t kMostSpans = 20'000;

// The tensor that a module gave: itself, or the first of several.
const Tensor* first_tensor(const Value& value, int depth = 0) {
  constexpr int kDeepest = 3;
  if (const Tensor* tensor = value.as<Tensor>()) return tensor;
  if (depth == kDeepest) return nullptr;
  const auto first_of = [&](const std::vector<Value>& items) -> const Tensor* {
    for (const Value& item : items) {
      if (const Tensor* found = first_tensor(item, depth + 1)) return found;
    }
    return nullptr;
  };
  if (const auto* tuple = value.as<object::Tuple>()) {
    const auto items = tuple->items();
    return first_of(std::vector<Value>(items.begin(), items.end()));
  }
  if (const auto* list = value.as<object::List>()) return first_of(list->items());
  if (auto* dict = value.as<object::Dict>()) {
    for (std::size_t at = 0; const object::Dict::Entry* entry = dict->next(at);) {
      if (const Tensor* found = first_tensor(entry->value, depth + 1)) return found;
    }
  }
  return nullptr;
}

}  // namespace

bool is_watchable(const Tensor& tensor) {
  return !tensor.is_meta() && !tensor.is_uninitialized() &&
         (tensor::is_floating(tensor.dtype()) || tensor::is_complex(tensor.dtype()));
}

Watch::Watch(Interpreter& interpreter, WatchClient& client) : interpreter_(interpreter), client_(client) {
  ops::OpLibrary::of(interpreter_).training = this;
  nn::on_registry_change.store(
      [](nn::Module& module) {
        if (ops::TrainingObserver* const one = ops::OpLibrary::of(module.interpreter()).training)
          one->registry_changed(module);
      },
      std::memory_order_relaxed);
  step_began_ = phase_began_ = Clock::now();
  plan();
}

Watch::~Watch() {
  ops::TrainingObserver*& watching = ops::OpLibrary::of(interpreter_).training;
  if (watching != this) return;
  watching = nullptr;
  want_result_moments(false);
}

void Watch::release() {
  table_.clear();
  models_.clear();
  optimizers_.clear();
  calls_.clear();
  forget_lines();
  output_nodes_.clear();
  seen_ = {};
  want_result_moments(false);
}

void Watch::set_steps(std::uint64_t steps, std::uint64_t epochs) {
  steps_ = steps;
  epochs_ = epochs;
}

double Watch::epoch() const {
  double share = 0;
  for (const Loader& loader : loaders_) {
    if (loader.length > 0 && steps_ > loader.steps_before)
      share = static_cast<double>(loader.position) / static_cast<double>(loader.length);
  }
  return static_cast<double>(epochs_) + std::min(share, 1.0);
}

std::uint64_t Watch::since_step(Clock::time_point time) const {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time - step_began_).count());
}

void Watch::add_span(const Span& span) {
  if (!plan_.timeline) return;
  if (report_.spans.size() == kMostSpans) {
    ++report_.spans_left_out;
    return;
  }
  report_.spans.push_back(span);
}

void Watch::enter(Phase phase) {
  const Clock::time_point now = Clock::now();
  report_.phase_ns[static_cast<std::size_t>(phase_)] +=
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now - phase_began_).count());
  if (plan_.timeline && phase_ != Phase::Watch) {
    add_span({since_step(phase_began_), since_step(now), kNone, Span::Kind::Phase, phase_, 0});
  }
  phase_ = phase;
  phase_began_ = now;
}

void Watch::count_as_watching(bool begins) {
  if (begins) {
    phase_before_watching_ = phase_;
    enter(Phase::Watch);
  } else {
    enter(phase_before_watching_);
  }
}

void Watch::batch_asked(std::uint64_t loader, std::uint64_t length) {
  const auto known =
      std::find_if(loaders_.begin(), loaders_.end(), [&](const Loader& one) { return one.id == loader; });
  if (known == loaders_.end()) {
    constexpr std::size_t kMostLoaders = 8;  // some are left before their end
    if (loaders_.size() == kMostLoaders) loaders_.erase(loaders_.begin());
    loaders_.push_back({loader, length, 0, steps_});
  }
  enter(Phase::Data);
}

void Watch::batch_given(std::uint64_t loader, const Value* batch) {
  const auto known =
      std::find_if(loaders_.begin(), loaders_.end(), [&](const Loader& one) { return one.id == loader; });
  if (batch == nullptr) {
    if (known != loaders_.end()) {
      if (steps_ > known->steps_before) ++epochs_;
      loaders_.erase(known);
    }
  } else {
    if (known != loaders_.end()) ++known->position;
    if (const Tensor* first = first_tensor(*batch); first != nullptr && first->ndim() > 0)
      report_.samples = static_cast<std::uint64_t>(first->shape()[0]);
  }
  enter(Phase::Other);
}

void Watch::note_model(nn::Module& module) {
  if (table_.find(&module) != kNone) return;
  // A model that holds nothing to train and is one of many (losses that are made anew) would fill the table.
  constexpr std::size_t kMostModels = 64;
  if (models_.size() >= kMostModels) return;
  models_.emplace_back(&module);
  rebuild();
}

// The numbers of modules and tensors stay what they are to the end of the step.
void Watch::registry_changed(object::Object& module) {
  is_table_old_ |= table_.find(static_cast<const nn::Module*>(&module)) != kNone;
}

void Watch::rebuild() {
  is_table_old_ = false;
  // A model that cannot be walked is not shown; the program will see why itself.
  if (!table_.build(models_, optimizers_).ok()) return;
  is_told_in_pass_.clear();
  grouped_ = count_grouped();
  plan();
}

void Watch::plan() {
  plan_ = client_.plan_step(table_);
  report_.table_version = table_.version();
  backward_ns_.assign(plan_.times ? table_.modules().size() : 0, 0);
  if (plan_.times) {
    report_.times.assign(table_.modules().size(), {});
    for (std::uint32_t i = 0; i < report_.times.size(); ++i) report_.times[i].module = i;
  }
  updates_.assign(table_.tensors().size(), {});
  is_told_in_pass_.resize(updates_.size());
  for (std::size_t i = 0; i < updates_.size(); ++i) {
    const std::uint32_t bits = i < plan_.tensors.size() ? plan_.tensors[i] : 0;
    ops::UpdateMoments& wanted = updates_[i].found;
    wanted.wants_gradient = (bits & subject::kGradients) != 0;
    wanted.wants_parameter = (bits & subject::kParameters) != 0;
    wanted.wants_update = (bits & subject::kUpdates) != 0;
    updates_[i].has_history = i < plan_.histories.size() && plan_.histories[i] != 0;
    updates_[i].version = table_.tensors()[i].tensor->version();
    if (updates_[i].has_history) wanted.wants_gradient = wanted.wants_update = true;
  }
}

bool Watch::wants(std::uint32_t module, std::uint32_t bit) const {
  return module < plan_.modules.size() && (plan_.modules[module] & bit) != 0;
}
bool Watch::wants_histogram(std::uint32_t module, std::uint32_t bit) const {
  return module < plan_.module_histograms.size() && (plan_.module_histograms[module] & bit) != 0;
}

void Watch::note_not_finite(NotFinite found) {
  if (!report_.is_finite) return;
  report_.is_finite = false;
  report_.not_finite = std::move(found);
}

// Of the module that runs now: its ops find them while they write.
void Watch::want_result_moments(bool wanted) {
  ops::OpLibrary::of(interpreter_).result_moments = wanted ? &result_moments_ : nullptr;
  if (!wanted) result_moments_.forget();
}

object::PyResult<ops::Moments> Watch::moments_of(const Tensor& result) const {
  if (const ops::Moments* const found = result_moments_.of(result)) return *found;
  return ops::moments_of(result);
}

void Watch::look_at(const Tensor& tensor, std::uint32_t module, std::uint32_t bit) {
  if (!is_watchable(tensor)) return;
  if (wants(module, bit)) {
    const Seen now{tensor.storage(), tensor.offset(), tensor.numel(), tensor.version(), bit, 0};
    if (now.storage == seen_.storage && now.offset == seen_.offset && now.numel == seen_.numel &&
        now.version == seen_.version && now.bit == seen_.bit && seen_.at < report_.moments.size()) {
      report_.moments.push_back({module, bit, report_.moments[seen_.at].moments});
    } else if (const auto moments = moments_of(tensor); moments.ok()) {
      report_.moments.push_back({module, bit, moments.value()});
      seen_ = now;
      seen_.at = report_.moments.size() - 1;
      const bool is_bad = moments.value().finite() != moments.value().count;
      if (is_bad && bit == subject::kActivations) find_origin(tensor, moments.value().nan > 0, module);
    }
  }
  if (wants_histogram(module, bit)) {
    if (auto histogram = ops::histogram_of(tensor, plan_.bins, plan_.sampled); histogram.ok()) {
      report_.histograms.push_back(
          {module, bit, static_cast<std::uint64_t>(tensor.numel()), std::move(histogram).value()});
    }
  }
}

void Watch::module_entered(object::Object& object) {
  auto& module = static_cast<nn::Module&>(object);
  if (calls_.empty()) {
    note_model(module);
    if (phase_ != Phase::Forward && phase_ != Phase::Backward) enter(Phase::Forward);
  }
  const std::uint32_t number = table_.find(&module);
  segments_.push_back({ops::OpLibrary::of(interpreter_).next_node, number});
  calls_.push_back({number, plan_.times || plan_.timeline ? Clock::now() : Clock::time_point()});
  want_result_moments(wants(number, subject::kActivations));
}

void Watch::module_left(object::Object& /*object*/, const Value* result) {
  if (calls_.empty()) return;
  const Call call = calls_.back();
  calls_.pop_back();
  const ops::OpLibrary& library = ops::OpLibrary::of(interpreter_);
  segments_.push_back({library.next_node, calls_.empty() ? kNone : calls_.back().module});
  if (call.module != kNone && (plan_.times || plan_.timeline)) {
    const Clock::time_point now = Clock::now();
    if (call.module < report_.times.size()) {
      ModuleTimes& times = report_.times[call.module];
      ++times.calls;
      times.forward_ns += since_step(now) - since_step(call.began);
    }
    add_span({since_step(call.began), since_step(now), call.module, Span::Kind::ModuleForward, Phase::Forward,
              static_cast<std::uint8_t>(std::min<std::size_t>(calls_.size() + 1, UINT8_MAX))});
  }
  const Tensor* const tensor = result == nullptr ? nullptr : first_tensor(*result);
  if (tensor != nullptr && call.module != kNone) {
    if (call.module < report_.times.size()) report_.times[call.module].output_bytes += tensor->nbytes();
    if (wants(call.module, subject::kActivations) || wants_histogram(call.module, subject::kActivations)) {
      count_as_watching(true);
      look_at(*tensor, call.module, subject::kActivations);
      count_as_watching(false);
    }
    if (tensor->grad_fn() &&
        (wants(call.module, subject::kOutputGradients) || wants_histogram(call.module, subject::kOutputGradients))) {
      output_nodes_.emplace(static_cast<const ops::Node*>(tensor->grad_fn().get()),
                            std::pair(tensor->output_number(), call.module));
    }
  }
  // What is left of the module around it.
  want_result_moments(!calls_.empty() && wants(calls_.back().module, subject::kActivations));
  if (!calls_.empty()) return;
  if (report_.samples == 0 && tensor != nullptr && tensor->ndim() > 0)
    report_.samples = static_cast<std::uint64_t>(tensor->shape()[0]);
  // The loss is a part of the forward; what is computed without gradients is an evaluation or a sample.
  if (!library.grad_mode.is_enabled && phase_ == Phase::Forward) enter(Phase::Other);
}

bool Watch::wants_attention() const {
  if (calls_.empty() || calls_.back().module >= plan_.attention.size()) return false;
  const std::uint32_t module = calls_.back().module;
  return plan_.attention[module] != 0 && std::none_of(report_.attentions.begin(), report_.attentions.end(),
                                                      [&](const FoundAttention& one) { return one.module == module; });
}

void Watch::attended(const Ref<Tensor>& weights) { report_.attentions.push_back({calls_.back().module, weights}); }

void Watch::finish_step() {
  // Times with what is below, from the last module to the first: parents come before their children.
  for (std::size_t i = backward_ns_.size(); i-- > 0;) {
    report_.times[i].backward_ns = backward_ns_[i];
    const std::uint32_t parent = table_.modules()[i].parent;
    if (parent != kNone) backward_ns_[parent] += backward_ns_[i];
  }
  report_.step = steps_++;
  // What telling of this step costs counts for the next.
  enter(Phase::Watch);
  StepReport made = std::exchange(report_, {});
  step_began_ = phase_began_;
  segments_.clear();
  forget_lines();
  output_nodes_.clear();
  bad_gradient_ = {};
  seen_ = {};
  client_.step_made(std::move(made));
  if (is_table_old_) return rebuild();
  plan();
}

}  // namespace nns::train
