#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/trace/history.h"

/// What a program did, as columns that answer for any moment of it.
namespace nns::trace {

using FileId = std::uint32_t;
using CodeId = std::uint32_t;
using FrameId = std::uint32_t;
using ObjectId = std::uint32_t;
using TextId = std::uint32_t;
using EventId = std::uint32_t;

inline constexpr std::uint32_t kNone = UINT32_MAX;

enum class EventKind : std::uint8_t {
  /// A statement is about to run.
  Statement,
  /// A function, class body or module begins.
  Call,
  /// It returns; Frame::returned says what.
  Return,
  Yield,
  Resume,
  /// An exception passes a frame; the payload is its text.
  Raise,
  /// A module's __call__ begins and ends. The payload of these and of the next six is an ObjectEvent.
  ModuleCall,
  ModuleReturn,
  HookFired,
  HookRegistered,
  HookRemoved,
  AttributeSet,
  AttributeDeleted,
  RegistryChanged,
  /// The program has ended, or the recording is full.
  End,
};

/// Where a moment's event came from.
struct Event {
  EventKind kind = EventKind::Statement;
  /// Frames below this one.
  std::uint16_t depth = 0;
  FrameId frame = kNone;
  /// Of the frame's code: the statement that runs.
  std::uint32_t instruction = 0;
  /// What the kind says.
  std::uint32_t payload = kNone;
};

/// What happened to a module.
struct ObjectEvent {
  ObjectId object = kNone;
  /// The name or the registry's or table's key; for RegistryChanged the registry.
  TextId table = kNone;
  /// The attribute's name.
  TextId name = kNone;
  /// The class of the value that was set.
  TextId value_class = kNone;
  /// A hook's id; for AttributeSet and AttributeDeleted an events::Place, for RegistryChanged an
  /// events::RegistryChanged::Change; for ModuleReturn whether it raised.
  std::int64_t number = 0;
};

struct Position {
  std::uint32_t begin = 0;  ///< bytes of the file's text
  std::uint32_t end = 0;
};

struct File {
  std::string name;
  std::string text;
  std::vector<std::uint32_t> line_begins;
  /// Part of nnscope itself and not of the program: its frames are stepped over unless somebody steps into them.
  bool is_library = false;

  /// From 1.
  std::uint32_t line_of(std::uint32_t byte) const;
};

/// A function's, class's or module's code.
struct Code {
  FileId file = kNone;
  std::string name;
  std::string qualified_name;
  std::uint32_t first_line = 0;
  /// Names of slots: locals (parameters first), then cells, then cells of functions around.
  std::vector<std::string> slots;
  std::uint32_t parameters = 0;
  /// One for each instruction.
  std::vector<Position> positions;
  bool is_function = false;
};

enum class FrameKind : std::uint8_t { Python, ModuleCall };

/// One activation of a Code, or the __call__ of a module that is not one of the program's functions.
struct Frame {
  FrameKind kind = FrameKind::Python;
  CodeId code = kNone;
  FrameId parent = kNone;
  /// Of the parent, when this frame began.
  std::uint32_t call_instruction = 0;
  EventId entered = 0;
  EventId left = kNone;
  /// The first of its slots in Trace::slot(); of a frame whose names lie in a dict, its Scope.
  std::uint32_t first_slot = kNone;
  std::uint32_t scope = kNone;
  /// Of a ModuleCall: the module.
  ObjectId object = kNone;
  Shown returned;
};

/// Names that live in a dict: of a module or a class body.
struct Scope {
  struct Entry {
    TextId name;
    Histories::Head head;
  };
  std::vector<Entry> entries;
  std::unordered_map<TextId, std::uint32_t> places;
};

enum class ObjectKind : std::uint8_t {
  Other,
  List,
  Tuple,
  Dict,
  Set,
  Instance,
  Module,
  Tensor,
  Class,
  Function,
  Method,
  PythonModule,
};

/// An object as far as it was looked into. Its Content lies in a history, by place in the contents.
struct Object {
  ObjectKind kind = ObjectKind::Other;
  TextId class_name = kNone;
  /// Its class, if that is one of the program's; kNone otherwise.
  ObjectId cls = kNone;
  EventId first_seen = 0;
  Histories::Head head = 0;
};

/// What an object held: keys and values alternate in dicts, instances, modules, classes; a Tensor's are TensorField.
struct Content {
  std::vector<Shown> fields;
  /// Entries that there were, of which `fields` may hold only the first.
  std::uint64_t total = 0;
};

/// What the fields of a Tensor mean; behind them stand its first values.
enum class TensorField : std::uint8_t {
  Dtype,
  Shape,
  Device,
  RequiresGrad,
  IsParameter,
  Grad,
  GradFunction,
  Version,
  Storage,
  Offset,
  Count,
};

/// Whether the entries of an object have keys.
bool has_keys(ObjectKind kind);

/// Texts by number, each kept once it is added.
class Texts {
 public:
  TextId add(std::string_view text);
  std::string_view text(TextId id) const { return {places_[id].begin, places_[id].size}; }
  std::size_t size() const { return places_.size(); }
  std::uint64_t bytes() const { return places_.bytes() + bytes_; }

 private:
  struct Place {
    const char* begin = nullptr;
    std::size_t size = 0;
  };
  Chunks<Place> places_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t left_ = 0;
  char* next_ = nullptr;
  std::uint64_t bytes_ = 0;
};

struct Limits {
  EventId events = 4'000'000;
  std::uint64_t bytes = std::uint64_t{512} << 20U;
  /// Of a text that is kept as a value.
  std::size_t text_bytes = 400;
  /// Entries of a list, dict or set that are kept; of an instance, module or class the second.
  std::size_t entries = 64;
  std::size_t attributes = 400;
};

/// A recording: written at its end, asked for any moment. The moment `e` is when the events up to and with `e` have
/// happened. Threads: one.
class Trace {
 public:
  explicit Trace(Limits limits = {}) : limits_(limits) { texts_.add({}); }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace() = default;

