#include "core/trace/moment.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/base/quoted_text.h"

namespace nns::trace {

namespace {

bool is_followed(ObjectKind kind) {
  return kind != ObjectKind::Class && kind != ObjectKind::Function && kind != ObjectKind::PythonModule;
}

// As str.isprintable of what people write. Without the database of characters, for which the page that reads files has
// no room: of those it knows more that have no picture.
bool is_shown_as_itself(char32_t point) {
  const bool is_control = point < 0x20 || (point >= 0x7F && point < 0xA1) || point == 0xAD;
  const bool is_separator = point == 0x2028 || point == 0x2029;
  return !is_control && !is_separator && (point < 0xD800 || point > 0xF8FF);
}

FrameView frame_view(const Trace& trace, FrameId id, std::uint32_t instruction) {
  FrameView view;
  const Frame& frame = trace.frame(id);
  view.id = id;
  view.kind = frame.kind;
  view.object = frame.object;
  const Event at{EventKind::Statement, 0, id, instruction, kNone};
  view.file = trace.file_of(at);
  view.position = trace.position(at);
  view.line = trace.line_of(at);
  view.is_library = view.file != kNone && trace.files()[view.file].is_library;
  if (frame.kind == FrameKind::ModuleCall) {
    view.name = frame.object == kNone ? "__call__"
                                      : fmt::format("{}.__call__", trace.text(trace.object(frame.object).class_name));
  } else {
    view.name = trace.code(frame.code).qualified_name;
  }
  return view;
}

void add_name(const Trace& trace, FrameView& view, std::string_view name, Head head, EventId event,
              const MomentOptions& options) {
  const Head version = trace.histories().at(head, event);
  const Shown value = trace.histories().content(version);
  if (value.is_absent()) return;
  if (view.names.size() == options.names) {
    ++view.names_left_out;
    return;
  }
  view.names.push_back({std::string(name), value, trace.histories().since(version) > options.since});
}

void add_names(const Trace& trace, FrameView& view, EventId event, const MomentOptions& options) {
  const Frame& frame = trace.frame(view.id);
  if (frame.scope != kNone) {
    for (const Scope::Entry& entry : trace.scope(frame.scope).entries) {
      add_name(trace, view, trace.text(entry.name), entry.head, event, options);
    }
    return;
  }
  if (frame.kind != FrameKind::Python || frame.first_slot == kNone) return;
  const Code& code = trace.code(frame.code);
  for (std::uint32_t i = 0; i < code.slots.size(); ++i) {
    if (!code.slots[i].empty()) add_name(trace, view, code.slots[i], trace.slot(frame, i), event, options);
  }
}

// Objects that names and entries lead to, nearest first.
class Reached {
 public:
  Reached(const Trace& trace, Moment& moment, const MomentOptions& options)
      : trace_(trace), moment_(moment), options_(options) {}

  void add(Shown value) {
    if (!value.is_object() || !known_.insert(value.index()).second) return;
    if (moment_.objects.size() == options_.objects) {
      moment_.has_more_objects = true;
      return;
    }
    moment_.objects.push_back(object_at(trace_, value.index(), moment_.event, options_.since));
  }

  void follow() {
    for (std::size_t at = 0; at < moment_.objects.size(); ++at) {
      const ObjectView& one = moment_.objects[at];
      const bool is_expanded =
          std::find(options_.expanded.begin(), options_.expanded.end(), one.id) != options_.expanded.end();
      if (!is_followed(one.kind) && !is_expanded) continue;
      // The list grows while it is walked.
      const std::vector<FieldView> fields = one.fields;
      for (const FieldView& field : fields) {
        add(field.key);
        add(field.value);
      }
    }
  }

