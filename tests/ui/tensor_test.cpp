// The tensor view, by keyboard and by assistive technology.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/ui/explorer.h"
#include "tests/ui/look.h"
#include "tests/ui/null_host.h"

namespace nns::tests {
namespace {

using host::AccessAction;
using host::AccessNode;
using host::Role;

// A convolution's weight whose values are their own row-major numbers.
void open_conv(Explorer& explorer) {
  const PlannedFile plan = plan_safetensors({{"conv.weight", "F32", {8, 3, 5, 4}}});
  std::string bytes = plan.beginning;
  for (int i = 0; i < 8 * 3 * 5 * 4; ++i) {
    const auto value = static_cast<float>(i);
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof raw);
  }
  explorer.drop("conv.safetensors", base::make_memory_source("conv.safetensors", to_bytes(bytes)));
  explorer.app().select_when_opened("conv.weight");
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.frames(2);
}

const AccessNode* field(const Explorer& explorer) { return explorer.find(Role::Textbox, "Part of the tensor"); }
const AccessNode* picture(const Explorer& explorer) { return explorer.find(Role::Img, "Heat map of "); }

void set_part(Explorer& explorer, const std::string& text) {
  ASSERT_NE(field(explorer), nullptr) << explorer.screen_text();
  explorer.ask(field(explorer)->id, AccessAction::Kind::SetText, text);
  ASSERT_TRUE(explorer.settle());
  explorer.frames(2);
}

struct TensorViewAt : testing::TestWithParam<Look> {
  Explorer explorer{{}, GetParam().width, GetParam().height};
  void SetUp() override { explorer.app().force_theme(GetParam().theme); }
};

TEST_P(TensorViewAt, AnyPairOfAxesByKeyboardAlone) {
  open_conv(explorer);
  ASSERT_NE(picture(explorer), nullptr) << explorer.screen_text();
  EXPECT_NE(picture(explorer)->name.find("120 rows, 4 columns"), std::string::npos) << picture(explorer)->name;
  EXPECT_EQ(field(explorer)->value, "[:, :, :, :]");

  // Axes 2 and 3 get one index; then axis 0 becomes the columns.
  const auto press_role = [&](const std::string& axis, const std::string& role) {
    bool in_group = false;
    for (int step = 0; step < 80; ++step) {
      const AccessNode* node = explorer.focused();
      if (node != nullptr && node->parent != UINT32_MAX) {
        in_group = explorer.controls()[node->parent].name == axis + " is";
        if (in_group && node->name == role) break;
      }
      explorer.press(ImGuiKey_Tab);
    }
    ASSERT_TRUE(in_group) << axis << explorer.screen_text();
    explorer.press(ImGuiKey_Enter);
    ASSERT_TRUE(explorer.settle());
    explorer.frames(2);
  };
  press_role("Axis 2", "Index");
  press_role("Axis 3", "Index");
  EXPECT_EQ(field(explorer)->value, "[:, :, 0, 0]");
  ASSERT_TRUE(explorer.tab_to(Role::Slider, "Index of axis 3")) << explorer.screen_text();
  explorer.press(ImGuiKey_End);
  ASSERT_TRUE(explorer.settle());
  press_role("Axis 0", "Columns");
  EXPECT_EQ(field(explorer)->value, "[:, :, 0, 3].permute(1, 0)");
  ASSERT_NE(picture(explorer), nullptr) << explorer.screen_text();
  EXPECT_NE(picture(explorer)->name.find("3 rows, 8 columns"), std::string::npos) << picture(explorer)->name;
  EXPECT_NE(explorer.find(Role::Text, "Shape (3, 8), strides (20, 60), storage offset 3"), nullptr)
      << explorer.screen_text();

  // The cell under the keyboard's cursor is told as an index of the whole tensor.
  ASSERT_TRUE(explorer.tab_to(Role::Img, "Heat map of "));
  explorer.press(ImGuiKey_RightArrow);
  explorer.press(ImGuiKey_DownArrow);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(picture(explorer)->value, "[1, 1, 0, 3] = 83") << explorer.screen_text();
}

TEST_P(TensorViewAt, TheFieldTakesPyTorchsSyntaxAndTellsWhereItIsWrong) {
  open_conv(explorer);
  set_part(explorer, "[::3, 1, ..., -1]");
  EXPECT_EQ(field(explorer)->value, "[::3, 1, ..., -1]") << "what was typed stays";
  ASSERT_NE(picture(explorer), nullptr) << explorer.screen_text();
  EXPECT_NE(picture(explorer)->name.find("3 rows, 5 columns"), std::string::npos) << picture(explorer)->name;
  set_part(explorer, "[:, 3]");
  EXPECT_NE(explorer.find(Role::Text, "Character 5: index 3 is outside axis 1, which has 3"), nullptr)
      << explorer.screen_text();
  EXPECT_NE(picture(explorer)->name.find("3 rows, 5 columns"), std::string::npos) << "the last part stays";
  set_part(explorer, "[2, 1]");
  EXPECT_EQ(explorer.find(Role::Text, "Character"), nullptr);
  EXPECT_NE(picture(explorer)->name.find("5 rows, 4 columns"), std::string::npos);
  const AccessNode* all = explorer.find(Role::Button, "All");
  ASSERT_NE(all, nullptr);
  explorer.ask(all->id, AccessAction::Kind::Activate);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(field(explorer)->value, "[:, :, :, :]");
}

TEST_P(TensorViewAt, StatisticsAreOfThePart) {
  open_conv(explorer);
  const auto minimum = [&] {
    for (const AccessNode& node : explorer.controls()) {
      if (node.role == Role::Row && node.name.starts_with("Min")) return node.name;
    }
    return explorer.screen_text();
  };
  EXPECT_NE(minimum().find('0'), std::string::npos);
  set_part(explorer, "[7, 2, 4]");
  EXPECT_NE(minimum().find("476"), std::string::npos) << minimum();
  set_part(explorer, "[5:5]");
  EXPECT_EQ(picture(explorer), nullptr) << "nothing to be shown of nothing";
  EXPECT_NE(explorer.find(Role::Text, "Shape (0, 3, 5, 4)"), nullptr) << explorer.screen_text();
}

TEST_P(TensorViewAt, StatisticsOfAllTensorsSortAndLeadToTheTensor) {
  std::vector<PlannedTensor> tensors;
  for (int i = 0; i < 40; ++i) tensors.push_back({"layers." + std::to_string(i) + ".weight", "F32", {2, 2}});
  const PlannedFile plan = plan_safetensors(tensors);
  std::string bytes = plan.beginning;
  for (int i = 0; i < 40; ++i) {
    for (const float value :
         {0.0F, 0.0F, static_cast<float>(i == 7 ? 1000 : i), i == 9 ? std::numeric_limits<float>::quiet_NaN() : 1.0F}) {
      char raw[sizeof value];
      std::memcpy(raw, &value, sizeof value);
      bytes.append(raw, sizeof raw);
    }
  }
  explorer.drop("many.safetensors", base::make_memory_source("many.safetensors", to_bytes(bytes)));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.press(ImGuiKey_S, ImGuiMod_Alt);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.frames(2);
  EXPECT_NE(explorer.find(Role::Status, "40 tensors \xC2\xB7 1 with NaN or Inf \xC2\xB7 40 with dead rows"), nullptr)
      << explorer.screen_text();
  // Columns that do not fit are reached by the arrows.
  for (int step = 0; step < 12 && explorer.find(Role::ColumnHeader, "|Max|") == nullptr; ++step) {
    const AccessNode* more = explorer.find(Role::Button, "Columns behind");
    ASSERT_NE(more, nullptr) << explorer.screen_text();
    explorer.ask(more->id, AccessAction::Kind::Activate);
  }
  ASSERT_TRUE(explorer.tab_to(Role::ColumnHeader, "|Max|")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  explorer.frames(2);
  const AccessNode* first = explorer.find(Role::Row, "layers.");
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(first->name.starts_with("layers.7.weight")) << first->name;
  EXPECT_NE(first->name.find("|Max| 1,000"), std::string::npos) << first->name;
  EXPECT_EQ(first->set_size, 40);
  ASSERT_TRUE(explorer.tab_to(Role::Row, "layers.7.weight")) << explorer.screen_text();
  explorer.press(ImGuiKey_DownArrow);
  explorer.press(ImGuiKey_UpArrow);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  explorer.frames(2);
  EXPECT_NE(explorer.find(Role::Heading, "layers.7.weight"), nullptr) << explorer.screen_text();
  EXPECT_NE(picture(explorer), nullptr) << "its tensor is shown";
}

TEST_P(TensorViewAt, JumpsToExtremesAndTellsWhatIsNotThere) {
  open_conv(explorer);
  const auto press = [&](const std::string& name) {
    ASSERT_TRUE(explorer.tab_to(Role::Button, name)) << explorer.screen_text();
    explorer.press(ImGuiKey_Enter);
    ASSERT_TRUE(explorer.settle());
    explorer.frames(10);
    ASSERT_TRUE(explorer.settle());
  };
  press("Max");
  EXPECT_NE(explorer.find(Role::Status, "[7, 2, 4, 3] = 479"), nullptr) << explorer.screen_text();
  EXPECT_EQ(picture(explorer)->value, "[7, 2, 4, 3] = 479");
  EXPECT_NE(explorer.find(Role::Img, "Row 119, 4 values"), nullptr) << "the profiles go along";
  EXPECT_NE(explorer.find(Role::Img, "Column 3, 120 values"), nullptr);
  press("Min");
  EXPECT_NE(explorer.find(Role::Status, "[0, 0, 0, 0] = 0"), nullptr) << explorer.screen_text();
  press("Inf");
  EXPECT_NE(explorer.find(Role::Status, "No infinite value here"), nullptr) << explorer.screen_text();
}

TEST_P(TensorViewAt, NumbersAreATableThatTheKeyboardWalksAndCopies) {
  open_conv(explorer);
  set_part(explorer, "[3, :, :, 2]");
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Numbers")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  explorer.frames(3);
  EXPECT_NE(explorer.find(Role::Cell, "182"), nullptr) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Table, "Numbers of conv.weight")) << explorer.screen_text();
  explorer.press(ImGuiKey_End);
  explorer.press(ImGuiKey_DownArrow);
  explorer.frames(10);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Status, "[3, 1, 4, 2] = 218"), nullptr) << explorer.screen_text();
  const AccessNode* copy = nullptr;
  for (const AccessNode& node : explorer.controls()) {
    if (node.role == Role::Button && node.name == "Copy") copy = &node;
  }
  ASSERT_NE(copy, nullptr);
  explorer.ask(copy->id, AccessAction::Kind::Activate);
  ASSERT_TRUE(explorer.settle());
  explorer.frames(3);
  EXPECT_EQ(null_host().clipboard, "182,186,190,194,198\n202,206,210,214,218\n222,226,230,234,238\n");
}

