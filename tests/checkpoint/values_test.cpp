#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/checkpoint/elements.h"
#include "core/tensor/float_formats.h"
#include "tests/checkpoint/element_fixtures.h"

namespace nns::checkpoint {
namespace {

using tensor::DType;
using testing::ElementsAre;
using tests::contiguous;
using tests::raw_bytes;

TEST(ReadValues, EveryDtypeGivesItsNumbers) {
  using Bytes = std::vector<std::uint8_t>;
  const auto values = [](DType dtype, std::vector<std::byte> bytes, std::int64_t count) {
    return tests::all_values(contiguous(std::move(bytes), dtype, {count}));
  };
  EXPECT_THAT(values(DType::Float32, raw_bytes<float>({1.5F, -2}), 2), ElementsAre(1.5, -2));
  EXPECT_THAT(values(DType::Float64, raw_bytes<double>({0.1, 1e300}), 2), ElementsAre(0.1, 1e300));
  EXPECT_THAT(values(DType::Float16, raw_bytes<std::uint16_t>({0x3C00, 0xC000, 0x0001}), 3),
              ElementsAre(1, -2, std::ldexp(1.0, -24)));
  EXPECT_THAT(values(DType::BFloat16, raw_bytes<std::uint16_t>({0x3F80, 0xC000}), 2), ElementsAre(1, -2));
  EXPECT_THAT(values(DType::Complex64, raw_bytes<float>({3, 4, 0, -1}), 2), ElementsAre(5, 1));
  EXPECT_THAT(values(DType::Complex128, raw_bytes<double>({3, 4}), 1), ElementsAre(5));
  EXPECT_THAT(values(DType::Complex32, raw_bytes<std::uint16_t>({0x4200, 0x4400}), 1), ElementsAre(5));
  EXPECT_THAT(values(DType::Int8, raw_bytes<std::int8_t>({-128, 127}), 2), ElementsAre(-128, 127));
  EXPECT_THAT(values(DType::Int16, raw_bytes<std::int16_t>({-32768}), 1), ElementsAre(-32768));
  EXPECT_THAT(values(DType::Int32, raw_bytes<std::int32_t>({-7}), 1), ElementsAre(-7));
  EXPECT_THAT(values(DType::Int64, raw_bytes<std::int64_t>({-(1LL << 52)}), 1), ElementsAre(-4503599627370496.0));
  EXPECT_THAT(values(DType::UInt8, raw_bytes<std::uint8_t>({255}), 1), ElementsAre(255));
  EXPECT_THAT(values(DType::UInt16, raw_bytes<std::uint16_t>({65535}), 1), ElementsAre(65535));
  EXPECT_THAT(values(DType::UInt32, raw_bytes<std::uint32_t>({4294967295U}), 1), ElementsAre(4294967295.0));
  EXPECT_THAT(values(DType::UInt64, raw_bytes<std::uint64_t>({1ULL << 63U}), 1), ElementsAre(9223372036854775808.0));
  EXPECT_THAT(values(DType::Bool, raw_bytes<std::uint8_t>({0, 1, 7}), 3), ElementsAre(0, 1, 1));
  EXPECT_THAT(values(DType::QInt8, raw_bytes<std::int8_t>({-3}), 1), ElementsAre(-3));
  EXPECT_THAT(values(DType::QUInt8, raw_bytes<std::uint8_t>({200}), 1), ElementsAre(200));
  EXPECT_THAT(values(DType::QInt32, raw_bytes<std::int32_t>({-9}), 1), ElementsAre(-9));
  EXPECT_THAT(values(DType::Float8E4M3FN, raw_bytes(Bytes{0x38, 0xB8}), 2), ElementsAre(1, -1));
  EXPECT_THAT(values(DType::Float8E5M2, raw_bytes(Bytes{0x3C, 0x7B}), 2), ElementsAre(1, 57344));
  EXPECT_THAT(values(DType::Float8E4M3FNUZ, raw_bytes(Bytes{0x40}), 1), ElementsAre(1));
  EXPECT_THAT(values(DType::Float8E5M2FNUZ, raw_bytes(Bytes{0x40}), 1), ElementsAre(1));
  EXPECT_THAT(values(DType::Float8E8M0FNU, raw_bytes(Bytes{127, 128}), 2), ElementsAre(1, 2));
  EXPECT_THAT(values(DType::Float4E2M1FNX2, raw_bytes(Bytes{0x21, 0x7A}), 2), ElementsAre(0.5, 1, -1, 6));
}

TEST(ReadValues, HalvesAreThoseOfTheFormatForEveryCode) {
  std::vector<std::uint16_t> codes(65536);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
  const auto values = tests::all_values(contiguous(raw_bytes(codes), DType::Float16, {65536}));
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto expected = static_cast<double>(tensor::half_to_float(codes[i]));
    ASSERT_TRUE(values[i] == expected || (std::isnan(values[i]) && std::isnan(expected))) << i;
  }
}

TEST(ReadValues, StridesAndOffsetGiveLogicalOrder) {
  std::vector<float> storage(100);
  for (std::size_t i = 0; i < storage.size(); ++i) storage[i] = static_cast<float>(i);
  ElementSource source = contiguous(raw_bytes(storage), DType::Float32, {3, 2, 4});
  source.stride = {2, 50, 7};
  source.storage_offset = 5;
  std::vector<double> expected;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) {
      for (int k = 0; k < 4; ++k) expected.push_back(5 + 2 * i + 50 * j + 7 * k);
    }
  }
  EXPECT_EQ(tests::all_values(source), expected);
  std::vector<double> middle(3);
  ASSERT_TRUE(read_values(source, 6, middle).ok());
  EXPECT_THAT(middle, ElementsAre(expected[6], expected[7], expected[8]));
}

