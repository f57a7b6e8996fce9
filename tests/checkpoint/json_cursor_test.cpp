#include "core/checkpoint/json_cursor.h"

#include <gmock/gmock.h>

namespace nns::checkpoint {
namespace {

std::string read_string(std::string_view json) {
  JsonCursor cursor(json);
  std::string_view out;
  return cursor.string(out) ? std::string(out) : "failed: " + std::string(cursor.failure().found);
}

bool is_value(std::string_view json) {
  JsonCursor cursor(json);
  if (!cursor.skip_value()) return false;
  cursor.skip_space();
  return cursor.at_end();
}

TEST(JsonCursorString, ResolvesEscapes) {
  EXPECT_EQ(read_string(R"("plain text longer than a word")"), "plain text longer than a word");
  EXPECT_EQ(read_string(R"("a\"b\\c\/d\n\t\u0041\u00e9\ud83d\ude00")"), "a\"b\\c/d\n\tA\xC3\xA9\xF0\x9F\x98\x80");
}

TEST(JsonCursorString, RefusesWhatIsNoString) {
  EXPECT_EQ(read_string("\"abc"), "failed: a string without end");
  EXPECT_EQ(read_string("\"a\nb\""), "failed: a control character in a string");
  EXPECT_EQ(read_string(R"("\x")"), "failed: an unknown escape");
  EXPECT_EQ(read_string(R"("\ud800")"), "failed: a lone high surrogate");
  EXPECT_EQ(read_string(R"("\udc00")"), "failed: a lone low surrogate");
  EXPECT_EQ(read_string(R"("\u12g4")"), "failed: a broken \\u escape");
}

TEST(JsonCursorString, FindsTheEndAtEveryDistance) {
  for (std::size_t length = 0; length < 40; ++length) {
    const std::string text(length, '\x21');
    EXPECT_EQ(read_string('"' + text + "\"rest \\ \x01"), text);
  }
}

TEST(JsonCursorNumber, RefusesWhatIsNoWholeNumber) {
  for (const char* text : {"", "-1", "01", "1.5", "1e3", "18446744073709551616", "x", "99999999999999999999999"}) {
    JsonCursor cursor(text);
    std::uint64_t value = 0;
    EXPECT_FALSE(cursor.number(value)) << text;
  }
  JsonCursor cursor(" 18446744073709551615,");
  std::uint64_t value = 0;
  EXPECT_TRUE(cursor.number(value));
  EXPECT_EQ(value, UINT64_MAX);
}

TEST(JsonCursorSkip, AcceptsExactlyJson) {
  for (const char* good :
       {"1", "-0.5e+3", "[]", "{}", "[[],{}]", R"({"a":[1,2,{"b":null}],"c":true})", "false", R"("x")"}) {
    EXPECT_TRUE(is_value(good)) << good;
  }
  for (const char* bad : {"", "[", "]", "[1,]", "{,}", R"({"a"})", R"({"a":})", "[1 2]", "tru", "nul", "-", "1.", "1e",
                          "00", R"({"a":1,})", "{1:2}", "[1}"}) {
    EXPECT_FALSE(is_value(bad)) << bad;
  }
}

TEST(JsonCursorSkip, DeepNestingIsRefusedWithoutRecursion) {
  EXPECT_TRUE(is_value(std::string(64, '[') + std::string(64, ']')));
  EXPECT_FALSE(is_value(std::string(65, '[') + std::string(65, ']')));
  EXPECT_FALSE(is_value(std::string(1'000'000, '[')));
}

}  // namespace
}  // namespace nns::checkpoint
