// `summary`: shapes, parameters and FLOPs of a model that a Python file defines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/support/files.h"

namespace nns::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr std::string_view kModel = R"(
import torch
import torch.nn as nn
import torch.nn.functional as F
import somewhere_else
print("loading")

class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.LayerNorm(n)
        self.up = nn.Linear(n, 4 * n)
        self.down = nn.Linear(4 * n, n, bias=False)

    def forward(self, x):
        x = x + self.down(F.gelu(self.up(self.norm(x))))
        return F.scaled_dot_product_attention(x, x, x)

class Net(nn.Module):
    def __init__(self, n=8, depth=3, vocabulary=32):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, n)
        self.blocks = nn.ModuleList(Block(n) for _ in range(depth))
        self.head = nn.Linear(n, vocabulary, bias=False)
        self.head.weight = self.embed.weight
        self.again = self.head
        self.unused = nn.Conv2d(3, 5, 3)
        self.register_buffer("scale", torch.ones(2))

    def forward(self, x, *, times=1, mask=None):
        x = self.embed(x)
        for _ in range(times):
            for block in self.blocks:
                x = block(x)
        return {"logits": self.head(x), "mask": mask}

class Images(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Conv2d(3, 6, 3, groups=3), nn.ConvTranspose2d(6, 4, 2, stride=2))

class Counting(nn.Module):
    def forward(self, x):
        return x[: int(x.sum().item()) + 1]
)";

class SummaryCommand : public testing::Test {
 protected:
  void SetUp() override {
    path = (folder.path() / "net.py").string();
    std::ofstream(path) << kModel;
  }
  json run(std::vector<std::string> more) {
    std::vector<std::string> arguments{"summary", path, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    result = run_nnscope(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out);
  }
  static const json& module(const json& told, std::string_view name) {
    for (const json& one : told["modules"]) {
      if (one["name"] == name) return one;
    }
    throw std::runtime_error("no module " + std::string(name));
  }
  TemporaryFolder folder;
  std::string path;
  Process::Result result;
};

TEST_F(SummaryCommand, TellsShapesParametersAndFlopsOfEachModule) {
  const json told = run({"--call", "Net()", "--input", "2,5:long"});
  EXPECT_EQ(told["device"], "meta");
  EXPECT_EQ(told["inputs"], json::parse(R"([{"shape": [2, 5], "dtype": "int64"}])"));
  // Embedding 256 (tied with the head), blocks of 16 + 288 + 256, the convolution 140.
  EXPECT_EQ(told["parameters"], 256 + 3 * 560 + 140);
  EXPECT_EQ(told["trainable"], told["parameters"]);
  EXPECT_EQ(told["buffers"], 2);
  EXPECT_EQ(told["parameter_bytes"], 4 * (256 + 3 * 560 + 140));
  const json& block = module(told, "blocks.1");
  EXPECT_EQ(block["class"], "Block");
  EXPECT_EQ(block["inputs"], json::parse(R"([{"shape": [2, 5, 8], "dtype": "float32"}])"));
  EXPECT_EQ(block["parameters"], 560);
  EXPECT_EQ(block["own_parameters"], 0);
  // Two products of (10 x 8) with (8 x 32), and attention of 2 heads' worth of 5 rows with 8 features.
  const int products = 2 * (2 * 10 * 8 * 32), attention = 2 * (2 * 5 * 5 * 8) * 2;
  EXPECT_EQ(block["flops"], products + attention);
  EXPECT_EQ(told["flops"], 3 * (products + attention) + 2 * 10 * 8 * 32);
  EXPECT_EQ(module(told, "head")["outputs"], json::parse(R"([{"shape": [2, 5, 32], "dtype": "float32"}])"));
  EXPECT_EQ(module(told, "again")["same_as"], "head");
  EXPECT_EQ(module(told, "unused")["calls"], 0);
  EXPECT_EQ(module(told, "")["outputs"].size(), 1U);
  EXPECT_THAT(result.err, HasSubstr("loading\n"));
  EXPECT_THAT(result.err, HasSubstr("no module somewhere_else"));
}

TEST_F(SummaryCommand, TakesKeywordsAndPython) {
  const json told = run({"--call", "Net(n=4, depth=1)", "--input", "torch.zeros(1, 3, dtype=torch.int32)", "--input",
                         "mask=1,3:bool", "--input", "times=2"});
  EXPECT_EQ(told["inputs"],
            json::parse(R"([{"shape": [1, 3], "dtype": "int32"}, {"shape": [1, 3], "dtype": "bool"}])"));
  EXPECT_EQ(module(told, "blocks.0")["calls"], 2);
  EXPECT_EQ(module(told, "")["outputs"].size(), 2U);
}

TEST_F(SummaryCommand, CountsConvolutionsByTheirFilters) {
  const json told = run({"--call", "Images()", "--input", "1,3,8,8"});
  EXPECT_EQ(module(told, "0")["flops"], 2 * (6 * 6 * 6) * 9);
  EXPECT_EQ(module(told, "1")["flops"], 2 * (6 * 6 * 6) * (4 * 2 * 2));
}

TEST_F(SummaryCommand, ComputesWhereAModelNeedsValues) {
  const json told = run({"--call", "Counting()", "--input", "torch.ones(5)"});
  EXPECT_EQ(told["device"], "cpu");
  EXPECT_THAT(result.err,
              HasSubstr("shapes alone do not do (RuntimeError: Tensor.item() cannot be called on meta tensors"));
  EXPECT_EQ(run({"--call", "Net()", "--input", "1,2:long", "--compute"})["device"], "cpu");
}

TEST_F(SummaryCommand, PrintsATreeWithEqualBlocksAsOneLine) {
  const Process::Result text = run_nnscope({"summary", path, "--call", "Net()", "--input", "2,5:long", "--depth", "2"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("│  └─ 0…2  ×3"));
  EXPECT_THAT(text.out, HasSubstr("same as head"));
  EXPECT_THAT(text.out, HasSubstr("not called"));
  EXPECT_THAT(text.out, HasSubstr("2,076 parameters, 2,076 of them trainable · 2 in buffers\n"));
}

TEST_F(SummaryCommand, SaysWhatIsWrong) {
  EXPECT_EQ(run_nnscope({"summary", "absent.py", "--call", "x"}).status, 2);
  EXPECT_EQ(run_nnscope({"summary", path}).status, 2);
  const Process::Result none = run_nnscope({"summary", path, "--call", "3"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("TypeError: --call must give a torch.nn.Module, not int"));
  const Process::Result wrong = run_nnscope({"summary", path, "--call", "Net()", "--input", "2,5"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("RuntimeError: Expected tensor for argument #1 'indices'"));
  const Process::Result syntax = run_nnscope({"summary", path, "--call", "Net("});
  EXPECT_EQ(syntax.status, 1);
  EXPECT_THAT(syntax.err, HasSubstr("SyntaxError"));
}

}  // namespace
}  // namespace nns::tests
