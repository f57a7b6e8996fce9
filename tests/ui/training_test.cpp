// A training that runs beside the screen, by keyboard alone and read through the tree of controls: a weight that
// changes, its history, its histogram.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "core/base/byte_source.h"
#include "core/live/commands.h"
#include "core/live/message.h"
#include "core/session/samples.h"
#include "tests/support/files.h"
#include "tests/ui/explorer.h"
#include "ui/app/live_link.h"

namespace nns::tests {
namespace {

using host::Role;
namespace wire = live::wire;

constexpr std::string_view kLoop = R"(
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.Flatten(), nn.Linear(16, 3))
net[2].weight.register_hook(lambda grad: grad * 2)
optimizer = torch.optim.SGD([{"params": net[0].parameters()}, {"params": net[2].parameters(), "lr": 0.01}], lr=0.1)
while True:
    optimizer.zero_grad()
    net(torch.randn(8, 1, 4, 4)).pow(2).mean().backward()
    optimizer.step()
)";

struct TrainingScreenTest : ::testing::Test {
  Explorer explorer;

  /// Draws until that is on the screen.
  bool comes(Role role, std::string_view name) {
    for (int i = 0; i < 600; ++i) {
      if (explorer.find(role, name) != nullptr) return true;
      explorer.frames(1);
    }
    return false;
  }
  void SetUp() override {
    explorer.drop("loop.py", base::make_memory_source("loop.py", to_bytes(std::string(kLoop))));
    ASSERT_TRUE(comes(Role::Button, "Stop")) << explorer.screen_text();
    // The training is a tab of its own.
    for (int i = 0; i < 20 && explorer.find(Role::Main, "Training") == nullptr; ++i) {
      explorer.press(ImGuiKey_PageDown, ImGuiMod_Ctrl);
      explorer.frames(10);
    }
    ASSERT_TRUE(comes(Role::Row, "2, Linear")) << explorer.screen_text();
  }
  void choose_tab(std::string_view name) {
    const host::AccessNode* const tab = explorer.find(Role::Tab, name);
    ASSERT_NE(tab, nullptr) << explorer.screen_text();
    explorer.ask(tab->id, host::AccessAction::Kind::Activate);
    explorer.frames(2);
  }
  void choose_module(std::string_view name) {
    ASSERT_TRUE(explorer.tab_to(Role::Row, "")) << explorer.screen_text();
    for (int i = 0; i < 5 && explorer.focused()->name.find(name) != 0; ++i) explorer.press(ImGuiKey_DownArrow);
    ASSERT_EQ(explorer.focused()->name.find(name), 0U) << explorer.focused()->name;
    explorer.frames(2);
  }
};

TEST_F(TrainingScreenTest, AWeightIsAHeatMapThatChanges) {
  choose_tab("Values");
  choose_module("2, Linear");
  ASSERT_TRUE(comes(Role::Heading, "2.weight  3 \u00D7 16  on cpu  (1 of 2)")) << explorer.screen_text();
  ASSERT_TRUE(comes(Role::Img, "Parameters after step")) << explorer.screen_text();
  const std::string before = explorer.find(Role::Img, "Parameters after step")->name;
  for (int i = 0; i < 600 && explorer.find(Role::Img, "Parameters after step")->name == before; ++i) explorer.frames(1);
  EXPECT_NE(explorer.find(Role::Img, "Parameters after step")->name, before) << "it is told on";
  explorer.type("}");
  EXPECT_TRUE(comes(Role::Heading, "2.bias  3  on cpu  (2 of 2)")) << explorer.screen_text();
  EXPECT_TRUE(comes(Role::Img, "Parameters after step")) << explorer.screen_text();
}

TEST_F(TrainingScreenTest, EachGradientWriteAndHookOfAParameterIsListed) {
  choose_tab("History");
  choose_module("2, Linear");
  EXPECT_TRUE(comes(Role::ListItem, "Gradient, norm ")) << explorer.screen_text();
  EXPECT_TRUE(comes(Role::ListItem, "Written: change, norm ")) << explorer.screen_text();
  EXPECT_TRUE(comes(Role::ListItem, "A hook ran")) << explorer.screen_text();
  EXPECT_TRUE(comes(Role::ListItem, "Gradient cleared")) << explorer.screen_text();
}

TEST_F(TrainingScreenTest, AHistogramIsOfTheChosenTensor) {
  choose_tab("Histogram");
  choose_module("0, Conv2d");
  EXPECT_TRUE(comes(Role::Heading, "0.weight  4 \u00D7 1 \u00D7 3 \u00D7 3  on cpu  (1 of 2)"))
      << explorer.screen_text();
  EXPECT_TRUE(comes(Role::Img, "Parameters: ")) << explorer.screen_text();
}

