#include "ui/app/history.h"

#include <algorithm>

namespace nns::app {

std::uint64_t History::visit(Place place) {
  if (!places_.empty() && places_[at_] == place) return 0;
  place.visit = ++last_visit_;
  if (!places_.empty()) places_.resize(at_ + 1);
  places_.push_back(place);
  if (places_.size() > kMost) places_.erase(places_.begin());
  at_ = places_.size() - 1;
  return last_visit_;
}

void History::amend(const Place& place) {
  if (places_.empty()) return;
  Place& present = places_[at_];
  if (present.document != place.document || present.row != UINT32_MAX) return;
  present.row = place.row;
  present.is_tree = place.is_tree;
}

std::optional<Place> History::go_to(std::uint64_t visit) {
  for (std::size_t index = 0; index < places_.size(); ++index) {
    if (places_[index].visit != visit) continue;
    at_ = index;
    return places_[index];
  }
  return std::nullopt;
}

std::optional<Place> History::back() {
  if (!can_go_back()) return std::nullopt;
  return places_[--at_];
}

std::optional<Place> History::forward() {
  if (!can_go_forward()) return std::nullopt;
  return places_[++at_];
}

void History::forget(std::uint32_t document) {
  std::vector<Place> kept;
  std::size_t at = 0;
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const bool stays = places_[index].document != document && (kept.empty() || kept.back() != places_[index]);
    if (stays) kept.push_back(places_[index]);
    if (index == at_) at = kept.empty() ? 0 : kept.size() - 1;
  }
  places_ = std::move(kept);
  at_ = at;
}

}  // namespace nns::app
