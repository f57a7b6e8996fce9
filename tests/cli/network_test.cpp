// Ranks on two machines, as far as one machine can be two: in network namespaces, with a cable that is slow or is cut.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "tests/support/files.h"

namespace nns::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class RanksBetweenMachines : public testing::Test {
 protected:
  /// What the script said.
  std::string run(const std::string& program, const std::string& how) {
    const std::string path = (folder_.path() / "program.py").string();
    std::ofstream(path) << program;
    const std::string command = "bash '" NNSCOPE_RANK_PROGRAMS "/namespaces.sh' '" NNSCOPE_EXECUTABLE "' '" + path +
                                "' '" + folder_.path().string() + "' " + how;
    std::string said;
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return "skipped: no shell";
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
    ::pclose(pipe);
    return said;
  }
  std::string printed_by(const std::string& rank) const {
    std::ifstream stream(folder_.path() / ("rank" + rank));
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(RanksBetweenMachines, ACutCableIsToldByBothWithinTheTimeout) {
  const std::string said = run(R"(
import datetime, time, torch, torch.distributed as dist
dist.init_process_group('gloo', timeout=datetime.timedelta(seconds=4))
x = torch.ones(4)
for _ in range(3):
    dist.all_reduce(x)
print('ready', flush=True)
began = time.monotonic()
try:
    while True:
        dist.all_reduce(x)
        time.sleep(0.01)
except RuntimeError as error:
    print(error)
    print('in time' if time.monotonic() - began < 60 else 'too late')
)",
                               "cut");
  if (said.starts_with("skipped")) GTEST_SKIP() << said;
  EXPECT_THAT(printed_by("0"), AllOf(HasSubstr("all_reduce number"), HasSubstr("rank 1"), HasSubstr("in time")));
  EXPECT_THAT(printed_by("1"), AllOf(HasSubstr("all_reduce number"), HasSubstr("rank 0"), HasSubstr("in time")));
}

TEST_F(RanksBetweenMachines, WhatIsLateOrLostOnTheWayChangesNoResult) {
  const std::string said = run(R"(
import torch, torch.distributed as dist
dist.init_process_group('gloo')
for count in (1, 1000, 300000):
    x = torch.arange(count, dtype=torch.float64) * (dist.get_rank() + 1)
    dist.all_reduce(x)
    assert torch.equal(x, torch.arange(count, dtype=torch.float64) * 3)
print('fine')
)",
                               "slow");
  if (said.starts_with("skipped")) GTEST_SKIP() << said;
  EXPECT_EQ(printed_by("0"), "fine\n");
  EXPECT_EQ(printed_by("1"), "fine\n");
}

}  // namespace
}  // namespace nns::tests
