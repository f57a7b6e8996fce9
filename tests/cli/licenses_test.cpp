// `licenses`: the texts of those whose work the program contains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/process.h"

namespace nns::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Licenses, OfAllLibrariesArePrinted) {
  const Process::Result done = run_nnscope({"licenses"});
  ASSERT_EQ(done.status, 0) << done.err;
  for (const char* library : {"Dear ImGui", "tree-sitter", "simdjson", "zlib", "PCRE2", "FlatBuffers", "Eigen",
                              "Highway", "Boost", "Inter", "JetBrains Mono", "GLFW", "curl"}) {
    EXPECT_THAT(done.out, HasSubstr(library));
  }
  EXPECT_THAT(done.out, Not(HasSubstr("was not on the machine")));
  EXPECT_GT(done.out.size(), 50'000U) << "texts, not names alone";
}

}  // namespace
}  // namespace nns::tests
