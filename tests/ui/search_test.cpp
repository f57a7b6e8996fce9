// The search box, by keyboard and by assistive technology.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/base/byte_source.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/ui/explorer.h"
#include "tests/ui/look.h"

namespace nns::tests {
namespace {

using host::AccessAction;
using host::AccessNode;
using host::Role;

std::vector<PlannedTensor> small_searched_model() {
  std::vector<PlannedTensor> tensors = {{"wte.weight", "BF16", {500, 16}}};
  for (int block = 0; block < 3; ++block) {
    const std::string at = fmt::format("h.{}.", block);
    tensors.push_back({at + "attn.c_attn.weight", "BF16", {16, 48}});
    tensors.push_back({at + "attn.c_attn.bias", "F32", {48}});
    tensors.push_back({at + "mlp.c_fc.weight", "BF16", {16, 64}});
  }
  return tensors;
}

void drop(Explorer& explorer, const std::vector<PlannedTensor>& tensors,
          const std::string& name = "model.safetensors") {
  explorer.drop(name, base::make_memory_source(name, to_bytes(plan_safetensors(tensors).whole())));
  ASSERT_TRUE(explorer.settle()) << explorer.screen_text();
}

const AccessNode* box(const Explorer& explorer) { return explorer.find(Role::Dialog, "Search"); }

class SearchAt : public testing::TestWithParam<Look> {
 public:
  void SetUp() override {
    explorer.emplace(std::vector<session::Sample>{}, GetParam().width, GetParam().height);
    null_host().is_dark = GetParam().theme == panels::ThemeChoice::Dark;
  }
  std::optional<Explorer> explorer;
};

TEST_P(SearchAt, AnswersAsOneTypesAndEnterGoesThere) {
  drop(*explorer, small_searched_model());
  explorer->type("/");
  ASSERT_NE(box(*explorer), nullptr) << explorer->screen_text();
  EXPECT_NE(explorer->find(Role::Option, "attn weight, both words"), nullptr) << "what can be asked is shown";
  explorer->type("attn weight bf16");
  EXPECT_NE(explorer->find(Role::Status, "3 hits \xC2\xB7 2,304 parameters"), nullptr) << explorer->screen_text();
  explorer->press(ImGuiKey_DownArrow);
  EXPECT_NE(explorer->find(Role::Status, "2 of 3: h.1.attn.c_attn.weight"), nullptr) << explorer->screen_text();
  explorer->press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer->settle());
  EXPECT_EQ(box(*explorer), nullptr);
  EXPECT_NE(explorer->find(Role::Heading, "h.1.attn.c_attn.weight"), nullptr) << explorer->screen_text();
  ASSERT_NE(explorer->focused(), nullptr);
  EXPECT_EQ(explorer->focused()->role, Role::TreeItem) << "the keyboard is where the answer is";
}

TEST_P(SearchAt, SaysWhatToDoWhereNothingMatches) {
  drop(*explorer, small_searched_model());
  explorer->type("/");
  explorer->type("zzqq");
  ASSERT_TRUE(explorer->settle());
  EXPECT_NE(explorer->find(Role::Heading, "Nothing matches"), nullptr) << explorer->screen_text();
  explorer->press(ImGuiKey_Backspace);
  explorer->press(ImGuiKey_Backspace);
  explorer->press(ImGuiKey_Backspace);
  explorer->press(ImGuiKey_Backspace);
  ASSERT_TRUE(explorer->settle());
  EXPECT_EQ(explorer->find(Role::Heading, "Nothing matches"), nullptr) << explorer->screen_text();
}

TEST_P(SearchAt, SaysWhatIsWrongAndWhere) {
  drop(*explorer, small_searched_model());
  explorer->type("/");
  explorer->type("attn shape:x");
  ASSERT_NE(explorer->find(Role::Alert, "At letter 6: shape:x is no shape: expected as in"), nullptr)
      << explorer->screen_text();
  explorer->press(ImGuiKey_Enter);
  EXPECT_NE(box(*explorer), nullptr) << "nothing is opened by a query that cannot be read";
  explorer->press(ImGuiKey_End);
  explorer->press(ImGuiKey_Backspace);
  explorer->type("*,48");
  EXPECT_EQ(explorer->find(Role::Alert), nullptr) << explorer->screen_text();
  EXPECT_NE(explorer->find(Role::Status, "3 hits"), nullptr) << explorer->screen_text();
}

INSTANTIATE_TEST_SUITE_P(Looks, SearchAt, all_looks(), look_name);

TEST(ExplorerSearch, CountsTheParametersOfTheAttentionBlocks) {
  Explorer explorer;
  drop(explorer, small_searched_model());
  explorer.press(ImGuiKey_F, ImGuiMod_Ctrl);
  explorer.type("attn");
  EXPECT_NE(explorer.find(Role::Status, "6 hits \xC2\xB7 2,448 parameters"), nullptr) << explorer.screen_text();
}

TEST(ExplorerSearch, CtrlEnterShowsTheAnswersInTheTree) {
  Explorer explorer;
  drop(explorer, small_searched_model());
  explorer.type("/");
  explorer.type("mlp bf16");
  explorer.press(ImGuiKey_Enter, ImGuiMod_Ctrl);
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(box(explorer), nullptr);
  const AccessNode* filter = explorer.find(Role::Searchbox, "Filter");
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(filter->value, "mlp bf16");
  EXPECT_NE(explorer.find(Role::Status, "3 matches"), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::TreeItem, "wte"), nullptr) << explorer.screen_text();
}

