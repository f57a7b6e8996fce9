// A rate that a person sets while schedulers compute rates: they go on from it.
#include <fmt/format.h>

#include "core/ops/number.h"
#include "core/optim/lr_scheduler.h"

namespace nns::optim {

namespace {

base::Error cannot(std::string found, std::string expected) {
  return {.found = std::move(found), .expected = std::move(expected), .where = "learning rate", .offset = std::nullopt};
}

std::optional<double> number_or_none(const Value* value) {
  if (value == nullptr) return std::nullopt;
  if (ops::Number::is_real(*value)) return ops::Number::of(*value).as_double();
  const Tensor* const tensor = value->as<Tensor>();
  if (tensor == nullptr || tensor->numel() != 1 || tensor->is_meta()) return std::nullopt;
  return tensor::read_double(*tensor, tensor->offset());
}

// A place that holds a rate: an item of a list, or an entry of a group.
template <class Scale>
void scale_number(Value& place, Scale scaled) {
  const std::optional<double> before = number_or_none(&place);
  if (!before) return;
  if (Tensor* const tensor = place.as<Tensor>()) {
    tensor::fill_(*tensor, scaled(*before));
  } else {
    place = Value(scaled(*before));
  }
}

}  // namespace

base::Result<std::vector<std::string>> rescale_schedulers(Optimizer& optimizer, std::size_t group, double rate) {
  std::vector<Ref<object::Object>> alive;
  for (const Ref<object::WeakReference>& one : optimizer.schedulers) {
    if (Ref<object::Object> scheduler = one->get()) alive.push_back(std::move(scheduler));
  }
  std::vector<std::string> names;
  const auto groups = optimizer.param_groups();
  if (alive.empty() || !groups.ok() || group >= groups.value()->items().size()) return names;
  Dict* const options = groups.value()->items()[group].as<Dict>();
  const std::optional<double> before = options == nullptr ? std::nullopt : number_or_none(options->find("lr"));
  if (!before || *before == rate) return names;
  const std::string first(alive.front()->type().name());
  if (rate == 0)
    return cannot(fmt::format("a rate of 0, from which {} would never come back", first), "one above 0, or a pause");
  if (*before == 0)
    return cannot(fmt::format("{} is at 0, and says nothing of what it will make of another rate", first),
                  "another moment, when the rate is above 0");
  const double ratio = rate / *before;
  const auto by_ratio = [&](double value) { return value * ratio; };
  for (const Ref<object::Object>& scheduler : alive) {
    auto& instance = static_cast<object::Instance&>(*scheduler);
    names.emplace_back(scheduler->type().name());
    // Cosines swing between the base rate and this one.
    const std::optional<double> least = number_or_none(instance.dict().find("eta_min"));
    const bool has_floor = least && *before > *least && rate > *least;
    const double above = has_floor ? (rate - *least) / (*before - *least) : ratio;
    for (const std::string_view name : {"base_lrs", "max_lrs"}) {
      const Value* const rates = instance.dict().find(name);
      auto* const list = rates == nullptr ? nullptr : rates->as<object::List>();
      if (list == nullptr || group >= list->items().size()) continue;
      scale_number(list->items()[group],
                   [&](double value) { return has_floor ? *least + (value - *least) * above : by_ratio(value); });
    }
  }
  for (const std::string_view name : {"initial_lr", "max_lr", "min_lr"}) {
    const Value* const found = options->find(name);
    if (found == nullptr) continue;
    Value scaled = *found;
    scale_number(scaled, by_ratio);
    options->set(optimizer.interpreter().intern(name), scaled);
  }
  return names;
}

}  // namespace nns::optim
