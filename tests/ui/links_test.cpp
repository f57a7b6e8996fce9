// Links, the history, what was opened lately, watching, and two documents side by side.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/make_torch_zip.h"
#include "tests/ui/explorer.h"

namespace nns::tests {
namespace {

using host::AccessNode;
using host::Role;

std::shared_ptr<base::ByteSource> bytes_of(const std::vector<PlannedTensor>& tensors) {
  return base::make_memory_source("model.safetensors", to_bytes(plan_safetensors(tensors).whole()));
}
std::vector<PlannedTensor> small_model() {
  return {{"h.0.attn.weight", "F32", {16, 48}},
          {"h.0.mlp.weight", "F32", {16, 64}},
          {"h.1.attn.weight", "F32", {16, 48}},
          {"h.1.mlp.weight", "F32", {16, 64}},
          {"wte.weight", "F32", {50, 16}}};
}

void drop_link(Explorer& explorer, const std::string& place = {}, const std::string& name = "model.safetensors") {
  explorer.drop(name, bytes_of(small_model()), place);
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
}

void select_row(Explorer& explorer, const std::string& path) {
  explorer.app().select_when_opened(path);
  ASSERT_TRUE(explorer.settle());
}

std::string heading(const Explorer& explorer) {
  const AccessNode* node = explorer.find(Role::Heading);
  return node == nullptr ? std::string() : node->name;
}

/// Three names of one storage, and one that is alone.
std::string tied_file() {
  PickleWriter pickle;
  const PickleWriter::Tensor tied{"0", "FloatStorage", 4, 0, {2, 2}, {2, 1}};
  pickle.ordered_dict().mark().text("embed.weight").tensor(tied).text("head.weight").tensor(tied);
  pickle.text("other.weight").tensor({"1", "FloatStorage", 4, 0, {2, 2}, {2, 1}});
  pickle.text("tail.weight").tensor(tied).set_items();
  return make_torch_zip(pickle.stop(), {{"0", std::string(16, 'x')}, {"1", std::string(16, 'y')}});
}

TEST(ExplorerTied, EveryNameLeadsToTheNextOfItsGroup) {
  Explorer explorer;
  explorer.drop("tied.pt", base::make_memory_source("tied.pt", to_bytes(tied_file())));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
  explorer.app().follow_link("file=tied.pt&select=embed.weight");
  ASSERT_TRUE(explorer.settle());
  explorer.frames(2);
  EXPECT_NE(explorer.find(Role::TreeItem, "shares its storage with head.weight, tail.weight"), nullptr)
      << explorer.screen_text();
  for (const std::string expected : {"head.weight", "tail.weight", "embed.weight"}) {
    ASSERT_TRUE(explorer.tab_to(Role::Link, "Also " + expected + "  +1")) << explorer.screen_text();
    explorer.press(ImGuiKey_Enter);
    ASSERT_TRUE(explorer.settle());
    explorer.frames(2);
    EXPECT_EQ(heading(explorer), expected);
  }
  explorer.app().follow_link("file=tied.pt&select=other.weight");
  ASSERT_TRUE(explorer.settle());
  explorer.frames(2);
  EXPECT_EQ(explorer.find(Role::Link, "Also "), nullptr) << explorer.screen_text();
}

TEST(ExplorerLinks, SayWhereThePersonIs) {
  Explorer explorer;
  drop_link(explorer);
  EXPECT_EQ(null_host().link, "file=model.safetensors");
  select_row(explorer, "h.1.attn");
  EXPECT_EQ(null_host().link, "file=model.safetensors&select=h.1.attn&tab=registries");
  explorer.app().show_tab(panels::InspectorTab::Hooks);
  explorer.frames(2);
  EXPECT_EQ(null_host().link, "file=model.safetensors&select=h.1.attn&tab=hooks");
  explorer.app().show_tab(panels::InspectorTab::Map);
  explorer.frames(3);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Bytes"));
  explorer.press(ImGuiKey_Enter);
  EXPECT_EQ(null_host().link, "file=model.safetensors&select=h.1.attn&tab=map&metric=bytes");
  explorer.press(ImGuiKey_L, ImGuiMod_Alt);
  EXPECT_EQ(null_host().clipboard, "https://page/#" + null_host().link);
}

TEST(ExplorerLinks, LeadBackToEveryPlace) {
  Explorer explorer;
  drop_link(explorer);
  for (const char* link : {"file=model.safetensors&select=h.1.attn&tab=hooks",
                           "file=model.safetensors&select=h.0.mlp&tab=registries&filter=mlp%20>1",
                           "file=model.safetensors&select=h.1.attn.weight&tensor=%5B3:9,%20:%5D",
                           "file=model.safetensors&select=h.0&tab=map&map=h&metric=bytes&colour=dtype"}) {
    const std::string text(link);
    explorer.app().follow_link(text);
    ASSERT_TRUE(explorer.settle()) << text;
    EXPECT_EQ(explorer.find(Role::Alert), nullptr) << text << explorer.screen_text();
    const std::string told = null_host().link;
    explorer.app().follow_link("file=model.safetensors&select=wte");
    ASSERT_TRUE(explorer.settle());
    ASSERT_NE(null_host().link, told);
    explorer.app().follow_link(told);
    ASSERT_TRUE(explorer.settle());
    EXPECT_EQ(null_host().link, told);
    for (const char* part : {"select=", "tab=", "filter=", "tensor=", "map=", "metric=", "colour="}) {
      const std::size_t at = text.find(part);
      if (at == std::string::npos || std::string(part) == "filter=") continue;
      EXPECT_NE(told.find(text.substr(at, text.find('&', at) - at)), std::string::npos) << told;
    }
  }
}

TEST(ExplorerLinks, APartOfAPictureIsFoundAgain) {
  Explorer explorer;
  drop_link(explorer);
  select_row(explorer, "h.1.attn.weight");
  ASSERT_TRUE(explorer.tab_to(Role::Img, "Heat map of")) << explorer.screen_text();
  for (int step = 0; step < 4; ++step) explorer.type("+");
  ASSERT_TRUE(explorer.settle());
  const std::string told = null_host().link;
  ASSERT_NE(told.find("seen="), std::string::npos) << told;
  select_row(explorer, "wte.weight");
  explorer.app().follow_link(told);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(null_host().link, told);
}

TEST(ExplorerLinks, AFileThatIsNotOpenIsAskedForByName) {
  Explorer explorer;
  explorer.app().follow_link("file=other.safetensors&select=h.1.mlp");
  explorer.frames(3);
  ASSERT_NE(explorer.find(Role::Status, "The link is about other.safetensors"), nullptr) << explorer.screen_text();
  EXPECT_EQ(null_host().link, "file=other.safetensors&select=h.1.mlp") << "a reload asks again";
  drop_link(explorer, {}, "other.safetensors");
  EXPECT_EQ(heading(explorer), "h.1.mlp") << explorer.screen_text();
  EXPECT_NE(null_host().link.find("select=h.1.mlp"), std::string::npos) << null_host().link;
}

TEST(ExplorerLinks, AFileThatThePlatformKeepsIsOpenedAtOnce) {
  Explorer explorer;
  explorer.keep("model.safetensors", bytes_of(small_model()), "/data/model.safetensors");
  explorer.app().follow_link("file=/data/model.safetensors&select=h.0.mlp");
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(heading(explorer), "h.0.mlp") << explorer.screen_text();
}

TEST(ExplorerLinks, AFileThatTheBrowserAsksAboutIsOneKeyAway) {
  Explorer explorer;
  explorer.keep("model.safetensors", bytes_of(small_model()), "model.safetensors");
  null_host().asks_before_reopening = true;
  explorer.app().follow_link("file=model.safetensors&select=h.0.mlp");
  explorer.frames(3);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Open it")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(heading(explorer), "h.0.mlp") << explorer.screen_text();
}

TEST(ExplorerLinks, ANameThatIsGoneIsToldAndTheDocumentShown) {
  Explorer explorer;
  drop_link(explorer);
  explorer.app().follow_link("file=model.safetensors&select=no.such.name");
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Alert), nullptr) << explorer.screen_text();
}

