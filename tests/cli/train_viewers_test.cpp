// `nnscope train` as a process that is watched and steered from other processes, and recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "core/live/commands.h"
#include "core/live/training_commands.h"
#include "tests/cli/process.h"
#include "tests/native/live_viewer.h"
#include "tests/native/temp_folder.h"

namespace nns::tests {
namespace {

namespace fs = std::filesystem;
using live::wire::JobState;
using live::wire::TrainingAction;
using live::wire::TrainingState;
using ::testing::HasSubstr;

/// One that watches over a socket, and may control with the address for that.
struct Viewer : LiveViewer {
  explicit Viewer(const std::string& address) : LiveViewer(std::move(server::parse_live_address(address)).value()) {}
  bool waits_for(const std::function<bool()>& what) { return LiveViewer::waits_for(what, 120'000); }
  const live::TrainingView* training() { return mirror.training(live::kFirstLiveDocument); }
  std::uint64_t steps() {
    return training() == nullptr ? 0 : training()->steps().size() + training()->steps_left_out();
  }
  bool is(TrainingState state) {
    return training() != nullptr && training()->state() != nullptr && training()->state()->state() == state;
  }
  std::uint64_t control(TrainingAction action, std::uint32_t count = 1) {
    client.send(live::control_training(++requests, live::kFirstLiveDocument, action, count));
    return requests;
  }
  /// How the request ended.
  std::optional<JobState> ends(std::uint64_t request) {
    const auto state = [&]() -> std::optional<JobState> {
      const auto job = mirror.jobs().find(request);
      if (job == mirror.jobs().end() || job->second.state == JobState::Running) return std::nullopt;
      return job->second.state;
    };
    waits_for([&] { return state().has_value(); });
    return state();
  }

  std::uint64_t requests = 0;
};

struct TrainViewersTest : ::testing::Test {
  TrainViewersTest() { site.write("index.html", "<html>"); }
  std::vector<std::string> environment() const { return {"NNSCOPE_SITE=" + site.path().string()}; }
  std::string path(const std::string& name) const { return (folder.path() / name).string(); }
  std::size_t checkpoints(const std::string& run) const {
    std::size_t count = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder.path() / run / "checkpoints", error))
      count += static_cast<std::size_t>(entry.path().extension() == ".pt");
    return count;
  }

