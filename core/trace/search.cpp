#include "core/trace/search.h"

#include <algorithm>

namespace nns::trace {

namespace {

bool is_stop(EventKind kind) {
  switch (kind) {
    case EventKind::Statement:
    case EventKind::Return:
    case EventKind::Raise:
    case EventKind::ModuleCall:
    case EventKind::HookFired:
    case EventKind::End:
      return true;
    default:
      return false;
  }
}

bool is_library(const Trace& trace, const Event& event) {
  const FileId file = trace.file_of(event);
  return file != kNone && trace.files()[file].is_library;
}

bool is_change_of_registry(EventKind kind) {
  return kind == EventKind::RegistryChanged || kind == EventKind::HookRegistered || kind == EventKind::HookRemoved;
}

class Lines {
 public:
  Lines(const Trace& trace, const Breakpoints& breakpoints) : trace_(trace), breakpoints_(breakpoints) {}

  bool stop_at(const Event& event) const {
    if (event.kind != EventKind::Statement || breakpoints_.lines.empty()) return false;
    const FileId file = trace_.file_of(event);
    const bool is_in_file = std::any_of(breakpoints_.lines.begin(), breakpoints_.lines.end(),
                                        [file](const Breakpoints::Line& line) { return line.file == file; });
    if (!is_in_file) return false;
    const std::uint32_t here = trace_.line_of(event);
    return std::any_of(breakpoints_.lines.begin(), breakpoints_.lines.end(),
                       [&](const Breakpoints::Line& line) { return line.file == file && line.line == here; });
  }

 private:
  const Trace& trace_;
  const Breakpoints& breakpoints_;
};

}  // namespace

EventId step_from(const Trace& trace, EventId from, Step step, Direction direction) {
  const EventId last = trace.size() - 1;
  const bool is_forward = direction == Direction::Forward;
  const Event& start = trace.event(from);
  const bool enters_library = is_library(trace, start);
  const std::uint32_t line = trace.line_of(start);
  EventId at = from;
  while (is_forward ? at < last : at > 0) {
    at = is_forward ? at + 1 : at - 1;
    const Event& event = trace.event(at);
    if (step == Step::Event) return at;
    if (!is_stop(event.kind)) continue;
    if (step == Step::Out) {
      if (event.depth < start.depth) return at;
      continue;
    }
    if (step != Step::Into && event.depth > start.depth) continue;
    if (step == Step::Line &&
        (event.kind != EventKind::Statement ||
         (event.depth == start.depth && event.frame == start.frame && trace.line_of(event) == line))) {
      if (event.kind != EventKind::End) continue;
    }
    if (!enters_library && is_library(trace, event)) continue;
    return at;
  }
  return at;
}

EventId find_stop(const Trace& trace, EventId from, Direction direction, const Breakpoints& breakpoints) {
  const Lines lines(trace, breakpoints);
  const bool is_forward = direction == Direction::Forward;
  EventId at = from;
  while (is_forward ? at + 1 < trace.size() : at > 0) {
    at = is_forward ? at + 1 : at - 1;
    const Event& event = trace.event(at);
    if (lines.stop_at(event)) return at;
    if (breakpoints.exceptions && event.kind == EventKind::Raise) return at;
    const bool is_wanted = (breakpoints.registry_changes && is_change_of_registry(event.kind)) ||
                           (breakpoints.hook_fires && event.kind == EventKind::HookFired) ||
                           (breakpoints.module_calls && event.kind == EventKind::ModuleCall) ||
                           (breakpoints.attribute_changes &&
                            (event.kind == EventKind::AttributeSet || event.kind == EventKind::AttributeDeleted));
    if (!is_wanted) continue;
    if (breakpoints.object == kNone || trace.object_event(event.payload).object == breakpoints.object) return at;
  }
  return kNone;
}

std::vector<std::uint32_t> overview(const Trace& trace, std::size_t parts) {
  std::vector<std::uint32_t> seen(parts, 0);
  const std::uint64_t size = trace.size();
  for (EventId at = 0; at < size; ++at) {
    const auto part = static_cast<std::size_t>(std::uint64_t{at} * parts / size);
    seen[part] |= 1U << static_cast<std::uint32_t>(trace.event(at).kind);
  }
  return seen;
}

}  // namespace nns::trace
