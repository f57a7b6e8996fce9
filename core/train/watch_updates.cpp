// What a Watch sees of an optimiser's step: updates, gradients as they are used, learning rates.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/object/operations.h"
#include "core/ops/dispatch.h"
#include "core/train/watch.h"

namespace nns::train {

void Watch::step_began(object::Object& object) {
  if (step_depth_++ > 0) return;
  enter(Phase::Optimizer);
  const Ref<optim::Optimizer> optimizer(static_cast<optim::Optimizer*>(&object));
  if (std::find(optimizers_.begin(), optimizers_.end(), optimizer) == optimizers_.end()) {
    constexpr std::size_t kMostOptimizers = 64;
    if (optimizers_.size() == kMostOptimizers) optimizers_.erase(optimizers_.begin());
    optimizers_.push_back(optimizer);
    rebuild();
  }
  keep_before(*optimizer);
}

// A copy costs less than it would take to find out how each optimiser writes: once it has told of an update itself,
// that parameter is not copied again.
void Watch::keep_before(const optim::Optimizer& optimizer) {
  const auto same = [&](const Ref<optim::Optimizer>& one) { return one.get() == &optimizer; };
  const auto number =
      static_cast<std::uint32_t>(std::find_if(optimizers_.begin(), optimizers_.end(), same) - optimizers_.begin());
  const bool is_any =
      std::any_of(updates_.begin(), updates_.end(), [](const Update& update) { return update.found.wants_update; });
  if (!is_any) return;
  enter(Phase::Watch);
  for (std::size_t i = 0; i < updates_.size(); ++i) {
    const ModuleTable::Parameter& row = table_.tensors()[i];
    const Tensor& tensor = *row.tensor;
    if (!updates_[i].found.wants_update || is_told_in_pass_[i] || row.optimizer != number) continue;
    // On a GPU there may be no room for a second model.
    if (!tensor.requires_grad() || !is_watchable(tensor) || tensor.is_cuda() || tensor.sparse() != nullptr ||
        ops::is_dispatched(tensor))
      continue;
    updates_[i].before = tensor::clone(tensor);
  }
  enter(Phase::Optimizer);
}

void Watch::find_update(std::uint32_t tensor, Update& update) const {
  const Ref<Tensor> before = std::exchange(update.before, nullptr);
  const Ref<Tensor>& now = table_.tensors()[tensor].tensor;
  if (!before || update.found.update.count > 0 || before->shape() != now->shape()) return;
  // Without a gradient most optimisers leave it alone; one that writes through `.data` does not count as a write.
  if (!now->grad() && now->version() == update.version) return;
  const ops::GradModeGuard unrecorded(interpreter_, false);
  const auto change = ops::call_tensor_op(interpreter_, ops::OpId::sub, std::array{Value(now), Value(before)});
  if (!change.ok()) return;
  if (const auto moments = ops::moments_of(*change.value()); moments.ok()) update.found.update = moments.value();
}

ops::UpdateMoments* Watch::update_of(Tensor& parameter) {
  const std::uint32_t number = table_.find(&parameter);
  if (number >= updates_.size() || parameter.is_cuda()) return nullptr;
  return &updates_[number].found;
}

void Watch::updated(Tensor& parameter, ops::UpdateMoments& /*found*/) {
  updates_[table_.find(&parameter)].is_found = true;
}

void Watch::touched(const Tensor& tensor, ops::Touch touch) {
  using Kind = FoundTouch::Kind;
  const std::uint32_t number = table_.find(&tensor);
  if (number >= updates_.size() || !updates_[number].has_history) return;
  const Kind kind = touch == ops::Touch::Cleared ? Kind::Cleared
                    : touch == ops::Touch::Hook  ? Kind::Hook
                                                 : Kind::Loaded;
  report_.touches.push_back({.tensor = number, .kind = kind});
}

void Watch::tell_touches(std::uint32_t tensor, const Update& update) {
  using Kind = FoundTouch::Kind;
  const auto tell = [&](Kind kind, const ops::Moments& moments) {
    FoundTouch& told = report_.touches.emplace_back(FoundTouch{.tensor = tensor, .kind = kind});
    if (moments.count == 0) return;
    told.norm = moments.norm();
    told.absmax = moments.absmax();
  };
  if (table_.tensors()[tensor].tensor->grad()) tell(Kind::Gradient, update.found.gradient);
  // Of one on a GPU that is no single pass it is only known that it wrote.
  if (update.is_found || table_.tensors()[tensor].tensor->version() != update.version)
    tell(Kind::Write, update.found.update);
}

bool Watch::is_gradient_finite(const Update& update, const Tensor& gradient) const {
  const ops::UpdateMoments& found = update.found;
  if (found.gradient.count > 0) return found.gradient.finite() == found.gradient.count;
  if (found.is_gradient_checked) return found.is_gradient_finite;
  // Where the gradients are, looking would wait for the device.
  if (!is_watchable(gradient) || gradient.is_cuda()) return true;
  const auto is_fine = ops::is_all_finite(gradient);
  return !is_fine.ok() || is_fine.value();
}

// What the optimiser did not find itself: those that are no single pass, and dtypes other than float32.
void Watch::finish_updates() {
  tell_bad_gradient();
  double square = 0;
  bool is_known = !updates_.empty();
  for (std::uint32_t i = 0; i < updates_.size(); ++i) {
    Update& update = updates_[i];
    const ModuleTable::Parameter& row = table_.tensors()[i];
    if (!is_watchable(*row.tensor)) continue;
    if (update.found.update.count > 0) is_told_in_pass_[i] = true;
    find_update(i, update);
    const Ref<Tensor>& gradient = row.tensor->grad();
    ops::UpdateMoments& found = update.found;
    const bool is_written = update.is_found || row.tensor->version() != update.version;
    if (!update.is_found || found.gradient.count + found.parameter.count == 0) {
      if (found.wants_gradient && gradient && is_watchable(*gradient)) {
        if (const auto moments = ops::moments_of(*gradient); moments.ok()) found.gradient = moments.value();
      }
      if (found.wants_parameter) {
        if (const auto moments = ops::moments_of(*row.tensor); moments.ok()) found.parameter = moments.value();
      }
    }
    if (update.has_history) tell_touches(i, update);
    const std::uint32_t bits = i < plan_.tensors.size() ? plan_.tensors[i] : 0;
    const auto report = [&](std::uint32_t bit, const ops::Moments& moments) {
      if ((bits & bit) != 0 && moments.count > 0) report_.moments.push_back({i, bit, moments});
    };
    report(subject::kParameters, found.parameter);
    report(subject::kGradients, found.gradient);
    report(subject::kUpdates, found.update);
    if (row.optimizer != kNone && gradient) {
      is_known = is_known && found.wants_gradient;
      square += found.gradient.square;
    }
    if (found.gradient.finite() != found.gradient.count) {
      note_not_finite({found.gradient.nan > 0, Phase::Backward, row.module, row.path});
    } else if (is_written && gradient && !is_gradient_finite(update, *gradient)) {
      const auto moments = ops::moments_of(*gradient);
      note_not_finite({moments.ok() && moments.value().nan > 0, Phase::Backward, row.module, row.path});
    } else if (found.parameter.finite() != found.parameter.count) {
      NotFinite bad{found.parameter.nan > 0, Phase::Optimizer, row.module, row.path};
      if (row.optimizer != kNone) bad.op = std::string(optimizers_[row.optimizer]->type().name());
      bad.place = place_now();
      note_not_finite(std::move(bad));
    }
    const std::uint32_t histograms = i < plan_.tensor_histograms.size() ? plan_.tensor_histograms[i] : 0;
    const auto draw = [&](std::uint32_t bit, const Tensor& tensor) {
      if ((histograms & bit) == 0 || !is_watchable(tensor)) return;
      if (auto histogram = ops::histogram_of(tensor, plan_.bins, plan_.sampled); histogram.ok()) {
        report_.histograms.push_back(
            {i, bit, static_cast<std::uint64_t>(tensor.numel()), std::move(histogram).value()});
      }
    };
    draw(subject::kParameters, *row.tensor);
    if (gradient) draw(subject::kGradients, *gradient);
  }
  if (is_known && square > 0) report_.gradient_norm = std::sqrt(square);
}

std::size_t Watch::count_grouped() const {
  std::size_t count = 0;
  for (const Ref<optim::Optimizer>& optimizer : optimizers_) {
    const auto groups = optimizer->param_groups();
    if (!groups.ok()) continue;
    for (const Value& entry : groups.value()->items()) {
      object::Dict* const group = entry.as<object::Dict>();
      if (group == nullptr) continue;
      const auto params = optim::params_of(interpreter_, *group);
      count += 1 + (params.ok() ? params.value()->items().size() : 0);
    }
  }
  return count;
}

void Watch::read_learning_rates() {
  // add_param_group(): the next step is seen with it.
  is_table_old_ |= count_grouped() != grouped_;
  for (std::uint32_t number = 0; number < optimizers_.size(); ++number) {
    const auto groups = optimizers_[number]->param_groups();
    if (!groups.ok()) continue;
    for (const Value& entry : groups.value()->items()) {
      object::Dict* const group = entry.as<object::Dict>();
      const Value* const rate = group == nullptr ? nullptr : group->find("lr");
      double value = std::numeric_limits<double>::quiet_NaN();
      if (rate != nullptr && ops::Number::is_real(*rate)) {
        value = ops::Number::of(*rate).as_double();
      } else if (rate != nullptr) {
        const Tensor* const held = rate->as<Tensor>();
        if (held != nullptr && held->numel() == 1 && !held->is_meta())
          value = tensor::read_double(*held, held->offset());
      }
      report_.learning_rates.push_back(value);
      report_.learning_rate_of.push_back(number);
    }
  }
}

void Watch::step_ended(object::Object& /*object*/, bool is_whole) {
  if (--step_depth_ > 0) return;
  if (!is_whole) return enter(Phase::Other);
  enter(Phase::Watch);
  finish_updates();
  read_learning_rates();
  finish_step();
  enter(Phase::Other);
}

}  // namespace nns::train
