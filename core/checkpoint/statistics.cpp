#include "core/checkpoint/statistics.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "core/checkpoint/code_passes.h"
#include "core/checkpoint/dead_lines.h"
#include "core/checkpoint/decode.h"
#include "core/checkpoint/item_walk.h"
#include "core/checkpoint/moments.h"
#include "core/checkpoint/outliers.h"
#include "core/checkpoint/passes.h"
#include "core/checkpoint/radix_select.h"

namespace nns::checkpoint {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Numbers in the order of their values.
std::uint64_t ordered_key(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits ^ ((0U - (bits >> 31U)) | 0x80000000U);
}
std::uint64_t ordered_key(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits ^ ((0U - (bits >> 63U)) | (std::uint64_t{1} << 63U));
}
double value_of_key(std::uint64_t key, float /*type*/) {
  auto bits = static_cast<std::uint32_t>(key);
  bits ^= (bits >> 31U) != 0 ? 0x80000000U : 0xFFFFFFFFU;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}
double value_of_key(std::uint64_t key, double /*type*/) {
  key ^= (key >> 63U) != 0 ? std::uint64_t{1} << 63U : ~std::uint64_t{0};
  double value;
  std::memcpy(&value, &key, sizeof value);
  return value;
}

// For items of four bytes and more: each is one value.
template <class T>
class TypedPasses final : public Passes {
 public:
  TypedPasses(tensor::DType dtype, bool with_histogram) : dtype_(dtype), with_histogram_(with_histogram) {
    // Integers are counted from their minimum, which the first pass finds; floats need not wait.
    if (with_histogram && kIsFloat<T>) select_.emplace(std::vector<std::uint64_t>(), 8 * sizeof(T));
    passes_ = !with_histogram ? 1 : sizeof(T) == 8 && kIsFloat<T> ? 4 : 2;
  }

  void add(const std::byte* raw, std::size_t items, const ItemWalk& walk) override {
    const std::uint32_t item_bytes = tensor::item_bytes(dtype_);
    std::uint64_t visited = walk.position() - items;
    for (std::size_t done = 0; done < items; done += kBlock) {
      const std::size_t part = std::min(kBlock, items - done);
      if (pass_ == 0 && add_as_stored(raw + done * item_bytes, part)) {
        visited += part;
        continue;
      }
      decode(dtype_, raw + done * item_bytes, part, block_.data());
      if (pass_ == 0 && tensor::is_complex(dtype_)) {
        const ComplexSum sum = sum_complex(dtype_, raw + done * item_bytes, part);
        complex_sum_.real += sum.real;
        complex_sum_.imaginary += sum.imaginary;
      }
      if (pass_ == 0) {
        add_to_moments(part, visited, walk);
      } else {
        const std::size_t finite = has_non_finite(block_.data(), part) ? set_apart(part, visited, walk) : part;
        if (counts_outliers_) count_outliers(finite);
        if (with_histogram_) add_finite(finite);
      }
      visited += part;
    }
  }

  bool end_pass(const ItemWalk& walk) override {
    if (pass_ == 0) {
      finish_moments(walk);
      if (moments_.count() == 0) return false;
      const std::optional<std::uint64_t> outliers = outliers_.count(moments_);
      counts_outliers_ = !outliers.has_value();
      result.outliers = outliers.value_or(0) * walk.repeats();
      if (!with_histogram_) {
        pass_ = 1;
        passes_ = counts_outliers_ ? 2 : 1;
        return counts_outliers_;
      }
      prepare_histogram();
      prepare_select(walk);
    }
    if (counts_outliers_ && pass_ > 0) {
      result.outliers *= walk.repeats();
      counts_outliers_ = false;
      if (!with_histogram_) return false;
    }
    if (select_ && !select_->is_done() && (pass_ > 0 || kIsFloat<T>)) select_->end_pass();
    ++pass_;
    if (pass_ < 2 || (select_ && !select_->is_done())) return true;
    for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
      result.histogram.push_back((bin_counts_[bin] + bin_counts_[Bins::kCount + bin]) * walk.repeats());
    }
    finish_quantiles(walk);
    return false;
  }

  unsigned passes() const override { return passes_; }

 private:
  static constexpr std::size_t kBlock = 2048;

  // Adds a block up where it lies, if nothing else has to be known of its values; false: the block must be decoded.
  bool add_as_stored(const std::byte* raw, std::size_t items) {
    if constexpr (!std::is_same_v<T, float>) {
      return false;
    } else {
      if (!stored_ || moments_.count() == 0 || (select_ && !select_->is_done())) return false;
      if (!moments_.add_stored_if_finite(*stored_, raw, items)) return false;
      if (!outliers_.has_far(moments_)) return true;
      decode(dtype_, raw, items, block_.data());
      outliers_.add(block_.data(), items, moments_);
      return true;
    }
  }