 private:
  const Trace& trace_;
  Moment& moment_;
  const MomentOptions& options_;
  std::unordered_set<ObjectId> known_;
};

}  // namespace

ObjectView object_at(const Trace& trace, ObjectId id, EventId event, EventId since) {
  const Object& object = trace.object(id);
  ObjectView view;
  view.id = id;
  view.kind = object.kind;
  view.class_name = trace.text(object.class_name);
  view.cls = object.cls;
  const Histories<Change>& histories = trace.object_histories();
  const Head version = histories.at(object.head, event);
  const Content content = trace.content(version);
  view.total = content.total;
  // What there was when the changes that are marked had not happened yet.
  const Head before = since == kNone ? version : histories.at(object.head, since);
  view.has_changed = before != version;
  const Content old = view.has_changed ? trace.content(before) : Content();
  const bool keys = has_keys(object.kind);
  const std::size_t step = keys ? 2 : 1;
  for (std::size_t i = 0; i + step <= content.fields.size(); i += step) {
    FieldView field;
    if (keys) field.key = content.fields[i];
    field.value = content.fields[i + step - 1];
    if (view.has_changed) {
      if (!keys) {
        field.has_changed = i >= old.fields.size() || old.fields[i] != field.value;
      } else {
        // Mostly in its old place.
        bool is_same = i + 1 < old.fields.size() && old.fields[i] == field.key && old.fields[i + 1] == field.value;
        for (std::size_t j = 0; !is_same && j + 1 < old.fields.size(); j += 2) {
          is_same = old.fields[j] == field.key && old.fields[j + 1] == field.value;
        }
        field.has_changed = !is_same;
      }
    }
    view.fields.push_back(field);
  }
  return view;
}

Moment moment_at(const Trace& trace, EventId event, const MomentOptions& options) {
  Moment moment;
  moment.event = event;
  const Event& at = trace.event(event);
  moment.kind = at.kind;
  moment.output = trace.output_at(event);
  FrameId frame = at.frame;
  std::uint32_t instruction = at.instruction;
  if (at.kind == EventKind::HookFired) {
    const ObjectEvent& fired = trace.object_event(at.payload);
    moment.hooks.push_back({fired.object, fired.table, fired.number});
  }
  while (frame != kNone) {
    const Frame& one = trace.frame(frame);
    if (moment.frames.size() < options.frames) {
      moment.frames.push_back(frame_view(trace, frame, instruction));
      add_names(trace, moment.frames.back(), event, options);
    } else {
      ++moment.frames_left_out;
    }
    // A frame that begins right behind a hook's event is that hook.
    if (one.entered > 0) {
      const Event& before = trace.event(one.entered - 1);
      if (before.kind == EventKind::HookFired) {
        const ObjectEvent& fired = trace.object_event(before.payload);
        moment.hooks.push_back({fired.object, fired.table, fired.number});
      }
    }
    instruction = one.call_instruction;
    frame = one.parent;
  }
  Reached reached(trace, moment, options);
  for (const FrameView& view : moment.frames) {
    if (view.object != kNone) reached.add(Shown::of(Shown::Kind::Object, view.object));
    for (const NameView& name : view.names) reached.add(name.value);
  }
  reached.follow();
  return moment;
}

std::string one_line(const Trace& trace, Shown value, EventId event) {
  switch (value.kind()) {
    case Shown::Kind::Absent:
      return {};
    case Shown::Kind::None:
      return "None";
    case Shown::Kind::Bool:
      return value.as_bool() ? "True" : "False";
    case Shown::Kind::Int:
      return fmt::format("{}", value.as_int());
    case Shown::Kind::Float: {
      // Python writes a point, "inf" and "nan".
      std::string text = fmt::format("{}", value.as_float());
      if (text.find_first_of(".einf") == std::string::npos) text += ".0";
      return text;
    }
    case Shown::Kind::Text:
      return base::quoted_text(trace.text(value.index()), is_shown_as_itself);
    case Shown::Kind::Literal:
      return std::string(trace.text(value.index()));
    case Shown::Kind::EmptyDict:
      return "{}";
    case Shown::Kind::EmptyOrderedDict:
      return "OrderedDict()";
    case Shown::Kind::EmptySet:
      return "set()";
    case Shown::Kind::Object:
      break;
  }
  const Object& object = trace.object(value.index());
  const std::string_view name = trace.text(object.class_name);
  const Content content = trace.content(trace.object_histories().at(object.head, event));
  switch (object.kind) {
    case ObjectKind::List:
    case ObjectKind::Tuple:
    case ObjectKind::Dict:
    case ObjectKind::Set:
      return fmt::format("{} of {}", name, content.total);
    case ObjectKind::Class:
      return fmt::format("class {}", name);
    case ObjectKind::Function:
    case ObjectKind::PythonModule:
      if (content.fields.size() >= 2 &&
          (content.fields[1].kind() == Shown::Kind::Literal || content.fields[1].kind() == Shown::Kind::Text)) {
        return fmt::format("{} {}", name, trace.text(content.fields[1].index()));
      }
      return std::string(name);
    case ObjectKind::Tensor: {
      if (content.fields.size() < static_cast<std::size_t>(TensorField::Count)) return std::string(name);
      const auto field = [&](TensorField which) {
        return one_line(trace, content.fields[static_cast<std::size_t>(which)], event);
      };
      std::string text = fmt::format("{} {} {}", name, field(TensorField::Dtype), field(TensorField::Shape));
      // One value says more than its shape.
      if (content.total == 1 && content.fields.size() > static_cast<std::size_t>(TensorField::Count)) {
        text += fmt::format(" = {:.6g}", content.fields[static_cast<std::size_t>(TensorField::Count)].as_float());
      }
      return text;
    }
    default:
      return std::string(name);
  }
}

std::vector<LookupStep> lookup_order(const Trace& trace, ObjectId object, EventId event) {
  std::vector<LookupStep> steps;
  const Object& one = trace.object(object);
  const ObjectId cls = one.kind == ObjectKind::Class ? object : one.cls;
  if (cls == kNone) return steps;
  const Content own = trace.content(trace.object_histories().at(trace.object(cls).head, event));
  // A class's fields begin with how many classes its order has, and these.
  if (own.fields.size() < 2 || own.fields[1].kind() != Shown::Kind::Int) return steps;
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, own.fields[1].as_int()));
  for (std::size_t i = 0; i < count && 2 * (i + 1) + 1 < own.fields.size(); ++i) {
    const Shown above = own.fields[2 * (i + 1) + 1];
    if (!above.is_object()) continue;
    LookupStep step;
    step.cls = above.index();
    step.class_name = trace.text(trace.object(step.cls).class_name);
    const ObjectView view = object_at(trace, step.cls, event);
    std::size_t skipped = 1;
    if (!view.fields.empty() && view.fields[0].value.kind() == Shown::Kind::Int) {
      skipped += static_cast<std::size_t>(std::max<std::int64_t>(0, view.fields[0].value.as_int()));
    }
    for (std::size_t j = skipped; j < view.fields.size(); ++j) step.attributes.push_back(view.fields[j]);
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace nns::trace
