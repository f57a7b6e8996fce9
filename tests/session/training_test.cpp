// Trainings as a Host runs them: what viewers are told, and how they steer.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <thread>

#include "core/live/training_commands.h"
#include "core/session/python_program.h"
#include "tests/session/link.h"

namespace nns::tests {
namespace {

namespace wire = live::wire;
using wire::JobState;
using wire::TrainingAction;
using wire::TrainingState;

struct TrainingTest : ::testing::Test {
  Link link{session::Abilities{.samples = {}, .programs = session::make_python_program, .first_document = 1}};

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

TEST_F(TrainingTest, ACheckpointWithoutAFolderIsRefused) {
  start({{"epochs", "50"}}, true);
  ASSERT_TRUE(reaches(TrainingState::Paused));
  const std::uint64_t request = control(TrainingAction::Checkpoint);
  run();
  EXPECT_EQ(link.state(request), JobState::Failed);
}

}  // namespace
}  // namespace nns::tests