TEST(ExplorerSearch, EscapeClosesItAtOnceAndTheKeyboardGoesBack) {
  Explorer explorer;
  drop(explorer, small_searched_model());
  explorer.press(ImGuiKey_Home);
  explorer.type("/");
  explorer.type("attn");
  explorer.press(ImGuiKey_Escape);
  EXPECT_EQ(box(explorer), nullptr);
  ASSERT_NE(explorer.focused(), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.focused()->role, Role::TreeItem);
  explorer.type("/");
  ASSERT_NE(explorer.find(Role::Searchbox, "Search"), nullptr);
  EXPECT_EQ(explorer.find(Role::Searchbox, "Search")->value, "");
}

TEST(ExplorerSearch, LooksThroughAllDocumentsTheShownOneFirst) {
  Explorer explorer;
  drop(explorer, small_searched_model(), "first.safetensors");
  drop(explorer, {{"head.attn.weight", "F32", {4, 4}}}, "second.safetensors");
  explorer.type("/");
  explorer.type("attn");
  const AccessNode* first = explorer.find(Role::Option, "attn");
  ASSERT_NE(first, nullptr) << explorer.screen_text();
  EXPECT_NE(first->name.find("in second.safetensors"), std::string::npos) << first->name;
  EXPECT_EQ(first->set_size, 7);
  const AccessNode* other = explorer.find(Role::Option, "in first.safetensors");
  ASSERT_NE(other, nullptr);
  explorer.ask(other->id, AccessAction::Kind::Activate);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.find(Role::Main, "first.safetensors"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Heading, "h.0.attn"), nullptr) << explorer.screen_text();
}

