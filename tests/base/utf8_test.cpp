#include "core/base/utf8.h"

#include <gtest/gtest.h>

namespace nns::base {
namespace {

TEST(Utf8Find, AcceptsEveryCodePointAndNothingElse) {
  for (char32_t point = 0; point <= 0x10FFFF; point += point < 0x3000 ? 1 : 37) {
    std::string text;
    append_utf8(point, text);
    const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
    ASSERT_EQ(find_invalid_utf8(text).has_value(), is_surrogate) << static_cast<unsigned>(point);
  }
}

TEST(Utf8Find, GivesTheOffsetOfTheBrokenSequence) {
  const std::string ascii(100, 'a');
  for (const char* broken : {"\x80", "\xC0\xAF", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                             "\xF4\x90\x80\x80", "\xF5", "\xFF", "\xE2\x82"}) {
    for (std::size_t before = 0; before < 70; ++before) {
      const std::string text = ascii.substr(0, before) + "\xC3\xA9" + broken;
      EXPECT_EQ(find_invalid_utf8(text), before + 2) << broken;
    }
  }
  EXPECT_FALSE(find_invalid_utf8("").has_value());
}

TEST(Utf8Escape, WritesWhatIsNotUtf8AsNumbersAndKeepsTheRest) {
  EXPECT_EQ(escape_invalid_utf8(""), "");
  EXPECT_EQ(escape_invalid_utf8("a\xC3\xA9z"), "a\xC3\xA9z");
  EXPECT_EQ(escape_invalid_utf8("a\xC3(\xFF\x80"), "a\\xc3(\\xff\\x80");
}

}  // namespace
}  // namespace nns::base
