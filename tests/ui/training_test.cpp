// A training that runs beside the screen, by keyboard alone and read through the tree of controls: a weight that
// changes, its history, its histogram.
#include <gtest/gtest.h>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/ui/explorer.h"

namespace nns::tests {
namespace {

using host::Role;

constexpr std::string_view kLoop = R"(
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.Flatten(), nn.Linear(16, 3))
net[2].weight.register_hook(lambda grad: grad * 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
while True:
    optimizer.zero_grad()
    net(torch.randn(8, 1, 4, 4)).pow(2).mean().backward()
    optimizer.step()
)";

struct TrainingScreenTest : ::testing::Test {
  Explorer explorer;

  /// Draws until that is on the screen.
  bool comes(Role role, std::string_view name) {
    for (int i = 0; i < 600; ++i) {
      if (explorer.find(role, name) != nullptr) return true;
      explorer.frames(1);
    }
    return false;
  }
  void SetUp() override {
    explorer.drop("loop.py", base::make_memory_source("loop.py", to_bytes(std::string(kLoop))));
    ASSERT_TRUE(comes(Role::Button, "Stop")) << explorer.screen_text();
    // The training is a tab of its own.
    for (int i = 0; i < 20 && explorer.find(Role::Main, "Training") == nullptr; ++i) {
      explorer.press(ImGuiKey_PageDown, ImGuiMod_Ctrl);
      explorer.frames(10);
    }
    ASSERT_TRUE(comes(Role::Row, "2, Linear")) << explorer.screen_text();
  }
  void choose_tab(std::string_view name) {
    const host::AccessNode* const tab = explorer.find(Role::Tab, name);
    ASSERT_NE(tab, nullptr) << explorer.screen_text();
    explorer.ask(tab->id, host::AccessAction::Kind::Activate);
    explorer.frames(2);
  }
  void choose_module(std::string_view name) {
    ASSERT_TRUE(explorer.tab_to(Role::Row, "")) << explorer.screen_text();
    for (int i = 0; i < 5 && explorer.focused()->name.find(name) != 0; ++i) explorer.press(ImGuiKey_DownArrow);
    ASSERT_EQ(explorer.focused()->name.find(name), 0U) << explorer.focused()->name;
    explorer.frames(2);
  }
};

TEST_F(TrainingScreenTest, AWeightIsAHeatMapThatChanges) {
  choose_tab("Values");
  choose_module("2, Linear");
  ASSERT_TRUE(comes(Role::Heading, "2.weight  3 \u00D7 16  (1 of 2)")) << explorer.screen_text();
  ASSERT_TRUE(comes(Role::Img, "Parameters after step")) << explorer.screen_text();
  const std::string before = explorer.find(Role::Img, "Parameters after step")->name;
  for (int i = 0; i < 600 && explorer.find(Role::Img, "Parameters after step")->name == before; ++i) explorer.frames(1);
  EXPECT_NE(explorer.find(Role::Img, "Parameters after step")->name, before) << "it is told on";
  explorer.type("}");
  EXPECT_TRUE(comes(Role::Heading, "2.bias  3  (2 of 2)")) << explorer.screen_text();
  EXPECT_TRUE(comes(Role::Img, "Parameters after step")) << explorer.screen_text();
}

TEST_F(TrainingScreenTest, EachGradientWriteAndHookOfAParameterIsListed) {
  choose_tab("History");
  choose_module("2, Linear");
  EXPECT_TRUE(comes(Role::ListItem, "Gradient, norm ")) << explorer.screen_text();
  EXPECT_TRUE(comes(Role::ListItem, "Written: change, norm ")) << explorer.screen_text();
  EXPECT_TRUE(comes(Role::ListItem, "A hook ran")) << explorer.screen_text();
  EXPECT_TRUE(comes(Role::ListItem, "Gradient cleared")) << explorer.screen_text();
}

TEST_F(TrainingScreenTest, AHistogramIsOfTheChosenTensor) {
  choose_tab("Histogram");
  choose_module("0, Conv2d");
  EXPECT_TRUE(comes(Role::Heading, "0.weight  4 \u00D7 1 \u00D7 3 \u00D7 3  (1 of 2)")) << explorer.screen_text();
  EXPECT_TRUE(comes(Role::Img, "Parameters: ")) << explorer.screen_text();
}

}  // namespace
}  // namespace nns::tests