  TempFolder site, folder;
};

/// A training that goes on for long, and its addresses.
struct ServedTraining {
  ServedTraining(std::vector<std::string> arguments, const std::vector<std::string>& environment)
      : process(with_port(std::move(arguments)), environment, "/dev/null") {
    const std::string told = process.read_errors_until("token=");
    watch = after(told, "to watch:   ");
    control = after(told, "to control: ");
    EXPECT_THAT(watch, HasSubstr("attach=ws://127.0.0.1:")) << told;
  }
  static std::vector<std::string> with_port(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--serve", "--port", "0"});
    return arguments;
  }
  static std::string after(const std::string& text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) return {};
    return text.substr(at + mark.size(), text.find('\n', at + mark.size()) - at - mark.size());
  }
  Process process;
  std::string watch, control;
};

TEST_F(TrainViewersTest, IsSteeredFromAnotherProcess) {
  ServedTraining served(
      {"train", "spirals", "--set", "epochs=1000000", "--checkpoint-every", "0", "--run", path("run")}, environment());
  Viewer viewer(served.control);
  ASSERT_TRUE(viewer.waits_for([&] { return viewer.steps() > 20; }));
  EXPECT_EQ(viewer.ends(viewer.control(TrainingAction::Pause)), JobState::Finished);
  ASSERT_TRUE(viewer.waits_for([&] { return viewer.is(TrainingState::Paused); }));
  const std::uint64_t paused_at = viewer.training()->state()->steps();
  ASSERT_TRUE(viewer.waits_for([&] { return viewer.steps() == paused_at; }));
  viewer.control(TrainingAction::Step, 3);
  ASSERT_TRUE(viewer.waits_for([&] { return viewer.steps() == paused_at + 3; }));
  ASSERT_TRUE(viewer.waits_for([&] { return viewer.is(TrainingState::Paused); }));
  EXPECT_EQ(viewer.training()->state()->steps(), paused_at + 3);

  viewer.client.send(live::set_learning_rate(++viewer.requests, live::kFirstLiveDocument, 0.125));
  EXPECT_EQ(viewer.ends(viewer.requests), JobState::Finished);
  viewer.client.send(live::set_learning_rate(++viewer.requests, live::kFirstLiveDocument, -1));
  EXPECT_EQ(viewer.ends(viewer.requests), JobState::Failed);
  viewer.control(TrainingAction::Resume);
  ASSERT_TRUE(viewer.waits_for([&] { return viewer.steps() > paused_at + 10; }));
  EXPECT_EQ(viewer.training()->steps().learning_rate.back(), 0.125);

  EXPECT_EQ(checkpoints("run"), 0U);
  EXPECT_EQ(viewer.ends(viewer.control(TrainingAction::Checkpoint)), JobState::Finished);
  EXPECT_EQ(checkpoints("run"), 1U);

  viewer.control(TrainingAction::Stop);
  ASSERT_TRUE(viewer.waits_for([&] { return viewer.is(TrainingState::Stopped); }));
  // It stays while somebody looks at it, and not longer.
  {
    const Viewer gone(served.watch);
    Viewer late(served.control);
    EXPECT_TRUE(late.waits_for([&] { return late.is(TrainingState::Stopped); }));
  }
  served.process.signal(SIGINT);
  EXPECT_EQ(served.process.wait().status, 130);
}

TEST_F(TrainViewersTest, WhoOnlyWatchesControlsNothing) {
  ServedTraining served({"train", "spirals", "--set", "epochs=1000000", "--keep-nothing"}, environment());
  Viewer viewer(served.watch);
  ASSERT_TRUE(viewer.waits_for([&] { return viewer.steps() > 5; }));
  EXPECT_EQ(viewer.mirror.may_control(), false);
  viewer.control(TrainingAction::Pause);
  viewer.client.send(live::set_learning_rate(++viewer.requests, live::kFirstLiveDocument, 0.125));
  const std::uint64_t seen = viewer.steps();
  ASSERT_TRUE(viewer.waits_for([&] { return viewer.steps() > seen + 50; }));
  EXPECT_EQ(viewer.training()->steps().learning_rate.back(), 0.01);
  // Without a folder no checkpoint can be kept.
  Viewer steering(served.control);
  ASSERT_TRUE(steering.waits_for([&] { return steering.steps() > 0; }));
  EXPECT_EQ(steering.ends(steering.control(TrainingAction::Checkpoint)), JobState::Failed);
}

TEST_F(TrainViewersTest, EachViewerGetsTheValuesThatItChose) {
  ServedTraining served({"train", "spirals", "--set", "epochs=1000000", "--keep-nothing"}, environment());
  Viewer one(served.watch), other(served.watch);
  const auto subscribe = [](Viewer& viewer, std::uint32_t tensor) {
    ASSERT_TRUE(
        viewer.waits_for([&] { return viewer.training() != nullptr && viewer.training()->modules() != nullptr; }));
    live::TrainingSubscription wanted;
    wanted.id = 1;
    wanted.tensors = {tensor};
    wanted.subjects = live::wire::TrainingSubject::Parameters;
    wanted.forms = live::wire::TrainingForm::Values;
    wanted.width = wanted.height = 4;
    viewer.client.send(live::subscribe_training(++viewer.requests, live::kFirstLiveDocument, wanted));
    EXPECT_EQ(viewer.ends(viewer.requests), JobState::Finished);
  };
  subscribe(one, 0);
  subscribe(other, 1);
  for (int i = 0; i < 5; ++i) {
    for (Viewer* viewer : {&one, &other}) {
      const std::uint64_t seen = viewer->steps();
      ASSERT_TRUE(
          viewer->waits_for([&] { return viewer->steps() > seen && viewer->training()->values(1) != nullptr; }));
      EXPECT_EQ(viewer->training()->values(1)->of(), viewer == &one ? 0U : 1U);
    }
  }
}

// Losses and moments are those of all ranks; each has a lane.
TEST_F(TrainViewersTest, RanksThatTrainTogetherAreSeenTogether) {
  const std::string program = path("together.py");
  std::ofstream(program) << R"(
import torch, nnscope.train as train
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
run = train.Run(model=model, optimizer=optimizer)
network = train.parallel(model)
for step in run.steps(1000000):
    x, y = train.share(torch.randn(12, 4), torch.randn(12, 2))
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(network(x), y).backward()
    optimizer.step()
)";
  ServedTraining served({"train", "--nproc", "3", program, "--keep-nothing"}, environment());
  Viewer viewer(served.control);
  ASSERT_TRUE(
      viewer.waits_for([&] { return viewer.training() != nullptr && viewer.training()->modules() != nullptr; }));
  EXPECT_EQ(viewer.training()->ranks(), nullptr) << "nobody asked for details";
  live::TrainingSubscription wanted;
  wanted.id = 1;
  wanted.pattern = "*";
  wanted.subjects = live::wire::TrainingSubject::Activations | live::wire::TrainingSubject::Parameters;
  wanted.forms = live::wire::TrainingForm::Moments | live::wire::TrainingForm::Timeline;
  wanted.most_per_second = 10;
  viewer.client.send(live::subscribe_training(++viewer.requests, live::kFirstLiveDocument, wanted));
  ASSERT_TRUE(viewer.waits_for([&] { return viewer.training()->ranks() != nullptr; }));
  const live::wire::Ranks& ranks = *viewer.training()->ranks();
  EXPECT_EQ(ranks.size(), 3U);
  EXPECT_GT(ranks.step(), 0U);
  ASSERT_EQ(ranks.lanes()->size(), 3U);
  for (const live::wire::RankLane* lane : *ranks.lanes()) {
    EXPECT_GE(lane->backward_ns(), lane->forward_ns());
    EXPECT_GE(lane->end_ns(), lane->backward_ns());
    ASSERT_EQ(lane->buckets()->size(), 1U);
    EXPECT_EQ(lane->buckets()->Get(0)->bytes(), (4 * 8 + 8 + 8 * 2 + 2) * 4U);
    EXPECT_EQ(lane->differs()->size(), 0U);
  }
  EXPECT_GT(ranks.step_ns()->least(), 0);
  EXPECT_LT(ranks.loss()->least(), ranks.loss()->most());
  // Of activations all shares, of parameters the one tensor.
  const auto count_of = [&](live::wire::TrainingSubject subject, std::uint32_t of) {
    const auto* const found = viewer.training()->moments(subject, of);
    return found == nullptr ? 0 : found->second.count();
  };
  const auto* const paths = viewer.training()->modules()->path();
  std::uint32_t first = 0;
  while (first < paths->size() && live::text_of(paths->Get(first)) != "module.0") ++first;
  ASSERT_LT(first, paths->size());
  ASSERT_TRUE(viewer.waits_for([&] { return count_of(live::wire::TrainingSubject::Activations, first) > 0; }));
  EXPECT_EQ(count_of(live::wire::TrainingSubject::Activations, first), 12U * 8);
  EXPECT_EQ(count_of(live::wire::TrainingSubject::Parameters, 0), 4U * 8);
  // Who comes late sees them, too.
  Viewer late(served.watch);
  EXPECT_TRUE(late.waits_for([&] { return late.training() != nullptr && late.training()->ranks() != nullptr; }));
}

