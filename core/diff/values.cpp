#include "core/diff/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/hash.h"

namespace nns::diff {

namespace {

using checkpoint::Checkpoint;
using checkpoint::kNone;
using checkpoint::TensorEntry;

struct Pair {
  std::uint32_t row = 0;
  std::uint32_t a = 0;  // tensors
  std::uint32_t b = 0;
  std::uint32_t twin = kNone;  // the next pair with the same values
  bool is_twin = false;        // an earlier pair has the same values
};

// A number that is the same for tensors that lie in the same bytes in the same way.
std::uint64_t identity(const Checkpoint& file, const TensorEntry& entry) {
  std::uint64_t hash = base::hash_mix(entry.storage, entry.storage_offset);
  hash = base::hash_mix(hash, static_cast<std::uint64_t>(entry.dtype));
  for (const std::int64_t size : file.shape(entry)) hash = base::hash_mix(hash, static_cast<std::uint64_t>(size));
  for (const std::int64_t step : file.stride(entry)) hash = base::hash_mix(hash, static_cast<std::uint64_t>(step));
  return hash;
}

bool is_same(const Checkpoint& file, std::uint32_t left, std::uint32_t right) {
  const TensorEntry& x = file.tensors[left];
  const TensorEntry& y = file.tensors[right];
  if (left == right) return true;
  if (x.storage == kNone || std::tie(x.storage, x.storage_offset, x.dtype, x.dtype_text, x.rank) !=
                                std::tie(y.storage, y.storage_offset, y.dtype, y.dtype_text, y.rank)) {
    return false;
  }
  const auto dims = std::size_t{2} * x.rank;
  return std::equal(file.dims.data() + x.dims, file.dims.data() + x.dims + dims, file.dims.data() + y.dims);
}

}  // namespace

base::Result<checkpoint::ElementSource> element_source(Checkpoint& file, std::uint32_t tensor) {
  const TensorEntry& entry = file.tensors[tensor];
  checkpoint::ElementSource source;
  if (!entry.has_shape || !entry.readable) {
    return base::Error{.found = fmt::format("{} has no values that can be read", file.name(entry)),
                       .expected = "a tensor that is not on meta, of a known type, in a file that is there",
                       .where = file.title,
                       .offset = std::nullopt};
  }
  if (entry.numel == 0) {
    source.bytes = base::make_memory_source(std::string(file.name(entry)), {});
  } else {
    NNS_TRY_ASSIGN(source.bytes, file.value_bytes(tensor));
  }
  const auto shape = file.shape(entry);
  const auto stride = file.stride(entry);
  source.dtype = entry.dtype;
  source.shape.assign(shape.begin(), shape.end());
  source.stride.assign(stride.begin(), stride.end());
  source.storage_offset = entry.storage_offset;
  return source;
}

struct ValuesTask::State {
  Checkpoint& a;
  Checkpoint& b;
  std::vector<Pair> pairs;
  std::size_t at = 0;
  std::uint32_t last_row = 0;
  std::optional<DifferenceTask> task;
  std::vector<RowValues> finished;
  std::uint64_t done = 0;
  std::uint64_t total = 0;

