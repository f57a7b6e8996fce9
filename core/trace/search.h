#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/trace/trace.h"

/// Ways through a recording.
namespace nns::trace {

enum class Direction : std::uint8_t { Forward, Back };

enum class Step : std::uint8_t {
  /// The next event, whatever it is.
  Event,
  /// The next statement, return, exception, call of a module or hook, in whichever frame of the program's own files
  /// (of all files from within others).
  Into,
  /// The same in this frame, or where it leads back to.
  Over,
  /// The first behind this frame's end; backwards the call of this frame.
  Out,
  /// The next statement of another line of the same frame or of those around it.
  Line,
};

/// Where that step leads from `from`; the last or first event if there is no further one.
/// Must hold: from < trace.size(). Cost: what lies between.
EventId step_from(const Trace& trace, EventId from, Step step, Direction direction);

/// What to stop at.
struct Breakpoints {
  struct Line {
    FileId file = kNone;
    std::uint32_t line = 0;
  };
  std::vector<Line> lines;
  bool registry_changes = false;
  bool hook_fires = false;
  bool exceptions = false;
  bool module_calls = false;
  bool attribute_changes = false;
  /// Only events of this object, of those above that are about one.
  ObjectId object = kNone;

  bool empty() const {
    return lines.empty() && !registry_changes && !hook_fires && !exceptions && !module_calls && !attribute_changes;
  }
};

/// The nearest event in that direction that one of the breakpoints stops at; kNone: there is none.
EventId find_stop(const Trace& trace, EventId from, Direction direction, const Breakpoints& breakpoints);

/// What happens in each of `parts` equal parts of the recording: one bit for each EventKind, 1 << kind.
std::vector<std::uint32_t> overview(const Trace& trace, std::size_t parts);

}  // namespace nns::trace
