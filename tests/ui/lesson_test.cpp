// Lessons, by keyboard alone: each that is built in to its end, with its questions answered wrong and right; lessons
// that somebody wrote.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/byte_source.h"
#include "core/lesson/lesson.h"
#include "core/session/samples.h"
#include "tests/support/files.h"
#include "tests/ui/explorer.h"

namespace nns::tests {
namespace {

using host::Role;

struct Course {
  const char* name;
  std::size_t stops;
  /// By stop, from 1: what PyTorch says.
  std::map<std::size_t, const char*> answers;
};

/// Types it in place of what stands there.
void answer(Explorer& explorer, const char* words) {
  ASSERT_TRUE(explorer.tab_to(Role::Textbox, "Answer")) << explorer.screen_text();
  explorer.press(ImGuiKey_A, ImGuiMod_Ctrl);
  explorer.type(words);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
}

class LessonCourse : public ::testing::TestWithParam<Course> {
 public:
  Explorer explorer{session::built_in_samples()};

  bool says(std::string_view words) { return explorer.find(Role::Status, words) != nullptr; }
};

TEST_P(LessonCourse, LeadsToItsEnd) {
  const Course& course = GetParam();
  explorer.app().open_sample(std::string("lesson/") + course.name);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  for (std::size_t stop = 1; stop <= course.stops; ++stop) {
    SCOPED_TRACE(stop);
    ASSERT_TRUE(says(fmt::format("Step {} of {}: ", stop, course.stops))) << explorer.screen_text();
    EXPECT_EQ(explorer.screen_text().find("The recording has no such moment"), std::string::npos)
        << explorer.screen_text();
    const auto found = course.answers.find(stop);
    EXPECT_EQ(explorer.find(Role::Textbox, "Answer") != nullptr, found != course.answers.end());
    if (found != course.answers.end()) {
      answer(explorer, "'nothing like it");
      EXPECT_TRUE(says("Not so.")) << explorer.screen_text();
      answer(explorer, found->second);
      EXPECT_TRUE(says("Right: Python says the same.")) << explorer.screen_text();
    }
    explorer.press(ImGuiKey_PageDown);
    ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  }
  EXPECT_TRUE(says(fmt::format("Step {0} of {0}: ", course.stops))) << "nothing is behind the last";
  explorer.press(ImGuiKey_PageUp);
  ASSERT_TRUE(explorer.settle());
  EXPECT_TRUE(says(fmt::format("Step {} of {}: ", course.stops - 1, course.stops))) << explorer.screen_text();
}

INSTANTIATE_TEST_SUITE_P(
    BuiltIn, LessonCourse,
    ::testing::Values(
        Course{"conv1",
               8,
               {{3, "False"}, {4, "1"}, {5, "steps"}, {6, "Conv2d"}, {7, "True"}, {8, "['compile', 'conv1']"}}},
        Course{"setattr", 8, {{2, "0"}, {3, "False"}, {4, "2"}, {5, "True"}, {6, "AttributeError"}, {8, "17"}}},
        Course{"ddp", 7, {{2, "True"}, {3, "False"}, {4, "56"}, {5, "True"}, {6, "module.weight"}, {7, "True"}}},
        Course{"dataparallel",
               9,
               {{2, "True"}, {3, "3"}, {4, "0"}, {5, "1.0"}, {6, "cpu:1"}, {7, "False"}, {8, "module"}, {9, "2"}}},
        Course{"overlap", 7, {{2, "6"}, {3, "6"}, {4, "4"}, {5, "0.weight"}, {6, "2"}, {7, "True"}}},
        Course{"init",
               10,
               {{3, "0"},
                {4, "True"},
                {5, "True"},
                {6, "['Base', 'Right', 'Left']"},
                {7, "['right', 'left', 'own']"},
                {8, "False"},
                {9, "False"},
                {10, "['Base','Right']"}}},
        Course{"call",
               11,
               {{2, "3"},
                {3, "prepended pre"},
                {4, "pre with {'scale': 2.0}"},
                {5, "4"},
                {6, "2"},
                {7, "12"},
                {8, "model"},
                {9, "backward hook"},
                {10, "always"},
                {11, "4"}}},
        Course{"state", 7, {{2, "2"}, {3, "1"}, {4, "2"}, {5, "torch.float32"}, {6, "True"}, {7, "1"}}},
        Course{"variables",
               9,
               {{2, "1"},
                {3, "call_module"},
                {4, "NN_MODULE"},
                {5, "LOCAL_UNSPECIALIZED_NN_MODULE"},
                {6, "1"},
                {7, "hook_result"},
                {8, "LOCAL_FSDP_MODULE"},
                {9, "1"}}},
        Course{"sequential",
               10,
               {{2, "6"},
                {3, "3"},
                {4, "LOCAL_SPECIALIZED_NN_MODULE"},
                {6, "hook_result"},
                {7, "LOCAL_UNSPECIALIZED_NN_MODULE"},
                {8, "True"},
                {9, "1"}}},
        Course{"guards",
               9,
               {{2, "2"}, {3, "11.0"}, {4, "11.0"}, {5, "110.0"}, {6, "11.0"}, {7, "200.0"}, {8, "90.0"}, {9, "1"}}},
        Course{"breaks",
               9,
               {{2, "2"},
                {3, "Failed to trace builtin operator"},
                {4, "1"},
                {5, "Data-dependent branching"},
                {6, "1"},
                {7, "2"},
                {8, "True"},
                {9, "Failed to trace"}}}),
    [](const auto& test) { return std::string(test.param.name); });

struct OwnLesson : ::testing::Test {
  Explorer explorer;
  void answer_the_second(const char* words) {
    explorer.press(ImGuiKey_PageDown);
    ASSERT_TRUE(explorer.settle());
    answer(explorer, words);
  }
  void open(const std::string& text) {
    explorer.drop("own.md", base::make_memory_source("own.md", to_bytes(text)));
    ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  }
};

constexpr std::string_view kOwn = R"(# Mine
Words.
```python
values = []
for i in range(3):
    values.append(i)
raise KeyError('end')
```
## Third
stop: line `values.append(i)` 3
show: chosen values
hide: controls, stack
It is the third.
question: How many?
answer: len(values)
## Nowhere
stop: hook
)";

TEST_F(OwnLesson, IsOpenedAsAFile) {
  open(std::string(kOwn));
  EXPECT_NE(explorer.find(Role::Heading, "Mine"), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::Button, "Over"), nullptr) << "the controls are hidden";
  EXPECT_EQ(explorer.screen_text().find("Call stack and names"), std::string::npos);
  explorer.press(ImGuiKey_PageDown);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::ListItem, "3, runs:     values.append(i)"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.screen_text().find("It is the third."), std::string::npos);
  explorer.press(ImGuiKey_PageDown);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.screen_text().find("The recording has no such moment."), std::string::npos)
      << explorer.screen_text();
}

