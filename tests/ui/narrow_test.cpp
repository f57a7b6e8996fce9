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

}  // namespace
}  // namespace nns::tests
