// What the tensor view reads: slices of tensors with any strides, against plain loops over single items.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <random>

#include "core/checkpoint/decode.h"
#include "core/checkpoint/find_value.h"
#include "core/checkpoint/float_moments.h"
#include "core/checkpoint/heat_tile.h"
#include "core/checkpoint/statistics.h"
#include "core/tensor/float_formats.h"
#include "tests/checkpoint/element_fixtures.h"

namespace nns::tensor {

/// Names of tests are made of it, so it must be the same in every run.
static void PrintTo(const DTypeInfo& row, std::ostream* out) { *out << row.torch_name; }

}  // namespace nns::tensor

namespace nns::checkpoint {
namespace {

using base::TensorSlice;
using tensor::DType;

struct Random {
  explicit Random(unsigned seed) : engine(seed) {}
  std::uint64_t below(std::uint64_t most) { return engine() % most; }
  std::mt19937 engine;
};

TensorSlice random_slice(Random& random, const std::vector<std::int64_t>& shape) {
  TensorSlice slice = base::whole_slice(shape);
  slice.order.clear();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    base::AxisRange& range = slice.axes[axis];
    const auto size = static_cast<std::uint64_t>(shape[axis]);
    if (random.below(4) == 0) {
      range = {random.below(size), 1, 1};
      continue;
    }
    slice.order.push_back(static_cast<std::uint8_t>(axis));
    range.start = random.below(size);
    range.count = 1 + random.below(size - range.start);
    if (range.count > 1) range.step = 1 + random.below((size - 1 - range.start) / (range.count - 1));
  }
  std::shuffle(slice.order.begin(), slice.order.end(), random.engine);
  return slice;
}

// A tensor of some dtype whose axes lie in the storage in any order, with gaps, perhaps with an axis that repeats.
ElementSource random_tensor(Random& random, DType dtype, bool may_repeat) {
  ElementSource source;
  source.dtype = dtype;
  source.shape.resize(random.below(5));
  for (std::int64_t& size : source.shape) size = 1 + static_cast<std::int64_t>(random.below(6));
  source.stride.assign(source.shape.size(), 0);
  std::vector<std::size_t> axes(source.shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  std::shuffle(axes.begin(), axes.end(), random.engine);
  std::int64_t next = 1 + static_cast<std::int64_t>(random.below(2));
  for (const std::size_t axis : axes) {
    if (may_repeat && random.below(4) == 0) continue;
    source.stride[axis] = next;
    next = next * source.shape[axis] + static_cast<std::int64_t>(random.below(3));
  }
  source.storage_offset = random.below(5);
  std::uint64_t last = source.storage_offset;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    last += static_cast<std::uint64_t>((source.shape[i] - 1) * source.stride[i]);
  }
  std::vector<std::byte> bytes = tests::random_bytes(static_cast<std::size_t>(last + 1) * tensor::item_bytes(dtype),
                                                     static_cast<unsigned>(random.engine()));
  // Few different values, so that extremes and zeros occur more than once.
  for (std::byte& byte : bytes) byte &= std::byte{0xC1};
  source.bytes = random.below(2) == 0 ? base::make_memory_source("storage", std::move(bytes))
                                      : std::make_shared<tests::ReadOnlySource>(std::move(bytes));
  return source;
}

// The items of a slice, each read alone by its index.
std::vector<std::byte> items_one_by_one(const ElementSource& source, const TensorSlice& slice) {
  const std::size_t item_bytes = tensor::item_bytes(source.dtype);
  std::uint64_t count = 1;
  for (const std::int64_t size : base::slice_shape(slice)) count *= static_cast<std::uint64_t>(size);
  std::vector<std::byte> items(static_cast<std::size_t>(count) * item_bytes);
  for (std::uint64_t flat = 0; flat < count; ++flat) {
    const std::vector<std::uint64_t> index = base::slice_index(slice, flat);
    std::uint64_t item = source.storage_offset;
    for (std::size_t i = 0; i < index.size(); ++i) item += index[i] * static_cast<std::uint64_t>(source.stride[i]);
    const auto into = std::span(items).subspan(static_cast<std::size_t>(flat) * item_bytes, item_bytes);
    EXPECT_TRUE(source.bytes->read(item * item_bytes, into).ok());
  }
  return items;
}

std::vector<double> values_of(DType dtype, const std::vector<std::byte>& items) {
  const std::size_t count = items.size() / tensor::item_bytes(dtype);
  std::vector<double> values(count * values_per_item(dtype));
  decode_as_double(dtype, items.data(), count, values.data());
  return values;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::optional<std::uint64_t> find_plainly(const std::vector<double>& values, FindWhat what, std::uint64_t from) {
  double extreme = NAN;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    if (std::isnan(extreme) || (what == FindWhat::Maximum ? value > extreme : value < extreme)) extreme = value;
  }
  const auto fits = [&](double value) {
    if (what == FindWhat::NaN) return std::isnan(value);
    if (what == FindWhat::Infinity) return std::isinf(value);
    return value == extreme;
  };
  for (std::uint64_t i = from; i < values.size(); ++i) {
    if (fits(values[i])) return i;
  }
  for (std::uint64_t i = 0; i < from && i < values.size(); ++i) {
    if (fits(values[i])) return i;
  }
  return std::nullopt;
}

// Dead rows and columns and what lies far out, by plain loops.
void expect_lines_and_outliers(const TensorStatistics& numbers, const ElementSource& view,
                               const std::vector<double>& values) {
  const std::size_t rank = view.shape.size();
  if (rank < 2) {
    ASSERT_EQ(numbers.rows + numbers.columns + numbers.dead_rows + numbers.dead_columns, 0U);
  } else if (view.dtype != DType::Float8E8M0FNU) {
    const auto rows = static_cast<std::size_t>(view.shape[0]);
    const auto columns = static_cast<std::size_t>(view.shape[1]);
    const std::size_t below = values.size() / rows / columns;
    std::vector<bool> row_lives(rows, false);
    std::vector<bool> column_lives(columns, false);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0.0) continue;
      row_lives[i / below / columns] = true;
      column_lives[i / below % columns] = true;
    }
    ASSERT_EQ(numbers.rows, rows);
    ASSERT_EQ(numbers.columns, columns);
    ASSERT_EQ(numbers.dead_rows, static_cast<std::uint64_t>(std::count(row_lives.begin(), row_lives.end(), false)));
    ASSERT_EQ(numbers.dead_columns,
              static_cast<std::uint64_t>(std::count(column_lives.begin(), column_lives.end(), false)));
  }
  std::uint64_t far = 0;
  for (const double value : values) {
    far += std::isfinite(value) && std::fabs(value - numbers.mean) > kOutlier * numbers.std ? 1U : 0U;
  }
  if (numbers.min == numbers.max || std::isnan(numbers.min)) far = 0;
  ASSERT_EQ(numbers.outliers, far);
}

