// The tables beside the database's derived files, which say the same by property.
#include "core/unicode/characters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/unicode/database.h"

namespace nns::unicode {
namespace {

TEST(Characters, HaveTheCategoryOfTheDatabase) {
  for (const auto& row : tests::database_rows("extracted/DerivedGeneralCategory")) {
    const std::string wanted = row["category"];
    tests::for_each_point(row, [&](char32_t point) { ASSERT_EQ(category(point), wanted) << row.dump(); });
  }
}

TEST(Characters, HaveTheCombiningClassAndWidthOfTheDatabase) {
  for (const auto& row : tests::database_rows("extracted/DerivedCombiningClass")) {
    const int wanted = std::stoi(std::string(row["combiningClass"]));
    tests::for_each_point(row, [&](char32_t point) { ASSERT_EQ(combining_class(point), wanted) << row.dump(); });
  }
  for (const auto& row : tests::database_rows("extracted/DerivedEastAsianWidth")) {
    const std::string wanted = row["width"];
    tests::for_each_point(row, [&](char32_t point) { ASSERT_EQ(east_asian_width(point), wanted) << row.dump(); });
  }
}

TEST(Characters, HaveTheBidirectionalClassOfTheDatabaseIfAssigned) {
  for (const auto& row : tests::database_rows("extracted/DerivedBidiClass")) {
    const std::string wanted = row["class"];
    tests::for_each_point(row, [&](char32_t point) {
      ASSERT_EQ(bidirectional(point), category(point) == "Cn" ? "" : wanted) << row.dump();
    });
  }
}

TEST(Characters, HaveTheNumericValueOfTheDatabase) {
  for (const auto& row : tests::database_rows("extracted/DerivedNumericValues")) {
    const std::string wanted = row["whole"];
    tests::for_each_point(row, [&](char32_t point) {
      const auto value = numeric_value(point);
      ASSERT_TRUE(value.has_value()) << row.dump();
      // The database's own fractions need not be in their lowest terms.
      const std::int64_t common = std::gcd(value->numerator, value->denominator);
      const std::string below = std::to_string(value->denominator / std::max<std::int64_t>(common, 1));
      std::string told = std::to_string(value->numerator / std::max<std::int64_t>(common, 1));
      if (below != "1") told += "/" + below;
      ASSERT_EQ(told, wanted) << row.dump();
    });
  }
  EXPECT_EQ(numeric_value(U'a'), std::nullopt);
  EXPECT_EQ(decimal_value(0x0663), 3);
  EXPECT_EQ(decimal_value(0x2460), -1);
  EXPECT_EQ(digit_value(0x2460), 1);
}

TEST(Characters, HaveThePropertiesOfTheDatabase) {
  const struct {
    const char *file, *property;
    bool (*has)(char32_t);
  } kAll[] = {{"DerivedCoreProperties", "Lowercase", is_lower},
              {"DerivedCoreProperties", "Uppercase", is_upper},
              {"DerivedCoreProperties", "Cased", is_cased},
              {"DerivedCoreProperties", "Case_Ignorable", is_case_ignorable},
              {"DerivedCoreProperties", "XID_Continue", is_identifier_part},
              {"extracted/DerivedBinaryProperties", "Bidi_Mirrored", is_mirrored}};
  for (const auto& one : kAll) {
    std::vector<bool> wanted(0x110000, false);
    for (const auto& row : tests::database_rows(one.file)) {
      if (row["property"] == one.property) tests::for_each_point(row, [&](char32_t point) { wanted[point] = true; });
    }
    for (char32_t point = 0; point < 0x110000; ++point) {
      ASSERT_EQ(one.has(point), wanted[point]) << one.property << " of " << static_cast<std::uint32_t>(point);
    }
  }
}

TEST(Characters, HaveTheCasesOfTheDatabase) {
  const auto in_full = [](char32_t point, Case which) {
    std::u32string text;
    append_in_case(text, point, which);
    return text;
  };
  for (const auto& row : tests::database_rows("SpecialCasing")) {
    if (row.contains("conditions")) continue;
    const char32_t point = tests::point_of(row["codepoint"]);
    EXPECT_EQ(in_full(point, Case::Lower), tests::points_of(row["lowerSequence"])) << row.dump();
    EXPECT_EQ(in_full(point, Case::Upper), tests::points_of(row["upperSequence"])) << row.dump();
    EXPECT_EQ(in_full(point, Case::Title), tests::points_of(row["titleSequence"])) << row.dump();
  }
  for (const auto& row : tests::database_rows("CaseFolding")) {
    if (row["status"] != "C") continue;
    const char32_t point = tests::point_of(row["codepoint"]);
    EXPECT_EQ(in_full(point, Case::Folded), std::u32string(1, tests::point_of(row["mapping"]))) << row.dump();
  }
  EXPECT_EQ(in_full(0xDF, Case::Folded), U"ss");
  EXPECT_EQ(in_full(0x13A3, Case::Folded), U"\u13A3") << "though it has a small letter";
  EXPECT_EQ(in_case(0x1C5, Case::Title), 0x1C5U);
  EXPECT_EQ(in_case(0x1C6, Case::Title), 0x1C5U);
}

TEST(Characters, BeyondTheLastOneNothingIsAssigned) {
  for (const char32_t point : {char32_t{0x110000}, char32_t{0xFFFFFFFF}}) {
    EXPECT_EQ(category(point), "Cn");
    EXPECT_FALSE(decomposition(point).has_value());
    EXPECT_FALSE(is_printable(point));
  }
}

}  // namespace
}  // namespace nns::unicode
