#include "core/trace/trace.h"

#include <algorithm>
#include <array>
#include <functional>

#include "core/base/utf8.h"

namespace nns::trace {

namespace {

// As a Change keeps it: the largest number stands for all that are not smaller.
std::uint32_t counted(std::uint64_t total) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(total, UINT32_MAX));
}

}  // namespace

std::uint32_t File::line_of(std::uint32_t byte) const {
  const auto behind = std::upper_bound(line_begins.begin(), line_begins.end(), byte);
  return static_cast<std::uint32_t>(behind - line_begins.begin());
}

bool has_keys(ObjectKind kind) {
  return kind == ObjectKind::Dict || kind == ObjectKind::Instance || kind == ObjectKind::Module ||
         kind == ObjectKind::Class || kind == ObjectKind::Function || kind == ObjectKind::Method ||
         kind == ObjectKind::PythonModule;
}

bool Trace::make_room() {
  constexpr std::size_t kOften = 0x400;
  const std::size_t size = events_.size();
  const std::uint64_t bytes_when_asked = bytes() + histories_.bytes_to_come() + object_histories_.bytes_to_come();
  is_full_ = is_full_ || bytes_when_asked > limits_.bytes || size + 1 >= limits_.events;
  if (!is_full_) room_ = std::min<std::size_t>((size / kOften + 1) * kOften, limits_.events - 1);
  return !is_full_;
}

void Trace::end(std::uint64_t left_out) {
  left_out_ = left_out;
  if (!events_.empty() && events_.back().kind == EventKind::End) return;
  Event last = events_.empty() ? Event{} : events_.back();
  last.kind = EventKind::End;
  last.payload = kNone;
  events_.push_back(last);
}

TextId Texts::add(std::string_view text) {
  constexpr std::size_t kBlock = std::size_t{1} << 16U;
  if (text.size() > left_) {
    left_ = std::max(kBlock, text.size());
    blocks_.emplace_back(new char[left_]);
    next_ = blocks_.back().get();
    bytes_ += left_;
  }
  std::copy(text.begin(), text.end(), next_);
  places_.push_back({next_, text.size()});
  next_ += text.size();
  left_ -= text.size();
  return static_cast<TextId>(places_.size() - 1);
}

TextId Trace::add_text(std::string_view text) {
  const std::size_t at = (reinterpret_cast<std::uintptr_t>(text.data()) >> 3U) + text.size();
  TextId& recent = recent_names_[at % kRecent];
  if (texts_.text(recent) == text) return recent;
  if (const auto found = text_ids_.find(text); found != text_ids_.end()) return recent = found->second;
  recent = texts_.add(text);
  text_ids_.emplace(texts_.text(recent), recent);
  return recent;
}

TextId Trace::add_value_text(std::string_view text, std::uint64_t hash) {
  // There is one of those from the beginning.
  if (text.empty()) return 0;
  TextId& recent = recent_[static_cast<std::size_t>(hash % kRecent)];
  if (texts_.text(recent) != text) recent = texts_.add(text);
  return recent;
}

TextId Trace::add_value_text(std::string_view text) {
  const std::hash<std::string_view> hash;
  if (text.size() <= limits_.text_bytes) return add_value_text(text, hash(text));
  const std::string cut = std::string(base::first_utf8(text, limits_.text_bytes)) + "…";
  return add_value_text(cut, hash(cut));
}

FileId Trace::add_file(std::string name, std::string text, bool is_library) {
  File& file = files_.emplace_back();
  file.name = std::move(name);
  file.text = std::move(text);
  file.is_library = is_library;
  file.line_begins.push_back(0);
  for (std::size_t at = 0; at < file.text.size(); ++at) {
    if (file.text[at] == '\n') file.line_begins.push_back(static_cast<std::uint32_t>(at + 1));
  }
  code_bytes_ += file.text.size() + file.line_begins.size() * sizeof(std::uint32_t);
  return static_cast<FileId>(files_.size() - 1);
}

CodeId Trace::add_code(Code code) {
  code_bytes_ += code.positions.size() * sizeof(Position) + sizeof(Code);
  codes_.push_back(std::move(code));
  return static_cast<CodeId>(codes_.size() - 1);
}

