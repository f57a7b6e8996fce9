#include "core/session/trace_messages.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/trace/explain.h"
#include "core/trace/module_tree.h"
#include "core/trace/moment.h"
#include "core/trace/replicas.h"
#include "core/trace/search.h"

namespace nns::session {

namespace {

namespace wire = live::wire;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using trace::EventId;
using trace::Shown;

/// Parts of an overview: about as many as a slider has pixels.
constexpr std::size_t kParts = 1024;
/// Objects inside of the selected one that are told with it.
constexpr std::size_t kMostInside = 40;

std::uint32_t object_of(Shown value) { return value.is_object() ? value.index() : trace::kNone; }

class Encoder {
 public:
  Encoder(FlatBufferBuilder& builder, const trace::Trace& trace, EventId event)
      : builder_(builder), trace_(trace), event_(event) {}

  Offset<wire::TraceValue> value(const std::string& key, Shown key_value, Shown value, bool has_changed) {
    const auto key_text = builder_.CreateSharedString(key);
    const auto text = builder_.CreateString(one_line(trace_, value, event_));
    return wire::CreateTraceValue(builder_, key_text, object_of(key_value), text, object_of(value), has_changed);
  }

  Offset<wire::TraceFrame> frame(const trace::FrameView& view) {
    std::vector<Offset<wire::TraceValue>> names;
    for (const trace::NameView& name : view.names) names.push_back(value(name.name, {}, name.value, name.has_changed));
    const auto told = builder_.CreateVector(names);
    const auto name = builder_.CreateString(view.name);
    return wire::CreateTraceFrame(builder_, name, view.file, view.line, view.position.begin, view.position.end,
                                  view.is_library, view.kind == trace::FrameKind::ModuleCall, view.object, told,
                                  static_cast<std::uint32_t>(view.names_left_out));
  }

  Offset<wire::TraceObject> object(const trace::ObjectView& view) {
    std::vector<Offset<wire::TraceValue>> fields;
    std::uint64_t storage = 0;
    const auto tensor_fields = static_cast<std::size_t>(trace::TensorField::Count);
    if (view.kind == trace::ObjectKind::Tensor && view.fields.size() >= tensor_fields) {
      storage = add_tensor(view, fields);
    } else {
      const bool keys = has_keys(view.kind);
      std::size_t at = view.kind == trace::ObjectKind::Class ? order_length(view) : 0;
      for (; at < view.fields.size(); ++at) {
        const trace::FieldView& field = view.fields[at];
        const std::string key = keys ? key_text(field.key) : std::to_string(at);
        fields.push_back(value(key, field.key, field.value, field.has_changed));
      }
    }
    const auto told = builder_.CreateVector(fields);
    const auto class_name = builder_.CreateSharedString(view.class_name);
    const auto text = builder_.CreateString(one_line(trace_, Shown::of(Shown::Kind::Object, view.id), event_));
    return wire::CreateTraceObject(builder_, view.id, static_cast<wire::TraceObjectKind>(view.kind), class_name, text,
                                   storage, told, view.total, view.has_changed, has_keys(view.kind));
  }

  /// None: no offset.
  Offset<wire::TraceReplicas> replicas(const trace::Moment& moment) {
    const auto found = trace::replicas_at(trace_, moment);
    if (!found) return {};
    std::vector<Offset<wire::TraceReplicaRow>> rows;
    for (const trace::ReplicaRow& row : found->rows) {
      std::vector<Offset<wire::TraceValue>> values;
      std::vector<std::uint8_t> fates;
      for (std::size_t i = 0; i < row.values.size(); ++i) {
        values.push_back(value({}, {}, row.values[i], false));
        fates.push_back(static_cast<std::uint8_t>(row.fates[i]));
      }
      const auto path = builder_.CreateSharedString(row.path);
      const auto name = builder_.CreateSharedString(row.name);
      const auto original = value({}, {}, row.original, false);
      const auto told_values = builder_.CreateVector(values);
      const auto told_fates = builder_.CreateVector(fates);
      rows.push_back(wire::CreateTraceReplicaRow(builder_, path, name, original, told_values, told_fates));
    }
    const auto objects = builder_.CreateVector(found->objects);
    const auto told = builder_.CreateVector(rows);
    return wire::CreateTraceReplicas(builder_, found->module, objects, told, found->has_more);
  }

