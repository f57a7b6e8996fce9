#include "core/checkpoint/code_passes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/checkpoint/decode.h"

namespace nns::checkpoint {

namespace {

template <class Code>
class CodePasses final : public Passes {
 public:
  CodePasses(tensor::DType dtype, bool with_histogram)
      : dtype_(dtype), with_histogram_(with_histogram), counts_(kTables * kCodes, 0) {}

  void add(const std::byte* raw, std::size_t items, const ItemWalk& walk) override {
    if (pass_ == 0) return count(raw, items);
    find_first(raw, items, walk);
  }

  bool end_pass(const ItemWalk& walk) override {
    if (pass_ == 1) return false;
    finish(walk);
    return ++pass_ == 1 && result.nan + result.pos_inf + result.neg_inf != 0;
  }

  unsigned passes() const override { return pass_ == 1 && result.nan + result.pos_inf + result.neg_inf != 0 ? 2 : 1; }

 private:
  static constexpr std::size_t kCodes = std::size_t{1} << (8 * sizeof(Code));
  // Equal neighbours would wait for each other's count.
  static constexpr std::size_t kTables = sizeof(Code) == 1 ? 4 : 2;

  struct Counted {
    double value = 0;
    std::uint64_t count = 0;
  };

  static Code load(const std::byte* raw, std::size_t index) {
    Code code;
    std::memcpy(&code, raw + index * sizeof(Code), sizeof(Code));
    return code;
  }

  void count(const std::byte* raw, std::size_t items) {
    std::uint64_t* counts = counts_.data();
    const std::size_t whole = items / kTables * kTables;
    for (std::size_t i = 0; i < whole; i += kTables) {
      for (std::size_t table = 0; table < kTables; ++table) ++counts[table * kCodes + load(raw, i + table)];
    }
    for (std::size_t i = whole; i < items; ++i) ++counts[load(raw, i)];
  }

  void find_first(const std::byte* raw, std::size_t items, const ItemWalk& walk) {
    if (walk.is_in_order() && has_found_first()) return;
    const std::uint64_t begin = walk.position() - items;
    for (std::size_t i = 0; i < items; ++i) {
      const std::uint8_t kind = not_finite_[load(raw, i)];
      if (kind == 0) continue;
      std::uint64_t& first = kind == kIsNaN ? result.first_nan : result.first_inf;
      first = std::min(first, walk.is_in_order() ? begin + i : walk.logical_index(begin + i));
    }
  }
  bool has_found_first() const {
    return (result.nan == 0 || result.first_nan != UINT64_MAX) &&
           (result.pos_inf + result.neg_inf == 0 || result.first_inf != UINT64_MAX);
  }

  void finish(const ItemWalk& walk) {
    const std::uint64_t repeats = walk.repeats();
    const bool is_integer = value_class(dtype_) == ValueClass::Signed || value_class(dtype_) == ValueClass::Unsigned;
    const std::uint32_t per_item = values_per_item(dtype_);
    not_finite_.assign(kCodes, 0);
    std::vector<Counted> finite;
    std::uint64_t visited = 0;
    for (std::size_t code = 0; code < kCodes; ++code) {
      std::uint64_t count = 0;
      for (std::size_t table = 0; table < kTables; ++table) count += counts_[table * kCodes + code];
      if (count == 0) continue;
      const auto stored = static_cast<Code>(code);
      double values[2];
      decode_as_double(dtype_, reinterpret_cast<const std::byte*>(&stored), 1, values);
      for (std::uint32_t i = 0; i < per_item; ++i) {
        result.count += count * repeats;
        if (std::isnan(values[i])) {
          result.nan += count * repeats;
          not_finite_[code] = kIsNaN;
        } else if (std::isinf(values[i])) {
          (values[i] > 0 ? result.pos_inf : result.neg_inf) += count * repeats;
          not_finite_[code] = kIsInfinite;
        } else {
          if (values[i] == 0) result.zeros += count * repeats;
          finite.push_back({values[i], count});
          visited += count;
        }
      }
    }
    counts_.clear();
    counts_.shrink_to_fit();
    std::sort(finite.begin(), finite.end(), [](const Counted& a, const Counted& b) { return a.value < b.value; });
    double sum = 0;
    for (const Counted& each : finite) {
      sum += each.value * static_cast<double>(each.count);
      if (is_integer) {
        const auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(each.value));
        result.sum_integer =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(result.sum_integer) + value * each.count * repeats);
      }
    }
    result.is_integer = is_integer;
    result.sum = sum_with(result, sum * static_cast<double>(repeats));
    if (is_integer && std::fabs(result.sum) < 9.0e18) result.sum = static_cast<double>(result.sum_integer);
    result.min = result.max = result.mean = result.std = result.absmax = std::numeric_limits<double>::quiet_NaN();
    if (finite.empty()) return;
    result.min = finite.front().value;
    result.max = finite.back().value;
    result.absmax = std::max(std::fabs(result.min), std::fabs(result.max));
    result.mean = sum / static_cast<double>(visited);
    double square = 0;
    for (const Counted& each : finite) {
      square += (each.value - result.mean) * (each.value - result.mean) * static_cast<double>(each.count);
    }
    result.std = std::sqrt(square / static_cast<double>(visited));
    for (const Counted& each : finite) {
      const bool is_far = finite.size() > 1 && std::fabs(each.value - result.mean) > kOutlier * result.std;
      if (is_far) result.outliers += each.count * repeats;
    }
    if (with_histogram_) finish_distribution(finite, visited, repeats);
  }

  void finish_distribution(const std::vector<Counted>& finite, std::uint64_t visited, std::uint64_t repeats) {
    const Bins bins(result.min, result.max, result.is_integer);
    result.histogram_low = bins.low();
    result.histogram_high = bins.high();
    result.histogram.assign(bins.size(), 0);
    for (const Counted& each : finite) result.histogram[bins.of(each.value)] += each.count * repeats;
    for (const double at : kQuantiles) {
      const QuantilePlace place = quantile_place(at, visited, repeats);
      result.quantile_at.push_back(at);
      result.quantiles.push_back(between(value_at(finite, place.below), value_at(finite, place.above), place.fraction));
    }
  }
  static double value_at(const std::vector<Counted>& finite, std::uint64_t rank) {
    std::size_t i = 0;
    while (i + 1 < finite.size() && rank >= finite[i].count) rank -= finite[i++].count;
    return finite[i].value;
  }

  static constexpr std::uint8_t kIsNaN = 1;
  static constexpr std::uint8_t kIsInfinite = 2;

  tensor::DType dtype_;
  bool with_histogram_;
  unsigned pass_ = 0;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint8_t> not_finite_;  // by code
};

}  // namespace

std::unique_ptr<Passes> make_code_passes(tensor::DType dtype, bool with_histogram) {
  if (tensor::item_bytes(dtype) == 1) return std::make_unique<CodePasses<std::uint8_t>>(dtype, with_histogram);
  return std::make_unique<CodePasses<std::uint16_t>>(dtype, with_histogram);
}

}  // namespace nns::checkpoint
