// `repl`: an interactive session, through a pipe and on a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "core/python/eval/console.h"
#include "core/python/packages/packages.h"
#include "tests/cli/process.h"
#include "tests/support/files.h"

namespace nns::tests {
namespace {

using python::Console;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class ConsoleTest : public testing::Test {
 protected:
  ConsoleTest() {
    machine.streams.out = [this](std::string_view text) { out += text; };
    machine.streams.error = [this](std::string_view text) { err += text; };
    python::add_python(machine);
    console.emplace(machine, "<stdin>");
  }
  Console::Outcome push(std::string_view line) { return console->push(line); }

  object::Interpreter interpreter;
  python::Machine& machine = python::Machine::of(interpreter);
  std::string out, err;
  std::optional<Console> console;
};

constexpr auto kMore = Console::Outcome::Incomplete;
constexpr auto kDone = Console::Outcome::Done;

TEST_F(ConsoleTest, ShowsWhatStatementsGive) {
  EXPECT_EQ(push("1 + 1"), kDone);
  EXPECT_EQ(push("_ * 3; None; 'x'"), kDone);
  EXPECT_EQ(push("   "), kDone);
  EXPECT_EQ(push("# nothing"), kDone);
  EXPECT_EQ(out, "2\n6\n'x'\n");
  EXPECT_EQ(err, "");
}

TEST_F(ConsoleTest, WaitsForTheRestOfWhatIsOpen) {
  EXPECT_EQ(push("x = (1,"), kMore);
  EXPECT_EQ(push("  ')', # )"), kMore);
  EXPECT_EQ(push(")"), kDone);
  EXPECT_EQ(push("t = '''a"), kMore);
  EXPECT_EQ(push("b'''"), kDone);
  EXPECT_EQ(push("y = 1 + \\"), kMore);
  EXPECT_EQ(push("  2"), kDone);
  EXPECT_EQ(push("for i in range(2):"), kMore);
  EXPECT_EQ(push("    i"), kMore);
  EXPECT_EQ(push(""), kDone);
  EXPECT_EQ(push("@staticmethod"), kMore);
  EXPECT_EQ(push("def f(): return y"), kMore);
  EXPECT_EQ(push(""), kDone);
  EXPECT_EQ(push("x, t, y, f()"), kDone);
  EXPECT_EQ(out, "0\n1\n((1, ')'), 'a\\nb', 3, 3)\n");
  EXPECT_EQ(err, "");
}

TEST_F(ConsoleTest, GoesOnAfterAnExceptionAndLeavesWithExit) {
  EXPECT_EQ(push("1 / 0"), kDone);
  EXPECT_THAT(err, HasSubstr("File \"<stdin>\", line 1, in <module>\n    1 / 0\n"));
  EXPECT_THAT(err, HasSubstr("ZeroDivisionError: division by zero\n"));
  err.clear();
  EXPECT_EQ(push("1 +* 2"), kDone);
  EXPECT_THAT(err, HasSubstr("SyntaxError"));
  EXPECT_EQ(push("exit(3)"), Console::Outcome::Exit);
  EXPECT_TRUE(console->leaving().has_value());
}

TEST_F(ConsoleTest, CompletesNamesAndAttributes) {
  push("import torch.nn as nn");
  push("value = 'text'");
  EXPECT_THAT(console->completions("print(val"), ElementsAre("value"));
  EXPECT_THAT(console->completions("value.ends"), ElementsAre("value.endswith"));
  EXPECT_THAT(console->completions("x = nn.Linea"), ElementsAre("nn.Linear"));
  EXPECT_THAT(console->completions("nn.functional.rel"), Contains("nn.functional.relu"));
  EXPECT_THAT(console->completions("whi"), ElementsAre("while"));
  EXPECT_THAT(console->completions("absent.x"), ElementsAre());
  EXPECT_THAT(console->completions("value..x"), ElementsAre());
}

TEST_F(ConsoleTest, IsInterruptedInALoop) {
  push("def spin():");
  push("    while True: pass");
  push("");
  machine.interrupt();
  EXPECT_EQ(push("spin()"), kDone);
  EXPECT_THAT(err, HasSubstr("KeyboardInterrupt\n"));
  EXPECT_EQ(push("'alive'"), kDone);
  EXPECT_EQ(out, "'alive'\n");
}

Process::Result run_lines(const std::string& lines) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "lines").string();
  std::ofstream(path) << lines;
  return Process({"repl"}, {"LINES_FILE=" + path}, nullptr, {"/bin/sh", "-c", "exec \"$0\" \"$@\" < \"$LINES_FILE\""})
      .wait();
}

TEST(Repl, RunsTheLinesOfAPipe) {
  const Process::Result result = run_lines("import torch\ntorch.arange(3) * 2\nif True:\n    print('last')");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "tensor([0, 2, 4])\nlast\n");
  EXPECT_EQ(run_lines("import sys\nsys.exit(7)\nprint('not this')\n").status, 7);
}

// The program on a terminal of its own.
class OnTerminal {
 public:
  OnTerminal() {
    struct winsize size = {.ws_row = 30, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    child_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (child_ == 0) {
      ::setenv("TERM", "xterm", 1);
      ::execl(NNSCOPE_EXECUTABLE, NNSCOPE_EXECUTABLE, "repl", static_cast<char*>(nullptr));
      ::_exit(127);
    }
  }
  ~OnTerminal() {
    ::close(terminal_);
    if (child_ > 0) ::kill(child_, SIGKILL);
    int status = 0;
    ::waitpid(child_, &status, 0);
  }
  OnTerminal(const OnTerminal&) = delete;
  OnTerminal& operator=(const OnTerminal&) = delete;

  void type(std::string_view text) const {
    EXPECT_EQ(::write(terminal_, text.data(), text.size()), ssize_t(text.size()));
  }
  // What was shown up to `text`, since the last time; fails after half a minute.
  std::string until(std::string_view text) {
    std::string shown = std::exchange(rest_, {});
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (shown.find(text) == std::string::npos && std::chrono::steady_clock::now() < end) {
      fd_set ready;
      FD_ZERO(&ready);
      FD_SET(terminal_, &ready);
      struct timeval wait = {.tv_sec = 1, .tv_usec = 0};
      if (::select(terminal_ + 1, &ready, nullptr, nullptr, &wait) <= 0) continue;
      char bytes[4096];
      const ssize_t count = ::read(terminal_, bytes, sizeof(bytes));
      if (count <= 0) break;
      shown.append(bytes, static_cast<std::size_t>(count));
    }
    const std::size_t at = shown.find(text);
    EXPECT_NE(at, std::string::npos) << shown;
    if (at == std::string::npos) return shown;
    rest_ = shown.substr(at + text.size());
    shown.resize(at + text.size());
    return shown;
  }

 private:
  int terminal_ = -1;
  // Shown behind what was waited for.
  std::string rest_;
  pid_t child_ = -1;
};

TEST(Repl, CompletesAndIsInterruptedOnATerminal) {
  OnTerminal session;
  session.until(">>> ");
  session.type("import torch\r");
  session.until(">>> ");
  session.type("torch.ara\t(2).tolist()\r");
  EXPECT_THAT(session.until("[0, 1]"), HasSubstr("nge(2)"));
  session.until(">>> ");
  session.type("while True: pass\r");
  session.until("... ");
  session.type("\r");
  ::usleep(300'000);  // let it turn
  session.type("\x03");
  session.until("KeyboardInterrupt");
  session.until(">>> ");
  session.type("6 * 7\r");
  session.until("\n42\r\n>>> ");
  session.type("\x04");
}

}  // namespace
}  // namespace nns::tests
