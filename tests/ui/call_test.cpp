// One call of a module, by keyboard alone: shapes of every module, what is wrong, a hundred thousand rows, a cancel.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/ui/look.h"
#include "tests/ui/null_host.h"
#include "ui/model/call_table.h"

namespace nns::tests {
namespace {

using host::AccessNode;
using host::Role;

constexpr std::string_view kNet =
    "import torch\n"
    "from torch import nn\n"
    "class Block(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.up = nn.Linear(4, 8)\n"
    "        self.down = nn.Linear(8, 4)\n"
    "        self.unused = nn.Linear(2, 2)\n"
    "    def forward(self, x):\n"
    "        return self.down(self.up(x))\n"
    "net = nn.Sequential(*(Block() for _ in range(3)))\n"
    "net.tied = net[0]\n"
    "def endless():\n"
    "    while True: pass\n";

class CallPanel : public ::testing::TestWithParam<Look> {
 public:
  Explorer explorer{{}, GetParam().width, GetParam().height};

  void open(std::string_view text) {
    explorer.app().force_theme(GetParam().theme);
    explorer.drop("net.py", base::make_memory_source("net.py", to_bytes(text)));
    ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
    explorer.press(ImGuiKey_I, ImGuiMod_Alt);
    explorer.frames(4);
    ASSERT_NE(explorer.focused(), nullptr) << explorer.screen_text();
    ASSERT_EQ(explorer.focused()->name, "Module to call") << explorer.screen_text();
  }
  void fill(std::string_view field, std::string_view text) {
    ASSERT_TRUE(explorer.tab_to(Role::Textbox, field)) << explorer.screen_text();
    explorer.press(ImGuiKey_A, ImGuiMod_Ctrl);
    explorer.type(text);
  }
  void call() {
    explorer.press(ImGuiKey_Enter);
    ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  }
  /// With the arrow keys, from the first row of the call on: a small screen shows few rows at once.
  bool walk_to(std::string_view row) {
    const auto is_in_call = [&] {
      const AccessNode* const node = explorer.focused();
      return node != nullptr && node->role == Role::TreeItem && node->parent < explorer.controls().size() &&
             explorer.controls()[node->parent].name == "Modules of the call";
    };
    for (int tab = 0; tab < 60 && !is_in_call(); ++tab) {
      explorer.press(ImGuiKey_Tab);
      explorer.frames(2);
    }
    if (!is_in_call()) return false;
    explorer.press(ImGuiKey_Home);
    explorer.frames(2);
    for (int step = 0; step < 40; ++step) {
      if (explorer.focused() != nullptr && explorer.focused()->name.find(row) != std::string::npos) return true;
      explorer.press(ImGuiKey_DownArrow);
      explorer.frames(2);
    }
    return false;
  }
  bool says(std::string_view words) { return explorer.find(Role::Status, words) != nullptr; }
};

TEST_P(CallPanel, CallsWhatItFindsAndShowsEachModule) {
  open(kNet);
  call();
  EXPECT_TRUE(says("246 parameters")) << explorer.screen_text();
  EXPECT_TRUE(says("512 FLOPs")) << explorer.screen_text();
  EXPECT_TRUE(says("from shapes alone")) << explorer.screen_text();
  EXPECT_TRUE(walk_to("unused, Linear, Parameters 6, Size 24 B, not called")) << explorer.screen_text();
  EXPECT_TRUE(walk_to("tied, Block, Input 1 × 4, Output 1 × 4")) << explorer.screen_text();
  EXPECT_NE(explorer.focused()->name.find("same as 0"), std::string::npos) << explorer.focused()->name;
  // A row leads to the module in the tree.
  ASSERT_TRUE(walk_to("up, Linear, Input 1 × 4, Output 1 × 8, Parameters 40, FLOPs 128")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(null_host().link.find("select=net.0.up"), std::string::npos) << null_host().link;
}

TEST_P(CallPanel, FoldsAndComputesAndTellsTimes) {
  open(kNet);
  fill("Inputs", "torch.ones(2, 4)");
  ASSERT_TRUE(explorer.tab_to(Role::Checkbox, "With values")) << explorer.screen_text();
  explorer.press(ImGuiKey_Space);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Call")) << explorer.screen_text();
  call();
  EXPECT_FALSE(says("from shapes alone")) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::TreeItem, "Input 2 × 4"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::TreeItem, ", Time "), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::TreeItem, "Time 0"), nullptr) << explorer.screen_text();
  ASSERT_TRUE(walk_to("0, Block")) << explorer.screen_text();
  explorer.press(ImGuiKey_LeftArrow);
  explorer.frames(2);
  EXPECT_FALSE(walk_to("up, Linear, Input 2 × 4, Output 2 × 8, Parameters 40, FLOPs 256")) << "it is folded";
  ASSERT_TRUE(explorer.tab_to(Role::Textbox, "Inputs"));
  ASSERT_TRUE(walk_to("0, Block")) << explorer.screen_text();
  explorer.press(ImGuiKey_RightArrow);
  explorer.frames(2);
  EXPECT_TRUE(walk_to("up, Linear")) << explorer.screen_text();
}

TEST_P(CallPanel, SaysWhatIsWrongAndKeepsWhatItShowed) {
  open(kNet);
  call();
  fill("Inputs", "1,5");
  call();
  EXPECT_TRUE(says("RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x5 and 4x8)")) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::ListItem, "return self.down(self.up(x))"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::TreeItem, "net, Sequential, Input 1 × 4"), nullptr) << explorer.screen_text();
  fill("Inputs", "1,4");
  call();
  EXPECT_TRUE(says("246 parameters")) << explorer.screen_text();
}

TEST_P(CallPanel, IsCancelledInMidWork) {
  open(kNet);
  fill("Inputs", "endless()");
  explorer.press(ImGuiKey_Enter);
  explorer.frames(10);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Cancel")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Button, "Call"), nullptr) << explorer.screen_text();
  fill("Inputs", "1,4");
  call();
  EXPECT_TRUE(says("246 parameters")) << explorer.screen_text();
}

INSTANTIATE_TEST_SUITE_P(Looks, CallPanel, all_looks(), look_name);

TEST(CallPanelOfManyRows, ShowsAHundredThousandModules) {
  Explorer explorer;
  const std::string text =
      "import torch\nfrom torch import nn\n"
      "net = nn.Sequential(*(nn.Identity() for _ in range(100000)))\n";
  explorer.drop("many.py", base::make_memory_source("many.py", to_bytes(text)));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.press(ImGuiKey_I, ImGuiMod_Alt);
  explorer.frames(4);
  ASSERT_TRUE(explorer.tab_to(Role::Textbox, "Inputs"));
  explorer.type("2,3");
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::TreeItem, "net, Sequential")) << explorer.screen_text();
  explorer.press(ImGuiKey_End);
  explorer.frames(3);
  EXPECT_NE(explorer.find(Role::TreeItem, "99999, Identity, Input 2 × 3, Output 2 × 3"), nullptr)
      << explorer.screen_text();
}

TEST(CallExpression, NamesModulesAsPythonDoes) {
  EXPECT_EQ(model::path_of_expression("model.get_submodule(\"h.0.attn\")"), "model.h.0.attn");
  EXPECT_EQ(model::path_of_expression("model.encoder"), "model.encoder");
  EXPECT_EQ(model::path_of_expression("GPT2()"), "GPT2()");
}

}  // namespace
}  // namespace nns::tests