TEST(ExplorerLinks, OneThatIsPastedIsFollowed) {
  Explorer explorer({blocks_sample(3)});
  ASSERT_TRUE(explorer.tab_to(Role::Textbox, "Path or address"));
  explorer.type("https://page/#sample=blocks&select=blocks.1.fc");
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(heading(explorer), "blocks.1.fc") << explorer.screen_text();
}

TEST(ExplorerHistory, ThePlatformAndTheExplorerGoTogether) {
  Explorer explorer;
  drop_link(explorer);
  select_row(explorer, "h.0.attn");
  const std::uint64_t first = null_host().visit;
  const std::string first_link = null_host().link;
  select_row(explorer, "h.1.mlp");
  EXPECT_GT(null_host().visit, first) << "each place is an entry of the history";
  explorer.app().go_to_visit(first, first_link);
  explorer.frames(3);
  EXPECT_EQ(heading(explorer), "h.0.attn");
  const std::uint64_t after = null_host().visit;
  explorer.press(ImGuiKey_RightArrow, ImGuiMod_Alt);
  EXPECT_EQ(heading(explorer), "h.1.mlp") << "forward is still there";
  EXPECT_EQ(null_host().visit, after) << "going back and forward makes no entries";
  for (int step = 0; step < 4; ++step) explorer.press(ImGuiKey_Backspace);
  EXPECT_EQ(heading(explorer), "model.safetensors") << "the first place of all";
  explorer.press(ImGuiKey_RightArrow, ImGuiMod_Alt);
  EXPECT_EQ(heading(explorer), "h.0.attn") << "what was ahead is still ahead";
  explorer.app().go_to_visit(987654, "file=model.safetensors&select=wte");
  explorer.frames(3);
  EXPECT_EQ(heading(explorer), "wte") << "an entry of an earlier page leads where its link says";
}