class SliceOf : public testing::TestWithParam<tensor::DTypeInfo> {};

TEST_P(SliceOf, EveryDTypeIsReadAsOneByOne) {
  const DType dtype = GetParam().dtype;
  Random random(static_cast<unsigned>(dtype) + 1);
  for (int round = 0; round < 150; ++round) {
    const ElementSource source = random_tensor(random, dtype, round % 3 == 0);
    const TensorSlice slice = random_slice(random, source.shape);
    SCOPED_TRACE(base::slice_text(slice, source.shape));
    const auto view = apply_slice(source, slice);
    ASSERT_TRUE(view.ok()) << view.error().message();
    ASSERT_TRUE(view->check().ok());
    const std::vector<std::byte> items = items_one_by_one(source, slice);
    const std::size_t item_bytes = tensor::item_bytes(dtype);
    ASSERT_EQ(view->numel(), items.size() / item_bytes);

    OrderedItems ordered(*view);
    const auto first = static_cast<std::size_t>(random.below(view->numel()));
    const auto count = static_cast<std::size_t>(1 + random.below(view->numel() - first));
    const auto read = ordered.read(first, count);
    ASSERT_TRUE(read.ok());
    ASSERT_EQ(std::memcmp(*read, items.data() + first * item_bytes, count * item_bytes), 0);

    const std::vector<double> values = values_of(dtype, items);
    const MatrixSize size = matrix_size(view->shape, dtype);
    ASSERT_EQ(size.rows * size.columns, values.size());
    HeatTileTask tile(*view, {.row_begin = 0,
                              .row_end = size.rows,
                              .column_begin = 0,
                              .column_end = size.columns,
                              .width = 4096,
                              .height = 4096});
    ASSERT_TRUE(*tile.step(base::Budget::unlimited()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      // Integers above 2^53 have no double: that one is rounded twice.
      const auto close = static_cast<double>(static_cast<float>(values[i]));
      const auto mean = static_cast<double>(tile.tile()->mean[i]);
      ASSERT_TRUE(same(mean, close) || std::fabs(mean - close) <= std::fabs(close) * 1e-7)
          << i << ": " << tile.tile()->mean[i] << " for " << values[i];
    }

    for (const bool with_histogram : {true, false}) {
      StatisticsTask statistics(*view, with_histogram);
      ASSERT_TRUE(*statistics.step(base::Budget::unlimited()));
      const TensorStatistics& numbers = statistics.statistics();
      ASSERT_EQ(numbers.count, values.size());
      ASSERT_EQ(numbers.zeros, static_cast<std::uint64_t>(std::count(values.begin(), values.end(), 0.0)));
      expect_lines_and_outliers(numbers, *view, values);
    }

    for (const FindWhat what : {FindWhat::NaN, FindWhat::Infinity, FindWhat::Maximum, FindWhat::Minimum}) {
      // Plain loops over doubles know no integers above 2^53.
      if (item_bytes == 8 && tensor::is_integral(dtype)) continue;
      const std::uint64_t from = random.below(values.size() + 1);
      FindValueTask find(*view, what, from);
      ASSERT_TRUE(*find.step(base::Budget::unlimited()));
      ASSERT_EQ(find.found(), find_plainly(values, what, from)) << static_cast<int>(what) << " from " << from;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, SliceOf, testing::ValuesIn(tensor::kDTypes),
                         [](const auto& row) { return std::string(row.param.torch_name); });

TEST(StatisticsOutliers, AreCountedHoweverTheValuesSpread) {
  // Spreads that grow, shrink, and jump; a few values far out; enough of them for many blocks.
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (int kind = 0; kind < 6; ++kind) {
    std::vector<float> values(300'000);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float at = static_cast<float>(i) / static_cast<float>(values.size());
      const float spread = kind == 0 ? 1 : kind == 1 ? 0.01F + at : kind == 2 ? 1.01F - at : at < 0.1F ? 50.0F : 0.5F;
      values[i] = normal(random) * spread + (kind == 4 ? 1000.0F : 0.0F);
      if (kind == 5 && i % 1000 == 7) values[i] = 100;
    }
    values[12'345] = 500;
    for (const DType dtype : {DType::Float32, DType::BFloat16, DType::Float64}) {
      std::vector<double> exact(values.size());
      std::vector<std::byte> bytes;
      if (dtype == DType::Float32) {
        bytes = tests::raw_bytes(values);
      } else if (dtype == DType::Float64) {
        bytes = tests::raw_bytes(std::vector<double>(values.begin(), values.end()));
      } else {
        std::vector<std::uint16_t> codes;
        for (const float value : values) {
          std::uint32_t bits;
          std::memcpy(&bits, &value, sizeof bits);
          codes.push_back(static_cast<std::uint16_t>(bits >> 16U));
        }
        bytes = tests::raw_bytes(codes);
      }
      const ElementSource source = tests::contiguous(bytes, dtype, {300, 1000});
      decode_as_double(dtype, bytes.data(), exact.size(), exact.data());
      for (const bool with_histogram : {true, false}) {
        SCOPED_TRACE(std::string(tensor::info(dtype).torch_name) + std::to_string(kind));
        StatisticsTask task(source, with_histogram);
        ASSERT_TRUE(*task.step(base::Budget::unlimited()));
        expect_lines_and_outliers(task.statistics(), source, exact);
      }
    }
  }
}

TEST(FloatMoments, EveryCodeOfTwoBytesIsTheSameFloat) {
  std::vector<std::uint16_t> codes(65'536);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
  const std::vector<std::byte> raw = tests::raw_bytes(codes);
  std::vector<float> fast(codes.size());
  std::vector<float> any(codes.size());
  halves_to_floats(raw.data() + 2, codes.size() - 3, fast.data());
  halves_to_floats_any(raw.data() + 2, codes.size() - 3, any.data());
  for (std::size_t i = 0; i + 3 < codes.size(); ++i) {
    const float exact = tensor::half_to_float(codes[i + 1]);
    ASSERT_TRUE(same(static_cast<double>(fast[i]), static_cast<double>(exact))) << i;
    ASSERT_TRUE(same(static_cast<double>(any[i]), static_cast<double>(exact))) << i;
  }
  bfloat16s_to_floats(raw.data() + 2, codes.size() - 3, fast.data());
  bfloat16s_to_floats_any(raw.data() + 2, codes.size() - 3, any.data());
  for (std::size_t i = 0; i + 3 < codes.size(); ++i) {
    const auto exact = static_cast<double>(tensor::bfloat16_to_float(codes[i + 1]));
    ASSERT_TRUE(same(static_cast<double>(fast[i]), exact)) << i;
    ASSERT_TRUE(same(static_cast<double>(any[i]), exact)) << i;
  }
}

TEST(StatisticsDead, RowsAndColumnsThatAreZeroAreCounted) {
  std::vector<std::uint16_t> codes(2000 * 300, 0x3F80);
  for (std::size_t row = 0; row < 2000; ++row) {
    for (const std::size_t column : {0U, 17U, 299U}) codes[row * 300 + column] = row % 2 == 0 ? 0x8000 : 0;
    if (row % 100 != 99) continue;
    for (std::size_t column = 0; column < 300; ++column) codes[row * 300 + column] = 0;
  }
  const ElementSource source = tests::contiguous(tests::raw_bytes(codes), DType::BFloat16, {2000, 300});
  StatisticsTask task(source, false);
  while (!*task.step(base::Budget(std::chrono::microseconds(0)))) continue;
  EXPECT_EQ(task.statistics().dead_rows, 20U);
  EXPECT_EQ(task.statistics().dead_columns, 3U);
  StatisticsTask turned(*apply_slice(source, *base::parse_slice(".T", source.shape)), false);
  ASSERT_TRUE(*turned.step(base::Budget::unlimited()));
  EXPECT_EQ(turned.statistics().dead_rows, 3U);
  EXPECT_EQ(turned.statistics().dead_columns, 20U);
}

TEST(FloatMoments, EveryBodyAddsUpTheSame) {
  std::mt19937 random(9);
  std::normal_distribution<float> normal(0.5F, 2);
  std::vector<float> values(1037);
  for (float& value : values) value = random() % 7 == 0 ? 0 : normal(random);
  for (const std::size_t count : {1U, 3U, 8U, 33U, 1037U}) {
    double distance = 0;
    double square = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double away = static_cast<double>(values[i]) - 0.5;
      distance += away;
      square += away * away;
    }
    for (const auto body : {&add_floats, &add_floats_128}) {
      const FloatMoments sum = body(values.data(), count, 0.5);
      EXPECT_NEAR(sum.distance, distance, 1e-9);
      EXPECT_NEAR(sum.square, square, 1e-9);
      EXPECT_EQ(sum.low, *std::min_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)));
      EXPECT_EQ(sum.high, *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)));
      EXPECT_EQ(sum.zeros, static_cast<std::uint64_t>(
                               std::count(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), 0.0F)));
    }
  }
}

