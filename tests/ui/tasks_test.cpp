// What a person does with the explorer, by keyboard only, read through the tree of controls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/ui/explorer.h"
#include "ui/app/commands.h"

namespace nns::tests {
namespace {

using host::AccessAction;
using host::AccessNode;
using host::Role;

constexpr std::uint32_t kManyBlocks = 50'000;  // 100,002 modules

void open_blocks(Explorer& explorer) {
  explorer.app().open_sample("blocks");
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  ASSERT_NE(explorer.find(Role::Tree), nullptr) << explorer.screen_text();
}

TEST(ExplorerKeyboard, OpensASampleFromTheStartScreen) {
  Explorer explorer({blocks_sample(3)});
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Blocks")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::TreeItem, "blocks"), nullptr) << explorer.screen_text();
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_EQ(explorer.focused()->role, Role::TreeItem) << "the tree has the keyboard once it is there";
}

TEST(ExplorerKeyboard, WalksATreeOfAHundredThousandModules) {
  Explorer explorer({blocks_sample(kManyBlocks)});
  open_blocks(explorer);
  explorer.type("*");  // opens everything below the root
  explorer.press(ImGuiKey_End);
  const AccessNode* last = explorer.focused();
  ASSERT_NE(last, nullptr);
  EXPECT_NE(last->name.find("weight"), std::string::npos) << last->name;
  explorer.press(ImGuiKey_UpArrow);
  explorer.press(ImGuiKey_UpArrow);
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_TRUE(explorer.focused()->name.starts_with("49999")) << explorer.focused()->name;
  EXPECT_EQ(explorer.focused()->set_size, static_cast<std::int32_t>(kManyBlocks));
  EXPECT_LT(explorer.controls().size(), 1000U) << "only what is seen is in the tree of controls";
  explorer.press(ImGuiKey_Home);
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_EQ(explorer.focused()->level, 1);
}

TEST(ExplorerKeyboard, ArrowsOpenAndCloseAndGoInAndOut) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  explorer.press(ImGuiKey_Home);
  explorer.press(ImGuiKey_LeftArrow);
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_EQ(explorer.focused()->expanded, 0);
  explorer.press(ImGuiKey_RightArrow);
  EXPECT_EQ(explorer.focused()->expanded, 1);
  explorer.press(ImGuiKey_RightArrow);
  EXPECT_TRUE(explorer.focused()->name.starts_with("blocks")) << explorer.focused()->name;
  explorer.press(ImGuiKey_LeftArrow);
  explorer.press(ImGuiKey_LeftArrow);
  EXPECT_EQ(explorer.focused()->level, 1);
}

TEST(ExplorerKeyboard, ReadsRegistriesAndHooksOfABlock) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  explorer.app().select_when_opened("blocks.0");
  ASSERT_TRUE(explorer.settle());
  ASSERT_TRUE(explorer.tab_to(Role::Tab, "Registries")) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Row, "training")) << explorer.screen_text();
  explorer.press(ImGuiKey_DownArrow);
  explorer.press(ImGuiKey_DownArrow);
  explorer.press(ImGuiKey_DownArrow);
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_TRUE(explorer.focused()->name.starts_with("fc")) << explorer.focused()->name;
  EXPECT_NE(explorer.find(Role::Text, "A Module goes to _modules."), nullptr) << explorer.screen_text();

  ASSERT_TRUE(explorer.tab_to(Role::Tab, "Registries"));
  explorer.press(ImGuiKey_RightArrow);
  EXPECT_NE(explorer.find(Role::Row, "_forward_hooks, 2 hooks"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Row, "1: print_shapes, forward hook, id 0"), nullptr);
  EXPECT_NE(explorer.find(Role::Row, "2: count_calls, forward hook, id 1"), nullptr);
}

TEST(ExplorerKeyboard, EnterOnARegistryEntryShowsItInTheTree) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  explorer.app().select_when_opened("blocks.0");
  ASSERT_TRUE(explorer.settle());
  ASSERT_TRUE(explorer.tab_to(Role::Row, "training"));
  explorer.press(ImGuiKey_End);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Heading, "blocks.0.fc"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_LeftArrow, ImGuiMod_Alt);
  ASSERT_TRUE(explorer.settle());
  const AccessNode* heading = explorer.find(Role::Heading, "blocks.0");
  ASSERT_NE(heading, nullptr);
  EXPECT_EQ(heading->name, "blocks.0") << "Alt+Left goes back";
}

