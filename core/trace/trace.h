#pragma once

#include <algorithm>
#include <array>
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
    Head head;
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

/// An object as far as it was looked into.
struct Object {
  ObjectKind kind = ObjectKind::Other;
  /// Changes since its content was kept whole.
  std::uint8_t changes = 0;
  /// How many fields that has, and where they lie. 0: too many are there.
  std::uint16_t whole_fields = 0;
  std::uint32_t whole = 0;
  TextId class_name = kNone;
  /// Its class, if that is one of the program's; kNone otherwise.
  ObjectId cls = kNone;
  /// In Trace::object_histories().
  Head head = 0;
};

/// How what an object holds differs from what it held before.
struct Change {
  enum class Kind : std::uint8_t {
    /// Nothing of that is left: there are `field` fields, which lie where `value` says.
    Whole,
    /// The same of what cannot be counted here: in front of the fields lie how many there are, and the total.
    LargeWhole,
    /// The field number `field` is `value`; behind the last one it is new.
    Field,
    /// A key lies where `value` says, and then its value; the key may be new.
    Entry,
    /// Items of a list from `field` on move back to make room for `value`, or forward over that one, which goes.
    Inserted,
    Removed,
    /// Only the number of entries is another.
    Length,
  };
  Kind kind = Kind::Whole;
  std::uint16_t field = 0;
  /// Entries that there are now, as far as that can be counted here.
  std::uint32_t total = 0;
  Shown value;
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
  /// What names were bound to.
  const Histories<Shown>& histories() const { return histories_; }
  Head slot(const Frame& frame, std::uint32_t number) const { return slots_[frame.first_slot + number]; }
  const Scope& scope(std::uint32_t id) const { return scopes_[id]; }
  /// What objects held.
  const Histories<Change>& object_histories() const { return object_histories_; }
  Content content(Head version) const;
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
    if (events_.size() >= room_ && !make_room()) [[unlikely]]
      return false;
    events_.push_back(event);
    return true;
  }
  void end(std::uint64_t left_out);
  TextId add_text(std::string_view text);
  /// The text cut to limits().text_bytes, between two characters. Texts that come again soon get the same number.
  TextId add_value_text(std::string_view text);
  /// The same for a text of at most limits().text_bytes; `hash` is equal for equal texts.
  TextId add_value_text(std::string_view text, std::uint64_t hash);
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
  // The next five tell what has changed from `since` on; `total`: entries that there are then.
  // False: the object has to be looked into as a whole (write_content).
  /// The item of a list at that index; a new one goes to the end.
  bool write_item(ObjectId object, std::size_t index, Shown value, std::uint64_t total, EventId since) {
    return change(objects_[object], Change::Kind::Field, index, value, total, since);
  }
  /// Only the number of entries.
  bool write_length(ObjectId object, std::uint64_t total, EventId since) {
    return change(objects_[object], Change::Kind::Length, 0, {}, total, since);
  }
  /// A list has one item more or less than it had, at that index of it as it was with the item.
  bool write_inserted(ObjectId object, std::size_t index, Shown value, std::uint64_t total, EventId since);
  bool write_removed(ObjectId object, std::size_t index, std::uint64_t total, EventId since);
  /// The entry with that key of an object that has keys; a new one goes to the end. `place`: which one of the entries
  /// it probably is.
  bool write_entry(ObjectId id, Shown key, Shown value, std::uint64_t total, EventId since,
                   std::size_t place = kNoPlace) {
    Object& object = objects_[id];
    if (object.head == 0) return false;
    // Mostly an entry that was there already when the object was kept whole.
    const std::size_t field = 2 * place;
    if (object_histories_.content(object.head).total == total && field < object.whole_fields &&
        contents_[object.whole + field] == key) {
      return change(object, Change::Kind::Field, field + 1, value, total, since);
    }
    const std::size_t at = contents_.size();
    contents_.append(std::array{key, value});
    return change(object, Change::Kind::Entry, 0, Shown::from_bits(at), total, since);
  }
  static constexpr std::size_t kNoPlace = SIZE_MAX / 2;
  std::uint32_t add_object_event(const ObjectEvent& event);
  void write_output(std::uint64_t bytes);

 private:
  struct Place {
    FrameId frame;
    std::uint32_t instruction;
  };
  std::optional<Place> place_of(const Event& event) const;
  // After so many changes a content is kept whole again.
  static constexpr std::size_t kMostChanges = 48;

  // Whether there is room for more events: is asked now and then, because one event adds little.
  bool make_room();
  void resolve(Head version, Content& into) const;
  void read_fields(std::size_t place, std::size_t count, std::vector<Shown>& into) const;
  // What a change does to a content.
  void apply(const Change& change, Content& content) const;
  bool change(Object& object, Change::Kind kind, std::size_t field, Shown value, std::uint64_t total, EventId since) {
    // The largest total stands for all that are larger.
    if (object.head == 0 || total >= UINT32_MAX || field > UINT16_MAX) [[unlikely]]
      return false;
    if (since < next()) since = std::max(since, object_histories_.since(object.head));
    const Change change{kind, static_cast<std::uint16_t>(field), static_cast<std::uint32_t>(total), value};
    if (object.changes + 1U == kMostChanges) [[unlikely]] {
      make_whole(object, change, since);
    } else {
      ++object.changes;
      object_histories_.add(object.head, since, change);
    }
    return true;
  }
  // The change is made, and the content kept whole.
  void make_whole(Object& object, const Change& change, EventId since);
  void add_whole(Object& object, std::span<const Shown> fields, std::uint64_t total, EventId since);
  // Whether the object's newest content is this one.
  bool holds(const Object& object, std::span<const Shown> fields, std::uint64_t total);

  Limits limits_;
  Chunks<Event> events_;
  // So many events are taken before the limits are looked at again.
  std::size_t room_ = 0;
  Chunks<ObjectEvent> object_events_;
  std::deque<File> files_;
  std::deque<Code> codes_;
  Chunks<Frame> frames_;
  Chunks<Head> slots_;
  std::deque<Scope> scopes_;
  Chunks<Object> objects_;
  Histories<Shown> histories_;
  Histories<Change> object_histories_;
  Chunks<Shown> contents_;
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
