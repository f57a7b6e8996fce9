// Two documents compared, by keyboard and by assistive technology.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/valued_safetensors.h"
#include "tests/ui/explorer.h"
#include "tests/ui/look.h"
#include "ui/app/settings.h"

namespace nns::tests {
namespace {

using host::AccessAction;
using host::AccessNode;
using host::Role;

constexpr auto kCtrlAlt = static_cast<ImGuiKey>(ImGuiMod_Ctrl | ImGuiMod_Alt);
constexpr auto kCtrlShift = static_cast<ImGuiKey>(ImGuiMod_Ctrl | ImGuiMod_Shift);

void drop(Explorer& explorer, const std::string& name, const std::string& bytes) {
  explorer.drop(name, base::make_memory_source(name, to_bytes(bytes)));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
}

std::string base_model() {
  return valued_safetensors(
      {float_tensor("embed.weight", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), float_tensor("head.scale", {9, 9, 9}),
       float_tensor("layers.0.attn.weight", {2, 2}, {1, 2, 3, 4}),
       float_tensor("layers.0.mlp.weight", {2, 2}, {5, 6, 7, 8}),
       float_tensor("layers.1.attn.weight", {2, 2}, {1, 1, 1, 1}), float_tensor("old.kernel", {1, 2})});
}

/// Behind "module.": a value of layers.0.attn and three of layers.1.attn changed, one shape, one moved, one gone, one
/// new.
std::string tuned_model() {
  return valued_safetensors(
      {float_tensor("module.embed.weight", {5, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 9}),
       float_tensor("module.layers.0.attn.weight", {2, 2}, {1, 2, 3, 4.5F}),
       float_tensor("module.layers.0.mlp.weight", {2, 2}, {5, 6, 7, 8}),
       float_tensor("module.layers.1.attn.weight", {2, 2}, {9, 9, 9, 1}),
       float_tensor("module.lora.a", {1, 2, 3, 4, 5}), float_tensor("module.tail.out.scale", {9, 9, 9})},
      R"({"format":"pt","epoch":"four epochs and a little more"})");
}

/// Alt+C on the first document, then the second one from the list.
void compare_files(Explorer& explorer) {
  drop(explorer, "base.safetensors", base_model());
  drop(explorer, "tuned.safetensors", tuned_model());
  explorer.press(ImGuiKey_PageUp, ImGuiMod_Ctrl);  // back to the first
  explorer.press(ImGuiKey_C, ImGuiMod_Alt);
  ASSERT_NE(explorer.find(Role::Dialog, "Compare with"), nullptr) << explorer.screen_text();
  ASSERT_NE(explorer.find(Role::Option, "tuned.safetensors"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  ASSERT_NE(explorer.find(Role::Heading, "A base.safetensors"), nullptr) << explorer.screen_text();
}

/// The rows of the list that are drawn.
std::vector<std::string> rows(const Explorer& explorer) {
  std::vector<std::string> names;
  for (const AccessNode& node : explorer.controls()) {
    const bool is_listed =
        node.parent < explorer.controls().size() && explorer.controls()[node.parent].name == "Differences";
    if (node.role == Role::Row && is_listed) names.push_back(node.name);
  }
  return names;
}

class ComparisonAtSize : public testing::TestWithParam<Look> {};

TEST_P(ComparisonAtSize, ListsWhatDiffersMostChangedFirst) {
  Explorer explorer({}, GetParam().width, GetParam().height);
  explorer.app().force_theme(GetParam().theme);
  compare_files(explorer);
  EXPECT_NE(explorer.find(Role::Text, "module."), nullptr) << "the prefix is told: " << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Row, "old.kernel, removed")) << explorer.screen_text();
  const std::vector<std::string> expected = {"old.kernel, removed",
                                             "module.lora.a, added",
                                             "module.embed.weight, shape",
                                             "module.layers.1.attn.weight, values",
                                             "module.layers.0.attn.weight, values",
                                             "moved"};
  // Few rows fit a small screen: each is walked to.
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const AccessNode* node = explorer.focused();
    ASSERT_NE(node, nullptr);
    EXPECT_NE(node->name.find(expected[i]), std::string::npos) << node->name << " is row " << i;
    EXPECT_EQ(node->position, static_cast<int>(i) + 1);
    EXPECT_EQ(node->set_size, 6) << "what is equal is not shown";
    explorer.press(ImGuiKey_DownArrow);
  }
}

TEST_P(ComparisonAtSize, ShowsNumbersAndAHeatMapOfTheChosenRow) {
  Explorer explorer({}, GetParam().width, GetParam().height);
  explorer.app().force_theme(GetParam().theme);
  compare_files(explorer);
  ASSERT_TRUE(explorer.tab_to(Role::Row, "old.kernel"));
  for (int i = 0; i < 4; ++i) explorer.press(ImGuiKey_DownArrow);
  ASSERT_TRUE(explorer.settle());
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_NE(explorer.focused()->description.find("Max |\xCE\x94| 0.5"), std::string::npos)
      << explorer.focused()->description;
  EXPECT_NE(explorer.find(Role::Img, "Heat map of B \xE2\x88\x92 A, module.layers.0.attn.weight, 2 rows"), nullptr)
      << explorer.screen_text();
  if (GetParam().width < 720) return;  // the numbers are further down there
  const std::string screen = explorer.screen_text();
  EXPECT_NE(screen.find("0.5 at [1, 1]"), std::string::npos) << screen;
  EXPECT_NE(screen.find("1 of 4 values"), std::string::npos) << screen;
}

TEST_P(ComparisonAtSize, TheHeatMapOfTheChosenRowIsSavedAsAPicture) {
  Explorer explorer({}, GetParam().width, GetParam().height);
  explorer.app().force_theme(GetParam().theme);
  compare_files(explorer);
  ASSERT_TRUE(explorer.tab_to(Role::Row, "old.kernel"));
  explorer.press(ImGuiKey_E, kCtrlShift);
  EXPECT_NE(explorer.screen_text().find("Choose a tensor that both sides have"), std::string::npos)
      << explorer.screen_text();
  for (int i = 0; i < 4; ++i) explorer.press(ImGuiKey_DownArrow);
  ASSERT_TRUE(explorer.settle());
  explorer.press(ImGuiKey_E, kCtrlAlt);
  ASSERT_TRUE(explorer.settle());
  const auto& saved = null_host().saved;
  const auto svg = saved.find("base-tuned.module.layers.0.attn.weight.svg");
  ASSERT_NE(svg, saved.end()) << explorer.screen_text();
  for (const char* part : {">module.layers.0.attn.weight</text>", "A: base.safetensors, layers.0.attn.weight",
                           "B: tuned.safetensors", ">\u22120.5</text>", ">0.5</text>"}) {
    EXPECT_NE(svg->second.find(part), std::string::npos) << part << "\n" << svg->second;
  }
  explorer.press(ImGuiKey_E, kCtrlShift);
  ASSERT_TRUE(explorer.settle());
  const auto png = saved.find("base-tuned.module.layers.0.attn.weight.png");
  ASSERT_NE(png, saved.end()) << explorer.screen_text();
  EXPECT_TRUE(png->second.starts_with("\x89PNG"));
}

TEST_P(ComparisonAtSize, EveryColumnSortsThroughTheDialog) {
  Explorer explorer({}, GetParam().width, GetParam().height);
  explorer.app().force_theme(GetParam().theme);
  compare_files(explorer);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Sort"));
  explorer.press(ImGuiKey_Enter);
  ASSERT_NE(explorer.find(Role::Dialog, "Sort by"), nullptr) << explorer.screen_text();
  ASSERT_NE(explorer.find(Role::Option, "Cosine"), nullptr) << explorer.screen_text();
  for (int i = 0; i < 3; ++i) explorer.press(ImGuiKey_DownArrow);  // Max |Δ|
  explorer.press(ImGuiKey_Enter);
  explorer.frames(3);
  EXPECT_EQ(explorer.find(Role::Dialog), nullptr);
  ASSERT_FALSE(rows(explorer).empty());
  EXPECT_NE(rows(explorer)[0].find("layers.1.attn"), std::string::npos) << rows(explorer)[0];
}

INSTANTIATE_TEST_SUITE_P(Looks, ComparisonAtSize, all_looks(), look_name);

TEST(ExplorerComparison, FiltersByKindAndByName) {
  Explorer explorer;
  compare_files(explorer);
  ASSERT_TRUE(explorer.tab_to(Role::Checkbox, "equal 1")) << explorer.screen_text();
  explorer.press(ImGuiKey_Space);
  explorer.frames(3);
  EXPECT_EQ(rows(explorer).size(), 7U) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Checkbox, "values 2"));
  explorer.press(ImGuiKey_Space);
  explorer.frames(3);
  EXPECT_EQ(rows(explorer).size(), 5U) << explorer.screen_text();
  explorer.press(ImGuiKey_F, ImGuiMod_Ctrl);
  explorer.frames(3);
  explorer.type("KERNEL");
  explorer.frames(3);
  ASSERT_EQ(rows(explorer).size(), 1U) << explorer.screen_text();
  EXPECT_NE(rows(explorer)[0].find("old.kernel"), std::string::npos);
  explorer.press(ImGuiKey_Escape);
  explorer.frames(3);
  EXPECT_EQ(rows(explorer).size(), 5U) << explorer.screen_text();
}

