// FX graphs read from their code, as logs of PyTorch hold them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/capture/graph_code.h"

namespace nns::capture {
namespace {

using testing::ElementsAre;

constexpr const char* kCode = R"(class GraphModule(torch.nn.Module):
    def forward(self, L_x_ : torch.Tensor, L_y_: "f32[2, 4][4, 1]cpu"):
        l_x_ = L_x_
        l_y_ = L_y_

        # File: /a/model.py:12 in forward, code: return F.relu(self.fc(x) + y)
        fc: "f32[2, 4]" = self.L__self___fc(l_x_);  l_x_ = None
        weight = self.L__self___fc_weight
        add: "f32[2, 4]" = fc + l_y_;  fc = l_y_ = None
        relu: "f32[2, 4]" = torch.nn.functional.relu(add, inplace = False)
        size = relu.size(dim = 0)
        neg = -relu
        first = relu[(slice(None, None, None), 0)]
        shape = relu.shape
        cond = torch.ops.higher_order.cond(first, cond_true_0, [neg])
        return (relu, neg)

    class cond_true_0(torch.nn.Module):
        def forward(self, arg0_1):
            # No stacktrace found for following nodes
            sin = arg0_1.sin();  arg0_1 = None
            return (sin,)

        class wrap_body_0(torch.nn.Module):
            def forward(self, arg0_1):
                cos = arg0_1.cos()
                return (cos,)

    class cond_false_0(torch.nn.Module):
        def forward(self, arg0_1):
            return (arg0_1,)
)";

std::string line_of(const Graph& graph, const Node& node) {
  std::vector<std::string> inputs;
  for (const std::uint32_t input : node.inputs) inputs.push_back(graph.nodes[input].name);
  return fmt::format("{} {} {}({}) <- {}", op_name(node.op), node.name, node.target, node.arguments,
                     fmt::join(inputs, " "));
}

TEST(GraphCode, GivesNodesWithWhatTheyTake) {
  FileTable files;
  const std::vector<Graph> graphs = read_graph_code(kCode, "dynamo_output_graph", files);
  ASSERT_EQ(graphs.size(), 4U);
  std::vector<std::string> lines;
  for (const Node& node : graphs[0].nodes) lines.push_back(line_of(graphs[0], node));
  EXPECT_THAT(
      lines, ElementsAre("placeholder l_x_ L_x_() <- ", "placeholder l_y_ L_y_() <- ",
                         "call_module fc L__self___fc(l_x_) <- l_x_", "get_attr weight L__self___fc_weight() <- ",
                         "call_function add operator.add(fc, l_y_) <- fc l_y_",
                         "call_function relu torch.nn.functional.relu(add, inplace = False) <- add",
                         "call_method size size(relu, dim = 0) <- relu", "call_function neg operator.neg(relu) <- relu",
                         "call_function first operator.getitem(relu, (slice(None, None, None), 0)) <- relu",
                         "call_function shape getattr(relu, 'shape') <- relu",
                         "call_function cond torch.ops.higher_order.cond(first, cond_true_0, [neg]) <- first neg",
                         "output output output(relu, neg) <- relu neg"));
  EXPECT_EQ(graphs[0].nodes[1].example, "f32[2, 4][4, 1]cpu");
  EXPECT_EQ(graphs[0].nodes[4].place.line, 12U);
  EXPECT_EQ(graphs[0].nodes[4].code, "return F.relu(self.fc(x) + y)");
  EXPECT_EQ(graphs[1].stage, "dynamo_output_graph cond_true_0");
  EXPECT_EQ(graphs[2].stage, "dynamo_output_graph cond_true_0 wrap_body_0") << "it stands inside of that";
  EXPECT_EQ(graphs[3].stage, "dynamo_output_graph cond_false_0");
  ASSERT_EQ(graphs[1].nodes.size(), 3U);
  EXPECT_EQ(graphs[1].nodes[1].place.line, 0U);
  const std::vector<File> known = files.take();
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0].name, "/a/model.py");
  EXPECT_THAT(known[0].numbers, ElementsAre(12));
  EXPECT_EQ(known[0].text, "return F.relu(self.fc(x) + y)");
}

TEST(GraphCode, ReadsAnyBeginningOfACode) {
  const std::string_view whole = kCode;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    FileTable files;
    for (const Graph& graph : read_graph_code(whole.substr(0, length), "g", files)) {
      for (std::uint32_t at = 0; at < graph.nodes.size(); ++at) {
        for (const std::uint32_t input : graph.nodes[at].inputs) ASSERT_LT(input, at);
      }
    }
  }
}

TEST(GraphCode, LeavesOutWhatIsTooMuchAndSaysHowMuch) {
  std::string code = "def forward(self, x):\n";
  for (std::size_t i = 0; i < kMostNodes + 10; ++i) code += fmt::format("    n{} = x.sin()\n", i);
  FileTable files;
  const std::vector<Graph> graphs = read_graph_code(code, "g", files);
  ASSERT_EQ(graphs.size(), 1U);
  EXPECT_EQ(graphs[0].nodes.size(), kMostNodes);
  EXPECT_EQ(graphs[0].left_out, 11U);
}

}  // namespace
}  // namespace nns::capture
