// Letters from typefaces that lie in folders; here those that the program carries, written to files.
#include "native/host/system_fonts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/native/temp_folder.h"
#include "ui/app/fonts.h"

namespace nns::tests {
namespace {

using host::Glyph;
using host::GlyphStyle;
using host::SystemFonts;

constexpr float kEm = 32;
constexpr float kMonoAdvance = 0.6F * kEm;  // of each letter of JetBrains Mono

TEST(SystemFontsDraw, GivesALetterWithItsPlaceAtThePen) {
  const TempFolder folder;
  folder.write("deep/er/JetBrainsMono.TTF", fonts::kJetBrainsMonoRegularTtf);
  SystemFonts fonts({folder.path()});
  const std::optional<Glyph> drawn = fonts.draw(U'E', GlyphStyle::Regular, kEm);
  ASSERT_TRUE(drawn.has_value());
  EXPECT_FLOAT_EQ(drawn->advance, kMonoAdvance);
  EXPECT_FALSE(drawn->is_coloured);
  // A capital letter stands on the base line and is about 0.73 em high.
  EXPECT_NEAR(drawn->top, -0.73F * kEm, 2);
  EXPECT_NEAR(drawn->top + static_cast<float>(drawn->height), 0, 1.1F);
  EXPECT_GE(drawn->left, 0);
  EXPECT_LE(drawn->left + static_cast<float>(drawn->width), drawn->advance + 1);
  ASSERT_EQ(drawn->pixels.size(), std::size_t{drawn->width} * drawn->height * 4);
  int inked = 0;
  for (std::size_t at = 0; at < drawn->pixels.size(); at += 4) {
    EXPECT_EQ(drawn->pixels[at], 255);
    EXPECT_EQ(drawn->pixels[at + 1], 255);
    EXPECT_EQ(drawn->pixels[at + 2], 255);
    inked += drawn->pixels[at + 3] > 127 ? 1 : 0;
  }
  EXPECT_GT(inked, 50);
  EXPECT_LT(inked, static_cast<int>(drawn->width * drawn->height * 3 / 4));
}

TEST(SystemFontsDraw, GivesASpaceWithoutAPicture) {
  const TempFolder folder;
  folder.write("a.ttf", fonts::kJetBrainsMonoRegularTtf);
  const std::optional<Glyph> drawn = SystemFonts({folder.path()}).draw(U' ', GlyphStyle::Code, kEm);
  ASSERT_TRUE(drawn.has_value());
  EXPECT_EQ(drawn->width, 0U);
  EXPECT_FLOAT_EQ(drawn->advance, kMonoAdvance);
}

TEST(SystemFontsDraw, GivesNothingWhereNoTypefaceHasTheLetter) {
  const TempFolder folder;
  folder.write("a.ttf", fonts::kJetBrainsMonoRegularTtf);
  EXPECT_FALSE(SystemFonts({folder.path()}).draw(U'\u6F22', GlyphStyle::Regular, kEm).has_value());
  EXPECT_FALSE(SystemFonts({folder.path() / "not there"}).draw(U'a', GlyphStyle::Regular, kEm).has_value());
}

TEST(SystemFontsDraw, TakesATypefaceThatFitsTheTextAround) {
  const TempFolder folder;
  folder.write("Some-BoldItalic.ttf", fonts::kJetBrainsMonoRegularTtf);
  folder.write("Some-Mono.ttf", fonts::kJetBrainsMonoRegularTtf);
  folder.write("Some-Regular.otf", fonts::kInterRegularOtf);
  folder.write("Some-Bold.otf", fonts::kInterSemiBoldOtf);
  SystemFonts fonts({folder.path()});
  const auto advance = [&](GlyphStyle style) { return fonts.draw(U'W', style, kEm).value_or(Glyph()).advance; };
  EXPECT_FLOAT_EQ(advance(GlyphStyle::Code), kMonoAdvance);
  EXPECT_GT(advance(GlyphStyle::Regular), kMonoAdvance);
  EXPECT_GT(advance(GlyphStyle::Strong), advance(GlyphStyle::Regular));
}

TEST(SystemFontsDraw, PassesOverFilesThatAreNoTypeface) {
  const TempFolder folder;
  const std::string_view whole = fonts::kJetBrainsMonoRegularTtf;
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{13}, std::size_t{200}, whole.size() / 2}) {
    folder.write(("cut" + std::to_string(size) + ".ttf"), whole.substr(0, size));
  }
  folder.write("text.otf", "This is no typeface, but it is long enough to be one.");
  folder.write("notes.txt", whole);
  EXPECT_FALSE(SystemFonts({folder.path()}).draw(U'a', GlyphStyle::Regular, kEm).has_value());
  folder.write("whole.ttf", whole);
  EXPECT_TRUE(SystemFonts({folder.path()}).draw(U'a', GlyphStyle::Regular, kEm).has_value());
}

}  // namespace
}  // namespace nns::tests
