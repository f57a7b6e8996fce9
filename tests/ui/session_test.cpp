// What was open comes back: after a reload of the page, and when the program starts again.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/valued_safetensors.h"
#include "tests/ui/explorer.h"

namespace nns::tests {
namespace {

using host::AccessNode;
using host::Role;
using Settings = std::map<std::string, std::string, std::less<>>;

std::string model(float value, bool is_larger = false) {
  std::vector<ValuedTensor> tensors = {float_tensor("h.0.weight", {2, 2}, {1, 2, 3, 4}),
                                       float_tensor("h.1.weight", {2, 2}, {1, 2, 3, value})};
  if (is_larger) tensors.push_back(float_tensor("head.weight", {1, 2, 3}));
  return valued_safetensors(tensors);
}

std::shared_ptr<base::ByteSource> source_of(const std::string& name, const std::string& bytes) {
  return base::make_memory_source(name, to_bytes(bytes));
}

void drop_in_session(Explorer& explorer, const std::string& name, const std::string& bytes,
                     const std::string& place = {}) {
  explorer.drop(name, source_of(name, bytes), place);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
}

void select_in_session(Explorer& explorer, const std::string& path) {
  explorer.app().select_when_opened(path);
  ASSERT_TRUE(explorer.settle());
}

std::string session_heading(const Explorer& explorer) {
  const AccessNode* node = explorer.find(Role::Heading);
  return node == nullptr ? std::string() : node->name;
}

std::vector<std::string> tab_names(const Explorer& explorer) {
  std::vector<std::string> names;
  for (const AccessNode& node : explorer.controls()) {
    if (node.role == Role::Tab && node.name.find(".safetensors") != std::string::npos) names.push_back(node.name);
  }
  return names;
}

/// A page that is loaded anew in the same tab: the settings are those of before, nothing else.
struct Reload {
  Settings settings;
  std::string link;
  void leave() {
    settings = null_host().settings;
    link = null_host().link;
  }
  void come_back(bool is_page = true) const {
    null_host().settings = settings;
    null_host().opens_paths = !is_page;
    if (!is_page) null_host().link_base = {};
  }
};

TEST(ExplorerSession, TabsKeepTheirOrderAndEachItsPlace) {
  Reload page;
  {
    Explorer explorer;
    for (const char* name : {"a.safetensors", "b.safetensors", "c.safetensors"})
      drop_in_session(explorer, name, model(4), name);
    select_in_session(explorer, "h.1");
    explorer.press(ImGuiKey_PageUp, ImGuiMod_Ctrl);
    select_in_session(explorer, "h.0.weight");
    page.leave();
  }
  Explorer explorer;
  page.come_back();
  for (const char* name : {"a.safetensors", "b.safetensors", "c.safetensors"}) {
    explorer.keep(name, source_of(name, model(4)), name);
  }
  explorer.app().restore(page.link);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(session_heading(explorer), "h.0.weight") << explorer.screen_text();
  EXPECT_EQ(tab_names(explorer), (std::vector<std::string>{"a.safetensors", "b.safetensors", "c.safetensors"}));
  explorer.press(ImGuiKey_PageDown, ImGuiMod_Ctrl);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(session_heading(explorer), "h.1") << "of the tab to its right: " << explorer.screen_text();
}

TEST(ExplorerSession, AFileThatIsAskedForTakesItsPlaceAgain) {
  Reload page;
  {
    Explorer explorer;
    drop_in_session(explorer, "a.safetensors", model(4));
    drop_in_session(explorer, "b.safetensors", model(4), "b.safetensors");
    page.leave();
  }
  Explorer explorer;
  page.come_back();
  explorer.keep("b.safetensors", source_of("b.safetensors", model(4)), "b.safetensors");
  explorer.app().restore(page.link);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(tab_names(explorer), std::vector<std::string>{"b.safetensors"});
  EXPECT_NE(null_host().settings["tab.open"].find("file=a.safetensors"), std::string::npos)
      << "another reload asks, too";
  explorer.press(ImGuiKey_T, ImGuiMod_Ctrl);
  ASSERT_NE(explorer.find(Role::Status, "a.safetensors was open here before"), nullptr) << explorer.screen_text();
  drop_in_session(explorer, "a.safetensors", model(4));
  EXPECT_EQ(explorer.find(Role::Dialog), nullptr) << explorer.screen_text();
  EXPECT_EQ(tab_names(explorer), (std::vector<std::string>{"a.safetensors", "b.safetensors"}));
}

TEST(ExplorerSession, AFileThatIsNoLongerWantedIsForgotten) {
  Explorer explorer;
  null_host().opens_paths = false;
  null_host().settings["tab.open"] = "file=a.safetensors&select=h.1&size=10";
  explorer.app().restore("file=a.safetensors&select=h.1");
  explorer.frames(3);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Forget a.safetensors")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  explorer.frames(3);
  EXPECT_EQ(explorer.find(Role::Button, "Forget a.safetensors"), nullptr) << explorer.screen_text();
  EXPECT_EQ(null_host().settings["tab.open"], "");
  EXPECT_EQ(null_host().link, "");
}

struct Other {
  bool is_larger;
  const char* why;
};
class AnotherFile : public testing::TestWithParam<Other> {};

TEST_P(AnotherFile, IsToldAndMayBeUsedAnyway) {
  Reload page;
  {
    Explorer first;
    drop_in_session(first, "a.safetensors", model(4));
    select_in_session(first, "h.1");
    page.leave();
  }
  Explorer explorer;
  page.come_back();
  explorer.app().restore(page.link);
  explorer.frames(3);
  drop_in_session(explorer, "a.safetensors", GetParam().is_larger ? model(4, true) : model(5));
  ASSERT_NE(explorer.find(Role::Dialog, "a.safetensors is not the file that was open"), nullptr)
      << explorer.screen_text();
  const AccessNode* anyway = explorer.find(Role::Option, "Use it anyway");
  ASSERT_NE(anyway, nullptr);
  EXPECT_NE(anyway->description.find(GetParam().why), std::string::npos) << anyway->description;
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(explorer.find(Role::Dialog), nullptr);
  EXPECT_EQ(session_heading(explorer), "h.1") << explorer.screen_text();
}

INSTANTIATE_TEST_SUITE_P(Marks, AnotherFile,
                         testing::Values(Other{true, ", was "}, Other{false, "its first bytes are others"}));

TEST(ExplorerSession, TheSameFileIsTakenWithoutAQuestion) {
  Reload page;
  {
    Explorer first;
    drop_in_session(first, "a.safetensors", model(4));
    select_in_session(first, "h.1");
    page.leave();
  }
  Explorer explorer;
  page.come_back();
  explorer.app().restore(page.link);
  explorer.frames(3);
  drop_in_session(explorer, "a.safetensors", model(4));
  EXPECT_EQ(explorer.find(Role::Dialog), nullptr) << explorer.screen_text();
  EXPECT_EQ(session_heading(explorer), "h.1");
}

TEST(ExplorerSession, AFileOfAnotherNameIsToldAndAnotherOneCanBeChosen) {
  Reload page;
  {
    Explorer first;
    drop_in_session(first, "a.safetensors", model(4));
    page.leave();
  }
  Explorer explorer;
  page.come_back();
  null_host().picked = explorer.keep("b.safetensors", source_of("b.safetensors", model(4)), {});
  explorer.app().restore(page.link);
  explorer.frames(3);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Open it")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  ASSERT_NE(explorer.find(Role::Dialog, "b.safetensors is not the file that was open"), nullptr)
      << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Option, "Use it anyway")->description.find("another name"), std::string::npos);
  null_host().picked = explorer.keep("a.safetensors", source_of("a.safetensors", model(4)), {});
  explorer.press(ImGuiKey_DownArrow);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(null_host().pickings, 2);
  EXPECT_EQ(explorer.find(Role::Dialog), nullptr) << explorer.screen_text();
  EXPECT_EQ(tab_names(explorer), std::vector<std::string>{"a.safetensors"}) << explorer.screen_text();
}