// While it pauses all of them choose; each step is then told to each as it chose.
TEST_F(TrainViewersTest, TwoHundredViewersEachGetWhatTheyChose) {
  constexpr std::uint32_t kViewers = 200, kTensors = 4;
  ServedTraining served({"train", "spirals", "--set", "epochs=1000000", "--keep-nothing"}, environment());
  Viewer steering(served.control);
  ASSERT_TRUE(steering.waits_for([&] { return steering.steps() > 5; }));
  steering.control(TrainingAction::Pause);
  ASSERT_TRUE(steering.waits_for([&] { return steering.is(TrainingState::Paused); }));
  std::vector<std::unique_ptr<Viewer>> viewers;
  for (std::uint32_t i = 0; i < kViewers; ++i) viewers.push_back(std::make_unique<Viewer>(served.watch));
  for (std::uint32_t i = 0; i < kViewers; ++i) {
    Viewer& viewer = *viewers[i];
    ASSERT_TRUE(
        viewer.waits_for([&] { return viewer.training() != nullptr && viewer.training()->modules() != nullptr; }));
    live::TrainingSubscription wanted;
    wanted.id = 1;
    wanted.tensors = {i % kTensors};
    wanted.subjects = live::wire::TrainingSubject::Parameters;
    wanted.forms = live::wire::TrainingForm::Values;
    wanted.width = wanted.height = 4;
    viewer.client.send(live::subscribe_training(++viewer.requests, live::kFirstLiveDocument, wanted));
  }
  for (const auto& viewer : viewers) ASSERT_EQ(viewer->ends(viewer->requests), JobState::Finished);
  const std::uint64_t paused_at = steering.training()->state()->steps();
  steering.control(TrainingAction::Step, 3);
  ASSERT_TRUE(steering.waits_for([&] { return steering.steps() == paused_at + 3; }));
  for (std::uint32_t i = 0; i < kViewers; ++i) {
    Viewer& viewer = *viewers[i];
    ASSERT_TRUE(viewer.waits_for([&] {
      return viewer.steps() == paused_at + 3 && viewer.training()->values(1) != nullptr &&
             viewer.training()->values(1)->step() >= paused_at;
    })) << i;
    EXPECT_EQ(viewer.training()->values(1)->of(), i % kTensors);
  }
}

