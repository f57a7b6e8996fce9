#include "native/cli/repl_command.h"

#include <editline/readline.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "core/python/eval/console.h"
#include "native/cli/exit_status.h"
#include "native/cli/interrupt_on_signal.h"
#include "native/cli/program_world.h"

namespace nns::cli {

namespace {

using python::Console;

// libedit's functions take no context.
Console* completing = nullptr;

char** complete(const char* /*text*/, int /*start*/, int end) {
  rl_attempted_completion_over = 1;  // never names of files
  rl_completion_append_character = 0;
  const std::string line(rl_line_buffer, static_cast<std::size_t>(end));
  const std::vector<std::string> found = completing->completions(line);
  if (found.empty()) return nullptr;
  // What all of them begin with, then each; libedit frees them.
  std::string common = found.front();
  for (const std::string& one : found) {
    const auto differ = std::mismatch(common.begin(), common.end(), one.begin(), one.end());
    common.erase(differ.first, common.end());
  }
  const std::size_t count = found.size() == 1 ? 0 : found.size();
  auto** made = static_cast<char**>(std::calloc(count + 2, sizeof(char*)));
  if (made == nullptr) return nullptr;
  made[0] = ::strdup(common.c_str());
  for (std::size_t i = 0; i < count; ++i) made[i + 1] = ::strdup(found[i].c_str());
  return made;
}

// One line of a terminal; false at its end.
bool read_edited(const char* prompt, std::string& line) {
  char* const typed = ::readline(prompt);
  if (typed == nullptr) return false;
  line = typed;
  if (!line.empty()) ::add_history(typed);
  std::free(typed);
  return true;
}

}  // namespace

int run_repl(const RunOptions& options) {
  object::Interpreter interpreter;
  python::Machine& machine = python::Machine::of(interpreter);
  open_world(machine, options);
  Console console(machine, "<stdin>");
  const InterruptOnSignal interrupts(machine);
  const bool is_terminal = ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
  if (is_terminal) {
    completing = &console;
    rl_readline_name = const_cast<char*>("nnscope");
    rl_attempted_completion_function = complete;
    rl_completer_word_break_characters = const_cast<char*>(" \t\n`~!@#$%^&*()-=+[{]}\\|;:'\",<>/?");
    fmt::print("nnscope: Python with torch. Tab completes, Ctrl+D leaves.\n");
  }
  std::string line;
  bool is_incomplete = false;
  while (is_terminal ? read_edited(is_incomplete ? "... " : ">>> ", line) : bool(std::getline(std::cin, line))) {
    if (machine.take_interrupt()) {
      // Ctrl+C while a line was typed.
      fmt::print("KeyboardInterrupt\n");
      console.reset();
      is_incomplete = false;
      continue;
    }
    const Console::Outcome outcome = console.push(line);
    std::fflush(stdout);
    if (outcome == Console::Outcome::Exit) return exit_status_of(interpreter, *console.leaving());
    is_incomplete = outcome == Console::Outcome::Incomplete;
  }
  // What was begun and not ended with an empty line.
  if (is_incomplete && console.push("") == Console::Outcome::Exit) {
    return exit_status_of(interpreter, *console.leaving());
  }
  if (is_terminal) fmt::print("\n");
  std::fflush(stdout);
  return kFine;
}

}  // namespace nns::cli
