// Images of bytes become batches of floats, moved and mirrored by chance that depends on the place in the epoch alone.
#include "core/data/image_batch.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nns::data {
namespace {

// Two channels of 3 x 4; byte b of channel c becomes 1000 c + b.
struct SmallImages {
  explicit SmallImages(std::int64_t count) {
    for (std::int64_t i = 0; i < count * kBytes; ++i) images.push_back(static_cast<std::byte>(1 + i % 250));
    for (std::int64_t i = 0; i < count; ++i) labels.push_back(static_cast<std::byte>(i % 10));
    for (int c = 0; c < 2; ++c) {
      for (int b = 0; b < 256; ++b) levels.push_back(static_cast<float>(1000 * c + b));
    }
  }
  LabelledImages all() const { return {images, labels, 2, 3, 4, levels}; }
  float at(std::int64_t image, std::int64_t c, std::int64_t y, std::int64_t x) const {
    const float black = static_cast<float>(1000 * c);
    if (y < 0 || y >= 3 || x < 0 || x >= 4) return black;
    return black + static_cast<float>(
                       std::to_integer<int>(images[static_cast<std::size_t>(image * kBytes + c * 12 + y * 4 + x)]));
  }

  static constexpr std::int64_t kBytes = 24;
  std::vector<std::byte> images, labels;
  std::vector<float> levels;
};

struct Filled {
  std::vector<float> values;
  std::vector<std::int64_t> labels;
  std::string error;
};

Filled fill(const SmallImages& from, const Augmentation& augmentation, const std::vector<std::int64_t>& indices,
            std::uint64_t place = 0) {
  Filled made{
      std::vector<float>(indices.size() * SmallImages::kBytes, -1), std::vector<std::int64_t>(indices.size()), {}};
  const auto done = fill_image_batch(from.all(), augmentation, indices, place, made.values, made.labels);
  if (!done.ok()) made.error = done.error().message();
  return made;
}

TEST(ImageBatch, HoldsTheImagesOfItsIndices) {
  const SmallImages images(12);
  const Filled made = fill(images, {}, {7, 0, 7});
  EXPECT_EQ(made.labels, (std::vector<std::int64_t>{7, 0, 7}));
  std::size_t next = 0;
  for (const std::int64_t image : {7, 0, 7}) {
    for (std::int64_t i = 0; i < SmallImages::kBytes; ++i)
      EXPECT_EQ(made.values[next++], images.at(image, i / 12, i % 12 / 4, i % 4));
  }
}

// (mirrored, down, right) that the batch's image at `i` shows; nothing if it is no variation of the image.
std::optional<std::array<int, 3>> variation_of(const SmallImages& images, const Filled& made, std::size_t i,
                                               std::int64_t image, int shift) {
  for (int mirrored = 0; mirrored < 2; ++mirrored) {
    for (int down = -shift; down <= shift; ++down) {
      for (int right = -shift; right <= shift; ++right) {
        bool is_same = true;
        for (std::int64_t at = 0; is_same && at < SmallImages::kBytes; ++at) {
          const std::int64_t y = at % 12 / 4 - down, x = at % 4 - right;
          const bool is_inside = x >= 0 && x < 4;
          is_same = made.values[i * SmallImages::kBytes + static_cast<std::size_t>(at)] ==
                    images.at(image, at / 12, y, is_inside && mirrored == 1 ? 3 - x : x);
        }
        if (is_same) return std::array{mirrored, down, right};
      }
    }
  }
  return std::nullopt;
}

TEST(ImageBatch, MirrorsHalfAndMovesEachWayWithBlackComingIn) {
  const SmallImages images(400);
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < 400; ++i) indices.push_back(i);
  const Filled made = fill(images, {.flips = true, .shift = 1, .seed = 5}, indices);
  int mirrored = 0;
  std::set<std::pair<int, int>> moves;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto found = variation_of(images, made, i, indices[i], 1);
    ASSERT_TRUE(found) << i;
    mirrored += (*found)[0];
    moves.emplace((*found)[1], (*found)[2]);
  }
  EXPECT_GT(mirrored, 160);
  EXPECT_LT(mirrored, 240);
  EXPECT_EQ(moves.size(), 9U);
}

TEST(ImageBatch, AnImagesChanceIsThatOfItsPlaceHoweverTheEpochIsCut) {
  const SmallImages images(9);
  const Augmentation augmentation{.flips = true, .shift = 2, .seed = 99};
  const Filled whole = fill(images, augmentation, {8, 7, 6, 5, 4, 3, 2, 1, 0});
  Filled parts = fill(images, augmentation, {8, 7, 6, 5});
  const Filled rest = fill(images, augmentation, {4, 3, 2, 1, 0}, 4);
  parts.values.insert(parts.values.end(), rest.values.begin(), rest.values.end());
  EXPECT_EQ(parts.values, whole.values);
  EXPECT_NE(fill(images, {.flips = true, .shift = 2, .seed = 100}, {8, 7, 6, 5, 4, 3, 2, 1, 0}).values, whole.values);
}

TEST(ImageBatch, AnIndexThatNoImageHasIsToldWithItsPlace) {
  const SmallImages images(4);
  EXPECT_NE(fill(images, {}, {0, 4}, 30).error.find("index 4"), std::string::npos);
  EXPECT_NE(fill(images, {}, {0, 4}, 30).error.find("image 31 of the epoch"), std::string::npos);
  EXPECT_FALSE(fill(images, {}, {-1}).error.empty());
}

}  // namespace
}  // namespace nns::data
