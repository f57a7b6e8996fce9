#include "native/cli/lesson_command.h"

#include <fmt/format.h>

#include <utility>

#include "core/lesson/lesson.h"
#include "native/cli/exit_status.h"
#include "native/cli/program_world.h"
#include "native/cli/terminal.h"

namespace nns::cli {

namespace {

std::string names() {
  std::string all;
  for (const lesson::BuiltIn& one : lesson::built_in()) all += fmt::format("{}{}", all.empty() ? "" : ", ", one.name);
  return all;
}

}  // namespace

int run_lesson(LessonOptions options) {
  if (options.lesson.empty()) {
    for (const lesson::BuiltIn& one : lesson::built_in()) {
      fmt::print("{:<6}  {}\n        {}\n", one.name, one.title, one.about);
    }
    return kFine;
  }
  std::string text(lesson::text_of_built_in(options.lesson));
  const bool is_built_in = !text.empty();
  if (!is_built_in) {
    auto found = read_text(options.lesson);
    if (!found || !lesson::is_lesson(options.lesson)) {
      print_error(base::Error{.found = fmt::format("no lesson is called \"{}\"", printable(options.lesson)),
                              .expected = fmt::format("{}, or a file NAME.md", names()),
                              .where = "lesson",
                              .offset = {}}
                      .message());
      return kBadInput;
    }
    text = *std::move(found);
  }
  if (options.prints) {
    fmt::print("{}", text);
    return kFine;
  }
  const auto read = lesson::read_lesson(text, options.lesson);
  if (!read.ok()) {
    print_error(read.error().message());
    return kBadInput;
  }
  if (options.stop < 1 || options.stop > read->stops.size()) {
    print_error(fmt::format("--stop {}: the lesson has {}, from 1", options.stop, read->stops.size()));
    return kBadInput;
  }
  options.window.window.inputs = {is_built_in ? "sample:lesson/" + options.lesson : options.lesson};
  options.window.window.lesson_stop = options.stop - 1;
  return run_open(std::move(options.window));
}

}  // namespace nns::cli