TEST(ExplorerKeyboard, FiltersAndEscapeClears) {
  Explorer explorer({blocks_sample(40)});
  open_blocks(explorer);
  explorer.press_chord(ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiKey_F);
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_EQ(explorer.focused()->role, Role::Searchbox);
  explorer.type("blocks.17.");
  explorer.frames(3);
  EXPECT_NE(explorer.find(Role::TreeItem, "17"), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::TreeItem, "18,"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_Escape);
  const AccessNode* field = explorer.find(Role::Searchbox);
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->value, "");
}

TEST(ExplorerKeyboard, LettersTypedRightAfterTheSlashGoToTheSearchBox) {
  Explorer explorer({blocks_sample(40)});
  open_blocks(explorer);
  for (const char character : std::string("/17")) {
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(character));
    explorer.frames(1);
  }
  explorer.frames(3);
  const AccessNode* field = explorer.find(Role::Searchbox, "Search");
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->value, "17");
}

TEST(ExplorerKeyboard, CancelsStatisticsInMidWork) {
  const TemporaryFolder folder;
  const PlannedFile plan = plan_safetensors({{"large", "F32", {20'000, 10'000}}});
  Explorer explorer;
  explorer.drop("large.safetensors", open_file(folder.write_sparse("large.safetensors", plan.beginning, plan.size)));
  for (int frame = 0; frame < 200 && explorer.find(Role::TreeItem, "large,") == nullptr; ++frame) explorer.frames(1);
  explorer.app().select_when_opened("large");
  for (int frame = 0; frame < 200 && explorer.find(Role::Button, "Compute statistics") == nullptr; ++frame) {
    explorer.frames(1);
  }
  explorer.hold_host(true);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Compute statistics")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  explorer.hold_host(false);
  for (int frame = 0; frame < 200 && explorer.find(Role::Progressbar, "Statistics") == nullptr; ++frame)
    explorer.frames(1);
  explorer.hold_host(true);
  ASSERT_NE(explorer.find(Role::Progressbar, "Statistics"), nullptr) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Cancel")) << explorer.screen_text();
  explorer.press(ImGuiKey_Space);
  explorer.hold_host(false);
  for (int frame = 0; frame < 200 && explorer.find(Role::Button, "Compute statistics") == nullptr; ++frame) {
    explorer.frames(1);
  }
  EXPECT_NE(explorer.find(Role::Button, "Compute statistics"), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::Alert), nullptr) << "a person who cancels needs no error";
}

TEST(ExplorerKeyboard, ABrokenFileIsAnErrorCardAndLeavesTheOtherDocument) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  explorer.drop("broken.safetensors", base::make_memory_source("broken.safetensors", to_bytes("\x08\1\1\1\1\1\1\1{}")));
  ASSERT_TRUE(explorer.settle());
  ASSERT_NE(explorer.find(Role::Alert, "broken.safetensors was not opened"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::TreeItem, "blocks"), nullptr);
  explorer.press(ImGuiKey_Escape);
  EXPECT_EQ(explorer.find(Role::Alert), nullptr);
}

TEST(ExplorerKeyboard, ZoomsAHeatMapDownToSingleNumbers) {
  const PlannedFile plan = plan_safetensors({{"ones", "F32", {600, 500}}});
  std::string bytes = plan.whole();
  const float one = 1;
  for (std::size_t at = plan.beginning.size(); at + 4 <= bytes.size(); at += 4) std::memcpy(bytes.data() + at, &one, 4);
  Explorer explorer;
  explorer.drop("ones.safetensors", base::make_memory_source("ones.safetensors", to_bytes(bytes)));
  ASSERT_TRUE(explorer.settle());
  explorer.app().select_when_opened("ones");
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Img, "Heat map of ones, 600 rows, 500 columns")) << explorer.screen_text();
  for (int step = 0; step < 12; ++step) explorer.type("+");
  explorer.press(ImGuiKey_RightArrow);
  ASSERT_TRUE(explorer.settle());
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_NE(explorer.focused()->value.find("= 1"), std::string::npos) << explorer.focused()->value;
}

