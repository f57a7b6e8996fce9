#include "core/train/watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/train/trained_program.h"

namespace nns::train {
namespace {

using tests::WatchedProgram;

constexpr std::string_view kLoop = R"(
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
x, y = torch.randn(16, 4), torch.randint(3, (16,))
for step in range(5):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    print(loss.item())
)";

TEST(Watch, TellsLossAndLearningRateOfEachStepOfAnOrdinaryProgram) {
  WatchedProgram program;
  ASSERT_EQ(program.run(std::string(kLoop)), "");
  ASSERT_EQ(program.steps.size(), 5U);
  std::istringstream printed(program.out);
  for (std::size_t i = 0; i < 5; ++i) {
    const StepReport& step = program.steps[i];
    double loss = 0;
    printed >> loss;
    EXPECT_EQ(step.step, i);
    EXPECT_NEAR(step.loss, loss, 1e-6);
    EXPECT_EQ(step.learning_rates, std::vector<double>{0.01});
    EXPECT_EQ(step.samples, 16U);
    EXPECT_TRUE(step.is_finite);
    EXPECT_TRUE(step.moments.empty());
    EXPECT_GT(step.phase_ns[static_cast<std::size_t>(Phase::Forward)], 0U);
    EXPECT_GT(step.phase_ns[static_cast<std::size_t>(Phase::Backward)], 0U);
    EXPECT_GT(step.phase_ns[static_cast<std::size_t>(Phase::Optimizer)], 0U);
  }
}

TEST(Watch, NamesModulesAndTensorsAsTheModelDoes) {
  WatchedProgram program;
  ASSERT_EQ(program.run(std::string(kLoop)), "");
  ASSERT_EQ(program.table().modules().size(), 4U);
  EXPECT_EQ(program.table().modules()[0].class_name, "Sequential");
  EXPECT_EQ(program.table().modules()[3].path, "2");
  EXPECT_EQ(program.table().modules()[3].parent, 0U);
  ASSERT_EQ(program.table().tensors().size(), 4U);
  EXPECT_EQ(program.table().tensors()[1].path, "0.bias");
  EXPECT_EQ(program.table().tensors()[1].optimizer, 0U);
}

TEST(Watch, MomentsAreThoseOfTheValues) {
  WatchedProgram program;
  program.tensor_bits = subject::kOfTensors;
  program.module_bits = subject::kOfModules;
  ASSERT_EQ(program.run(R"(
import torch
net = torch.nn.Linear(300, 7, bias=False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(5, 300)
before = net.weight.detach().clone()
out = net(x)
out.retain_grad()
(out ** 2).sum().backward()
optimizer.step()
w = net.weight.detach()
for t in (w, net.weight.grad, w - before, out.detach(), out.grad):
    print(t.mean().item(), t.std(correction=0).item(), t.min().item(), t.max().item(), t.norm().item())
)"),
            "");
  ASSERT_EQ(program.steps.size(), 1U);
  std::istringstream printed(program.out);
  for (const std::uint32_t bit : {subject::kParameters, subject::kGradients, subject::kUpdates, subject::kActivations,
                                  subject::kOutputGradients}) {
    double mean = 0, deviation = 0, low = 0, high = 0, norm = 0;
    printed >> mean >> deviation >> low >> high >> norm;
    const auto& found = program.steps[0].moments;
    const auto at =
        std::find_if(found.begin(), found.end(), [&](const FoundMoments& one) { return one.subject == bit; });
    ASSERT_NE(at, found.end()) << "subject " << bit;
    EXPECT_NEAR(at->moments.mean(), mean, 1e-4 * deviation) << bit;
    EXPECT_NEAR(at->moments.deviation(), deviation, 1e-4 * deviation) << bit;
    EXPECT_FLOAT_EQ(static_cast<float>(at->moments.low), static_cast<float>(low)) << bit;
    EXPECT_FLOAT_EQ(static_cast<float>(at->moments.high), static_cast<float>(high)) << bit;
    EXPECT_NEAR(at->moments.norm(), norm, 1e-4 * norm) << bit;
    EXPECT_EQ(at->moments.nan, 0U);
  }
}

TEST(Watch, WatchingChangesNoBitOfTheTraining) {
  const auto losses = [](std::uint8_t bits, bool times) {
    WatchedProgram program;
    program.tensor_bits = program.module_bits = program.histogram_bits = bits;
    program.times = program.timeline = times;
    EXPECT_EQ(program.run(std::string(kLoop)), "");
    return program.out;
  };
  EXPECT_EQ(losses(0, false), losses(0xFF, true));
}

TEST(Watch, TimesOfModulesHoldThoseOfTheirChildren) {
  WatchedProgram program;
  program.times = true;
  ASSERT_EQ(program.run(std::string(kLoop)), "");
  const std::vector<ModuleTimes>& times = program.steps[4].times;
  ASSERT_EQ(times.size(), 4U);
  EXPECT_EQ(times[0].calls, 1U);
  EXPECT_GE(times[0].forward_ns, times[1].forward_ns + times[2].forward_ns + times[3].forward_ns);
  EXPECT_GE(times[0].backward_ns, times[1].backward_ns + times[2].backward_ns + times[3].backward_ns);
  EXPECT_GT(times[1].backward_ns, 0U);
  EXPECT_EQ(times[2].output_bytes, 16U * 8 * 4);
}

TEST(Watch, TheFirstModuleAndOpThatMadeANanAreNamed) {
  WatchedProgram program;
  ASSERT_EQ(program.run(R"(
import torch
from torch import nn
class Bad(nn.Module):
    def forward(self, x):
        return torch.log(x - 100)
net = nn.Sequential(nn.Linear(4, 4), Bad(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.randn(2, 4)).sum().backward()
optimizer.step()
)"),
            "");
  ASSERT_EQ(program.steps.size(), 1U);
  ASSERT_FALSE(program.steps[0].is_finite);
  const NotFinite& found = program.steps[0].not_finite;
  EXPECT_TRUE(found.is_nan);
  EXPECT_EQ(found.path, "1");
  EXPECT_EQ(found.op, "LogBackward0");
}

TEST(Watch, AGradientThatIsNotFiniteNamesItsParameter) {
  WatchedProgram program;
  program.tensor_bits = subject::kGradients;
  ASSERT_EQ(program.run(R"(
import torch
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.zeros(1, 2)
((net(x) - net.bias).abs().sqrt()).sum().backward()
optimizer.step()
)"),
            "");
  ASSERT_EQ(program.steps.size(), 1U);
  ASSERT_FALSE(program.steps[0].is_finite);
  EXPECT_EQ(program.steps[0].not_finite.phase, Phase::Backward);
}

TEST(Watch, HistogramsCountEveryFiniteValueOfASmallTensor) {
  WatchedProgram program;
  program.histogram_bits = subject::kParameters;
  ASSERT_EQ(program.run(std::string(kLoop)), "");
  ASSERT_EQ(program.steps[0].histograms.size(), 4U);
  const FoundHistogram& first = program.steps[0].histograms[0];
  std::uint64_t sum = 0;
  for (const std::uint32_t count : first.histogram.counts) sum += count;
  EXPECT_EQ(sum, 32U);
  EXPECT_EQ(first.count, 32U);
}

TEST(Watch, AStepInsideOfAFunctionOfTheProgramsOwnOptimizerIsOne) {
  WatchedProgram program;
  ASSERT_EQ(program.run(R"(
import torch
class Mine(torch.optim.SGD):
    def step(self, closure=None):
        return super().step(closure)
net = torch.nn.Linear(2, 1)
optimizer = Mine(net.parameters(), lr=0.1)
for _ in range(3):
    net(torch.ones(1, 2)).sum().backward()
    optimizer.step()
)"),
            "");
  EXPECT_EQ(program.steps.size(), 3U);
}

TEST(ModuleTable, AStarStandsForAnyText) {
  EXPECT_TRUE(ModuleTable::matches("*", "a.b"));
  EXPECT_TRUE(ModuleTable::matches("layers.*.weight", "layers.0.attn.weight"));
  EXPECT_FALSE(ModuleTable::matches("layers.*.weight", "layers.0.bias"));
  EXPECT_TRUE(ModuleTable::matches("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(ModuleTable::matches("", "a"));
  EXPECT_TRUE(ModuleTable::matches("", ""));
}

}  // namespace
}  // namespace nns::train
