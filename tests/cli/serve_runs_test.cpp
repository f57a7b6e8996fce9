// Trainings that viewers of `nnscope serve` start, kept in folders and taken up again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
using ::testing::HasSubstr;

std::string after(const std::string& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return {};
  return text.substr(at + mark.size(), text.find('\n', at + mark.size()) - at - mark.size());
}

struct ServeRuns : ::testing::Test {
  ServeRuns()
      : process({"serve", "--port", "0", "--runs", (folder.path() / "runs").string()},
                {"NNSCOPE_SITE=" + made_site()}) {
    printed = process.read_until("to control: ");
    if (printed.find('\n', printed.find("to control: ")) == std::string::npos) printed += process.read_until("\n");
  }
  std::string made_site() const {
    site.write("index.html", "<html>");
    return site.path().string();
  }
  std::vector<fs::path> runs() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder.path() / "runs")) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  }
  static std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static std::size_t losses(const fs::path& run) {
    const std::string text = text_of(run / "metrics.jsonl");
    std::size_t count = 0;
    for (std::size_t at = text.find("\"loss\":"); at != std::string::npos; at = text.find("\"loss\":", at + 1)) ++count;
    return count;
  }

  TempFolder site, folder;
  Process process;
  std::string printed;
};

/// One who may control, and starts spirals.
struct Starter : LiveViewer {
  explicit Starter(const std::string& printed)
      : LiveViewer(std::move(server::parse_live_address(after(printed, "to control: "))).value()) {}
  void start(std::vector<std::pair<std::string, std::string>> settings) {
    // What is sent before the connection stands is lost.
    ASSERT_TRUE(waits_for([&] { return mirror.may_control() == true; }));
    client.send(live::start_training(++requests, {.recipe = "spirals",
                                                  .source = 0,
                                                  .name = {},
                                                  .data = 0,
                                                  .data_name = {},
                                                  .settings = std::move(settings),
                                                  .is_paused = false}));
  }
  std::optional<JobState> state(std::uint64_t request) {
    const auto job = mirror.jobs().find(request);
    if (job == mirror.jobs().end()) return std::nullopt;
    return job->second.state;
  }
  std::uint64_t requests = 0;
};

TEST_F(ServeRuns, EachRunThatAViewerStartsHasAFolderOfItsOwn) {
  ASSERT_THAT(printed, HasSubstr("token=")) << process.wait(1000).err;
  Starter viewer(printed);
  for (int i = 0; i < 2; ++i) {
    viewer.start({{"epochs", "2"}, {"points", "64"}, {"seed", std::to_string(i)}});
    const std::uint64_t request = viewer.requests;
    ASSERT_TRUE(viewer.waits_for([&] { return viewer.state(request) == JobState::Finished; }, 120'000)) << i;
  }
  const std::vector<fs::path> found = runs();
  ASSERT_EQ(found.size(), 2U);
  for (const fs::path& run : found) {
    EXPECT_EQ(losses(run), 4U) << run;
    EXPECT_THAT(text_of(run / "run.json"), HasSubstr("\"recipe\": \"spirals\""));
    EXPECT_TRUE(fs::exists(run / "recording.nnscope"));
    EXPECT_TRUE(fs::exists(run / "checkpoints/step-000000004.pt"));
  }
  EXPECT_NE(text_of(found[0] / "run.json"), text_of(found[1] / "run.json"));
}

TEST_F(ServeRuns, ARunWhoseViewerLeftIsTakenUpAgain) {
  ASSERT_THAT(printed, HasSubstr("token=")) << process.wait(1000).err;
  constexpr std::uint32_t kDocument = live::kFirstLiveDocument;
  // 1,500; under sanitizers, where a step takes ten times as long, a tenth.
  const int epochs = std::atoi(NNSCOPE_TRAINING_STEPS) * 3 / 2;
  const auto steps = static_cast<std::size_t>(epochs) * 10;
  {
    Starter viewer(printed);
    viewer.start({{"epochs", std::to_string(epochs)}, {"points", "320"}});
    ASSERT_TRUE(viewer.waits_for([&] {
      const live::TrainingView* const training = viewer.mirror.training(kDocument);
      return training != nullptr && training->steps().size() > 3;
    }));
    viewer.client.send(live::control_training(++viewer.requests, kDocument, TrainingAction::Checkpoint));
    const std::uint64_t request = viewer.requests;
    ASSERT_TRUE(viewer.waits_for([&] { return viewer.state(request) == JobState::Finished; }));
  }
  ASSERT_EQ(runs().size(), 1U);
  const fs::path run = runs().front();
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait().status, 0);
  const std::size_t before = losses(run);
  EXPECT_GT(before, 0U);
  EXPECT_LT(before, steps) << "the run was over before its viewer left";
  const Process::Result resumed = run_nnscope({"train", "--headless", "--resume", run.string()});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(losses(run), steps);
  const std::string whole = (folder.path() / "whole").string();
  ASSERT_EQ(run_nnscope({"train", "--headless", "spirals", "--set", "epochs=" + std::to_string(epochs), "--set",
                         "points=320", "--run", whole})
                .status,
            0);
  const auto last = [](const std::string& metrics) {
    const std::size_t at = metrics.rfind("\"loss\":");
    return metrics.substr(at, metrics.find(',', at) - at);
  };
  EXPECT_EQ(last(text_of(run / "metrics.jsonl")), last(text_of(fs::path(whole) / "metrics.jsonl")));
}

TEST(ServeRunsFolder, ThatCannotBeMadeIsRefused) {
  TempFolder site, folder;
  site.write("index.html", "<html>");
  folder.write("file", "in the way");
  const Process::Result result = run_nnscope({"serve", "--port", "0", "--runs", (folder.path() / "file").string()},
                                             {"NNSCOPE_SITE=" + site.path().string()});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("--runs"));
}

}  // namespace
}  // namespace nns::tests
