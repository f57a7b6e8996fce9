#include "core/checkpoint/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "tests/checkpoint/element_fixtures.h"

namespace nns::checkpoint {
namespace {

using tensor::DType;
using tests::contiguous;
using tests::raw_bytes;

TensorStatistics statistics_of(const ElementSource& source, bool with_histogram = true) {
  StatisticsTask task(source, with_histogram);
  const auto done = task.step(base::Budget::unlimited());
  EXPECT_TRUE(done.ok() && *done);
  EXPECT_EQ(task.done(), task.total());
  return task.statistics();
}

double quantile(const std::vector<double>& sorted, double at) {
  const double place = at * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

// Compares every number with plain loops over read_values().
void expect_as_plain_loops(const ElementSource& source, const std::string& what) {
  SCOPED_TRACE(what);
  const std::vector<double> values = tests::all_values(source);
  const TensorStatistics found = statistics_of(source);
  TensorStatistics expected;
  std::vector<double> finite;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    if (std::isnan(values[i])) {
      ++expected.nan;
      expected.first_nan = std::min<std::uint64_t>(expected.first_nan, i);
    } else if (std::isinf(values[i])) {
      ++(values[i] > 0 ? expected.pos_inf : expected.neg_inf);
      expected.first_inf = std::min<std::uint64_t>(expected.first_inf, i);
    } else {
      finite.push_back(values[i]);
      if (values[i] == 0) ++expected.zeros;
    }
  }
  EXPECT_EQ(found.count, values.size());
  EXPECT_EQ(found.nan, expected.nan);
  EXPECT_EQ(found.pos_inf, expected.pos_inf);
  EXPECT_EQ(found.neg_inf, expected.neg_inf);
  EXPECT_EQ(found.first_nan, expected.first_nan);
  EXPECT_EQ(found.first_inf, expected.first_inf);
  EXPECT_EQ(found.zeros, expected.zeros);
  if (!tensor::is_complex(source.dtype)) {
    if (std::isfinite(sum)) {
      double magnitude = 0;
      for (const double value : values) magnitude += std::fabs(value);
      EXPECT_NEAR(found.sum, sum, 1e-12 * magnitude);
    } else {
      EXPECT_TRUE(found.sum == sum || (std::isnan(found.sum) && std::isnan(sum)));
    }
  }
  if (finite.empty()) {
    EXPECT_TRUE(std::isnan(found.min));
    EXPECT_TRUE(found.quantiles.empty());
    return;
  }
  std::sort(finite.begin(), finite.end());
  EXPECT_EQ(found.min, finite.front());
  EXPECT_EQ(found.max, finite.back());
  EXPECT_EQ(found.absmax, std::max(std::fabs(finite.front()), std::fabs(finite.back())));
  double mean = 0;
  for (const double value : finite) mean += value / static_cast<double>(finite.size());
  double square = 0;
  for (const double value : finite) square += (value - mean) * (value - mean) / static_cast<double>(finite.size());
  if (std::isfinite(square)) {
    EXPECT_NEAR(found.mean, mean, 1e-9 * found.absmax);
    EXPECT_NEAR(found.std, std::sqrt(square), 1e-9 * found.absmax);
  }
  std::uint64_t in_bins = 0;
  for (const std::uint64_t count : found.histogram) in_bins += count;
  EXPECT_EQ(in_bins, finite.size());
  EXPECT_LE(found.histogram_low, found.min);
  EXPECT_GE(found.histogram_high, found.max);
  ASSERT_EQ(found.quantiles.size(), found.quantile_at.size());
  EXPECT_EQ(found.quantile_error, 0);
  for (std::size_t i = 0; i < found.quantiles.size(); ++i) {
    EXPECT_NEAR(found.quantiles[i], quantile(finite, found.quantile_at[i]), 1e-12 * found.absmax) << i;
  }
}

TEST(Statistics, EveryDtypeAgreesWithPlainLoopsOnAnyBits) {
  for (const tensor::DTypeInfo& row : tensor::kDTypes) {
    for (const std::int64_t count : {1, 7, 5000}) {
      const auto bytes = tests::random_bytes(static_cast<std::size_t>(count) * row.item_bytes, 7);
      expect_as_plain_loops(contiguous(bytes, row.dtype, {count}), std::string(row.torch_name));
    }
  }
}

TEST(Statistics, EveryDtypeAgreesWithPlainLoopsWhateverTheStrides) {
  for (const tensor::DTypeInfo& row : tensor::kDTypes) {
    ElementSource source = contiguous(tests::random_bytes(std::size_t{40'000} * row.item_bytes, 11), row.dtype, {1});
    const std::string name(row.torch_name);
    source.shape = {60, 50};
    source.stride = {1, 60};
    source.storage_offset = 17;
    expect_as_plain_loops(source, name + " transposed");
    source.stride = {500, 3};
    expect_as_plain_loops(source, name + " every third");
    source.shape = {4, 5, 6, 7};
    source.stride = {210, 1, 35, 5};
    expect_as_plain_loops(source, name + " channels last");
    source.shape = {3, 1, 50};
    source.stride = {0, 9, 2};
    expect_as_plain_loops(source, name + " expanded");
    source.shape = {30, 20};
    source.stride = {1, 1};
    expect_as_plain_loops(source, name + " overlapping");
  }
}

TEST(Statistics, ScalarsAndEmptyTensorsHaveTheirs) {
  expect_as_plain_loops(contiguous(raw_bytes<float>({2.5F}), DType::Float32, {}), "scalar");
  expect_as_plain_loops(contiguous({}, DType::Float32, {0}), "empty");
  expect_as_plain_loops(contiguous({}, DType::Int64, {3, 0, 2}), "empty");
  const float bad = std::nanf("");
  expect_as_plain_loops(contiguous(raw_bytes<float>({bad, bad}), DType::Float32, {2}), "all NaN");
}

TEST(Statistics, ExtremeValuesDoNotOverflowTheHistogram) {
  const TensorStatistics found =
      statistics_of(contiguous(raw_bytes<double>({-1.7e308, 1.7e308, 0, 5e-324}), DType::Float64, {4}));
  EXPECT_EQ(found.histogram.front(), 1U);
  EXPECT_EQ(found.histogram.back(), 1U);
  expect_as_plain_loops(contiguous(raw_bytes<float>({1e-45F, 2e-45F}), DType::Float32, {2}), "subnormal");
  expect_as_plain_loops(contiguous(raw_bytes<std::int64_t>({INT64_MIN, INT64_MAX, 0}), DType::Int64, {3}), "int64");
}

TEST(Statistics, SumsOfIntegersAreExact) {
  const std::int64_t large = (std::int64_t{1} << 61U) + 1;
  const TensorStatistics found =
      statistics_of(contiguous(raw_bytes<std::int64_t>({large, large, -3}), DType::Int64, {3}));
  EXPECT_TRUE(found.is_integer);
  EXPECT_EQ(found.sum_integer, (std::int64_t{1} << 62U) - 1);
}

TEST(Statistics, ALargeMeanDoesNotSwallowTheDeviation) {
  std::vector<double> values;
  for (int i = 0; i < 10'000; ++i) values.push_back(1e9 + (i % 2));
  EXPECT_NEAR(statistics_of(contiguous(raw_bytes(values), DType::Float64, {10'000})).std, 0.5, 1e-9);
}

TEST(Statistics, ComplexSumsAreOfTheParts) {
  const TensorStatistics found = statistics_of(contiguous(raw_bytes<float>({3, 4, -1, 0.5F}), DType::Complex64, {2}));
  EXPECT_EQ(found.sum, 2);
  EXPECT_EQ(found.sum_imaginary, 4.5);
  EXPECT_EQ(found.max, 5);
}

TEST(Statistics, SmallIntegersHaveABinEach) {
  const TensorStatistics found = statistics_of(contiguous(raw_bytes<std::uint8_t>({1, 0, 1, 1}), DType::Bool, {4}));
  EXPECT_THAT(found.histogram, testing::ElementsAre(1, 3));
  EXPECT_EQ(found.histogram_low, -0.5);
  EXPECT_EQ(found.histogram_high, 1.5);
}

TEST(Statistics, WithoutAHistogramOnePassIsEnough) {
  auto bytes = std::make_shared<tests::ReadOnlySource>(tests::random_bytes(40'000, 3));
  ElementSource source{.bytes = bytes, .dtype = DType::Int32, .shape = {10'000}, .stride = {1}, .storage_offset = 0};
  EXPECT_TRUE(statistics_of(source, false).histogram.empty());
  EXPECT_EQ(bytes->bytes_read(), 40'000U);
}

TEST(Statistics, AnExpandedTensorIsReadOnce) {
  ElementSource source = contiguous(raw_bytes<float>({1, 2, 4}), DType::Float32, {1});
  source.shape = {1'000'000'000'000, 3};
  source.stride = {0, 1};
  const TensorStatistics found = statistics_of(source);
  EXPECT_EQ(found.count, 3'000'000'000'000U);
  EXPECT_DOUBLE_EQ(found.sum, 7e12);
  EXPECT_EQ(found.quantiles[3], 2);
}

TEST(Statistics, ReadsAtMostAMebibyteAtATimeAndComesBackInTime) {
  auto bytes = std::make_shared<tests::ReadOnlySource>(std::vector<std::byte>(std::size_t{32} << 20U));
  const ElementSource source{
      .bytes = bytes, .dtype = DType::Float32, .shape = {1 << 23}, .stride = {1}, .storage_offset = 0};
  StatisticsTask task(source);
  int slices = 0;
  std::uint64_t before = 0;
  while (true) {
    const auto done = task.step(base::Budget(std::chrono::milliseconds(1)));
    ASSERT_TRUE(done.ok());
    EXPECT_GE(task.done(), before);
    before = task.done();
    ++slices;
    if (*done) break;
  }
  EXPECT_GT(slices, 2);
  EXPECT_LE(bytes->largest_read(), std::size_t{1} << 20U);
  EXPECT_EQ(task.statistics().zeros, std::uint64_t{1} << 23U);
}

TEST(Statistics, ATruncatedStorageIsAnErrorAndStaysOne) {
  StatisticsTask task(contiguous(raw_bytes<float>({1, 2}), DType::Float32, {3}));
  const auto failed = task.step(base::Budget::unlimited());
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message(), testing::HasSubstr("storage"));
  EXPECT_FALSE(task.step(base::Budget::unlimited()).ok());
}

}  // namespace
}  // namespace nns::checkpoint
