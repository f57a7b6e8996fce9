// Links to comparisons and to parts of documents, the way back through them, and what a reload makes of them.
#include <gtest/gtest.h>

#include <string>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/valued_safetensors.h"
#include "tests/ui/explorer.h"

namespace nns::tests {
namespace {

using host::AccessNode;
using host::Role;

std::string layers(float value) {
  return valued_safetensors(
      {float_tensor("h.0.attn.weight", {2, 2}, {1, 2, 3, 4}),
       float_tensor("wte.weight", {16, 48}, std::vector<float>(768, 1)),
       float_tensor("h.0.mlp.weight", {2, 2}, {5, 6, 7, 8}), float_tensor("h.1.attn.weight", {2, 2}, {1, 2, 3, value}),
       float_tensor("h.1.mlp.weight", {2, 2}, {5, 6, 7, value}),
       value == 9 ? float_tensor("tail.new", {4}, {1, 2, 3, value}) : float_tensor("tail.old", {3}, {1, 2, value})});
}

std::shared_ptr<base::ByteSource> source_of(const std::string& name, float value) {
  return base::make_memory_source(name, to_bytes(layers(value)));
}

void drop_linked(Explorer& explorer, const std::string& name, float value, const std::string& place = {}) {
  explorer.drop(name, source_of(name, value), place);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
}

/// Two files, the first compared with the second.
void compare(Explorer& explorer) {
  drop_linked(explorer, "a.safetensors", 4);
  drop_linked(explorer, "b.safetensors", 9);
  explorer.press(ImGuiKey_PageUp, ImGuiMod_Ctrl);
  explorer.press(ImGuiKey_C, ImGuiMod_Alt);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  ASSERT_NE(explorer.find(Role::Heading, "A a.safetensors"), nullptr) << explorer.screen_text();
}

void select_linked(Explorer& explorer, const std::string& path) {
  explorer.app().select_when_opened(path);
  ASSERT_TRUE(explorer.settle());
}

/// The heading of the chosen row's details.
std::string chosen(const Explorer& explorer) {
  std::string name;
  for (const AccessNode& node : explorer.controls()) {
    if (node.role == Role::Heading && node.name != "Values") name = node.name;
  }
  return name;
}

const std::string kBoth = "file=a.safetensors&with-file=b.safetensors";

TEST(ComparisonLinks, TwoFilesOfOneNameAreThoseOfTheirFolders) {
  Explorer explorer;
  for (const auto& [place, value] : {std::pair("/a/model.safetensors", 4.0F), std::pair("/b/model.safetensors", 9.0F)})
    explorer.keep("model.safetensors", source_of(place, value), place);
  explorer.app().follow_link("file=/a/model.safetensors&with-file=/b/model.safetensors");
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Heading, "A a/model.safetensors  \xE2\x86\x92  B b/model.safetensors"), nullptr)
      << explorer.screen_text();
}

TEST(ComparisonLinks, SayWhatIsComparedAndWhatIsChosen) {
  Explorer explorer;
  compare(explorer);
  EXPECT_EQ(null_host().link, kBoth + "&select-a=tail.old") << "only A has it";
  explorer.press(ImGuiKey_DownArrow);
  EXPECT_EQ(null_host().link, kBoth + "&select=tail.new");
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Trees"));
  explorer.press(ImGuiKey_Enter);
  EXPECT_EQ(null_host().link, kBoth + "&view=trees&select=tail.new");
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Sort by Name"));
  explorer.press(ImGuiKey_Enter);
  explorer.press(ImGuiKey_Enter);
  EXPECT_EQ(null_host().link, kBoth + "&view=trees&sort=name&order=turned&select=tail.new");
  ASSERT_TRUE(explorer.tab_to(Role::Checkbox, "added 1"));
  explorer.press(ImGuiKey_Space);
  EXPECT_NE(null_host().link.find("&kinds=removed,renamed,moved,shape,dtype,values,other,unknown"), std::string::npos)
      << null_host().link;
  explorer.press(ImGuiKey_L, ImGuiMod_Alt);
  EXPECT_EQ(null_host().clipboard, "https://page/#" + null_host().link);
}

TEST(ComparisonLinks, LeadBackToEveryPlace) {
  Explorer explorer;
  compare(explorer);
  for (const char* place :
       {"&select=h.1.mlp.weight", "&view=trees&select=h.1", "&select-a=tail.old", "&sort=cosine&select=h.1.attn.weight",
        "&view=trees&sort=max&order=turned&select=h.1", "&sort=size&order=turned&select=tail.new",
        "&filter=mlp&kinds=values,equal&select=h.0.mlp.weight", "&kinds=none&select=tail.new"}) {
    const std::string link = kBoth + place;
    explorer.app().follow_link(link);
    ASSERT_TRUE(explorer.settle()) << link;
    EXPECT_EQ(null_host().link, link) << explorer.screen_text();
    EXPECT_EQ(explorer.find(Role::Alert), nullptr) << explorer.screen_text();
    explorer.app().follow_link("file=a.safetensors&select=h.0");
    ASSERT_TRUE(explorer.settle());
    ASSERT_EQ(null_host().link.find("with-file"), std::string::npos);
    explorer.app().follow_link(link);
    ASSERT_TRUE(explorer.settle());
    EXPECT_EQ(null_host().link, link) << "from elsewhere";
  }
}

