#include "native/cli/event_file.h"

#include <array>
#include <variant>

namespace nns::cli {

namespace {

using EventPlace = events::Place;

std::string_view event_place_name(EventPlace place) {
  switch (place) {
    case EventPlace::Parameters:
      return "parameters";
    case EventPlace::Buffers:
      return "buffers";
    case EventPlace::Modules:
      return "modules";
    case EventPlace::Attribute:
      break;
  }
  return "attribute";
}

// Writes the parts of one kind of event behind its name.
class Parts {
 public:
  explicit Parts(JsonWriter& json) : json_(json) {}

  void operator()(const events::AttributeSet& e) {
    begin("attribute_set", &e.subject);
    text("name", e.name);
    text("place", event_place_name(e.place));
    text("value", e.value_class);
  }
  void operator()(const events::AttributeDeleted& e) {
    begin("attribute_deleted", &e.subject);
    text("name", e.name);
    text("place", event_place_name(e.place));
  }
  void operator()(const events::RegistryChanged& e) {
    constexpr std::array<std::string_view, 3> kChanges = {"added", "replaced", "removed"};
    begin("registry_changed", &e.subject);
    text("registry", e.registry);
    text("name", e.name);
    text("change", kChanges[static_cast<std::size_t>(e.change)]);
  }
  void operator()(const events::HookRegistered& e) {
    begin("hook_registered", &e.subject);
    hook(e.table, e.hook_id);
  }
  void operator()(const events::HookRemoved& e) {
    begin("hook_removed", nullptr);
    hook(e.table, e.hook_id);
  }
  void operator()(const events::HookFired& e) {
    begin("hook_fired", &e.subject);
    hook(e.table, e.hook_id);
  }
  void operator()(const events::CallEntered& e) { begin("call_entered", &e.subject); }
  void operator()(const events::CallLeft& e) {
    begin("call_left", &e.subject);
    json_.key("raised");
    json_.boolean(e.raised);
  }

 private:
  void begin(std::string_view event, const events::Subject* subject) {
    text("event", event);
    if (subject == nullptr || subject->id == 0) return;
    json_.key("object");
    json_.number(subject->id);
    text("class", subject->class_name);
  }
  void hook(std::string_view table, std::int64_t id) {
    text("table", table);
    json_.key("hook");
    json_.number(id);
  }
  void text(std::string_view key, std::string_view value) {
    json_.key(key);
    json_.text(value);
  }

  JsonWriter& json_;
};

}  // namespace

std::unique_ptr<EventFile> EventFile::open(python::Machine& machine, const std::string& path,
                                           const std::string& program) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return nullptr;
  return std::unique_ptr<EventFile>(new EventFile(machine, file, program));
}

EventFile::EventFile(python::Machine& machine, std::FILE* file, const std::string& program)
    : machine_(machine), file_(file), json_(file) {
  json_.begin_object();
  json_.key("nnscope_events");
  json_.number(std::uint64_t{1});
  json_.key("program");
  json_.text(program);
  json_.end_object();
  json_.newline();
  machine_.interpreter().events().observe(this);
}

EventFile::~EventFile() {
  machine_.interpreter().events().observe(nullptr);
  json_.flush();
  if (file_ != nullptr) std::fclose(file_);
}

void EventFile::write_place() {
  json_.key("step");
  json_.number(machine_.steps());
  const python::Frame* const frame = machine_.frame();
  if (frame == nullptr) return;
  const python::Source& source = frame->code->tree->source();
  const python::Span span = frame->code->spans[frame->instruction()];
  json_.key("file");
  json_.text(source.name());
  json_.key("line");
  json_.number(std::uint64_t{source.line_of(span.begin)});
  json_.key("column");
  json_.number(std::uint64_t{source.column_of(span.begin)} + 1);
}

void EventFile::on_event(const events::Event& event) {
  json_.begin_object();
  write_place();
  std::visit(Parts(json_), event);
  json_.end_object();
  json_.newline();
}

bool EventFile::close() {
  machine_.interpreter().events().observe(nullptr);
  json_.flush();
  const bool is_good = std::ferror(file_) == 0;
  const bool is_closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  return is_good && is_closed;
}

}  // namespace nns::cli
