#include "core/lesson/lesson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace nns::lesson {
namespace {

using testing::HasSubstr;

constexpr std::string_view kGood = R"(# A title

Two lines
of one paragraph.

Another.

```python
x = 1
if x:
    x += 1
print(x)
```

## A stop
stop: line `x += 1` 2
show: chosen net
hide: controls, output

What is said.

question: What is x?
answer: `x`

## The second
stop: hook 3

## The end
stop: end
show: objects
)";

std::string refusal(std::string_view text) {
  const auto read = read_lesson(text, "a.md");
  return read.ok() ? "read" : read.error().message();
}

TEST(Lesson, HasAProgramStopsAndQuestions) {
  const auto read = read_lesson(kGood, "a.md");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->title, "A title");
  EXPECT_EQ(read->program, "x = 1\nif x:\n    x += 1\nprint(x)\n");
  EXPECT_EQ(read->hides, static_cast<std::uint32_t>(kControls | kOutput));
  ASSERT_EQ(read->stops.size(), 4U);
  EXPECT_EQ(read->stops[0].title, "A title");
  EXPECT_EQ(read->stops[0].text, "Two lines of one paragraph.\n\nAnother.");
  EXPECT_EQ(read->stops[0].place, Place::Start);
  const Stop& stop = read->stops[1];
  EXPECT_EQ(stop.place, Place::Line);
  EXPECT_EQ(stop.line, 3U);
  EXPECT_EQ(stop.count, 2U);
  EXPECT_EQ(stop.view, View::Chosen);
  EXPECT_EQ(stop.name, "net");
  EXPECT_EQ(stop.text, "What is said.");
  EXPECT_EQ(stop.question, "What is x?");
  EXPECT_EQ(stop.answer, "x");
  EXPECT_EQ(read->stops[2].place, Place::Hook);
  EXPECT_EQ(read->stops[2].count, 3U);
  EXPECT_EQ(read->stops[3].place, Place::End);
}

TEST(Lesson, WithLinesThatEndAsOnWindows) {
  std::string text;
  for (const char c : kGood) {
    if (c == '\n') text += '\r';
    text += c;
  }
  const auto read = read_lesson(text, "a.md");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->program, "x = 1\nif x:\n    x += 1\nprint(x)\n");
  EXPECT_EQ(read->stops.size(), 4U);
}

TEST(Lesson, WhatIsWrongIsToldWithItsLine) {
  const std::string program = "# T\n```python\nx = 1\n```\n";
  EXPECT_THAT(refusal(""), HasSubstr("no title"));
  EXPECT_THAT(refusal("text\n# T\n"), HasSubstr("a.md, line 1: text before the title"));
  EXPECT_THAT(refusal("# T\n"), HasSubstr("no program"));
  EXPECT_THAT(refusal("# T\n```python\nx = 1\n"), HasSubstr("a block of Python without an end"));
  EXPECT_THAT(refusal("# T\n```\nx\n```\n"), HasSubstr("line 2: a block that is no Python"));
  EXPECT_THAT(refusal(program + "```python\n```\n"), HasSubstr("line 5: a second program"));
  EXPECT_THAT(refusal(program + "# U\n"), HasSubstr("line 5: a second title"));
  EXPECT_THAT(refusal(program + "## S\nstop: nowhere\n"),
              HasSubstr("line 6: stop: nowhere; expected start, end, line"));
  EXPECT_THAT(refusal(program + "## S\nstop: line 2\n"), HasSubstr("line 5: a stop at line 2, and the program has 1"));
  EXPECT_THAT(refusal(program + "## S\nstop: line `y`\n"), HasSubstr("`y`, which is no line of the program"));
  EXPECT_THAT(refusal(program + "## S\nstop: line `y\n"), HasSubstr("a ` without its end"));
  EXPECT_THAT(refusal(program + "## S\nstop: hook zero\n"), HasSubstr("\"zero\"; expected a number from 1"));
  EXPECT_THAT(refusal(program + "## S\nstop: hook 0\n"), HasSubstr("a number from 1"));
  EXPECT_THAT(refusal(program + "## S\nstop: end 2\n"), HasSubstr("expected stop: end"));
  EXPECT_THAT(refusal(program + "## S\nshow: chosen\n"), HasSubstr("show: chosen NAME"));
  EXPECT_THAT(refusal(program + "## S\nshow: all\n"),
              HasSubstr("objects, modules, replicas, ranks, chosen NAME or lookup NAME"));
  EXPECT_THAT(refusal(program + "## S\nhide: all\n"), HasSubstr("controls, stack, objects, output"));
  EXPECT_THAT(refusal(program + "## S\nquestion: Q\n"), HasSubstr("a question without an answer"));
  EXPECT_THAT(refusal(program + "## S\nanswer: 1\n"), HasSubstr("an answer without a question"));
  EXPECT_THAT(refusal(program + "## S\nanswer:\n"), HasSubstr("answer: without a value"));
  EXPECT_THAT(refusal("# \xFF\n"), HasSubstr("not UTF-8"));
  EXPECT_THAT(refusal(std::string((1U << 20U) + 1, 'x')), HasSubstr("more than 1 MiB"));
  std::string many = program;
  for (int i = 0; i < 300; ++i) many += "## S\n";
  EXPECT_THAT(refusal(many), HasSubstr("too many stops"));
}

TEST(Lesson, EveryBeginningOfOneIsReadOrRefused) {
  for (std::size_t length = 0; length <= kGood.size(); ++length) (void)read_lesson(kGood.substr(0, length), "a.md");
}

TEST(LessonBuiltIn, EachIsALessonWithAQuestion) {
  ASSERT_EQ(built_in().size(), 12U);
  for (const BuiltIn& one : built_in()) {
    const auto read = read_lesson(text_of_built_in(one.name), one.name);
    ASSERT_TRUE(read.ok()) << read.error().message();
    EXPECT_EQ(read->title, one.title);
    EXPECT_GE(read->stops.size(), 5U);
    EXPECT_TRUE(std::any_of(read->stops.begin(), read->stops.end(), [](const Stop& s) { return !s.question.empty(); }));
  }
  EXPECT_EQ(text_of_built_in("nothing"), "");
}

}  // namespace
}  // namespace nns::lesson
