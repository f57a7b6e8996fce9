#include "core/checkpoint/find_value.h"

#include <algorithm>
#include <cmath>

#include "core/checkpoint/decode.h"
#include "core/checkpoint/item_walk.h"

namespace nns::checkpoint {

// One walk in the order of the storage remembers the smallest place at or behind `from`, and the smallest of all. A
// tensor that is stored in order is left at the first find behind `from`, unless an extreme is looked for.
struct FindValueTask::State {
  ElementSource source;
  FindWhat what = FindWhat::NaN;
  std::uint64_t from = 0;
  std::optional<ItemWalk> walk;
  std::optional<base::Error> error;
  std::vector<double> values;
  std::vector<std::uint64_t> integers;
  std::uint32_t per_item = 1;
  double extreme = 0;  // of floating-point types; wide integers are compared as what they are
  std::int64_t signed_extreme = 0;
  std::uint64_t unsigned_extreme = 0;
  bool has_extreme = false;
  std::uint64_t first = UINT64_MAX;
  std::uint64_t behind = UINT64_MAX;
  bool is_done = false;

  // Row-major number of a value of the visited item, the smallest one that is at or behind `from` if it is repeated.
  std::uint64_t place_of(std::uint64_t visited, std::uint32_t part, std::uint64_t at_least) const;
  void note(std::uint64_t visited, std::uint32_t part) {
    first = std::min(first, place_of(visited, part, 0));
    behind = std::min(behind, place_of(visited, part, from));
  }
  void add(const ItemWalk::Block& block, std::uint64_t begin);
  template <class T>
  void search(const T* block, std::size_t count, std::uint64_t begin, T& found);
};

std::uint64_t FindValueTask::State::place_of(std::uint64_t visited, std::uint32_t part, std::uint64_t at_least) const {
  const std::uint64_t one = walk->logical_index(visited) * per_item + part;
  if (walk->repeats() == 1) return one >= at_least ? one : UINT64_MAX;
  // The item occurs at every index of the axes that stand still: the smallest such place that is not below `at_least`.
  std::vector<std::uint64_t> index(source.shape.size());
  std::uint64_t rest = one / per_item;
  std::uint64_t wanted = at_least <= part ? 0 : (at_least - part + per_item - 1) / per_item;
  std::vector<std::uint64_t> aim(source.shape.size());
  for (std::size_t i = source.shape.size(); i-- > 0;) {
    const auto size = static_cast<std::uint64_t>(source.shape[i]);
    index[i] = rest % size;
    rest /= size;
    aim[i] = wanted % size;
    wanted /= size;
  }
  if (wanted != 0) return UINT64_MAX;
  // Follow `aim` from the left as far as it goes; where it does not, raise the last axis that still may be raised.
  const auto is_free = [&](std::size_t axis) { return source.stride[axis] == 0 && source.shape[axis] > 1; };
  std::size_t raise = SIZE_MAX;
  bool above = false;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (above) continue;
    if (is_free(i)) {
      index[i] = aim[i];
      if (aim[i] + 1 < static_cast<std::uint64_t>(source.shape[i])) raise = i;
    } else if (index[i] > aim[i]) {
      above = true;
    } else if (index[i] < aim[i]) {
      if (raise == SIZE_MAX) return UINT64_MAX;
      ++index[raise];
      for (std::size_t j = raise + 1; j < index.size(); ++j) {
        if (is_free(j)) index[j] = 0;
      }
      above = true;
    }
  }
  std::uint64_t item = 0;
  for (std::size_t i = 0; i < index.size(); ++i) item = item * static_cast<std::uint64_t>(source.shape[i]) + index[i];
  return item * per_item + part;
}

template <class T>
void FindValueTask::State::search(const T* block, std::size_t count, std::uint64_t begin, T& found) {
  for (std::size_t i = 0; i < count; ++i) {
    const T value = block[i];
    const std::uint64_t visited = begin + i / per_item;
    const auto part = static_cast<std::uint32_t>(i % per_item);
    const bool is_finite = std::isfinite(static_cast<double>(value));
    if (what == FindWhat::NaN || what == FindWhat::Infinity) {
      if (!is_finite && std::isnan(static_cast<double>(value)) == (what == FindWhat::NaN)) note(visited, part);
      // What is stored in order is not read on behind the first.
      if (behind != UINT64_MAX && walk->is_in_order()) return;
    } else if (is_finite) {
      if (has_extreme && (what == FindWhat::Maximum ? value < found : value > found)) continue;
      if (!has_extreme || value != found) {
        found = value;
        has_extreme = true;
        first = behind = UINT64_MAX;
      }
      note(visited, part);
    }
  }
}

void FindValueTask::State::add(const ItemWalk::Block& block, std::uint64_t begin) {
  const std::size_t count = block.count * per_item;
  switch (value_class(source.dtype)) {
    case ValueClass::Signed: {
      integers.resize(std::max(integers.size(), count));
      auto* numbers = reinterpret_cast<std::int64_t*>(integers.data());
      decode(source.dtype, block.raw, block.count, numbers);
      return search(numbers, count, begin, signed_extreme);
    }
    case ValueClass::Unsigned:
      integers.resize(std::max(integers.size(), count));
      decode(source.dtype, block.raw, block.count, integers.data());
      return search(integers.data(), count, begin, unsigned_extreme);
    default:
      values.resize(std::max(values.size(), count));
      decode_as_double(source.dtype, block.raw, block.count, values.data());
      return search(values.data(), count, begin, extreme);
  }
}

FindValueTask::FindValueTask(ElementSource source, FindWhat what, std::uint64_t from)
    : state_(std::make_unique<State>()) {
  state_->source = std::move(source);
  state_->what = what;
  state_->from = from;
}

FindValueTask::~FindValueTask() = default;

base::Result<bool> FindValueTask::step(const base::Budget& budget) {
  State& state = *state_;
  if (state.error) return *state.error;
  if (state.is_done) return true;
  if (!state.walk) {
    if (auto checked = state.source.check(); !checked.ok()) {
      state.error = checked.error();
      return *state.error;
    }
    state.per_item = values_per_item(state.source.dtype);
    state.walk.emplace(state.source);
  }
  ItemWalk& walk = *state.walk;
  const bool stops_early = walk.is_in_order() && (state.what == FindWhat::NaN || state.what == FindWhat::Infinity);
  while (!walk.is_done()) {
    if (stops_early && state.behind != UINT64_MAX) break;
    const std::uint64_t begin = walk.position();
    auto block = walk.next(16'384);
    if (!block.ok()) {
      state.error = block.error();
      return *state.error;
    }
    state.add(*block, begin);
    if (budget.spent()) return false;
  }
  state.is_done = true;
  return true;
}

std::optional<std::uint64_t> FindValueTask::found() const {
  if (state_->behind != UINT64_MAX) return state_->behind;
  if (state_->first != UINT64_MAX) return state_->first;
  return std::nullopt;
}

std::uint64_t FindValueTask::done() const { return state_->walk ? state_->walk->position() : 0; }
std::uint64_t FindValueTask::total() const { return state_->walk ? state_->walk->count() : 0; }

}  // namespace nns::checkpoint
