// Frames that show what is on the screen already are not drawn; all others are.
#include "ui/widgets/drawn_picture.h"

#include <gtest/gtest.h>

#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/ui/explorer.h"

namespace nns::tests {
namespace {

using widgets::DrawnPicture;

/// How many of the next frames are drawn.
int drawn(Explorer& explorer, DrawnPicture& picture, int frames) {
  int count = 0;
  for (int i = 0; i < frames; ++i) {
    explorer.frames();
    count += picture.take(*ImGui::GetDrawData()) ? 1 : 0;
  }
  return count;
}

/// The explorer with a tensor in each of two modules, at rest.
struct AtRest {
  AtRest() {
    const std::string bytes =
        plan_safetensors({{"first.weight", "F32", {4, 4}}, {"second.weight", "F32", {8, 8}}}).whole();
    explorer.drop("model.safetensors", base::make_memory_source("model.safetensors", to_bytes(bytes)));
    rest();
  }
  void rest() {
    EXPECT_TRUE(explorer.settle()) << explorer.screen_text();
    explorer.frames(5);
  }
  Explorer explorer;
  DrawnPicture picture;
};

TEST(DrawnPicture, AScreenAtRestIsDrawnOnce) {
  AtRest at;
  EXPECT_EQ(drawn(at.explorer, at.picture, 6), 1);
}

TEST(DrawnPicture, TheMapAndTheHeatMapAtRestAreDrawnOnce) {
  for (const ImGuiKey tab : {ImGuiKey_2, ImGuiKey_3}) {
    AtRest at;
    at.explorer.press(ImGuiKey_End);
    at.explorer.press(tab, ImGuiMod_Alt);
    at.rest();
    EXPECT_EQ(drawn(at.explorer, at.picture, 6), 1) << at.explorer.screen_text();
  }
}

TEST(DrawnPicture, WhatMovesIsDrawn) {
  AtRest at;
  ASSERT_EQ(drawn(at.explorer, at.picture, 3), 1);
  at.explorer.press(ImGuiKey_DownArrow);
  EXPECT_TRUE(at.picture.take(*ImGui::GetDrawData()));
  at.rest();
  at.picture.take(*ImGui::GetDrawData());
  EXPECT_EQ(drawn(at.explorer, at.picture, 3), 0);
}

TEST(DrawnPicture, AnotherColourOfTheGroundIsDrawn) {
  AtRest at;
  at.explorer.app().force_theme(panels::ThemeChoice::Light);
  at.rest();
  at.picture.take(*ImGui::GetDrawData());
  EXPECT_EQ(drawn(at.explorer, at.picture, 3), 0);
  at.explorer.app().force_theme(panels::ThemeChoice::Dark);
  EXPECT_GE(drawn(at.explorer, at.picture, 3), 1);
}

TEST(DrawnPicture, AnotherSizeIsDrawn) {
  AtRest at;
  at.picture.take(*ImGui::GetDrawData());
  ImGui::GetIO().DisplayFramebufferScale = ImVec2(2, 2);
  EXPECT_GE(drawn(at.explorer, at.picture, 1), 1);
}

TEST(DrawnPicture, WhatWasForgottenIsDrawn) {
  AtRest at;
  ASSERT_EQ(drawn(at.explorer, at.picture, 3), 1);
  at.picture.forget();
  EXPECT_EQ(drawn(at.explorer, at.picture, 3), 1);
}

/// A draw list with one callback, rendered.
class CallbackFrame {
 public:
  explicit CallbackFrame(int data) {
    ImGui::NewFrame();
    ImGui::GetForegroundDrawList()->AddCallback(&on_draw, &data, sizeof data);
    ImGui::Render();
  }
  static void on_draw(const ImDrawList*, const ImDrawCmd*) {}
};

TEST(DrawnPicture, CallbacksAreComparedByTheirData) {
  const Explorer context;
  DrawnPicture picture;
  const auto take = [&picture](int data) {
    const CallbackFrame frame(data);
    return picture.take(*ImGui::GetDrawData());
  };
  (void)take(1);
  (void)take(1);
  EXPECT_FALSE(take(1));
  EXPECT_TRUE(take(2));
  EXPECT_FALSE(take(2));
}

TEST(DrawnPicture, ATextureThatIsToBeSentIsDrawn) {
  AtRest at;
  ASSERT_EQ(drawn(at.explorer, at.picture, 3), 1);
  ImDrawData& data = *ImGui::GetDrawData();
  ASSERT_NE(data.Textures, nullptr);
  ASSERT_FALSE(data.Textures->empty());
  ImTextureData& texture = *data.Textures->front();
  const ImTextureStatus before = texture.Status;
  texture.Status = ImTextureStatus_WantUpdates;
  EXPECT_TRUE(at.picture.take(data));
  texture.Status = before;
  EXPECT_FALSE(at.picture.take(data));
}

}  // namespace
}  // namespace nns::tests