TEST_P(TensorViewAt, ColoursTakeTypedLimits) {
  open_conv(explorer);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Typed")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  explorer.frames(3);
  const AccessNode* high = explorer.find(Role::Textbox, "Highest colour");
  ASSERT_NE(high, nullptr) << explorer.screen_text();
  explorer.ask(high->id, AccessAction::Kind::SetText, "100");
  explorer.ask(explorer.find(Role::Textbox, "Lowest colour")->id, AccessAction::Kind::SetText, "-2.5");
  explorer.frames(3);
  EXPECT_NE(explorer.find(Role::Img,
                          "Colours from \xE2\x88\x92"
                          "2.5 to 100"),
            nullptr)
      << explorer.screen_text();
  explorer.ask(explorer.find(Role::Textbox, "Lowest colour")->id, AccessAction::Kind::SetText, "low");
  explorer.frames(3);
  EXPECT_NE(explorer.find(Role::Text, "\"low\" is no number"), nullptr) << explorer.screen_text();
}

TEST_P(TensorViewAt, TheScaleOfTheColoursTellsTheQuantiles) {
  open_conv(explorer);
  const AccessNode* scale = explorer.find(Role::Img, "Colours from ");
  ASSERT_NE(scale, nullptr) << explorer.screen_text();
  EXPECT_NE(scale->value.find("25 %: 119.8, 50 %: 239.5, 75 %: 359.2"), std::string::npos) << scale->value;
}