  std::uint64_t bytes_of(const Pair& pair) const {
    if (pair.is_twin || !a.tensors[pair.a].readable || !b.tensors[pair.b].readable) return 0;
    return a.tensors[pair.a].nbytes + b.tensors[pair.b].nbytes;
  }
  void find_twins();
  base::Result<bool> work(const base::Budget& budget);
  void finish(RowValues values);
};

ValuesTask::ValuesTask(Checkpoint& a, Checkpoint& b, const Structure& structure, RowRange rows)
    : state_(new State{a, b, {}, 0, 0, std::nullopt, {}, 0, 0}) {
  State& state = *state_;
  const std::uint32_t last = std::min(rows.last, structure.size());
  state.last_row = last;
  for (std::uint32_t row = rows.first; row < last; ++row) {
    if (structure.a[row] == kNone || structure.b[row] == kNone || (structure.flags[row] & kShape) != 0) {
      continue;
    }
    const std::uint32_t tensor_a = a.tree.tensor[structure.a[row]];
    const std::uint32_t tensor_b = b.tree.tensor[structure.b[row]];
    if (tensor_a != kNone && tensor_b != kNone) state.pairs.push_back({row, tensor_a, tensor_b, kNone, false});
  }
  state.find_twins();
  for (const Pair& pair : state.pairs) state.total += state.bytes_of(pair);
}

ValuesTask::~ValuesTask() = default;

void ValuesTask::State::find_twins() {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  order.reserve(pairs.size());
  for (std::uint32_t i = 0; i < pairs.size(); ++i) {
    order.emplace_back(base::hash_mix(identity(a, a.tensors[pairs[i].a]), identity(b, b.tensors[pairs[i].b])), i);
  }
  std::sort(order.begin(), order.end());
  for (std::size_t i = 1; i < order.size(); ++i) {
    Pair& before = pairs[order[i - 1].second];
    Pair& here = pairs[order[i].second];
    if (order[i].first != order[i - 1].first || !is_same(a, before.a, here.a) || !is_same(b, before.b, here.b))
      continue;
    before.twin = order[i].second;
    here.is_twin = true;
  }
}

void ValuesTask::State::finish(RowValues values) {
  for (std::uint32_t pair = static_cast<std::uint32_t>(at); pair != kNone; pair = pairs[pair].twin) {
    values.row = pairs[pair].row;
    finished.push_back(values);
  }
  done += bytes_of(pairs[at]);
  task.reset();
  ++at;
}

base::Result<bool> ValuesTask::State::work(const base::Budget& budget) {
  if (!task) {
    NNS_TRY_ASSIGN(auto source_a, element_source(a, pairs[at].a));
    NNS_TRY_ASSIGN(auto source_b, element_source(b, pairs[at].b));
    task.emplace(std::move(source_a), std::move(source_b));
  }
  return task->step(budget);
}

bool ValuesTask::step(const base::Budget& budget) {
  State& state = *state_;
  while (state.at < state.pairs.size()) {
    if (state.pairs[state.at].is_twin) {
      ++state.at;
      continue;
    }
    auto worked = state.work(budget);
    if (!worked.ok()) {
      state.finish({.row = 0, .state = ValueState::Unreadable, .difference = {}, .problem = worked.error().message()});
    } else if (*worked) {
      const TensorDifference found = state.task->difference();
      state.finish({.row = 0,
                    .state = found.is_equal() ? ValueState::Equal : ValueState::Different,
                    .difference = found,
                    .problem = {}});
    }
    if (budget.spent()) break;
  }
  return state.at == state.pairs.size();
}

std::vector<RowValues> ValuesTask::take_finished() { return std::exchange(state_->finished, {}); }

std::uint32_t ValuesTask::next_row() const {
  return state_->at < state_->pairs.size() ? state_->pairs[state_->at].row : state_->last_row;
}

std::uint64_t ValuesTask::done() const {
  const State& state = *state_;
  if (!state.task || state.task->total() == 0) return state.done;
  const double share = static_cast<double>(state.task->done()) / static_cast<double>(state.task->total());
  return state.done + static_cast<std::uint64_t>(share * static_cast<double>(state.bytes_of(state.pairs[state.at])));
}

std::uint64_t ValuesTask::total() const { return state_->total; }

double change_rank(const Structure& structure, std::uint32_t row, ValueState state,
                   const TensorDifference& difference) {
  const std::uint8_t flags = structure.flags[row];
  switch (structure.match[row]) {
    case Match::Added:
    case Match::Removed:
      return 1e6;
    default:
      break;
  }
  if ((flags & kShape) != 0) return 1e5;
  double rank = 0;
  if (state == ValueState::Different) {
    // 10 to 1,000: relative differences of any size in their order; values that became NaN or infinite first.
    rank = std::isfinite(difference.relative) ? 10 + 900 * difference.relative / (1 + difference.relative) : 1000;
    if (difference.nan_a + difference.nan_b + difference.infinite > 0) rank = 1000;
  }
  if ((flags & (kClass | kText)) != 0) rank += 5;
  if ((flags & kDtype) != 0) rank += 3;
  if (structure.match[row] != Match::Same) rank += 2;
  if (state == ValueState::Unreadable) rank += 1;
  return rank;
}

}  // namespace nns::diff