TEST(ComparisonLinks, APartOfTheHeatMapIsFoundAgain) {
  Explorer explorer;
  compare(explorer);
  explorer.app().follow_link(kBoth + "&select=wte.weight");
  ASSERT_TRUE(explorer.settle());
  const AccessNode* map = explorer.find(Role::Img, "Heat map of B");
  ASSERT_NE(map, nullptr) << explorer.screen_text();
  explorer.ask(map->id, host::AccessAction::Kind::Focus);
  for (int step = 0; step < 4; ++step) explorer.type("+");
  ASSERT_TRUE(explorer.settle());
  const std::string told = null_host().link;
  ASSERT_NE(told.find("&seen="), std::string::npos) << told;
  explorer.app().follow_link(kBoth + "&select=tail.new");
  ASSERT_TRUE(explorer.settle());
  explorer.app().follow_link(told);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(null_host().link, told);
}

TEST(ComparisonLinks, OpenBothFiles) {
  Explorer explorer;
  explorer.keep("a.safetensors", source_of("a.safetensors", 4), "/data/a.safetensors");
  explorer.keep("b.safetensors", source_of("b.safetensors", 9), "/data/b.safetensors");
  explorer.app().follow_link(
      "file=/data/a.safetensors&with-file=/data/b.safetensors&view=trees&select=h.1.attn.weight");
  ASSERT_TRUE(explorer.settle());
  ASSERT_NE(explorer.find(Role::Tree, "Both trees"), nullptr) << explorer.screen_text();
  EXPECT_EQ(chosen(explorer), "h.1.attn.weight");
}

TEST(ComparisonLinks, AskForFilesThatAreNotThere) {
  Explorer explorer;
  const std::string link = kBoth + "&select=h.1.attn.weight";
  explorer.app().follow_link(link);
  explorer.frames(3);
  EXPECT_EQ(null_host().link, link) << "a reload asks again";
  ASSERT_NE(explorer.find(Role::Button, "Forget a.safetensors"), nullptr) << explorer.screen_text();
  ASSERT_NE(explorer.find(Role::Button, "Forget b.safetensors"), nullptr) << explorer.screen_text();
  drop_linked(explorer, "b.safetensors", 9);
  EXPECT_NE(explorer.find(Role::Button, "Forget a.safetensors"), nullptr) << "the other is still asked for";
  drop_linked(explorer, "a.safetensors", 4);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(chosen(explorer), "h.1.attn.weight") << explorer.screen_text();
  EXPECT_EQ(null_host().link, link);
}

TEST(ComparisonLinks, OneThatIsPastedIsFollowed) {
  Explorer explorer;
  explorer.keep("a.safetensors", source_of("a.safetensors", 4), "a.safetensors");
  explorer.keep("b.safetensors", source_of("b.safetensors", 9), "b.safetensors");
  ASSERT_TRUE(explorer.tab_to(Role::Textbox, "Path or address"));
  explorer.type("https://page/#" + kBoth + "&select=tail.new");
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(chosen(explorer), "tail.new") << explorer.screen_text();
}

TEST(ComparisonHistory, LeadsThroughRowsAndViews) {
  Explorer explorer;
  compare(explorer);
  const std::string first = null_host().link;
  explorer.press(ImGuiKey_DownArrow);
  const std::string second = null_host().link;
  const std::uint64_t second_visit = null_host().visit;
  ASSERT_NE(second, first);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Trees"));
  explorer.press(ImGuiKey_Enter);
  const std::string third = null_host().link;
  EXPECT_GT(null_host().visit, second_visit) << "each place is an entry of the history";
  for (const std::string& expected : {second, first}) {
    explorer.press(ImGuiKey_LeftArrow, ImGuiMod_Alt);
    EXPECT_EQ(null_host().link, expected) << explorer.screen_text();
  }
  explorer.press(ImGuiKey_LeftArrow, ImGuiMod_Alt);
  EXPECT_EQ(null_host().link, "file=a.safetensors") << "before it was compared";
  for (const std::string& expected : {first, second, third}) {
    explorer.press(ImGuiKey_RightArrow, ImGuiMod_Alt);
    EXPECT_EQ(null_host().link, expected) << explorer.screen_text();
  }
  explorer.app().go_to_visit(second_visit, second);
  explorer.frames(3);
  EXPECT_EQ(null_host().link, second) << "where the platform's own history leads";
}

