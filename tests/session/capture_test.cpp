// What the compiler makes of a program, told: frames with graphs, guards, breaks, recompilations, modules.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/session/link.h"
#include "tests/support/make_torch_zip.h"

namespace nns::tests {
namespace {

using live::wire::JobState;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kCaptured = R"(import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.up(x))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block()
        self.second = Block()

    def forward(self, x):
        x = self.first(x)
        print("cut")
        return self.second(x)

net = Net()
out = torch.compile(net)(torch.ones(2, 4))
)";

struct CaptureTest : ::testing::Test {
  Link link{session::all_abilities()};

  void open(const char* text) {
    const std::uint64_t request = link.open("net.py", text);
    link.run();
    ASSERT_EQ(link.state(request), JobState::Finished);
  }
  std::uint32_t document() const { return link.mirror.documents().at(0)->id(); }
  std::uint64_t ask(const live::CaptureRequest& asked) {
    const std::uint64_t request = ++link.requests;
    link.viewer->send(live::capture_program(request, document(), asked));
    return request;
  }
  const live::wire::Capture& told() const { return *link.mirror.capture(document()); }
  const live::wire::CaptureFrame& frame(std::uint32_t index) const { return *told().frames()->Get(index); }
  std::string console() const {
    std::string all;
    for (const auto& piece : link.mirror.console(document())->pieces()) all += piece.text;
    return all;
  }
  /// "relu torch.relu(%linear) line 10".
  static std::string node(const live::wire::CaptureGraph& graph, std::uint32_t at) {
    return fmt::format("{} {}({}) line {}", graph.name()->Get(at)->str(), graph.target()->Get(at)->str(),
                       graph.arguments()->Get(at)->str(), graph.line()->Get(at));
  }
};

TEST_F(CaptureTest, RunsTheProgramAnewAndTellsItsFrames) {
  open(kCaptured);
  const std::uint64_t request = ask({});
  link.run();
  ASSERT_EQ(link.state(request), JobState::Finished);
  EXPECT_EQ(told().error()->str(), "");
  ASSERT_EQ(told().frames()->size(), 2U);
  EXPECT_EQ(frame(0).compile_id()->str(), "0/0");
  EXPECT_EQ(frame(0).name()->str(), "forward");
  EXPECT_EQ(frame(0).outcome()->str(), "compiled");
  EXPECT_EQ(frame(1).name()->str(), "torch_dynamo_resume_in_forward_at_20");
  EXPECT_EQ(told().files()->Get(frame(0).file())->name()->str(), "net.py");
  EXPECT_EQ(told().files()->Get(0)->text()->str(), kCaptured);
  EXPECT_EQ(frame(0).timings()->size(), 1U);

  ASSERT_EQ(frame(0).graphs()->size(), 1U);
  const live::wire::CaptureGraph& graph = *frame(0).graphs()->Get(0);
  const std::uint32_t relu = graph.op()->size() - 2;
  EXPECT_EQ(node(graph, relu), "x torch.relu(%linear) line 10");
  EXPECT_EQ(graph.example()->Get(relu)->str(), "f32[2, 4]");
  EXPECT_EQ(graph.code()->Get(relu)->str(), "return torch.relu(self.up(x))");
  // What it takes is the node before it; the module around it is the block.
  ASSERT_EQ(graph.inputs_begin()->Get(relu + 1) - graph.inputs_begin()->Get(relu), 1U);
  EXPECT_EQ(graph.inputs()->Get(graph.inputs_begin()->Get(relu)), relu - 1);
  EXPECT_EQ(graph.stacks()->Get(graph.stack()->Get(relu))->class_name()->str(), "Block");
  EXPECT_EQ(graph.stacks()->Get(graph.stack()->Get(relu - 1))->class_name()->str(), "Linear");

  ASSERT_EQ(frame(0).breaks()->size(), 1U);
  const live::wire::CaptureBreak& cut = *frame(0).breaks()->Get(0);
  EXPECT_EQ(cut.action(), live::wire::BreakAction::Split);
  EXPECT_EQ(cut.code()->str(), "print(\"cut\")");
  EXPECT_THAT(cut.hints()->size(), testing::Gt(0U));
  ASSERT_EQ(cut.stack()->size(), 1U);
  EXPECT_EQ(cut.stack()->Get(0)->line(), 20U);
  EXPECT_EQ(told().files()->Get(cut.stack()->Get(0)->file())->name()->str(), "net.py");

  bool has_tensor_match = false;
  for (const live::wire::CaptureGuard* guard : *frame(0).guards()) {
    if (guard->kind()->str() != "TENSOR_MATCH" || guard->of()->str() != "L['x']") continue;
    has_tensor_match = true;
    EXPECT_EQ(guard->line(), 10U) << "where it is looked at first";
  }
  EXPECT_TRUE(has_tensor_match);
  std::vector<std::string> modules;
  for (const live::wire::CaptureModule* one : *frame(0).modules()) {
    modules.push_back(fmt::format("{} {} {}", one->variable()->str(), one->of()->str(), one->class_name()->str()));
  }
  EXPECT_THAT(modules, testing::Contains("UnspecializedNNModuleVariable L['self'] Net"));
  EXPECT_THAT(modules, testing::Contains(
                           "UnspecializedBuiltinNNModuleVariable L['self']._modules['first']._modules['up'] Linear"));
}

TEST_F(CaptureTest, GraphsOfAHigherOrderOperatorStandBehindTheOneThatRunsThem) {
  open(R"(import torch
from torch.utils.checkpoint import checkpoint

def inner(x):
    return x.sin()

def positive(x):
    return checkpoint(inner, x, use_reentrant=False).cos()

def negative(x):
    return x.tan()

def choose(x):
    return torch.cond(x.sum() > 0, positive, negative, (x,))

torch.compile(choose)(torch.ones(3))
)");
  const std::uint64_t request = ask({});
  link.run();
  ASSERT_EQ(link.state(request), JobState::Finished);
  ASSERT_EQ(told().frames()->size(), 1U) << told().error()->str();
  const auto& graphs = *frame(0).graphs();
  std::vector<std::string> stages;
  for (const live::wire::CaptureGraph* graph : graphs) stages.push_back(graph->stage()->str());
  EXPECT_THAT(stages,
              testing::ElementsAre("dynamo_output_graph", "dynamo_output_graph cond_true_0",
                                   "dynamo_output_graph cond_true_0 wrap_body_0", "dynamo_output_graph cond_false_0"));
  // Which node stands for which graph.
  std::vector<std::string> bodies;
  for (std::uint32_t at = 0; at < graphs.size(); ++at) {
    const live::wire::CaptureGraph& graph = *graphs.Get(at);
    for (std::uint32_t n = 0; n < graph.body()->size(); ++n) {
      if (graph.body()->Get(n) == UINT32_MAX) continue;
      bodies.push_back(fmt::format("{} {} {}", at, graph.name()->Get(n)->str(), graph.body()->Get(n)));
    }
  }
  EXPECT_THAT(bodies, testing::ElementsAre("0 cond_true_0 1", "0 cond_false_0 3", "1 wrap_body_0 2"));
  const live::wire::CaptureGraph& innermost = *graphs.Get(2);
  EXPECT_EQ(node(innermost, 1), "sin sin(%l_x_) line 5");
}

TEST_F(CaptureTest, CallsAgainWithOtherInputsAndTellsWhichGuardFailed) {
  open(kCaptured);
  ask({.call = "net.first", .inputs = {"2,4"}});
  link.run();
  ASSERT_EQ(link.state(link.requests), JobState::Finished);
  const std::uint32_t before = told().frames()->size();
  EXPECT_LT(told().first_new(), before);
  EXPECT_EQ(told().call()->str(), "net.first");
  // The same again: all guards hold, and nothing is compiled.
  ask({.call = "net.first", .inputs = {"2,4"}});
  link.run();
  EXPECT_EQ(told().frames()->size(), before);
  EXPECT_EQ(told().first_new(), before);
  ask({.call = "net.first", .inputs = {"3,4"}});
  link.run();
  ASSERT_EQ(told().frames()->size(), before + 1);
  const live::wire::CaptureFrame& again = frame(before);
  ASSERT_EQ(again.reasons()->size(), 1U);
  EXPECT_THAT(again.reasons()->Get(0)->guard()->str(), HasSubstr("size mismatch at index 0. expected 2, actual 3"));
  EXPECT_EQ(again.reasons()->Get(0)->of()->str(), frame(before - 1).compile_id()->str());
}

TEST_F(CaptureTest, FollowsModulesOneInstanceAtATimeIfAsked) {
  open(kCaptured);
  ask({.by_instance = true});
  link.run();
  ASSERT_EQ(link.state(link.requests), JobState::Finished);
  const live::wire::CaptureGraph& graph = *frame(0).graphs()->Get(0);
  EXPECT_EQ(graph.op()->Get(1), static_cast<std::uint8_t>(live::wire::NodeOp::CallModule));
  std::vector<std::string> variables;
  for (const live::wire::CaptureModule* one : *frame(0).modules()) variables.push_back(one->variable()->str());
  EXPECT_THAT(variables, testing::Contains("NNModuleVariable"));
}

TEST_F(CaptureTest, ProgramsCompileWhereTheyAreOpened) {
  open(kCaptured);
  EXPECT_EQ(console(), "cut\n");
  EXPECT_EQ(link.mirror.capture(document()), nullptr);
}

TEST_F(CaptureTest, TellsWhatWasCompiledBeforeAnExceptionAndTheException) {
  open(kCaptured);
  const std::string text = std::string(kCaptured) + "raise ValueError('over')\n";
  const std::uint64_t request = ask({.text = &text});
  link.run();
  ASSERT_EQ(link.state(request), JobState::Finished);
  EXPECT_EQ(told().frames()->size(), 2U);
  EXPECT_EQ(told().error()->str(), "ValueError: over");
  ask({.call = "missing", .inputs = {"2,4"}});
  link.run();
  EXPECT_EQ(told().error()->str(), "NameError: name 'missing' is not defined");
}

TEST_F(CaptureTest, IsCancelledInMidWork) {
  open(kCaptured);
  const std::string text = "while True: pass\n";
  const std::uint64_t request = ask({.text = &text});
  link.run_for(std::chrono::milliseconds(20));
  EXPECT_EQ(link.state(request), JobState::Running);
  link.viewer->send(live::cancel(request));
  link.run();
  EXPECT_EQ(link.state(request), JobState::Cancelled);
  EXPECT_EQ(link.mirror.capture(document()), nullptr);
  ask({.call = "1", .inputs = {}});
  link.run();
  EXPECT_NE(told().error()->str(), "");
}

TEST(CaptureLogDocument, IsToldWithWhatTheLogSays) {
  Link link{session::all_abilities()};
  const std::string head = "V0403 07:28:48.051000 139 torch/_dynamo/x.py:19] ";
  const std::string of = ", \"frame_id\": 0, \"frame_compile_id\": 1}\n";
  const std::uint64_t request = link.open(
      "trace.log", head + "{\"dynamo_output_graph\": {}" + of +
                       "\tdef forward(self, x):\n\t    y = x.cos()\n\t    return (y,)\n" + head +
                       "{\"compilation_metrics\": {\"co_name\": \"f\", \"entire_frame_compile_time_s\": 0.5}" + of);
  link.run();
  ASSERT_EQ(link.state(request), JobState::Finished);
  ASSERT_EQ(link.mirror.documents().size(), 1U);
  const live::DocumentView& document = *link.mirror.documents()[0];
  const std::uint32_t id = document.id();
  EXPECT_EQ(document.get().kind(), live::wire::DocumentKind::Capture);
  EXPECT_EQ(document.get().format()->str(), "TORCH_TRACE log");
  EXPECT_EQ(document.get().metadata()->Get(1)->key()->str(), "records.dynamo_output_graph");
  EXPECT_EQ(document.name(1), "[0/1] f");
  EXPECT_EQ(document.name(2), "dynamo_output_graph");
  const live::wire::Capture* const told = link.mirror.capture(id);
  ASSERT_NE(told, nullptr);
  EXPECT_TRUE(told->is_log());
  ASSERT_EQ(told->frames()->size(), 1U);
  EXPECT_EQ(told->frames()->Get(0)->graphs()->Get(0)->op()->size(), 3U);
  // What is no such log is refused with the place.
  const std::uint64_t other = link.open("other.log", "hello\n");
  link.run();
  ASSERT_EQ(link.state(other), JobState::Failed);
  EXPECT_THAT(link.mirror.jobs().at(other).error->message(), HasSubstr("byte 0: no record of TORCH_TRACE"));
  link.viewer->send(live::close_document(id));
  link.run();
  EXPECT_EQ(link.mirror.capture(id), nullptr);
}

constexpr const char* kExports = R"(import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.up(x))

batch = torch.export.Dim("batch")
program = torch.export.export(Net(), (torch.ones(2, 4),), dynamic_shapes=({0: batch},))
compiled = torch.compile(Net())(torch.ones(2, 4))
)";

