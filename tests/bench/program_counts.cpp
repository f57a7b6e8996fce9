// A program run once, plainly or recorded: what a counter of instructions (valgrind --tool=callgrind) counts, less what
// it counts for a file with `pass`, is what the program costs.
//   program_counts FILE.py plain|recorded
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>

#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "core/recorder/recorder.h"

int main(int count, char** words) {
  const std::string how = count == 3 ? words[2] : "";
  if (how != "plain" && how != "recorded") {
    std::cerr << "program_counts FILE.py plain|recorded\n";
    return 2;
  }
  std::ifstream file(words[1]);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  nns::object::Interpreter interpreter;
  nns::python::Machine& machine = nns::python::Machine::of(interpreter);
  nns::python::add_python(machine);
  nns::trace::Limits limits;
  limits.events = 4'000'000;
  limits.bytes = std::uint64_t{4} << 30U;
  nns::trace::Trace trace(limits);
  std::optional<nns::recorder::Recorder> recorder;
  if (how == "recorded") recorder.emplace(machine, trace);
  const auto done = nns::python::run_program(machine, words[1], text);
  if (!done.ok()) std::cerr << done.error().message() << "\n";
  std::cout << trace.size() << " events, " << trace.bytes() << " bytes\n";
  return done.ok() ? 0 : 1;
}