  static std::optional<StoredFloat> stored_format(tensor::DType dtype) {
    switch (dtype) {
      case tensor::DType::Float32:
        return StoredFloat::Float32;
      case tensor::DType::Float16:
        return StoredFloat::Float16;
      case tensor::DType::BFloat16:
        return StoredFloat::BFloat16;
      default:
        return std::nullopt;
    }
  }

  // Counts and removes what is not finite from the block; gives how many values are left.
  std::size_t set_apart(std::size_t values, std::uint64_t visited, const ItemWalk& walk) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values; ++i) {
      const auto value = block_[i];
      if (std::isfinite(static_cast<double>(value))) {
        block_[kept++] = value;
        continue;
      }
      if (pass_ != 0) continue;
      const bool is_nan = std::isnan(static_cast<double>(value));
      std::uint64_t& first = is_nan ? result.first_nan : result.first_inf;
      ++(is_nan ? result.nan : value > T{0} ? result.pos_inf : result.neg_inf);
      if (!walk.is_in_order()) {
        first = std::min(first, walk.logical_index(visited + i));
      } else if (first == UINT64_MAX) {
        first = visited + i;
      }
    }
    return kept;
  }

  void add_to_moments(std::size_t count, std::uint64_t visited, const ItemWalk& walk) {
    if (!moments_.add_if_finite(block_.data(), count)) {
      count = set_apart(count, visited, walk);
      moments_.add(block_.data(), count);
    }
    outliers_.add(block_.data(), count, moments_);
    if (select_ && !select_->is_done()) add_finite(count);
  }

  void count_outliers(std::size_t count) {
    const double mean = moments_.mean();
    const double reach = kOutlier * moments_.deviation();
    for (std::size_t i = 0; i < count; ++i) {
      result.outliers += static_cast<std::uint64_t>(std::fabs(static_cast<double>(block_[i]) - mean) > reach);
    }
  }

  void add_finite(std::size_t count) {
    if (pass_ == 1) {
      bins_.of(block_.data(), count, block_bins_.data());
      // Equal neighbours would wait for each other's count, so they are counted in two tables.
      std::uint64_t* counts = bin_counts_.data();
      const std::int32_t* bins = block_bins_.data();
      std::size_t i = 0;
      for (; i + 2 <= count; i += 2) {
        ++counts[bins[i]];
        ++counts[Bins::kCount + static_cast<std::size_t>(bins[i + 1])];
      }
      if (i < count) ++counts[bins[i]];
    }
    if (select_ && !select_->is_done()) {
      select_->add(count, [this](std::size_t i) { return key_of(block_[i]); });
    }
  }

  std::uint64_t key_of(T value) const {
    if constexpr (kIsFloat<T>) {
      return ordered_key(value);
    } else {
      return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(moments_.low());
    }
  }

  void finish_moments(const ItemWalk& walk) {
    const std::uint64_t repeats = walk.repeats();
    result.nan *= repeats;
    result.pos_inf *= repeats;
    result.neg_inf *= repeats;
    result.zeros = moments_.zeros() * repeats;
    result.is_integer = !kIsFloat<T>;
    result.count = moments_.count() * repeats + result.nan + result.pos_inf + result.neg_inf;
    result.sum = moments_.sum() * static_cast<double>(repeats);
    result.sum_integer = static_cast<std::int64_t>(moments_.wrapped_sum() * repeats);
    // Sums of doubles round above 2^53; the integer is exact as long as it did not wrap.
    if (!kIsFloat<T> && std::fabs(result.sum) < 9.0e18) result.sum = static_cast<double>(result.sum_integer);
    result.sum = sum_with(result, result.sum);
    if (tensor::is_complex(dtype_)) {
      result.sum = complex_sum_.real * static_cast<double>(repeats);
      result.sum_imaginary = complex_sum_.imaginary * static_cast<double>(repeats);
    }
    const bool has_values = moments_.count() != 0;
    result.min = has_values ? static_cast<double>(moments_.low()) : kNaN;
    result.max = has_values ? static_cast<double>(moments_.high()) : kNaN;
    result.mean = has_values ? moments_.mean() : kNaN;
    result.std = has_values ? moments_.deviation() : kNaN;
    result.absmax = has_values ? std::max(std::fabs(result.min), std::fabs(result.max)) : kNaN;
  }

  void prepare_histogram() {
    bins_ = Bins(result.min, result.max, !kIsFloat<T>);
    result.histogram_low = bins_.low();
    result.histogram_high = bins_.high();
    bin_counts_.assign(2 * Bins::kCount, 0);
  }

  // The two neighbours of each quantile, as ranks among the visited values.
  std::vector<std::uint64_t> ranks(const ItemWalk& walk) const {
    std::vector<std::uint64_t> ranks;
    for (const double at : kQuantiles) {
      const QuantilePlace place = quantile_place(at, moments_.count(), walk.repeats());
      ranks.push_back(place.below);
      ranks.push_back(place.above);
    }
    return ranks;
  }

  void prepare_select(const ItemWalk& walk) {
    if constexpr (kIsFloat<T>) {
      select_->set_ranks(ranks(walk));
    } else {
      const std::uint64_t range = key_of(moments_.high());
      const auto bits = static_cast<unsigned>(std::bit_width(range));
      select_.emplace(ranks(walk), bits);
      passes_ = 1 + std::max(1U, select_->passes_left());
    }
  }

  void finish_quantiles(const ItemWalk& walk) {
    const std::vector<std::uint64_t> keys = select_->keys();
    for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
      const QuantilePlace place = quantile_place(kQuantiles[i], moments_.count(), walk.repeats());
      result.quantile_at.push_back(kQuantiles[i]);
      result.quantiles.push_back(between(value_at(keys[2 * i]), value_at(keys[2 * i + 1]), place.fraction));
    }
  }
  double value_at(std::uint64_t key) const {
    if constexpr (kIsFloat<T>) {
      return value_of_key(key, T{});
    } else {
      return static_cast<double>(static_cast<T>(static_cast<std::uint64_t>(moments_.low()) + key));
    }
  }

  tensor::DType dtype_;
  bool with_histogram_;
  unsigned pass_ = 0;
  unsigned passes_ = 1;
  std::optional<StoredFloat> stored_ = stored_format(dtype_);
  Moments<T> moments_;
  Outliers<T> outliers_;
  bool counts_outliers_ = false;  // in a pass of their own
  ComplexSum complex_sum_;
  std::optional<RadixSelect> select_;
  Bins bins_;
  std::vector<std::uint64_t> bin_counts_;  // two tables
  std::array<T, kBlock> block_;
  std::array<std::int32_t, kBlock> block_bins_;
};