TEST(ExplorerSession, EscapeGoesOnAsking) {
  Reload page;
  {
    Explorer first;
    drop_in_session(first, "a.safetensors", model(4));
    page.leave();
  }
  Explorer explorer;
  page.come_back();
  explorer.app().restore(page.link);
  explorer.frames(3);
  drop_in_session(explorer, "a.safetensors", model(5));
  ASSERT_NE(explorer.find(Role::Dialog), nullptr);
  explorer.press(ImGuiKey_Escape);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Button, "Forget a.safetensors"), nullptr) << explorer.screen_text();
  EXPECT_TRUE(explorer.app().mirror().documents().empty());
}

TEST(ExplorerSession, AFileThatIsFoundAgainAndHasChangedIsToldAndShown) {
  Reload page;
  {
    Explorer first;
    drop_in_session(first, "a.safetensors", model(4), "a.safetensors");
    select_in_session(first, "h.1");
    page.leave();
  }
  Explorer explorer;
  page.come_back();
  explorer.keep("a.safetensors", source_of("a.safetensors", model(5)), "a.safetensors");
  explorer.app().restore(page.link);
  for (int frame = 0; frame < 50 && explorer.find(Role::Tree) == nullptr; ++frame) explorer.frames(1);
  explorer.frames(2);
  EXPECT_NE(explorer.screen_text().find("a.safetensors has changed since it was open here"), std::string::npos)
      << explorer.screen_text();
  EXPECT_EQ(session_heading(explorer), "h.1");
}

