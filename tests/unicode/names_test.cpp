#include "core/unicode/names.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unicode/database.h"

namespace nns::unicode {
namespace {

TEST(Names, EveryNameLeadsToItsCharacterAndBack) {
  int checked = 0;
  for (const auto& row : tests::database_rows("UnicodeData")) {
    const char32_t point = tests::point_of(row["codepoint"]);
    const std::string name = row["name"];
    if (name.front() == '<') continue;
    ASSERT_EQ(name_of(point), name);
    ASSERT_EQ(named(name, false), std::u32string(1, point)) << name;
    ++checked;
  }
  EXPECT_GT(checked, 39'000);
}

// Source: extracted/DerivedName.txt, where a name that is computed is told by its pattern.
TEST(Names, NamesOfIdeographsAndSyllablesAreComputed) {
  EXPECT_EQ(name_of(0xAC00), "HANGUL SYLLABLE GA");
  EXPECT_EQ(name_of(0xD7A3), "HANGUL SYLLABLE HIH");
  EXPECT_EQ(name_of(0x4E00), "CJK UNIFIED IDEOGRAPH-4E00");
  EXPECT_EQ(name_of(0x2A6DF), "CJK UNIFIED IDEOGRAPH-2A6DF");
  EXPECT_EQ(name_of(0x2A6E0), std::nullopt);
  for (char32_t point = 0xAC00; point <= 0xD7A3; ++point) {
    ASSERT_EQ(named(*name_of(point), false), std::u32string(1, point)) << *name_of(point);
  }
  EXPECT_EQ(named("CJK UNIFIED IDEOGRAPH-04E00", false), std::nullopt);
  EXPECT_EQ(named("CJK UNIFIED IDEOGRAPH-41", false), std::nullopt);
  EXPECT_EQ(named("HANGUL SYLLABLE GAX", false), std::nullopt);
  EXPECT_EQ(named("HANGUL SYLLABLE ", false), std::nullopt);
}

TEST(Names, OtherNamesAreFoundAndSequencesWhereTheyAreWanted) {
  for (const auto& row : tests::database_rows("NameAliases")) {
    ASSERT_EQ(named(std::string(row["alias"]), false), std::u32string(1, tests::point_of(row["codepoint"])))
        << row.dump();
  }
  for (const auto& row : tests::database_rows("NamedSequences")) {
    const std::string name = row["name"];
    ASSERT_EQ(named(name, true), tests::points_of(row["codepointSequence"])) << name;
    ASSERT_EQ(named(name, false), std::nullopt) << name;
  }
  EXPECT_EQ(named("em dash", false), U"\u2014");
  EXPECT_EQ(name_of(0), std::nullopt) << "NULL is another name of it";
  EXPECT_EQ(named("", true), std::nullopt);
}

}  // namespace
}  // namespace nns::unicode
