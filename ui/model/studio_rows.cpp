#include "ui/model/studio_rows.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>

#include "core/live/message.h"
#include "ui/model/format.h"

namespace nns::model {

namespace {

using live::text_of;
using live::wire::TraceMoment;
using live::wire::TraceObject;
using live::wire::TraceObjectKind;
using live::wire::TraceValue;

StudioRow name_row(const TraceValue& value) {
  StudioRow row;
  row.name = text_of(value.key());
  row.value = text_of(value.value());
  row.object = value.object();
  row.has_changed = value.has_changed();
  return row;
}

StudioRow section(std::string name, std::string value, bool has_changed = false) {
  StudioRow row;
  row.kind = StudioRow::Kind::Section;
  row.name = std::move(name);
  row.value = std::move(value);
  row.has_changed = has_changed;
  return row;
}

StudioRow note(std::string text) {
  StudioRow row;
  row.kind = StudioRow::Kind::Note;
  row.name = std::move(text);
  return row;
}

/// A key of a module's `__dict__` that holds other names.
struct Place {
  std::string_view key;
  std::string_view what;
};

constexpr std::array kRowPlaces = {
    Place{"_parameters", "registry of parameters"},
    Place{"_buffers", "registry of buffers"},
    Place{"_non_persistent_buffers_set", "buffers that state_dict() leaves out"},
    Place{"_modules", "registry of children"},
    Place{"_forward_pre_hooks", "run before forward"},
    Place{"_forward_hooks", "run after forward"},
    Place{"_backward_pre_hooks", "run before the gradients of the inputs are computed"},
    Place{"_backward_hooks", "run when the gradients of the inputs are known"},
    Place{"_state_dict_pre_hooks", "run at the beginning of state_dict()"},
    Place{"_state_dict_hooks", "run at the end of state_dict()"},
    Place{"_load_state_dict_pre_hooks", "run before the module takes its part of a state_dict"},
    Place{"_load_state_dict_post_hooks", "run after load_state_dict()"},
};

const Place* place_of(std::string_view key) {
  for (const Place& place : kRowPlaces) {
    if (place.key == key) return &place;
  }
  return nullptr;
}

const TraceObject* inner(const TraceMoment& moment, std::uint32_t id) {
  for (const TraceObject* object : *moment.selected()) {
    if (object->id() == id) return object;
  }
  return nullptr;
}

bool is_running(const TraceMoment& moment, std::uint32_t object, std::string_view table, std::string_view id) {
  for (const live::wire::TraceHook* hook : *moment.hooks()) {
    if (hook->object() == object && text_of(hook->table()) == table && std::to_string(hook->id()) == id) return true;
  }
  return false;
}

void add_left_out(std::vector<StudioRow>& rows, const TraceObject& object) {
  // Values of a tensor stand behind what it knows of itself.
  if (object.kind() == TraceObjectKind::Tensor) {
    constexpr std::uint64_t kKnown = 5;
    const std::uint64_t shown = object.fields()->size() > kKnown ? object.fields()->size() - kKnown : 0;
    if (shown != 0 && shown < object.total()) {
      rows.push_back(note(fmt::format("the first {} of {} values", shown, thousands(object.total()))));
    }
    return;
  }
  if (object.total() > object.fields()->size()) {
    rows.push_back(note(fmt::format("and {} more", thousands(object.total() - object.fields()->size()))));
  }
}

void add_module(const TraceMoment& moment, const TraceObject& module, std::vector<StudioRow>& rows) {
  rows.push_back(section("__dict__", "what object.__setattr__ writes", module.has_changed()));
  for (const TraceValue* field : *module.fields()) rows.push_back(name_row(*field));
  add_left_out(rows, module);
  for (const TraceValue* field : *module.fields()) {
    const std::string_view key = text_of(field->key());
    const Place* const place = place_of(key);
    if (place == nullptr) continue;
    const TraceObject* const inside = inner(moment, field->object());
    const bool is_registry = key == "_parameters" || key == "_buffers" || key == "_modules";
    if (inside == nullptr || inside->fields()->size() == 0) {
      if (is_registry) {
        rows.push_back(section(std::string(key), std::string(place->what), inside != nullptr && inside->has_changed()));
        rows.push_back(note("empty"));
      }
      continue;
    }
    rows.push_back(section(std::string(key), std::string(place->what), inside->has_changed()));
    for (const TraceValue* entry : *inside->fields()) {
      rows.push_back(name_row(*entry));
      rows.back().is_lit = is_running(moment, module.id(), key, text_of(entry->key()));
    }
    add_left_out(rows, *inside);
  }
}

}  // namespace

std::vector<StudioRow> stack_rows(const TraceMoment& moment, std::uint32_t shown_frame) {
  std::vector<StudioRow> rows;
  std::uint32_t number = 0;
  for (const live::wire::TraceFrame* frame : *moment.frames()) {
    StudioRow row;
    row.kind = StudioRow::Kind::Frame;
    row.name = text_of(frame->name());
    row.value = frame->line() == 0 ? std::string() : fmt::format("line {}", frame->line());
    row.frame = number;
    row.is_lit = number == shown_frame;
    row.object = frame->object();
    rows.push_back(std::move(row));
    for (const TraceValue* name : *frame->names()) {
      rows.push_back(name_row(*name));
      rows.back().frame = number;
    }
    if (frame->names_left_out() != 0) rows.push_back(note(fmt::format("and {} names more", frame->names_left_out())));
    ++number;
  }
  if (moment.frames_left_out() != 0) rows.push_back(note(fmt::format("and {} calls more", moment.frames_left_out())));
  return rows;
}

std::vector<StudioRow> object_rows(const TraceMoment& moment) {
  std::vector<StudioRow> rows;
  if (moment.selected()->size() == 0) return rows;
  const TraceObject& object = *moment.selected()->Get(0);
  if (object.kind() == TraceObjectKind::Module) {
    add_module(moment, object, rows);
    return rows;
  }
  rows.push_back(section(std::string(text_of(object.text())), {}, object.has_changed()));
  for (const TraceValue* field : *object.fields()) rows.push_back(name_row(*field));
  add_left_out(rows, object);
  return rows;
}

std::vector<StudioRow> lookup_rows(const TraceMoment& moment) {
  std::vector<StudioRow> rows;
  // At which place each name is found first.
  std::map<std::string, std::string, std::less<>> found;
  const auto add = [&](const TraceValue& attribute, const std::string& place) {
    rows.push_back(name_row(attribute));
    const auto [first, is_new] = found.emplace(rows.back().name, place);
    if (!is_new) rows.back().value = fmt::format("hidden by {}", first->second);
  };
  const TraceObject* const object = moment.selected()->size() == 0 ? nullptr : moment.selected()->Get(0);
  const bool is_module = object != nullptr && object->kind() == TraceObjectKind::Module;
  const bool has_dict = is_module || (object != nullptr && object->kind() == TraceObjectKind::Instance);
  if (has_dict && moment.lookup()->size() != 0) {
    rows.push_back(section("__dict__", "of the object itself; only properties of its classes come before it"));
    for (const TraceValue* field : *object->fields()) add(*field, "__dict__");
    add_left_out(rows, *object);
  }
  int number = 0;
  for (const live::wire::TraceLookup* step : *moment.lookup()) {
    const std::string name(text_of(step->class_name()));
    ++number;
    rows.push_back(section(fmt::format("{}. {}", number, name), number == 1 ? "the class of the object" : ""));
    rows.back().object = step->object();
    for (const TraceValue* attribute : *step->attributes()) add(*attribute, name);
  }
  if (!is_module || moment.lookup()->size() == 0) return rows;
  rows.push_back(section("__getattr__", "asked when no place above has the name: it looks into the registries"));
  for (const std::string_view registry : {"_parameters", "_buffers", "_modules"}) {
    for (const TraceValue* field : *object->fields()) {
      if (text_of(field->key()) != registry) continue;
      rows.push_back(section(std::string(registry), std::string(place_of(registry)->what)));
      const TraceObject* const inside = inner(moment, field->object());
      if (inside == nullptr || inside->fields()->size() == 0) {
        rows.push_back(note("empty"));
        continue;
      }
      for (const TraceValue* entry : *inside->fields()) add(*entry, std::string(registry));
      add_left_out(rows, *inside);
    }
  }
  rows.push_back(note("A name that is in none of them raises AttributeError."));
  return rows;
}

std::vector<StudioRow> module_rows(const TraceMoment& moment) {
  std::vector<StudioRow> rows;
  for (const live::wire::TraceModule* module : *moment.modules()) {
    StudioRow row;
    row.kind = module->depth() == 0 ? StudioRow::Kind::Section : StudioRow::Kind::Name;
    row.name = text_of(module->name());
    row.value = text_of(module->class_name());
    if (module->is_repeated()) row.value += ", as above";
    row.object = module->object();
    row.depth = module->depth();
    row.has_changed = module->has_changed();
    rows.push_back(std::move(row));
  }
  if (moment.has_more_modules()) rows.push_back(note("and more modules"));
  return rows;
}

namespace {

constexpr const char* fate_text(live::wire::ReplicaFate fate) {
  switch (fate) {
    case live::wire::ReplicaFate::Shared:
      return "shared, the same object";
    case live::wire::ReplicaFate::SameBytes:
      return "same bytes as the original";
    case live::wire::ReplicaFate::Copied:
      return "copied";
    case live::wire::ReplicaFate::Lost:
      return "lost when forward ends";
    case live::wire::ReplicaFate::Missing:
      return "not there";
  }
  return "";
}

}  // namespace

std::vector<StudioRow> replica_rows(const TraceMoment& moment) {
  std::vector<StudioRow> rows;
  const live::wire::TraceReplicas* const replicas = moment.replicas();
  if (replicas == nullptr) return rows;
  std::string_view module;
  for (const live::wire::TraceReplicaRow* told : *replicas->rows()) {
    if (rows.empty() || text_of(told->module_()) != module) {
      module = text_of(told->module_());
      rows.push_back(section(module.empty() ? "The module itself" : std::string(module),
                             fmt::format("{} replicas", replicas->object()->size())));
      if (rows.size() == 1) rows.back().object = replicas->module_();
    }
    StudioRow original = name_row(*told->original());
    original.name = text_of(told->name());
    if (original.value.empty()) original.value = "not there";
    rows.push_back(std::move(original));
    for (std::uint32_t i = 0; i < told->values()->size(); ++i) {
      const auto fate = static_cast<live::wire::ReplicaFate>(told->fates()->Get(i));
      StudioRow row = name_row(*told->values()->Get(i));
      row.name = fmt::format("replica {}", i);
      row.value = fmt::format("{}{}{}", fate_text(fate), row.value.empty() ? "" : ": ", row.value);
      row.depth = 2;
      row.has_changed = fate == live::wire::ReplicaFate::Lost;
      rows.push_back(std::move(row));
    }
  }
  if (replicas->has_more()) rows.push_back(note("and more names"));
  return rows;
}

}  // namespace nns::model
