#include "ui/model/slice_view.h"

#include <gtest/gtest.h>

namespace nns::model {
namespace {

using base::TensorSlice;

const std::vector<std::int64_t> kConv = {64, 3, 7, 5};

std::string text(const TensorSlice& slice) { return base::slice_text(slice, kConv); }

TEST(SliceRoles, AnyPairOfAxesBecomesRowsAndColumns) {
  TensorSlice slice = base::whole_slice(kConv);
  EXPECT_EQ(axis_role(slice, 0), AxisRole::Rows);
  EXPECT_EQ(axis_role(slice, 3), AxisRole::Columns);
  slice = with_role(slice, kConv, 2, AxisRole::Index);
  slice = with_role(slice, kConv, 3, AxisRole::Index);
  EXPECT_EQ(text(slice), "[:, :, 0, 0]");
  EXPECT_EQ(axis_role(slice, 1), AxisRole::Columns);
  slice = with_role(slice, kConv, 0, AxisRole::Columns);
  EXPECT_EQ(text(slice), "[:, :, 0, 0].permute(1, 0)");
  slice = with_index(slice, 3, 4);
  EXPECT_EQ(text(transposed(slice)), "[:, :, 0, 4]");
}

TEST(SliceRoles, AnAxisComesBackWholeAndInItsPlace) {
  TensorSlice slice = with_role(base::whole_slice(kConv), kConv, 1, AxisRole::Index);
  EXPECT_EQ(text(with_role(slice, kConv, 1, AxisRole::Rows)), "[:, :, :, :]");
  EXPECT_EQ(text(with_role(slice, kConv, 1, AxisRole::Columns)), "[:, :, :, :].permute(0, 2, 3, 1)");
  // The columns become rows: what was next to them are the columns then.
  EXPECT_EQ(text(with_role(base::whole_slice(kConv), kConv, 3, AxisRole::Rows)), "[:, :, :, :].permute(0, 1, 3, 2)");
  for (std::size_t axis = 0; axis < 4; ++axis) slice = with_role(slice, kConv, axis, AxisRole::Index);
  EXPECT_EQ(text(slice), "[0, 0, 0, 0]");
  EXPECT_EQ(text(with_role(slice, kConv, 2, AxisRole::Rows)), "[0, 0, :, 0]");
}

TEST(ViewSlice, TellsShapeStridesAndOffsetOfThePart) {
  const std::vector<std::int64_t> strides = {105, 35, 5, 1};
  const TensorSlice slice = *base::parse_slice("[1:9:2, 2, :, -1].T", kConv);
  const SliceView view = view_slice(slice, kConv, strides, 10, "float32");
  EXPECT_EQ(view.text, "[1:8:2, 2, :, 4].permute(1, 0)");
  EXPECT_EQ(view.shape, "(7, 4)");
  EXPECT_EQ(view.strides, "(5, 210)");
  EXPECT_EQ(view.offset, 10U + 105 + 70 + 4);
  EXPECT_EQ(view.rows, 7U);
  EXPECT_EQ(view.columns, 4U);
  EXPECT_FALSE(view.is_whole);
  EXPECT_EQ(cell_text(slice, view, 3, 2), "[5, 2, 3, 4]");
}

TEST(ViewSlice, AnItemThatPacksTwoIsTwoColumns) {
  const std::vector<std::int64_t> shape = {2, 3};
  const std::vector<std::int64_t> strides = {3, 1};
  const TensorSlice slice = base::whole_slice(shape);
  const SliceView view = view_slice(slice, shape, strides, 0, "float4_e2m1fn_x2");
  EXPECT_EQ(view.columns, 6U);
  EXPECT_EQ(cell_text(slice, view, 1, 3), "[1, 1] high");
}

}  // namespace
}  // namespace nns::model
