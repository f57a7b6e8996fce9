#include "core/diff/tensor_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "core/checkpoint/decode.h"
#include "core/checkpoint/item_walk.h"
#include "core/checkpoint/moments.h"

namespace nns::diff {

namespace {

using checkpoint::ElementSource;
using checkpoint::ItemReader;
using checkpoint::ValueClass;
using tensor::DType;

constexpr std::size_t kBlock = 16'384;  // items at once
constexpr std::size_t kShortRun = 512;  // shorter runs are put together

// What a dtype's items are made of: complex numbers are two real ones.
DType part_of(DType dtype) {
  switch (dtype) {
    case DType::Complex32:
      return DType::Float16;
    case DType::Complex64:
      return DType::Float32;
    case DType::Complex128:
      return DType::Float64;
    default:
      return dtype;
  }
}

std::size_t parts_of(DType dtype) {
  return tensor::is_complex(dtype) ? 2 : std::size_t{checkpoint::values_per_item(dtype)};
}

// Sums over pairs of values.
struct Sums {
  double max_abs = 0;
  double absolute = 0;
  double square = 0;
  double square_a = 0;
  double square_b = 0;
  double product = 0;
  std::uint64_t finite = 0;
  std::uint64_t changed = 0;
};

constexpr std::size_t kLanes = 8;

template <class T>
double distance(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::abs(static_cast<double>(b) - static_cast<double>(a));
  } else {
    // Exact, then rounded once: two's complement subtraction of the larger less the smaller always fits.
    const auto low = static_cast<std::uint64_t>(std::min(a, b));
    const auto high = static_cast<std::uint64_t>(std::max(a, b));
    return static_cast<double>(high - low);
  }
}

// Must hold: all values are finite. Lanes, because one accumulator would wait for itself.
template <class T>
void add_finite(const T* a, const T* b, std::size_t count, Sums& sums) {
  double largest[kLanes] = {};
  double absolute[kLanes] = {};
  double square[kLanes] = {};
  double square_a[kLanes] = {};
  double square_b[kLanes] = {};
  double product[kLanes] = {};
  std::uint32_t changed[kLanes] = {};
  const auto lane = [&](T value_a, T value_b, std::size_t j) {
    const double apart = distance(value_a, value_b);
    const auto x = static_cast<double>(value_a);
    const auto y = static_cast<double>(value_b);
    largest[j] = apart > largest[j] ? apart : largest[j];
    absolute[j] += apart;
    square[j] += apart * apart;
    square_a[j] += x * x;
    square_b[j] += y * y;
    product[j] += x * y;
    changed[j] += static_cast<std::uint32_t>(value_a != value_b);
  };
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) lane(a[i + j], b[i + j], j);
  }
  for (std::size_t i = whole; i < count; ++i) lane(a[i], b[i], i - whole);
  for (std::size_t j = 0; j < kLanes; ++j) {
    sums.max_abs = std::max(sums.max_abs, largest[j]);
    sums.absolute += absolute[j];
    sums.square += square[j];
    sums.square_a += square_a[j];
    sums.square_b += square_b[j];
    sums.product += product[j];
    sums.changed += changed[j];
  }
  sums.finite += count;
}

// A dimension of both tensors.
struct Dimension {
  std::uint64_t size = 0;
  std::uint64_t stride_a = 0;
  std::uint64_t stride_b = 0;
  std::uint64_t logical = 0;  // row-major stride
};

base::Error cannot(std::string found, std::string expected) {
  return {.found = std::move(found), .expected = std::move(expected), .where = {}, .offset = std::nullopt};
}

}  // namespace

struct DifferenceTask::State {
  ElementSource a;
  ElementSource b;
  std::optional<ItemReader> reader_a;
  std::optional<ItemReader> reader_b;
  std::optional<base::Error> error;
  std::vector<Dimension> sorted;  // outermost first, as visited
  std::vector<Dimension> merged;  // the same with neighbours joined that follow each other without a gap in both
  std::uint64_t count = 1;
  std::uint64_t position = 0;
  bool is_begun = false;
  bool is_done = false;
  bool bytes_equal = false;  // so far
  ValueClass kind = ValueClass::Float32;
  Sums sums;
  TensorDifference result;
  std::vector<std::byte> values_a;  // a block as numbers of `kind`
  std::vector<std::byte> values_b;
  std::vector<std::byte> gathered_a;
  std::vector<std::byte> gathered_b;

  base::Result<void> begin();
  void sort_dimensions();
  struct Block {
    const std::byte* a = nullptr;
    const std::byte* b = nullptr;
    std::size_t count = 0;
  };
  base::Result<Block> next(std::size_t most);
  std::uint64_t logical_index(std::uint64_t visited) const;
  template <class T>
  void add(const Block& block);
  base::Result<void> step();
  void finish();
};

