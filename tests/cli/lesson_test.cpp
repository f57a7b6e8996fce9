// `nnscope lesson`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/lesson/lesson.h"
#include "tests/cli/process.h"
#include "tests/native/temp_folder.h"

namespace nns::tests {
namespace {

using ::testing::HasSubstr;

TEST(CliLesson, ListsThoseThatAreBuiltIn) {
  const auto listed = run_nnscope({"lesson"});
  EXPECT_EQ(listed.status, 0);
  for (const lesson::BuiltIn& one : lesson::built_in()) EXPECT_THAT(listed.out, HasSubstr(std::string(one.title)));
}

TEST(CliLesson, PrintsOneAsAFileThatIsALesson) {
  const TempFolder folder;
  const auto printed = run_nnscope({"lesson", "conv1", "--print"});
  EXPECT_EQ(printed.status, 0);
  folder.write("mine.md", printed.out);
  const std::string file = (folder.path() / "mine.md").string();
  EXPECT_EQ(run_nnscope({"lesson", file, "--print"}).out, printed.out);
}

TEST(CliLesson, WhatIsWrongIsToldBeforeAnythingIsOpened) {
  const TempFolder folder;
  folder.write("wrong.md", "# T\n```python\nx = 1\n```\n## A\nstop: nowhere\n");
  const std::string file = (folder.path() / "wrong.md").string();
  const auto wrong = run_nnscope({"lesson", file});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("wrong.md, line 6: stop: nowhere"));
  const auto unknown = run_nnscope({"lesson", "nothing"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("conv1, setattr, ddp, dataparallel, overlap, init, call, state"));
  EXPECT_EQ(run_nnscope({"lesson", "conv1", "--stop", "99"}).status, 2);
  EXPECT_EQ(run_nnscope({"lesson", "conv1", "--stop", "0"}).status, 2);
}

}  // namespace
}  // namespace nns::tests
