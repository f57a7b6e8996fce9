// Letters that the embedded typefaces lack come from the platform.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/ui/explorer.h"

namespace nns::tests {
namespace {

constexpr char32_t kZhe = 0x436;
constexpr char32_t kSmile = 0x1F642;

host::Glyph box(std::uint32_t width, std::uint32_t height, float advance, bool is_coloured) {
  host::Glyph made;
  made.width = width;
  made.height = height;
  made.left = 1;
  made.top = -static_cast<float>(height);
  made.advance = advance;
  made.is_coloured = is_coloured;
  for (std::uint32_t i = 0; i < width * height; ++i) {
    for (const int value :
         {is_coloured ? 250 : 255, is_coloured ? 200 : 255, is_coloured ? 10 : 255, 40 + static_cast<int>(i)})
      made.pixels.push_back(static_cast<std::uint8_t>(value));
  }
  return made;
}

void drop_glyph_file(Explorer& explorer, const std::string& name) {
  const std::string bytes = plan_safetensors({{name + ".weight", "F32", {2, 2}}}).whole();
  explorer.drop(name + ".safetensors", base::make_memory_source(name, to_bytes(bytes)));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
}

ImFontBaked* baked(float size = 15) { return ImGui::GetIO().Fonts->Fonts[0]->GetFontBaked(size); }

std::size_t times_asked(char32_t letter) {
  const auto& asked = null_host().asked_glyphs;
  return static_cast<std::size_t>(std::count(asked.begin(), asked.end(), letter));
}

TEST(SystemGlyphs, AreNotAskedForWhileTheTypefacesHaveEveryLetter) {
  Explorer explorer({blocks_sample(30)});
  explorer.app().open_sample("blocks");
  ASSERT_TRUE(explorer.settle());
  drop_glyph_file(explorer, "r\xC3\xA9seau \xCE\xB1");
  explorer.press(ImGuiKey_Slash);
  explorer.frames(3);
  EXPECT_EQ(null_host().asked_glyphs, std::vector<char32_t>())
      << "also not for what stands for a letter that is missing";
}

TEST(SystemGlyphs, AreDrawnOnceInEachSizeInWhichTheyAreSeen) {
  Explorer explorer;
  null_host().glyphs[kZhe] = box(4, 6, 7, false);
  drop_glyph_file(explorer, "\xD0\xB6\xD0\xB6\xD0\xB6");
  const std::size_t times = times_asked(kZhe);
  EXPECT_GT(times, 0U);
  EXPECT_LT(times, 12U) << "sizes and typefaces, not occurrences";
  explorer.frames(20);
  EXPECT_EQ(times_asked(kZhe), times);
}

TEST(SystemGlyphs, StandOnTheBaseLineWithTheirPixels) {
  const Explorer explorer;
  null_host().glyphs[kZhe] = box(4, 6, 7, false);
  null_host().glyphs[kSmile] = box(5, 5, 9, true);
  ImFontBaked* const font = baked();
  const ImFontGlyph* const letter = font->FindGlyphNoFallback(kZhe);
  ASSERT_NE(letter, nullptr);
  EXPECT_FLOAT_EQ(letter->AdvanceX, 7);
  EXPECT_EQ(letter->Colored, 0U);
  EXPECT_FLOAT_EQ(letter->X0, 1);
  EXPECT_FLOAT_EQ(letter->X1, 5);
  EXPECT_FLOAT_EQ(letter->Y1, std::round(font->Ascent));
  EXPECT_FLOAT_EQ(letter->Y0, std::round(font->Ascent) - 6);
  const ImTextureData& texture = *ImGui::GetIO().Fonts->TexData;
  const auto texel = [&](const ImFontGlyph& glyph, int x, int y) {
    const int column = static_cast<int>(std::lround(glyph.U0 * static_cast<float>(texture.Width))) + x;
    const int row = static_cast<int>(std::lround(glyph.V0 * static_cast<float>(texture.Height))) + y;
    return texture.Pixels + (row * texture.Width + column) * texture.BytesPerPixel;
  };
  EXPECT_EQ(texel(*letter, 2, 3)[3], 40 + 3 * 4 + 2);
  const ImFontGlyph* const smile = font->FindGlyphNoFallback(kSmile);
  ASSERT_NE(smile, nullptr) << "beyond the first 65,536 letters";
  EXPECT_EQ(smile->Colored, 1U) << "it keeps its own colours";
  EXPECT_EQ(texel(*smile, 1, 1)[0], 250);
  EXPECT_EQ(texel(*smile, 1, 1)[2], 10);
}

TEST(SystemGlyphs, FillAsManyPixelsAsTheDisplayHas) {
  const Explorer explorer;
  null_host().glyphs[kZhe] = box(4, 6, 7, false);
  ImFont* const font = ImGui::GetIO().Fonts->Fonts[0];
  const ImFontGlyph* const letter = font->GetFontBaked(15, 2)->FindGlyphNoFallback(kZhe);
  ASSERT_NE(letter, nullptr);
  EXPECT_FLOAT_EQ(letter->AdvanceX, 3.5F);
  EXPECT_FLOAT_EQ(letter->X1 - letter->X0, 2);
}

TEST(SystemGlyphs, LeaveAQuestionMarkForWhatNobodyHasAndForWhatNobodySees) {
  const Explorer explorer;
  ImFontBaked* const font = baked();
  const float question = font->FindGlyph('?')->AdvanceX;
  EXPECT_FLOAT_EQ(font->FindGlyph(kZhe)->AdvanceX, question);
  EXPECT_EQ(times_asked(kZhe), 1U);
  // Directions, signs without width, private signs: a name must not look like another one.
  for (const ImWchar hidden : {0x200BU, 0x202EU, 0x2066U, 0xFEFFU, 0xE000U, 0x110000U - 1, 0xE0041U}) {
    EXPECT_FLOAT_EQ(font->FindGlyph(hidden)->AdvanceX, question) << hidden;
    EXPECT_EQ(times_asked(hidden), 0U) << hidden;
  }
  // What joins two pictures, or chooses one of two forms.
  for (const ImWchar joint : {0x200DU, 0xFE0FU}) EXPECT_FLOAT_EQ(font->FindGlyph(joint)->AdvanceX, 0) << joint;
}

}  // namespace
}  // namespace nns::tests