  // ---- what there is
  const Limits& limits() const { return limits_; }
  EventId size() const { return static_cast<EventId>(events_.size()); }
  const Event& event(EventId id) const { return events_[id]; }
  const std::deque<File>& files() const { return files_; }
  const Code& code(CodeId id) const { return codes_[id]; }
  const Frame& frame(FrameId id) const { return frames_[id]; }
  const Object& object(ObjectId id) const { return objects_[id]; }
  std::size_t object_count() const { return objects_.size(); }
  const ObjectEvent& object_event(std::uint32_t payload) const { return object_events_[payload]; }
  std::string_view text(TextId id) const { return texts_.text(id); }
  const Histories& histories() const { return histories_; }
  Histories::Head slot(const Frame& frame, std::uint32_t number) const { return slots_[frame.first_slot + number]; }
  const Scope& scope(std::uint32_t id) const { return scopes_[id]; }
  /// What the object held in that version of its history.
  Content content(ObjectKind kind, Histories::Head version) const;
  /// Bytes that the program had written to its output at that moment.
  std::uint64_t output_at(EventId event) const;
  /// The file and bytes of the statement that an event belongs to.
  Position position(const Event& event) const;
  FileId file_of(const Event& event) const;
  std::uint32_t line_of(const Event& event) const;

  /// Whether no more is taken; what happened after that is only counted.
  bool is_full() const { return is_full_; }
  /// Statements that ran after it was full.
  std::uint64_t left_out() const { return left_out_; }
  std::uint64_t bytes() const;

  // ---- writing
  /// The next event's number: what is written before it is pushed holds from then on.
  EventId next() const { return size(); }
  /// False: the recording is full and takes nothing more.
  bool push(const Event& event) {
    if (is_full_) return false;
    // The size of what grows is looked at now and then; one event adds little.
    constexpr EventId kOften = 0x3FF;
    if ((events_.size() & kOften) == 0 && bytes() > limits_.bytes) is_full_ = true;
    if (events_.size() + 1 >= limits_.events) is_full_ = true;
    if (!is_full_) events_.push_back(event);
    return !is_full_;
  }
  void end(std::uint64_t left_out);
  TextId add_text(std::string_view text);
  /// The text cut to limits().text_bytes, between two characters. Texts that come again soon get the same number.
  TextId add_value_text(std::string_view text);
  FileId add_file(std::string name, std::string text, bool is_library);
  CodeId add_code(Code code);
  FrameId add_frame(const Frame& frame, std::size_t slots);
  Frame& frame_to_change(FrameId id) { return frames_[id]; }
  ObjectId add_object(const Object& object);
  Object& object_to_change(ObjectId id) { return objects_[id]; }
  std::uint32_t add_scope();
  void write_slot(std::uint32_t first_slot, std::uint32_t number, Shown value) {
    histories_.add(slots_[first_slot + number], next(), value);
  }
  void write_name(std::uint32_t scope, TextId name, Shown value);
  /// What an object holds from `since` on, if that is news. `fields`: at most as many as the limits allow.
  void write_content(ObjectId object, std::span<const Shown> fields, std::uint64_t total, EventId since);
  /// One entry of an object is `value` from `since` on: of a list the one at that index, of what has keys that of that
  /// key; a new one goes to the end. `total`: entries that there are then.
  /// False: the object has to be looked into as a whole (write_content).
  bool write_entry(ObjectId object, Shown key, Shown value, std::uint64_t total, EventId since);
  std::uint32_t add_object_event(const ObjectEvent& event);
  void write_output(std::uint64_t bytes);

 private:
  struct Place {
    FrameId frame;
    std::uint32_t instruction;
  };
  std::optional<Place> place_of(const Event& event) const;
  // The words of contents_. A whole content: kWhole and how many fields, total, fields. A difference: its number in
  // the chain and the place of what it differs from, total, the key or the index, the value.
  void resolve(std::size_t place, Content& into, bool keys) const;
  // What a difference does to a content.
  static void change(Content& content, Shown key, Shown value, bool keys);
  void append_whole(std::span<const Shown> fields, std::uint64_t total);
  // Whether the content at that place is this one.
  bool holds(std::size_t place, bool keys, std::span<const Shown> fields, std::uint64_t total);

  Limits limits_;
  Chunks<Event> events_;
  Chunks<ObjectEvent> object_events_;
  std::deque<File> files_;
  std::deque<Code> codes_;
  Chunks<Frame> frames_;
  Chunks<Histories::Head> slots_;
  std::deque<Scope> scopes_;
  Chunks<Object> objects_;
  Histories histories_;
  Chunks<std::uint64_t> contents_;
  Texts texts_;
  std::unordered_map<std::string_view, TextId> text_ids_;
  struct Output {
    EventId event;
    std::uint64_t total;
  };
  // The numbers of texts that came last, by a hash.
  static constexpr std::size_t kRecent = 4096;
  std::vector<TextId> recent_ = std::vector<TextId>(kRecent, 0);
  // The same of add_text, by where a text lies and how long it is: most come from one place each.
  std::vector<TextId> recent_names_ = std::vector<TextId>(kRecent, 0);
  std::vector<Output> output_;
  std::uint64_t output_total_ = 0;
  std::uint64_t code_bytes_ = 0;
  bool is_full_ = false;
  std::uint64_t left_out_ = 0;
  Content compared_;
};

}  // namespace nns::trace
