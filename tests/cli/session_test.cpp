// The window comes back as it was left: what is written down, and what is made of it the next time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/process.h"
#include "tests/native/temp_folder.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"

namespace nns::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const char* const kXvfbPath = "/usr/bin/Xvfb";

// Runs a window on a display of its own until the session says $WAIT_FOR (or for 40 s), then ends it as a system does
// that shuts down: the window is not asked to close.
const char* const kUntilWritten = R"(
folder=$(mktemp -d) && mkfifo "$folder/number" || exit 125
Xvfb -displayfd 3 -noreset -screen 0 1600x1000x24 -nolisten tcp 3>"$folder/number" >/dev/null 2>&1 &
server=$!
read -r number <"$folder/number"
DISPLAY=":$number" "$@" &
program=$!
for turn in $(seq 400); do
  grep -qE "$WAIT_FOR" "$XDG_STATE_HOME/nnscope/session" 2>/dev/null && break
  kill -0 "$program" 2>/dev/null || break
  sleep 0.1
done
kill "$program"
wait "$program"
kill "$server"
wait "$server"
rm -r "$folder"
)";

class Session : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kXvfbPath)) GTEST_SKIP() << "no Xvfb here";
    first_ = folder_.write("first.safetensors", plan_safetensors({{"h.0.weight", "F32", {4, 4}}}).whole());
    second_ = folder_.write("second.safetensors", plan_safetensors({{"h.1.weight", "F32", {4, 4}}}).whole());
  }
  /// What the session says once it has `wanted` (a regular expression).
  std::string run(const std::vector<std::string>& arguments, const std::string& wanted) {
    const std::string state = folder_.path() / "state";
    const std::vector<std::string> environment = {"ASAN_OPTIONS=detect_leaks=0", "XDG_STATE_HOME=" + state,
                                                  "XDG_CONFIG_HOME=" + (folder_.path() / "config").string(),
                                                  "WAIT_FOR=" + wanted};
    const auto result = Process(arguments, environment, nullptr, {"/bin/sh", "-c", kUntilWritten, "sh"}).wait();
    EXPECT_THAT(result.err, Not(HasSubstr("nnscope:")));
    std::ifstream in(state + "/nnscope/session");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  TempFolder folder_;
  std::filesystem::path first_;
  std::filesystem::path second_;
};

TEST_F(Session, ComesBackWithItsFilesItsChoiceAndItsSize) {
  const std::string left =
      run({"open", first_, second_, "--select", "h.1", "--size", "777x555"}, "second.safetensors&select=h.1");
  EXPECT_THAT(left, HasSubstr("tab.window=777x555"));
  // The mark of the first file is another one: that it is written anew shows that it was opened.
  const std::string state = folder_.path() / "state/nnscope/session";
  const std::size_t mark = left.find("head=");
  ASSERT_NE(mark, std::string::npos) << left;
  std::ofstream(state) << left.substr(0, mark) << "head=1" << left.substr(left.find_first_of("& ", mark));
  const std::string back = run({}, left.substr(mark, left.find_first_of("& ", mark) - mark));
  EXPECT_EQ(back, left) << "the same documents in the same order, the same choice, the same size";
}

TEST_F(Session, AFileThatIsGoneDoesNotKeepTheOthers) {
  run({"open", first_, second_}, "first.safetensors.* file=.*second.safetensors.*head=");
  std::filesystem::remove(second_);
  const std::string back = run({}, "^tab.open=file=[^ ]*first.safetensors[^ ]*$");
  EXPECT_THAT(back, HasSubstr("first.safetensors"));
  EXPECT_THAT(back, Not(HasSubstr("second.safetensors")));
}

TEST_F(Session, IsLeftAloneOnRequest) {
  run({"open", first_, "--size", "777x555"}, "first.safetensors.*shown=1");
  const std::string fresh = run({"open", "--no-restore"}, "^tab.window=1440x900$");
  EXPECT_THAT(fresh, Not(HasSubstr("first.safetensors")));
}

}  // namespace
}  // namespace nns::tests