TEST(ReadValues, APackedItemMayBeEnteredAtItsSecondNumber) {
  const ElementSource source = contiguous(raw_bytes(std::vector<std::uint8_t>{0x21, 0x7A}), DType::Float4E2M1FNX2, {2});
  std::vector<double> values(2);
  ASSERT_TRUE(read_values(source, 1, values).ok());
  EXPECT_THAT(values, ElementsAre(1, -1));
}

TEST(ReadValues, ARangeOutsideTheTensorIsAnError) {
  const ElementSource source = contiguous(raw_bytes<float>({1, 2, 3}), DType::Float32, {3});
  std::vector<double> values(2);
  EXPECT_FALSE(read_values(source, 2, values).ok());
  EXPECT_FALSE(read_values(source, UINT64_MAX, values).ok());
  EXPECT_TRUE(read_values(source, 3, std::span<double>()).ok());
}

TEST(ElementSourceCheck, AStorageThatIsTooShortIsAnErrorThatNamesIt) {
  ElementSource source = contiguous(raw_bytes<float>({1, 2, 3}), DType::Float32, {4});
  const auto checked = source.check();
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().message(), testing::HasSubstr("storage of 3 elements"));
}

TEST(ElementSourceCheck, AbsurdNumbersAreErrors) {
  const auto check = [](std::vector<std::int64_t> shape, std::vector<std::int64_t> stride, std::uint64_t offset) {
    ElementSource source = contiguous(raw_bytes<float>({1, 2, 3, 4}), DType::Float32, {1});
    source.shape = std::move(shape);
    source.stride = std::move(stride);
    source.storage_offset = offset;
    return source.check().ok();
  };
  EXPECT_TRUE(check({4}, {1}, 0));
  EXPECT_FALSE(check({4}, {1}, 1));
  EXPECT_FALSE(check({4}, {-1}, 3));
  EXPECT_FALSE(check({-4}, {1}, 0));
  EXPECT_FALSE(check({2}, {INT64_MAX}, 0));
  EXPECT_FALSE(check({1}, {1}, UINT64_MAX));
  EXPECT_FALSE(check({INT64_MAX, INT64_MAX}, {0, 0}, 0));
  EXPECT_FALSE(check({2, 2}, {1}, 0));
  EXPECT_TRUE(check({0, INT64_MAX}, {1, 1}, 99));
  EXPECT_TRUE(check({1'000'000'000'000}, {0}, 3));
}

}  // namespace
}  // namespace nns::checkpoint
