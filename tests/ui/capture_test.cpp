// What a compiler makes of a program, by keyboard alone: frames, the graph, its source, guards, and inputs that change.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/ui/look.h"
#include "tests/ui/null_host.h"

namespace nns::tests {
namespace {

using host::AccessNode;
using host::Role;

constexpr std::string_view kCapturedNet =
    "import torch\n"
    "from torch import nn\n"
    "class Block(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.up = nn.Linear(4, 4)\n"
    "    def forward(self, x):\n"
    "        return torch.relu(self.up(x))\n"
    "class Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.first = Block()\n"
    "        self.second = Block()\n"
    "    def forward(self, x):\n"
    "        x = self.first(x)\n"
    "        print('cut')\n"
    "        return self.second(x)\n"
    "net = Net()\n";

class CapturePanel : public ::testing::TestWithParam<Look> {
 public:
  Explorer explorer{{}, GetParam().width, GetParam().height};

  void open(std::string_view text) {
    explorer.app().force_theme(GetParam().theme);
    explorer.drop("net.py", base::make_memory_source("net.py", to_bytes(text)));
    ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
    explorer.press(ImGuiKey_G, ImGuiMod_Alt);
    explorer.frames(4);
    ASSERT_NE(explorer.focused(), nullptr) << explorer.screen_text();
    ASSERT_EQ(explorer.focused()->name, "Module or function to compile") << explorer.screen_text();
  }
  void fill(std::string_view field, std::string_view text) {
    ASSERT_TRUE(explorer.tab_to(Role::Textbox, field)) << explorer.screen_text();
    explorer.press(ImGuiKey_A, ImGuiMod_Ctrl);
    explorer.type(text);
  }
  void capture() {
    explorer.press(ImGuiKey_Enter);
    ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  }
  /// By the arrow keys of the tabs, from the first one on: the chosen one alone is a stop of Tab.
  void show(std::string_view part) {
    const auto is_in_tabs = [&] {
      const AccessNode* const node = explorer.focused();
      return node != nullptr && node->role == Role::Tab && node->parent < explorer.controls().size() &&
             explorer.controls()[node->parent].name == "Parts of the capture";
    };
    for (int tab = 0; tab < 60 && !is_in_tabs(); ++tab) {
      explorer.press(ImGuiKey_Tab);
      explorer.frames(2);
    }
    ASSERT_TRUE(is_in_tabs()) << explorer.screen_text();
    for (int step = 0; step < 6 && explorer.focused()->name.find("Frames") != 0; ++step) {
      explorer.press(ImGuiKey_LeftArrow);
      explorer.frames(3);
    }
    for (int step = 0; step < 6 && explorer.focused()->name.find(part) != 0; ++step) {
      explorer.press(ImGuiKey_RightArrow);
      explorer.frames(3);
    }
    ASSERT_EQ(explorer.focused()->name.find(part), 0U) << explorer.screen_text();
    ASSERT_TRUE(explorer.settle());
  }
  /// With the arrow keys, from the first line of the list on.
  bool walk_to(std::string_view list, std::string_view words) {
    const auto is_in_list = [&] {
      const AccessNode* const node = explorer.focused();
      return node != nullptr && node->role == Role::ListItem && node->parent < explorer.controls().size() &&
             explorer.controls()[node->parent].name == list;
    };
    for (int tab = 0; tab < 60 && !is_in_list(); ++tab) {
      explorer.press(ImGuiKey_Tab);
      explorer.frames(2);
    }
    if (!is_in_list()) return false;
    explorer.press(ImGuiKey_Home);
    explorer.frames(2);
    for (int step = 0; step < 60; ++step) {
      if (explorer.focused() != nullptr && explorer.focused()->name.find(words) != std::string::npos) return true;
      explorer.press(ImGuiKey_DownArrow);
      explorer.frames(2);
    }
    return false;
  }
  bool says(std::string_view words) { return explorer.find(Role::Status, words) != nullptr; }
};

TEST_P(CapturePanel, CapturesTheModuleThatItFindsAndShowsEveryPart) {
  open(kCapturedNet);
  capture();
  EXPECT_TRUE(says("1 of 2: [0/0] forward")) << explorer.screen_text();
  EXPECT_TRUE(says("1 break")) << explorer.screen_text();
  // The break, with its reason and its hints, leads to its line.
  ASSERT_TRUE(walk_to("Frames", "net.py:16, the frame is split: Failed to trace builtin operator"))
      << explorer.screen_text();
  ASSERT_TRUE(walk_to("Frames", "Hint: ")) << explorer.screen_text();
  // The next frame is the rest of the function.
  explorer.type(".");
  explorer.frames(3);
  EXPECT_TRUE(says("2 of 2: [1/0] torch_dynamo_resume_in_forward_at_16")) << explorer.screen_text();
  explorer.type(",");
  explorer.frames(3);
  EXPECT_TRUE(says("1 of 2")) << explorer.screen_text();
  // A node of the list leads to the module in the tree.
  show("Nodes");
  ASSERT_TRUE(walk_to("Nodes", "linear, torch._C._nn.linear")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(null_host().link.find("select=net.first.up"), std::string::npos) << null_host().link;
}

TEST_P(CapturePanel, TheGraphIsWalkedAndFolded) {
  open(kCapturedNet);
  capture();
  show("Graph");
  ASSERT_TRUE(explorer.tab_to(Role::Img, "Graph of 6 nodes")) << explorer.screen_text();
  explorer.press(ImGuiKey_Home);
  explorer.frames(4);
  EXPECT_NE(explorer.focused()->value.find("l_x_: placeholder"), std::string::npos) << explorer.focused()->value;
  explorer.press(ImGuiKey_DownArrow);
  explorer.frames(4);
  EXPECT_NE(explorer.focused()->value.find("torch._C._nn.linear"), std::string::npos) << explorer.focused()->value;
  EXPECT_NE(explorer.focused()->value.find("f32[1, 4]"), std::string::npos) << explorer.focused()->value;
  EXPECT_NE(explorer.focused()->value.find("net.py:8"), std::string::npos) << explorer.focused()->value;
  explorer.press(ImGuiKey_DownArrow);
  explorer.frames(4);
  EXPECT_NE(explorer.focused()->value.find("torch.relu"), std::string::npos) << explorer.focused()->value;
  explorer.press(ImGuiKey_UpArrow);
  explorer.frames(4);
  EXPECT_NE(explorer.focused()->value.find("torch._C._nn.linear"), std::string::npos) << explorer.focused()->value;
  for (const char* key : {"+", "-", "f", "0", "*", "g"}) {
    explorer.type(key);
    ASSERT_TRUE(explorer.settle()) << key;
  }
  explorer.press(ImGuiKey_Space);
  explorer.frames(3);
  EXPECT_NE(explorer.find(Role::Img, "Graph of 6 nodes"), nullptr) << explorer.screen_text();
}

TEST_P(CapturePanel, AGraphInsideOfAnotherIsOpenedAndLeft) {
  open(
      "import torch\n"
      "class Net(torch.nn.Module):\n"
      "    def forward(self, x):\n"
      "        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos().tan(), (x,))\n"
      "net = Net()\n");
  fill("Inputs", "1,4");
  capture();
  ASSERT_TRUE(says("1 of 1: [0/0] forward")) << explorer.screen_text();
  show("Graph");
  ASSERT_TRUE(explorer.tab_to(Role::Img, "Graph of 8 nodes")) << explorer.screen_text();
  const auto walk = [&](std::string_view words) {
    explorer.press(ImGuiKey_Home);
    explorer.frames(4);
    for (int step = 0; step < 8 && explorer.focused()->value.find(words) == std::string::npos; ++step) {
      explorer.press(ImGuiKey_RightArrow);
      explorer.frames(4);
    }
    return explorer.focused()->value.find(words) != std::string::npos;
  };
  ASSERT_TRUE(walk("cond_false_0: get_attr cond_false_0 \u00B7 a graph of 4 nodes")) << explorer.focused()->value;
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Text, "dynamo_output_graph \u203A cond_false_0 (3 of 3)"), nullptr)
      << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Img, "Graph of 4 nodes")) << explorer.screen_text();
  ASSERT_TRUE(walk("tan: call_method tan")) << explorer.focused()->value;
  // Back, to the node that stands for it.
  explorer.press(ImGuiKey_UpArrow, ImGuiMod_Alt);
  ASSERT_TRUE(explorer.settle());
  ASSERT_TRUE(explorer.tab_to(Role::Img, "Graph of 8 nodes")) << explorer.screen_text();
  EXPECT_NE(explorer.focused()->value.find("cond_false_0"), std::string::npos) << explorer.focused()->value;
  // And by the list of nodes.
  show("Nodes");
  ASSERT_TRUE(walk_to("Nodes", "cond_true_0, ")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Text, "dynamo_output_graph \u203A cond_true_0 (2 of 3)"), nullptr)
      << explorer.screen_text();
  ASSERT_TRUE(walk_to("Nodes", "sin, ")) << explorer.screen_text();
}

