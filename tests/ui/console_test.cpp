// Programs in the explorer: what they write, what is typed to them, by keyboard alone.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/valued_safetensors.h"
#include "tests/ui/explorer.h"

namespace nns::tests {
namespace {

using host::AccessNode;
using host::Role;

void open_program(Explorer& explorer, const std::string& text, const std::string& name = "net.py") {
  explorer.drop(name, base::make_memory_source(name, to_bytes(text)));
}

void drop_file(Explorer& explorer) {
  const std::string bytes = valued_safetensors({float_tensor("0.weight", {1, 2, 3})});
  explorer.drop("a.safetensors", base::make_memory_source("a.safetensors", to_bytes(bytes)));
}

constexpr std::string_view kConsoleNet =
    "from torch import nn\n"
    "class Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.conv1 = nn.Conv2d(1, 2, 3)\n"
    "model = Net()\n"
    "print('built', len(list(model.parameters())))\n";

void focus_console(Explorer& explorer) {
  explorer.press(ImGuiKey_GraveAccent, ImGuiMod_Ctrl);
  explorer.frames(4);
  ASSERT_NE(explorer.focused(), nullptr) << explorer.screen_text();
  ASSERT_EQ(explorer.focused()->name, "Python") << explorer.screen_text();
}

void enter(Explorer& explorer, std::string_view text) {
  explorer.type(text);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
}

TEST(ExplorerConsole, ShowsWhatAProgramBuiltAndWrote) {
  Explorer explorer;
  open_program(explorer, std::string(kConsoleNet));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::ListItem, "built 2"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::TreeItem, "model"), nullptr) << explorer.screen_text();
}

TEST(ExplorerConsole, RunsWhatIsTypedAndTheTreeFollows) {
  Explorer explorer;
  open_program(explorer, std::string(kConsoleNet));
  ASSERT_TRUE(explorer.settle());
  focus_console(explorer);
  enter(explorer, "'conv1' in model.__dict__, 'conv1' in model._modules");
  EXPECT_NE(explorer.find(Role::ListItem, "(False, True)"), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.focused()->name, "Python") << "the next line can be typed at once";
  enter(explorer, "model.head = nn.Linear(3, 4)");
  const auto document = explorer.app().mirror().documents().at(0);
  EXPECT_EQ(document->get().total_parameters(), 20U + 16U);
  // What was typed comes back.
  explorer.press(ImGuiKey_UpArrow);
  explorer.press(ImGuiKey_UpArrow);
  explorer.press(ImGuiKey_DownArrow);
  EXPECT_EQ(explorer.find(Role::Textbox, "Python")->value, "model.head = nn.Linear(3, 4)") << explorer.screen_text();
}

TEST(ExplorerConsole, CompletesNames) {
  Explorer explorer;
  open_program(explorer, std::string(kConsoleNet));
  ASSERT_TRUE(explorer.settle());
  focus_console(explorer);
  explorer.type("model.conv");
  explorer.press(ImGuiKey_Space, ImGuiMod_Ctrl);
  explorer.frames(10);
  EXPECT_EQ(explorer.find(Role::Textbox, "Python")->value, "model.conv1") << explorer.screen_text();
  explorer.type(".pad");
  explorer.press(ImGuiKey_Space, ImGuiMod_Ctrl);
  explorer.frames(10);
  EXPECT_EQ(explorer.find(Role::Textbox, "Python")->value, "model.conv1.padding") << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Status, "padding   padding_mode"), nullptr) << explorer.screen_text();
}

TEST(ExplorerConsole, TellsAnErrorWithItsLine) {
  Explorer explorer;
  open_program(explorer, "x = 1\nx.missing\n");
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::ListItem, "line 2, in <module>"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::ListItem, "AttributeError"), nullptr) << explorer.screen_text();
}

TEST(ExplorerConsole, StopsAProgramThatDoesNotEnd) {
  Explorer explorer;
  open_program(explorer, "n = 0\nwhile True:\n    n += 1\n    if n % 1000 == 0: print('turn', n)\n");
  explorer.frames(40);
  EXPECT_NE(explorer.find(Role::ListItem, "turn "), nullptr)
      << "output comes while it runs; " << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Stop")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::ListItem, "KeyboardInterrupt"), nullptr) << explorer.screen_text();
  focus_console(explorer);
  enter(explorer, "n > 999");
  EXPECT_NE(explorer.find(Role::ListItem, "True"), nullptr) << explorer.screen_text();
}

TEST(ExplorerConsole, ShowsAHundredThousandLines) {
  Explorer explorer;
  open_program(explorer, "for i in range(100000): print(i)\n");
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::ListItem, "99999"), nullptr) << "the newest line is seen";
  EXPECT_LT(explorer.controls().size(), 1000U) << "only what is seen is in the tree of controls";
  ASSERT_TRUE(explorer.tab_to(Role::ListItem, "99999")) << explorer.screen_text();
  explorer.press(ImGuiKey_Home);
  EXPECT_NE(explorer.find(Role::ListItem, "0"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_End);
  EXPECT_NE(explorer.find(Role::ListItem, "99999"), nullptr) << explorer.screen_text();
}

TEST(ExplorerConsole, TwoHostsServeOneExplorer) {
  Explorer explorer({blocks_sample(3)}, 1280, 800, Explorer::Hosts::Two);
  drop_file(explorer);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  open_program(explorer, std::string(kConsoleNet));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.app().open_sample("blocks");
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  const auto& documents = explorer.app().mirror().documents();
  ASSERT_EQ(documents.size(), 3U);
  EXPECT_EQ(documents[0]->id(), 1U);
  EXPECT_EQ(documents[1]->id(), live::kFirstProgramDocument);
  EXPECT_EQ(documents[2]->id(), live::kFirstProgramDocument + 1);
}

TEST(ExplorerConsole, ComparesAFileOfOneHostWithAModelOfTheOther) {
  Explorer explorer({blocks_sample(3)}, 1280, 800, Explorer::Hosts::Two);
  drop_file(explorer);
  ASSERT_TRUE(explorer.settle());
  explorer.app().open_sample("blocks");
  ASSERT_TRUE(explorer.settle());
  explorer.app().compare_when_opened();
  explorer.frames(5);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Tab, "a.safetensors"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Main, "\xE2\x86\x92 a.safetensors"), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.app().mirror().documents().size(), 2U) << "the file's first document is gone";
}

TEST(ExplorerConsole, LosesOnlyTheProgramsWithTheirHost) {
  Explorer explorer({blocks_sample(3)}, 1280, 800, Explorer::Hosts::Two);
  drop_file(explorer);
  ASSERT_TRUE(explorer.settle());
  open_program(explorer, "while True: pass\n");
  explorer.frames(10);
  ASSERT_EQ(explorer.app().mirror().documents().size(), 2U);
  explorer.lose_programs();
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  ASSERT_EQ(explorer.app().mirror().documents().size(), 1U) << explorer.screen_text();
  EXPECT_EQ(explorer.app().mirror().documents()[0]->title(), "a.safetensors");
  ASSERT_EQ(explorer.app().errors().size(), 1U);
  EXPECT_NE(explorer.app().errors()[0].error.found.find("not enough memory"), std::string::npos);
  open_program(explorer, std::string(kConsoleNet), "again.py");
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::ListItem, "built 2"), nullptr) << explorer.screen_text();
}

}  // namespace
}  // namespace nns::tests
