// `simulate`: a training that is measured here, and predicted for many ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "native/cli/quantity.h"
#include "tests/cli/process.h"
#include "tests/support/files.h"

namespace nns::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr std::string_view kTraining = R"(
import torch, torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(64, 64)
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 64)) for _ in range(3)])
    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = x + block(x)
        return x
net = Net()
opt = torch.optim.AdamW(net.parameters())
x = torch.randn(64, 64)
for step in range(12):
    opt.zero_grad()
    net(x).square().mean().backward()
    opt.step()
print("trained")
)";

class Simulate : public testing::Test {
 protected:
  Process::Result run(std::vector<std::string> options, std::string_view program = kTraining) {
    const std::string path = (folder_.path() / "training.py").string();
    std::ofstream(path) << program;
    options.insert(options.begin(), {"simulate", path});
    return run_nnscope(options);
  }
  TemporaryFolder folder_;
};

TEST_F(Simulate, MeasuresUnitsAndGradientsInTheirOrder) {
  const Process::Result result = run({"--steps", "5", "--ranks", "1,8", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json told = json::parse(result.out);
  const json& measured = told["measured"];
  EXPECT_EQ(measured["steps"], 5);
  std::vector<std::string> units, first, last;
  double forward = 0, bytes = 0;
  for (const json& unit : measured["units"]) {
    units.push_back(unit["name"]);
    forward += unit["forward"].get<double>();
    bytes += unit["bytes"].get<double>();
  }
  EXPECT_THAT(units, testing::ElementsAre("(the rest)", "blocks.0", "blocks.1", "blocks.2"));
  // Each is a median of its own.
  EXPECT_GE(forward, measured["forward"].get<double>() - 1e-9);
  EXPECT_EQ(bytes, 4 * (64 * 64 + 64 + 3 * (64 * 256 + 256 + 256 * 64 + 64)));
  const json& gradients = measured["gradients"];
  EXPECT_THAT(gradients.front()["name"].get<std::string>(), HasSubstr("blocks.2.2"));
  EXPECT_THAT(gradients.back()["name"].get<std::string>(), HasSubstr("embed"));
  EXPECT_LE(gradients.back()["ready"], measured["backward"]);
  EXPECT_EQ(told["predictions"][0]["exposed"], 0);
  EXPECT_EQ(told["predictions"][1]["ranks"], 8);
  EXPECT_EQ(told["predictions"][1]["transfers"].size(), 1U);
}

TEST_F(Simulate, AStepIsComputingAndWhatOfTheNetworkIsNotHidden) {
  for (const char* const strategy : {"ddp", "fully-shard"}) {
    const Process::Result result = run({"--steps", "3", "--strategy", strategy, "--ranks", "2,64,100000", "--bandwidth",
                                        "10Gbit/s", "--latency", "20us", "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    double before = 0;
    const json told = json::parse(result.out);
    for (const json& one : told["predictions"]) {
      const double step = one["step"], compute = one["compute"], exposed = one["exposed"];
      EXPECT_NEAR(step, compute + exposed, 1e-9);
      EXPECT_LE(exposed, one["communication"].get<double>() + 1e-12);
      EXPECT_GT(step, before);
      before = step;
    }
  }
}

TEST_F(Simulate, PrintsALineForEachNumberOfRanksAndWhatTheProgramPrintsElsewhere) {
  const Process::Result result = run({"--ranks", "8,100000"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, testing::AllOf(HasSubstr("median of 9"), HasSubstr("100,000"), HasSubstr("exposed"),
                                         testing::Not(HasSubstr("trained"))));
  EXPECT_THAT(result.err, HasSubstr("trained"));
}

TEST_F(Simulate, RefusesWhatItCannotUnderstandAndProgramsThatDoNotTrain) {
  EXPECT_EQ(run({"--bandwidth", "fast"}).status, 2);
  EXPECT_EQ(run({"--latency", "-5us"}).status, 2);
  EXPECT_EQ(run({"--ranks", "0"}).status, 2);
  EXPECT_EQ(run({"--strategy", "magic"}).status, 2);
  EXPECT_EQ(run_nnscope({"simulate", "no_such_training.py"}).status, 2);
  EXPECT_EQ(run_nnscope({"simulate"}).status, 2);
  const Process::Result idle = run({}, "print('no step')\n");
  EXPECT_EQ(idle.status, 1);
  EXPECT_THAT(idle.err, HasSubstr("made 0 steps"));
  const Process::Result wrong = run({}, "raise ValueError('no data')\n");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("ValueError: no data"));
}

TEST(Quantity, TimesAndRatesHaveUnits) {
  EXPECT_THAT(cli::seconds_of("5us"), testing::Optional(testing::DoubleEq(5e-6)));
  EXPECT_THAT(cli::seconds_of("0.5 ms"), testing::Optional(testing::DoubleEq(0.5e-3)));
  EXPECT_EQ(cli::seconds_of("5"), std::nullopt);
  EXPECT_EQ(cli::seconds_of("-1s"), std::nullopt);
  EXPECT_THAT(cli::bandwidth_of("400Gbit/s"), testing::Optional(testing::DoubleEq(50e9)));
  EXPECT_THAT(cli::bandwidth_of("50GB/s"), testing::Optional(testing::DoubleEq(50e9)));
  EXPECT_EQ(cli::bandwidth_of("0GB/s"), std::nullopt);
  EXPECT_EQ(cli::bandwidth_of("50GB"), std::nullopt);
}

}  // namespace
}  // namespace nns::tests