TEST_F(TrainViewersTest, AKilledRunThatWasServedGoesOn) {
  const std::vector<std::string> start = {"train", "spirals", "--set",    "epochs=1000000", "--checkpoint-every",
                                          "50",    "--run",   path("run")};
  std::uint64_t seen = 0;
  {
    ServedTraining served(start, environment());
    Viewer viewer(served.watch);
    ASSERT_TRUE(viewer.waits_for([&] { return viewer.steps() > 200 && checkpoints("run") > 0; }));
    seen = viewer.training()->state()->steps();
    served.process.signal(SIGKILL);
    ASSERT_TRUE(viewer.waits_for([&] { return viewer.client.status().state != server::LinkState::Connected; }));
  }
  ServedTraining again({"train", "--resume", path("run")}, environment());
  Viewer viewer(again.watch);
  ASSERT_TRUE(viewer.waits_for([&] { return viewer.steps() > 0; }));
  EXPECT_GE(viewer.training()->steps().step.front(), 50U);
  ASSERT_TRUE(viewer.waits_for([&] { return viewer.training()->steps().step.back() > seen; }));
}

TEST_F(TrainViewersTest, TellsProgramsWhereItCanBeWatched) {
  Process process({"train", "spirals", "--set", "epochs=2", "--keep-nothing", "--serve", "--port", "0", "--json"},
                  environment());
  const auto told = process.wait();
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(told.out, ::testing::StartsWith("{\"watch\": \"http://127.0.0.1:"));
}

TEST_F(TrainViewersTest, IsRecordedAndReplayed) {
  const std::string file = path("run.nnscope");
  const auto trained = run_nnscope(
      {"train", "spirals", "--set", "epochs=60", "--keep-nothing", "--headless", "--record", file}, environment());
  ASSERT_EQ(trained.status, 0) << trained.err;
  const auto replayed = run_nnscope({"replay", file, "--headless", "--json"});
  EXPECT_EQ(replayed.status, 0) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("\"points\": 1140"));
  EXPECT_THAT(replayed.out, HasSubstr("Finished"));
  const auto refused =
      run_nnscope({"train", "spirals", "--keep-nothing", "--headless", "--record", file}, environment());
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("run.nnscope"));
}

TEST_F(TrainViewersTest, WhatItCannotDoIsTold) {
  const std::vector<std::string> start = {"train", "spirals", "--set", "epochs=2", "--keep-nothing"};
  const std::vector<std::string> nowhere = {"NNSCOPE_SITE=" + path("none")};
  const auto with = [&](const std::string& flag) {
    std::vector<std::string> all = start;
    all.push_back(flag);
    return run_nnscope(all, nowhere);
  };
  const auto alone = run_nnscope(start, nowhere);
  EXPECT_EQ(alone.status, 0) << "nobody asked for a page";
  EXPECT_THAT(alone.err, HasSubstr("nobody can watch this training"));
  EXPECT_EQ(with("--serve").status, 2);
  EXPECT_THAT(with("--view").err, HasSubstr("no display"));
  EXPECT_EQ(with("--view").status, 2);
  std::vector<std::string> both = start;
  both.insert(both.end(), {"--headless", "--serve"});
  EXPECT_EQ(run_nnscope(both).status, 2);
}

}  // namespace
}  // namespace nns::tests
