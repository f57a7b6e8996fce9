// Graphs laid out: layers, groups, what repeats is folded, twenty thousand nodes in slices.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/live/message.h"
#include "ui/model/graph_drawing.h"

namespace nns::tests {
namespace {

using live::wire::NodeOp;
using model::GraphDrawing;

struct TestNode {
  NodeOp op = NodeOp::CallFunction;
  std::string name;
  std::vector<std::uint32_t> inputs;
  std::uint32_t stack = UINT32_MAX;
  std::string arguments = {};
  std::uint32_t body = UINT32_MAX;
};
struct TestStack {
  std::uint32_t parent = UINT32_MAX;
  std::string name;
  std::string class_name;
};

/// A message with one graph.
class TestGraph {
 public:
  TestGraph(const std::vector<TestNode>& nodes, const std::vector<TestStack>& stacks) {
    namespace wire = live::wire;
    std::vector<std::uint8_t> ops;
    std::vector<flatbuffers::Offset<flatbuffers::String>> names, targets, arguments, texts;
    std::vector<std::uint32_t> none, zero, stack, begin, inputs, body;
    for (const TestNode& node : nodes) {
      ops.push_back(static_cast<std::uint8_t>(node.op));
      names.push_back(builder_.CreateString(node.name));
      targets.push_back(builder_.CreateSharedString("torch.relu"));
      arguments.push_back(builder_.CreateSharedString(node.arguments));
      texts.push_back(builder_.CreateSharedString(""));
      none.push_back(UINT32_MAX);
      zero.push_back(0);
      stack.push_back(node.stack);
      body.push_back(node.body);
      begin.push_back(static_cast<std::uint32_t>(inputs.size()));
      inputs.insert(inputs.end(), node.inputs.begin(), node.inputs.end());
    }
    begin.push_back(static_cast<std::uint32_t>(inputs.size()));
    std::vector<flatbuffers::Offset<wire::CaptureStack>> entries;
    for (const TestStack& one : stacks) {
      const auto name = builder_.CreateString(one.name);
      entries.push_back(wire::CreateCaptureStack(builder_, one.parent, name, builder_.CreateString(one.class_name)));
    }
    builder_.Finish(wire::CreateCaptureGraphDirect(builder_, "g", &ops, &names, &targets, &arguments, &texts, &none,
                                                   &zero, &texts, &stack, &begin, &inputs, &entries, 0, &body));
  }
  const live::wire::CaptureGraph* get() const {
    return flatbuffers::GetRoot<live::wire::CaptureGraph>(builder_.GetBufferPointer());
  }

