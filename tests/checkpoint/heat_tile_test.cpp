#include "core/checkpoint/heat_tile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/element_fixtures.h"

namespace nns::checkpoint {
namespace {

using tensor::DType;
using tests::contiguous;
using tests::raw_bytes;

HeatTile exact_tile(const ElementSource& source, HeatRegion region) {
  HeatTileTask task(source, region);
  const auto done = task.step(base::Budget::unlimited());
  EXPECT_TRUE(done.ok() && *done);
  EXPECT_NE(task.tile(), nullptr);
  EXPECT_FALSE(task.tile()->sampled);
  return *task.tile();
}

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Compares with plain loops over read_values().
void expect_as_plain_loops(const ElementSource& source, HeatRegion region, const std::string& what) {
  SCOPED_TRACE(what);
  const HeatTile tile = exact_tile(source, region);
  const std::vector<double> values = tests::all_values(source);
  const MatrixSize size = matrix_size(source.shape, source.dtype);
  const std::uint64_t rows = region.row_end - region.row_begin;
  const std::uint64_t columns = region.column_end - region.column_begin;
  ASSERT_EQ(tile.region.width, std::min<std::uint64_t>(region.width, columns));
  ASSERT_EQ(tile.region.height, std::min<std::uint64_t>(region.height, rows));
  for (std::uint32_t y = 0; y < tile.region.height; ++y) {
    for (std::uint32_t x = 0; x < tile.region.width; ++x) {
      double sum = 0;
      double count = 0;
      float low = INFINITY;
      float high = -INFINITY;
      for (std::uint64_t r = rows * y / tile.region.height; r < rows * (y + 1) / tile.region.height; ++r) {
        for (std::uint64_t c = columns * x / tile.region.width; c < columns * (x + 1) / tile.region.width; ++c) {
          const auto value =
              static_cast<float>(values[(region.row_begin + r) * size.columns + region.column_begin + c]);
          sum += static_cast<double>(value);
          count += 1;
          if (value < low) low = value;
          if (value > high) high = value;
        }
      }
      const std::size_t at = std::size_t{y} * tile.region.width + x;
      const auto mean = static_cast<float>(sum / count);
      if (std::isfinite(mean)) {
        ASSERT_NEAR(tile.mean[at], mean, 1e-5 * (std::fabs(low) + std::fabs(high))) << x << " " << y;
      } else {
        ASSERT_TRUE(same(tile.mean[at], mean)) << x << " " << y << " " << tile.mean[at] << " " << mean;
      }
      ASSERT_TRUE(same(tile.low[at], low > high ? NAN : low)) << x << " " << y;
      ASSERT_TRUE(same(tile.high[at], low > high ? NAN : high)) << x << " " << y;
    }
  }
}

TEST(HeatTile, EveryDtypeAgreesWithPlainLoopsOnAnyBits) {
  for (const tensor::DTypeInfo& row : tensor::kDTypes) {
    ElementSource source =
        contiguous(tests::random_bytes(std::size_t{30'000} * row.item_bytes, 5), row.dtype, {70, 90});
    const std::string name(row.torch_name);
    expect_as_plain_loops(source, {0, 70, 0, 90, 11, 13}, name);
    expect_as_plain_loops(source, {3, 60, 7, 80, 200, 200}, name + " one by one");
    source.stride = {1, 70};
    source.storage_offset = 9;
    expect_as_plain_loops(source, {1, 69, 2, 88, 10, 9}, name + " transposed");
    source.stride = {300, 3};
    expect_as_plain_loops(source, {1, 69, 2, 88, 10, 9}, name + " every third");
    source.shape = {4, 5, 6, 7};
    source.stride = {210, 1, 35, 5};
    expect_as_plain_loops(source, {5, 100, 1, 7, 4, 9}, name + " channels last");
    source.stride = {0, 0, 0, 1};
    expect_as_plain_loops(source, {0, 120, 0, 7, 7, 7}, name + " expanded");
  }
}

TEST(HeatTile, ASmallRegionShowsSingleNumbers) {
  const ElementSource source = contiguous(raw_bytes<float>({0, 1, 2, 3, 4, 5}), DType::Float32, {2, 3});
  const HeatTile tile =
      exact_tile(source, {.row_begin = 0, .row_end = 2, .column_begin = 1, .column_end = 3, .width = 64, .height = 64});
  EXPECT_EQ(tile.region.width, 2U);
  EXPECT_EQ(tile.region.height, 2U);
  EXPECT_THAT(tile.mean, testing::ElementsAre(1, 2, 4, 5));
}

TEST(HeatTile, VectorsAreOneRowAndScalarsOneCell) {
  expect_as_plain_loops(contiguous(raw_bytes<float>({0, 1, 2, 3, 4, 5}), DType::Float32, {6}), {0, 1, 0, 6, 4, 1},
                        "vector");
  expect_as_plain_loops(contiguous(raw_bytes<float>({3}), DType::Float32, {}), {0, 1, 0, 1, 4, 4}, "scalar");
}

TEST(HeatTile, ALargeMatrixIsSampledFirst) {
  std::vector<float> values(std::size_t{2000} * 3000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = i / 3000;
    values[i] = static_cast<float>(row);
  }
  for (const bool is_transposed : {false, true}) {
    ElementSource source = contiguous(raw_bytes(values), DType::Float32, {2000, 3000});
    if (is_transposed) {
      source.shape = {3000, 2000};
      source.stride = {1, 3000};
    }
    const auto rows = static_cast<std::uint64_t>(source.shape[0]);
    const auto columns = static_cast<std::uint64_t>(source.shape[1]);
    HeatTileTask task(source, {0, rows, 0, columns, 500, 500});
    bool was_sampled = false;
    while (true) {
      const auto done = task.step(base::Budget(std::chrono::microseconds(1)));
      ASSERT_TRUE(done.ok());
      if (task.tile() != nullptr && task.tile()->sampled && !was_sampled) {
        was_sampled = true;
        EXPECT_EQ(task.version(), 1U);
        EXPECT_EQ(task.done(), 0U);
        for (std::size_t cell = 0; cell < 500; ++cell) {
          const std::size_t at = is_transposed ? 100 * 500 + cell : cell * 500 + 100;
          ASSERT_NEAR(task.tile()->mean[at], static_cast<float>(cell * 4), 8);
        }
      }
      if (*done) break;
    }
    EXPECT_TRUE(was_sampled);
    EXPECT_EQ(task.version(), 2U);
    EXPECT_EQ(task.done(), task.total());
    EXPECT_FALSE(task.tile()->sampled);
    EXPECT_FLOAT_EQ(task.tile()->mean[0], 1.5F);
  }
}

TEST(HeatTile, AVeryLongRowIsSampledInPieces) {
  std::vector<std::uint8_t> values(5'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i / 50'000);
  HeatTileTask task(contiguous(raw_bytes(values), DType::UInt8, {5'000'000}), {0, 1, 0, 5'000'000, 100, 1});
  while (task.tile() == nullptr) {
    ASSERT_TRUE(task.step(base::Budget(std::chrono::microseconds(1))).ok());
  }
  ASSERT_TRUE(task.tile()->sampled);
  for (std::size_t cell = 0; cell < 100; ++cell) EXPECT_EQ(task.tile()->mean[cell], static_cast<float>(cell));
}

TEST(HeatTile, ReadsOnlyTheRegion) {
  auto bytes = std::make_shared<tests::ReadOnlySource>(std::vector<std::byte>(std::size_t{16} << 20U));
  const ElementSource source{
      .bytes = bytes, .dtype = DType::Float32, .shape = {2048, 2048}, .stride = {2048, 1}, .storage_offset = 0};
  exact_tile(source,
             {.row_begin = 1000, .row_end = 1008, .column_begin = 5, .column_end = 13, .width = 8, .height = 8});
  EXPECT_LE(bytes->bytes_read(), 8U * (64U << 10U));
}

TEST(HeatTile, ARegionOutsideTheMatrixIsAnError) {
  const ElementSource source = contiguous(raw_bytes<float>({0, 1, 2, 3, 4, 5}), DType::Float32, {2, 3});
  const auto refused = [&](HeatRegion region) {
    HeatTileTask task(source, region);
    return !task.step(base::Budget::unlimited()).ok();
  };
  EXPECT_TRUE(refused({0, 3, 0, 3, 4, 4}));
  EXPECT_TRUE(refused({0, 2, 2, 4, 4, 4}));
  EXPECT_TRUE(refused({1, 1, 0, 3, 4, 4}));
  EXPECT_TRUE(refused({2, 1, 0, 3, 4, 4}));
  EXPECT_TRUE(refused({0, 2, 0, 3, 0, 4}));
  EXPECT_TRUE(refused({0, 2, 0, 3, 5000, 4}));
  EXPECT_FALSE(refused({0, 2, 0, 3, 4096, 4096}));
}

}  // namespace
}  // namespace nns::checkpoint
