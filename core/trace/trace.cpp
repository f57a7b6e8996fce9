#include "core/trace/trace.h"

#include <algorithm>

namespace nns::trace {

namespace {

// A word of contents_ that begins a whole content has this bit; otherwise it begins a difference.
constexpr std::uint64_t kWhole = std::uint64_t{1} << 63U;
// After so many differences a content is kept whole again.
constexpr std::uint64_t kMostDifferences = 24;
constexpr std::size_t kDifferenceWords = 4;

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

bool Trace::push(const Event& event) {
  if (is_full_) return false;
  // The size of what grows is looked at now and then; one event adds little.
  constexpr EventId kOften = 0x3FF;
  if (events_.size() + 1 >= limits_.events || ((events_.size() & kOften) == 0 && bytes() > limits_.bytes)) {
    is_full_ = true;
    return false;
  }
  events_.push_back(event);
  return true;
}

void Trace::end(std::uint64_t left_out) {
  left_out_ = left_out;
  if (!events_.empty() && events_.back().kind == EventKind::End) return;
  Event last = events_.empty() ? Event{} : events_.back();
  last.kind = EventKind::End;
  last.payload = kNone;
  events_.push_back(last);
}

TextId Trace::add_text(std::string_view text) {
  if (const auto found = text_ids_.find(text); found != text_ids_.end()) return found->second;
  const auto id = static_cast<TextId>(texts_.size());
  texts_.emplace_back(text);
  text_ids_.emplace(texts_.back(), id);
  text_bytes_ += text.size() + sizeof(std::string) + 2 * sizeof(void*) + sizeof(std::string_view) + sizeof(TextId);
  return id;
}

TextId Trace::add_value_text(std::string_view text) {
  if (text.size() <= limits_.text_bytes) return add_text(text);
  std::size_t end = limits_.text_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return add_text(std::string(text.substr(0, end)) + "…");
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
    slots_.resize(slots_.size() + slots);
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

std::size_t Trace::store_whole(std::span<const Shown> fields, std::uint64_t total) {
  const std::size_t place = contents_.size();
  contents_.push_back(kWhole | fields.size());
  contents_.push_back(total);
  for (const Shown& field : fields) contents_.push_back(field.bits());
  return place;
}

void Trace::resolve(std::size_t place, Content& into) const {
  // Differences from the newest to the oldest: the first one about a field decides.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> changes;
  into.total = contents_[place + 1];
  while ((contents_[place] & kWhole) == 0) {
    changes.emplace_back(contents_[place + 2], contents_[place + 3]);
    place = static_cast<std::size_t>(contents_[place] & UINT32_MAX);
  }
  const auto count = static_cast<std::size_t>(contents_[place] & ~kWhole);
  into.fields.clear();
  for (std::size_t i = 0; i < count; ++i) into.fields.push_back(Shown::from_bits(contents_[place + 2 + i]));
  for (std::size_t i = changes.size(); i-- > 0;) {
    const auto [at, bits] = changes[i];
    if (at == kNone) continue;
    if (at >= into.fields.size()) into.fields.resize(static_cast<std::size_t>(at) + 1);
    into.fields[static_cast<std::size_t>(at)] = Shown::from_bits(bits);
  }
}

Content Trace::content(Histories::Head version) const {
  Content content;
  if (version != 0) resolve(static_cast<std::size_t>(histories_.value(version).bits()), content);
  return content;
}

void Trace::write_content(ObjectId id, std::span<const Shown> fields, std::uint64_t total, EventId since) {
  Object& object = objects_[id];
  if (object.head == 0) {
    histories_.add(object.head, since, Shown::from_bits(store_whole(fields, total)));
    return;
  }
  since = std::max(since, histories_.since(object.head));
  const auto last = static_cast<std::size_t>(histories_.value(object.head).bits());
  resolve(last, compared_);
  const std::vector<Shown>& before = compared_.fields;
  // How many fields differ, and the last of them.
  std::size_t differing = 0;
  std::uint64_t where = kNone;
  if (fields.size() == before.size() || fields.size() == before.size() + 1) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i < before.size() && fields[i] == before[i]) continue;
      ++differing;
      where = i;
    }
  } else {
    differing = SIZE_MAX;
  }
  if (differing == 0 && total == compared_.total) return;
  const bool is_whole = (contents_[last] & kWhole) != 0;
  const std::uint64_t length = is_whole ? 0 : contents_[last] >> 32U;
  std::size_t place = 0;
  if (differing <= 1 && fields.size() > kDifferenceWords && length < kMostDifferences && last < UINT32_MAX) {
    place = contents_.size();
    contents_.push_back(((length + 1) << 32U) | last);
    contents_.push_back(total);
    contents_.push_back(where);
    contents_.push_back(where == kNone ? 0 : fields[static_cast<std::size_t>(where)].bits());
  } else {
    place = store_whole(fields, total);
  }
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

Position Trace::position(const Event& event) const {
  if (event.frame == kNone) return {};
  // A module's own call has no source: where it was called from.
  const Frame* at = &frames_[event.frame];
  std::uint32_t instruction = event.instruction;
  while (at->kind == FrameKind::ModuleCall) {
    if (at->parent == kNone) return {};
    instruction = at->call_instruction;
    at = &frames_[at->parent];
  }
  const Code& code = codes_[at->code];
  return instruction < code.positions.size() ? code.positions[instruction] : Position{};
}

FileId Trace::file_of(const Event& event) const {
  if (event.frame == kNone) return kNone;
  const Frame* at = &frames_[event.frame];
  while (at->kind == FrameKind::ModuleCall) {
    if (at->parent == kNone) return kNone;
    at = &frames_[at->parent];
  }
  return codes_[at->code].file;
}

std::uint32_t Trace::line_of(const Event& event) const {
  const FileId file = file_of(event);
  return file == kNone ? 0 : files_[file].line_of(position(event).begin);
}

std::uint64_t Trace::bytes() const {
  return events_.capacity() * sizeof(Event) + object_events_.capacity() * sizeof(ObjectEvent) +
         frames_.capacity() * sizeof(Frame) + slots_.capacity() * sizeof(Histories::Head) +
         objects_.capacity() * sizeof(Object) + histories_.bytes() + contents_.capacity() * sizeof(std::uint64_t) +
         output_.capacity() * sizeof(Output) + text_bytes_ + code_bytes_;
}

}  // namespace nns::trace
