// How kernels find their items and how they are launched: the same arithmetic, on the CPU.
#include "core/ops/walk_plan.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/ops/cuda_elements.h"

namespace nns::tests {
namespace {

using ops::Divisor;
using ops::WalkPlan;

TEST(Divisor, DividesAsDivisionDoes) {
  std::mt19937 random(3);
  for (std::uint32_t divisor : {1U, 2U, 3U, 5U, 7U, 10U, 64U, 641U, 65535U, 65537U, 1000003U, 0x7FFFFFFFU}) {
    const Divisor by = Divisor::of(divisor);
    for (std::uint32_t number : {0U, 1U, divisor - 1, divisor, divisor + 1 < divisor ? 0U : divisor + 1, 0x7FFFFFFFU}) {
      if (number > 0x7FFFFFFFU) continue;
      EXPECT_EQ(by.quotient(number), number / divisor) << number << " / " << divisor;
    }
    for (int i = 0; i < 2000; ++i) {
      const std::uint32_t number = static_cast<std::uint32_t>(random()) & 0x7FFFFFFFU;
      ASSERT_EQ(by.quotient(number), number / divisor) << number << " / " << divisor;
    }
  }
}

// The offset of each item by plain loops, the last dimension innermost.
std::vector<std::int64_t> plain_offsets(const std::vector<std::int64_t>& sizes,
                                        const std::vector<std::int64_t>& strides) {
  std::vector<std::int64_t> found{0};
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    std::vector<std::int64_t> next;
    for (const std::int64_t start : found) {
      for (std::int64_t i = 0; i < sizes[dim]; ++i) next.push_back(start + i * strides[dim]);
    }
    found = next;
  }
  return found;
}

WalkPlan<2> plan_of(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& a,
                    const std::vector<std::int64_t>& b) {
  WalkPlan<2> plan;
  for (std::size_t dim = sizes.size(); dim-- > 0;) {
    const std::int64_t strides[2] = {a[dim], b[dim]};
    EXPECT_TRUE(plan.add(sizes[dim], strides));
  }
  return plan;
}

TEST(WalkPlan, FindsEveryItemOfBothOperands) {
  struct Case {
    std::vector<std::int64_t> sizes, a, b;
  };
  for (const Case& one :
       {Case{{}, {}, {}}, Case{{5}, {4}, {0}}, Case{{3, 4}, {16, 4}, {4, 12}}, Case{{2, 3, 4}, {48, 16, 4}, {0, 4, 0}},
        Case{{7, 1, 5}, {20, 999, 4}, {4, 999, 28}}, Case{{2, 3, 5, 7}, {-4, 8, 24, 120}, {420, 140, 28, 4}}}) {
    const WalkPlan<2> plan = plan_of(one.sizes, one.a, one.b);
    const auto a = plain_offsets(one.sizes, one.a), b = plain_offsets(one.sizes, one.b);
    ASSERT_EQ(plan.count, static_cast<std::int64_t>(a.size()));
    WalkPlan<2> wide = plan;
    wide.is_small = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (const WalkPlan<2>* walk : std::initializer_list<const WalkPlan<2>*>{&plan, &wide}) {
        std::int64_t at[2];
        walk->offsets(static_cast<std::int64_t>(i), at);
        EXPECT_EQ(at[0], a[i]);
        EXPECT_EQ(at[1], b[i]);
      }
    }
  }
}

TEST(WalkPlan, JoinsDimensionsThatContinueEachOther) {
  EXPECT_EQ(plan_of({2, 3, 4}, {48, 16, 4}, {24, 8, 2}).dims, 1);
  EXPECT_EQ(plan_of({2, 3, 4}, {48, 16, 4}, {0, 8, 0}).dims, 3);
  EXPECT_EQ(plan_of({2, 1, 4}, {16, 7, 4}, {8, 7, 2}).dims, 1);
}

TEST(WalkPlan, CountsItemsBeyondThirtyTwoBits) {
  const WalkPlan<2> plan = plan_of({3, std::int64_t{1} << 31U}, {std::int64_t{1} << 33U, 4}, {0, 0});
  EXPECT_FALSE(plan.is_small);
  std::int64_t at[2];
  plan.offsets((std::int64_t{1} << 32U) + 5, at);
  EXPECT_EQ(at[0], (std::int64_t{1} << 34U) + 20);
}

TEST(WalkPlan, SaysWhenThereAreTooManyDimensions) {
  WalkPlan<1> plan;
  const std::int64_t apart[1] = {1000};
  bool fits = true;
  for (int i = 0; i < WalkPlan<1>::kMostDims; ++i) fits = fits && plan.add(2, apart);
  EXPECT_TRUE(fits);
  EXPECT_FALSE(plan.add(2, apart));
}

TEST(WalkPlan, JoinsItemsOfARow) {
  WalkPlan<2> plan = plan_of({3, 16}, {32, 2}, {0, 2});
  plan.join_items(8);
  EXPECT_EQ(plan.count, 6);
  std::int64_t at[2];
  plan.offsets(5, at);
  EXPECT_EQ(at[0], 80);
  EXPECT_EQ(at[1], 16);
}

