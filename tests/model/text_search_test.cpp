#include "ui/model/text_search.h"

#include <gtest/gtest.h>

#include "ui/model/traceback.h"

namespace nns::model {
namespace {

using text::TextBuffer;
using text::TextPlace;

TEST(TextSearch, FindsByCaseAndWholeWords) {
  const TextBuffer buffer("net = Net(net1)\nNET");
  EXPECT_EQ(find_all(buffer, {"net", false, false}).size(), 4U);
  EXPECT_EQ(find_all(buffer, {"net", true, false}).size(), 2U);
  EXPECT_EQ(find_all(buffer, {"net", false, true}).size(), 3U);
  EXPECT_TRUE(find_all(buffer, {"", false, false}).empty());
  const auto found = find_all(TextBuffer("aaaa"), {"aa", true, false});
  EXPECT_EQ(found.size(), 2U) << "places do not overlap";
}

TEST(TextSearch, GoesAroundTheEnd) {
  const auto found = find_all(TextBuffer("a\na\na"), {"a", true, false});
  EXPECT_EQ(next_found(found, TextPlace{1, 0}, true), 1U);
  EXPECT_EQ(next_found(found, TextPlace{2, 1}, true), 0U);
  EXPECT_EQ(next_found(found, TextPlace{0, 0}, false), 2U);
  EXPECT_EQ(next_found({}, TextPlace{0, 0}, true), SIZE_MAX);
}

TEST(TextSearch, ReplacesAllInOneStep) {
  TextBuffer buffer("a b a\na");
  EXPECT_EQ(replace_found(buffer, find_all(buffer, {"a", true, false}), "long"), 3U);
  EXPECT_EQ(buffer.text(), "long b long\nlong");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "a b a\na");
}

TEST(Traceback, IsPlacedOnTheInnermostLineOfTheFile) {
  live::ConsoleView console;
  console.add(live::wire::OutputKind::Out, "Traceback is what I print\n");
  console.add(live::wire::OutputKind::Error,
              "Traceback (most recent call last):\n  File \"net.py\", line 3, in <module>\n    f()\n"
              "  File \"net.py\", line 2, in f\n    g(1)\n    ~^^^\n  File \"other.py\", line 9, in g\n    raise\n"
              "ValueError: too bad\n");
  const TextBuffer buffer("def f():\n    g(1)\nf()\n");
  const auto problems = traceback_problems(console, "net.py", buffer);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].range, (text::TextRange{{1, 4}, {1, 8}}));
  EXPECT_EQ(problems[0].message, "ValueError: too bad");
  EXPECT_TRUE(traceback_problems(console, "absent.py", buffer).empty());
  EXPECT_TRUE(traceback_problems(live::ConsoleView(), "net.py", buffer).empty());
}

}  // namespace
}  // namespace nns::model