 private:
  flatbuffers::FlatBufferBuilder builder_;
};

bool never() { return false; }

const GraphDrawing::Box& box(const GraphDrawing& drawing, std::uint32_t node) {
  return drawing.boxes()[drawing.box_of(node)];
}

TEST(GraphDrawing, PutsEachNodeBelowWhatItTakes) {
  const TestGraph graph({{NodeOp::Placeholder, "x", {}},
                         {NodeOp::CallFunction, "a", {0}},
                         {NodeOp::CallFunction, "b", {1}},
                         {NodeOp::CallFunction, "c", {1}},
                         {NodeOp::CallFunction, "d", {2, 3, 0}},
                         {NodeOp::Output, "output", {4}}},
                        {});
  GraphDrawing drawing;
  drawing.show(graph.get());
  EXPECT_FALSE(drawing.is_done());
  ASSERT_TRUE(drawing.step(never));
  ASSERT_EQ(drawing.boxes().size(), 6U);
  for (const GraphDrawing::Edge& edge : drawing.edges()) {
    const auto& from = drawing.boxes()[edge.from];
    const auto& to = drawing.boxes()[edge.to];
    EXPECT_GT(to.y, from.y + from.height) << edge.from << " " << edge.to;
  }
  EXPECT_EQ(drawing.edges().size(), 7U);
  // Beside each other, and not over each other.
  EXPECT_EQ(box(drawing, 2).y, box(drawing, 3).y);
  EXPECT_GE(std::abs(box(drawing, 2).x - box(drawing, 3).x), box(drawing, 2).width);
  // The edge over three layers keeps clear of what lies between.
  bool has_bends = false;
  for (const GraphDrawing::Edge& edge : drawing.edges())
    has_bends = has_bends || edge.points_end - edge.points_begin == 2;
  EXPECT_TRUE(has_bends);
}

// What a module has itself is no box where one node alone takes it: by the path of Python, or by a signature.
TEST(GraphDrawing, WeightsLieInWhatTakesThem) {
  const TestGraph graph({{NodeOp::Placeholder, "w", {}, UINT32_MAX, "parameter up.weight"},
                         {NodeOp::Placeholder, "b", {}, UINT32_MAX, "L['self']._buffers['b']"},
                         {NodeOp::Placeholder, "shared", {}, UINT32_MAX, "buffer scale (not persistent)"},
                         {NodeOp::Placeholder, "x", {}, UINT32_MAX, "user input"},
                         {NodeOp::CallFunction, "linear", {0, 1, 2, 3}},
                         {NodeOp::CallFunction, "mul", {2, 4}},
                         {NodeOp::Output, "output", {5}}},
                        {});
  GraphDrawing drawing;
  drawing.show(graph.get());
  ASSERT_TRUE(drawing.step(never));
  EXPECT_EQ(drawing.boxes().size(), 5U);
  EXPECT_EQ(drawing.edges().size(), 5U);
  for (const std::uint32_t shown : {2U, 3U, 4U, 5U, 6U}) EXPECT_LT(drawing.box_of(shown), 5U) << shown;
}

TEST(GraphDrawing, AGraphThatIsRunIsABoxOfItsOwn) {
  const TestGraph graph({{NodeOp::Placeholder, "x", {}},
                         {NodeOp::GetAttr, "weight", {}},
                         {NodeOp::GetAttr, "cond_true_0", {}, UINT32_MAX, {}, 1},
                         {NodeOp::CallFunction, "cond", {0, 1, 2}},
                         {NodeOp::Output, "output", {3}}},
                        {});
  GraphDrawing drawing;
  drawing.show(graph.get());
  ASSERT_TRUE(drawing.step(never));
  EXPECT_TRUE(drawing.is_body(2));
  EXPECT_FALSE(drawing.is_body(1));
  EXPECT_EQ(drawing.box_of(1), drawing.box_of(3)) << "the weight lies in what takes it";
  EXPECT_NE(drawing.box_of(2), drawing.box_of(3));
  EXPECT_LT(drawing.boxes()[drawing.box_of(2)].y, drawing.boxes()[drawing.box_of(3)].y);
}

// blocks.0, blocks.1, blocks.2, each of three nodes with a weight of its own.
std::pair<std::vector<TestNode>, std::vector<TestStack>> blocks(std::uint32_t count) {
  std::vector<TestNode> nodes = {{NodeOp::Placeholder, "x", {}}};
  std::vector<TestStack> stacks = {{UINT32_MAX, "L['self']", "Net"}};
  for (std::uint32_t i = 0; i < count; ++i) {
    nodes.push_back({NodeOp::Placeholder,
                     fmt::format("w{}", i),
                     {},
                     UINT32_MAX,
                     fmt::format("L['self']._modules['{}']._parameters['weight']", i)});
  }
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto stack = static_cast<std::uint32_t>(stacks.size());
    stacks.push_back({0, fmt::format("L['self']._modules['{}']", i), "Block"});
    for (int k = 0; k < 3; ++k) {
      nodes.push_back({NodeOp::CallFunction, fmt::format("n{}_{}", i, k), {last}, stack});
      if (k == 0) nodes.back().inputs.push_back(1 + i);
      last = static_cast<std::uint32_t>(nodes.size() - 1);
    }
  }
  nodes.push_back({NodeOp::Output, "output", {last}});
  return {nodes, stacks};
}

TEST(GraphDrawing, GroupsByModuleAndFoldsWhatRepeats) {
  const auto [nodes, stacks] = blocks(3);
  const TestGraph graph(nodes, stacks);
  GraphDrawing drawing;
  drawing.show(graph.get());
  ASSERT_TRUE(drawing.step(never));
  // x, the first block and its nodes, two folded blocks, the output; weights are their nodes'.
  ASSERT_EQ(drawing.boxes().size(), 1U + 1 + 3 + 2 + 1);
  const std::uint32_t first = 4;  // behind x and the weights
  EXPECT_EQ(drawing.box_of(1), drawing.box_of(first));
  const auto& outer = drawing.boxes()[box(drawing, first).parent];
  EXPECT_TRUE(outer.is_open);
  EXPECT_LE(outer.x, box(drawing, first).x);
  EXPECT_GE(outer.y + outer.height, box(drawing, first).y + box(drawing, first).height);
  const auto& second = box(drawing, first + 3);
  EXPECT_TRUE(second.repeats);
  EXPECT_FALSE(second.is_open);
  EXPECT_EQ(second.nodes, 3U);
  // Opened, its nodes are drawn; folded again, it is as before.
  drawing.fold(second.group);
  ASSERT_TRUE(drawing.step(never));
  EXPECT_EQ(drawing.boxes().size(), 11U);
  EXPECT_NE(drawing.box_of(first + 3), drawing.box_of(first + 4));
  drawing.set_all_open(false);
  ASSERT_TRUE(drawing.step(never));
  EXPECT_EQ(drawing.boxes().size(), 5U);
  drawing.reveal(first + 7);
  ASSERT_TRUE(drawing.step(never));
  EXPECT_EQ(drawing.boxes().size(), 8U);
}

TEST(GraphDrawing, TwentyThousandNodesTakeLessThanASecondInSlices) {
  for (const bool has_groups : {true, false}) {
    auto [nodes, stacks] = blocks(6666);
    // Without modules nothing folds: all of them are laid out.
    if (!has_groups) {
      for (TestNode& node : nodes) node.stack = UINT32_MAX;
    }
    // A side way around every tenth node.
    for (std::size_t i = 7000; i + 10 < nodes.size(); i += 10) {
      nodes[i + 5].inputs.push_back(static_cast<std::uint32_t>(i));
    }
    const TestGraph graph(nodes, stacks);
    GraphDrawing drawing;
    const auto begin = std::chrono::steady_clock::now();
    drawing.show(graph.get());
    int slices = 1;
    while (!drawing.step([] { return true; })) ++slices;
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_GT(slices, 10);
    EXPECT_GT(drawing.boxes().size(), has_groups ? 3U : 19'000U);
    RecordProperty(has_groups ? "grouped_ms" : "flat_ms",
                   static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));
  }
}

TEST(GraphDrawing, IsEmptyWithoutAGraph) {
  GraphDrawing drawing;
  EXPECT_TRUE(drawing.step(never));
  drawing.show(nullptr);
  EXPECT_TRUE(drawing.is_done());
  const TestGraph empty({}, {});
  drawing.show(empty.get());
  EXPECT_TRUE(drawing.step(never));
  EXPECT_EQ(drawing.boxes().size(), 0U);
}

}  // namespace
}  // namespace nns::tests
