// The map of what takes the room, by keyboard and by assistive technology.
#include <gtest/gtest.h>

#include <string>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/ui/explorer.h"
#include "ui/app/settings.h"

namespace nns::tests {
namespace {

using host::AccessAction;
using host::AccessNode;
using host::Role;

void drop_mapped(Explorer& explorer, const std::vector<PlannedTensor>& tensors) {
  const PlannedFile plan = plan_safetensors(tensors);
  explorer.drop("model.safetensors", base::make_memory_source("model.safetensors", to_bytes(plan.whole())));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
}

std::vector<PlannedTensor> small_mapped_model() {
  return {{"embed.weight", "F32", {400, 100}},        {"layers.0.attn.weight", "F32", {100, 100}},
          {"layers.0.mlp.weight", "F32", {200, 100}}, {"layers.1.attn.weight", "F32", {100, 100}},
          {"layers.1.mlp.weight", "F32", {200, 100}}, {"norm.running_mean", "F32", {64}}};
}

const AccessNode* the_map(const Explorer& explorer) { return explorer.find(Role::Img, "Map of "); }

void open_map(Explorer& explorer) {
  explorer.press(ImGuiKey_M, ImGuiMod_Alt);
  ASSERT_TRUE(explorer.settle());
  explorer.frames(2);
  ASSERT_NE(the_map(explorer), nullptr) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Img, "Map of ")) << explorer.screen_text();
}

class MapAtSize : public testing::TestWithParam<std::pair<float, float>> {};

TEST_P(MapAtSize, WalksFromTheWholeToATensorAndBack) {
  Explorer explorer({}, GetParam().first, GetParam().second);
  drop_mapped(explorer, small_mapped_model());
  open_map(explorer);
  explorer.press(ImGuiKey_DownArrow);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(the_map(explorer)->value.find("layers"), std::string::npos)
      << "the heaviest group is first: " << the_map(explorer)->value;
  explorer.press(ImGuiKey_RightArrow);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(the_map(explorer)->value.find("embed"), std::string::npos) << the_map(explorer)->value;
  EXPECT_NE(the_map(explorer)->value.find("40,000 parameters"), std::string::npos) << the_map(explorer)->value;
  explorer.press(ImGuiKey_LeftArrow);
  explorer.press(ImGuiKey_DownArrow);
  explorer.press(ImGuiKey_DownArrow);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(the_map(explorer)->value.find("layers.0.mlp"), std::string::npos) << the_map(explorer)->value;
  explorer.press(ImGuiKey_UpArrow);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(the_map(explorer)->value.find("layers.0"), std::string::npos) << the_map(explorer)->value;
  EXPECT_NE(explorer.find(Role::Heading, "layers.0"), nullptr) << "the tree's choice goes along";
}

INSTANTIATE_TEST_SUITE_P(Sizes, MapAtSize, testing::Values(std::pair{1600.0F, 1000.0F}, std::pair{360.0F, 740.0F}));

TEST(ExplorerMap, ShowsWhatTheTreeChooses) {
  Explorer explorer;
  drop_mapped(explorer, small_mapped_model());
  open_map(explorer);
  explorer.app().select_when_opened("layers.1.attn");
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(the_map(explorer)->value.find("layers.1.attn"), std::string::npos) << the_map(explorer)->value;
}

TEST(ExplorerMap, EnterLetsAGroupFillItAndTheWayLeadsBack) {
  Explorer explorer;
  drop_mapped(explorer, small_mapped_model());
  open_map(explorer);
  explorer.press(ImGuiKey_DownArrow);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  explorer.frames(2);
  EXPECT_EQ(explorer.find(Role::Button, "embed"), nullptr) << explorer.screen_text();
  ASSERT_NE(explorer.find(Role::Button, "1, 30,000 parameters"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_PageUp);
  explorer.frames(3);
  EXPECT_NE(explorer.find(Role::Button, "embed"), nullptr) << explorer.screen_text();
}

TEST(ExplorerMap, AChoiceOutsideOfWhatIsShownShowsEverythingAgain) {
  Explorer explorer;
  drop_mapped(explorer, small_mapped_model());
  open_map(explorer);
  explorer.press(ImGuiKey_DownArrow);
  explorer.press(ImGuiKey_Enter);
  explorer.frames(3);
  explorer.app().select_when_opened("embed.weight");
  ASSERT_TRUE(explorer.settle());
  explorer.frames(3);
  EXPECT_NE(the_map(explorer)->value.find("embed"), std::string::npos) << the_map(explorer)->value;
}

TEST(ExplorerMap, BytesShowBuffersAndTheLegendSaysWhatColoursMean) {
  Explorer explorer;
  drop_mapped(explorer, small_mapped_model());
  open_map(explorer);
  EXPECT_EQ(explorer.find(Role::ListItem, "buffer:"), nullptr);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Bytes"));
  explorer.press(ImGuiKey_Enter);
  explorer.frames(3);
  EXPECT_NE(explorer.find(Role::ListItem, "parameter: 400,000 bytes, 5 tensors"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::ListItem, "buffer: 256 bytes, 1 tensor"), nullptr) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Type"));
  explorer.press(ImGuiKey_Enter);
  explorer.frames(3);
  EXPECT_NE(explorer.find(Role::ListItem, "float32: 400,256 bytes, 6 tensors"), nullptr) << explorer.screen_text();
}

TEST(ExplorerMap, AssistiveTechnologyPressesATile) {
  Explorer explorer;
  drop_mapped(explorer, small_mapped_model());
  open_map(explorer);
  const AccessNode* tile = explorer.find(Role::Button, "embed, 40,000");
  ASSERT_NE(tile, nullptr) << explorer.screen_text();
  explorer.ask(tile->id, AccessAction::Kind::Activate);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(the_map(explorer)->value.find("embed"), std::string::npos) << the_map(explorer)->value;
}

TEST(ExplorerMap, SaysWhatToDoWhereThereAreNoParameters) {
  Explorer explorer;
  drop_mapped(explorer, {{"norm.running_mean", "F32", {64}}});
  explorer.press(ImGuiKey_M, ImGuiMod_Alt);
  explorer.frames(3);
  EXPECT_NE(explorer.screen_text().find("No parameters"), std::string::npos) << explorer.screen_text();
}

TEST(ExplorerMap, FindsOneOfAHundredThousandTiles) {
  std::vector<PlannedTensor> tensors;
  for (int layer = 0; layer < 100; ++layer) {
    for (int expert = 0; expert < 1000; ++expert) {
      tensors.push_back({"layers." + std::to_string(layer) + ".experts." + std::to_string(expert), "F32", {2}});
    }
  }
  Explorer explorer;
  drop_mapped(explorer, tensors);
  open_map(explorer);
  EXPECT_LT(explorer.controls().size(), 2000U) << "only tiles that are large enough to be read are controls";
  explorer.app().select_when_opened("layers.57.experts.321");
  ASSERT_TRUE(explorer.settle());
  explorer.type("f");
  explorer.frames(2);
  const AccessNode* tile = explorer.find(Role::Button, "321, 2 parameters");
  ASSERT_NE(tile, nullptr) << explorer.screen_text().substr(0, 2000);
  EXPECT_EQ(tile->checked, 1);
}

}  // namespace
}  // namespace nns::tests
