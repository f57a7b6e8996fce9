#include "core/trace/replicas.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace nns::trace {

namespace {

constexpr std::string_view kRegistries[] = {"_parameters", "_buffers", "_modules"};
// What replicate() writes for its own sake.
constexpr std::string_view kOwn[] = {"_former_parameters", "_is_replica"};

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

using Entries = std::vector<std::pair<std::string_view, Shown>>;

// What a module has: the entries of its `__dict__` and of the registries for tensors; its children.
struct ModuleContent {
  Entries names, children;
};

Shown find(const Entries& entries, std::string_view name) {
  for (const auto& [known, value] : entries) {
    if (known == name) return value;
  }
  return {};
}

class Comparison {
 public:
  Comparison(const Trace& trace, EventId event, EventId made, std::size_t most, Replicas& into)
      : trace_(trace), event_(event), made_(made), most_(most), into_(into) {}

  void compare(const std::string& path, ObjectId original, const std::vector<ObjectId>& replicas) {
    // A module that stands at several places is told at the first.
    if (into_.has_more || !told_.insert(original).second) return;
    const ModuleContent content = content_of(original, event_);
    std::vector<ModuleContent> now, before;
    Entries names = content.names;
    for (const ObjectId replica : replicas) {
      now.push_back(replica == kNone ? ModuleContent() : content_of(replica, event_));
      before.push_back(replica == kNone ? ModuleContent() : content_of(replica, made_));
      for (const auto& [name, value] : now.back().names) {
        if (find(names, name).is_absent()) names.emplace_back(name, value);
      }
    }
    for (const auto& [name, unused] : names) {
      if (is_among(name, kOwn)) continue;
      ReplicaRow row{path, std::string(name), find(content.names, name), {}, {}};
      bool is_told = name == "training" ? false : !name.starts_with('_') || row.original.is_absent();
      for (std::size_t i = 0; i < replicas.size(); ++i) {
        row.values.push_back(find(now[i].names, name));
        row.fates.push_back(fate(row.original, find(before[i].names, name), row.values.back()));
        is_told = is_told || row.fates.back() == ReplicaFate::Lost;
      }
      if (is_told && !add(std::move(row))) return;
    }
    for (const auto& [name, child] : content.children) {
      if (!is_module(child)) continue;
      std::vector<ObjectId> below;
      ReplicaRow row{path, std::string(name), child, {}, {}};
      bool is_replaced = false;
      for (std::size_t i = 0; i < now.size(); ++i) {
        const Shown value = find(now[i].children, name);
        below.push_back(is_module(value) ? value.index() : kNone);
        row.values.push_back(value);
        const bool is_kept = value == find(before[i].children, name);
        row.fates.push_back(value.is_absent() ? ReplicaFate::Missing
                            : is_kept         ? ReplicaFate::Copied
                                              : ReplicaFate::Lost);
        is_replaced = is_replaced || !is_kept;
      }
      if (is_replaced && !add(std::move(row))) return;
      compare(path.empty() ? std::string(name) : path + "." + std::string(name), child.index(), below);
    }
  }

 private:
  bool add(ReplicaRow row) {
    into_.has_more = into_.has_more || into_.rows.size() == most_;
    if (!into_.has_more) into_.rows.push_back(std::move(row));
    return !into_.has_more;
  }

  bool is_module(Shown value) const {
    return value.is_object() && trace_.object(value.index()).kind == ObjectKind::Module;
  }
  bool is_tensor(Shown value) const {
    return value.is_object() && trace_.object(value.index()).kind == ObjectKind::Tensor;
  }

  Entries entries_of(ObjectId object, EventId event) const {
    Entries entries;
    for (const FieldView& field : object_at(trace_, object, event).fields) {
      if (field.key.kind() == Shown::Kind::Text) entries.emplace_back(trace_.text(field.key.index()), field.value);
    }
    return entries;
  }

  ModuleContent content_of(ObjectId module, EventId event) const {
    ModuleContent content;
    for (const auto& [name, value] : entries_of(module, event)) {
      if (!is_among(name, kRegistries)) {
        content.names.emplace_back(name, value);
        continue;
      }
      if (!value.is_object()) continue;
      Entries& into = name == "_modules" ? content.children : content.names;
      for (const auto& entry : entries_of(value.index(), event)) into.push_back(entry);
    }
    return content;
  }

  Shown storage_of(Shown tensor) const {
    const std::vector<FieldView> fields = object_at(trace_, tensor.index(), event_).fields;
    const auto at = static_cast<std::size_t>(TensorField::Storage);
    return at < fields.size() ? fields[at].value : Shown();
  }

  // `before`: what the replica had under the name when it was made.
  ReplicaFate fate(Shown original, Shown before, Shown now) const {
    if (now.is_absent()) return ReplicaFate::Missing;
    if (now == original) return ReplicaFate::Shared;
    if (now != before) return ReplicaFate::Lost;
    if (!is_tensor(now) || !is_tensor(original)) return ReplicaFate::Lost;
    const Shown storage = storage_of(now);
    return !storage.is_absent() && storage == storage_of(original) ? ReplicaFate::SameBytes : ReplicaFate::Copied;
  }

  const Trace& trace_;
  EventId event_, made_;
  std::size_t most_;
  Replicas& into_;
  std::unordered_set<ObjectId> told_;
};

const NameView* find_name(const FrameView& frame, std::string_view name) {
  for (const NameView& one : frame.names) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

// Since when a name of the frame is what it is now.
EventId bound_at(const Trace& trace, const FrameView& view, std::string_view name, EventId event) {
  const Frame& frame = trace.frame(view.id);
  const Code& code = trace.code(frame.code);
  for (std::uint32_t i = 0; i < code.slots.size(); ++i) {
    if (code.slots[i] == name) return trace.histories().since(trace.histories().at(trace.slot(frame, i), event));
  }
  return event;
}

}  // namespace

std::optional<Replicas> replicas_at(const Trace& trace, const Moment& moment, std::size_t most) {
  for (const FrameView& frame : moment.frames) {
    if (frame.name != "DataParallel.forward" || !frame.is_library) continue;
    const NameView* const self = find_name(frame, "self");
    const NameView* const made = find_name(frame, "replicas");
    if (self == nullptr || made == nullptr || !self->value.is_object() || !made->value.is_object()) continue;
    Replicas found;
    for (const FieldView& field : object_at(trace, self->value.index(), moment.event).fields) {
      if (field.key.kind() != Shown::Kind::Text || trace.text(field.key.index()) != "_modules") continue;
      if (!field.value.is_object()) continue;
      for (const FieldView& child : object_at(trace, field.value.index(), moment.event).fields) {
        const bool is_module = child.key.kind() == Shown::Kind::Text && trace.text(child.key.index()) == "module";
        if (is_module && child.value.is_object()) found.module = child.value.index();
      }
    }
    for (const FieldView& one : object_at(trace, made->value.index(), moment.event).fields) {
      if (one.value.is_object()) found.objects.push_back(one.value.index());
    }
    if (found.module == kNone || found.objects.empty()) continue;
    Comparison comparison(trace, moment.event, bound_at(trace, frame, "replicas", moment.event), most, found);
    comparison.compare({}, found.module, found.objects);
    return found;
  }
  return std::nullopt;
}

}  // namespace nns::trace
