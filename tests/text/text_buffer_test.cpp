#include "ui/text/text_buffer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "ui/text/letters.h"

namespace nns::text {
namespace {

TEST(TextBufferLines, KeepTheirEndsEachByItself) {
  const std::string text = "a\r\nb\nc\rd\r\n";
  TextBuffer buffer(text);
  EXPECT_EQ(buffer.line_count(), 4U);
  EXPECT_EQ(buffer.text(), text);
  EXPECT_EQ(buffer.line(2), "c\rd") << "a lone \\r is a letter";
  buffer.replace({{0, 1}, {1, 0}}, {});
  EXPECT_EQ(buffer.text(), "ab\nc\rd\r\n");
  buffer.undo();
  EXPECT_EQ(buffer.text(), text);
  EXPECT_EQ(buffer.with_own_ends("x\ny"), "x\r\ny");
}

TEST(TextBufferUndo, TakesARunOfTypingBackAtOnceAndEachWordByItself) {
  TextBuffer buffer;
  for (const char* letter : {"o", "n", "e", " ", "t", "w", "o"}) {
    buffer.replace(buffer.selection().range(), letter, EditKind::Typing);
  }
  EXPECT_EQ(buffer.text(), "one two");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "one ");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "");
  EXPECT_FALSE(buffer.can_undo());
  EXPECT_FALSE(buffer.is_modified());
  buffer.redo();
  buffer.redo();
  EXPECT_EQ(buffer.text(), "one two");
  EXPECT_TRUE(buffer.is_modified());
  buffer.set_saved();
  buffer.undo();
  EXPECT_TRUE(buffer.is_modified());
  buffer.redo();
  EXPECT_FALSE(buffer.is_modified()) << "it is again what was saved";
}

TEST(TextBufferUndo, TakesAGroupBackAsOneWithWhatWasChosen) {
  TextBuffer buffer("abc");
  buffer.select(TextSelection{{0, 1}, {0, 2}});
  buffer.begin_group();
  buffer.replace({{0, 0}, {0, 0}}, "1\n");
  buffer.replace({{1, 3}, {1, 3}}, "2");
  buffer.end_group();
  EXPECT_EQ(buffer.text(), "1\nabc2");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "abc");
  EXPECT_EQ(buffer.selection(), (TextSelection{{0, 1}, {0, 2}}));
}

TEST(TextBufferEdits, AreWhatAPlainStringWouldBecomeAndUndoExactly) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  std::string plain = "def f():\r\n    return 1\n\nx = f()";
  TextBuffer buffer(plain);
  const std::string start = plain;
  const auto offset_of = [&](const TextPlace& place) { return buffer.text({{0, 0}, place}).size(); };
  const std::string pieces[] = {"", "a", "\n", "xy\nz", "\r\n", "p\nq\nr"};
  for (int i = 0; i < 500; ++i) {
    const auto place = [&] {
      const auto line = static_cast<std::uint32_t>(below(buffer.line_count()));
      return TextPlace{line, static_cast<std::uint32_t>(below(buffer.line(line).size() + 1))};
    };
    TextPlace a = place();
    TextPlace b = place();
    if (b < a) std::swap(a, b);
    const std::string& piece = pieces[below(6)];
    const std::size_t from = offset_of(a);
    const std::size_t to = offset_of(b);
    // A "\r" that gets a "\n" behind it would become a line's end: not a case of this test.
    const bool joins = from > 0 && plain[from - 1] == '\r';
    if (joins) continue;
    plain.replace(from, to - from, piece);
    buffer.replace({a, b}, piece);
    ASSERT_EQ(buffer.text(), plain);
    ASSERT_EQ(buffer.size(), plain.size());
  }
  while (buffer.can_undo()) buffer.undo();
  EXPECT_EQ(buffer.text(), start);
  while (buffer.can_redo()) buffer.redo();
  EXPECT_EQ(buffer.text(), plain);
}

TEST(TextBufferChanges, AreTheVersionsSinceThen) {
  TextBuffer buffer("a\nb\nc");
  const std::uint64_t before = buffer.version();
  LineSet marks;
  marks.toggle(2);
  buffer.replace({{0, 1}, {0, 1}}, "\nnew");
  const auto changes = buffer.changes_since(before);
  ASSERT_TRUE(changes.has_value());
  ASSERT_EQ(changes->size(), 1U);
  marks.follow(changes->front());
  EXPECT_TRUE(marks.contains(3)) << "a breakpoint stays with its line";
  EXPECT_EQ(follow({2, 1}, changes->front()), (TextPlace{3, 1}));
  EXPECT_FALSE(buffer.changes_since(before + 100).has_value());
}

TEST(TextBufferSize, AHundredThousandLinesAreEditedInTheMiddle) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "x = 1\n";
  TextBuffer buffer(text);
  for (int i = 0; i < 200; ++i) buffer.replace({{50'000, 0}, {50'000, 0}}, "y = 2\n");
  EXPECT_EQ(buffer.line_count(), 100'201U);
  for (int i = 0; i < 200; ++i) buffer.undo();
  EXPECT_EQ(buffer.text(), text);
}

TEST(Letters, AreWhatAPersonCounts) {
  const std::string e = "e\xCC\x81";                                          // e and an acute accent
  const std::string family = "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7";  // two joined people
  const std::string flag = "\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA";                // two regional indicators
  for (const std::string& letter : {e, family, flag, std::string("\xC3\xA9")}) {
    const std::string line = "a" + letter + "b";
    const auto end = static_cast<std::uint32_t>(1 + letter.size());
    EXPECT_EQ(next_letter(line, 1), end) << letter;
    EXPECT_EQ(previous_letter(line, end), 1U) << letter;
  }
  EXPECT_EQ(next_letter("\xFF\xFE", 0), 1U) << "bytes that are no text are one by one";
  EXPECT_EQ(previous_letter("\xFF\x80\x80", 3), 2U);
}

}  // namespace
}  // namespace nns::text
