// What each kind of guard holds a value to, and how it tells that it does not.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/guard.h"
#include "core/object/operations.h"
#include "core/python/eval/function.h"

namespace nns::dynamo {
namespace {

std::string class_text(const Class* cls) { return cls == nullptr ? std::string() : object::class_repr(*cls); }

// Of a function what must stay: its code; of a bound method that of its function.
const object::Object* code_of(const Value& value) {
  if (python::Function* function = python::as_function(value)) return function->code_reference().get();
  return value.object();
}

// The sizes that mark_dynamic() named; null: none was.
object::Set* marks_of(Interpreter& in, const tensor::Tensor& tensor) {
  Dict* const own = const_cast<tensor::Tensor&>(tensor).instance_dict(false);
  const Value* const found = own == nullptr ? nullptr : own->find(in.intern("_dynamo_dynamic_indices"));
  return found == nullptr ? nullptr : found->as<object::Set>();
}

// What is marked now was marked when the frame was compiled.
bool marks_hold(Interpreter& in, const TensorFacts& facts, const tensor::Tensor& tensor) {
  object::Set* const now = marks_of(in, tensor);
  if (now == nullptr) return true;
  const auto* const then = facts.marks.is_absent() ? nullptr : facts.marks.as<object::Set>();
  if (then == nullptr) return false;
  const std::vector<Value> marks = now->keys().keys();
  return std::all_of(marks.begin(), marks.end(),
                     [&](const Value& one) { return const_cast<object::Set*>(then)->keys().contains(one); });
}

bool tensor_holds(Interpreter& in, const Guard& guard, const Value& value) {
  // What lies in the graph itself must stay this one tensor.
  if (guard.id != 0) return value.is_object() && in.id_of(*value.object()) == guard.id;
  const TensorFacts& facts = *guard.tensor;
  const auto* found = value.as<tensor::Tensor>();
  if (found == nullptr || &found->type() != facts.cls || found->dtype() != facts.dtype ||
      found->device() != facts.device || found->requires_grad() != facts.requires_grad ||
      found->ndim() != facts.shape.size())
    return false;
  for (std::size_t i = 0; i < facts.shape.size(); ++i) {
    const bool is_free = !facts.is_free_size.empty() && facts.is_free_size[i];
    if (!is_free && found->shape()[i] != facts.shape[i]) return false;
  }
  for (std::size_t i = 0; i < facts.strides.size(); ++i) {
    const bool is_free = !facts.is_free_stride.empty() && facts.is_free_stride[i];
    if (!is_free && found->strides()[i] != facts.strides[i]) return false;
  }
  return marks_hold(in, facts, *found);
}

std::string tensor_failure(Interpreter& in, const Guard& guard, const Value& value) {
  const std::string name = without_locals(guard.source->name());
  const TensorFacts& facts = *guard.tensor;
  if (guard.id != 0) return fmt::format("___check_obj_id({}, <id>), type={}", name, class_text(facts.cls));
  const auto* found = value.as<tensor::Tensor>();
  if (found == nullptr || &found->type() != facts.cls) {
    return fmt::format("expected type of '{}' to be {}, but found {}", name, class_text(facts.cls),
                       class_text(&in.type_of(value)));
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
  if (marks_hold(in, facts, *found)) return {};
  if (facts.marks.is_absent()) return fmt::format("hasattr({}, '_dynamo_dynamic_indices') == False", name);
  return fmt::format(
      "(({0}._dynamo_dynamic_indices.issubset({1})) if hasattr({0}, '_dynamo_dynamic_indices') else True)", name,
      repr_of(in, facts.marks));
}

}  // namespace

Value number_now(Interpreter& in, const Expression& expression, const ReadSource& read) {
  if (expression.source != nullptr) return read(*expression.source);
  if (expression.operands.empty()) return expression.constant;
  std::vector<Value> operands;
  for (const auto& one : expression.operands) {
    operands.push_back(number_now(in, *one, read));
    if (operands.back().is_absent()) return Value::absent();
  }
  PyResult<Value> result = in.call(expression.function, operands);
  return result.ok() ? std::move(result).value() : Value::absent();
}

// NOLINTNEXTLINE(readability-function-size): one case a kind.
bool holds(Interpreter& in, const Guard& guard, const Value& value, const ReadSource& read) {
  switch (guard.kind) {
    case GuardKind::TypeMatch:
      return &in.type_of(value) == guard.type;
    case GuardKind::IdMatch:
    case GuardKind::NNModule:
    case GuardKind::ClassMatch:
    case GuardKind::ModuleMatch:
    case GuardKind::BuiltinMatch:
      return guard.id != 0 ? value.is_object() && in.id_of(*value.object()) == guard.id : value.is(guard.value);
    case GuardKind::ClosureMatch: {
      const object::Object* code = code_of(value);
      return code != nullptr && in.id_of(*code) == guard.id;
    }
    case GuardKind::ConstantMatch:
    case GuardKind::EqualsMatch: {
      // A NaN equals nothing; it is the same constant all the same.
      if (value.is(guard.value)) return true;
      if (guard.value.is_none() || &in.type_of(value) != &in.type_of(guard.value)) return false;
      const PyResult<bool> equal = object::equal(in, value, guard.value);
      return equal.ok() && equal.value();
    }
    case GuardKind::TensorMatch:
      return tensor_holds(in, guard, value);
    case GuardKind::SequenceLength:
    case GuardKind::DictLength: {
      // Of a class of the program that derives from one, its own __len__ is not asked.
      const auto* list = value.as<object::List>();
      auto* dict = value.as<Dict>();
      const PyResult<std::int64_t> length = list != nullptr   ? static_cast<std::int64_t>(list->items().size())
                                            : dict != nullptr ? static_cast<std::int64_t>(dict->size())
                                                              : object::length(in, value);
      return length.ok() && length.value() == static_cast<std::int64_t>(guard.length) &&
             (guard.type == nullptr || guard.type == &in.type_of(value));
    }
    case GuardKind::DictKeysMatch: {
      auto* dict = value.as<Dict>();
      if (dict == nullptr || dict->size() != guard.keys.size()) return false;
      std::size_t at = 0;
      for (const Value& key : guard.keys) {
        const Dict::Entry* entry = dict->next(at);
        if (entry == nullptr || !object::equal_keys(entry->key, key)) return false;
      }
      return true;
    }
    case GuardKind::DictContains:
    case GuardKind::DictNotContains:
    case GuardKind::SetContains:
    case GuardKind::SetNotContains: {
      const bool wants = guard.kind == GuardKind::DictContains || guard.kind == GuardKind::SetContains;
      if (auto* dict = value.as<Dict>(); dict != nullptr && is_plain_key(guard.value))
        return dict->contains(guard.value) == wants;
      const PyResult<bool> has = object::contains(in, value, guard.value);
      return has.ok() && has.value() == wants;
    }
    case GuardKind::NotPresent: {
      Dict* own = value.is_object() ? value.object()->instance_dict(false) : nullptr;
      return own == nullptr || !own->contains(guard.value);
    }
    case GuardKind::HasAttr: {
      const PyResult<bool> has = object::hasattr(in, value, in.intern(guard.value.as<object::Str>()->view()));
      return has.ok() && has.value() == guard.expects;
    }
    case GuardKind::EmptyHooks: {
      const auto* dict = value.as<Dict>();
      return dict != nullptr && dict->empty();
    }
    case GuardKind::ShapeEnv: {
      const Value now = number_now(in, *guard.expression, read);
      if (guard.value.is_absent()) return now.is_int() && now.as_int() >= guard.lower && now.as_int() <= guard.upper;
      const PyResult<bool> same = now.is_absent() ? PyResult<bool>(false) : object::equal(in, now, guard.value);
      return same.ok() && same.value();
    }
    case GuardKind::DuplicateInput:
      return read(*guard.other).is(value);
  }
  return true;
}

namespace {

// A guard as code, its source being called `name`.
// NOLINTNEXTLINE(readability-function-size): one case a kind.
std::string text_of(Interpreter& in, const Guard& guard, const Value& value, const std::string& name) {
  switch (guard.kind) {
    case GuardKind::TypeMatch:
      return fmt::format("___check_type_id({}, <id>), type={}", name, class_text(guard.type));
    case GuardKind::IdMatch:
    case GuardKind::NNModule:
    case GuardKind::ClassMatch:
    case GuardKind::ModuleMatch:
    case GuardKind::BuiltinMatch:
      return fmt::format("___check_obj_id({}, <id>), type={}", name, class_text(guard.type));
    case GuardKind::ClosureMatch:
      return fmt::format("___check_obj_id({}.__code__, <id>), type=<class 'code'>", name);
    case GuardKind::ConstantMatch:
    case GuardKind::EqualsMatch:
      if (guard.value.is_none()) return fmt::format("{} is None", name);
      return fmt::format("{} == {}", name, repr_of(in, guard.value));
    case GuardKind::TensorMatch:
      return tensor_failure(in, guard, value);
    case GuardKind::SequenceLength:
    case GuardKind::DictLength:
      if (guard.type != nullptr && guard.type != &in.type_of(value))
        return fmt::format("___check_type_id({}, <id>), type={}", name, class_text(guard.type));
      if (guard.length == 0) return fmt::format("not {}", name);
      return fmt::format("len({}) {} {}", name, value.as<Dict>() != nullptr ? "!=" : "==", guard.length);
    case GuardKind::DictKeysMatch: {
      auto* dict = value.as<Dict>();
      if (dict == nullptr || dict->size() != guard.keys.size())
        return guard.keys.empty() ? fmt::format("not {}", name) : fmt::format("len({}) != {}", name, guard.keys.size());
      const std::vector<Value> keys = dict->keys();
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (!object::equal_keys(keys[i], guard.keys[i]))
          return fmt::format("list(dict.keys({}))[{}] == {}", name, i, repr_of(in, guard.keys[i]));
      }
      return {};
    }
    case GuardKind::DictContains:
    case GuardKind::DictNotContains:
    case GuardKind::SetContains:
    case GuardKind::SetNotContains: {
      const bool wants = guard.kind == GuardKind::DictContains || guard.kind == GuardKind::SetContains;
      const bool is_dict = guard.kind == GuardKind::DictContains || guard.kind == GuardKind::DictNotContains;
      return fmt::format("{}___{}_contains({}, {})", wants ? "" : "not ", is_dict ? "dict" : "set",
                         repr_of(in, guard.value), name);
    }
    case GuardKind::NotPresent:
      return fmt::format("not ___dict_contains({}, {}.__dict__)", repr_of(in, guard.value), name);
    case GuardKind::HasAttr:
      return fmt::format("{}hasattr({}, {})", guard.expects ? "" : "not ", name, repr_of(in, guard.value));
    case GuardKind::EmptyHooks:
      return fmt::format("not {}", name);
    case GuardKind::ShapeEnv: {
      const std::string& text = guard.expression->text;
      if (guard.value.is_absent()) return range_text(guard.lower, text, guard.upper);
      if (guard.value.is_bool()) return guard.value.as_bool() ? text : fmt::format("not ({})", text);
      return fmt::format("{} == {}", text, repr_of(in, guard.value));
    }
    case GuardKind::DuplicateInput:
      return fmt::format("{} is {}", without_locals(guard.other->name()), name);
  }
  return {};
}

// Behaviour: torch/csrc/dynamo/guards.cpp, TensorCheck; torch/_dynamo/guards.py, get_tensor_guard_code_part.
std::string tensor_text(Interpreter& in, const Guard& guard, const std::string& name) {
  const TensorFacts& facts = *guard.tensor;
  if (guard.id != 0) return fmt::format("___check_obj_id({}, <id>), type={}", name, class_text(facts.cls));
  const auto listed = [](const tensor::Dims& dims, const std::vector<bool>& is_free) {
    std::string text;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      text += i > 0 ? ", " : "";
      text += i < is_free.size() && is_free[i] ? "None" : std::to_string(dims[i]);
    }
    return text;
  };
  const std::string_view keys = facts.device == tensor::Device::Cuda ? "CUDA" : "CPU";
  std::string text = fmt::format(
      "check_tensor({}, {}, DispatchKeySet({}, BackendSelect, ADInplaceOrView, Autograd{}), torch.{}, device={}, "
      "requires_grad={}, size=[{}], stride=[{}])",
      name, facts.cls->name(), keys, keys, tensor::kDTypes[static_cast<std::size_t>(facts.dtype)].torch_name,
      facts.device == tensor::Device::Cuda ? "0" : "None", facts.requires_grad ? "True" : "False",
      listed(facts.shape, facts.is_free_size), listed(facts.strides, facts.is_free_stride));
  return facts.marks.is_absent()
             ? text
             : fmt::format("{} and {}._dynamo_dynamic_indices.issubset({})", text, name, repr_of(in, facts.marks));
}

}  // namespace

std::string failure_text(Interpreter& in, const Guard& guard, const Value& value) {
  return text_of(in, guard, value, without_locals(guard.source->name()));
}

std::string condition_text(Interpreter& in, const Guard& guard, const Value& value) {
  const std::string name = guard.source == nullptr ? std::string() : guard.source->name();
  if (guard.kind == GuardKind::TensorMatch) return tensor_text(in, guard, name);
  if (guard.kind == GuardKind::DictKeysMatch) {
    std::string keys;
    for (const Value& key : guard.keys) keys += (keys.empty() ? "" : ", ") + repr_of(in, key);
    return fmt::format("list(dict.keys({})) == [{}]", name, keys);
  }
  if ((guard.kind == GuardKind::SequenceLength || guard.kind == GuardKind::DictLength) && guard.length > 0)
    return fmt::format("len({}) == {}", name, guard.length);
  return text_of(in, guard, value, name);
}

}  // namespace nns::dynamo
