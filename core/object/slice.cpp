#include "core/object/slice.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace nns::object {

// Behaviour: CPython Objects/sliceobject.c, PySlice_Unpack and PySlice_AdjustIndices.
std::optional<Slice::Bounds> plain_bounds(const Value& start, const Value& stop, const Value& step,
                                          std::int64_t length) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto is_plain = [](const Value& part) { return part.is_none() || part.is_int(); };
  if (!is_plain(start) || !is_plain(stop) || !is_plain(step)) return std::nullopt;
  const std::int64_t by = step.is_none() ? 1 : std::max(step.as_int(), -kMost);
  if (by == 0) return std::nullopt;
  const auto clamp = [length, by](std::int64_t at) {
    if (at < 0) {
      at += length;
      if (at < 0) at = by < 0 ? -1 : 0;
    } else if (at >= length) {
      at = by < 0 ? length - 1 : length;
    }
    return at;
  };
  const std::int64_t first = start.is_none() ? (by < 0 ? length - 1 : 0) : clamp(start.as_int());
  const std::int64_t end = stop.is_none() ? (by < 0 ? -1 : length) : clamp(stop.as_int());
  std::int64_t count = 0;
  if (by > 0 && first < end) count = by == 1 ? end - first : (end - first - 1) / by + 1;
  if (by < 0 && end < first) count = by == -1 ? first - end : (first - end - 1) / -by + 1;
  return Slice::Bounds{first, end, by, static_cast<std::size_t>(count)};
}

std::vector<Value> taken_items(std::span<const Value> items, const Slice::Bounds& bounds) {
  if (bounds.count == 0) return {};
  if (bounds.step == 1) {
    const std::span<const Value> part = items.subspan(static_cast<std::size_t>(bounds.start), bounds.count);
    return {part.begin(), part.end()};
  }
  std::vector<Value> taken;
  taken.reserve(bounds.count);
  for (std::size_t i = 0; i < bounds.count; ++i) taken.push_back(items[bounds[i]]);
  return taken;
}

std::vector<Value> replace_items(std::vector<Value>& items, const Slice::Bounds& bounds, std::vector<Value> given) {
  const auto at = [&items](std::size_t place) { return items.begin() + static_cast<std::ptrdiff_t>(place); };
  const auto start = static_cast<std::size_t>(bounds.start);
  const std::size_t shared = std::min(bounds.count, given.size());
  std::swap_ranges(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(shared), at(start));
  const auto rest = given.begin() + static_cast<std::ptrdiff_t>(shared);
  if (bounds.count > shared) {
    const auto first = at(start + shared), last = at(start + bounds.count);
    given.insert(given.end(), std::make_move_iterator(first), std::make_move_iterator(last));
    items.erase(first, last);
  } else if (rest != given.end()) {
    items.insert(at(start + shared), std::make_move_iterator(rest), std::make_move_iterator(given.end()));
    given.erase(rest, given.end());
  }
  return given;
}

}  // namespace nns::object
