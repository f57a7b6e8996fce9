#include "core/data/image_batch.h"

#include <fmt/format.h>

#include <algorithm>

namespace nns::data {

namespace {

// The finaliser of SplitMix64: neighbours in, independent bits out.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

struct Variation {
  bool is_flipped = false;
  std::int64_t down = 0, right = 0;
};

Variation variation_of(const Augmentation& augmentation, std::uint64_t place) {
  const std::uint64_t bits = mixed(augmentation.seed + (place + 1) * 0x9E3779B97F4A7C15U);
  const std::uint64_t ways = static_cast<std::uint64_t>(2 * augmentation.shift + 1);
  const auto moved = [&](std::uint64_t part) {
    return static_cast<std::int64_t>(((part & 0x7FFFFFFFU) * ways) >> 31U) - augmentation.shift;
  };
  return {augmentation.flips && (bits & 1U) != 0, moved(bits >> 1U), moved(bits >> 32U)};
}

void fill_row(std::span<const std::byte> row, const float* levels, const Variation& variation, float* to) {
  const auto width = static_cast<std::int64_t>(row.size());
  const std::int64_t begin = std::clamp<std::int64_t>(variation.right, 0, width);
  const std::int64_t end = std::clamp<std::int64_t>(width + variation.right, 0, width);
  std::fill(to, to + begin, levels[0]);
  for (std::int64_t x = begin; x < end; ++x) {
    const std::int64_t source = x - variation.right;
    to[x] = levels[std::to_integer<std::size_t>(
        row[static_cast<std::size_t>(variation.is_flipped ? width - 1 - source : source)])];
  }
  std::fill(to + end, to + width, levels[0]);
}

}  // namespace

base::Result<void> fill_image_batch(const LabelledImages& from, const Augmentation& augmentation,
                                    std::span<const std::int64_t> indices, std::uint64_t place, std::span<float> to,
                                    std::span<std::int64_t> labels) {
  const std::int64_t plane = from.height * from.width, image = from.channels * plane;
  const auto count = static_cast<std::int64_t>(from.labels.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t index = indices[i];
    if (index < 0 || index >= count) {
      return base::Error{.found = fmt::format("index {}", index),
                         .expected = fmt::format("0 to {}, the last image", count - 1),
                         .where = fmt::format("image {} of the epoch", place + i),
                         .offset = std::nullopt};
    }
    labels[i] = std::to_integer<std::int64_t>(from.labels[static_cast<std::size_t>(index)]);
    const Variation variation = variation_of(augmentation, place + i);
    for (std::int64_t channel = 0; channel < from.channels; ++channel) {
      const float* const levels = from.levels.data() + channel * 256;
      float* const out = to.data() + static_cast<std::int64_t>(i) * image + channel * plane;
      for (std::int64_t y = 0; y < from.height; ++y) {
        const std::int64_t source = y - variation.down;
        if (source < 0 || source >= from.height) {
          std::fill(out + y * from.width, out + (y + 1) * from.width, levels[0]);
          continue;
        }
        fill_row(from.images.subspan(static_cast<std::size_t>(index * image + channel * plane + source * from.width),
                                     static_cast<std::size_t>(from.width)),
                 levels, variation, out + y * from.width);
      }
    }
  }
  return {};
}

}  // namespace nns::data
