// Pictures of the explorer, drawn on a display that exists in memory only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/process.h"
#include "tests/native/temp_folder.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"

namespace nns::tests {
namespace {

const char* const kXvfb = "/usr/bin/Xvfb";

// The server chooses a display that is free and tells its number: xvfb-run guesses one, and two at once get in each
// other's way.
const char* const kWithDisplay = R"(
folder=$(mktemp -d) && mkfifo "$folder/number" || exit 125
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>"$folder/number" >/dev/null 2>&1 &
server=$!
read -r number <"$folder/number"
DISPLAY=":$number" "$@"
status=$?
kill "$server"
wait "$server"
rm -r "$folder"
exit "$status"
)";

Process::Result screenshot(const std::vector<std::string>& arguments) {
  // Mesa keeps what it allocated for a screen until its library is unloaded, when nothing tells any more whose it was.
  return Process(arguments, {"ASAN_OPTIONS=detect_leaks=0"}, nullptr, {"/bin/sh", "-c", kWithDisplay, "sh"}).wait();
}

std::uint32_t big_endian(const std::vector<std::byte>& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<std::uint32_t>(bytes[i]);
  return value;
}

class Screenshot : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kXvfb)) GTEST_SKIP() << "no Xvfb here";
  }
  TempFolder folder_;
  std::string picture_ = folder_.path() / "picture.png";
};

TEST_F(Screenshot, IsAPngOfTheSizeThatWasAskedFor) {
  const auto file = folder_.write("a.safetensors", plan_safetensors({{"fc.weight", "F32", {4, 4}}}).whole());
  const auto result = screenshot(
      {"open", file, "--screenshot", picture_, "--size", "900x600", "--theme", "light", "--select", "fc.weight"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto bytes = read_file(picture_);
  ASSERT_GT(bytes.size(), 1000U);
  EXPECT_EQ(big_endian(bytes, 0), 0x89504E47U);
  EXPECT_EQ(big_endian(bytes, 16), 900U);
  EXPECT_EQ(big_endian(bytes, 20), 600U);
}

TEST_F(Screenshot, OfAFileThatCannotBeReadIsStatusTwoAndNoPicture) {
  const auto file = folder_.write("bad.safetensors", "nothing of use");
  const auto result = screenshot({file, "--screenshot", picture_});
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_THAT(result.err, ::testing::HasSubstr("bad.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(picture_));
}

TEST_F(Screenshot, OfANameThatNoRowHasIsStatusTwoAndNoPicture) {
  const auto file = folder_.write("a.safetensors", plan_safetensors({{"fc.weight", "F32", {4, 4}}}).whole());
  const auto result = screenshot({"open", file, "--screenshot", picture_, "--select", "fc.bias"});
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_THAT(result.err, ::testing::HasSubstr("fc.bias"));
  EXPECT_FALSE(std::filesystem::exists(picture_));
}

TEST_F(Screenshot, ChoosesANameOfWhicheverInputHasIt) {
  const auto first = folder_.write("a.safetensors", plan_safetensors({{"fc.weight", "F32", {4, 4}}}).whole());
  const auto last = folder_.write("b.safetensors", plan_safetensors({{"conv.weight", "F32", {4, 4}}}).whole());
  const auto result = screenshot({"open", first, last, "--screenshot", picture_, "--select", "conv.weight"});
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(Screenshot, OfASampleThatIsNotThereIsStatusTwo) {
  const auto result = screenshot({"open", "sample:nothing", "--screenshot", picture_});
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_THAT(result.err, ::testing::HasSubstr("nothing"));
}

TEST_F(Screenshot, ANameWithNothingToOpenIsStatusTwo) {
  const auto result = screenshot({"open", "--screenshot", picture_, "--select", "fc.weight"});
  EXPECT_EQ(result.status, 2) << result.err;
}

TEST_F(Screenshot, IntoAFolderThatIsNotThereIsStatusOne) {
  const auto result = screenshot({"open", "--screenshot", folder_.path() / "none" / "a.png"});
  EXPECT_EQ(result.status, 1) << result.err;
}

TEST_F(Screenshot, LeavesWhatAPersonSetAlone) {
  const auto result = screenshot({"open", "sample:small_cnn", "--screenshot", picture_});
  EXPECT_EQ(result.status, 0) << result.err;
  // The home of these runs: as root it could be made.
  EXPECT_FALSE(std::filesystem::exists("/nonexistent/.config"));
}

TEST_F(Screenshot, OfTheStudioIsOfThatStepAndOfALessonOfThatStop) {
  const auto file = folder_.write("net.py", "import torch\nnet = torch.nn.Linear(2, 2)\nprint(net)\n");
  std::vector<std::vector<std::byte>> pictures;
  for (const char* step : {"1", "40"}) {
    const auto result = screenshot({"studio", file, "--step", step, "--screenshot", picture_});
    ASSERT_EQ(result.status, 0) << result.err;
    pictures.push_back(read_file(picture_));
  }
  for (const char* stop : {"1", "2"}) {
    const auto result = screenshot({"lesson", "conv1", "--stop", stop, "--screenshot", picture_});
    ASSERT_EQ(result.status, 0) << result.err;
    pictures.push_back(read_file(picture_));
  }
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    EXPECT_GT(pictures[i].size(), 10'000U);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(pictures[i], pictures[j]) << i << " and " << j;
  }
}

TEST_F(Screenshot, OfTheStudioOfWhatIsNoProgramIsStatusTwo) {
  const auto file = folder_.write("a.safetensors", plan_safetensors({{"fc.weight", "F32", {4, 4}}}).whole());
  EXPECT_EQ(screenshot({"studio", file, "--screenshot", picture_}).status, 2);
}

TEST(ScreenshotWithoutADisplay, SaysWhatIsMissing) {
  const auto result = run_nnscope({"open", "--screenshot", "/tmp/never.png"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, ::testing::HasSubstr("display"));
}

}  // namespace
}  // namespace nns::tests