TEST_F(CaptureTest, WhatTheProgramExportsStandsBehindItsFrames) {
  open(kExports);
  ask({});
  link.run();
  EXPECT_EQ(told().error()->str(), "");
  ASSERT_EQ(told().frames()->size(), 2U);
  EXPECT_EQ(frame(0).name()->str(), "forward");
  EXPECT_EQ(frame(1).name()->str(), "exported program");
  EXPECT_EQ(frame(1).outcome()->str(), "exported");
  const live::wire::CaptureGraph& graph = *frame(1).graphs()->Get(0);
  EXPECT_EQ(node(graph, 3), "linear torch.ops.aten.linear.default(x, p_up_weight, p_up_bias) line 10");
  EXPECT_EQ(node(graph, 4), "relu torch.ops.aten.relu.default(linear) line 10");
  // The file is that of the compiled frame, whole.
  EXPECT_EQ(graph.file()->Get(3), frame(0).file());
  EXPECT_EQ(told().files()->Get(graph.file()->Get(3))->text()->str(), kExports);
  EXPECT_THAT(frame(1).guards()->Get(0)->text()->str(), HasSubstr("VR["));
}

std::string small_package() {
  return zip_of(
      {{"net/archive_format", "pt2"},
       {"net/models/model.json",
        R"({"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [{"as_tensor": {"name": "cos"}}], "nodes": [{"target": "torch.ops.aten.cos.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}], "outputs": [{"as_tensor": {"name": "cos"}}], "metadata": {}}], "tensor_values": {}}}, "schema_version": {"major": 8, "minor": 1}})"}});
}

TEST(CapturePackage, ItsProgramsAreToldBesideItsWeights) {
  Link link{session::all_abilities()};
  const std::string bytes = small_package();
  const std::uint64_t opened = link.open("net.pt2", bytes);
  link.run();
  ASSERT_EQ(link.state(opened), JobState::Finished);
  const std::uint32_t id = link.mirror.documents().at(0)->id();
  EXPECT_EQ(link.mirror.documents().at(0)->get().kind(), live::wire::DocumentKind::Checkpoint);
  const std::uint64_t request = ++link.requests;
  link.viewer->send(live::read_package(request, id, link.sources->add("net.pt2", bytes), "net.pt2", ""));
  link.run();
  ASSERT_EQ(link.state(request), JobState::Finished);
  const live::wire::Capture* const told = link.mirror.capture(id);
  ASSERT_NE(told, nullptr);
  EXPECT_FALSE(told->is_log());
  ASSERT_EQ(told->frames()->size(), 1U);
  EXPECT_EQ(told->frames()->Get(0)->graphs()->Get(0)->op()->size(), 3U);
  link.viewer->send(live::close_document(id));
  link.run();
  EXPECT_EQ(link.mirror.capture(id), nullptr);
}

TEST(CapturePackage, WhatIsNoneFailsAndAHostWithoutTheAbilitySaysSo) {
  Link link{session::all_abilities()};
  const std::uint64_t request = ++link.requests;
  link.viewer->send(live::read_package(request, 7, link.sources->add("no.pt2", "hello"), "no.pt2", ""));
  link.run();
  ASSERT_EQ(link.state(request), JobState::Failed);
  EXPECT_THAT(link.mirror.jobs().at(request).error->message(), HasSubstr("no.pt2"));
  Link small;
  const std::uint64_t asked = ++small.requests;
  small.viewer->send(live::read_package(asked, 7, small.sources->add("net.pt2", small_package()), "net.pt2", ""));
  small.run();
  ASSERT_EQ(small.state(asked), JobState::Failed);
  EXPECT_THAT(small.mirror.jobs().at(asked).error->message(), HasSubstr("torch.export are not read here"));
}

}  // namespace
}  // namespace nns::tests
