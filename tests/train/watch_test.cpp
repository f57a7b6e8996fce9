#include "core/train/watch.h"

#include <fmt/format.h>
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

TEST(Watch, ChangesOfTheModelDuringATrainingAreSeen) {
  WatchedProgram program;
  program.tensor_bits = subject::kParameters;
  ASSERT_EQ(program.run(R"(
import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
x, y = torch.randn(16, 4), torch.randint(3, (16,))
def step():
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
step()
step()
net.add_module('last', nn.Linear(3, 3))
step()
net[0].weight = nn.Parameter(torch.ones(3, 4))
step()
step()
)"),
            "");
  ASSERT_EQ(program.steps.size(), 5U);
  // What batch norm counts is no change.
  EXPECT_EQ(program.steps[0].table_version, program.steps[1].table_version);
  EXPECT_LT(program.steps[1].table_version, program.steps[3].table_version);
  EXPECT_EQ(program.table().modules().size(), 4U);
  EXPECT_EQ(program.table().modules()[3].path, "last");
  EXPECT_EQ(program.table().tensors()[0].path, "0.weight");
  EXPECT_EQ(tensor::read_double(*program.table().tensors()[0].tensor, 0), 1.0);
}

TEST(Watch, MomentsAreThoseOfTheValues) {
  // Of optimisers that find them in vectors of their own, and block by block; of a parameter that threads share.
  for (const std::string optimizer : {"Adam", "SGD", "RMSprop", "AdamW"}) {
    SCOPED_TRACE(optimizer);
    WatchedProgram program;
    program.tensor_bits = subject::kOfTensors;
    program.module_bits = subject::kOfModules;
    ASSERT_EQ(program.run(R"(
import torch
net = torch.nn.Linear(300, 307, bias=False)
optimizer = torch.optim.)" +
                          optimizer + R"((net.parameters(), lr=0.5)
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
  EXPECT_EQ(found.place.file, "program.py");
  EXPECT_EQ(found.place.line, 6U);
}

TEST(Watch, WhatTheOptimizerMadeNotFiniteIsAtTheLineOfItsStep) {
  WatchedProgram program;
  program.tensor_bits = subject::kParameters;
  ASSERT_EQ(program.run(R"(
import torch
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=float("inf"))
net(torch.ones(1, 2)).sum().backward()
optimizer.step()
)"),
            "");
  ASSERT_FALSE(program.steps[0].is_finite);
  EXPECT_EQ(program.steps[0].not_finite.phase, Phase::Optimizer);
  EXPECT_EQ(program.steps[0].not_finite.op, "SGD");
  EXPECT_EQ(program.steps[0].not_finite.place.line, 6U);
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

// sqrt at 0 has the derivative infinity; 0 times that is the NaN that comes out of the abs below it.
constexpr std::string_view kBadBackward = R"(
import torch
from torch import nn
class Root(nn.Module):
    def forward(self, x):
        return torch.sqrt(x - x.detach())
net = nn.Sequential(nn.Linear(4, 4), Root(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(2, 4)).sum().backward()
)";

// Nothing is wanted of the parameter: the optimiser looks all the same, in whatever dtype and of whatever kind.
TEST(Watch, ABadGradientIsSeenInTheStepThatUsesIt) {
  for (const std::string_view make : {"SGD(net.parameters(), lr=0.1)", "AdamW(net.parameters())",
                                      "LBFGS(net.parameters(), max_iter=1)", "SGD(net.bfloat16().parameters())"}) {
    WatchedProgram program;
    const std::string closes = make.starts_with("LBFGS") ? "lambda: loss" : "";
    ASSERT_EQ(program.run(fmt::format(R"(
import torch
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.{}
x = torch.zeros(1, 2, dtype=net.weight.dtype)
for scale in (1.0, float("inf"), 1.0):
    optimizer.zero_grad()
    loss = net(x).square().sum()
    loss.backward()
    net.bias.grad.mul_(scale)
    optimizer.step({})
    net.load_state_dict({{"weight": torch.ones(1, 2), "bias": torch.ones(1)}})
)",
                                      make, closes)),
              "")
        << make;
    ASSERT_EQ(program.steps.size(), 3U) << make;
    EXPECT_TRUE(program.steps[0].is_finite) << make;
    ASSERT_FALSE(program.steps[1].is_finite) << make;
    EXPECT_EQ(program.steps[1].not_finite.phase, Phase::Backward) << make;
    EXPECT_EQ(program.steps[1].not_finite.path, "bias") << make;
    EXPECT_TRUE(program.steps[2].is_finite) << make;
  }
}

TEST(Watch, TheFirstModuleAndOpWhoseBackwardMadeAnInfinityAreNamed) {
  WatchedProgram program;
  program.checks_gradients = true;
  ASSERT_EQ(program.run(std::string(kBadBackward) + "optimizer.step()\n"), "");
  ASSERT_EQ(program.steps.size(), 1U);
  ASSERT_FALSE(program.steps[0].is_finite);
  const NotFinite& found = program.steps[0].not_finite;
  EXPECT_FALSE(found.is_nan);
  EXPECT_EQ(found.phase, Phase::Backward);
  EXPECT_EQ(found.path, "1");
  EXPECT_EQ(found.op, "SqrtBackward0");
}

TEST(Watch, TheOpWhoseBackwardMakesAnInfinityIsNamedThoughNobodyAsked) {
  WatchedProgram program;
  ASSERT_EQ(program.run(std::string(kBadBackward) + "optimizer.step()\n"), "");
  ASSERT_FALSE(program.steps[0].is_finite);
  const NotFinite& found = program.steps[0].not_finite;
  EXPECT_FALSE(found.is_nan);
  EXPECT_EQ(found.phase, Phase::Backward);
  EXPECT_EQ(found.path, "1");
  EXPECT_EQ(found.op, "SqrtBackward0");
  EXPECT_FALSE(found.is_op_about);
  EXPECT_EQ(found.place.line, 6U);
}

TEST(Watch, AFunctionOfTheProgramsOwnIsNamedWithItsLine) {
  WatchedProgram program;
  ASSERT_EQ(program.run(R"(
import torch
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1
    @staticmethod
    def backward(ctx, grad):
        return grad / 0
net = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
out = net(torch.ones(2, 4))
Bad.apply(out).sum().backward()
optimizer.step()
)"),
            "");
  ASSERT_FALSE(program.steps[0].is_finite);
  EXPECT_EQ(program.steps[0].not_finite.op, "BadBackward");
  EXPECT_EQ(program.steps[0].not_finite.place.line, 13U);
}

// Forward goes down before it goes up, so that only the way back passes what a float holds.
TEST(Watch, AGradientThatGrowsTooLargeIsSeenWhereItDoes) {
  WatchedProgram program;
  ASSERT_EQ(program.run(R"(
import torch
from torch import nn
class Scale(nn.Module):
    def forward(self, x):
        small = x * 1e-30
        smaller = small * 1e-30
        up = smaller * 1e30
        return up * 1e30
net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), Scale(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(2, 64)).sum().backward()
optimizer.step()
)"),
            "");
  ASSERT_FALSE(program.steps[0].is_finite);
  const NotFinite& found = program.steps[0].not_finite;
  EXPECT_EQ(found.path, "2");
  EXPECT_EQ(found.op, "MulBackward0");
  EXPECT_TRUE(found.is_op_about) << "not every number was looked at";
  EXPECT_EQ(found.place.line, 8U);
}

