// The recipes on the data that people know: how well they learn it. NNSCOPE_TEST_DATA names the folder that has it, and
// what takes minutes also wants NNSCOPE_LONG_TESTS=1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "tests/cli/process.h"
#include "tests/native/temp_folder.h"

namespace nns::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// An epoch may take so long on a machine that does something else, too.
constexpr int kNothingNew_ms = 1'800'000;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

class RealData : public ::testing::Test {
 protected:
  /// Where that is; skips the test, and says why, where it is not, or where nobody waits for long tests.
  std::string data(const std::string& name, bool is_long) {
    const std::string folder = environment("NNSCOPE_TEST_DATA");
    const fs::path path = fs::path(folder) / "datasets" / name;
    if (folder.empty()) {
      skip_ = "NNSCOPE_TEST_DATA names no folder with datasets/" + name;
    } else if (!fs::exists(path)) {
      skip_ = path.string() + " is not there";
    } else if (is_long && environment("NNSCOPE_LONG_TESTS") != "1") {
      skip_ = "this takes minutes: NNSCOPE_LONG_TESTS=1 runs it";
    }
    return path.string();
  }
  /// The best accuracy on the test images that a recipe told, in per cent.
  double accuracy(const std::string& recipe, const std::string& path, const std::string& setting) {
    Process process(
        {"train", "--headless", recipe, "--data", path, "--set", setting, "--run", (folder_.path() / "run").string()});
    const Process::Result result = process.wait(kNothingNew_ms);
    EXPECT_EQ(result.status, 0) << result.err;
    constexpr std::string_view kMark = "test accuracy ";
    double best = 0;
    for (std::size_t at = result.out.find(kMark); at != std::string::npos; at = result.out.find(kMark, at + 1))
      best = std::max(best, std::atof(result.out.c_str() + at + kMark.size()));
    std::printf("%s on %s: %.2f %%\n", recipe.c_str(), path.c_str(), best);
    return best;
  }
  /// The losses that PyTorch printed of `steps` steps, against those of our run.
  void follows_pytorch(const std::string& text, int steps) {
    const std::string run = (folder_.path() / "gpt").string();
    Process process({"train", "--headless", "gpt", "--data", text, "--set", "steps=" + std::to_string(steps), "--set",
                     "evaluate=0", "--set", "held=0", "--run", run});
    const Process::Result result = process.wait(kNothingNew_ms);
    ASSERT_EQ(result.status, 0) << result.err;
    std::map<int, double> ours;
    std::ifstream metrics(run + "/metrics.jsonl");
    for (std::string line; std::getline(metrics, line);) {
      const std::size_t at = line.find("\"loss\":");
      if (at != std::string::npos) ours[std::atoi(line.c_str() + 8)] = std::atof(line.c_str() + at + 7);
    }
    ASSERT_EQ(ours.size(), static_cast<std::size_t>(steps));
    std::ifstream recorded(fs::path(NNSCOPE_TRAINING) / "char_gpt.losses.txt");
    std::string parameters;
    std::getline(recorded, parameters);
    int step = 0, compared = 0;
    // Later losses drift with rounding: that much is agreement there.
    for (double loss = 0; recorded >> step >> loss && step < steps; ++compared)
      EXPECT_NEAR(ours.at(step), loss, step < 20 ? 0.00021 : 0.02) << "step " << step;
    EXPECT_EQ(compared, 20 + steps / 100);
  }

  std::string skip_;
  TempFolder folder_;
};

TEST_F(RealData, TheGptFollowsTheLossesOfPyTorch) {
  const std::string text = data("text/tinyshakespeare.txt", false);
  if (!skip_.empty()) GTEST_SKIP() << skip_;
  follows_pytorch(text, 100);
}

TEST_F(RealData, TheGptFollowsTheLossesOfPyTorchForAllStepsThatWereRecorded) {
  const std::string text = data("text/tinyshakespeare.txt", true);
  if (!skip_.empty()) GTEST_SKIP() << skip_;
  follows_pytorch(text, 1000);
}

TEST_F(RealData, TheCnnReads99Of100DigitsOfMnist) {
  const std::string folder = data("mnist", true);
  if (!skip_.empty()) GTEST_SKIP() << skip_;
  EXPECT_GE(accuracy("cnn", folder, "epochs=4"), 99.0);
}

TEST_F(RealData, TheCnnKnows91Of100PiecesOfFashionMnist) {
  const std::string folder = data("fashion-mnist", true);
  if (!skip_.empty()) GTEST_SKIP() << skip_;
  EXPECT_GE(accuracy("cnn", folder, "epochs=5"), 91.0);
}

// Every model of a library that was not written for us, against the numbers of parameters that it publishes.
TEST_F(RealData, TheModelsOfTimmHaveTheParametersThatAreTold) {
  const fs::path folder = fs::path(environment("NNSCOPE_MODEL_SOURCES")) / "huggingface__pytorch-image-models";
  if (!fs::exists(folder / "results")) GTEST_SKIP() << "NNSCOPE_MODEL_SOURCES names no folder with a checkout of timm";
  Process process({"run", "--allow-read", folder.string(), NNSCOPE_TIMM_COUNTS, folder.string()});
  const Process::Result result = process.wait(kNothingNew_ms);
  ASSERT_EQ(result.status, 0) << result.err;
  int built = 0, compared = 0;
  ASSERT_EQ(std::sscanf(result.out.c_str(), "built %d, compared %d", &built, &compared), 2) << result.out;
  EXPECT_GT(compared, 1000);
  EXPECT_THAT(result.out, HasSubstr("different: []\nfailed: []")) << result.out;
}

}  // namespace
}  // namespace nns::tests