TEST(ExplorerSearch, MetadataLeadsToTheSummary) {
  Explorer explorer;
  PlannedFile plan = plan_safetensors(small_searched_model(), R"({"trained_on":"tiny shakespeare"})");
  explorer.drop("model.safetensors", base::make_memory_source("model.safetensors", to_bytes(plan.whole())));
  ASSERT_TRUE(explorer.settle());
  explorer.type("/");
  explorer.type("meta:shakespeare");
  ASSERT_NE(explorer.find(Role::Option, "trained_on, metadata, tiny shakespeare"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(explorer.settle());
  EXPECT_NE(explorer.screen_text().find("tiny shakespeare"), std::string::npos) << explorer.screen_text();
}

TEST(ExplorerSearch, CommandsStandBehindAGreaterThan) {
  Explorer explorer;
  drop(explorer, small_searched_model());
  explorer.type("/");
  explorer.type(">light");
  ASSERT_NE(explorer.find(Role::Dialog, "Commands"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  EXPECT_EQ(null_host().settings["theme"], "light");
  explorer.type("/");
  explorer.type(">=1000");
  EXPECT_EQ(explorer.find(Role::Dialog, "Commands"), nullptr) << "a number is a size";
  EXPECT_NE(explorer.find(Role::Status, "4 hits"), nullptr) << explorer.screen_text();
}

TEST(ExplorerSearch, CtrlShiftPIsTheListOfCommandsWithoutADocument) {
  Explorer explorer;
  explorer.press_chord(ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiKey_P);
  ASSERT_NE(explorer.find(Role::Dialog, "Commands"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_Backspace);
  EXPECT_NE(explorer.find(Role::Status, "No document is open"), nullptr) << explorer.screen_text();
}

TEST(ExplorerSearch, EveryControlHasANameAndAnIdOfItsOwn) {
  Explorer explorer;
  drop(explorer, small_searched_model());
  for (const char* text : {"", "attn", "attn shape:x", ">", "no such thing at all"}) {
    explorer.type("/");
    explorer.type(text);
    std::set<std::uint32_t> ids;
    for (const AccessNode& node : explorer.controls()) {
      EXPECT_TRUE(ids.insert(node.id).second) << text << ": " << role_name(node.role) << " '" << node.name << "'";
      EXPECT_TRUE(!node.focusable || !node.name.empty()) << text << ": " << role_name(node.role);
    }
    explorer.press(ImGuiKey_Escape);
  }
}

/// `query` with what takes longer than a frame to be found among 150,000 rows.
std::string slow_query(std::string query) {
  for (int i = 0; i < 24; ++i) query += "/4.*(9|8).*9.*9[0-9]\\.fc$/ ";
  return query;
}

/// The text and Enter come before the next frame.
void enter_at_once(std::string_view text) {
  ImGuiIO& io = ImGui::GetIO();
  for (const char letter : text) io.AddInputCharacter(static_cast<unsigned char>(letter));
  io.AddKeyEvent(ImGuiKey_Enter, true);
  io.AddKeyEvent(ImGuiKey_Enter, false);
}

TEST(ExplorerSearch, EnterGoesToWhatTheWholeTextFindsHoweverFastItWasTyped) {
  Explorer explorer({blocks_sample(50'000)});
  explorer.app().open_sample("blocks");
  ASSERT_TRUE(explorer.settle());
  explorer.type("/");
  explorer.type("fc");
  ASSERT_TRUE(explorer.settle());
  ASSERT_NE(explorer.find(Role::Option, "fc"), nullptr) << explorer.screen_text();
  enter_at_once(slow_query(" "));
  ASSERT_TRUE(explorer.settle());
  EXPECT_EQ(box(explorer), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Heading, "blocks.4"), nullptr) << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::Heading, "blocks.0.fc"), nullptr) << "that is the first answer to what stood there";
}

TEST(ExplorerSearch, EnterIsForgottenWhenTheTextChangesBeforeItsAnswersAreThere) {
  Explorer explorer({blocks_sample(50'000)});
  explorer.app().open_sample("blocks");
  ASSERT_TRUE(explorer.settle());
  explorer.type("/");
  enter_at_once(slow_query("fc "));
  ImGui::GetIO().AddInputCharacter('x');
  ASSERT_TRUE(explorer.settle());
  ASSERT_NE(box(explorer), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Status, "Nothing has all of this"), nullptr) << explorer.screen_text();
}

TEST(ExplorerSearch, SleepsOnceEverythingIsFound) {
  Explorer explorer({blocks_sample(50'000)});
  explorer.app().open_sample("blocks");
  ASSERT_TRUE(explorer.settle());
  explorer.type("/");
  explorer.type("/4.*9\\.fc/");
  ASSERT_TRUE(explorer.settle()) << "what takes longer than a frame goes on in the next ones";
  const AccessNode* first = explorer.find(Role::Option, "fc, \xE2\x89\x88 Linear");
  ASSERT_NE(first, nullptr) << explorer.screen_text();
  EXPECT_GT(first->set_size, 1000);
  explorer.frames(30);
  null_host().wants_frame = false;
  explorer.frames(5);
  EXPECT_FALSE(null_host().wants_frame);
  explorer.press(ImGuiKey_PageDown);
  EXPECT_LT(explorer.controls().size(), 200U) << "only what is seen is in the tree of controls";
}

}  // namespace
}  // namespace nns::tests