TEST(ExplorerComparison, BothTreesFoldAndSelectAsOne) {
  Explorer explorer;
  compare_files(explorer);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Trees"));
  explorer.press(ImGuiKey_Enter);
  explorer.frames(3);
  ASSERT_NE(explorer.find(Role::Tree, "Both trees"), nullptr) << explorer.screen_text();
  ASSERT_NE(explorer.find(Role::TreeItem, "lora, added"), nullptr) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::TreeItem, "kernel, removed")) << explorer.screen_text();
  const auto item = [&](std::string_view name) { return explorer.find(Role::TreeItem, name); };
  // Type-ahead is not there: down to the module.
  for (int i = 0; i < 30 && explorer.focused()->name.find("layers") != 0; ++i) explorer.press(ImGuiKey_UpArrow);
  for (int i = 0; i < 30 && explorer.focused()->name.find("layers") != 0; ++i) explorer.press(ImGuiKey_DownArrow);
  ASSERT_EQ(explorer.focused()->name.find("layers"), 0U) << explorer.screen_text();
  EXPECT_NE(explorer.focused()->name.find("2 changes below"), std::string::npos) << explorer.focused()->name;
  ASSERT_EQ(explorer.focused()->expanded, 1) << "the way to what differs is open";
  ASSERT_NE(item("1, 1 change below"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_LeftArrow);
  EXPECT_EQ(explorer.focused()->expanded, 0);
  EXPECT_EQ(item("1, 1 change below"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_RightArrow);
  EXPECT_EQ(explorer.focused()->expanded, 1);
  EXPECT_NE(explorer.find(Role::Heading, "module.layers"), nullptr) << explorer.screen_text();
}

TEST(ExplorerComparison, TheTreesAreSortedInTheirParentsAndComeBackToTheFilesOrder) {
  Explorer explorer;
  compare_files(explorer);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Trees"));
  explorer.press(ImGuiKey_Enter);
  explorer.frames(3);
  const auto order = [&] {
    std::string names;
    for (const AccessNode& node : explorer.controls()) {
      if (node.role == Role::TreeItem && node.level == 3) names += node.name.substr(0, node.name.find(',')) + " ";
    }
    return names;
  };
  const auto sort_by = [&](const char* title) {
    const AccessNode* head = explorer.find(Role::Button, title);
    ASSERT_NE(head, nullptr) << explorer.screen_text();
    explorer.ask(head->id, AccessAction::Kind::Activate);
    explorer.frames(3);
    ASSERT_NE(explorer.find(Role::Tree, "Both trees"), nullptr) << "it stays: " << explorer.screen_text();
  };
  const std::string files = order();
  ASSERT_FALSE(files.empty()) << explorer.screen_text();
  sort_by("Sort by Max");
  EXPECT_EQ(explorer.find(Role::Button, "Sort by Max")->checked, 1);
  std::string blocks;
  for (const AccessNode& node : explorer.controls()) {
    if (node.role == Role::TreeItem && (node.name.starts_with("0, ") || node.name.starts_with("1, ")))
      blocks += node.name[0];
  }
  EXPECT_EQ(blocks, "10") << "block 1 has the larger change: " << explorer.screen_text();
  sort_by("Sort by Max");
  sort_by("Sort by Max");
  EXPECT_EQ(order(), files);
  EXPECT_EQ(explorer.find(Role::Button, "Sort by Max")->checked, 0);
}

TEST(ExplorerComparison, TellsWhatDiffersInTheMetadataOfTheFiles) {
  Explorer explorer({}, 1600, 1000);
  compare_files(explorer);
  EXPECT_NE(explorer.find(Role::Text, "Metadata of the files: 1 added"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Heading, "Metadata of the files"), nullptr) << explorer.screen_text();
  // A value that is long enough not to lie inside its string.
  const std::string told = "in B only: four epochs and a little more";
  EXPECT_NE(explorer.screen_text().find(told), std::string::npos) << explorer.screen_text();
}

TEST(ExplorerComparison, LeadsToTheRowInEitherDocument) {
  Explorer explorer;
  compare_files(explorer);
  ASSERT_TRUE(explorer.tab_to(Role::Row, "old.kernel"));
  for (int i = 0; i < 3; ++i) explorer.press(ImGuiKey_DownArrow);
  ASSERT_TRUE(explorer.settle());
  const AccessNode* link = explorer.find(Role::Link, "module.layers.1.attn.weight");
  ASSERT_NE(link, nullptr) << explorer.screen_text();
  explorer.ask(link->id, AccessAction::Kind::Activate);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Tree, "Modules"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.screen_text().find("module.layers.1.attn.weight"), std::string::npos);
  explorer.press(ImGuiKey_LeftArrow, ImGuiMod_Alt);
  explorer.frames(3);
  EXPECT_NE(explorer.find(Role::Table, "Differences"), nullptr) << explorer.screen_text();
}