  Offset<wire::TraceLookup> lookup(const trace::LookupStep& step) {
    std::vector<Offset<wire::TraceValue>> attributes;
    for (const trace::FieldView& field : step.attributes) {
      attributes.push_back(value(key_text(field.key), {}, field.value, false));
    }
    const auto told = builder_.CreateVector(attributes);
    const auto name = builder_.CreateString(step.class_name);
    return wire::CreateTraceLookup(builder_, name, step.cls, told);
  }

  // What selecting an object tells: itself, and the containers in it.
  std::vector<Offset<wire::TraceObject>> selected(trace::ObjectId id, EventId since) {
    std::vector<Offset<wire::TraceObject>> told;
    const trace::ObjectView view = trace::object_at(trace_, id, event_, since);
    told.push_back(object(view));
    for (const trace::FieldView& field : view.fields) {
      if (!field.value.is_object() || told.size() > kMostInside) continue;
      const trace::ObjectKind kind = trace_.object(field.value.index()).kind;
      const bool is_container = kind == trace::ObjectKind::Dict || kind == trace::ObjectKind::Set ||
                                kind == trace::ObjectKind::List || kind == trace::ObjectKind::Tuple;
      if (is_container) told.push_back(object(trace::object_at(trace_, field.value.index(), event_, since)));
    }
    return told;
  }

 private:
  // A key that is a text is told without quotes: it is a name in most cases.
  std::string key_text(Shown key) const {
    return key.kind() == Shown::Kind::Text ? std::string(trace_.text(key.index())) : one_line(trace_, key, event_);
  }

  // A class begins with the order in which attributes are looked up.
  static std::size_t order_length(const trace::ObjectView& view) {
    if (view.fields.empty() || view.fields[0].value.kind() != Shown::Kind::Int) return 0;
    return 1 + static_cast<std::size_t>(std::max<std::int64_t>(0, view.fields[0].value.as_int()));
  }

  std::uint64_t add_tensor(const trace::ObjectView& view, std::vector<Offset<wire::TraceValue>>& fields) {
    constexpr std::pair<trace::TensorField, const char*> kShown[] = {
        {trace::TensorField::Device, "device"},    {trace::TensorField::RequiresGrad, "requires_grad"},
        {trace::TensorField::Grad, "grad"},        {trace::TensorField::GradFunction, "grad_fn"},
        {trace::TensorField::Version, "_version"},
    };
    const auto field = [&](trace::TensorField which) -> const trace::FieldView& {
      return view.fields[static_cast<std::size_t>(which)];
    };
    for (const auto& [which, name] : kShown) {
      fields.push_back(value(name, {}, field(which).value, field(which).has_changed));
    }
    for (std::size_t at = static_cast<std::size_t>(trace::TensorField::Count); at < view.fields.size(); ++at) {
      const std::string index = std::to_string(at - static_cast<std::size_t>(trace::TensorField::Count));
      fields.push_back(value(index, {}, view.fields[at].value, view.fields[at].has_changed));
    }
    return static_cast<std::uint64_t>(field(trace::TensorField::Storage).value.as_int());
  }

