#include "core/dynamo/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "core/object/same.h"
#include "core/ops/op.h"

namespace nns::dynamo {
namespace {

int origin_order(const Source& source) {
  const int global = source.is_global ? 1 : 0;
  switch (source.origin) {
    case Origin::Plain:
      return global;
    case Origin::Specialized:
      return 2 + global;
    case Origin::Fsdp:
      return 7 + global;
    case Origin::Unspecialized:
      return 12 + global;
    case Origin::UnspecializedBuiltin:
      return 14 + global;
  }
  return 0;
}

// Whether the program asked about one attribute or key, for guards whose value names it.
bool names_value(GuardKind kind) {
  switch (kind) {
    case GuardKind::NotPresent:
    case GuardKind::HasAttr:
    case GuardKind::DictContains:
    case GuardKind::DictNotContains:
    case GuardKind::SetContains:
    case GuardKind::SetNotContains:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string range_text(std::int64_t lower, std::string_view name, std::int64_t upper) {
  const bool has_lower = lower != std::numeric_limits<std::int64_t>::min();
  std::string text = has_lower ? fmt::format("{} <= {}", lower, name) : std::string(name);
  if (upper != std::numeric_limits<std::int64_t>::max()) text += fmt::format(" <= {}", upper);
  return text;
}

std::string_view guard_kind_name(GuardKind kind) {
  constexpr std::array<std::string_view, 22> kNames = {
#define NNS_GUARD(id, name) name,
#include "core/dynamo/guards.def"
#undef NNS_GUARD
  };
  return kNames[static_cast<std::size_t>(kind)];
}

std::string Guard::kind_text(Interpreter& in) const {
  const std::string_view name = guard_kind_name(kind);
  switch (kind) {
    case GuardKind::NotPresent:
    case GuardKind::HasAttr:
      return fmt::format("{}[attr='{}']", name, value.as<object::Str>()->view());
    case GuardKind::DictContains:
    case GuardKind::DictNotContains:
    case GuardKind::SetContains:
    case GuardKind::SetNotContains:
      return fmt::format("{}[key={}]", name, repr_of(in, value));
    case GuardKind::DuplicateInput:
      return fmt::format("{}[source_b={}]", name, other->name());
    default:
      return std::string(name);
  }
}

bool Guard::is_like(const Guard& other_guard) const {
  if (kind != other_guard.kind || !source->has_name_of(*other_guard.source) ||
      source->class_name() != other_guard.source->class_name())
    return false;
  if (names_value(kind)) return is_same_text_or_object(value, other_guard.value);
  if (kind == GuardKind::DuplicateInput) return other->has_name_of(*other_guard.other);
  if (kind == GuardKind::ShapeEnv)
    return value.is_absent() == other_guard.value.is_absent() && expression->text == other_guard.expression->text;
  return true;
}

std::string without_locals(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const std::size_t at = name.find("L['");
    const std::size_t end = at == std::string_view::npos ? at : name.find("']", at);
    if (end == std::string_view::npos) break;
    result += name.substr(0, at);
    result += name.substr(at + 3, end - at - 3);
    name.remove_prefix(end + 2);
  }
  return result.append(name);
}

bool grad_is_enabled(Interpreter& interpreter) { return ops::OpLibrary::of(interpreter).grad_mode.is_enabled; }

void GuardSet::add(Guard guard) {
  if (guard.source == nullptr) return;
  const auto place_of = [this](const Guard& one) -> const Guard*& {
    return index_[(one.source->name_hash + static_cast<std::uint64_t>(one.kind)) & (index_.size() - 1)];
  };
  if (guards_.size() >= index_.size()) {
    index_.assign(std::max<std::size_t>(64, index_.size() * 4), nullptr);
    for (Guard& one : guards_) one.next = std::exchange(place_of(one), &one);
  }
  const Guard*& place = place_of(guard);
  for (const Guard* one = place; one != nullptr; one = one->next) {
    if (one->is_like(guard)) return;
  }
  guards_.push_back(std::move(guard));
  guards_.back().next = place;
  place = &guards_.back();
}

bool GuardSet::is_of_other_instance(Scope scope) const {
  for (const Guard& guard : guards_) {
    if (guard.kind != GuardKind::NNModule || guard.source->kind != SourceKind::Local) continue;
    for (const auto& [name, value] : *scope.locals) {
      if (name == guard.source->text && value.is_object() && interpreter_.id_of(*value.object()) != guard.id)
        return true;
    }
  }
  return false;
}

void GuardSet::retarget(const Source& source, const Class& cls) {
  for (Guard& guard : guards_) {
    if (guard.kind == GuardKind::TypeMatch && guard.source->has_name_of(source)) guard.type = &cls;
  }
}

GuardSet::Modes GuardSet::modes_now() const {
  const auto& library = ops::OpLibrary::of(interpreter_);
  return {.grad = library.grad_mode.is_enabled,
          .autocast_caches = library.autocast.caches,
          .autocast = library.autocast.modes(),
          .default_dtype = tensor::TensorLibrary::of(interpreter_).default_dtype};
}

void GuardSet::note_modes() { modes_ = modes_now(); }

std::optional<std::string> GuardSet::modes_failure() const {
  const Modes now = modes_now();
  std::string changed;
  if (now.grad != modes_.grad) changed += " grad_mode";
  if (now.autocast != modes_.autocast || now.autocast_caches != modes_.autocast_caches) changed += " autocast";
  if (now.default_dtype != modes_.default_dtype) changed += " default_dtype";
  if (changed.empty()) return std::nullopt;
  return "GLOBAL_STATE changed:" + changed;
}

std::optional<std::string> GuardSet::failure(Scope scope, std::size_t source_count) const {
  if (std::optional<std::string> text = modes_failure()) return text;
  if (program_ == nullptr) program_ = std::make_unique<const GuardProgram>(interpreter_, guards_);
  if (program_->holds(scope)) return std::nullopt;
  return first_failure(scope, source_count);
}

std::optional<std::string> GuardSet::first_failure(Scope scope, std::size_t source_count) const {
  // Behaviour: torch/_guards.py, Guard.sort_key.
  std::vector<const Guard*> order;
  for (const Guard& guard : guards_) {
    if (!guard.is_silent) order.push_back(&guard);
  }
  std::stable_sort(order.begin(), order.end(), [](const Guard* a, const Guard* b) {
    const int x = origin_order(*a->source), y = origin_order(*b->source);
    if (x != y) return x < y;
    const std::string &p = a->source->name(), &q = b->source->name();
    return p.size() != q.size() ? p.size() < q.size() : p < q;
  });
  SourceReader reader(interpreter_, scope, source_count);
  const ReadSource read = [&reader](const Source& source) { return reader.read(source); };
  for (const Guard* guard : order) {
    const Value value = reader.read(*guard->source);
    if (value.is_absent()) {
      if (guard->kind == GuardKind::HasAttr && !guard->expects) continue;
      const Source* gone = reader.missing() == nullptr ? guard->source : reader.missing();
      return fmt::format("KeyError on {}", without_locals(gone->name()));
    }
    if (!holds(interpreter_, *guard, value, read)) return failure_text(interpreter_, *guard, value);
  }
  // Two tensors that were different must not be one now.
  std::set<const object::Object*> tensors;
  for (const Guard* guard : order) {
    if (guard->kind != GuardKind::TensorMatch) continue;
    const Value value = reader.read(*guard->source);
    if (value.is_object() && !tensors.insert(value.object()).second) {
      return fmt::format("Duplicate tensor found where not expected! {} should not alias to anything, but is aliased",
                         without_locals(guard->source->name()));
    }
  }
  return std::nullopt;
}

}  // namespace nns::dynamo