TEST_P(CapturePanel, TheSourceIsCutWhereTheFrameBreaks) {
  open(kCapturedNet);
  capture();
  if (GetParam().width < 800) show("Source");
  ASSERT_TRUE(walk_to("Source", "Graph break, Failed to trace builtin operator")) << explorer.screen_text();
  ASSERT_TRUE(walk_to("Source", "Hint: ")) << explorer.screen_text();
  // A line leads to the node that it made.
  ASSERT_TRUE(walk_to("Source", "8, 2 nodes: ")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  explorer.frames(3);
  show("Nodes");
  ASSERT_TRUE(explorer.tab_to(Role::ListItem, "linear, torch._C._nn.linear")) << explorer.screen_text();
}

TEST_P(CapturePanel, TellsWhichGuardFailsForOtherInputs) {
  open(kCapturedNet);
  fill("Module or function to compile", "net.first");
  fill("Inputs", "2,4");
  capture();
  EXPECT_TRUE(says("1 of 1: [0/0] forward")) << explorer.screen_text();
  fill("Inputs", "2,4");
  capture();
  EXPECT_TRUE(says("All guards held")) << explorer.screen_text();
  fill("Inputs", "3,4");
  capture();
  EXPECT_TRUE(says("2 of 2: [0/1] forward")) << explorer.screen_text();
  ASSERT_TRUE(walk_to("Frames", "size mismatch at index 0. expected 2, actual 3")) << explorer.screen_text();
  explorer.type(",");
  explorer.frames(3);
  show("Guards");
  ASSERT_TRUE(walk_to("Guards", "did not hold for [0/1]")) << explorer.screen_text();
  ASSERT_TRUE(walk_to("Guards", "TENSOR_MATCH, L['x'], net.py:8")) << explorer.screen_text();
  show("Modules");
  ASSERT_TRUE(walk_to("Modules", "UnspecializedNNModuleVariable, L['self'], Block")) << explorer.screen_text();
}

TEST_P(CapturePanel, RunsTheWholeProgramAndFollowsModulesByInstance) {
  open(std::string(kCapturedNet) + "torch.compile(net)(torch.ones(2, 4))\n");
  EXPECT_EQ(explorer.focused()->value, "");
  ASSERT_TRUE(explorer.tab_to(Role::Checkbox, "Follow modules by instance")) << explorer.screen_text();
  explorer.press(ImGuiKey_Space);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Capture")) << explorer.screen_text();
  capture();
  EXPECT_TRUE(says("1 of 2: [0/0] forward")) << explorer.screen_text();
  show("Modules");
  ASSERT_TRUE(walk_to("Modules", "NNModuleVariable, ")) << explorer.screen_text();
}

TEST_P(CapturePanel, IsCancelledInMidWorkAndSaysWhatIsWrong) {
  open(std::string(kCapturedNet) + "def endless():\n    while True: pass\n");
  fill("Inputs", "endless()");
  explorer.press(ImGuiKey_Enter);
  explorer.frames(10);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Cancel")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Button, "Capture"), nullptr) << explorer.screen_text();
  fill("Inputs", "1,5");
  capture();
  EXPECT_TRUE(says("mat1 and mat2")) << explorer.screen_text();
  fill("Inputs", "1,4");
  capture();
  EXPECT_TRUE(says("forward")) << explorer.screen_text();
}

INSTANTIATE_TEST_SUITE_P(Looks, CapturePanel, all_looks(), look_name);

std::string log_of(std::size_t nodes, int frame = 0) {
  const std::string head = "V0403 07:28:48.051000 139 torch/_dynamo/x.py:19] ";
  std::string text =
      head +
      fmt::format(
          "{{\"dynamo_output_graph\": {{}}, \"frame_id\": {}, \"frame_compile_id\": 0, \"has_payload\": \"1\"}}\n",
          frame);
  text += "\tclass GraphModule(torch.nn.Module):\n\t    def forward(self, x):\n";
  text += "\t        # File: /a/model.py:3 in forward, code: y = x.sin()\n";
  std::string last = "x";
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::string name = "sin_" + std::to_string(i);
    text += "\t        " + name + " = torch.sin(" + last + ")\n";
    last = name;
  }
  return text + "\t        return (" + last + ",)\n" + head +
         fmt::format(
             "{{\"compilation_metrics\": {{\"co_name\": \"forward\", \"entire_frame_compile_time_s\": 1.5}}, "
             "\"frame_id\": {}, \"frame_compile_id\": 0}}\n",
             frame);
}

