#include "core/live/lane.h"

namespace nns::live {

void Lane::put(Told told) {
  if (told.key) {
    const auto found = places_.find(*told.key);
    if (found != places_.end()) {
      waiting_[static_cast<std::size_t>(found->second - taken_)].bytes = std::move(told.bytes);
      return;
    }
    places_.emplace(*told.key, taken_ + waiting_.size());
  } else {
    ++events_;
    event_bytes_ += told.bytes->size();
  }
  waiting_.push_back(std::move(told));
  while (events_ > limits_.most_events || (event_bytes_ > limits_.most_event_bytes && events_ > 1)) thin();
}

std::optional<Told> Lane::take() {
  if (waiting_.empty()) return std::nullopt;
  Told told = std::move(waiting_.front());
  waiting_.pop_front();
  ++taken_;
  if (told.key) {
    places_.erase(*told.key);
  } else {
    --events_;
    event_bytes_ -= told.bytes->size();
  }
  return told;
}

void Lane::clear() {
  waiting_.clear();
  places_.clear();
  events_ = 0;
  event_bytes_ = 0;
}

// Costs one pass, after which half of the events wait: a put costs the same on average however slow the viewer is.
void Lane::thin() {
  std::deque<Told> kept;
  places_.clear();
  bool keeps = false;
  for (Told& told : waiting_) {
    if (told.key) {
      places_.emplace(*told.key, taken_ + kept.size());
    } else {
      keeps = !keeps;
      // The newest is kept whatever its turn: it is what was just told.
      if (!keeps && &told != &waiting_.back()) {
        --events_;
        event_bytes_ -= told.bytes->size();
        ++left_out_;
        continue;
      }
    }
    kept.push_back(std::move(told));
  }
  if (kept.size() == waiting_.size()) {
    // Two events, of which both would stay: the older goes.
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i].key) continue;
      --events_;
      event_bytes_ -= kept[i].bytes->size();
      ++left_out_;
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
    places_.clear();
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i].key) places_.emplace(*kept[i].key, taken_ + i);
    }
  }
  waiting_ = std::move(kept);
}

}  // namespace nns::live
