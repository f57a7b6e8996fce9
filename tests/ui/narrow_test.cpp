// The explorer on a screen as narrow as a phone's.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/ui/explorer.h"

namespace nns::tests {
namespace {

using host::AccessNode;
using host::Role;

void open_file(Explorer& explorer, const std::string& name) {
  const std::string bytes = plan_safetensors({{"fc.weight", "F32", {2, 3}}}).whole();
  explorer.drop(name, base::make_memory_source(name, to_bytes(bytes)));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.frames(2);
}

TEST(NarrowToolbar, TheNameOfADocumentHasRoomAndNothingOverlaps) {
  Explorer explorer({}, 360, 740);
  open_file(explorer, "a-model-with-a-long-name.safetensors");
  const AccessNode* tab = explorer.find(Role::Tab, "a-model-with-a-long-name");
  ASSERT_NE(tab, nullptr) << explorer.screen_text();
  EXPECT_GT(tab->width, 130);

  std::vector<AccessNode> controls;
  for (const char* name : {"Open", "Open another", "Search", "Theme", "Keys and help", "Close a-model"}) {
    const AccessNode* button = explorer.find(Role::Button, name);
    if (button != nullptr && button->y < 60) controls.push_back(*button);
  }
  EXPECT_GE(controls.size(), 5U) << explorer.screen_text();
  controls.push_back(*tab);
  for (std::size_t a = 0; a < controls.size(); ++a) {
    EXPECT_GE(controls[a].x, 0) << controls[a].name;
    EXPECT_LE(controls[a].x + controls[a].width, 360) << controls[a].name;
    for (std::size_t b = a + 1; b < controls.size(); ++b) {
      const bool overlaps = controls[a].id != controls[b].id && controls[a].x < controls[b].x + controls[b].width - 1 &&
                            controls[b].x < controls[a].x + controls[a].width - 1;
      EXPECT_FALSE(overlaps) << controls[a].name << " and " << controls[b].name;
    }
  }
}

TEST(NarrowToolbar, SeveralDocumentsHaveALineOfTabsWithTheirNames) {
  Explorer explorer({}, 360, 740);
  open_file(explorer, "base.safetensors");
  open_file(explorer, "tuned.safetensors");
  open_file(explorer, "a-model-with-a-long-name.safetensors");
  for (const char* name : {"base.safetensors", "tuned.safetensors", "a-model-with-a-long-name"}) {
    const AccessNode* tab = explorer.find(Role::Tab, name);
    ASSERT_NE(tab, nullptr) << explorer.screen_text();
    EXPECT_GE(tab->x, 0) << name;
    EXPECT_LE(tab->x + tab->width, 360) << name;
    EXPECT_GT(tab->width, 60) << name;
  }
  const AccessNode* open = explorer.find(Role::Button, "Open");
  ASSERT_NE(open, nullptr);
  EXPECT_LE(open->y + open->height, explorer.find(Role::Tab, "base.safetensors")->y);
  EXPECT_NE(explorer.find(Role::Button, "Back"), nullptr) << explorer.screen_text();
}

TEST(NarrowScreen, TheTreeGivesItsRoomToTheMapAndComesBack) {
  Explorer explorer({}, 360, 740);
  open_file(explorer, "model.safetensors");
  explorer.press(ImGuiKey_M, ImGuiMod_Alt);
  explorer.frames(3);
  const auto map_height = [&] {
    const AccessNode* map = explorer.find(Role::Img, "Map");
    return map == nullptr ? 0 : map->height;
  };
  EXPECT_GT(map_height(), 160) << explorer.screen_text();
  const AccessNode* button = explorer.find(Role::Button, "Hide the tree");
  ASSERT_NE(button, nullptr) << explorer.screen_text();
  explorer.ask(button->id, host::AccessAction::Kind::Activate);
  explorer.frames(3);
  EXPECT_GT(map_height(), 400) << explorer.screen_text();
  EXPECT_EQ(explorer.count(Role::Tree), 0U);
  ASSERT_NE(explorer.focused(), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.focused()->name, "Show the tree");

  // Keys for it, too; who asks for the tree's filter wants to see the tree.
  explorer.press(ImGuiKey_B, ImGuiMod_Ctrl);
  explorer.frames(2);
  EXPECT_EQ(explorer.count(Role::Tree), 1U) << explorer.screen_text();
  explorer.press(ImGuiKey_B, ImGuiMod_Ctrl);
  explorer.press_chord(ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiKey_F);
  explorer.frames(2);
  EXPECT_EQ(explorer.count(Role::Tree), 1U) << explorer.screen_text();
}

TEST(NarrowScreen, TheTreesHeightIsKeptApartFromItsWidth) {
  Explorer explorer({}, 360, 740);
  open_file(explorer, "model.safetensors");
  ASSERT_TRUE(explorer.tab_to(Role::Separator, "Height of the tree")) << explorer.screen_text();
  explorer.press(ImGuiKey_DownArrow);
  explorer.frames(2);
  EXPECT_NE(null_host().settings["stacked_share"], "36");
  EXPECT_EQ(null_host().settings["tree_share"], "46");
}

}  // namespace
}  // namespace nns::tests
