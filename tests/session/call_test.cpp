// One call of a module, told: what goes through each module, and what it leaves alone.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/summary/call_text.h"
#include "tests/session/link.h"

namespace nns::tests {
namespace {

using live::wire::JobState;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(CallText, ReadsShapesKeywordsAndExpressions) {
  const auto read = [](std::string_view text) {
    const summary::CallInput input = summary::read_input(text);
    return input.keyword.empty() ? input.expression : input.keyword + " = " + input.expression;
  };
  EXPECT_EQ(read("1,3,32,32"), "torch.zeros((1, 3, 32, 32,))");
  EXPECT_EQ(read(" ( 2, ) "), "torch.zeros((2,))");
  EXPECT_EQ(read("8:long"), "torch.zeros((8,), dtype=torch.long)");
  EXPECT_EQ(read("(2,4):torch.bfloat16"), "torch.zeros((2, 4,), dtype=torch.bfloat16)");
  EXPECT_EQ(read("5"), "5");
  EXPECT_EQ(read("mask=None"), "mask = None");
  EXPECT_EQ(read("mask = 1,16"), "mask = torch.zeros((1, 16,))");
  EXPECT_EQ(read("x == 3"), "x == 3");
  EXPECT_EQ(read("f(a=2)"), "f(a=2)");
  EXPECT_EQ(read("x[1:n]"), "x[1:n]");
  EXPECT_EQ(read("(1, -2)"), "(1, -2)");
  EXPECT_THAT(summary::split_inputs("1,16:long; mask=None;; f(';', \"a\\\";\") "),
              ElementsAre("1,16:long", "mask=None", "f(';', \"a\\\";\")"));
  EXPECT_THAT(summary::split_inputs(""), ElementsAre());
}

constexpr const char* kProgram = R"(
import torch
from torch import nn
torch.manual_seed(3)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(4, 8)
        self.down = nn.Linear(8, 4)
        self.drop = nn.Dropout(0.5)
    def forward(self, x):
        return x + self.down(self.drop(self.up(x)))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(16, 4)
        self.norm = nn.BatchNorm1d(3)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.tied = self.blocks[0]
        self.seen = []
    def forward(self, x, scale=1):
        self.seen.append(x.shape)
        x = self.norm(self.embed(x)) * scale
        for block in self.blocks:
            x = block(x)
        return x
model = Net()
def values(x):
    return x[: int(x.sum())]
class Odd(nn.Module):
    def forward(self, x):
        return values(x)
text = "no module"
)";

struct CallTest : ::testing::Test {
  Link link{session::all_abilities()};