// The bodies that add up what is stored, against the floats that it is.
TEST(FloatMoments, WhatIsStoredAddsUpAsItsFloatsDo) {
  std::mt19937 random(11);
  const auto bodies = stored_bodies();
  for (const auto& [format, item_bytes] : {std::pair(StoredFloat::Float32, 4U), std::pair(StoredFloat::Float16, 2U),
                                           std::pair(StoredFloat::BFloat16, 2U)}) {
    const DType dtype = format == StoredFloat::Float32   ? DType::Float32
                        : format == StoredFloat::Float16 ? DType::Float16
                                                         : DType::BFloat16;
    std::vector<std::byte> raw(3000 * item_bytes + 1);
    for (std::byte& byte : raw) byte = static_cast<std::byte>(random() % 8 == 0 ? 0 : random());
    std::vector<float> values(3000);
    decode_as_float(dtype, raw.data() + 1, values.size(), values.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      // What is not finite or has a huge square becomes zero: two bytes of one above, four of the other.
      if (std::isfinite(values[i]) && std::fabs(values[i]) < 1e6F) continue;
      std::fill_n(raw.begin() + 1 + static_cast<std::ptrdiff_t>(i * item_bytes), item_bytes, std::byte{0});
      values[i] = 0;
    }
    for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 32U, 47U, 1024U, 1025U, 3000U}) {
      const FloatMoments exact = add_floats_128(values.data(), count, 0.25);
      for (const auto body : bodies) {
        const FloatMoments sum = body(format, raw.data() + 1, count, 0.25);
        EXPECT_EQ(sum.low, exact.low) << count;
        EXPECT_EQ(sum.high, exact.high) << count;
        EXPECT_EQ(sum.zeros, exact.zeros) << count;
        EXPECT_NEAR(sum.distance, exact.distance, 1e-12 * exact.square + 1e-9) << count;
        EXPECT_NEAR(sum.square, exact.square, 1e-12 * exact.square) << count;
      }
      std::vector<std::byte> bad = raw;
      const std::uint32_t nan = format == StoredFloat::Float32   ? 0x7FC00000U
                                : format == StoredFloat::Float16 ? 0x7E00U
                                                                 : 0x7FC0U;
      std::memcpy(bad.data() + 1 + (count - 1) * item_bytes, &nan, item_bytes);
      for (const auto body : bodies)
        EXPECT_FALSE(std::isfinite(body(format, bad.data() + 1, count, 0.25).distance)) << count;
    }
  }
}

