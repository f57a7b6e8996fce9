#include "core/trace/trace.h"

#include <algorithm>
#include <array>
#include <functional>

#include "core/base/utf8.h"

namespace nns::trace {

namespace {

// A word of contents_ that begins a whole content has this bit; otherwise it begins a difference.
constexpr std::uint64_t kWhole = std::uint64_t{1} << 63U;
// After so many differences a content is kept whole again.
constexpr std::size_t kMostDifferences = 48;

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

TextId Trace::add_value_text(std::string_view text) {
  const std::size_t hash = std::hash<std::string_view>()(text.substr(0, limits_.text_bytes));
  TextId& recent = recent_[hash % kRecent];
  if (text.size() <= limits_.text_bytes) {
    if (texts_.text(recent) != text) recent = texts_.add(text);
    return recent;
  }
  const std::string cut = std::string(base::first_utf8(text, limits_.text_bytes)) + "…";
  if (texts_.text(recent) != cut) recent = texts_.add(cut);
  return recent;
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
    for (std::size_t i = 0; i < slots; ++i) slots_.push_back(0);
  }
  return static_cast<FrameId>(frames_.size() - 1);
}

ObjectId Trace::add_object(const Object& object) {
  objects_.push_back(object);
  objects_.back().first_seen = next();
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
  Histories::Head& head = scope.entries[place->second].head;
  if (histories_.value(head) == value && head != 0) return;
  histories_.add(head, next(), value);
}

void Trace::change(Content& content, Shown key, Shown value, bool keys) {
  // Only the number of entries is another.
  if (key.is_absent()) return;
  if (!keys) {
    const auto at = static_cast<std::size_t>(key.as_int());
    if (at >= content.fields.size()) content.fields.resize(at + 1);
    content.fields[at] = value;
    return;
  }
  std::size_t at = 0;
  while (at < content.fields.size() && !(content.fields[at] == key)) at += 2;
  if (at >= content.fields.size()) content.fields.resize(at + 2);
  content.fields[at] = key;
  content.fields[at + 1] = value;
}

void Trace::resolve(std::size_t place, Content& into, bool keys) const {
  // Differences from the newest to the oldest.
  std::array<std::size_t, kMostDifferences> changes{};
  std::size_t count = 0;
  into.total = contents_[place + 1];
  while ((contents_[place] & kWhole) == 0) {
    changes[count++] = place;
    place = static_cast<std::size_t>(contents_[place] & UINT32_MAX);
  }
  const auto size = static_cast<std::size_t>(contents_[place] & ~kWhole);
  into.fields.clear();
  for (std::size_t i = 0; i < size; ++i) into.fields.push_back(Shown::from_bits(contents_[place + 2 + i]));
  while (count-- > 0) {
    change(into, Shown::from_bits(contents_[changes[count] + 2]), Shown::from_bits(contents_[changes[count] + 3]),
           keys);
  }
}

Content Trace::content(ObjectKind kind, Histories::Head version) const {
  Content content;
  if (version != 0) resolve(static_cast<std::size_t>(histories_.value(version).bits()), content, has_keys(kind));
  return content;
}

bool Trace::write_entry(ObjectId id, Shown key, Shown value, std::uint64_t total, EventId since) {
  Object& object = objects_[id];
  if (object.head == 0) return false;
  const auto last = static_cast<std::size_t>(histories_.value(object.head).bits());
  const std::uint64_t length = (contents_[last] & kWhole) != 0 ? 0 : contents_[last] >> 32U;
  const std::size_t place = contents_.size();
  if (length + 1 < kMostDifferences && last <= UINT32_MAX) {
    contents_.append(std::array{((length + 1) << 32U) | last, total, key.bits(), value.bits()});
  } else {
    // Whole again, from what is known: the object need not be asked.
    resolve(last, compared_, has_keys(object.kind));
    change(compared_, key, value, has_keys(object.kind));
    append_whole(compared_.fields, total);
  }
  histories_.add(object.head, std::max(since, histories_.since(object.head)), Shown::from_bits(place));
  return true;
}

bool Trace::holds(std::size_t place, bool keys, std::span<const Shown> fields, std::uint64_t total) {
  if (contents_[place + 1] != total) return false;
  const std::span<const std::uint64_t> words = contents_.run(place);
  if ((words[0] & kWhole) != 0 && words.size() >= 2 + fields.size()) {
    return (words[0] & ~kWhole) == fields.size() &&
           std::equal(fields.begin(), fields.end(), words.begin() + 2,
                      [](Shown field, std::uint64_t bits) { return field.bits() == bits; });
  }
  resolve(place, compared_, keys);
  return std::equal(fields.begin(), fields.end(), compared_.fields.begin(), compared_.fields.end());
}

void Trace::append_whole(std::span<const Shown> fields, std::uint64_t total) {
  contents_.append(std::array{kWhole | fields.size(), total});
  std::array<std::uint64_t, 32> words{};
  while (!fields.empty()) {
    const std::size_t some = std::min(fields.size(), words.size());
    std::transform(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(some), words.begin(),
                   [](Shown field) { return field.bits(); });
    contents_.append(std::span<const std::uint64_t>(words).first(some));
    fields = fields.subspan(some);
  }
}

void Trace::write_content(ObjectId id, std::span<const Shown> fields, std::uint64_t total, EventId since) {
  Object& object = objects_[id];
  if (object.head != 0) {
    since = std::max(since, histories_.since(object.head));
    const auto last = static_cast<std::size_t>(histories_.value(object.head).bits());
    if (holds(last, has_keys(object.kind), fields, total)) return;
  }
  const std::size_t place = contents_.size();
  append_whole(fields, total);
  histories_.add(object.head, since, Shown::from_bits(place));
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
         histories_.bytes() + contents_.bytes() + output_.capacity() * sizeof(Output) + texts_.bytes() + code_bytes_;
}

}  // namespace nns::trace