TEST_P(TensorViewAt, TheMapIsColouredByStatisticsOrSaysHowToGetThem) {
  open_conv(explorer);
  explorer.press(ImGuiKey_M, ImGuiMod_Alt);
  ASSERT_TRUE(explorer.settle());
  explorer.frames(2);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Std")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  explorer.frames(3);
  const AccessNode* way = explorer.find(Role::Link, "Not all statistics are known");
  ASSERT_NE(way, nullptr) << explorer.screen_text();
  explorer.ask(way->id, AccessAction::Kind::Activate);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Table, "Statistics of all tensors"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_M, ImGuiMod_Alt);
  ASSERT_TRUE(explorer.settle());
  explorer.frames(3);
  EXPECT_EQ(explorer.find(Role::Link, "Not all statistics are known"), nullptr);
  EXPECT_NE(explorer.find(Role::ListItem, "to 138.6: 480 parameters, 1 tensor"), nullptr) << explorer.screen_text();
}

/// What of the matrix is seen, as the link has it; empty if all of it is.
std::string seen() {
  const std::string& link = null_host().link;
  const std::size_t at = link.find("seen=");
  return at == std::string::npos ? std::string() : link.substr(at, link.find('&', at) - at);
}

TEST_P(TensorViewAt, TheHeatMapZoomsAndFitsByKeysAndByMouse) {
  const PlannedFile plan = plan_safetensors({{"wide.weight", "F32", {300, 400}}});
  explorer.drop("wide.safetensors", base::make_memory_source("wide.safetensors", to_bytes(plan.whole())));
  explorer.app().select_when_opened("wide.weight");
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.frames(2);
  ASSERT_TRUE(explorer.tab_to(Role::Img, "Heat map of ")) << explorer.screen_text();
  const auto settled = [&] {
    EXPECT_TRUE(explorer.settle());
    explorer.frames(3);
    return seen();
  };
  EXPECT_EQ(settled(), "");
  // 1. Keys: F goes to the cell, Space shows everything again.
  explorer.press(ImGuiKey_RightArrow);
  explorer.press(ImGuiKey_F);
  EXPECT_NE(settled(), "");
  explorer.press(ImGuiKey_Space);
  EXPECT_EQ(settled(), "");
  // 2. Mouse: Ctrl and the wheel zoom about the pointer, dragging pans, a double click fits.
  const AccessNode place = *picture(explorer);
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(place.x + place.width / 2, place.y + place.height / 2);
  explorer.frames(2);
  io.AddKeyEvent(ImGuiMod_Ctrl, true);
  io.AddMouseWheelEvent(0, 3);
  explorer.frames(2);
  io.AddKeyEvent(ImGuiMod_Ctrl, false);
  const std::string zoomed = settled();
  EXPECT_NE(zoomed, "");
  io.AddMouseButtonEvent(0, true);
  explorer.frames(2);
  io.AddMousePosEvent(place.x + place.width / 2 - 40, place.y + place.height / 2);
  explorer.frames(2);
  io.AddMouseButtonEvent(0, false);
  const std::string panned = settled();
  EXPECT_NE(panned, zoomed);
  EXPECT_NE(panned, "");
  for (const bool down : {true, false, true, false}) {
    io.AddMouseButtonEvent(0, down);
    explorer.frames(1);
  }
  EXPECT_EQ(settled(), "");
}

INSTANTIATE_TEST_SUITE_P(Looks, TensorViewAt, all_looks(), look_name);

TEST(PackedWeight, TreeAndInspectorTellWhatItIs) {
  const std::vector<PlannedTensor> tensors = {
      {"q.qweight", "I32", {32, 64}}, {"q.qzeros", "I32", {2, 8}}, {"q.scales", "F16", {2, 64}}};
  const std::string bytes = plan_safetensors(tensors).whole();
  Explorer explorer;
  explorer.drop("gptq.safetensors", base::make_memory_source("gptq.safetensors", to_bytes(bytes)));
  explorer.app().select_when_opened("q.qweight");
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.frames(2);
  constexpr const char* kPacking = "64 \xC3\x97 256 float16 as GPTQ, 4 bits each, groups of 128";
  EXPECT_NE(explorer.find(Role::TreeItem, std::string("qweight, ") + kPacking), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::TreeItem, "q, \xE2\x89\x88 QuantizedLinear, 16,384 parameters"), nullptr)
      << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Row, std::string("Packed: ") + kPacking), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Row, "Parameters: 16,384"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Row, "Values: as stored"), nullptr) << explorer.screen_text();
}

}  // namespace
}  // namespace nns::tests