TEST(ExplorerSession, AWindowShowsWhatItShowedBefore) {
  Reload window;
  {
    Explorer explorer;
    null_host().link_base = {};
    drop_in_session(explorer, "a.safetensors", model(4), "/data/a.safetensors");
    drop_in_session(explorer, "b.safetensors", model(4), "/data/b.safetensors");
    select_in_session(explorer, "h.1");
    explorer.press(ImGuiKey_PageUp, ImGuiMod_Ctrl);
    select_in_session(explorer, "h.0");
    explorer.press(ImGuiKey_Backslash, ImGuiMod_Ctrl);
    ASSERT_TRUE(explorer.settle());
    window.leave();
  }
  Explorer explorer;
  window.come_back(false);
  explorer.keep("a.safetensors", source_of("a.safetensors", model(4)), "/data/a.safetensors");
  explorer.keep("b.safetensors", source_of("b.safetensors", model(4)), "/data/b.safetensors");
  explorer.app().restore({});
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Main, "a.safetensors"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Region, "b.safetensors"), nullptr) << "side by side: " << explorer.screen_text();
}

TEST(ExplorerSession, AFileThatIsGoneIsToldAndTheOthersAreShown) {
  Reload window;
  {
    Explorer explorer;
    drop_in_session(explorer, "a.safetensors", model(4), "/data/a.safetensors");
    drop_in_session(explorer, "b.safetensors", model(4), "/data/b.safetensors");
    window.leave();
  }
  Explorer explorer;
  window.come_back(false);
  explorer.keep("a.safetensors", source_of("a.safetensors", model(4)), "/data/a.safetensors");
  explorer.app().restore({});
  ASSERT_TRUE(explorer.settle());
  ASSERT_NE(explorer.find(Role::Alert), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.screen_text().find("was open last time and is not there any more"), std::string::npos);
  EXPECT_EQ(tab_names(explorer), std::vector<std::string>{"a.safetensors"});
  EXPECT_NE(explorer.find(Role::Main, "a.safetensors"), nullptr) << "instead of the one that was shown";
  EXPECT_EQ(null_host().settings["tab.open"].find("b.safetensors"), std::string::npos) << "it is told once";
}

TEST(ExplorerSession, EverythingCanBeClosed) {
  Explorer explorer;
  drop_in_session(explorer, "a.safetensors", model(4));
  drop_in_session(explorer, "b.safetensors", model(5));
  explorer.press(ImGuiKey_C, ImGuiMod_Alt);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  explorer.press(ImGuiKey_P, ImGuiMod_Ctrl);
  explorer.type("close everything");
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_TRUE(explorer.app().mirror().documents().empty()) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Main, "Start"), nullptr) << explorer.screen_text();
  EXPECT_EQ(null_host().settings["tab.open"], "");
}

TEST(ExplorerSession, AProgramThatRunsIsKeptOnce) {
  Explorer explorer;
  explorer.drop("loop.py", source_of("loop.py", "n = 0\nwhile True:\n    n += 1\n"), "loop.py");
  for (int i = 0; i < 300 && explorer.find(Role::Button, "Stop") == nullptr; ++i) explorer.frames(1);
  ASSERT_NE(explorer.find(Role::Button, "Stop"), nullptr) << explorer.screen_text();
  explorer.frames(3);
  const std::string kept = null_host().settings["tab.open"];
  EXPECT_NE(kept.find("loop.py"), std::string::npos) << kept;
  EXPECT_EQ(kept.find("loop.py"), kept.rfind("loop.py")) << kept;
}

}  // namespace
}  // namespace nns::tests