TEST_F(OwnLesson, AnswersAreComparedEvenWhenTheProgramFailed) {
  open(std::string(kOwn));
  answer_the_second("3");
  EXPECT_NE(explorer.find(Role::Status, "Right"), nullptr) << explorer.screen_text();
}

TEST_F(OwnLesson, WhatAnAnswerRaisesIsTold) {
  std::string text(kOwn);
  text.replace(text.find("len(values)"), 11, "missing");
  open(text);
  answer_the_second("3");
  EXPECT_NE(explorer.find(Role::Status, "It could not be checked: NameError: name 'missing' is not defined"), nullptr)
      << explorer.screen_text();
}

TEST_F(OwnLesson, WhoGoesElsewhereBeforeTheRecordingIsThereStaysThere) {
  const std::string text(kOwn);
  explorer.drop("own.md", base::make_memory_source("own.md", to_bytes(text)));
  for (int i = 0; i < 100 && explorer.find(Role::Status, "Step 1 of 3: Mine") == nullptr; ++i) explorer.frames(1);
  ASSERT_EQ(explorer.find(Role::List, "Source"), nullptr) << "the recording is there already";
  explorer.hold_host(true);
  explorer.press(ImGuiKey_PageDown);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Back"));
  explorer.hold_host(false);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  ASSERT_NE(explorer.find(Role::List, "Source"), nullptr) << explorer.screen_text();
  ASSERT_NE(explorer.focused(), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.focused()->name, "Back");
}

TEST_F(OwnLesson, ATextThatIsNoneIsRefusedWithItsLine) {
  open("# Mine\n```python\nx = 1\n```\n## A\nstop: nowhere\n");
  EXPECT_NE(explorer.find(Role::Alert, "own.md was not opened"), nullptr) << explorer.screen_text();
  for (const char* part : {"stop: nowhere", "own.md, line 6"})
    EXPECT_NE(explorer.screen_text().find(part), std::string::npos) << explorer.screen_text();
}

}  // namespace
}  // namespace nns::tests
