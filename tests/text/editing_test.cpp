#include "ui/text/editing.h"

#include <gtest/gtest.h>

#include <string>

namespace nns::text {
namespace {

/// The text with the caret where `|` is, after `edit`, with `|` at the caret.
template <class Edit>
std::string after(std::string text, Edit edit) {
  const std::size_t bar = text.find('|');
  text.erase(bar, 1);
  TextBuffer buffer(text);
  TextBuffer before(std::string_view(text).substr(0, bar));
  buffer.select(before.end());
  edit(buffer);
  const TextPlace caret = buffer.selection().caret;
  std::string found = buffer.text({{0, 0}, caret}) + "|";
  return found + buffer.text({caret, buffer.end()});
}

TEST(NewLine, IsIndentedAsTheProgramGoesOn) {
  EXPECT_EQ(after("def f():|", new_line), "def f():\n    |");
  EXPECT_EQ(after("    x = 1|", new_line), "    x = 1\n    |");
  EXPECT_EQ(after("if a:  # why: this|", new_line), "if a:  # why: this\n    |");
  EXPECT_EQ(after("x = 'a:'  # b:|", new_line), "x = 'a:'  # b:\n|");
  EXPECT_EQ(after("def f():\n    return 1|", new_line), "def f():\n    return 1\n|");
  EXPECT_EQ(after("    returned = 1|", new_line), "    returned = 1\n    |");
  EXPECT_EQ(after("f(|", new_line), "f(\n    |");
  EXPECT_EQ(after("class A:\n  def f(self):|", new_line), "class A:\n  def f(self):\n    |") << "steps of two";
  EXPECT_EQ(after("x = 1\r\ny = 2|\r\n", new_line), "x = 1\r\ny = 2\r\n|\r\n");
}

TEST(Erase, TakesAStepOfIndentation) {
  const auto back = [](TextBuffer& buffer) { erase(buffer, false, false); };
  EXPECT_EQ(after("        |x", back), "    |x");
  EXPECT_EQ(after("      |x", back), "    |x");
  EXPECT_EQ(after("a b|", back), "a |");
  EXPECT_EQ(after("a\n|b", back), "a|b");
  EXPECT_EQ(after("one two|", [](TextBuffer& buffer) { erase(buffer, false, true); }), "one |");
  EXPECT_EQ(after("|one two", [](TextBuffer& buffer) { erase(buffer, true, true); }), "| two");
}

TEST(Comment, IsTurnedOnAndOffForAllChosenLines) {
  TextBuffer buffer("def f():\n    a\n\n      b\n");
  buffer.select(TextSelection{{1, 0}, {4, 0}});
  toggle_comment(buffer);
  EXPECT_EQ(buffer.text(), "def f():\n    # a\n\n    #   b\n");
  toggle_comment(buffer);
  EXPECT_EQ(buffer.text(), "def f():\n    a\n\n      b\n");
  buffer.undo();
  buffer.undo();
  EXPECT_EQ(buffer.text(), "def f():\n    a\n\n      b\n");
  EXPECT_EQ(buffer.selection(), (TextSelection{{1, 0}, {4, 0}}));
}

TEST(Indent, MovesTheChosenLines) {
  TextBuffer buffer("a\nb\n\nc\n");
  buffer.select(TextSelection{{0, 0}, {3, 1}});
  indent(buffer);
  EXPECT_EQ(buffer.text(), "    a\n    b\n\n    c\n");
  dedent(buffer);
  EXPECT_EQ(buffer.text(), "a\nb\n\nc\n");
  EXPECT_EQ(after("ab|", indent), "ab  |");
}

TEST(Lines, AreMovedDuplicatedAndDeleted) {
  EXPECT_EQ(after("a\nb|\nc", [](TextBuffer& buffer) { move_lines(buffer, true); }), "a\nc\nb|");
  EXPECT_EQ(after("a\nb|\nc", [](TextBuffer& buffer) { move_lines(buffer, false); }), "b|\na\nc");
  EXPECT_EQ(after("|a\nb", [](TextBuffer& buffer) { move_lines(buffer, false); }), "|a\nb");
  EXPECT_EQ(after("a|b\nc", duplicate), "ab\na|b\nc");
  EXPECT_EQ(after("a\nb|\nc", delete_lines), "a\nc|");
  EXPECT_EQ(after("a\nb|", delete_lines), "a|");
  EXPECT_EQ(after("a|", delete_lines), "|");
}

TEST(Caret, MovesByLettersWordsLinesAndEdges) {
  const auto move = [](Motion motion, bool forward) {
    return [=](TextBuffer& buffer) { move_caret(buffer, motion, forward, false); };
  };
  EXPECT_EQ(after("a|\nb", move(Motion::Letter, true)), "a\n|b");
  EXPECT_EQ(after("a\n|b", move(Motion::Letter, false)), "a|\nb");
  EXPECT_EQ(after("|self.conv1(x)", move(Motion::Word, true)), "self|.conv1(x)");
  EXPECT_EQ(after("self.conv1|", move(Motion::Word, false)), "self.|conv1");
  EXPECT_EQ(after("    a b|", move(Motion::LineEdge, false)), "    |a b");
  EXPECT_EQ(after("    |a b", move(Motion::LineEdge, false)), "|    a b");
  EXPECT_EQ(after("a|\nbcd", [](TextBuffer& buffer) { move_by_lines(buffer, 1, 2, false); }), "a\nbc|d");
  EXPECT_EQ(after("a|b", [](TextBuffer& buffer) { move_by_lines(buffer, -1, 1, false); }), "|ab");
  EXPECT_EQ(after("a\n  b|\nc", [](TextBuffer& buffer) { go_to_line(buffer, 99); }), "a\n  b\n|c");
}

TEST(Brackets, AreMatchedOverLinesAndNotInStrings) {
  const TextBuffer buffer("f(a[0],\n  ')', {1})");
  const auto is_code = [](const TextPlace& place) {
    return !(place.line == 1 && place.column >= 2 && place.column < 5);
  };
  const auto pair = matching_brackets(buffer, {0, 1}, is_code);
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(pair->close, (TextPlace{1, 10}));
  const auto back = matching_brackets(buffer, buffer.end(), is_code);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->open, (TextPlace{0, 1}));
  EXPECT_FALSE(matching_brackets(TextBuffer("(]"), {0, 0}, {}).has_value());
}

TEST(Cut, TakesTheLineWithoutAChoice) {
  TextBuffer buffer("a\nb\nc");
  buffer.select(TextPlace{1, 0});
  EXPECT_EQ(copied_text(buffer), "b\n");
  cut(buffer);
  EXPECT_EQ(buffer.text(), "a\nc");
}

}  // namespace
}  // namespace nns::text