TEST_F(TrainingScreenTest, AHookIsAddedSeenAtWorkAndRemovedByKeys) {
  choose_tab("Hooks");
  choose_module("2, Linear");
  ASSERT_TRUE(explorer.tab_to(Role::Button, "backward pre")) << explorer.screen_text();
  EXPECT_NE(explorer.screen_text().find("2 has no hooks"), std::string::npos) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Button, "forward pre")) << explorer.screen_text();
  explorer.press(ImGuiKey_Tab);
  ASSERT_EQ(explorer.focused()->name, "forward");
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(comes(Role::ListItem, "forward hook")) << explorer.screen_text();
  const auto shows = [&] {
    for (int i = 0; i < 600; ++i) {
      const host::AccessNode* const row = explorer.find(Role::ListItem, "forward hook");
      if (row != nullptr && row->name.find("(8, 16) \u2192 (8, 3)") != std::string::npos) return true;
      explorer.frames(1);
    }
    return false;
  };
  EXPECT_TRUE(shows()) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::ListItem, "forward hook")) << explorer.screen_text();
  explorer.press(ImGuiKey_Delete);
  for (int i = 0; i < 600 && explorer.find(Role::ListItem, "forward hook") != nullptr; ++i) explorer.frames(1);
  EXPECT_EQ(explorer.find(Role::ListItem, "forward hook"), nullptr) << explorer.screen_text();
}

TEST_F(TrainingScreenTest, ThePartsOfAStepCanBeRead) {
  ASSERT_TRUE(comes(Role::List, "Timeline of step ")) << explorer.screen_text();
  EXPECT_TRUE(comes(Role::ListItem, "Forward, ")) << explorer.screen_text();
  ASSERT_TRUE(comes(Role::ListItem, "(model) forward, ")) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::ListItem, "(model) forward, ")->name.find(" ms from "), std::string::npos);
}

TEST_F(TrainingScreenTest, ModulesAreTurnedThroughSubjectsAndStatisticsByKeys) {
  ASSERT_TRUE(comes(Role::Heading, "Modules by Gradient norm")) << explorer.screen_text();
  explorer.type("]");
  EXPECT_TRUE(comes(Role::Heading, "Modules by Gradient mean")) << explorer.screen_text();
  explorer.type("))");
  EXPECT_TRUE(comes(Role::Heading, "Modules by Weight mean")) << explorer.screen_text();
  explorer.type("))");
  EXPECT_TRUE(comes(Role::Heading, "Modules by Output gradient mean")) << explorer.screen_text();
  // It is watched all the time, not only for what has parameters.
  const auto is_known = [&] {
    for (int i = 0; i < 600; ++i) {
      const host::AccessNode* const row = explorer.find(Role::Row, "1, Flatten");
      if (row != nullptr && row->name.find("not watched") == std::string::npos) return true;
      explorer.frames(1);
    }
    return false;
  };
  EXPECT_TRUE(is_known()) << explorer.screen_text();
  explorer.type(")]]");
  EXPECT_TRUE(comes(Role::Heading, "Modules by Output memory")) << explorer.screen_text();
  EXPECT_TRUE(comes(Role::Row, "1, Flatten, 512 B")) << explorer.screen_text();
}

TEST_F(TrainingScreenTest, TheRateOfOneGroupIsSetByKeys) {
  ASSERT_TRUE(comes(Role::Text, "Learning rate of all 2 groups")) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Next group of parameters")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(comes(Role::Text, "Learning rate of group 1 (2 tensors)")) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Textbox, "Learning rate")) << explorer.screen_text();
  explorer.press(ImGuiKey_A, ImGuiMod_Ctrl);
  explorer.type("0.5");
  explorer.press(ImGuiKey_Enter);
  choose_tab("Learning rate");
  const auto shows = [&](std::string_view text) {
    for (int i = 0; i < 600; ++i) {
      const host::AccessNode* const chart = explorer.find(Role::Img, "Learning rate");
      if (chart != nullptr && chart->description.find(text) != std::string::npos) return true;
      explorer.frames(1);
    }
    return false;
  };
  EXPECT_TRUE(shows("group 1 (2 tensors)")) << explorer.screen_text();
  EXPECT_TRUE(shows("newest 0.5")) << explorer.screen_text();
  EXPECT_TRUE(shows("newest 0.1")) << "the other group keeps its own: " << explorer.screen_text();
}

struct TrainingFormTest : ::testing::Test {
  Explorer explorer{session::built_in_samples()};
  bool comes(Role role, std::string_view name) {
    for (int i = 0; i < 600; ++i) {
      if (explorer.find(role, name) != nullptr) return true;
      explorer.frames(1);
    }
    return false;
  }
};

TEST_F(TrainingFormTest, ARecipeIsChosenSetAndStartedByKeys) {
  explorer.frames(3);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Spirals or moons")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(comes(Role::Textbox, "shape")) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Dialog, "Train: Spirals or moons in the plane"), nullptr);
  explorer.frames(2);
  explorer.type("moons");
  ASSERT_TRUE(explorer.tab_to(Role::Textbox, "epochs")) << explorer.screen_text();
  explorer.type("100000");
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(comes(Role::Main, "Training")) << explorer.screen_text();
  ASSERT_TRUE(comes(Role::Img, "Loss")) << explorer.screen_text();
  EXPECT_EQ(explorer.find(Role::Dialog, "Train:"), nullptr);
}

