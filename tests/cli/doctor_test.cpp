// `doctor`: what it says with and without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/process.h"

namespace nns::tests {
namespace {

using testing::HasSubstr;

TEST(Doctor, SaysWhereModulesAreComputedAndWhatAGpuWouldNeed) {
  const Process::Result result = run_nnscope({"doctor"});
  ASSERT_EQ(result.err, "");
  if (result.out.find("Modules can be computed on a GPU here.") != std::string::npos) {
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.out, HasSubstr("results right"));
    return;
  }
  EXPECT_THAT(result.out, HasSubstr("Everything is computed on the CPU here."));
  EXPECT_THAT(result.out, HasSubstr("needs: "));
}

TEST(Doctor, TakesNoPath) {
  const Process::Result result = run_nnscope({"doctor", "model.pt"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("model.pt"));
}

}  // namespace
}  // namespace nns::tests