TEST(CaptureLog, OpensAsAFileAndShowsTwentyThousandNodes) {
  Explorer explorer;
  explorer.drop("trace.log", base::make_memory_source("trace.log", to_bytes(log_of(20'000))));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Status, "1 of 1: [0/0] forward"), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::Button, "Capture"), nullptr) << "a log cannot be run";
  ASSERT_TRUE(explorer.tab_to(Role::Tab, "Frames")) << explorer.screen_text();
  explorer.press(ImGuiKey_RightArrow);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Img, "Graph of 20,002 nodes, 20,002 boxes")) << explorer.screen_text();
  explorer.press(ImGuiKey_End);
  explorer.frames(4);
  EXPECT_NE(explorer.focused()->value.find("output"), std::string::npos) << explorer.focused()->value;
  explorer.press(ImGuiKey_Space);
  explorer.frames(4);
  explorer.press(ImGuiKey_LeftArrow);
  explorer.frames(4);
  EXPECT_NE(explorer.focused()->value.find("sin_19999"), std::string::npos) << explorer.focused()->value;
}

/// The first list item of the list of nodes gets the focus, by keyboard alone.
void show_nodes(Explorer& explorer) {
  ASSERT_TRUE(explorer.tab_to(Role::Tab, "Frames")) << explorer.screen_text();
  for (int step = 0; step < 2; ++step) {
    explorer.press(ImGuiKey_RightArrow);
    ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  }
  ASSERT_TRUE(explorer.tab_to(Role::ListItem, "x, ")) << explorer.screen_text();
}

TEST(CaptureLog, AListOfAHundredThousandNodesIsWalkedByKeyboard) {
  Explorer explorer;
  explorer.drop("trace.log", base::make_memory_source("trace.log", to_bytes(log_of(99'998))));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  show_nodes(explorer);
  explorer.press(ImGuiKey_End);
  explorer.frames(2);
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_NE(explorer.focused()->name.find("output"), std::string::npos) << explorer.focused()->name;
  EXPECT_EQ(explorer.focused()->position, 100'000);
  explorer.press(ImGuiKey_UpArrow);
  explorer.frames(2);
  EXPECT_NE(explorer.focused()->name.find("sin_99997"), std::string::npos) << explorer.focused()->name;
  explorer.press(ImGuiKey_Home);
  for (int page = 0; page < 20; ++page) {
    explorer.press(ImGuiKey_PageDown);
    explorer.frames(2);
  }
  EXPECT_GT(explorer.focused()->position, 200);
  // Only what is seen costs something.
  EXPECT_LT(explorer.controls().size(), 2000U);
}

TEST(CaptureLog, OpeningALargeOneIsCancelledByKeyboard) {
  Explorer explorer;
  std::string text;
  for (int frame = 0; frame < 200; ++frame) text += log_of(2000, frame);
  explorer.drop("trace.log", base::make_memory_source("trace.log", to_bytes(text)));
  explorer.frames(3);
  // It would be read before the work is shown.
  explorer.hold_host(true);
  for (int frame = 0; frame < 200 && explorer.find(Role::Button, "Cancel Opening") == nullptr; ++frame)
    explorer.frames(1);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Cancel")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  explorer.hold_host(false);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::Status, "1 of 1: [0/0] forward"), nullptr) << explorer.screen_text();
  // What comes behind it opens as ever.
  explorer.drop("small.log", base::make_memory_source("small.log", to_bytes(log_of(3))));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Status, "1 of 1: [0/0] forward"), nullptr) << explorer.screen_text();
  show_nodes(explorer);
}

TEST(CaptureLog, SaysWhatIsWrongWithALog) {
  Explorer explorer;
  explorer.drop("other.log", base::make_memory_source("other.log", to_bytes("hello\n")));
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.screen_text().find("no record of TORCH_TRACE"), std::string::npos) << explorer.screen_text();
}

}  // namespace
}  // namespace nns::tests