TEST(ExplorerComparison, SwapTurnsAddedIntoRemoved) {
  Explorer explorer;
  compare_files(explorer);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Swap"));
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Heading, "A tuned.safetensors"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Row, "old.kernel, added"), nullptr) << explorer.screen_text();
}

TEST(ExplorerComparison, ClosesByItselfAndWithItsDocuments) {
  Explorer explorer;
  compare_files(explorer);
  explorer.press(ImGuiKey_W, ImGuiMod_Ctrl);
  explorer.frames(3);
  EXPECT_EQ(explorer.find(Role::Table, "Differences"), nullptr);
  EXPECT_EQ(explorer.app().mirror().documents().size(), 2U);
  explorer.press(ImGuiKey_C, ImGuiMod_Alt);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  ASSERT_NE(explorer.find(Role::Table, "Differences"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_PageUp, ImGuiMod_Ctrl);
  explorer.press(ImGuiKey_W, ImGuiMod_Ctrl);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(explorer.app().mirror().documents().size(), 1U);
  EXPECT_EQ(explorer.find(Role::Tab, "\xE2\x86\x92"), nullptr) << explorer.screen_text();
}

TEST(ExplorerComparison, EscapePutsTheListAway) {
  Explorer explorer;
  drop(explorer, "base.safetensors", base_model());
  explorer.press(ImGuiKey_C, ImGuiMod_Alt);
  ASSERT_NE(explorer.find(Role::Option, "Another file"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_Escape);
  explorer.frames(3);
  EXPECT_EQ(explorer.find(Role::Dialog), nullptr);
  drop(explorer, "tuned.safetensors", tuned_model());
  EXPECT_EQ(explorer.find(Role::Table, "Differences"), nullptr) << "what was put away is not carried out later";
}

TEST(ExplorerComparison, EqualFilesSaySo) {
  Explorer explorer;
  drop(explorer, "a.safetensors", base_model());
  drop(explorer, "b.safetensors", base_model());
  explorer.press(ImGuiKey_C, ImGuiMod_Alt);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.screen_text().find("Nothing differs"), std::string::npos) << explorer.screen_text();
}

/// 30 tensors that are new in B, and 60 of which each has changed more than the one before it; those that are new are
/// listed, and nothing is known of values.
void compare_before_values(Explorer& explorer) {
  const auto model = [](float change) {
    std::vector<ValuedTensor> tensors;
    for (int i = 0; i < 30 && change > 0; ++i) tensors.push_back(float_tensor(fmt::format("new{:02}", i), {1}, {1}));
    for (int i = 0; i < 60; ++i) {
      const float value = 1 + change * static_cast<float>(i + 1);
      tensors.push_back(float_tensor(fmt::format("w{:02}", i), {2}, {value, value}));
    }
    return valued_safetensors(tensors);
  };
  drop(explorer, "a.safetensors", model(0));
  drop(explorer, "b.safetensors", model(1));
  explorer.press(ImGuiKey_PageUp, ImGuiMod_Ctrl);
  explorer.press(ImGuiKey_C, ImGuiMod_Alt);
  explorer.hold_host(true);
  explorer.press(ImGuiKey_Enter);
  for (int i = 0; i < 1000 && explorer.find(Role::Table, "Differences") == nullptr; ++i) {
    explorer.hold_host(false);
    explorer.frames(1);
    explorer.hold_host(true);
    explorer.frames(1);
  }
  explorer.frames(3);
  ASSERT_NE(explorer.find(Role::Table, "Differences"), nullptr) << explorer.screen_text();
  ASSERT_EQ(explorer.find(Role::Status, "different"), nullptr) << explorer.screen_text();
  // Then what is new stands behind what has changed.
  const AccessNode* head = explorer.find(Role::Button, "Sort by Relative");
  if (head == nullptr) head = explorer.find(Role::Button, "Sort by Name");
  ASSERT_NE(head, nullptr) << explorer.screen_text();
  explorer.ask(head->id, AccessAction::Kind::Activate);
}

void expect_row(const Explorer& explorer, const char* name, int position) {
  ASSERT_NE(explorer.focused(), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.focused()->role, Role::Row);
  EXPECT_TRUE(explorer.focused()->name.starts_with(name)) << explorer.screen_text();
  EXPECT_EQ(explorer.focused()->position, position);
  EXPECT_GT(explorer.focused()->height, 0) << "it is seen";
}

TEST(ExplorerComparison, TheChosenRowStaysSeenWhenTheValuesPutItElsewhere) {
  Explorer explorer({}, 360, 740);
  compare_before_values(explorer);
  ASSERT_TRUE(explorer.tab_to(Role::Row, "new")) << explorer.screen_text();
  explorer.press(ImGuiKey_DownArrow);
  expect_row(explorer, "new01", 2);
  explorer.hold_host(false);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  expect_row(explorer, "new01", 62);
}

TEST(ExplorerComparison, TheFirstRowIsChosenUntilAnotherOneIs) {
  Explorer explorer({}, 360, 740);
  compare_before_values(explorer);
  ASSERT_TRUE(explorer.tab_to(Role::Row, "new")) << explorer.screen_text();
  expect_row(explorer, "new00", 1);
  explorer.hold_host(false);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  expect_row(explorer, "w59", 1);
}

TEST(ExplorerComparison, AListScrolledAwayFromTheChosenRowKeepsTheKeyboard) {
  Explorer explorer({}, 360, 740);
  compare_before_values(explorer);
  explorer.hold_host(false);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Row, "w59")) << explorer.screen_text();
  const AccessNode list = *explorer.find(Role::Table, "Differences");
  ImGui::GetIO().AddMousePosEvent(list.x + list.width / 2, list.y + list.height / 2);
  explorer.frames(2);
  ImGui::GetIO().AddMouseWheelEvent(0, -10);
  explorer.frames(3);
  for (const std::string& name : rows(explorer)) EXPECT_FALSE(name.starts_with("w59")) << explorer.screen_text();
  ASSERT_NE(explorer.focused(), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.focused()->id, list.id);
  EXPECT_TRUE(explorer.focused()->focusable);
  explorer.press(ImGuiKey_Tab);
  ASSERT_NE(explorer.focused(), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.focused()->id, list.id);
  explorer.press(ImGuiKey_Tab, ImGuiMod_Shift);
  ASSERT_NE(explorer.focused(), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.focused()->id, list.id) << "the list is a stop of the Tab key";
  explorer.press(ImGuiKey_DownArrow);
  expect_row(explorer, "w58", 2);
}