TEST(ExplorerKeyboard, QuestionMarkShowsTheKeysAndKeepsTheFocusInside) {
  Explorer explorer({blocks_sample(3)});
  explorer.type("?");
  ASSERT_NE(explorer.find(Role::Dialog, "Keys"), nullptr) << explorer.screen_text();
  for (int step = 0; step < 3; ++step) {
    explorer.press(ImGuiKey_Tab);
    ASSERT_NE(explorer.focused(), nullptr);
    EXPECT_EQ(explorer.focused()->name, "Close");
  }
  // One line of each part: what has keys is listed.
  const std::vector<panels::KeyLine> lines = app::key_lines();
  for (const std::string_view title : {"Open a file", "Over the statement, back over it", "Write a checkpoint", "Pan",
                                       "One call of a module: shapes, FLOPs, sizes, time"}) {
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.title == title; }))
        << title;
  }
  explorer.press(ImGuiKey_Escape);
  EXPECT_EQ(explorer.find(Role::Dialog), nullptr);
}

TEST(ExplorerKeyboard, TheListOfCommandsFindsAndRunsOne) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  explorer.press(ImGuiKey_P, ImGuiMod_Ctrl);
  ASSERT_NE(explorer.find(Role::Dialog, "Commands"), nullptr) << explorer.screen_text();
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_EQ(explorer.focused()->name, "Search");
  explorer.type("thlight");
  ASSERT_NE(explorer.find(Role::Option, "light"), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::Option, "light")->set_size, 1) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  EXPECT_EQ(explorer.find(Role::Dialog), nullptr);
  EXPECT_EQ(null_host().settings["theme"], "light");
}

TEST(ExplorerKeyboard, EscapeClosesTheListOfCommandsAndNothingRan) {
  Explorer explorer({blocks_sample(3)});
  explorer.press(ImGuiKey_P, ImGuiMod_Ctrl);
  explorer.press(ImGuiKey_DownArrow);
  explorer.press(ImGuiKey_Escape);
  EXPECT_EQ(explorer.find(Role::Dialog), nullptr) << explorer.screen_text();
  EXPECT_TRUE(null_host().settings.empty());
}

TEST(ExplorerKeyboard, ScaleAndThemeAreKept) {
  Explorer explorer;
  explorer.press(ImGuiKey_Equal, ImGuiMod_Ctrl);
  EXPECT_NE(explorer.find(Role::Button, "Scale 110%"), nullptr) << explorer.screen_text();
  EXPECT_EQ(null_host().settings["scale"], "110");
  explorer.press(ImGuiKey_0, ImGuiMod_Ctrl);
  EXPECT_NE(explorer.find(Role::Button, "Scale 100%"), nullptr);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Theme"));
  explorer.press(ImGuiKey_Enter);
  EXPECT_EQ(null_host().settings["theme"], "light");
}

TEST(ExplorerBurst, LettersTypedAtOnceAfterTheCommandReachTheField) {
  Explorer explorer({blocks_sample(12)});
  open_blocks(explorer);
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiKey_Slash, true);
  io.AddInputCharacter('/');
  io.AddKeyEvent(ImGuiKey_Slash, false);
  io.AddInputCharactersUTF8("blocks");
  explorer.frames(30);
  const AccessNode* field = explorer.find(Role::Searchbox, "Search");
  ASSERT_NE(field, nullptr);
  EXPECT_EQ(field->value, "blocks") << explorer.screen_text();
}

TEST(ExplorerBurst, KeysAfterAnActionOfAScreenReaderMeanWhatItLedTo) {
  Explorer explorer({blocks_sample(12)});
  open_blocks(explorer);
  const AccessNode* blocks = explorer.find(Role::TreeItem, "blocks");
  ASSERT_NE(blocks, nullptr);
  ASSERT_EQ(blocks->expanded, 1);
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiKey_Home, true);  // before the action: it must not move what the action selects
  io.AddKeyEvent(ImGuiKey_Home, false);
  null_host().actions.push_back({blocks->id, AccessAction::Kind::Focus, {}, 0, widgets::input_position()});
  for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_RightArrow}) {
    io.AddKeyEvent(key, true);
    io.AddKeyEvent(key, false);
  }
  explorer.frames(30);
  EXPECT_EQ(explorer.find(Role::TreeItem, "blocks")->expanded, 1);
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_TRUE(explorer.focused()->name.starts_with("0")) << explorer.screen_text();
}

TEST(ExplorerKeyboard, AKeyThatIsHeldWhileFramesAreSlowActsOnce) {
  Explorer explorer({blocks_sample(12)});
  open_blocks(explorer);
  explorer.press(ImGuiKey_Home);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_DownArrow, true);
  explorer.frames(120);  // two seconds
  ImGui::GetIO().AddKeyEvent(ImGuiKey_DownArrow, false);
  explorer.frames(3);
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_TRUE(explorer.focused()->name.starts_with("blocks")) << explorer.screen_text();
}

