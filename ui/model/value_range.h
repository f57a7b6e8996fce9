#pragma once

#include <cstdint>
#include <optional>

#include "core/live/message.h"

/// Which values the colours of a heat map reach from and to: on the screen and in pictures.
namespace nns::model {

enum class RangeMode : std::uint8_t {
  Symmetric,   ///< from -x to x, x the largest magnitude
  Full,        ///< from the smallest to the largest value
  Percentile,  ///< from the quantile of 1 % to that of 99 %
  Typed,       ///< as a person says
};

struct ValueRange {
  double low = 0;
  double high = 1;
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};
/// What a person typed; an end that is missing is the values'.
struct TypedRange {
  std::optional<double> low;
  std::optional<double> high;
};

/// The extent of the finite values: of all once `numbers` are known, else of the cells of `tile`. 0 to 1 where none is.
ValueRange value_extent(const live::wire::TensorStatistics* numbers, const live::wire::HeatTile* tile);
/// `numbers`: for Percentile; without them it is the extent. The ends differ and fit into float32.
ValueRange colour_range(RangeMode mode, const ValueRange& extent, const live::wire::TensorStatistics* numbers,
                        const TypedRange& typed = {});
/// Zero lies in the middle: the colours tell signs.
bool is_around_zero(const ValueRange& range);

}  // namespace nns::model