FrameId Trace::add_frame(const Frame& frame, std::size_t slots) {
  frames_.push_back(frame);
  if (slots != 0) {
    frames_.back().first_slot = static_cast<std::uint32_t>(slots_.size());
    slots_.append(slots, 0);
  }
  return static_cast<FrameId>(frames_.size() - 1);
}

ObjectId Trace::add_object(const Object& object) {
  objects_.push_back(object);
  return static_cast<ObjectId>(objects_.size() - 1);
}

std::uint32_t Trace::add_scope() {
  scopes_.emplace_back();
  return static_cast<std::uint32_t>(scopes_.size() - 1);
}

void Trace::write_name(std::uint32_t scope_id, TextId name, Shown value) {
  Scope& scope = scopes_[scope_id];
  const auto [place, is_new] = scope.places.emplace(name, static_cast<std::uint32_t>(scope.entries.size()));
  if (is_new) scope.entries.push_back({name, 0});
  Head& head = scope.entries[place->second].head;
  if (head != 0 && histories_.content(head) == value) return;
  histories_.add(head, next(), value);
}

void Trace::read_fields(std::size_t place, std::size_t count, std::vector<Shown>& into) const {
  into.clear();
  while (count > 0) {
    const std::span<const Shown> run = contents_.run(place);
    const std::size_t some = std::min(run.size(), count);
    into.insert(into.end(), run.begin(), run.begin() + static_cast<std::ptrdiff_t>(some));
    place += some;
    count -= some;
  }
}

void Trace::apply(const Change& change, Content& content) const {
  std::vector<Shown>& fields = content.fields;
  const std::size_t at = change.field;
  content.total = change.total;
  switch (change.kind) {
    case Change::Kind::Whole:
      return read_fields(static_cast<std::size_t>(change.value.bits()), at, fields);
    case Change::Kind::LargeWhole: {
      const auto place = static_cast<std::size_t>(change.value.bits());
      content.total = contents_[place + 1].bits();
      return read_fields(place + 2, static_cast<std::size_t>(contents_[place].bits()), fields);
    }
    case Change::Kind::Field:
      if (at >= fields.size()) fields.resize(at + 1);
      fields[at] = change.value;
      return;
    case Change::Kind::Entry: {
      const auto place = static_cast<std::size_t>(change.value.bits());
      std::size_t entry = 0;
      while (entry < fields.size() && !(fields[entry] == contents_[place])) entry += 2;
      if (entry >= fields.size()) fields.resize(entry + 2);
      fields[entry] = contents_[place];
      fields[entry + 1] = contents_[place + 1];
      return;
    }
    case Change::Kind::Inserted:
      if (at > fields.size()) fields.resize(at);
      fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(at), change.value);
      if (fields.size() > limits_.entries) fields.pop_back();
      return;
    case Change::Kind::Removed:
      if (at < fields.size()) fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    case Change::Kind::Length:
      return;
  }
}

void Trace::resolve(Head version, Content& into) const {
  // From the newest to the oldest.
  std::array<const Change*, kMostChanges> changes{};
  std::size_t count = 0;
  const Change* change = &object_histories_.content(version);
  while (change->kind != Change::Kind::Whole && change->kind != Change::Kind::LargeWhole) {
    changes[count++] = change;
    version = object_histories_.previous(version);
    change = &object_histories_.content(version);
  }
  apply(*change, into);
  while (count-- > 0) {
    change = changes[count];
    // Most of them.
    if (change->kind == Change::Kind::Field && change->field < into.fields.size()) {
      into.fields[change->field] = change->value;
      into.total = change->total;
    } else {
      apply(*change, into);
    }
  }
}

Content Trace::content(Head version) const {
  Content content;
  if (version != 0) resolve(version, content);
  return content;
}

void Trace::add_whole(Object& object, std::span<const Shown> fields, std::uint64_t total, EventId since) {
  const bool is_large = fields.size() > UINT16_MAX || total >= UINT32_MAX;
  Change whole{is_large ? Change::Kind::LargeWhole : Change::Kind::Whole, 0, counted(total),
               Shown::from_bits(contents_.size())};
  if (is_large) {
    contents_.append(std::array{Shown::from_bits(fields.size()), Shown::from_bits(total)});
  } else {
    whole.field = static_cast<std::uint16_t>(fields.size());
  }
  object.changes = 0;
  object.whole = static_cast<std::uint32_t>(contents_.size());
  object.whole_fields = whole.field;
  contents_.append(fields);
  object_histories_.add(object.head, since, whole);
}

