// Trainings as a Host runs them: what viewers are told, and how they steer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "core/live/training_commands.h"
#include "core/session/python_program.h"
#include "core/session/training_messages.h"
#include "tests/session/link.h"

namespace nns::tests {
namespace {

namespace wire = live::wire;
using wire::JobState;
using wire::TrainingAction;
using wire::TrainingState;

/// A host with a training, and a viewer of it.
struct Watched {
  Link link{session::Abilities{
      .samples = {}, .programs = session::make_python_program, .first_document = 1, .recipes = session::recipe_list}};

  std::uint64_t start(std::vector<std::pair<std::string, std::string>> settings, bool is_paused = false) {
    const std::uint64_t request = ++link.requests;
    live::StartOfTraining wanted;
    wanted.recipe = "spirals";
    wanted.settings = std::move(settings);
    wanted.is_paused = is_paused;
    link.viewer->send(live::start_training(request, wanted));
    return request;
  }
  std::uint64_t control(TrainingAction action, std::uint32_t count = 1) {
    const std::uint64_t request = ++link.requests;
    link.viewer->send(live::control_training(request, 1, action, count));
    return request;
  }
  void run() {
    link.run_for(std::chrono::milliseconds(5));
    // A host that waits returns at once.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // Until the training is in that state, or a while has passed.
  bool reaches(TrainingState state) {
    for (int i = 0; i < 2000; ++i) {
      run();
      if (view() != nullptr && view()->state() != nullptr && view()->state()->state() == state) return true;
    }
    return false;
  }
  const live::TrainingView* view() { return link.mirror.training(1); }
  std::uint64_t steps() { return view() != nullptr ? view()->steps().size() : 0; }
  void wait_for_steps(std::uint64_t count) {
    for (int i = 0; i < 2000 && steps() < count; ++i) run();
  }
};
struct TrainingTest : ::testing::Test, Watched {};

TEST_F(TrainingTest, ARecipeTellsEveryStepAndItsEnd) {
  const std::uint64_t request = start({{"epochs", "10"}, {"points", "64"}});
  ASSERT_TRUE(reaches(TrainingState::Finished));
  run();
  EXPECT_EQ(link.state(request), JobState::Finished);
  ASSERT_EQ(view()->steps().step.size(), 20U);
  EXPECT_EQ(view()->steps().step.back(), 19U);
  EXPECT_TRUE(std::isfinite(view()->steps().loss.front()));
  EXPECT_EQ(view()->steps().samples.front(), 32U);
  EXPECT_EQ(view()->state()->total_epochs(), 10U);
  EXPECT_EQ(view()->state()->epochs(), 10U);
  ASSERT_EQ(view()->series().size(), 1U);
  EXPECT_EQ(view()->series()[0].name, "accuracy");
  EXPECT_EQ(view()->series()[0].kind, wire::ScalarKind::Evaluation);
  ASSERT_NE(view()->modules(), nullptr);
  EXPECT_EQ(view()->modules()->path()->size(), 6U);
  EXPECT_FALSE(view()->log().empty());
}

TEST_F(TrainingTest, SingleStepsStopExactlyThereAndTellWhatWasSubscribed) {
  start({{"epochs", "50"}}, true);
  ASSERT_TRUE(reaches(TrainingState::Paused));
  control(TrainingAction::Step, 1);
  ASSERT_TRUE(reaches(TrainingState::Paused));
  wait_for_steps(1);
  live::TrainingSubscription wanted;
  wanted.id = 1;
  wanted.pattern = "*";
  wanted.subjects = wire::TrainingSubject::Activations | wire::TrainingSubject::OutputGradients |
                    wire::TrainingSubject::Parameters | wire::TrainingSubject::Gradients |
                    wire::TrainingSubject::Updates;
  wanted.forms = wire::TrainingForm::Times | wire::TrainingForm::Moments | wire::TrainingForm::Histograms |
                 wire::TrainingForm::Values | wire::TrainingForm::Timeline | wire::TrainingForm::History;
  wanted.width = wanted.height = 8;
  link.viewer->send(live::subscribe_training(++link.requests, 1, wanted));
  run();
  control(TrainingAction::Step, 4);
  wait_for_steps(5);
  for (int i = 0; i < 150; ++i) run();
  EXPECT_EQ(steps(), 5U);
  EXPECT_EQ(view()->state()->state(), TrainingState::Paused);
  for (const auto subject :
       {wire::TrainingSubject::Parameters, wire::TrainingSubject::Gradients, wire::TrainingSubject::Updates,
        wire::TrainingSubject::Activations, wire::TrainingSubject::OutputGradients}) {
    const auto* found = view()->moments(subject, 0);
    ASSERT_NE(found, nullptr) << static_cast<unsigned>(subject);
    EXPECT_EQ(found->first, 4U);
    EXPECT_GT(found->second.count(), 0U);
  }
  ASSERT_NE(view()->times(1), nullptr);
  EXPECT_GT(view()->times(1)->second.forward_ns(), 0U);
  EXPECT_NE(view()->histograms(wire::TrainingSubject::Parameters, 0), nullptr);
  ASSERT_NE(view()->values(1), nullptr);
  EXPECT_NE(view()->timeline(), nullptr);
  ASSERT_NE(view()->history(0), nullptr);
  EXPECT_GE(view()->history(0)->size(), 2U);
}

TEST_F(TrainingTest, ALearningRateThatIsSetHoldsFromTheNextStepOn) {
  start({{"epochs", "50"}}, true);
  ASSERT_TRUE(reaches(TrainingState::Paused));
  control(TrainingAction::Step, 1);
  run();
  wait_for_steps(1);
  const std::uint64_t request = ++link.requests;
  link.viewer->send(live::set_learning_rate(request, 1, 0.125));
  control(TrainingAction::Step, 1);
  wait_for_steps(2);
  EXPECT_EQ(link.state(request), JobState::Finished);
  EXPECT_EQ(view()->steps().learning_rate, (std::vector<double>{0.01, 0.125}));
  const std::uint64_t bad = ++link.requests;
  link.viewer->send(live::set_learning_rate(bad, 1, -1));
  run();
  EXPECT_EQ(link.state(bad), JobState::Failed);
}

TEST_F(TrainingTest, EachGroupHasItsRateAndOneIsSetAlone) {
  link.open("groups.py", R"(
import torch
net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
optimizer = torch.optim.SGD([{"params": net[0].parameters()}, {"params": net[1].parameters(), "lr": 0.01, "name": "head"}], lr=0.1)
for step in range(1000000):
    optimizer.zero_grad()
    net(torch.ones(4, 3)).pow(2).mean().backward()
    optimizer.step()
)");
  wait_for_steps(3);
  const std::uint64_t request = ++link.requests;
  link.viewer->send(live::set_learning_rate(request, 1, 0.5, 0, 1));
  const auto is_set = [&] {
    return !view()->steps().more_rates.empty() && view()->steps().more_rates[0].back() == 0.5;
  };
  for (int i = 0; i < 2000 && !is_set(); ++i) run();
  control(TrainingAction::Stop);
  ASSERT_TRUE(reaches(TrainingState::Stopped));
  EXPECT_EQ(link.state(request), JobState::Finished);
  ASSERT_EQ(view()->steps().more_rates.size(), 1U);
  EXPECT_EQ(view()->steps().more_rates[0].front(), 0.01);
  EXPECT_EQ(view()->steps().more_rates[0].back(), 0.5);
  EXPECT_EQ(view()->steps().learning_rate.back(), 0.1) << "the other group keeps its own";
  const wire::Training& told = *view()->state();
  ASSERT_EQ(told.group_names()->size(), 2U);
  EXPECT_EQ(live::text_of(told.group_names()->Get(0)), "group 0");
  EXPECT_EQ(live::text_of(told.group_names()->Get(1)), "head");
  EXPECT_EQ(told.group_sizes()->Get(1), 2U);
}

TEST_F(TrainingTest, MoreQuantitiesThanThereIsRoomForAreCountedAndTheLogSaysSo) {
  link.open("many.py", R"(
import torch
import nnscope.train as train
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(4, 3)).pow(2).mean().backward()
optimizer.step()
for again in range(2):
    for i in range(300):
        train.log(**{f"metric {i}": i})
)");
  link.run();
  EXPECT_EQ(view()->series().size(), 256U);
  EXPECT_EQ(view()->state()->series_left_out(), 44U);
  std::size_t said = 0;
  for (const live::TrainingLogLine& line : view()->log()) {
    said += static_cast<std::size_t>(line.text.find("more than 256 quantities by name: \"metric 256\"") == 0 &&
                                     line.level == wire::LogLevel::Warning);
  }
  EXPECT_EQ(said, 1U);
}

TEST_F(TrainingTest, WhereABackwardMadeANanIsToldWithItsLine) {
  link.open("bad.py", R"(
import torch
class Root(torch.nn.Module):
    def forward(self, x):
        return torch.sqrt(x - x.detach())
net = torch.nn.Sequential(torch.nn.Linear(4, 4), Root(), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(2, 4)).sum().backward()
optimizer.step()
)");
  link.run();
  ASSERT_NE(view()->alert(), nullptr);
  EXPECT_EQ(live::text_of(view()->alert()->path()), "1");
  EXPECT_EQ(live::text_of(view()->alert()->op()), "SqrtBackward0");
  EXPECT_EQ(live::text_of(view()->alert()->file()), "bad.py");
  EXPECT_EQ(view()->alert()->line(), 5U);
  EXPECT_FALSE(view()->alert()->paused());
  ASSERT_EQ(view()->log().size(), 1U) << "a run that goes on says it once";
  EXPECT_NE(view()->log()[0].text.find("at bad.py:5"), std::string::npos) << view()->log()[0].text;
}

TEST_F(TrainingTest, MemoryIsToldByWhatItIsOf) {
  start({{"epochs", "50"}}, true);
  ASSERT_TRUE(reaches(TrainingState::Paused));
  control(TrainingAction::Step, 3);
  wait_for_steps(3);
  ASSERT_TRUE(reaches(TrainingState::Paused));
  const wire::Training& told = *view()->state();
  EXPECT_GT(told.model_bytes(), 0U);
  EXPECT_EQ(told.gradient_bytes(), told.model_bytes()) << "each parameter has a gradient, and there are no buffers";
  EXPECT_GT(told.optimizer_bytes(), 2 * told.model_bytes()) << "Adam keeps two of each, and a count";
  EXPECT_GE(told.bytes(), told.model_bytes() + told.gradient_bytes() + told.optimizer_bytes());
  EXPECT_GE(told.peak_bytes(), told.bytes());
  ASSERT_NE(view()->modules()->tensor_device(), nullptr);
  EXPECT_EQ(live::text_of(view()->modules()->tensor_device()->Get(0)), "cpu");
}

TEST_F(TrainingTest, AStoppedTrainingEndsItsJob) {
  const std::uint64_t request = start({{"epochs", "1000000"}});
  wait_for_steps(5);
  control(TrainingAction::Stop);
  ASSERT_TRUE(reaches(TrainingState::Stopped));
  run();
  EXPECT_EQ(link.state(request), JobState::Finished);
}

TEST_F(TrainingTest, WhoComesLateIsToldEverythingFromTheStart) {
  start({{"epochs", "10"}, {"points", "64"}});
  ASSERT_TRUE(reaches(TrainingState::Finished));
  live::TrainingView late(1);
  link.viewer->send(live::request_training(++link.requests, 1));
  link.host->run(base::Budget(std::chrono::milliseconds(5)));
  while (auto bytes = link.viewer->receive()) {
    const auto message = live::Message::verify(std::move(*bytes));
    ASSERT_TRUE(message.ok());
    ASSERT_TRUE(late.apply(*message).ok());
  }
  EXPECT_EQ(late.steps().step, view()->steps().step);
  EXPECT_EQ(late.series().size(), 1U);
  ASSERT_NE(late.state(), nullptr);
  EXPECT_EQ(late.state()->state(), TrainingState::Finished);
}

TEST_F(TrainingTest, AnyProgramThatTrainsIsTold) {
  link.open("loop.py", R"(
import torch
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(7):
    optimizer.zero_grad()
    net(torch.ones(4, 3)).pow(2).mean().backward()
    optimizer.step()
)");
  link.run();
  ASSERT_NE(view(), nullptr);
  EXPECT_EQ(steps(), 7U);
  EXPECT_EQ(view()->state()->state(), TrainingState::Finished);
}

TEST_F(TrainingTest, AProgramThatDoesNotTrainIsNotTold) {
  link.open("plain.py", "print(1)\n");
  link.run();
  EXPECT_EQ(view(), nullptr);
}

TEST_F(TrainingTest, WhatIsNotThereFailsItsRequest) {
  live::StartOfTraining wanted;
  wanted.recipe = "nothing";
  link.viewer->send(live::start_training(77, wanted));
  link.viewer->send(live::control_training(78, 9, TrainingAction::Pause));
  link.run();
  EXPECT_EQ(link.state(77), JobState::Failed);
  EXPECT_EQ(link.state(78), JobState::Failed);
}

TEST_F(TrainingTest, ACheckpointThatNoDiskKeepsIsRead) {
  start({{"epochs", "50"}}, true);
  ASSERT_TRUE(reaches(TrainingState::Paused));
  EXPECT_EQ(view()->state()->run_folder()->size(), 0U);
  // Before its first step the program has not said yet what belongs into one.
  control(TrainingAction::Step, 1);
  wait_for_steps(1);
  ASSERT_TRUE(reaches(TrainingState::Paused));
  const std::uint64_t request = control(TrainingAction::Checkpoint);
  control(TrainingAction::Step, 3);
  wait_for_steps(4);
  for (int i = 0; i < 2000 && view()->checkpoints() == nullptr; ++i) run();
  EXPECT_EQ(link.state(request), JobState::Finished);
  ASSERT_NE(view()->checkpoints(), nullptr);
  ASSERT_EQ(view()->checkpoints()->checkpoints()->size(), 1U);
  const wire::TrainingCheckpoint& taken = *view()->checkpoints()->checkpoints()->Get(0);
  std::string bytes;
  while (bytes.size() < taken.bytes()) {
    const std::uint64_t asked = ++link.requests;
    link.viewer->send(live::read_checkpoint(asked, 1, live::text_of(taken.name()), bytes.size()));
    run();
    const wire::TensorFilePiece* const piece = link.mirror.file_piece(asked);
    ASSERT_NE(piece, nullptr);
    ASSERT_GT(piece->bytes()->size(), 0U);
    bytes.append(reinterpret_cast<const char*>(piece->bytes()->data()), piece->bytes()->size());
    EXPECT_EQ(piece->next(), bytes.size());
    EXPECT_EQ(piece->total(), taken.bytes());
  }
  // What a run that is kept has on its disk.
  EXPECT_EQ(bytes.substr(0, 4), "PK\x03\x04");
  EXPECT_NE(bytes.find("nnscope.train 1"), std::string::npos);
  EXPECT_NE(bytes.find("0.weight"), std::string::npos);
  const std::uint64_t bad = ++link.requests;
  link.viewer->send(live::read_checkpoint(bad, 1, "checkpoints/other.pt", 0));
  run();
  EXPECT_EQ(link.state(bad), JobState::Failed);
}

TEST_F(TrainingTest, AProgramThatWasOnlyOpenedTakesNoCheckpoint) {
  link.open("loop.py", R"(
import torch
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(4, 3)).pow(2).mean().backward()
optimizer.step()
)");
  link.run();
  const std::uint64_t request = control(TrainingAction::Checkpoint);
  run();
  EXPECT_EQ(link.state(request), JobState::Failed);
}

struct HookTest : TrainingTest {
  std::uint64_t send_hook(std::uint32_t module, wire::HookPoint point) {
    const std::uint64_t request = ++link.requests;
    link.viewer->send(live::add_hook(request, 1, module, point));
    return request;
  }
  std::uint64_t remove_hook(std::uint32_t module, std::uint64_t id) {
    const std::uint64_t request = ++link.requests;
    link.viewer->send(live::remove_hook(request, 1, module, id));
    return request;
  }
  void look_at(std::vector<std::uint32_t> modules) {
    live::TrainingSubscription wanted;
    wanted.id = 1;
    wanted.modules = std::move(modules);
    wanted.forms = wire::TrainingForm::Hooks;
    link.viewer->send(live::subscribe_training(++link.requests, 1, wanted));
  }
  std::size_t hooks() { return view()->hooks() == nullptr ? SIZE_MAX : view()->hooks()->hooks()->size(); }
  const wire::TrainingHook& hook(std::uint32_t index) { return *view()->hooks()->hooks()->Get(index); }
  bool has_hooks(std::size_t count) {
    for (int i = 0; i < 500 && hooks() != count; ++i) run();
    return hooks() == count;
  }
  void SetUp() override {
    start({{"epochs", "50"}}, true);
    ASSERT_TRUE(reaches(TrainingState::Paused));
    make_steps(1);
  }
  void make_steps(std::uint32_t count) {
    const std::uint64_t before = steps();
    control(TrainingAction::Step, count);
    wait_for_steps(before + count);
    ASSERT_TRUE(reaches(TrainingState::Paused));
  }
};

TEST_F(HookTest, OneThatAViewerAddsIsListedAtOnceAndNotesWhatPasses) {
  look_at({1, 2});
  ASSERT_TRUE(has_hooks(0));
  const std::uint64_t request = send_hook(1, wire::HookPoint::Forward);
  ASSERT_TRUE(has_hooks(1)) << "also while the run is paused";
  EXPECT_EQ(link.state(request), JobState::Finished);
  EXPECT_TRUE(hook(0).is_added());
  EXPECT_EQ(hook(0).module_(), 1U);
  EXPECT_EQ(live::text_of(hook(0).dictionary()), "_forward_hooks");
  EXPECT_EQ(hook(0).calls(), 0U);
  send_hook(2, wire::HookPoint::FullBackward);
  ASSERT_TRUE(has_hooks(2));
  make_steps(3);
  for (int i = 0; i < 500 && hook(1).calls() < 3; ++i) run();
  EXPECT_EQ(hook(0).calls(), 3U);
  EXPECT_EQ(live::text_of(hook(0).seen()), "(32, 2) \u2192 (32, 32)");
  EXPECT_EQ(hook(1).calls(), 3U);
  EXPECT_EQ(live::text_of(hook(1).seen()), "(32, 32) \u2192 (32, 32)");
  const std::uint64_t removed = remove_hook(1, hook(0).id());
  ASSERT_TRUE(has_hooks(1));
  EXPECT_EQ(link.state(removed), JobState::Finished);
  EXPECT_EQ(hook(0).module_(), 2U);
}

TEST_F(HookTest, TheRunLearnsTheSameWithHooksThatOnlyLook) {
  for (const auto point : {wire::HookPoint::ForwardPre, wire::HookPoint::Forward, wire::HookPoint::FullBackwardPre,
                           wire::HookPoint::FullBackward}) {
    for (std::uint32_t module = 0; module < 6; ++module) send_hook(module, point);
  }
  make_steps(20);
  const std::vector<double> watched = view()->steps().loss;
  Watched plain;
  plain.start({{"epochs", "50"}}, true);
  ASSERT_TRUE(plain.reaches(TrainingState::Paused));
  plain.control(TrainingAction::Step, 21);
  plain.wait_for_steps(21);
  EXPECT_EQ(plain.view()->steps().loss, watched);
}

TEST_F(HookTest, WhatIsNotThereIsRefused) {
  const std::uint64_t no_module = send_hook(99, wire::HookPoint::Forward);
  const std::uint64_t no_hook = remove_hook(1, 12345);
  look_at({1});
  send_hook(1, wire::HookPoint::Forward);
  ASSERT_TRUE(has_hooks(1));
  const std::uint64_t of_another = remove_hook(2, hook(0).id());
  run();
  EXPECT_EQ(link.state(no_module), JobState::Failed);
  EXPECT_EQ(link.state(no_hook), JobState::Failed);
  EXPECT_EQ(link.state(of_another), JobState::Failed);
  EXPECT_EQ(hooks(), 1U);
}

TEST_F(TrainingTest, AProgramsOwnHooksAreCountedWhileSomebodyLooks) {
  // The test leads the program by the learning rate, however fast either is.
  link.open("loop.py", R"(
import torch
net = torch.nn.Linear(3, 1)
net.register_forward_hook(lambda module, args, output: None)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
handle = None
while optimizer.param_groups[0]['lr'] != 0.5:
    optimizer.zero_grad()
    net(torch.ones(4, 3)).pow(2).mean().backward()
    optimizer.step()
    rate = optimizer.param_groups[0]['lr']
    if rate == 0.25 and handle is None:
        handle = net.register_forward_pre_hook(lambda module, args: None)
    if rate == 0.125 and handle is not None:
        handle.remove()
)");
  wait_for_steps(1);
  live::TrainingSubscription wanted;
  wanted.id = 1;
  wanted.pattern = "*";
  wanted.forms = wire::TrainingForm::Hooks;
  link.viewer->send(live::subscribe_training(++link.requests, 1, wanted));
  std::uint64_t calls = 0;
  const auto comes_to = [&](std::size_t count, std::uint64_t more) {
    const std::uint64_t before = calls;
    for (int i = 0; i < 2000; ++i) {
      run();
      if (view() == nullptr || view()->hooks() == nullptr) continue;
      const auto& hooks = *view()->hooks()->hooks();
      for (const wire::TrainingHook* hook : hooks) {
        EXPECT_FALSE(hook->is_added());
        if (live::text_of(hook->dictionary()) == "_forward_hooks") calls = hook->calls();
      }
      if (hooks.size() == count && calls > before + more) return true;
    }
    return false;
  };
  EXPECT_TRUE(comes_to(1, 10));
  link.viewer->send(live::set_learning_rate(++link.requests, 1, 0.25));
  EXPECT_TRUE(comes_to(2, 10));
  link.viewer->send(live::set_learning_rate(++link.requests, 1, 0.125));
  EXPECT_TRUE(comes_to(1, 10)) << "the one that was removed is gone";
  link.viewer->send(live::set_learning_rate(++link.requests, 1, 0.5));
  ASSERT_TRUE(reaches(TrainingState::Finished));
  EXPECT_LE(calls, steps());
}

TEST_F(TrainingTest, RecipesTellWhatCanBeSet) {
  link.viewer->send(live::request_recipes(5));
  link.run();
  EXPECT_EQ(link.state(5), JobState::Finished);
  ASSERT_NE(link.mirror.recipes(), nullptr);
  for (const wire::Recipe* recipe : *link.mirror.recipes()->recipes()) {
    EXPECT_GE(recipe->settings()->size(), 5U) << live::text_of(recipe->name());
    EXPECT_EQ(recipe->needs_data(), recipe->data_files()->size() > 0) << live::text_of(recipe->name());
    if (live::text_of(recipe->name()) != "spirals") continue;
    const wire::RecipeSetting& shape = *recipe->settings()->Get(0);
    EXPECT_EQ(live::text_of(shape.key()), "shape");
    EXPECT_EQ(live::text_of(shape.type()), "str");
    EXPECT_EQ(live::text_of(shape.value()), "spirals");
    EXPECT_EQ(live::text_of(recipe->settings()->Get(4)->key()), "turns");
    EXPECT_EQ(live::text_of(recipe->settings()->Get(4)->type()), "float");
  }
}

TEST_F(TrainingTest, ATableOfOnesOwnIsLearned) {
  std::string table = "width;height;kind\n";
  for (int i = 0; i < 60; ++i) table += fmt::format("{};{};{}\n", i, 60 - i, i < 30 ? "tall" : "wide");
  live::StartOfTraining wanted;
  wanted.recipe = "spirals";
  wanted.data = link.sources->add("shapes.csv", table);
  wanted.data_name = "shapes.csv";
  wanted.settings = {{"epochs", "40"}};
  link.viewer->send(live::start_training(9, wanted));
  ASSERT_TRUE(reaches(TrainingState::Finished));
  EXPECT_EQ(view()->state()->problem(), nullptr);
  ASSERT_EQ(view()->series().size(), 1U);
  EXPECT_GE(view()->series()[0].value.back(), 0.9);
}

TEST_F(TrainingTest, ALineThatIsNoNumbersIsNamed) {
  live::StartOfTraining wanted;
  wanted.recipe = "spirals";
  wanted.data = link.sources->add("bad.csv", "1,2,a\n3,four,b\n");
  wanted.data_name = "bad.csv";
  link.viewer->send(live::start_training(9, wanted));
  ASSERT_TRUE(reaches(TrainingState::Failed));
  ASSERT_NE(view()->state()->problem(), nullptr);
  EXPECT_NE(live::text_of(view()->state()->problem()->found()).find("line 2"), std::string_view::npos);
}

TEST_F(TrainingTest, FilesThatWereChosenTogetherAreTheFolderThatARecipeWants) {
  const auto idx = [](const std::vector<unsigned char>& dims, std::size_t values) {
    std::string bytes{'\0', '\0', '\x08', static_cast<char>(dims.size())};
    for (const unsigned char size : dims) bytes += std::string("\0\0\0", 3) + static_cast<char>(size);
    for (std::size_t i = 0; i < values; ++i) bytes += static_cast<char>(i % (dims.size() == 1 ? 10 : 251));
    return bytes;
  };
  auto files = std::make_shared<MemoryFileSet>();
  files->add("train-images-idx3-ubyte", idx({40, 28, 28}, 40 * 784));
  files->add("train-labels-idx1-ubyte", idx({40}, 40));
  files->add("t10k-images-idx3-ubyte", idx({20, 28, 28}, 20 * 784));
  files->add("t10k-labels-idx1-ubyte", idx({20}, 20));
  live::StartOfTraining wanted;
  wanted.recipe = "mlp";
  wanted.data = link.sources->add("t10k-images-idx3-ubyte", "anything", files);
  wanted.data_name = "t10k-images-idx3-ubyte";
  wanted.settings = {{"epochs", "2"}, {"batch", "20"}, {"width", "16"}};
  link.viewer->send(live::start_training(9, wanted));
  ASSERT_TRUE(reaches(TrainingState::Finished));
  EXPECT_EQ(view()->state()->problem(), nullptr);
  EXPECT_EQ(steps(), 4U);
}

// Float values as a tensor of that shape, counted up from 0.
live::Message told_values(const tensor::Dims& shape, std::uint32_t subject, std::uint32_t side) {
  object::Interpreter interpreter;
  const auto values = tensor::empty(interpreter, shape, tensor::DType::Float32);
  auto* at = reinterpret_cast<float*>(values->data());
  for (std::int64_t i = 0; i < values->numel(); ++i) at[i] = static_cast<float>(i);
  auto told = session::training_values(1, 1, 1, 0, 0, subject, *values, side, side);
  auto message = live::Message::verify(std::move(told).value());
  return std::move(message).value();
}

TEST(TrainingValues, FiltersOfAConvolutionLieSideBySide) {
  const live::Message message = told_values({2, 3, 3, 3}, train::subject::kParameters, 256);
  const auto& told = *message.as<wire::TrainingValues>();
  EXPECT_EQ(told.tile_rows(), 3U);
  EXPECT_EQ(told.tile_columns(), 3U);
  EXPECT_EQ(told.tiles(), 6U);
  EXPECT_EQ(told.tiles_left_out(), 0U);
  ASSERT_EQ(told.height(), 7U);
  ASSERT_EQ(told.width(), 11U);
  const auto cell = [&](std::uint32_t row, std::uint32_t column) { return told.values()->Get(row * 11 + column); };
  EXPECT_EQ(cell(0, 0), 0);
  EXPECT_EQ(cell(2, 2), 8);
  EXPECT_EQ(cell(0, 4), 9) << "the second input channel";
  EXPECT_EQ(cell(4, 0), 27) << "the second filter";
  EXPECT_TRUE(std::isinf(cell(3, 0)) && std::isinf(cell(0, 3)));
}

TEST(TrainingValues, FiltersOfOneChannelAreWrappedAndWhatDoesNotFitIsCounted) {
  const live::Message one = told_values({10, 1, 5, 5}, train::subject::kParameters, 256);
  EXPECT_EQ(one.as<wire::TrainingValues>()->tiles(), 10U);
  EXPECT_EQ(one.as<wire::TrainingValues>()->width(), 4 * 6U - 1);
  EXPECT_EQ(one.as<wire::TrainingValues>()->height(), 3 * 6U - 1);
  const live::Message many = told_values({300, 200, 3, 3}, train::subject::kParameters, 256);
  const auto& told = *many.as<wire::TrainingValues>();
  EXPECT_EQ(told.tiles() + told.tiles_left_out(), 60'000U);
  EXPECT_GT(told.tiles_left_out(), 0U);
  EXPECT_LE(told.width(), 512U);
  EXPECT_LE(told.height(), 512U);
}

TEST(TrainingValues, HeadsOfAttentionAreReducedUntilTheyFit) {
  const live::Message message = told_values({4, 600, 400}, train::subject::kAttention, 256);
  const auto& told = *message.as<wire::TrainingValues>();
  EXPECT_EQ(told.tiles(), 4U);
  EXPECT_EQ(told.tile_rows(), 128U);
  EXPECT_EQ(told.tile_columns(), 128U);
  EXPECT_LE(told.width(), 257U);
}

}  // namespace
}  // namespace nns::tests