TEST(ExplorerRecent, ListsWhatCanBeOpenedAgain) {
  {
    Explorer explorer({blocks_sample(3)});
    explorer.keep("model.safetensors", bytes_of(small_model()), "/data/model.safetensors");
    drop_link(explorer, "/data/model.safetensors");
    drop_link(explorer, {}, "gone.safetensors");
    explorer.app().open_sample("blocks");
    ASSERT_TRUE(explorer.settle());
  }
  const auto settings = null_host().settings;
  ASSERT_NE(settings.find("recent"), settings.end());
  EXPECT_EQ(settings.at("recent").find("gone"), std::string::npos) << "what cannot be opened again is not listed";
}

TEST(ExplorerRecent, OpensAndForgets) {
  Explorer explorer;
  explorer.keep("model.safetensors", bytes_of(small_model()), "/data/model.safetensors");
  drop_link(explorer, "/data/model.safetensors");
  explorer.press(ImGuiKey_W, ImGuiMod_Ctrl);
  ASSERT_TRUE(explorer.settle());
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Open model.safetensors")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  ASSERT_NE(explorer.find(Role::Tree), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_W, ImGuiMod_Ctrl);
  ASSERT_TRUE(explorer.settle());
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Forget model.safetensors"));
  explorer.press(ImGuiKey_Enter);
  EXPECT_EQ(explorer.find(Role::Button, "Open model.safetensors"), nullptr) << explorer.screen_text();
  EXPECT_EQ(null_host().settings["recent"], "");
}

TEST(ExplorerRestore, APageThatIsLoadedAgainOpensWhatWasOpen) {
  std::map<std::string, std::string, std::less<>> settings;
  std::string link;
  {
    Explorer explorer({blocks_sample(3)});
    drop_link(explorer, "a.safetensors", "a.safetensors");
    explorer.app().open_sample("blocks");
    ASSERT_TRUE(explorer.settle());
    select_row(explorer, "blocks.1.fc");
    settings = null_host().settings;
    link = null_host().link;
  }
  Explorer explorer({blocks_sample(3)});
  null_host().settings = settings;
  explorer.keep("a.safetensors", bytes_of(small_model()), "a.safetensors");
  explorer.app().restore(link);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(heading(explorer), "blocks.1.fc") << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Tab, "model.safetensors"), nullptr) << explorer.screen_text();
}

TEST(ExplorerWatch, AFileThatChangesIsOpenedAgainAtTheSamePlace) {
  Explorer explorer;
  drop_link(explorer, "/data/model.safetensors");
  explorer.press(ImGuiKey_P, ImGuiMod_Ctrl);
  explorer.type("watch");
  explorer.press(ImGuiKey_Enter);
  EXPECT_EQ(null_host().settings["watch"], "1");
  ASSERT_EQ(null_host().watched, std::vector<std::string>{"/data/model.safetensors"});
  select_row(explorer, "h.1.attn");
  auto changed = small_model();
  changed.push_back({"h.1.extra.weight", "F32", {3}});
  null_host().changed.push_back(explorer.keep("model.safetensors", bytes_of(changed), "/data/model.safetensors"));
  explorer.frames(5);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(heading(explorer), "h.1.attn") << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::TreeItem, "extra"), nullptr)
      << "what was open in the tree is open: " << explorer.screen_text();
  int tabs = 0;
  for (const AccessNode& node : explorer.controls()) tabs += node.role == Role::Tab && node.name == "model.safetensors";
  EXPECT_EQ(tabs, 1) << explorer.screen_text();
}