TEST(ExplorerBurst, InputIsNotHeldForEverByAFieldThatNeverComes) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  null_host().actions.push_back({12345, AccessAction::Kind::Focus, {}, 0, 0});
  explorer.press(ImGuiKey_P, ImGuiMod_Ctrl);
  EXPECT_NE(explorer.find(Role::Dialog, "Commands"), nullptr) << explorer.screen_text();
}

TEST(ExplorerKeyboard, F6MovesBetweenRegions) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  std::set<std::string> names;
  for (int step = 0; step < 4; ++step) {
    explorer.press(ImGuiKey_F6);
    std::uint32_t index = UINT32_MAX;
    for (std::uint32_t at = 0; at < explorer.controls().size(); ++at) {
      if (explorer.controls()[at].focused) index = at;
    }
    ASSERT_NE(index, UINT32_MAX);
    for (; index != UINT32_MAX; index = explorer.controls()[index].parent) {
      names.insert(explorer.controls()[index].name);
    }
  }
  EXPECT_TRUE(names.contains("Toolbar"));
  EXPECT_TRUE(names.contains("Module tree"));
  EXPECT_TRUE(names.contains("Inspector"));
}

TEST(ExplorerAssistance, ActionsOfAScreenReaderDriveTheTree) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  const AccessNode* root = explorer.find(Role::TreeItem);
  ASSERT_NE(root, nullptr);
  const std::uint32_t id = root->id;
  explorer.ask(id, AccessAction::Kind::Collapse);
  EXPECT_EQ(explorer.count(Role::TreeItem), 1U) << explorer.screen_text();
  explorer.ask(id, AccessAction::Kind::Expand);
  EXPECT_GT(explorer.count(Role::TreeItem), 1U);
  const AccessNode* blocks = explorer.find(Role::TreeItem, "blocks,");
  ASSERT_NE(blocks, nullptr) << explorer.screen_text();
  explorer.ask(blocks->id, AccessAction::Kind::Focus);
  ASSERT_NE(explorer.focused(), nullptr);
  EXPECT_TRUE(explorer.focused()->name.starts_with("blocks"));
  const AccessNode* filter = explorer.find(Role::Searchbox);
  ASSERT_NE(filter, nullptr);
  explorer.ask(filter->id, AccessAction::Kind::SetText, "fc");
  EXPECT_NE(explorer.find(Role::Status, "matches"), nullptr) << explorer.screen_text();
}

TEST(ExplorerMissing, TensorsOfShardsThatAreNotThereSayIt) {
  Explorer explorer;
  explorer.drop(
      "model.safetensors.index.json",
      base::make_memory_source("model.safetensors.index.json",
                               to_bytes(R"({"weight_map":{"fc.weight":"model-00001-of-00001.safetensors"}})")));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.frames(2);
  EXPECT_NE(explorer.find(Role::TreeItem, "weight, in a missing file"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::ListItem, "unknown: 1 tensor"), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::ListItem, "float32"), nullptr) << "no type is made up";
  EXPECT_NE(explorer.find(Role::Text, "unknown parameters"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Text, "unknown size"), nullptr) << explorer.screen_text();
}