std::unique_ptr<Passes> make_passes(tensor::DType dtype, bool with_histogram) {
  // Counting codes gives quantiles, too; where nobody asks for them, adding up is faster for two bytes.
  const bool adds_up = !with_histogram && tensor::is_floating(dtype);
  if (tensor::item_bytes(dtype) == 1 || (tensor::item_bytes(dtype) == 2 && !adds_up)) {
    return make_code_passes(dtype, with_histogram);
  }
  switch (value_class(dtype)) {
    case ValueClass::Float32:
      return std::make_unique<TypedPasses<float>>(dtype, with_histogram);
    case ValueClass::Float64:
      return std::make_unique<TypedPasses<double>>(dtype, with_histogram);
    case ValueClass::Signed:
      return std::make_unique<TypedPasses<std::int64_t>>(dtype, with_histogram);
    case ValueClass::Unsigned:
      return std::make_unique<TypedPasses<std::uint64_t>>(dtype, with_histogram);
  }
  return nullptr;
}

}  // namespace

struct StatisticsTask::State {
  ElementSource source;
  std::unique_ptr<Passes> passes;
  std::optional<ItemWalk> walk;
  DeadLines dead;
  std::optional<base::Error> error;
  unsigned pass = 0;
  bool is_done = false;

  void tell_lines() const {
    passes->result.rows = dead.rows();
    passes->result.columns = dead.columns();
    passes->result.dead_rows = dead.dead_rows();
    passes->result.dead_columns = dead.dead_columns();
  }
};

StatisticsTask::StatisticsTask(ElementSource source, bool with_histogram) : state_(std::make_unique<State>()) {
  state_->passes = make_passes(source.dtype, with_histogram);
  state_->source = std::move(source);
}

StatisticsTask::~StatisticsTask() = default;

base::Result<bool> StatisticsTask::step(const base::Budget& budget) {
  State& state = *state_;
  const auto fail = [&](base::Error error) {
    state.error = error;
    return error;
  };
  if (state.error) return *state.error;
  if (state.is_done) return true;
  if (!state.walk) {
    if (auto checked = state.source.check(); !checked.ok()) return fail(checked.error());
    state.walk.emplace(state.source);
    state.dead = DeadLines(state.source);
  }
  ItemWalk& walk = *state.walk;
  // A block is worked on in about a millisecond.
  const std::size_t most = (std::size_t{256} << 10U) / tensor::item_bytes(state.source.dtype);
  while (true) {
    if (walk.is_done()) {
      if (state.pass == 0) state.tell_lines();
      if (!state.passes->end_pass(walk)) {
        state.is_done = true;
        return true;
      }
      ++state.pass;
      walk.restart();
    }
    if (!walk.is_done()) {
      auto block = walk.next(most);
      if (!block.ok()) return fail(block.error());
      if (state.pass == 0) state.dead.add(block->raw, block->count, walk);
      state.passes->add(block->raw, block->count, walk);
    }
    if (budget.spent()) return false;
  }
}

std::uint64_t StatisticsTask::done() const {
  if (state_->is_done) return total();
  return state_->walk ? state_->pass * state_->walk->count() + state_->walk->position() : 0;
}

std::uint64_t StatisticsTask::total() const {
  return state_->walk ? state_->walk->count() * state_->passes->passes() : 0;
}

const TensorStatistics& StatisticsTask::statistics() const { return state_->passes->result; }

}  // namespace nns::checkpoint