TEST(Watch, UpdatesAreTheDifferenceWhateverWritesTheParameters) {
  for (const std::string_view make :
       {"torch.optim.LBFGS(net.parameters(), max_iter=2)", "torch.optim.Adafactor(net.parameters())",
        "torch.optim.Adam(net.double().parameters())", "Plain(net.parameters())", "Hidden(net.parameters())",
        "torch.optim.SGD(net.parameters(), lr=0.5)"}) {
    SCOPED_TRACE(make);
    WatchedProgram program;
    program.tensor_bits = subject::kUpdates | subject::kParameters;
    ASSERT_EQ(program.run(fmt::format(R"(
import torch
class Plain(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, dict(lr=0.5))
    def step(self, closure=None):
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(p.grad, alpha=-group["lr"])
class Hidden(Plain):
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.data.sub_(p.grad * group["lr"])
torch.manual_seed(1)
net = torch.nn.Linear(8, 4, bias=False)
optimizer = {}
x = torch.randn(16, 8, dtype=net.weight.dtype)
def closure():
    optimizer.zero_grad()
    loss = net(x).square().mean()
    loss.backward()
    return loss
for _ in range(3):
    before = net.weight.detach().clone()
    if not isinstance(optimizer, torch.optim.LBFGS):
        closure()
    optimizer.step(closure)
    print((net.weight.detach() - before).norm().item(), net.weight.detach().norm().item())
)",
                                      make)),
              "");
    ASSERT_EQ(program.steps.size(), 3U);
    std::istringstream printed(program.out);
    for (std::size_t i = 0; i < 3; ++i) {
      double update = 0, weight = 0;
      printed >> update >> weight;
      const auto norm = [&](std::uint32_t bit) {
        for (const FoundMoments& one : program.steps[i].moments) {
          if (one.subject == bit) return one.moments.norm();
        }
        return std::nan("");
      };
      // A model becomes known while its first step is made where the step itself calls it.
      if (i == 0 && std::isnan(norm(subject::kUpdates)) && make.find("LBFGS") != std::string_view::npos) continue;
      EXPECT_GT(update, 0);
      EXPECT_NEAR(norm(subject::kUpdates), update, 1e-5 * update) << i;
      EXPECT_NEAR(norm(subject::kParameters), weight, 1e-5 * weight) << i;
    }
  }
}

