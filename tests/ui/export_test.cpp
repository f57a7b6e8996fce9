// Saving from the explorer, by keyboard, into a host that keeps files in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/ui/explorer.h"
#include "tests/ui/look.h"

namespace nns::tests {
namespace {

using host::Role;

constexpr auto kExportCtrlAlt = static_cast<ImGuiKey>(ImGuiMod_Ctrl | ImGuiMod_Alt);
constexpr auto kExportCtrlShift = static_cast<ImGuiKey>(ImGuiMod_Ctrl | ImGuiMod_Shift);

void drop_small(Explorer& explorer) {
  const PlannedFile plan = plan_safetensors({{"fc.weight", "F32", {2, 3}}, {"fc.bias", "F32", {2}}});
  explorer.drop("small.safetensors", base::make_memory_source("small.safetensors", to_bytes(plan.whole())));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
}

std::string saved(const std::string& name) {
  const auto found = null_host().saved.find(name);
  if (found != null_host().saved.end()) return found->second;
  std::string names;
  for (const auto& entry : null_host().saved) names += entry.first + " ";
  return "not saved; there is: " + names;
}

void run_command(Explorer& explorer, const char* words) {
  explorer.press(ImGuiKey_P, ImGuiMod_Ctrl);
  explorer.frames(2);
  explorer.type(words);
  explorer.frames(2);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
}

class ExplorerSave : public ::testing::TestWithParam<std::tuple<float, float, bool>> {};

TEST_P(ExplorerSave, KeysAndCommandsWriteFiles) {
  const auto [width, height, is_dark] = GetParam();
  Explorer explorer({}, width, height);
  null_host().is_dark = is_dark;
  drop_small(explorer);
  explorer.press(ImGuiKey_S, ImGuiMod_Ctrl);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(saved("small.txt").find("Total params: 8"), std::string::npos) << saved("small.txt");
  run_command(explorer, "tree as json");
  EXPECT_NE(saved("small.json").find("\"path\": \"fc.weight\""), std::string::npos) << saved("small.json");
  run_command(explorer, "tree as csv");
  EXPECT_NE(saved("small.csv").find("fc.weight,weight,parameter"), std::string::npos) << saved("small.csv");
  run_command(explorer, "tree as markdown");
  EXPECT_NE(saved("small.md").find("weight | parameter |"), std::string::npos) << saved("small.md");
  run_command(explorer, "pdf");
  EXPECT_TRUE(saved("small.pdf").starts_with("%PDF-1.7")) << saved("small.pdf").substr(0, 200);
  EXPECT_TRUE(saved("small.pdf").ends_with("%%EOF\n"));
  explorer.press(ImGuiKey_E, kExportCtrlAlt);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(saved("small.svg").find("</svg>"), std::string::npos) << saved("small.svg");
  explorer.press(ImGuiKey_E, kExportCtrlShift);
  ASSERT_TRUE(explorer.settle());
  EXPECT_TRUE(saved("small.png").starts_with("\x89PNG")) << saved("small.png").size();
  explorer.press(ImGuiKey_M, ImGuiMod_Alt);
  ASSERT_TRUE(explorer.settle());
  explorer.press(ImGuiKey_E, kExportCtrlAlt);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(saved("small.map.svg").find("fc.weight: 6 parameters"), std::string::npos) << saved("small.map.svg");
}

INSTANTIATE_TEST_SUITE_P(Sizes, ExplorerSave,
                         ::testing::Values(std::tuple(1280.0F, 800.0F, true), std::tuple(360.0F, 740.0F, false)));

TEST(ExplorerSaveTensor, CtrlSWritesTheValuesOfTheTensorThatIsShown) {
  Explorer explorer;
  drop_small(explorer);
  explorer.app().select_when_opened("fc.bias");
  ASSERT_TRUE(explorer.settle());
  explorer.frames(2);
  explorer.press(ImGuiKey_S, ImGuiMod_Ctrl);
  ASSERT_TRUE(explorer.settle());
  const std::string file = saved("small.fc.bias.npy");
  EXPECT_EQ(file.size(), 128U + 8U) << file;
  EXPECT_NE(file.find("'shape': (2,)"), std::string::npos);
  run_command(explorer, "values looked csv");
  EXPECT_EQ(saved("small.fc.bias.csv").back(), '\n') << saved("small.fc.bias.csv");
}

/// A matrix of 4 x 5 with a NaN and an infinity.
void drop_matrix(Explorer& explorer) {
  const PlannedFile plan = plan_safetensors({{"fc.weight", "F32", {4, 5}}});
  std::string bytes = plan.beginning;
  for (int i = 0; i < 20; ++i) {
    const float value = i == 7 ? NAN : i == 13 ? -INFINITY : static_cast<float>(i) - 10;
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  explorer.drop("m.safetensors", base::make_memory_source("m.safetensors", to_bytes(bytes)));
  explorer.app().select_when_opened("fc.weight");
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.frames(2);
}

class ExplorerSavePart : public testing::TestWithParam<Look> {
 public:
  Explorer explorer{{}, GetParam().width, GetParam().height};
  void SetUp() override {
    explorer.app().force_theme(GetParam().theme);
    drop_matrix(explorer);
  }
  void set_part(const char* text) {
    const host::AccessNode* field = explorer.find(Role::Textbox, "Part of the tensor");
    ASSERT_NE(field, nullptr) << explorer.screen_text();
    explorer.ask(field->id, host::AccessAction::Kind::SetText, text);
    ASSERT_TRUE(explorer.settle());
    explorer.frames(2);
  }
};

TEST_P(ExplorerSavePart, TheHeatMapThatIsLookedAtIsAPictureWithItsWords) {
  explorer.press(ImGuiKey_E, kExportCtrlAlt);
  ASSERT_TRUE(explorer.settle());
  const std::string whole = saved("m.fc.weight.svg");
  for (const char* part : {">fc.weight</text>", "float32 4 \xC3\x97 5", "data:image/png;base64,", "url(#falling)",
                           "url(#rising)", ">−10</text>", ">NaN</text>", "</svg>"}) {
    EXPECT_NE(whole.find(part), std::string::npos) << part << "\n" << whole;
  }
  set_part("[1:3, ::2].T");
  explorer.press(ImGuiKey_E, kExportCtrlAlt);
  ASSERT_TRUE(explorer.settle());
  const std::string part = saved("m.fc.weight[1_3,__2].permute(1,0).svg");
  EXPECT_NE(part.find("fc.weight[1:3, ::2].permute(1, 0)"), std::string::npos) << part;
  EXPECT_NE(part.find("(3, 2)"), std::string::npos) << part;
  explorer.press(ImGuiKey_E, kExportCtrlShift);
  ASSERT_TRUE(explorer.settle());
  EXPECT_TRUE(saved("m.fc.weight[1_3,__2].permute(1,0).png").starts_with("\x89PNG"));
}

TEST_P(ExplorerSavePart, ValuesAreThoseThatAreLookedAt) {
  set_part("[0, 1:4]");
  explorer.press(ImGuiKey_S, ImGuiMod_Ctrl);
  ASSERT_TRUE(explorer.settle());
  const std::string file = saved("m.fc.weight[0,1_4].npy");
  EXPECT_EQ(file.size(), 128U + 12U) << file;
  EXPECT_NE(file.find("'shape': (3,)"), std::string::npos) << file;
  set_part("[:, -1]");
  run_command(explorer, "values looked csv");
  EXPECT_EQ(saved("m.fc.weight[_,4].csv"), "-6,-1,4,9\n");
}

INSTANTIATE_TEST_SUITE_P(Looks, ExplorerSavePart, all_looks(), look_name);

TEST(ExplorerSaveTensor, WithoutATensorItSaysSo) {
  Explorer explorer;
  drop_small(explorer);
  run_command(explorer, "values looked npy");
  EXPECT_TRUE(null_host().saved.empty());
}

TEST(ExplorerSaveLarge, AHundredThousandRowsAreWrittenInSlicesAndCanBeCancelled) {
  Explorer explorer({blocks_sample(50'000)});
  explorer.app().open_sample("blocks");
  ASSERT_TRUE(explorer.settle());
  explorer.press(ImGuiKey_S, ImGuiMod_Ctrl);
  explorer.frames(3);
  EXPECT_TRUE(null_host().saved.empty()) << "it takes longer than three frames";
  EXPECT_NE(explorer.find(Role::Progressbar, "Saving"), nullptr) << explorer.screen_text();
  const host::AccessNode* cancel = explorer.find(Role::Button, "Cancel Saving");
  ASSERT_NE(cancel, nullptr) << explorer.screen_text();
  explorer.ask(cancel->id, host::AccessAction::Kind::Activate);
  explorer.frames(3);
  EXPECT_EQ(explorer.find(Role::Progressbar, "Saving"), nullptr) << explorer.screen_text();
  EXPECT_TRUE(null_host().saved.empty());
  explorer.press(ImGuiKey_S, ImGuiMod_Ctrl);
  ASSERT_TRUE(explorer.settle());
  const std::string& text = null_host().saved.begin()->second;
  EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 100'000);
}

}  // namespace
}  // namespace nns::tests
