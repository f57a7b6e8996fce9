#include "ui/model/format.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace nns::model {
namespace {

TEST(FormatThousands, DigitsAreGroupedByThrees) {
  EXPECT_EQ(thousands(0), "0");
  EXPECT_EQ(thousands(999), "999");
  EXPECT_EQ(thousands(1000), "1,000");
  EXPECT_EQ(thousands(1'234'567), "1,234,567");
  EXPECT_EQ(thousands(UINT64_MAX), "18,446,744,073,709,551,615");
  EXPECT_EQ(signed_thousands(-1234), "−1,234");
  EXPECT_EQ(signed_thousands(INT64_MIN), "−9,223,372,036,854,775,808");
}

TEST(FormatShortCount, ThreeDigitsAndAUnit) {
  EXPECT_EQ(short_count(12), "12");
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(1050), "1.05 K");
  EXPECT_EQ(short_count(999'499), "999 K");
  EXPECT_EQ(short_count(999'500), "1 M");
  EXPECT_EQ(short_count(124'439'808), "124 M");
  EXPECT_EQ(short_count(7'615'616'512), "7.62 B");
}

TEST(FormatShortBytes, UnitsArePowersOfAThousand) {
  EXPECT_EQ(short_bytes(512), "512 B");
  EXPECT_EQ(short_bytes(2'200'000'000), "2.2 GB");
  EXPECT_EQ(short_bytes(810'000'000'000), "810 GB");
  EXPECT_EQ(short_bytes(UINT64_MAX), "18.4 EB");
}

TEST(FormatShape, SizesAreJoinedByTimes) {
  const std::array<std::int64_t, 2> matrix = {4096, 11008};
  EXPECT_EQ(shape_text(matrix), "4,096 × 11,008");
  EXPECT_EQ(shape_text({}), "scalar");
}

TEST(FormatValue, FourDigitsAndNamesForWhatIsNoNumber) {
  EXPECT_EQ(value_text(0), "0");
  EXPECT_EQ(value_text(-0.0), "0");
  EXPECT_EQ(value_text(1.0 / 3), "0.3333");
  EXPECT_EQ(value_text(-2.5), "−2.5");
  EXPECT_EQ(value_text(12345), "12,345");
  EXPECT_EQ(value_text(123456.7), "123,457");
  EXPECT_EQ(value_text(1.5e-5), "1.5e−5");
  EXPECT_EQ(value_text(-1e30), "−1e30");
  EXPECT_EQ(value_text(std::nan("")), "NaN");
  EXPECT_EQ(value_text(std::numeric_limits<double>::infinity()), "∞");
  EXPECT_EQ(value_text(-std::numeric_limits<double>::infinity()), "−∞");
}

TEST(FormatShare, APartIsNeitherShownAsNothingNorAsAll) {
  EXPECT_EQ(share_text(31, 1000), "3.1%");
  EXPECT_EQ(share_text(1, 100'000), "<0.1%");
  EXPECT_EQ(share_text(99'999, 100'000), ">99.9%");
  EXPECT_EQ(share_text(5, 5), "100%");
  EXPECT_EQ(share_text(0, 5), "");
  EXPECT_EQ(share_text(0, 0), "");
}

}  // namespace
}  // namespace nns::model