TEST(Watch, AGroupThatIsAddedDuringATrainingIsSeen) {
  WatchedProgram program;
  ASSERT_EQ(program.run(R"(
import torch
first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
net = torch.nn.Sequential(first, second)
optimizer = torch.optim.SGD(first.parameters(), lr=0.1)
def step():
    optimizer.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    optimizer.step()
step()
optimizer.add_param_group({"params": second.parameters(), "lr": 0.01})
step()
step()
)"),
            "");
  ASSERT_EQ(program.steps.size(), 3U);
  EXPECT_EQ(program.steps[0].learning_rates, (std::vector<double>{0.1}));
  EXPECT_EQ(program.steps[1].learning_rates, (std::vector<double>{0.1, 0.01}));
  EXPECT_LT(program.steps[1].table_version, program.steps[2].table_version);
  ASSERT_EQ(program.table().tensors().size(), 4U);
  EXPECT_EQ(program.table().tensors()[2].path, "1.weight");
  EXPECT_EQ(program.table().tensors()[2].optimizer, 0U);
  EXPECT_EQ(program.table().tensors()[2].group, 1U);
}

TEST(Watch, ABadGradientThatIsPutRightBeforeTheStepIsNone) {
  WatchedProgram program;
  program.checks_gradients = true;
  ASSERT_EQ(program.run(std::string(kBadBackward) + R"(
for parameter in net.parameters():
    parameter.grad.nan_to_num_(0, 0, 0)
optimizer.step()
optimizer.zero_grad()
net[2](torch.ones(2, 4)).sum().backward()
optimizer.step()
)"),
            "");
  ASSERT_EQ(program.steps.size(), 2U);
  EXPECT_TRUE(program.steps[0].is_finite);
  EXPECT_TRUE(program.steps[1].is_finite);
}

TEST(Watch, TheOpOfAnActivationThatIsNotFiniteIsNamedBeforeTheLoss) {
  WatchedProgram program;
  program.module_bits = subject::kActivations;
  ASSERT_EQ(program.run(R"(
import torch
from torch import nn
class Bad(nn.Module):
    def forward(self, x):
        return torch.exp(torch.log(x - 100))
net = nn.Sequential(nn.Linear(4, 4), Bad(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.randn(2, 4)).nan_to_num().sum().backward()
optimizer.step()
)"),
            "");
  ASSERT_FALSE(program.steps[0].is_finite);
  EXPECT_EQ(program.steps[0].not_finite.path, "1");
  EXPECT_EQ(program.steps[0].not_finite.op, "LogBackward0");
}

TEST(Watch, WeightsOfAttentionAreThoseOfTheFirstSampleAndChangeNoRandomNumber) {
  constexpr std::string_view kAttention = R"(
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(1)
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(8, 8)
    def forward(self, x):
        q = self.q(x).view(3, 5, 2, 4).transpose(1, 2)
        return F.scaled_dot_product_attention(q, q, q, dropout_p=0.5, is_causal=True)
net = Attention()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    loss = net(torch.ones(3, 5, 8)).sum()
    loss.backward()
    optimizer.step()
print(loss.item())
)";
  WatchedProgram program, unwatched;
  program.attention = true;
  ASSERT_EQ(program.run(std::string(kAttention)), "");
  ASSERT_EQ(unwatched.run(std::string(kAttention)), "");
  EXPECT_EQ(program.out, unwatched.out);
  ASSERT_EQ(program.steps.size(), 2U);
  EXPECT_TRUE(unwatched.steps[0].attentions.empty());
  for (const StepReport& step : program.steps) {
    ASSERT_EQ(step.attentions.size(), 1U);
    const tensor::Tensor& weights = *step.attentions[0].weights;
    EXPECT_EQ(weights.shape(), tensor::Dims({2, 5, 5}));
    EXPECT_FALSE(weights.requires_grad());
    // All inputs are alike: each query sees those up to it alike.
    for (std::int64_t query = 0; query < 5; ++query) {
      for (std::int64_t key = 0; key < 5; ++key) {
        EXPECT_FLOAT_EQ(static_cast<float>(tensor::read_double(weights, weights.offset() + query * 5 + key)),
                        key <= query ? 1.0F / static_cast<float>(query + 1) : 0.0F);
      }
    }
  }
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
