// The source of a program in the explorer: edited and run by keyboard alone.
#include <gtest/gtest.h>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/ui/explorer.h"
#include "ui/model/link.h"

namespace nns::tests {
namespace {

using host::AccessNode;
using host::Role;

void open_in_editor(Explorer& explorer, const std::string& text) {
  explorer.drop("net.py", base::make_memory_source("net.py", to_bytes(text)));
}

void edit(Explorer& explorer) {
  explorer.press(ImGuiKey_E, ImGuiMod_Alt);
  explorer.frames(4);
  ASSERT_NE(explorer.focused(), nullptr) << explorer.screen_text();
  ASSERT_EQ(explorer.focused()->name, "Source of net.py") << explorer.screen_text();
}

const AccessNode* source(Explorer& explorer) { return explorer.find(Role::Textbox, "Source of net.py"); }

TEST(ExplorerEditor, ShowsAnErrorThatIsMendedAndRunsWhatStandsThere) {
  Explorer explorer;
  open_in_editor(explorer, "print('one')\n");
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  edit(explorer);
  EXPECT_EQ(source(explorer)->value, "print('one')");
  explorer.press(ImGuiKey_End, ImGuiMod_Ctrl);
  explorer.type("print('two'");
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Status, "Line 2: SyntaxError: '(' was never closed"), nullptr)
      << explorer.screen_text();
  EXPECT_NE(source(explorer)->description.find("error: SyntaxError"), std::string::npos)
      << source(explorer)->description;
  explorer.type(")");
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Status, "No problems"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter, ImGuiMod_Ctrl);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::ListItem, "two"), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.app().mirror().documents().size(), 1U) << "the document is the same";
  EXPECT_EQ(explorer.focused()->name, "Source of net.py") << "and is edited on";
}

TEST(ExplorerEditor, PutsARunTimeErrorOnItsLine) {
  Explorer explorer;
  open_in_editor(explorer, "x = 1\nx.missing\n");
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Status, "Line 2: AttributeError: 'int' object has no attribute 'missing'"), nullptr)
      << explorer.screen_text();
}

TEST(ExplorerEditor, CtrlFSearchesEverythingFromTheConsoleAndTheTextFromTheText) {
  Explorer explorer;
  open_in_editor(explorer, "x = 1\n");
  ASSERT_TRUE(explorer.settle());
  ASSERT_NE(source(explorer), nullptr) << "the source is shown";
  explorer.press(ImGuiKey_GraveAccent, ImGuiMod_Ctrl);
  explorer.frames(3);
  ASSERT_NE(explorer.focused(), nullptr);
  ASSERT_EQ(explorer.focused()->name, "Python") << explorer.screen_text();
  explorer.press(ImGuiKey_F, ImGuiMod_Ctrl);
  explorer.frames(3);
  EXPECT_EQ(explorer.focused()->name, "Search") << explorer.screen_text();
  explorer.press(ImGuiKey_Escape);
  explorer.frames(3);
  edit(explorer);
  explorer.press(ImGuiKey_F, ImGuiMod_Ctrl);
  explorer.frames(3);
  EXPECT_EQ(explorer.focused()->role, Role::Searchbox) << explorer.screen_text();
  EXPECT_NE(explorer.focused()->name, "Search");
}

TEST(ExplorerEditor, TakesLettersThatAreCommandsElsewhere) {
  Explorer explorer;
  open_in_editor(explorer, "");
  ASSERT_TRUE(explorer.settle());
  edit(explorer);
  explorer.type("a / b ? c");
  explorer.frames(3);
  EXPECT_EQ(source(explorer)->value, "a / b ? c") << explorer.screen_text();
  explorer.press(ImGuiKey_Backspace);
  explorer.press(ImGuiKey_Z, ImGuiMod_Ctrl);
  explorer.press(ImGuiKey_Tab);
  EXPECT_EQ(source(explorer)->value, "a / b ? c   ") << "Tab indents to the next step";
  explorer.press(ImGuiKey_Escape);
  explorer.press(ImGuiKey_Tab);
  explorer.frames(3);
  EXPECT_NE(explorer.focused()->name, "Source of net.py") << "after Escape it leaves";
}

TEST(ExplorerEditor, IndentsFindsAndReplacesByKeys) {
  Explorer explorer;
  open_in_editor(explorer, "");
  ASSERT_TRUE(explorer.settle());
  edit(explorer);
  explorer.type("def f():");
  explorer.press(ImGuiKey_Enter);
  explorer.type("return 1");
  explorer.frames(3);
  EXPECT_EQ(source(explorer)->value, "    return 1");
  explorer.press(ImGuiKey_F, ImGuiMod_Ctrl);
  explorer.frames(4);
  ASSERT_EQ(explorer.focused()->name, "Find in the source") << explorer.screen_text();
  explorer.type("f");
  explorer.frames(3);
  EXPECT_NE(explorer.find(Role::Status, "of 2"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_Escape);
  explorer.frames(4);
  EXPECT_EQ(explorer.focused()->name, "Source of net.py") << explorer.screen_text();
}

TEST(ExplorerEditor, BeginsANewProgram) {
  Explorer explorer;
  explorer.press(ImGuiKey_N, ImGuiMod_Alt);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.frames(5);
  EXPECT_NE(explorer.find(Role::Textbox, "Source of program.py"), nullptr) << explorer.screen_text();
}

TEST(ExplorerEditor, SharesAProgramAsALink) {
  std::string link;
  {
    Explorer explorer;
    open_in_editor(explorer, "");
    ASSERT_TRUE(explorer.settle());
    edit(explorer);
    explorer.type("print('shared', 6 * 7)");
    ASSERT_TRUE(explorer.settle());
    explorer.press(ImGuiKey_L, ImGuiMod_Alt);
    explorer.frames(2);
    link = null_host().clipboard;
    EXPECT_EQ(link.find("https://page/#code="), 0U) << link;
  }
  Explorer other;
  other.app().follow_link(model::Link::fragment_of(link));
  ASSERT_TRUE(other.settle()) << other.screen_text();
  EXPECT_NE(other.find(Role::ListItem, "shared 42"), nullptr) << other.screen_text();
  EXPECT_EQ(source(other)->value, "print('shared', 6 * 7)") << other.screen_text();
  other.app().follow_link("#code=AAAA");
  ASSERT_TRUE(other.settle());
  EXPECT_EQ(other.app().errors().size(), 1U) << "a damaged link is told";
}

TEST(ExplorerEditor, DrawsOnlyWhatIsSeenOfAHundredThousandLines) {
  Explorer explorer;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "x = 1\n";
  open_in_editor(explorer, text);
  ASSERT_TRUE(explorer.settle());
  edit(explorer);
  explorer.press(ImGuiKey_End, ImGuiMod_Ctrl);
  explorer.type("y");
  explorer.frames(2);
  EXPECT_NE(source(explorer)->description.find("Line 100001 of 100001"), std::string::npos)
      << source(explorer)->description;
}

}  // namespace
}  // namespace nns::tests