  void SetUp() override {
    const std::uint64_t request = link.open("net.py", kProgram);
    link.run();
    ASSERT_EQ(link.state(request), JobState::Finished);
  }
  std::uint32_t document() const { return link.mirror.documents().at(0)->id(); }
  std::uint64_t ask(const std::string& model, const std::vector<std::string>& inputs, bool with_values = false) {
    const std::uint64_t request = ++link.requests;
    link.viewer->send(live::inspect_call(request, document(), model, inputs, with_values));
    return request;
  }
  const live::wire::CallSummary& told() const { return *link.mirror.call(document()); }
  /// "blocks.0.up Linear 1x3x4 -> 1x3x8".
  std::string row(std::uint32_t index) const {
    const auto shapes = [](const auto& tensors) {
      std::string text;
      for (const live::wire::CallTensor* one : tensors) {
        text += text.empty() ? "" : ", ";
        const std::vector<std::int64_t> shape(one->shape()->begin(), one->shape()->end());
        text += fmt::format("{}", fmt::join(shape, "x"));
        if (one->dtype()->str() != "float32") text += fmt::format(" {}", one->dtype()->str());
      }
      return text;
    };
    const live::wire::CallRow& one = *told().rows()->Get(index);
    return fmt::format("{} {} {} -> {}", one.name()->str(), one.class_name()->str(), shapes(*one.inputs()),
                       shapes(*one.outputs()));
  }
  std::string typed(const std::string& line) {
    const std::uint64_t request = ++link.requests;
    link.viewer->send(live::run_text(request, document(), line));
    link.run();
    std::string all;
    for (const auto& piece : link.mirror.console(document())->pieces()) all += piece.text;
    const std::string echo = line + "\n";
    return all.substr(all.rfind(echo) + echo.size());
  }
};

TEST_F(CallTest, TellsWhatWentThroughEachModule) {
  const std::uint64_t request = ask("model", {"1,3:long"});
  link.run();
  ASSERT_EQ(link.state(request), JobState::Finished);
  EXPECT_FALSE(told().with_values());
  EXPECT_EQ(told().why()->str(), "");
  EXPECT_EQ(told().model()->str(), "model");
  ASSERT_EQ(told().rows()->size(), 13U);
  EXPECT_EQ(row(0), " Net 1x3 int64 -> 1x3x4");
  EXPECT_EQ(row(1), "embed Embedding 1x3 int64 -> 1x3x4");
  EXPECT_EQ(row(4), "0 Block 1x3x4 -> 1x3x4");
  EXPECT_EQ(row(5), "up Linear 1x3x4 -> 1x3x8");
  const live::wire::CallRow& all = *told().rows()->Get(0);
  EXPECT_EQ(all.parameters(), 16U * 4 + 6 + 2 * (4 * 8 + 8 + 8 * 4 + 4));
  EXPECT_EQ(all.flops(), 2U * 2 * (2 * 3 * 4 * 8));
  EXPECT_EQ(all.buffers(), 7U);
  EXPECT_EQ(all.nanoseconds(), 0U);
  const live::wire::CallRow& tied = *told().rows()->Get(12);
  EXPECT_EQ(tied.name()->str(), "tied");
  EXPECT_EQ(tied.same_as(), 4U);
}

TEST_F(CallTest, MeasuresTimeOnlyWithValues) {
  const std::uint64_t request = ask("model", {"1,3:long", "scale=2"}, true);
  link.run();
  ASSERT_EQ(link.state(request), JobState::Finished);
  EXPECT_TRUE(told().with_values());
  const live::wire::CallRow& all = *told().rows()->Get(0);
  EXPECT_GT(all.nanoseconds(), told().rows()->Get(4)->nanoseconds());
  EXPECT_GT(told().rows()->Get(5)->nanoseconds(), 0U);
}

TEST_F(CallTest, LeavesTheModuleAndTheRandomNumbersAlone) {
  const std::string before = typed("torch.get_rng_state().sum().item()");
  for (const bool with_values : {false, true}) {
    ask("model", {"1,3:long"}, with_values);
    link.run();
    ask("nn.Linear(3, 4)", {"1,3"}, with_values);
    link.run();
  }
  EXPECT_EQ(typed("torch.get_rng_state().sum().item()"), before);
  EXPECT_EQ(typed("model.seen, model.training, model.norm.num_batches_tracked, model.embed.weight.device"),
            "([], True, tensor(0), device(type='cpu'))\n");
  EXPECT_EQ(typed("torch.zeros(1).device"), "device(type='cpu')\n");
}

TEST_F(CallTest, ComputesWhereShapesDoNotDoAndSaysWhy) {
  const std::uint64_t request = ask("Odd()", {"torch.ones(4)"});
  link.run();
  ASSERT_EQ(link.state(request), JobState::Finished);
  EXPECT_TRUE(told().with_values());
  EXPECT_THAT(told().why()->str(), HasSubstr("meta"));
  EXPECT_EQ(row(0), " Odd 4 -> 4");
}

TEST_F(CallTest, SaysWhatIsWrongAndKeepsWhatWasTold) {
  ask("model", {"1,3:long"});
  link.run();
  const auto error_of = [&](std::uint64_t request) {
    link.run();
    EXPECT_EQ(link.state(request), JobState::Failed);
    return link.mirror.jobs().at(request).error->message();
  };
  EXPECT_THAT(error_of(ask("text", {"1,3"})), HasSubstr("what is called must be a torch.nn.Module, not str"));
  EXPECT_THAT(error_of(ask("modle", {"1,3"})), HasSubstr("NameError: name 'modle' is not defined"));
  EXPECT_THAT(error_of(ask("model(", {"1,3"})), HasSubstr("SyntaxError: '(' was never closed"));
  EXPECT_THAT(error_of(ask("model", {})), HasSubstr("missing 1 required positional argument: 'x'"));
  EXPECT_EQ(told().rows()->size(), 13U);
  // The program is as it was and can be asked again.
  EXPECT_EQ(typed("text"), "'no module'\n");
}

TEST_F(CallTest, IsCancelledInTheMidstOfAnExpression) {
  typed("def endless():\n    while True:\n        pass\n");
  const std::uint64_t request = ask("model", {"endless()"});
  link.run_for(std::chrono::milliseconds(20));
  EXPECT_EQ(link.state(request), JobState::Running);
  link.viewer->send(live::cancel(request));
  link.run();
  EXPECT_EQ(link.state(request), JobState::Cancelled);
  EXPECT_EQ(link.mirror.call(document()), nullptr);
  EXPECT_EQ(typed("torch.zeros(1).device"), "device(type='cpu')\n");
}

}  // namespace
}  // namespace nns::tests
