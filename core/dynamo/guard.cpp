#include "core/dynamo/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/object/operations.h"
#include "core/ops/op.h"
#include "core/python/eval/function.h"

namespace nns::dynamo {
namespace {

std::string class_text(const Class* cls) { return cls == nullptr ? std::string() : object::class_repr(*cls); }

// Of a function what must stay: its code; of a bound method that of its function.
const object::Object* code_of(const Value& value) {
  if (python::Function* function = python::as_function(value)) return function->code_reference().get();
  return value.object();
}

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

// The number that an expression has now; Absent: it cannot be computed.
Value value_of(Interpreter& in, const Expression& expression, SourceReader& reader) {
  if (expression.source != nullptr) return reader.read(*expression.source);
  if (expression.operands.empty()) return expression.constant;
  std::vector<Value> operands;
  for (const auto& one : expression.operands) {
    operands.push_back(value_of(in, *one, reader));
    if (operands.back().is_absent()) return Value::absent();
  }
  PyResult<Value> result = in.call(expression.function, operands);
  return result.ok() ? std::move(result).value() : Value::absent();
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

std::string Guard::kind_text() const { return std::string(guard_kind_name(kind)) + detail; }

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
  std::string key = fmt::format("{}|{}|{}|{}", static_cast<int>(guard.kind), guard.detail, guard.source->name,
                                guard.source->class_name());
  if (seen_.insert(std::move(key)).second) guards_.push_back(std::move(guard));
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
    if (guard.kind == GuardKind::TypeMatch && guard.source->name == source.name) guard.type = &cls;
  }
}

void GuardSet::sort() {
  std::stable_sort(guards_.begin(), guards_.end(), [](const Guard& a, const Guard& b) {
    const int x = origin_order(*a.source), y = origin_order(*b.source);
    if (x != y) return x < y;
    if (a.source->name.size() != b.source->name.size()) return a.source->name.size() < b.source->name.size();
    return a.source->name < b.source->name;
  });
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
  SourceReader reader(interpreter_, scope, source_count);
  for (const Guard& guard : guards_) {
    if (guard.is_silent) continue;
    if (std::optional<std::string> text = failure_of(guard, reader)) return text;
  }
  // Two tensors that were different must not be one now.
  std::set<const object::Object*> tensors;
  for (const Guard& guard : guards_) {
    if (guard.kind != GuardKind::TensorMatch) continue;
    const Value value = reader.read(*guard.source);
    if (value.is_object() && !tensors.insert(value.object()).second) {
      return fmt::format("Duplicate tensor found where not expected! {} should not alias to anything, but is aliased",
                         without_locals(guard.source->name));
    }
  }
  return std::nullopt;
}

std::optional<std::string> GuardSet::tensor_failure(const Guard& guard, const Value& value) const {
  const std::string name = without_locals(guard.source->name);
  const TensorFacts& facts = guard.tensor;
  // What lies in the graph itself must stay this one tensor.
  if (guard.id != 0) {
    if (value.is_object() && interpreter_.id_of(*value.object()) == guard.id) return std::nullopt;
    return fmt::format("___check_obj_id({}, <id>), type={}", name, class_text(facts.cls));
  }
  const auto* found = value.as<tensor::Tensor>();
  if (found == nullptr || &found->type() != facts.cls) {
    return fmt::format("expected type of '{}' to be {}, but found {}", name, class_text(facts.cls),
                       class_text(&interpreter_.type_of(value)));
  }
  const std::string_view remark = facts.cls->name() == "Parameter"
                                      ? ". Guard failed on a parameter, consider using "
                                        "torch._dynamo.config.force_parameter_static_shapes = False to "
                                        "allow dynamism on parameters."
                                      : "";
  if (found->dtype() != facts.dtype) {
    return fmt::format("tensor '{}' dtype mismatch. expected {}, actual {}{}", name,
                       tensor::kDTypes[static_cast<std::size_t>(facts.dtype)].torch_name,
                       tensor::kDTypes[static_cast<std::size_t>(found->dtype())].torch_name, remark);
  }
  if (found->device() != facts.device) return fmt::format("tensor '{}' device mismatch{}", name, remark);
  if (found->requires_grad() != facts.requires_grad) {
    return fmt::format("tensor '{}' requires_grad mismatch. expected requires_grad={}{}", name,
                       facts.requires_grad ? 1 : 0, remark);
  }
  if (found->ndim() != facts.shape.size()) {
    return fmt::format("tensor '{}' rank mismatch. expected {}, actual {}{}", name, facts.shape.size(), found->ndim(),
                       remark);
  }
  for (std::size_t i = 0; i < facts.shape.size(); ++i) {
    if (!facts.is_free_size.empty() && facts.is_free_size[i]) continue;
    if (found->shape()[i] != facts.shape[i]) {
      return fmt::format("tensor '{}' size mismatch at index {}. expected {}, actual {}{}", name, i, facts.shape[i],
                         found->shape()[i], remark);
    }
  }
  for (std::size_t i = 0; i < facts.strides.size(); ++i) {
    if (!facts.is_free_stride.empty() && facts.is_free_stride[i]) continue;
    if (found->strides()[i] != facts.strides[i]) {
      return fmt::format("tensor '{}' stride mismatch at index {}. expected {}, actual {}{}", name, i, facts.strides[i],
                         found->strides()[i], remark);
    }
  }
  return std::nullopt;
}

// NOLINTNEXTLINE(readability-function-size): one case a kind.
std::optional<std::string> GuardSet::failure_of(const Guard& guard, SourceReader& reader) const {
  Interpreter& in = interpreter_;
  const std::string name = without_locals(guard.source->name);
  const Value value = reader.read(*guard.source);
  if (value.is_absent()) {
    if (guard.kind == GuardKind::HasAttr && !guard.expects) return std::nullopt;
    const Source* gone = reader.missing() == nullptr ? guard.source : reader.missing();
    return fmt::format("KeyError on {}", without_locals(gone->name));
  }
  const auto unless = [](bool holds, auto make) -> std::optional<std::string> {
    if (holds) return std::nullopt;
    return make();
  };
  const auto holder_dict = [&value]() { return value.is_object() ? value.object()->instance_dict(false) : nullptr; };
  switch (guard.kind) {
    case GuardKind::TypeMatch:
      return unless(&in.type_of(value) == guard.type,
                    [&] { return fmt::format("___check_type_id({}, <id>), type={}", name, class_text(guard.type)); });
    case GuardKind::IdMatch:
    case GuardKind::NNModule:
    case GuardKind::ClassMatch:
    case GuardKind::ModuleMatch:
    case GuardKind::BuiltinMatch: {
      const bool holds =
          guard.id != 0 ? value.is_object() && in.id_of(*value.object()) == guard.id : value.is(guard.value);
      return unless(holds,
                    [&] { return fmt::format("___check_obj_id({}, <id>), type={}", name, class_text(guard.type)); });
    }
    case GuardKind::ClosureMatch: {
      const object::Object* code = code_of(value);
      return unless(code != nullptr && in.id_of(*code) == guard.id,
                    [&] { return fmt::format("___check_obj_id({}.__code__, <id>), type=<class 'code'>", name); });
    }
    case GuardKind::ConstantMatch:
    case GuardKind::EqualsMatch: {
      if (guard.value.is_none()) return unless(value.is_none(), [&] { return fmt::format("{} is None", name); });
      bool holds = &in.type_of(value) == &in.type_of(guard.value);
      if (holds) {
        const PyResult<bool> equal = object::equal(in, value, guard.value);
        // A NaN equals nothing; it is the same constant all the same.
        holds = (equal.ok() && equal.value()) || value.is(guard.value);
      }
      return unless(holds, [&] { return fmt::format("{} == {}", name, repr_of(in, guard.value)); });
    }
    case GuardKind::TensorMatch:
      return tensor_failure(guard, value);
    case GuardKind::SequenceLength:
    case GuardKind::DictLength: {
      const PyResult<std::int64_t> length = object::length(in, value);
      const bool holds = length.ok() && length.value() == static_cast<std::int64_t>(guard.length) &&
                         (guard.type == nullptr || guard.type == &in.type_of(value));
      return unless(holds, [&] {
        return guard.length == 0
                   ? fmt::format("not {}", name)
                   : fmt::format("len({}) {} {}", name, value.as<Dict>() != nullptr ? "!=" : "==", guard.length);
      });
    }
    case GuardKind::DictKeysMatch: {
      auto* dict = value.as<Dict>();
      if (dict == nullptr || dict->size() != guard.keys.size())
        return guard.keys.empty() ? fmt::format("not {}", name) : fmt::format("len({}) != {}", name, guard.keys.size());
      const std::vector<Value> keys = dict->keys();
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (!object::equal_keys(keys[i], guard.keys[i])) {
          return fmt::format("list(dict.keys({}))[{}] == {}", name, i, repr_of(in, guard.keys[i]));
        }
      }
      return std::nullopt;
    }
    case GuardKind::DictContains:
    case GuardKind::DictNotContains:
    case GuardKind::SetContains:
    case GuardKind::SetNotContains: {
      const bool wants = guard.kind == GuardKind::DictContains || guard.kind == GuardKind::SetContains;
      const PyResult<bool> has = object::contains(in, value, guard.value);
      const bool is_dict = guard.kind == GuardKind::DictContains || guard.kind == GuardKind::DictNotContains;
      return unless(has.ok() && has.value() == wants, [&] {
        return fmt::format("{}___{}_contains({}, {})", wants ? "" : "not ", is_dict ? "dict" : "set",
                           repr_of(in, guard.value), name);
      });
    }
    case GuardKind::NotPresent: {
      Dict* own = holder_dict();
      return unless(own == nullptr || !own->contains(guard.value), [&] {
        return fmt::format("not ___dict_contains({}, {}.__dict__)", repr_of(in, guard.value), name);
      });
    }
    case GuardKind::HasAttr: {
      const PyResult<bool> has = object::hasattr(in, value, in.intern(guard.value.as<object::Str>()->view()));
      return unless(has.ok() && has.value() == guard.expects, [&] {
        return fmt::format("{}hasattr({}, {})", guard.expects ? "" : "not ", name, repr_of(in, guard.value));
      });
    }
    case GuardKind::EmptyHooks: {
      const auto* dict = value.as<Dict>();
      return unless(dict != nullptr && dict->empty(), [&] { return fmt::format("not {}", name); });
    }
    case GuardKind::ShapeEnv: {
      const Value now = value_of(in, *guard.expression, reader);
      if (guard.value.is_absent()) {
        const bool holds = now.is_int() && now.as_int() >= guard.lower && now.as_int() <= guard.upper;
        return unless(holds, [&] { return range_text(guard.lower, guard.expression->text, guard.upper); });
      }
      const PyResult<bool> same = now.is_absent() ? PyResult<bool>(false) : object::equal(in, now, guard.value);
      const std::string& text = guard.expression->text;
      return unless(same.ok() && same.value(), [&] {
        if (guard.value.is_bool()) return guard.value.as_bool() ? text : fmt::format("not ({})", text);
        return fmt::format("{} == {}", text, repr_of(in, guard.value));
      });
    }
    case GuardKind::DuplicateInput: {
      const Value other = reader.read(*guard.other);
      return unless(other.is(value), [&] { return fmt::format("{} is {}", without_locals(guard.other->name), name); });
    }
  }
  return std::nullopt;
}

}  // namespace nns::dynamo
