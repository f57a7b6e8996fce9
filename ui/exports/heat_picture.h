#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/tensor_slice.h"
#include "core/live/commands.h"
#include "core/live/mirror.h"
#include "ui/exports/picture.h"
#include "ui/model/value_range.h"
#include "ui/widgets/heat_map.h"

namespace nns::exports {

/// What a heat map is of: a part of a tensor, or a tensor minus one of another document.
struct HeatSubject {
  std::shared_ptr<const live::DocumentView> document;
  std::uint32_t tensor = 0;
  base::TensorSlice slice;  ///< must hold: base::check_slice()
  model::ValueRange range;  ///< of the colours
  std::vector<widgets::ScaleMark> marks;
  bool has_non_finite = true;  ///< false: it is known that every value is finite
  std::shared_ptr<const live::DocumentView> minus =
      nullptr;                     ///< null: the values themselves; else `slice` is the whole
  std::uint32_t minus_tensor = 0;  ///< of `minus`, of the same shape
};

/// Tiles of the subject's matrix: ask() sends a request whose TileRequest is for a file, and gives its number.
struct TileAsker {
  std::function<std::uint64_t(const live::TileRequest&)> ask;
  std::function<void(std::uint64_t request)> cancel;
};

/// A part of a tensor as it is seen on the screen, whole: title, numbers along its axes, colours and their scale. Where
/// there are more values than pixels, a pixel is the mean of some. Fills `look`'s box exactly (below 240 x 160: with
/// the cells alone); without one, cells are as large as on the screen, and at most kMostOwn pixels long all together.
/// Must hold: the part has values, and its tensor can be read.
inline constexpr std::uint64_t kMostOwn = 2048;
std::unique_ptr<Picture> make_heat_picture(const live::Mirror& mirror, HeatSubject subject, const PictureLook& look,
                                           TileAsker asker);

}  // namespace nns::exports