TEST(ComparisonRestore, AReloadComesBackToIt) {
  std::map<std::string, std::string, std::less<>> settings;
  std::string link;
  {
    Explorer explorer;
    compare(explorer);
    ASSERT_TRUE(explorer.tab_to(Role::Button, "Trees"));
    explorer.press(ImGuiKey_Enter);
    settings = null_host().settings;
    link = null_host().link;
  }
  Explorer explorer;
  null_host().settings = settings;
  null_host().opens_paths = false;
  explorer.keep("b.safetensors", source_of("b.safetensors", 9), "b.safetensors");
  explorer.app().restore(link);
  explorer.frames(5);
  ASSERT_NE(explorer.find(Role::Button, "Forget a.safetensors"), nullptr) << explorer.screen_text();
  EXPECT_EQ(null_host().link, link) << "one more reload comes back as well";
  drop_linked(explorer, "a.safetensors", 4);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(null_host().link, link) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Tree, "Both trees"), nullptr) << explorer.screen_text();
}

TEST(ComparisonOfParts, IsChosenByTheKeyboard) {
  Explorer explorer;
  drop_linked(explorer, "a.safetensors", 7);
  select_linked(explorer, "h.0");
  explorer.press(ImGuiKey_C, static_cast<ImGuiKey>(ImGuiMod_Alt | ImGuiMod_Shift));
  ASSERT_NE(explorer.find(Role::Dialog, "Compare h.0 with"), nullptr) << explorer.screen_text();
  const AccessNode* sibling = explorer.find(Role::Option, "h.1");
  ASSERT_NE(sibling, nullptr) << explorer.screen_text();
  EXPECT_EQ(sibling->description, "built alike");
  EXPECT_EQ(sibling->position, 1);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Heading, "A a.safetensors \xC2\xB7 h.0"), nullptr) << explorer.screen_text();
  EXPECT_EQ(null_host().link, "file=a.safetensors&part=h.0&with-part=h.1&select=h.1.attn.weight");
  EXPECT_NE(explorer.find(Role::Row, "attn.weight, values"), nullptr)
      << "names are those below the parts: " << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Tab, "a.safetensors \xC2\xB7 h.0 \xE2\x86\x92 h.1"), nullptr) << explorer.screen_text();
  const std::string link = null_host().link;
  explorer.press(ImGuiKey_W, ImGuiMod_Ctrl);
  explorer.app().follow_link(link);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(null_host().link, link);
}

TEST(ComparisonOfParts, TensorsAreComparedWhateverTheyAreCalled) {
  Explorer explorer;
  drop_linked(explorer, "a.safetensors", 7);
  select_linked(explorer, "h.0.attn.weight");
  explorer.press(ImGuiKey_C, static_cast<ImGuiKey>(ImGuiMod_Alt | ImGuiMod_Shift));
  const AccessNode* other = explorer.find(Role::Option, "h.1.attn.weight");
  ASSERT_NE(other, nullptr) << explorer.screen_text();
  EXPECT_EQ(other->position, 1) << "more of its name is the same than of others: " << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  const std::string screen = explorer.screen_text();
  EXPECT_NE(screen.find("1 of 4 values"), std::string::npos) << screen;
  EXPECT_NE(explorer.find(Role::Img, "Heat map of B"), nullptr) << screen;
}

TEST(ComparisonOfParts, OneIsMarkedAndComparedWithWhatIsChosenNext) {
  Explorer explorer;
  drop_linked(explorer, "a.safetensors", 4);
  drop_linked(explorer, "b.safetensors", 9);
  select_linked(explorer, "h.1");
  explorer.press(ImGuiKey_C, static_cast<ImGuiKey>(ImGuiMod_Alt | ImGuiMod_Shift));
  explorer.press(ImGuiKey_End);
  explorer.press(ImGuiKey_Enter);
  EXPECT_NE(explorer.screen_text().find("h.1 is marked"), std::string::npos) << explorer.screen_text();
  explorer.press(ImGuiKey_PageUp, ImGuiMod_Ctrl);
  select_linked(explorer, "h.0");
  explorer.press(ImGuiKey_C, static_cast<ImGuiKey>(ImGuiMod_Alt | ImGuiMod_Shift));
  const AccessNode* marked = explorer.find(Role::Option, "h.1");
  ASSERT_NE(marked, nullptr) << explorer.screen_text();
  EXPECT_EQ(marked->description, "marked");
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(null_host().link.find("file=b.safetensors&with-file=a.safetensors&part=h.1&with-part=h.0"), 0U)
      << null_host().link;
}

TEST(ComparisonOfParts, AModuleAndATensorAreRefused) {
  Explorer explorer;
  drop_linked(explorer, "a.safetensors", 4);
  explorer.app().follow_link("file=a.safetensors&part=h.0&with-part=h.1.attn.weight");
  explorer.frames(3);
  EXPECT_NE(explorer.screen_text().find("a tensor cannot be compared with a module"), std::string::npos)
      << explorer.screen_text();
  explorer.app().follow_link("file=a.safetensors&part=h.0&with-part=no.such");
  explorer.frames(3);
  EXPECT_NE(explorer.screen_text().find("no module or tensor has this name"), std::string::npos)
      << explorer.screen_text();
}

}  // namespace
}  // namespace nns::tests