  FlatBufferBuilder& builder_;
  const trace::Trace& trace_;
  EventId event_;
};

trace::Breakpoints breakpoints_of(const wire::MoveInTrace& command) {
  trace::Breakpoints breakpoints;
  for (const wire::TraceLine* line : *command.lines()) breakpoints.lines.push_back({line->file(), line->line()});
  breakpoints.registry_changes = command.registry_changes();
  breakpoints.hook_fires = command.hook_fires();
  breakpoints.exceptions = command.exceptions();
  breakpoints.module_calls = command.module_calls();
  breakpoints.attribute_changes = command.attribute_changes();
  breakpoints.object = command.object();
  return breakpoints;
}

}  // namespace

live::Bytes trace_state(const TraceKey& key, const trace::Trace& trace, bool is_complete) {
  FlatBufferBuilder builder;
  const auto parts = builder.CreateVector(trace::overview(trace, std::min<std::size_t>(kParts, trace.size())));
  return live::finish_message(
      builder, wire::CreateTraceState(builder, key.document, key.recording, trace.size(), is_complete, trace.is_full(),
                                      trace.left_out(), trace.bytes(), parts));
}

live::Bytes trace_file(const TraceKey& key, const trace::Trace& trace, trace::FileId file) {
  FlatBufferBuilder builder;
  const trace::File& told = trace.files()[file];
  const auto name = builder.CreateString(told.name);
  const auto text = builder.CreateString(told.text);
  return live::finish_message(
      builder, wire::CreateTraceFile(builder, key.document, key.recording, file, name, text, told.is_library));
}

live::Bytes trace_moment(const TraceKey& key, const trace::Trace& trace, const wire::MoveInTrace& command) {
  const EventId from = std::min(command.event(), trace.size() - 1);
  const trace::Direction direction = command.back() ? trace::Direction::Back : trace::Direction::Forward;
  EventId event = from;
  bool is_found = true;
  for (std::uint32_t moves = std::max(command.count(), 1U); moves > 0 && is_found; --moves) {
    const EventId before = event;
    if (command.move() == wire::TraceMove::Breakpoint) {
      event = trace::find_stop(trace, before, direction, breakpoints_of(command));
      is_found = event != trace::kNone;
      if (!is_found) event = before;
    } else if (command.move() != wire::TraceMove::To) {
      event = trace::step_from(trace, before, static_cast<trace::Step>(command.move()), direction);
    }
    if (event == before) break;
  }
  trace::MomentOptions options;
  // Whoever comes from later on sees what the event itself changed.
  options.since = command.since() < event ? command.since() : std::max<EventId>(event, 1) - 1;
  std::vector<trace::ObjectId> expanded(command.expanded()->begin(), command.expanded()->end());
  options.expanded = expanded;
  const trace::Moment moment = trace::moment_at(trace, event, options);

  FlatBufferBuilder builder;
  Encoder encoder(builder, trace, event);
  std::vector<Offset<wire::TraceFrame>> frames;
  for (const trace::FrameView& frame : moment.frames) frames.push_back(encoder.frame(frame));
  std::vector<Offset<wire::TraceObject>> objects;
  for (const trace::ObjectView& object : moment.objects) objects.push_back(encoder.object(object));
  std::vector<Offset<wire::TraceObject>> selected;
  std::vector<Offset<wire::TraceLookup>> lookup;
  if (command.selected() < trace.object_count()) {
    selected = encoder.selected(command.selected(), options.since);
    for (const trace::LookupStep& step : trace::lookup_order(trace, command.selected(), event)) {
      lookup.push_back(encoder.lookup(step));
    }
  }
  std::vector<Offset<wire::TraceHook>> hooks;
  for (const trace::RunningHook& hook : moment.hooks) {
    const auto table = builder.CreateString(std::string(trace.text(hook.table)));
    hooks.push_back(wire::CreateTraceHook(builder, hook.object, table, hook.id));
  }
  std::vector<Offset<wire::TraceModule>> modules;
  const trace::ModuleTree tree = trace::module_tree(trace, moment, options.since);
  for (const trace::ModulePlace& place : tree.places) {
    const auto name = builder.CreateSharedString(place.name);
    const auto class_name = builder.CreateSharedString(std::string(trace.text(trace.object(place.id).class_name)));
    modules.push_back(wire::CreateTraceModule(builder, name, class_name, place.id, place.depth, place.has_changed,
                                              place.is_repeated));
  }
  const Offset<wire::TraceReplicas> replicas = encoder.replicas(moment);
  const auto why = builder.CreateString(trace::explain(trace, event));
  const auto told_frames = builder.CreateVector(frames);
  const auto told_objects = builder.CreateVector(objects);
  const auto told_selected = builder.CreateVector(selected);
  const auto told_lookup = builder.CreateVector(lookup);
  const auto told_hooks = builder.CreateVector(hooks);
  const auto told_modules = builder.CreateVector(modules);
  return live::finish_message(
      builder, wire::CreateTraceMoment(builder, command.request(), key.document, key.recording, is_found, event,
                                       static_cast<wire::TraceEvent>(moment.kind), why, told_frames,
                                       static_cast<std::uint32_t>(moment.frames_left_out), told_objects,
                                       moment.has_more_objects, told_selected, told_lookup, told_hooks, moment.output,
                                       told_modules, tree.has_more, replicas));
}

}  // namespace nns::session
