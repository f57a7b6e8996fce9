#pragma once

#include <cstdint>
#include <string>

#include "native/cli/open_command.h"

namespace nns::cli {

struct LessonOptions {
  std::string lesson;  ///< the name of one that is built in, or a file; empty: they are listed
  std::uint32_t stop = 1;
  bool prints = false;  ///< its text, to begin one's own with
  OpenOptions window;
};

/// Shows a lesson in a window, or lists those that are built in. Returns an ExitStatus: kBadInput for a name that is
/// not there and a text that is no lesson, with the line.
int run_lesson(LessonOptions options);

}  // namespace nns::cli
