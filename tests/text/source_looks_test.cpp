#include "ui/text/source_looks.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace nns::text {
namespace {

using LineSpan = SourceLooks::LineSpan;

TEST(SourceLooks, StayWithTheirLettersUntilNewerOnesCome) {
  TextBuffer buffer("a = 'xy'\nreturn 1");
  SourceLooks looks;
  const std::array<LineSpan, 3> spans = {
      {{0, {4, 8, TokenKind::Text}}, {1, {0, 6, TokenKind::Keyword}}, {1, {7, 8, TokenKind::Number}}}};
  looks.set(buffer, buffer.version(), spans, {{{{1, 0}, {1, 6}}, Severity::Error, "'return' outside function"}});
  buffer.replace({{0, 5}, {0, 5}}, "more");
  buffer.replace({{0, 0}, {0, 0}}, "import b\n");
  looks.follow(buffer);
  ASSERT_EQ(looks.line(1).size(), 1U);
  EXPECT_EQ(looks.line(1)[0].begin, 4U);
  EXPECT_EQ(looks.line(1)[0].end, 12U) << "what is typed in a string is a string";
  EXPECT_EQ(looks.kind_at({2, 7}), TokenKind::Number);
  ASSERT_NE(looks.problem_on(2), nullptr);
  EXPECT_EQ(looks.problem_on(1), nullptr);
  EXPECT_FALSE(looks.is_code({1, 6}));
  EXPECT_TRUE(looks.is_code({2, 0}));
}

TEST(SourceLooks, OfAnOlderVersionAreMovedToTheNewest) {
  TextBuffer buffer("x = 1\n");
  const std::uint64_t asked = buffer.version();
  buffer.replace({{0, 0}, {0, 0}}, "\n\n");
  SourceLooks looks;
  const std::array<LineSpan, 1> spans = {{{0, {4, 5, TokenKind::Number}}}};
  looks.set(buffer, asked, spans, {});
  EXPECT_EQ(looks.kind_at({2, 4}), TokenKind::Number);
  EXPECT_EQ(looks.computed_version(), asked);
  buffer.replace({{2, 4}, {2, 5}}, {});
  looks.follow(buffer);
  EXPECT_TRUE(looks.line(2).empty() || looks.line(2)[0].begin == looks.line(2)[0].end);
}

}  // namespace
}  // namespace nns::text