TEST(FindValue, TellsWideIntegersApartThatShareADouble) {
  const std::vector<std::int64_t> values = {(std::int64_t{1} << 60) - 1, std::int64_t{1} << 60, -5, -5};
  const ElementSource source = tests::contiguous(tests::raw_bytes(values), DType::Int64, {4});
  FindValueTask find(source, FindWhat::Maximum, 0);
  ASSERT_TRUE(*find.step(base::Budget::unlimited()));
  EXPECT_EQ(find.found(), 1U);
  FindValueTask second(source, FindWhat::Minimum, 3);
  ASSERT_TRUE(*second.step(base::Budget::unlimited()));
  EXPECT_EQ(second.found(), 3U);
}

TEST(ItemText, IsExactForItsType) {
  const auto text = [](DType dtype, auto value) {
    std::byte bytes[16] = {};
    std::memcpy(bytes, &value, sizeof value);
    return item_text(dtype, bytes);
  };
  EXPECT_EQ(text(DType::Float32, 0.1F), "0.1");
  EXPECT_EQ(text(DType::Float64, 0.1), "0.1");
  EXPECT_EQ(text(DType::Float32, -INFINITY), "-inf");
  EXPECT_EQ(text(DType::Float64, std::nan("")), "nan");
  EXPECT_EQ(text(DType::Int64, std::int64_t{9'007'199'254'740'993}), "9007199254740993");
  EXPECT_EQ(text(DType::UInt64, UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(text(DType::Bool, std::uint8_t{2}), "True");
  EXPECT_EQ(text(DType::BFloat16, std::uint16_t{0x3DCD}), "0.100097656");
  EXPECT_EQ(text(DType::Float4E2M1FNX2, std::uint8_t{0xF1}), "0.5 -6");
  EXPECT_EQ(text(DType::Complex64, (std::array{1.5F, -2.0F})), "(1.5-2j)");
}

TEST(SliceApply, RefusesHostileStridesAndSlices) {
  ElementSource source = tests::contiguous(tests::random_bytes(48, 1), DType::Float32, {3, 4});
  const TensorSlice whole = base::whole_slice(source.shape);
  TensorSlice outside = whole;
  outside.axes[0] = {0, 4, 1};
  EXPECT_FALSE(apply_slice(source, outside).ok());
  outside.axes[0] = {1, UINT64_MAX, UINT64_MAX};
  EXPECT_FALSE(apply_slice(source, outside).ok());
  for (const std::int64_t stride : {INT64_MAX, std::int64_t{13}, std::int64_t{-1}}) {
    ElementSource hostile = source;
    hostile.stride[0] = stride;
    EXPECT_FALSE(apply_slice(hostile, whole).ok()) << stride;
  }
  ElementSource hostile = source;
  hostile.storage_offset = UINT64_MAX;
  EXPECT_FALSE(apply_slice(hostile, whole).ok());
  // One element may have any stride.
  hostile = source;
  hostile.shape = {1, 1};
  hostile.stride = {INT64_MAX, INT64_MAX};
  EXPECT_TRUE(apply_slice(hostile, base::whole_slice(hostile.shape)).ok());
}

TEST(SliceApply, AnEmptySliceReadsNothing) {
  const ElementSource source = tests::contiguous(tests::random_bytes(48, 1), DType::Float32, {3, 4});
  const auto view = apply_slice(source, *base::parse_slice("[3:]", source.shape));
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->numel(), 0U);
  EXPECT_TRUE(view->check().ok());
}

// A file of 16 MiB: rows of 1 MiB.
TEST(SliceReading, ReadsWhatTheViewNeedsAndLittleMore) {
  constexpr std::int64_t kRows = 16;
  constexpr std::int64_t kColumns = 262'144;
  const auto bytes_for = [&](std::string_view text) {
    const auto storage =
        std::make_shared<tests::ReadOnlySource>(std::vector<std::byte>(static_cast<std::size_t>(kRows * kColumns * 4)));
    const ElementSource source{storage, DType::Float32, {kRows, kColumns}, {kColumns, 1}, 0};
    const ElementSource view = *apply_slice(source, *base::parse_slice(text, source.shape));
    const MatrixSize size = matrix_size(view.shape, view.dtype);
    HeatTileTask tile(view, {.row_begin = 0,
                             .row_end = size.rows,
                             .column_begin = 0,
                             .column_end = size.columns,
                             .width = 64,
                             .height = 64});
    EXPECT_TRUE(*tile.step(base::Budget::unlimited()));
    const std::uint64_t for_tile = storage->bytes_read();
    OrderedItems items(view);
    EXPECT_TRUE(items.read(0, static_cast<std::size_t>(std::min<std::uint64_t>(view.numel(), 65'536))).ok());
    return std::pair(for_tile, storage->bytes_read() - for_tile);
  };
  // A column: items a megabyte apart are read alone.
  EXPECT_LE(bytes_for("[:, 7]").first, 16U * 4U);
  EXPECT_LE(bytes_for("[:, 7]").second, 16U * 4U);
  EXPECT_LE(bytes_for("[:, 100:110]").first, 16U * 40U);
  // Every second item: read over.
  EXPECT_LE(bytes_for("[3, ::2]").first, 1'048'576U + 65'536U);
  EXPECT_LE(bytes_for("[3, 1000:2000]").first, 4'000U + 65'536U);
  EXPECT_LE(bytes_for("[3]").first, 1'048'576U);
}

}  // namespace
}  // namespace nns::checkpoint
