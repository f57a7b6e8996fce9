// The curves of trainings by keyboard, large and small, dark and light: several runs over each other, logarithmic axes,
// zoom, and what is read out at the cursor.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/ui/look.h"

namespace nns::tests {
namespace {

using host::Role;

// So many steps, whose losses are 8, 4, 2, ... (a half of the one before).
std::string halving(int steps) {
  return fmt::format(R"(
import torch
net = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.constant_(net.weight, 8)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
for step in range({}):
    optimizer.zero_grad()
    net(torch.ones(1, 1)).sum().backward()
    net.weight.grad.fill_(net.weight.item())
    optimizer.step()
)",
                     steps);
}

class TrainingCurves : public ::testing::TestWithParam<Look> {
 public:
  Explorer explorer{{}, GetParam().width, GetParam().height};

  void SetUp() override { explorer.app().force_theme(GetParam().theme); }
  bool comes(Role role, std::string_view name) {
    for (int i = 0; i < 600; ++i) {
      if (explorer.find(role, name) != nullptr) return true;
      explorer.frames(1);
    }
    return false;
  }
  /// A program that trains, on the screen of its training.
  void train(const std::string& name, int steps) {
    explorer.drop(name, base::make_memory_source(name, to_bytes(halving(steps))));
    ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
    for (int i = 0; i < 20 && explorer.find(Role::Main, "Training") == nullptr; ++i) {
      explorer.press(ImGuiKey_PageDown, ImGuiMod_Ctrl);
      explorer.frames(10);
    }
    ASSERT_TRUE(comes(Role::Img, "Loss")) << explorer.screen_text();
  }
  void focus_curves() { ASSERT_TRUE(explorer.tab_to(Role::Img, "Loss")) << explorer.screen_text(); }
  void press_key(ImGuiKey key, int times = 1) {
    for (int i = 0; i < times; ++i) explorer.press(key);
    explorer.frames(2);
  }
  void press_button(std::string_view name, Role role = Role::Button) {
    ASSERT_TRUE(explorer.tab_to(role, name)) << name << "\n" << explorer.screen_text();
    const host::AccessNode& button = *explorer.focused();
    EXPECT_GE(button.x, 0) << name;
    EXPECT_LE(button.x + button.width, GetParam().width) << name << " reaches out of the screen";
    press_key(ImGuiKey_Space);
  }
  void type(std::string_view text) {
    explorer.type(text);
    explorer.frames(2);
  }
  /// What the curves say of themselves.
  std::string said() const {
    const host::AccessNode* const curves = explorer.find(Role::Img, "Loss");
    return curves == nullptr ? "no curves" : curves->description;
  }
};

#define EXPECT_SAID(part) EXPECT_NE(said().find(part), std::string::npos) << said()

TEST_P(TrainingCurves, TheCursorIsReadOutWhereTheArrowsPutIt) {
  train("halving.py", 11);
  focus_curves();
  EXPECT_EQ(said().find("step"), std::string::npos) << said();
  press_key(ImGuiKey_Home);
  EXPECT_EQ(said().find("step 1; 8 "), 0U) << said();
  press_key(ImGuiKey_RightArrow, 10);
  EXPECT_EQ(said().find("step 2; 4 "), 0U) << said();
  press_key(ImGuiKey_End);
  EXPECT_EQ(said().find("step 11; 0.0078125 "), 0U) << said();
  press_key(ImGuiKey_LeftArrow, 20);
  EXPECT_EQ(said().find("step 9; 0.03125 "), 0U) << said();
}

TEST_P(TrainingCurves, ZoomKeepsWhatIsAtTheCursorAndArrowsGoOnAtTheEdge) {
  train("halving.py", 101);
  focus_curves();
  press_key(ImGuiKey_Home);
  press_key(ImGuiKey_RightArrow, 50);
  EXPECT_EQ(said().find("step 51; "), 0U) << said();
  type("++++++");
  EXPECT_EQ(said().find("step 51; "), 0U) << said();
  // A quarter of it is seen: 0.8 to the sixth.
  press_key(ImGuiKey_Home);
  EXPECT_EQ(said().find("step 38; "), 0U) << said();
  press_key(ImGuiKey_LeftArrow, 40);
  EXPECT_EQ(said().find("step 27; "), 0U) << said();
  type("------");
  press_key(ImGuiKey_Home);
  EXPECT_EQ(said().find("step 1; "), 0U) << said();
  press_key(ImGuiKey_End);
  type("+++");
  press_key(ImGuiKey_Home);
  EXPECT_EQ(said().find("step 50; "), 0U) << said();
  press_button("Show all");
  focus_curves();
  press_key(ImGuiKey_Home);
  EXPECT_EQ(said().find("step 1; "), 0U) << said();
}

TEST_P(TrainingCurves, OnALogarithmicAxisTheMiddleIsTheMeanOfThePowers) {
  train("halving.py", 100);
  press_button("Logarithmic horizontal axis", Role::Checkbox);
  focus_curves();
  press_key(ImGuiKey_Home);
  press_key(ImGuiKey_RightArrow, 50);
  EXPECT_EQ(said().find("step 10; "), 0U) << said();
  press_button("Logarithmic horizontal axis", Role::Checkbox);
  focus_curves();
  press_key(ImGuiKey_Home);
  press_key(ImGuiKey_RightArrow, 50);
  EXPECT_EQ(said().find("step 50; ") == 0U || said().find("step 51; ") == 0U, true) << said();
  // A vertical one changes nothing that is read out, and can be turned off again.
  const std::string before = said();
  press_button("Logarithmic vertical axis", Role::Checkbox);
  const host::AccessNode* const on = explorer.find(Role::Checkbox, "Logarithmic vertical axis");
  ASSERT_NE(on, nullptr);
  EXPECT_EQ(on->checked, 1);
  EXPECT_EQ(said(), before);
}

TEST_P(TrainingCurves, RunsAreLaidOverEachOtherAndReadTogether) {
  train("longer.py", 41);
  train("shorter.py", 21);
  press_button("Lay 1 more over it");
  focus_curves();
  press_key(ImGuiKey_End);
  EXPECT_SAID("shorter");
  EXPECT_SAID("longer");
  EXPECT_SAID("at step 21");
  press_key(ImGuiKey_Home);
  EXPECT_SAID("step 1; 8 ");
  press_button("Only this run");
  const bool is_longer = said().find("longer") != std::string::npos;
  const bool is_shorter = said().find("shorter") != std::string::npos;
  EXPECT_NE(is_longer, is_shorter) << said();
}

INSTANTIATE_TEST_SUITE_P(Looks, TrainingCurves, all_looks(), look_name);

}  // namespace
}  // namespace nns::tests