void Trace::make_whole(Object& object, const Change& change, EventId since) {
  // From what is known: the object need not be asked.
  resolve(object.head, compared_);
  apply(change, compared_);
  add_whole(object, compared_.fields, compared_.total, since);
}

bool Trace::write_inserted(ObjectId id, std::size_t index, Shown value, std::uint64_t total, EventId since) {
  Object& object = objects_[id];
  if (object.head == 0 || object_histories_.content(object.head).total + 1 != total) return false;
  if (index >= limits_.entries) return write_length(id, total, since);
  return change(object, Change::Kind::Inserted, index, value, total, since);
}

bool Trace::write_removed(ObjectId id, std::size_t index, std::uint64_t total, EventId since) {
  Object& object = objects_[id];
  // Of a longer list an item comes into sight.
  if (object.head == 0 || total >= limits_.entries || object_histories_.content(object.head).total != total + 1) {
    return false;
  }
  return change(object, Change::Kind::Removed, index, {}, total, since);
}

bool Trace::holds(const Object& object, std::span<const Shown> fields, std::uint64_t total) {
  const Change& last = object_histories_.content(object.head);
  if (last.total != counted(total)) return false;
  if (last.kind == Change::Kind::Whole) {
    if (last.field != fields.size()) return false;
    const std::span<const Shown> known = contents_.run(object.whole);
    if (known.size() >= fields.size()) return std::equal(fields.begin(), fields.end(), known.begin());
  }
  resolve(object.head, compared_);
  return compared_.total == total && compared_.fields.size() == fields.size() &&
         std::equal(fields.begin(), fields.end(), compared_.fields.begin());
}

void Trace::write_content(ObjectId id, std::span<const Shown> fields, std::uint64_t total, EventId since) {
  Object& object = objects_[id];
  if (object.head != 0) {
    since = std::max(since, object_histories_.since(object.head));
    if (holds(object, fields, total)) return;
  }
  add_whole(object, fields, total, since);
}

std::uint32_t Trace::add_object_event(const ObjectEvent& event) {
  object_events_.push_back(event);
  return static_cast<std::uint32_t>(object_events_.size() - 1);
}

void Trace::write_output(std::uint64_t bytes) {
  output_total_ += bytes;
  if (!output_.empty() && output_.back().event == next()) {
    output_.back().total = output_total_;
  } else {
    output_.push_back({next(), output_total_});
  }
}

std::uint64_t Trace::output_at(EventId event) const {
  const auto behind = std::upper_bound(output_.begin(), output_.end(), event,
                                       [](EventId at, const Output& output) { return at < output.event; });
  return behind == output_.begin() ? 0 : (behind - 1)->total;
}

// A module's own call has no source: where it was called from has.
std::optional<Trace::Place> Trace::place_of(const Event& event) const {
  Place place{event.frame, event.instruction};
  while (place.frame != kNone && frames_[place.frame].kind == FrameKind::ModuleCall) {
    place.instruction = frames_[place.frame].call_instruction;
    place.frame = frames_[place.frame].parent;
  }
  if (place.frame == kNone) return std::nullopt;
  return place;
}

Position Trace::position(const Event& event) const {
  const std::optional<Place> place = place_of(event);
  if (!place) return {};
  const std::vector<Position>& positions = codes_[frames_[place->frame].code].positions;
  return place->instruction < positions.size() ? positions[place->instruction] : Position{};
}

FileId Trace::file_of(const Event& event) const {
  const std::optional<Place> place = place_of(event);
  return place ? codes_[frames_[place->frame].code].file : kNone;
}

std::uint32_t Trace::line_of(const Event& event) const {
  const FileId file = file_of(event);
  return file == kNone ? 0 : files_[file].line_of(position(event).begin);
}

std::uint64_t Trace::bytes() const {
  return events_.bytes() + object_events_.bytes() + frames_.bytes() + slots_.bytes() + objects_.bytes() +
         histories_.bytes() + object_histories_.bytes() + contents_.bytes() + output_.capacity() * sizeof(Output) +
         texts_.bytes() + code_bytes_;
}

}  // namespace nns::trace