/// 100,000 tensors of 4 values; `value` is that of every tenth.
std::string many(float value) {
  std::vector<PlannedTensor> plans;
  for (int i = 0; i < 100'000; ++i)
    plans.push_back({fmt::format("layers.{}.experts.{}.weight", i / 1000, i % 1000), "F32", {4}});
  const PlannedFile plan = plan_safetensors(plans);
  std::string file = plan.whole();
  for (std::size_t at = plan.beginning.size(); at < file.size(); at += 160) std::memcpy(file.data() + at, &value, 4);
  return file;
}

TEST(ExplorerComparison, OfAHundredThousandTensorsIsCancelledAndGoesOn) {
  Explorer explorer;
  drop(explorer, "a.safetensors", many(1));
  drop(explorer, "b.safetensors", many(2));
  explorer.press(ImGuiKey_PageUp, ImGuiMod_Ctrl);
  explorer.press(ImGuiKey_C, ImGuiMod_Alt);
  explorer.press(ImGuiKey_Enter);
  const auto wait_for = [&](Role role, std::string_view name) {
    for (int i = 0; i < 2000 && explorer.find(role, name) == nullptr; ++i) explorer.frames(1);
    return explorer.find(role, name);
  };
  const AccessNode* cancel = wait_for(Role::Button, "Cancel");
  ASSERT_NE(cancel, nullptr) << explorer.screen_text();
  explorer.ask(cancel->id, AccessAction::Kind::Activate);
  const AccessNode* go_on = wait_for(Role::Button, "Go on");
  if (go_on == nullptr) go_on = wait_for(Role::Button, "Compare values");
  ASSERT_NE(go_on, nullptr) << explorer.screen_text();
  const AccessNode* known = explorer.find(Role::Status, "compared");
  ASSERT_NE(known, nullptr) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Button, "(")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Status, "Values: 90,000 equal, 10,000 different"), nullptr) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Row, "layers.0.experts.0.weight"));
  explorer.press(ImGuiKey_End);
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_EQ(explorer.focused()->position, 10'000);
  EXPECT_LT(explorer.controls().size(), 2000U);
}

}  // namespace
}  // namespace nns::tests