base::Result<void> DifferenceTask::State::begin() {
  is_begun = true;
  NNS_TRY(a.check());
  NNS_TRY(b.check());
  if (a.shape != b.shape) return cannot("two tensors of different shapes", "the same shape");
  if (tensor::is_complex(a.dtype) != tensor::is_complex(b.dtype) || parts_of(a.dtype) != parts_of(b.dtype)) {
    return cannot(fmt::format("{} against {}", tensor::info(a.dtype).torch_name, tensor::info(b.dtype).torch_name),
                  "both complex or neither, both packed or neither");
  }
  reader_a.emplace(a.bytes, tensor::item_bytes(a.dtype));
  reader_b.emplace(b.bytes, tensor::item_bytes(b.dtype));
  const ValueClass kind_a = checkpoint::value_class(part_of(a.dtype));
  const ValueClass kind_b = checkpoint::value_class(part_of(b.dtype));
  // Integers of both signs meet as doubles, which are exact below 2^53.
  kind = kind_a == kind_b ? kind_a : ValueClass::Float64;
  bytes_equal = a.dtype == b.dtype;
  sort_dimensions();
  result.count = count * parts_of(a.dtype);
  is_done = count == 0;
  return {};
}

void DifferenceTask::State::sort_dimensions() {
  std::uint64_t logical = 1;
  for (std::size_t i = a.shape.size(); i-- > 0;) {
    const auto size = static_cast<std::uint64_t>(a.shape[i]);
    if (size == 0) {
      // Beside it the other sizes may be too large to be multiplied.
      count = 0;
      return;
    }
    if (size > 1) {
      sorted.insert(sorted.begin(),
                    {size, static_cast<std::uint64_t>(a.stride[i]), static_cast<std::uint64_t>(b.stride[i]), logical});
    }
    logical *= size;
  }
  count = logical;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Dimension& x, const Dimension& y) { return x.stride_a > y.stride_a; });
  for (const Dimension& next : sorted) {
    if (!merged.empty() && merged.back().stride_a == next.stride_a * next.size &&
        merged.back().stride_b == next.stride_b * next.size) {
      merged.back().size *= next.size;
      merged.back().stride_a = next.stride_a;
      merged.back().stride_b = next.stride_b;
    } else {
      merged.push_back(next);
    }
  }
  if (merged.empty()) merged.push_back({1, 1, 1, 1});
}

// The next items of both, at most `most`; valid until the next call.
base::Result<DifferenceTask::State::Block> DifferenceTask::State::next(std::size_t most) {
  const Dimension& inner = merged.back();
  most = static_cast<std::size_t>(std::min<std::uint64_t>(most, count - position));
  struct Place {
    std::uint64_t a, b, within;
  };
  const auto locate = [&](std::uint64_t at) {
    Place place{a.storage_offset, b.storage_offset, at % inner.size};
    std::uint64_t rest = at / inner.size;
    for (std::size_t i = merged.size() - 1; i-- > 0;) {
      place.a += rest % merged[i].size * merged[i].stride_a;
      place.b += rest % merged[i].size * merged[i].stride_b;
      rest /= merged[i].size;
    }
    place.a += place.within * inner.stride_a;
    place.b += place.within * inner.stride_b;
    return place;
  };
  const Place first = locate(position);
  const auto run = static_cast<std::size_t>(std::min<std::uint64_t>(most, inner.size - first.within));
  if (run == most || run >= kShortRun) {
    NNS_TRY_ASSIGN(const std::byte* raw_a, reader_a->run(first.a, inner.stride_a, run));
    NNS_TRY_ASSIGN(const std::byte* raw_b, reader_b->run(first.b, inner.stride_b, run));
    position += run;
    return Block{raw_a, raw_b, run};
  }
  const std::size_t together = std::min(most, kBlock / 4);
  const std::size_t bytes_a = tensor::item_bytes(a.dtype);
  const std::size_t bytes_b = tensor::item_bytes(b.dtype);
  gathered_a.resize(std::max(gathered_a.size(), together * bytes_a));
  gathered_b.resize(std::max(gathered_b.size(), together * bytes_b));
  std::size_t filled = 0;
  while (filled < together) {
    const Place place = locate(position + filled);
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(together - filled, inner.size - place.within));
    NNS_TRY(reader_a->copy_run(place.a, inner.stride_a, part, gathered_a.data() + filled * bytes_a));
    NNS_TRY(reader_b->copy_run(place.b, inner.stride_b, part, gathered_b.data() + filled * bytes_b));
    filled += part;
  }
  position += filled;
  return Block{gathered_a.data(), gathered_b.data(), filled};
}

std::uint64_t DifferenceTask::State::logical_index(std::uint64_t visited) const {
  std::uint64_t index = 0;
  for (std::size_t i = sorted.size(); i-- > 0;) {
    index += visited % sorted[i].size * sorted[i].logical;
    visited /= sorted[i].size;
  }
  return index;
}

