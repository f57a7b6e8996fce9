#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace nns::trace {

/// A name with what it was bound to.
struct NameView {
  std::string name;
  Shown value;
  bool has_changed = false;
};

/// One frame of the stack.
struct FrameView {
  FrameId id = kNone;
  FrameKind kind = FrameKind::Python;
  /// "Net.forward", "<module>", "Linear.__call__".
  std::string name;
  FileId file = kNone;
  std::uint32_t line = 0;
  Position position;
  bool is_library = false;
  /// Of a ModuleCall.
  ObjectId object = kNone;
  std::vector<NameView> names;
  /// Names that were left out.
  std::size_t names_left_out = 0;
};

struct FieldView {
  /// Absent where the entries have no keys.
  Shown key;
  Shown value;
  bool has_changed = false;
};

/// One object as it was.
struct ObjectView {
  ObjectId id = kNone;
  ObjectKind kind = ObjectKind::Other;
  std::string class_name;
  ObjectId cls = kNone;
  std::vector<FieldView> fields;
  /// Entries that there were, of which `fields` has the first.
  std::uint64_t total = 0;
  bool has_changed = false;
};

/// A hook that runs.
struct RunningHook {
  ObjectId object = kNone;
  TextId table = kNone;
  std::int64_t id = 0;
};

/// What there was at one moment.
struct Moment {
  EventId event = 0;
  EventKind kind = EventKind::Statement;
  /// The innermost first.
  std::vector<FrameView> frames;
  std::size_t frames_left_out = 0;
  /// What the names lead to, the nearest first.
  std::vector<ObjectView> objects;
  /// Whether more hang on these.
  bool has_more_objects = false;
  std::uint64_t output = 0;
  /// The hooks that run, the innermost first.
  std::vector<RunningHook> hooks;
};

struct MomentOptions {
  /// Changes behind this moment and up to the one asked for are marked.
  EventId since = 0;
  std::size_t frames = 100;
  std::size_t names = 300;
  std::size_t objects = 160;
  /// Objects whose entries are followed although their kind is not: classes, functions, modules of Python.
  std::span<const ObjectId> expanded;
};

/// Everything at that moment. Must hold: event < trace.size().
/// Cost: what it shows, times the logarithm of the events.
Moment moment_at(const Trace& trace, EventId event, const MomentOptions& options = {});

/// One object at that moment; nothing was known of it: no fields. Must hold: it is one of the trace's.
ObjectView object_at(const Trace& trace, ObjectId id, EventId event, EventId since = kNone);

/// The value on one line: `3`, `'text'`, `Linear`, `list of 3`, `tensor float32 [2, 3]`.
std::string one_line(const Trace& trace, Shown value, EventId event);

/// A class in the order in which attributes are looked up, from the object's own class on: what each has of its own.
struct LookupStep {
  ObjectId cls = kNone;
  std::string class_name;
  std::vector<FieldView> attributes;
};
/// Empty for an object that is no instance of a class that was looked into.
std::vector<LookupStep> lookup_order(const Trace& trace, ObjectId object, EventId event);

}  // namespace nns::trace
