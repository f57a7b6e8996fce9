// The studio, by keyboard alone and read through the tree of controls.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/ui/explorer.h"

namespace nns::tests {
namespace {

using host::AccessNode;
using host::Role;

constexpr std::string_view kStudioNet =
    "import torch\n"                               // 1
    "from torch import nn\n"                       // 2
    "class Net(nn.Module):\n"                      // 3
    "    def __init__(self):\n"                    // 4
    "        super().__init__()\n"                 // 5
    "        self.conv1 = nn.Linear(3, 2)\n"       // 6
    "    def forward(self, x):\n"                  // 7
    "        y = self.conv1(x)\n"                  // 8
    "        return y\n"                           // 9
    "def hook(module, args):\n"                    // 10
    "    seen = len(args)\n"                       // 11
    "net = Net()\n"                                // 12
    "net.conv1.register_forward_pre_hook(hook)\n"  // 13
    "print('made')\n"                              // 14
    "out = net(torch.ones(1, 3))\n"                // 15
    "print('called')\n";                           // 16

struct StudioTest : ::testing::Test {
  Explorer explorer;

  void open(const std::string& text, const std::string& name = "net.py") {
    explorer.drop(name, base::make_memory_source(name, to_bytes(text)));
    ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  }
  void record() {
    explorer.press_chord(ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiKey_Enter);
    ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  }
  void type(std::string_view keys) {
    for (const char key : keys) {
      explorer.type(std::string_view(&key, 1));
      ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
    }
  }
  /// "8: ..." of the line that runs.
  std::string line() {
    for (const AccessNode& node : explorer.controls()) {
      if (node.role == Role::ListItem && node.name.find(", runs: ") != std::string::npos) return node.name;
    }
    return {};
  }
  std::string why() {
    for (const AccessNode& node : explorer.controls()) {
      if (node.role == Role::Status && node.description.find("events") != std::string::npos) return node.name;
    }
    return {};
  }
  bool has(Role role, std::string_view name) { return explorer.find(role, name) != nullptr; }
  bool has_written(std::string_view text) {
    return std::any_of(explorer.controls().begin(), explorer.controls().end(),
                       [&](const AccessNode& node) { return node.role == Role::ListItem && node.name == text; });
  }
  void stop_at(std::string_view what) {
    const AccessNode* const box = explorer.find(Role::Checkbox, what);
    ASSERT_NE(box, nullptr) << explorer.screen_text();
    explorer.ask(box->id, host::AccessAction::Kind::Activate);
    ASSERT_TRUE(explorer.settle());
  }
};

TEST_F(StudioTest, SaysWhatItIsForBeforeAnythingIsRecorded) {
  open(std::string(kStudioNet));
  explorer.press(ImGuiKey_T, ImGuiMod_Alt);
  explorer.frames(3);
  EXPECT_TRUE(has(Role::Heading, "Nothing is recorded yet")) << explorer.screen_text();
  EXPECT_TRUE(has(Role::Button, "Record"));
  explorer.press(ImGuiKey_T, ImGuiMod_Alt);
  explorer.frames(3);
  EXPECT_TRUE(has(Role::TreeItem, "net")) << explorer.screen_text();
}

TEST_F(StudioTest, StepsOverIntoOutAndBack) {
  open(std::string(kStudioNet));
  record();
  type("n");
  EXPECT_EQ(line(), "1, runs: import torch");
  // Over each statement of the module up to the call.
  for (int i = 0; i < 20 && line().find("15, runs") == std::string::npos; ++i) type("n");
  EXPECT_EQ(line(), "15, runs: out = net(torch.ones(1, 3))");
  EXPECT_TRUE(has_written("made")) << explorer.screen_text();
  EXPECT_FALSE(has_written("called"));
  type("ss");
  EXPECT_EQ(line(), "8, runs:         y = self.conv1(x)");
  EXPECT_TRUE(has(Role::ListItem, "Net.forward")) << explorer.screen_text();
  EXPECT_TRUE(has(Role::ListItem, "x: Tensor float32 [1, 3], changed")) << explorer.screen_text();
  type("r");
  EXPECT_EQ(line(), "16, runs: print('called')");
  type("S");
  EXPECT_EQ(why(), "`Net.forward` returns `Tensor float32 [1, 2]`.");
  type("r");
  EXPECT_EQ(line(), "16, runs: print('called')");
  type("N");
  EXPECT_EQ(line(), "15, runs: out = net(torch.ones(1, 3))");
}

TEST_F(StudioTest, StopsWhereARegistryChangesAndSaysWhy) {
  open(std::string(kStudioNet));
  record();
  stop_at("Registry");
  std::string whys;
  for (int i = 0; i < 3; ++i) {
    type("c");
    whys += why() + "\n";
  }
  EXPECT_EQ(whys,
            "`_parameters` of `Linear` got `weight`.\n`_parameters` of `Linear` got `bias`.\n"
            "`_modules` of `Net` got `conv1`.\n");
  EXPECT_EQ(line(), "6, runs:         self.conv1 = nn.Linear(3, 2)");
  type(".");
  EXPECT_EQ(why(), "`conv1` is a Module, so `__setattr__` put it into `_modules`; it is not in `__dict__`.");
  type("cc");
  EXPECT_EQ(why(), "None of the breakpoints lies that way.");
}

TEST_F(StudioTest, StopsWhereAHookFiresAndLightsItInTheChosenModule) {
  open(std::string(kStudioNet));
  record();
  stop_at("Hook");
  type("c");
  EXPECT_EQ(why(),
            "Hook 0 is about to run, from `_forward_pre_hooks` of `Linear`: it runs before `forward`; what it "
            "returns replaces the arguments.");
  // The module whose __call__ runs, chosen in the drawing.
  const AccessNode* const box = explorer.find(Role::Button, "Linear");
  ASSERT_NE(box, nullptr) << explorer.screen_text();
  explorer.ask(box->id, host::AccessAction::Kind::Activate);
  ASSERT_TRUE(explorer.settle());
  EXPECT_TRUE(has(Role::ListItem, "_forward_pre_hooks: run before forward")) << explorer.screen_text();
  EXPECT_TRUE(has(Role::ListItem, "0: function hook, runs now")) << explorer.screen_text();
  EXPECT_TRUE(has(Role::ListItem, "_parameters: registry of parameters"));
}

TEST_F(StudioTest, RunsToABreakpointAtALine) {
  open(std::string(kStudioNet));
  record();
  // The keyboard is in the source: line 11.
  ASSERT_TRUE(explorer.tab_to(Role::ListItem, "1, runs")) << explorer.screen_text();
  for (int i = 0; i < 10; ++i) explorer.press(ImGuiKey_DownArrow);
  explorer.press(ImGuiKey_F9);
  explorer.frames(2);
  EXPECT_TRUE(has(Role::ListItem, "11, breakpoint:     seen = len(args)")) << explorer.screen_text();
  type("c");
  EXPECT_EQ(line(), "11, breakpoint, runs:     seen = len(args)");
  EXPECT_TRUE(has(Role::ListItem, "hook: line 11, shown")) << explorer.screen_text();
}

TEST_F(StudioTest, JumpsToStep100000AndKeepsItsPlace) {
  open("total = 0\nfor i in range(60000):\n    total += i\nprint(total)\n", "loop.py");
  record();
  const AccessNode* const slider = explorer.find(Role::Slider, "Event");
  ASSERT_NE(slider, nullptr) << explorer.screen_text();
  EXPECT_GT(slider->maximum, 120'000);
  explorer.ask(slider->id, host::AccessAction::Kind::SetValue, {}, 100'000);
  ASSERT_TRUE(explorer.settle());
  EXPECT_TRUE(has(Role::ListItem, "i: 49")) << explorer.screen_text();
  EXPECT_TRUE(has(Role::ListItem, "total: 12")) << explorer.screen_text();
}

TEST_F(StudioTest, AnExceptionIsFoundAndItsTextTold) {
  open("def f(x):\n    return 1 / x\ntry:\n    f(0)\nexcept ZeroDivisionError:\n    pass\n", "bad.py");
  record();
  stop_at("Exception");
  type("c");
  EXPECT_EQ(why(), "ZeroDivisionError: division by zero");
  EXPECT_EQ(line(), "2, runs:     return 1 / x");
}

TEST_F(StudioTest, AProgramThatDoesNotEndIsStoppedAndCanBeSteppedThrough) {
  open("print('fast')\n", "loop.py");
  open("import sys\nn = 0\nwhile len(sys.argv) > 0:\n    n += 1\n    if n == 2000000:\n        break\n", "long.py");
  explorer.press_chord(ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiKey_Enter);
  explorer.frames(30);
  const AccessNode* const stop = explorer.find(Role::Button, "Stop");
  ASSERT_NE(stop, nullptr) << explorer.screen_text();
  explorer.ask(stop->id, host::AccessAction::Kind::Activate);
  ASSERT_TRUE(explorer.settle());
  type("nnnn");
  EXPECT_NE(line(), "") << explorer.screen_text();
}

TEST_F(StudioTest, ListsWhatReplicasShareCopyAndLose) {
  open(
      "# nnscope: --virtual-devices 2\n"
      "import torch\n"
      "from torch import nn\n"
      "class Net(nn.Linear):\n"
      "    def forward(self, x):\n"
      "        self.count = 1\n"
      "        return super().forward(x)\n"
      "net = Net(2, 2).to('cpu:0')\n"
      "nn.DataParallel(net)(torch.ones(4, 2))\n");
  record();
  const AccessNode* const tab = explorer.find(Role::Tab, "Replicas");
  ASSERT_NE(tab, nullptr) << explorer.screen_text();
  explorer.ask(tab->id, host::AccessAction::Kind::Activate);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.screen_text().find("No replicas at this moment"), std::string::npos) << explorer.screen_text();
  stop_at("Attribute");
  for (int presses = 0; presses < 200 && explorer.screen_text().find("lost when") == std::string::npos; ++presses) {
    type("c");
  }
  const std::string screen = explorer.screen_text();
  for (const char* const told : {"same bytes as the original", "copied", "lost when forward ends: 1", "2 replicas"}) {
    EXPECT_NE(screen.find(told), std::string::npos) << told << "\n" << screen;
  }
  EXPECT_EQ(explorer.find(Role::Tab, "Ranks"), nullptr) << "it made no step of DistributedDataParallel";
}

// The screen with the tab of ranks, for a program that makes so many and steps a wrapped module twice.
std::string screen_of_ranks(StudioTest& test, int count, std::string_view module, std::string_view input) {
  test.open(
      fmt::format("import os, torch, torch.nn as nn, torch.distributed as dist, torch.multiprocessing as mp\n"
                  "from torch.nn.parallel import DistributedDataParallel as DDP\n"
                  "def work(rank, size):\n"
                  "    dist.init_process_group('gloo', rank=rank, world_size=size)\n"
                  "    ddp = DDP({}, bucket_cap_mb=0.03)\n"
                  "    for step in range(2):\n"
                  "        ddp({}).sum().backward()\n"
                  "if __name__ == '__main__':\n"
                  "    os.environ['MASTER_ADDR'], os.environ['MASTER_PORT'] = 'localhost', '29500'\n"
                  "    mp.spawn(work, args=({},), nprocs={})\n"
                  "    print('all of them have ended')\n",
                  module, input, count, count));
  test.record();
  const AccessNode* const tab = test.explorer.find(Role::Tab, "Ranks");
  if (tab == nullptr) return test.explorer.screen_text();
  test.explorer.ask(tab->id, host::AccessAction::Kind::Activate);
  EXPECT_TRUE(test.explorer.settle());
  return test.explorer.screen_text();
}

// Looking at the buckets lets nobody run who needs a bucket that is not on its way yet; what rank 0 has for all does
// not go by ranks that wait for something else.
TEST_F(StudioTest, ManyRanksWithSeveralBucketsTakeTurns) {
  const std::string screen = screen_of_ranks(
      *this, 4, "nn.Sequential(nn.Linear(100, 100), nn.BatchNorm1d(100), nn.Linear(100, 100))", "torch.ones(4, 100)");
  for (const char* const told : {"Rank 0", "step 2 of 4 ranks", "bucket 1"}) {
    EXPECT_NE(screen.find(told), std::string::npos) << told << "\n" << screen;
  }
  type("c");
  EXPECT_NE(explorer.find(Role::ListItem, "all of them have ended"), nullptr) << explorer.screen_text();
}

TEST_F(StudioTest, ShowsTheStepOfEveryRankAndItsBuckets) {
  const std::string screen = screen_of_ranks(*this, 2, "nn.Linear(3, 2)", "torch.ones(4, 3)");
  for (const char* const told : {"Rank 0", "Rank 1", "step 2 of 2 ranks", "bucket 0", "those of rank 0", "weight"}) {
    EXPECT_NE(screen.find(told), std::string::npos) << told << "\n" << screen;
  }
}

}  // namespace
}  // namespace nns::tests
