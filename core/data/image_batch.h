#pragma once

#include <cstdint>
#include <span>

#include "core/base/result.h"

namespace nns::data {

/// Images of bytes with a class each, one after the other.
struct LabelledImages {
  std::span<const std::byte> images;  ///< count x channels x height x width
  std::span<const std::byte> labels;  ///< count
  std::int64_t channels = 0, height = 0, width = 0;
  /// What each byte of a channel becomes: channels x 256.
  std::span<const float> levels;
};

/// How images are varied each time that they are seen. An image's chance depends on `seed` and its place in the epoch
/// alone, not on who prepares it, or when.
struct Augmentation {
  bool flips = false;      ///< left and right change places, for half of them
  std::int64_t shift = 0;  ///< moved by up to so many pixels each way; what comes in from outside is byte 0
  std::uint64_t seed = 0;
};

/// Writes the images of these indices as floats, and their labels. `place`: of the first index in the epoch.
/// Shapes: to (indices, channels, height, width), labels (indices). Errors: an index that no image has.
base::Result<void> fill_image_batch(const LabelledImages& from, const Augmentation& augmentation,
                                    std::span<const std::int64_t> indices, std::uint64_t place, std::span<float> to,
                                    std::span<std::int64_t> labels);

}  // namespace nns::data
