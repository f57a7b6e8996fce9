#include "core/base/tensor_slice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace nns::base {
namespace {

using Shape = std::vector<std::int64_t>;

std::string canonical(std::string_view text, const Shape& shape) {
  const auto slice = parse_slice(text, shape);
  return slice.ok() ? slice_text(*slice, shape) : slice.error().message();
}

TEST(TensorSliceText, ReadsAllOfPyTorchsIndexingThatMakesAView) {
  const Shape shape = {8, 4, 6, 5};
  EXPECT_EQ(canonical("[:, 3, ::2, -1]", shape), "[:, 3, ::2, 4]");
  EXPECT_EQ(canonical(":,3", shape), "[:, 3, :, :]");
  EXPECT_EQ(canonical("", shape), "[:, :, :, :]");
  EXPECT_EQ(canonical("[]", shape), "[:, :, :, :]");
  EXPECT_EQ(canonical("[..., 0]", shape), "[:, :, :, 0]");
  EXPECT_EQ(canonical("[1, ..., 2, 0]", shape), "[1, :, 2, 0]");
  EXPECT_EQ(canonical("[0, 1, ..., 2, 3]", shape), "[0, 1, 2, 3]");
  EXPECT_EQ(canonical("[-100:100]", shape), "[:, :, :, :]");
  EXPECT_EQ(canonical("[2:-2:3]", shape), "[2::3, :, :, :]");
  EXPECT_EQ(canonical("[6:2]", shape), "[:0, :, :, :]");
  EXPECT_EQ(canonical("[:, 0].T", shape), "[:, 0, :, :].permute(2, 1, 0)");
  EXPECT_EQ(canonical(" [ : , 0 ] . mT ", shape), "[:, 0, :, :].permute(0, 2, 1)");
  EXPECT_EQ(canonical(".transpose(0, -1)", shape), "[:, :, :, :].permute(3, 1, 2, 0)");
  EXPECT_EQ(canonical("[0].permute(2, 0, 1).permute(1, 2, 0)", shape), "[0, :, :, :]");
  EXPECT_EQ(canonical("[...]", {}), "[]");
}

TEST(TensorSliceText, TellsTheFirstPlaceThatIsWrong) {
  const Shape shape = {8, 4};
  const auto place = [&](std::string_view text) -> std::int64_t {
    const auto slice = parse_slice(text, shape);
    return slice.ok() ? -1 : static_cast<std::int64_t>(slice.error().offset.value());
  };
  EXPECT_EQ(place("[8]"), 1);
  EXPECT_EQ(place("[:, -5]"), 4);
  EXPECT_EQ(place("[:, :, 0]"), 7);
  EXPECT_EQ(place("[::0]"), 3);
  EXPECT_EQ(place("[::-1]"), 3);
  EXPECT_EQ(place("[None]"), 1);
  EXPECT_EQ(place("[0, x]"), 4);
  EXPECT_EQ(place("[0"), 2);
  EXPECT_EQ(place("[0]x"), 3);
  EXPECT_EQ(place("[0].flip(0)"), 4);
  EXPECT_EQ(place("[..., ...]"), 1);
  EXPECT_EQ(place("[99999999999999999999]"), 1);
  EXPECT_EQ(place(".permute(0, 0)"), 12);
  EXPECT_EQ(place(".permute(1)"), 1);
  EXPECT_EQ(parse_slice("[8]", shape).error().found, "index 8 is outside axis 0, which has 8");
}

TEST(TensorSliceText, IsReadBackAsTheSameSliceWhateverItIs) {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t most) { return random() % most; };
  for (int round = 0; round < 2000; ++round) {
    Shape shape(below(5));
    for (std::int64_t& size : shape) size = static_cast<std::int64_t>(below(7));
    TensorSlice slice = whole_slice(shape);
    slice.order.clear();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      AxisRange& range = slice.axes[axis];
      const auto size = static_cast<std::uint64_t>(shape[axis]);
      if (size != 0 && below(3) == 0) {
        range = {below(size), 1, 1};
        continue;
      }
      slice.order.push_back(static_cast<std::uint8_t>(axis));
      if (size == 0) continue;
      range.start = below(size);
      range.count = below(size - range.start + 1);
      if (range.count > 1) range.step = 1 + below((size - 1 - range.start) / (range.count - 1));
      if (range.count == 0) range = {0, 0, 1};
    }
    std::shuffle(slice.order.begin(), slice.order.end(), random);
    ASSERT_TRUE(check_slice(slice, shape).ok()) << slice_text(slice, shape);
    const auto read = parse_slice(slice_text(slice, shape), shape);
    ASSERT_TRUE(read.ok()) << slice_text(slice, shape) << read.error().message();
    EXPECT_EQ(*read, slice) << slice_text(slice, shape);
  }
}

TEST(TensorSliceCheck, RefusesWhatDoesNotLieInside) {
  const Shape shape = {4, 5};
  const TensorSlice whole = whole_slice(shape);
  const auto refuses = [&](auto change) {
    TensorSlice slice = whole;
    change(slice);
    return !check_slice(slice, shape).ok();
  };
  EXPECT_FALSE(refuses([](TensorSlice&) {}));
  EXPECT_TRUE(refuses([](TensorSlice& s) { s.axes.pop_back(); }));
  EXPECT_TRUE(refuses([](TensorSlice& s) { s.order = {0, 0}; }));
  EXPECT_TRUE(refuses([](TensorSlice& s) { s.order = {0, 2}; }));
  EXPECT_TRUE(refuses([](TensorSlice& s) { s.order = {0}; }));
  EXPECT_TRUE(refuses([](TensorSlice& s) { s.axes[0] = {1, 4, 1}; }));
  EXPECT_TRUE(refuses([](TensorSlice& s) { s.axes[0] = {4, 1, 1}; }));
  EXPECT_TRUE(refuses([](TensorSlice& s) { s.axes[0] = {0, 2, 0}; }));
  EXPECT_TRUE(refuses([](TensorSlice& s) { s.axes[0] = {0, 2, UINT64_MAX}; }));
  EXPECT_TRUE(refuses([](TensorSlice& s) { s.axes[1] = {0, UINT64_MAX, UINT64_MAX}; }));
}

TEST(TensorSliceIndex, GivesThePlaceInTheTensor) {
  const Shape shape = {4, 5, 6};
  const TensorSlice slice = *parse_slice("[1, ::2, 1:4].permute(1, 0)", shape);
  EXPECT_EQ(slice_shape(slice), (Shape{3, 3}));
  EXPECT_EQ(slice_index(slice, 0), (std::vector<std::uint64_t>{1, 0, 1}));
  EXPECT_EQ(slice_index(slice, 1), (std::vector<std::uint64_t>{1, 2, 1}));
  EXPECT_EQ(slice_index(slice, 8), (std::vector<std::uint64_t>{1, 4, 3}));
}

}  // namespace
}  // namespace nns::base
