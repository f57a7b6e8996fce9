#include <gtest/gtest.h>

#include "tests/ui/explorer.h"
#include "ui/app/history.h"
#include "ui/app/settings.h"

namespace nns::app {
namespace {

TEST(HistoryVisit, FromTheMiddleDropsWhatWasAhead) {
  History history;
  for (std::uint32_t row = 0; row < 4; ++row) history.visit({1, row});
  EXPECT_EQ(history.back()->row, 2U);
  EXPECT_EQ(history.back()->row, 1U);
  history.visit({1, 9});
  EXPECT_FALSE(history.can_go_forward());
  EXPECT_EQ(history.back()->row, 1U);
  EXPECT_EQ(history.forward()->row, 9U);
}

TEST(HistoryVisit, TheSamePlaceTwiceIsOnePlace) {
  History history;
  history.visit({1, 5});
  history.visit({1, 5});
  EXPECT_FALSE(history.can_go_back());
}

TEST(HistoryForget, DropsThePlacesOfAClosedDocument) {
  History history;
  history.visit({0, 0});
  history.visit({1, 1});
  history.visit({2, 2});
  history.visit({1, 3});
  history.forget(1);
  EXPECT_FALSE(history.can_go_forward());
  EXPECT_EQ(history.back()->document, 0U);
}

TEST(SettingsLoad, NonsenseGivesDefaults) {
  tests::null_host() = {};
  tests::null_host().settings = {{"theme", "purple"}, {"scale", "many"}, {"tree_share", "-4"}};
  const Settings settings = load_settings();
  EXPECT_EQ(settings.theme, panels::ThemeChoice::System);
  EXPECT_EQ(settings.scale_percent, 100);
  EXPECT_FLOAT_EQ(settings.tree_share, 0.46F);
}

TEST(SettingsSave, LoadsAsItWasSaved) {
  tests::null_host() = {};
  save_settings({.theme = panels::ThemeChoice::Light, .scale_percent = 150, .tree_share = 0.3F, .hides_tree = true});
  const Settings settings = load_settings();
  EXPECT_EQ(settings.theme, panels::ThemeChoice::Light);
  EXPECT_EQ(settings.scale_percent, 150);
  EXPECT_FLOAT_EQ(settings.tree_share, 0.3F);
  EXPECT_TRUE(settings.hides_tree);
}

TEST(SettingsScale, StepsStayBetweenTheSmallestAndTheLargest) {
  int percent = 100;
  for (int step = 0; step < 40; ++step) percent = next_scale(percent, 1);
  EXPECT_EQ(percent, 300);
  for (int step = 0; step < 40; ++step) percent = next_scale(percent, -1);
  EXPECT_EQ(percent, 50);
  EXPECT_EQ(next_scale(173, 0), 100);
}

}  // namespace
}  // namespace nns::app