TEST(ExplorerMissing, TheIndexSaysHowLargeItAllIs) {
  Explorer explorer;
  explorer.drop("model.safetensors.index.json",
                base::make_memory_source("model.safetensors.index.json", to_bytes(R"({"metadata":{"total_size":2000000},
                    "weight_map":{"fc.weight":"model-00001-of-00001.safetensors"}})")));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.frames(2);
  EXPECT_NE(explorer.find(Role::Text, "2 MB size by the index"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.screen_text().find("1 tensor \xC2\xB7 parameters unknown \xC2\xB7 2 MB by the index"),
            std::string::npos)
      << explorer.screen_text();
}

TEST(ExplorerTitles, DocumentsOfOneNameAreToldApartByTheirFolders) {
  Explorer explorer;
  const std::string name = "model.safetensors.index.json";
  for (const char* folder : {"/models/a", "/models/b"}) {
    explorer.drop(name, base::make_memory_source(std::string(folder) + "/" + name,
                                                 to_bytes(R"({"weight_map":{"fc.weight":"one.safetensors"}})")));
    ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  }
  explorer.frames(2);
  EXPECT_NE(explorer.find(Role::Tab, "a/" + name), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Tab, "b/" + name), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::Tab, "models"), nullptr) << "no more than it takes";

  explorer.press(ImGuiKey_C, ImGuiMod_Alt);
  ASSERT_NE(explorer.find(Role::Option, "a/" + name), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.frames(2);
  EXPECT_NE(explorer.find(Role::Heading, "A b/" + name + "  \xE2\x86\x92  B a/" + name), nullptr)
      << explorer.screen_text();
  // What no file says is not told as a fact.
  EXPECT_NE(explorer.find(Role::Row, "fc.weight"), nullptr) << explorer.screen_text();
  const std::string text = explorer.screen_text();
  EXPECT_NE(text.find("0 with equal names and headers \xC2\xB7 1 unknown"), std::string::npos) << text;
  EXPECT_EQ(text.find("scalar"), std::string::npos) << text;
  EXPECT_EQ(text.find("0 B"), std::string::npos) << text;
}

TEST(ExplorerClasses, AGuessIsMarkedInTheInspectorAsInTheTree) {
  Explorer explorer;
  const PlannedFile plan = plan_safetensors({{"fc.weight", "F32", {2, 3}}, {"fc.bias", "F32", {2}}});
  explorer.drop("small.safetensors", base::make_memory_source("small.safetensors", to_bytes(plan.whole())));
  explorer.app().select_when_opened("fc");
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.frames(2);
  EXPECT_NE(explorer.find(Role::TreeItem, "fc, \xE2\x89\x88 Linear"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Text, "module   \xE2\x89\x88 Linear"), nullptr) << explorer.screen_text();
}

TEST(ExplorerSafety, WhereItIsNarrowThePlaceOfAGlobalHasALineOfItsOwn) {
  const auto height_of_row = [](float width) {
    Explorer explorer({}, width, 740);
    explorer.drop("bad.pkl", base::make_memory_source("bad.pkl", to_bytes("\x80\x02"
                                                                          "cos\nsystem\n.")));
    EXPECT_TRUE(explorer.settle()) << explorer.screen_text();
    explorer.app().show_tab(panels::InspectorTab::Safety);
    explorer.frames(3);
    const AccessNode* row = explorer.find(Role::Row, "os.system, GLOBAL at byte 2");
    EXPECT_NE(row, nullptr) << explorer.screen_text();
    return row == nullptr ? 0 : row->height;
  };
  EXPECT_GT(height_of_row(360), 40);
  EXPECT_LT(height_of_row(1280), 40);
}

TEST(ExplorerAssistance, EveryControlHasANameAndAnIdOfItsOwn) {
  Explorer explorer({blocks_sample(30)});
  const auto check = [&](const char* screen) {
    std::set<std::uint32_t> ids;
    for (const AccessNode& node : explorer.controls()) {
      EXPECT_TRUE(ids.insert(node.id).second) << screen << ": " << role_name(node.role) << " '" << node.name << "'";
      EXPECT_TRUE(!node.focusable || !node.name.empty()) << screen << ": " << role_name(node.role);
      EXPECT_TRUE(node.parent == UINT32_MAX || node.parent < explorer.controls().size());
    }
  };
  check("start");
  open_blocks(explorer);
  check("summary");
  explorer.app().select_when_opened("blocks.0");
  ASSERT_TRUE(explorer.settle());
  check("registries");
  explorer.app().show_tab(panels::InspectorTab::Hooks);
  explorer.frames(3);
  check("hooks");
  explorer.app().show_tab(panels::InspectorTab::Repr);
  explorer.frames(3);
  check("repr");
  explorer.app().show_tab(panels::InspectorTab::Safety);
  explorer.frames(3);
  check("safety");
  explorer.app().select_when_opened("blocks.0.fc.weight");
  ASSERT_TRUE(explorer.settle());
  check("tensor");
  explorer.app().show_error({.found = "bad", .expected = "good", .where = "a file", .offset = 3});
  explorer.app().show_error({.found = "bad", .expected = "good", .where = "a file", .offset = 3});
  explorer.type("?");
  check("errors and keys");
}

TEST(ExplorerAssistance, TheTreeOfControlsIsHandedOverOnlyWhenItChanged) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  explorer.frames(5);
  const int before = null_host().published;
  explorer.frames(10);
  EXPECT_EQ(null_host().published, before);
  explorer.press(ImGuiKey_DownArrow);
  EXPECT_GT(null_host().published, before);
}