template <class T>
void DifferenceTask::State::add(const Block& block) {
  const std::size_t parts = parts_of(a.dtype);
  const std::size_t values = block.count * parts;
  if (values_a.size() < values * sizeof(T)) {
    values_a.resize(values * sizeof(T));
    values_b.resize(values * sizeof(T));
  }
  auto* x = reinterpret_cast<T*>(values_a.data());
  auto* y = reinterpret_cast<T*>(values_b.data());
  // A packed item is decoded into its numbers; a complex one is two items of its part.
  const std::size_t items = tensor::is_complex(a.dtype) ? values : block.count;
  if constexpr (std::is_same_v<T, double>) {
    checkpoint::decode_as_double(part_of(a.dtype), block.a, items, x);
    checkpoint::decode_as_double(part_of(b.dtype), block.b, items, y);
  } else {
    checkpoint::decode(part_of(a.dtype), block.a, items, x);
    checkpoint::decode(part_of(b.dtype), block.b, items, y);
  }
  const double before = sums.max_abs;
  std::uint64_t left_out = 0;
  if constexpr (std::is_floating_point_v<T>) {
    const bool is_finite = !checkpoint::has_non_finite(x, values) && !checkpoint::has_non_finite(y, values);
    for (std::size_t i = 0; !is_finite && i < values; ++i) {
      if (std::isfinite(x[i]) && std::isfinite(y[i])) continue;
      const bool nan_x = std::isnan(x[i]);
      const bool nan_y = std::isnan(y[i]);
      result.nan_both += nan_x && nan_y ? 1U : 0U;
      result.nan_a += nan_x && !nan_y ? 1U : 0U;
      result.nan_b += nan_y && !nan_x ? 1U : 0U;
      if ((!nan_x || !nan_y) && x[i] != y[i]) {
        ++sums.changed;
        if (!nan_x && !nan_y) ++result.infinite;
      }
      // Zeros change no sum.
      x[i] = y[i] = 0;
      ++left_out;
    }
  }
  add_finite(x, y, values, sums);
  sums.finite -= left_out;
  if (sums.max_abs > before) {
    for (std::size_t i = 0; i < values; ++i) {
      if (distance(x[i], y[i]) != sums.max_abs) continue;
      result.max_at = logical_index(position - block.count + i / parts);
      break;
    }
  }
}

base::Result<void> DifferenceTask::State::step() {
  if (bytes_equal) {
    NNS_TRY_ASSIGN(const Block block, next(ItemReader::kPiece / tensor::item_bytes(a.dtype)));
    if (std::memcmp(block.a, block.b, block.count * tensor::item_bytes(a.dtype)) != 0) {
      // The sums need all values, those before too.
      bytes_equal = false;
      position = 0;
    }
    return {};
  }
  NNS_TRY_ASSIGN(const Block block, next(kBlock));
  switch (kind) {
    case ValueClass::Float32:
      add<float>(block);
      break;
    case ValueClass::Float64:
      add<double>(block);
      break;
    case ValueClass::Signed:
      add<std::int64_t>(block);
      break;
    case ValueClass::Unsigned:
      add<std::uint64_t>(block);
      break;
  }
  return {};
}

void DifferenceTask::State::finish() {
  result.equal_bytes = bytes_equal;
  result.changed = sums.changed;
  result.max_abs = sums.max_abs;
  if (sums.finite > 0) result.mean_abs = sums.absolute / static_cast<double>(sums.finite);
  const double norm_a = std::sqrt(sums.square_a);
  const double norm_b = std::sqrt(sums.square_b);
  if (sums.square > 0) {
    result.relative = norm_a > 0 ? std::sqrt(sums.square) / norm_a : std::numeric_limits<double>::infinity();
    result.cosine = norm_a > 0 && norm_b > 0 ? std::clamp(sums.product / norm_a / norm_b, -1.0, 1.0)
                                             : std::numeric_limits<double>::quiet_NaN();
  }
}

DifferenceTask::DifferenceTask(ElementSource a, ElementSource b) : state_(std::make_unique<State>()) {
  state_->a = std::move(a);
  state_->b = std::move(b);
}

DifferenceTask::~DifferenceTask() = default;

base::Result<bool> DifferenceTask::step(const base::Budget& budget) {
  State& state = *state_;
  if (state.error) return *state.error;
  if (!state.is_begun) {
    if (auto begun = state.begin(); !begun.ok()) {
      state.error = begun.error();
      return begun.error();
    }
  }
  while (!state.is_done) {
    if (auto stepped = state.step(); !stepped.ok()) {
      state.error = stepped.error();
      return stepped.error();
    }
    if (state.position == state.count) {
      state.is_done = true;
      state.finish();
    } else if (budget.spent()) {
      return false;
    }
  }
  return true;
}

std::uint64_t DifferenceTask::done() const { return state_->position; }
std::uint64_t DifferenceTask::total() const { return state_->count; }
const TensorDifference& DifferenceTask::difference() const { return state_->result; }

}  // namespace nns::diff