TEST(ElementWork, ReadsAsManyItemsAtOnceAsAllOperandsAllow) {
  using tensor::DType;
  struct Operand {
    DType dtype;
    std::int64_t bytes;
    std::uintptr_t at;
    std::int64_t stride, row_stride;
  };
  // Rows of `width` items; the first operand is written.
  const auto group_of = [](std::int64_t width, const std::vector<Operand>& operands) {
    ops::ElementWork work;
    std::int64_t strides[4] = {}, row_strides[4] = {};
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Operand& one = operands[i];
      strides[i] = one.stride * one.bytes;
      row_strides[i] = one.row_stride * one.bytes;
      auto* const at = reinterpret_cast<std::byte*>(one.at);  // NOLINT(performance-no-int-to-ptr): never read
      if (i == 0) {
        work.out = at;
        work.out_dtype = one.dtype;
        work.out_bytes = one.bytes;
      } else {
        work.inputs[i - 1] = {at, one.dtype, one.bytes};
      }
    }
    EXPECT_TRUE(work.plan.add(width, strides) && work.plan.add(5, row_strides));
    work.choose_groups(operands.size() - 1, true);
    EXPECT_EQ(work.plan.count * work.group + work.tail, 5 * width);
    return work.group;
  };
  const auto half = [](std::uintptr_t at, std::int64_t stride, std::int64_t row_stride) {
    return Operand{DType::BFloat16, 2, at, stride, row_stride};
  };
  EXPECT_EQ(group_of(64, {half(32, 1, 64), half(64, 1, 64)}), 8);
  EXPECT_EQ(group_of(67, {half(32, 1, 67), half(64, 1, 67)}), 8) << "one row of all";
  EXPECT_EQ(group_of(64, {half(32, 1, 64), half(64, 1, 64), half(96, 1, 0)}), 8) << "a row for all rows";
  EXPECT_EQ(group_of(64, {half(32, 1, 64), half(64, 1, 64), half(34, 0, 1)}), 8) << "an item for each row";
  EXPECT_EQ(group_of(68, {half(32, 1, 68), half(64, 1, 68), half(96, 1, 0)}), 4);
  EXPECT_EQ(group_of(69, {half(32, 1, 69), half(64, 1, 69), half(96, 1, 0)}), 1);
  EXPECT_EQ(group_of(64, {half(32, 1, 64), half(66, 1, 64)}), 1) << "begins elsewhere";
  EXPECT_EQ(group_of(64, {half(32, 1, 64), half(64, 5, 320)}), 1);
  const Operand wide{DType::Float32, 4, 32, 1, 64};
  EXPECT_EQ(group_of(64, {wide, wide}), 4);
  EXPECT_EQ(group_of(64, {half(32, 1, 64), wide}), 8);
}

TEST(LaunchConfiguration, HasABlockForEverything) {
  EXPECT_EQ(ops::blocks_for(0, 256), 1U);
  EXPECT_EQ(ops::blocks_for(256, 256), 1U);
  EXPECT_EQ(ops::blocks_for(257, 256), 2U);
  EXPECT_EQ(ops::blocks_for(std::int64_t{1} << 60U, 256), 0x7FFFFFFFU);
}

TEST(LaunchConfiguration, ReductionsUseAllThreadsOfABlock) {
  for (const std::int64_t results : {1, 3, 1000, 1000000}) {
    for (const std::int64_t items : {0, 1, 5, 100, 4096, 100000000}) {
      for (const bool close : {false, true}) {
        const ops::ReductionLanes lanes = ops::reduction_lanes(results, items, close, 132);
        EXPECT_EQ(lanes.results * lanes.workers, 256U);
        EXPECT_EQ(lanes.workers & (lanes.workers - 1), 0U) << "halving needs a power of two";
        EXPECT_GE(lanes.parts, 1U);
        EXPECT_LE(lanes.parts, 512U);
        // No part is without work.
        EXPECT_TRUE(lanes.parts == 1 || static_cast<std::int64_t>(lanes.parts) * lanes.workers <= items);
      }
    }
  }
  EXPECT_GT(ops::reduction_lanes(1, 100000000, false, 132).parts, 100U) << "one sum is shared by many blocks";
}

TEST(LaunchConfiguration, LinesOfPiecesUseAllThreadsOfABlock) {
  for (const std::int64_t results : {1, 3, 1000, 1000000}) {
    for (const std::int64_t pieces : {1, 5, 100, 4096, 100000000}) {
      const ops::ReductionLanes lanes = ops::line_lanes(results, pieces, 132);
      EXPECT_EQ(lanes.results * lanes.workers, 256U);
      EXPECT_EQ(lanes.workers & (lanes.workers - 1), 0U) << "halving needs a power of two";
      EXPECT_GE(lanes.parts, 1U);
      EXPECT_TRUE(lanes.parts == 1 || static_cast<std::int64_t>(lanes.parts) * lanes.workers <= pieces);
    }
  }
  EXPECT_EQ(ops::line_lanes(1, 100000000, 132).parts, 4U * 132U) << "one sum is shared by the whole device";
  EXPECT_EQ(ops::line_lanes(100000, 1024, 132).workers, 32U) << "a warp is enough for one of many";
}

}  // namespace
}  // namespace nns::tests
