// Windows on a display that exists in memory only: what `train --view`, `attach` and `replay` really put there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "tests/cli/process.h"
#include "tests/native/temp_folder.h"
#include "tests/support/files.h"

namespace nns::tests {
namespace {

namespace fs = std::filesystem;

// The server chooses a display that is free and keeps its picture in a file; it stays as it is when the program, which
// first asks whether there is a display, leaves it for a moment. The program ends by SIGTERM to the shell.
const char* const kOnDisplay = R"(
folder="$1"; shift
mkfifo "$folder/number" || exit 125
Xvfb -displayfd 3 -fbdir "$folder" -screen 0 1600x1000x24 -nolisten tcp -noreset 3>"$folder/number" >/dev/null 2>&1 &
server=$!
read -r number <"$folder/number"
DISPLAY=":$number" "$@" &
program=$!
trap 'kill "$program"' TERM
wait "$program"
status=$?
while kill -0 "$program" 2>/dev/null; do wait "$program"; status=$?; done
kill "$server"
wait "$server"
exit "$status"
)";

/// The program with a window of its own, and what is on the display.
class Window {
 public:
  explicit Window(const std::vector<std::string>& arguments)
      : process_(arguments,
                 {"ASAN_OPTIONS=detect_leaks=0", "LIBGL_ALWAYS_SOFTWARE=1",
                  "XDG_CONFIG_HOME=" + folder_.path().string(), "XDG_STATE_HOME=" + folder_.path().string()},
                 nullptr, {"/bin/sh", "-c", kOnDisplay, "sh", folder_.path().string()}) {}
  ~Window() { end(); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// The colour of each pixel, row by row; empty before there is a display.
  std::vector<std::uint32_t> picture() const {
    // Behaviour: X11/XWDFile.h, version 7: a head of big-endian numbers, a map of colours of 12 bytes each, then lines.
    const fs::path file = folder_.path() / "Xvfb_screen0";
    if (!fs::exists(file)) return {};
    const std::vector<std::byte> bytes = read_file(file);
    const auto number = [&](std::size_t index) {
      std::uint32_t value = 0;
      for (std::size_t i = 0; i < 4; ++i) value = value << 8U | static_cast<std::uint32_t>(bytes[4 * index + i]);
      return value;
    };
    if (bytes.size() < 100) return {};
    const std::size_t head = number(0), width = number(4), height = number(5), line = number(12), colours = number(19);
    const std::size_t begin = head + 12 * colours;
    if (number(11) != 32 || bytes.size() < begin + line * height) return {};
    std::vector<std::uint32_t> pixels;
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const std::byte* const at = bytes.data() + begin + y * line + 4 * x;
        pixels.push_back(static_cast<std::uint32_t>(at[0]) | static_cast<std::uint32_t>(at[1]) << 8U |
                         static_cast<std::uint32_t>(at[2]) << 16U);
      }
    }
    return pixels;
  }
  /// Waits until the picture is one that `fits`. Gives it, or the last one.
  template <class Fits>
  std::vector<std::uint32_t> wait_for(const Fits& fits) const {
    std::vector<std::uint32_t> seen;
    for (int i = 0; i < 600; ++i) {
      seen = picture();
      if (fits(seen)) return seen;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return seen;
  }
  Process& process() { return process_; }
  void end() {
    if (std::exchange(is_ended_, true)) return;
    process_.signal(SIGTERM);
    static_cast<void>(process_.wait());
  }

 private:
  TempFolder folder_;
  Process process_;
  bool is_ended_ = false;
};

std::size_t colours(const std::vector<std::uint32_t>& picture) {
  return std::set<std::uint32_t>(picture.begin(), picture.end()).size();
}
/// The share of pixels that differ.
double difference(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  if (a.empty() || a.size() != b.size()) return 1;
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += static_cast<std::size_t>(a[i] != b[i]);
  return static_cast<double>(count) / static_cast<double>(a.size());
}
/// Words and shapes, smoothed at their edges, have many colours; an empty window has few.
bool is_drawn(const std::vector<std::uint32_t>& picture) { return colours(picture) > 100; }

struct WindowTest : ::testing::Test {
  void SetUp() override {
    if (!fs::exists("/usr/bin/Xvfb")) GTEST_SKIP() << "no Xvfb here";
  }
  TempFolder folder_;
};

TEST_F(WindowTest, OfATrainingShowsItAndGoesOnWithIt) {
  const Window empty({"open", "--no-restore"});
  const auto start = empty.wait_for(is_drawn);
  ASSERT_TRUE(is_drawn(start));
  Window window({"train", "spirals", "--view", "--set", "epochs=1000000", "--run", (folder_.path() / "run").string()});
  const auto is_training = [&](const auto& seen) { return is_drawn(seen) && difference(seen, start) > 0.02; };
  const auto first = window.wait_for(is_training);
  ASSERT_TRUE(is_training(first));
  // Curves and numbers change as it learns.
  const auto has_changed = [&](const auto& seen) { return is_drawn(seen) && difference(seen, first) > 0.001; };
  EXPECT_TRUE(has_changed(window.wait_for(has_changed)));
}

TEST_F(WindowTest, OfAnAttachedViewerShowsTheRunOfAnotherProcess) {
  Process run({"train", "spirals", "--serve", "--port", "0", "--set", "epochs=1000000", "--run",
               (folder_.path() / "run").string()});
  std::string told = run.read_errors_until("to control:");
  const std::size_t line = told.find("to control:");
  ASSERT_NE(line, std::string::npos) << told;
  while (told.find('\n', line) == std::string::npos) told += run.read_errors_until("\n");
  std::string address = told.substr(told.find("http://", line));
  address = address.substr(0, address.find_first_of(" \n"));
  const Window empty({"open", "--no-restore"});
  const auto start = empty.wait_for(is_drawn);
  Window window({"attach", address});
  const auto is_training = [&](const auto& seen) { return is_drawn(seen) && difference(seen, start) > 0.02; };
  const auto first = window.wait_for(is_training);
  ASSERT_TRUE(is_training(first));
  const auto has_changed = [&](const auto& seen) { return is_drawn(seen) && difference(seen, first) > 0.001; };
  EXPECT_TRUE(has_changed(window.wait_for(has_changed)));
}

TEST_F(WindowTest, OfARecordingShowsWhatWasRecorded) {
  const std::string run = (folder_.path() / "run").string();
  ASSERT_EQ(run_nnscope({"train", "spirals", "--headless", "--set", "epochs=3", "--run", run}).status, 0);
  const Window empty({"open", "--no-restore"});
  const auto start = empty.wait_for(is_drawn);
  Window window({"replay", run + "/recording.nnscope"});
  const auto is_training = [&](const auto& seen) { return is_drawn(seen) && difference(seen, start) > 0.02; };
  ASSERT_TRUE(is_training(window.wait_for(is_training)));
}

}  // namespace
}  // namespace nns::tests