TEST(ExplorerReload, AltROpensTheDocumentAgain) {
  Explorer explorer;
  explorer.keep("model.safetensors", bytes_of(small_model()), "/data/model.safetensors");
  drop_link(explorer, "/data/model.safetensors");
  select_row(explorer, "h.0.mlp");
  explorer.keep("model.safetensors", bytes_of({{"h.0.mlp.weight", "F32", {2}}}), "/data/model.safetensors");
  explorer.press(ImGuiKey_R, ImGuiMod_Alt);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(heading(explorer), "h.0.mlp") << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::TreeItem, "wte"), nullptr) << explorer.screen_text();
}

class SideBySide : public testing::TestWithParam<std::pair<float, float>> {};

TEST_P(SideBySide, BothAreSeenAndTheKeyboardChooses) {
  Explorer explorer({blocks_sample(3)}, GetParam().first, GetParam().second);
  drop_link(explorer);
  explorer.app().open_sample("blocks");
  ASSERT_TRUE(explorer.settle());
  explorer.press(ImGuiKey_Backslash, ImGuiMod_Ctrl);
  ASSERT_TRUE(explorer.settle());
  const AccessNode* chosen = explorer.find(Role::Main, "test.bin");
  const AccessNode* beside = explorer.find(Role::Region, "model.safetensors");
  ASSERT_NE(chosen, nullptr) << explorer.screen_text();
  ASSERT_NE(beside, nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.count(Role::Tree), 2U);
  const float share = beside->width * beside->height;
  // The splitter between them is the keyboard's, too.
  ASSERT_TRUE(explorer.tab_to(Role::Separator, "Share of the first document")) << explorer.screen_text();
  explorer.press(GetParam().first > 700 ? ImGuiKey_RightArrow : ImGuiKey_DownArrow);
  explorer.frames(2);
  EXPECT_GT(explorer.find(Role::Region, "model.safetensors")->width *
                explorer.find(Role::Region, "model.safetensors")->height,
            share);
  EXPECT_NE(null_host().settings["side_share"], "50");
  // A row of the other one makes that the chosen one; they stay where they are.
  const AccessNode* row = explorer.find(Role::TreeItem, "wte");
  ASSERT_NE(row, nullptr) << explorer.screen_text();
  explorer.ask(row->id, host::AccessAction::Kind::Activate);
  ASSERT_TRUE(explorer.settle());
  ASSERT_NE(explorer.find(Role::Main, "model.safetensors"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Region, "test.bin"), nullptr);
  EXPECT_NE(explorer.screen_text().find("heading 'wte'"), std::string::npos) << explorer.screen_text();
  explorer.press(ImGuiKey_Backslash, ImGuiMod_Ctrl);
  EXPECT_EQ(explorer.count(Role::Tree), 1U);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SideBySide, testing::Values(std::pair{1600.0F, 1000.0F}, std::pair{360.0F, 740.0F}));

TEST(ExplorerTabs, AltPageKeysGoThroughThem) {
  Explorer explorer({blocks_sample(3)});
  drop_link(explorer);
  explorer.app().open_sample("blocks");
  ASSERT_TRUE(explorer.settle());
  explorer.press(ImGuiKey_PageUp, ImGuiMod_Alt);
  EXPECT_NE(explorer.find(Role::Main, "model.safetensors"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_PageDown, ImGuiMod_Alt);
  EXPECT_NE(explorer.find(Role::Main, "test.bin"), nullptr) << explorer.screen_text();
}

TEST(ExplorerSplitter, MovesByKeyboardAndIsKept) {
  Explorer explorer;
  drop_link(explorer);
  const float before = explorer.find(Role::Navigation, "Module tree")->width;
  ASSERT_TRUE(explorer.tab_to(Role::Separator, "Width of the tree"));
  explorer.press(ImGuiKey_RightArrow);
  explorer.frames(2);
  EXPECT_GT(explorer.find(Role::Navigation, "Module tree")->width, before);
  EXPECT_NE(null_host().settings["tree_share"], "46");
}

}  // namespace
}  // namespace nns::tests
