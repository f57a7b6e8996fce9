// What is seen of the replicas of DataParallel in a recording.
#include "core/trace/replicas.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/recorder/recorded_program.h"

namespace nns::tests {
namespace {

using trace::EventId;
using trace::ReplicaFate;

constexpr const char* kProgram =
    "import torch\n"
    "from torch import nn\n"
    "class Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.fc = nn.Linear(2, 2)\n"
    "        self.count = 0\n"
    "        self.seen = {}\n"
    "        self.register_buffer('kept', torch.zeros(1))\n"
    "        self.register_buffer('bound', torch.zeros(1))\n"
    "    def forward(self, x):\n"
    "        self.count += 1\n"
    "        self.extra = 2\n"
    "        self.bound = self.bound + 1\n"
    "        return self.fc(x)\n"  // line 15
    "net = Net().to('cpu:0')\n"
    "dp = nn.DataParallel(net)\n"
    "dp(torch.ones(4, 2))\n"
    "pass\n";

using Fates = std::map<std::string, std::vector<ReplicaFate>>;

Fates fates_at(const RecordedProgram& run, EventId event) {
  Fates fates;
  const auto found = trace::replicas_at(run.trace, trace::moment_at(run.trace, event));
  if (!found) return fates;
  for (const trace::ReplicaRow& row : found->rows) {
    fates[row.path.empty() ? row.name : row.path + "." + row.name] = row.fates;
  }
  return fates;
}

TEST(Replicas, SayWhatIsSharedCopiedAndLost) {
  const RecordedProgram run(kProgram, {}, 2);
  ASSERT_EQ(run.error, "");
  const EventId first = run.at_line(15);
  const EventId second = run.at_line(15, first + 1);
  using enum ReplicaFate;
  const Fates expected = {{"count", {Lost, Lost}},
                          {"seen", {Shared, Shared}},
                          {"kept", {SameBytes, Copied}},
                          {"bound", {Lost, Lost}},
                          {"extra", {Lost, Lost}},
                          {"fc.weight", {SameBytes, Copied}},
                          {"fc.bias", {SameBytes, Copied}},
                          {"fc.in_features", {Shared, Shared}},
                          {"fc.out_features", {Shared, Shared}}};
  EXPECT_EQ(fates_at(run, second), expected);
  // The second has not begun yet when the first is at its end.
  const Fates before = fates_at(run, first);
  EXPECT_EQ(before.at("count"), (std::vector{Lost, Shared}));
  EXPECT_EQ(before.at("bound"), (std::vector{Lost, Copied}));
  EXPECT_EQ(before.at("extra"), (std::vector{Lost, Missing}));
}

TEST(Replicas, ThereAreNoneBeforeAndBehindTheForwardNorWithOneDevice) {
  const RecordedProgram run(kProgram, {}, 2);
  EXPECT_TRUE(fates_at(run, run.at_line(18)).empty());
  EXPECT_TRUE(fates_at(run, run.at_line(19)).empty());
  const RecordedProgram alone(kProgram, {}, 1);
  EXPECT_TRUE(fates_at(alone, alone.at_line(15)).empty());
}

TEST(Replicas, RowsBeyondTheLimitAreToldOf) {
  const RecordedProgram run(kProgram, {}, 2);
  const auto found = trace::replicas_at(run.trace, trace::moment_at(run.trace, run.at_line(15)), 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rows.size(), 3U);
  EXPECT_TRUE(found->has_more);
}

}  // namespace
}  // namespace nns::tests