TEST_F(TrainingFormTest, WithoutItsDataARecipeDoesNotStartAndEscapeLeaves) {
  explorer.frames(3);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "A convolutional network on MNIST")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(comes(Role::Textbox, "width")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  explorer.frames(5);
  EXPECT_NE(explorer.find(Role::Dialog, "Train:"), nullptr) << explorer.screen_text();
  EXPECT_NE(explorer.find(Role::Status, "Its data is missing"), nullptr) << explorer.screen_text();
  explorer.press(ImGuiKey_Escape);
  explorer.press(ImGuiKey_Escape);
  explorer.frames(3);
  EXPECT_EQ(explorer.find(Role::Dialog, "Train:"), nullptr) << explorer.screen_text();
}

TEST_F(TrainingFormTest, AFileThatIsDroppedOnTheFormIsItsData) {
  explorer.frames(3);
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Spirals or moons")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(comes(Role::Textbox, "shape")) << explorer.screen_text();
  std::string table = "x,y,class\n";
  for (int i = 0; i < 40; ++i) table += fmt::format("{},{},{}\n", i, -i, i % 2);
  explorer.drop("points.csv", base::make_memory_source("points.csv", to_bytes(table)));
  explorer.frames(3);
  ASSERT_NE(explorer.find(Role::Dialog, "Train:"), nullptr) << explorer.screen_text();
  ASSERT_TRUE(explorer.tab_to(Role::Button, "Train")) << explorer.screen_text();
  explorer.press(ImGuiKey_Enter);
  ASSERT_TRUE(comes(Role::Main, "Training")) << explorer.screen_text();
  ASSERT_TRUE(comes(Role::Img, "Loss")) << explorer.screen_text();
}

/// A stream of another machine, as far as a viewer sees it.
class FakeLink final : public app::LiveLink {
 public:
  explicit FakeLink(std::shared_ptr<std::vector<wire::Body>> asked) : asked_(std::move(asked)) { meet(); }
  /// It is connected (again): everything is told from the beginning.
  void meet() {
    flatbuffers::FlatBufferBuilder rights;
    waiting_.push_back(live::finish_message(rights, wire::CreateRights(rights, true)));
    flatbuffers::FlatBufferBuilder builder;
    const auto texts = [&](const std::vector<std::string>& all) { return builder.CreateVectorOfStrings(all); };
    const auto paths = texts({""}), classes = texts({"Linear"}), tensors = texts({"weight"}), shapes = texts({"2, 2"});
    const auto parents = builder.CreateVector(std::vector<std::uint32_t>{UINT32_MAX});
    const auto of = builder.CreateVector(std::vector<std::uint32_t>{0});
    const auto numels = builder.CreateVector(std::vector<std::uint64_t>{4});
    const auto trainable = builder.CreateVector(std::vector<std::uint8_t>{1});
    waiting_.push_back(live::finish_message(
        builder, wire::CreateTrainingModules(builder, live::kFirstLiveDocument + 1, 1, parents, paths, classes, of,
                                             tensors, shapes, numels, trainable, of)));
  }
  std::string trouble() const override { return {}; }
  void send(live::Bytes message) override { asked_->push_back(wire::GetMessage(message.data())->body_type()); }
  std::optional<live::Bytes> receive() override {
    if (waiting_.empty()) return std::nullopt;
    live::Bytes first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }
  bool is_connected() const override { return true; }

 private:
  std::shared_ptr<std::vector<wire::Body>> asked_;
  std::deque<live::Bytes> waiting_;
};

TEST(AttachedTraining, WhoIsConnectedAgainAsksForItsStatisticsAgain) {
  Explorer explorer;
  auto asked = std::make_shared<std::vector<wire::Body>>();
  FakeLink* link = nullptr;
  explorer.app().set_connector([&](const std::string&) -> base::Result<std::unique_ptr<app::LiveLink>> {
    auto made = std::make_unique<FakeLink>(asked);
    link = made.get();
    return std::unique_ptr<app::LiveLink>(std::move(made));
  });
  explorer.app().attach("ws://127.0.0.1:1/live");
  explorer.frames(5);
  const auto subscriptions = [&] { return std::count(asked->begin(), asked->end(), wire::Body::SubscribeTraining); };
  const auto first = subscriptions();
  EXPECT_GE(first, 2);
  explorer.frames(5);
  EXPECT_EQ(subscriptions(), first) << "once is enough";
  link->meet();
  explorer.frames(5);
  EXPECT_EQ(subscriptions(), 2 * first);
}

}  // namespace
}  // namespace nns::tests
