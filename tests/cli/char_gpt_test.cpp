// A training run whose losses PyTorch 2.14.1 printed, on a text that others wrote.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/process.h"

namespace nns::tests {
namespace {

TEST(CharGpt, PrintsTheLossesOfPyTorch) {
  const char* const data = std::getenv("NNSCOPE_TEST_DATA");
  const std::filesystem::path text =
      std::filesystem::path(data == nullptr ? "" : data) / "datasets" / "text" / "tinyshakespeare.txt";
  if (!std::filesystem::exists(text)) GTEST_SKIP() << "NNSCOPE_TEST_DATA has no text";
  const std::filesystem::path folder = NNSCOPE_TRAINING;
  const Process::Result result =
      run_nnscope({"run", "--allow-read", text.parent_path(), folder / "char_gpt.py", text, NNSCOPE_TRAINING_STEPS});
  ASSERT_EQ(result.status, 0) << result.err;
  std::istringstream ours(result.out);
  std::ifstream recorded(folder / "char_gpt.losses.txt");
  std::string parameters, wanted;
  std::getline(ours, parameters);
  std::getline(recorded, wanted);
  EXPECT_EQ(parameters, wanted);
  // Later losses drift with rounding: that much is agreement there.
  int step = 0, recorded_step = 0, lines = 0;
  double loss = 0, recorded_loss = 0;
  while (ours >> step >> loss && recorded >> recorded_step >> recorded_loss) {
    ++lines;
    EXPECT_EQ(step, recorded_step);
    EXPECT_LE(std::abs(loss - recorded_loss), step < 20 ? 0.00021 : 0.02) << "step " << step;
  }
  EXPECT_EQ(lines, 20 + std::atoi(NNSCOPE_TRAINING_STEPS) / 100);
}

}  // namespace
}  // namespace nns::tests
