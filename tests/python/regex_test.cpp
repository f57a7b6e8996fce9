// Where nnscope's regular expressions differ from Python's on purpose: a search that would never end is stopped.
#include <gtest/gtest.h>

#include "tests/python/program.h"

namespace nns::tests {
namespace {

TEST(RegexSearch, PatternThatTriesEverythingEndsWithRuntimeError) {
  const ProgramResult result = run_python("import re\nre.match('(a+)+$', 'a' * 50 + 'b')\n");
  EXPECT_EQ(result.error_type, "RuntimeError");
  EXPECT_NE(result.error_message.find("more than 20000000 steps"), std::string::npos) << result.error_message;
}

TEST(RegexSearch, MatchThatRemembersTooMuchEndsWithRuntimeError) {
  const ProgramResult result = run_python("import re\nre.match('(?:(a)|b)*c', 'ab' * 2000000)\n");
  EXPECT_EQ(result.error_type, "RuntimeError");
  EXPECT_NE(result.error_message.find("nnscope stops a search"), std::string::npos) << result.error_message;
}

TEST(RegexCompile, GroupsThatNestTooDeeplyAreRefused) {
  const ProgramResult result = run_python("import re\nre.compile('(' * 100000 + ')' * 100000)\n");
  EXPECT_EQ(result.error_type, "PatternError");
}

TEST(RegexCompile, PatternThatGrowsTooLargeIsRefused) {
  const ProgramResult result = run_python("import re\nre.compile('(?:(?:a{1000}){1000}){1000}')\n");
  EXPECT_EQ(result.error_type, "PatternError");
}

TEST(RegexMethods, CalledOnSomethingElseRaiseTypeError) {
  for (const char* call : {"re.Pattern.match(5, 'a')", "re.Match.group(object())", "re.Pattern()", "re.Match()",
                           "object.__new__(re.Pattern).match('a')"}) {
    EXPECT_EQ(run_python(std::string("import re\n") + call + "\n").error_type, "TypeError") << call;
  }
}

}  // namespace
}  // namespace nns::tests