TEST(ExplorerSafety, TheVerdictIsInTheSummaryAndTheReasonsAreInTheTab) {
  Explorer explorer;
  explorer.drop("bad.pkl", base::make_memory_source("bad.pkl", to_bytes("cos\nsystem\n(S'id'\ntR.")));
  ASSERT_TRUE(explorer.settle());
  ASSERT_TRUE(explorer.tab_to(Role::Tab, "Summary")) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Text, "Dangerous: loading this file"), nullptr) << explorer.screen_text();
  explorer.app().show_tab(panels::InspectorTab::Safety);
  ASSERT_TRUE(explorer.settle());
  explorer.frames(2);
  const AccessNode* row = explorer.find(Role::Row, "dangerous, os.system");
  ASSERT_NE(row, nullptr) << explorer.screen_text();
  EXPECT_NE(row->name.find("GLOBAL at byte 0: runs commands of the system"), std::string::npos) << row->name;
}

TEST(ExplorerClipboard, CtrlCCopiesThePathOfTheChosenRow) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  explorer.app().select_when_opened("blocks.0.fc");
  ASSERT_TRUE(explorer.settle());
  explorer.press(ImGuiKey_C, ImGuiMod_Ctrl);
  EXPECT_EQ(null_host().clipboard, "blocks.0.fc");
}

TEST(ExplorerLoop, SleepsWhenNothingHappens) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  explorer.frames(30);
  null_host().wants_frame = false;
  explorer.frames(5);
  EXPECT_FALSE(null_host().wants_frame);
}

TEST(ExplorerScreens, ManyDocumentsLeaveTheChosenTabReadableAndThePlusBehindIt) {
  Explorer explorer({blocks_sample(3)}, 390, 844);
  for (int document = 0; document < 12; ++document) {
    explorer.app().open_sample("blocks");
    ASSERT_TRUE(explorer.settle());
  }
  const AccessNode* plus = explorer.find(Role::Button, "Open another");
  ASSERT_NE(plus, nullptr) << explorer.screen_text();
  int tabs = 0;
  for (const AccessNode& control : explorer.controls()) {
    if (control.role != Role::Tab || control.set_size != 12) continue;
    ++tabs;
    if (control.selected != 1) continue;
    EXPECT_GE(control.width, 40);
    EXPECT_LE(control.x + control.width, plus->x);
  }
  EXPECT_EQ(tabs, 12) << "those that are not seen are still there for a screen reader";
}

TEST(ExplorerScreens, APlusStandsRightBehindTheLastTab) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  const AccessNode* cross = explorer.find(Role::Button, "Close ");
  const AccessNode* plus = explorer.find(Role::Button, "Open another");
  ASSERT_NE(cross, nullptr) << explorer.screen_text();
  ASSERT_NE(plus, nullptr);
  EXPECT_FLOAT_EQ(plus->x, cross->x + cross->width);
}

TEST(ExplorerScreens, ATensorWithoutElementsIsSettled) {
  const PlannedFile plan = plan_safetensors({{"nothing", "F32", {0, 5}}});
  Explorer explorer;
  explorer.drop("nothing.safetensors", base::make_memory_source("nothing.safetensors", to_bytes(plan.whole())));
  ASSERT_TRUE(explorer.settle());
  explorer.app().select_when_opened("nothing");
  explorer.frames(3);
  EXPECT_TRUE(explorer.settle()) << explorer.screen_text();
}

TEST(ExplorerErrors, ACoreThatStoppedIsToldOnce) {
  Explorer explorer({blocks_sample(3)});
  open_blocks(explorer);
  explorer.app().core_stopped("the reader stopped: unreachable");
  explorer.app().core_stopped("the core has stopped");
  explorer.frames(3);
  EXPECT_EQ(explorer.count(Role::Alert), 1U) << explorer.screen_text();
}

TEST(ExplorerScreens, DrawAtEverySizeAndScaleWithoutATrap) {
  for (const auto& [width, height] :
       {std::pair{320.0F, 240.0F}, {800.0F, 600.0F}, {3840.0F, 2160.0F}, {60.0F, 40.0F}}) {
    Explorer explorer({blocks_sample(3)}, width, height);
    open_blocks(explorer);
    for (const auto tab : {panels::InspectorTab::Summary, panels::InspectorTab::Registries, panels::InspectorTab::Hooks,
                           panels::InspectorTab::Repr, panels::InspectorTab::Safety}) {
      explorer.app().show_tab(tab);
      explorer.frames(3);
    }
    explorer.app().select_when_opened("blocks.0.fc.weight");
    explorer.settle();
    null_host().scale = 3;
    explorer.frames(3);
    EXPECT_NE(explorer.find(Role::Banner), nullptr);
  }
}

}  // namespace
}  // namespace nns::tests
