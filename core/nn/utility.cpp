#include "core/nn/utility.h"

#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/ops/python_function.h"

namespace nns::nn {
namespace {

using FamilyTable = std::span<const UtilityRow> (*)();
constexpr FamilyTable kFamilies[] = {
#define NNS_UTILITIES(family) &family##_utilities,
#include "core/nn/utility.def"
#undef NNS_UTILITIES
};

std::string_view name_of(const UtilityRow& row) { return row.signature.substr(0, row.signature.find('(')); }

}  // namespace

void add_utilities(Interpreter& interpreter) {
  for (const FamilyTable family : kFamilies) {
    for (const UtilityRow& row : family()) utility(interpreter, row.module, name_of(row));
  }
}

Value utility(Interpreter& interpreter, std::string_view module, std::string_view name) {
  Dict& attributes = ops::python_module(interpreter, module);
  if (const Value* found = attributes.find(name)) return *found;
  for (const FamilyTable family : kFamilies) {
    for (const UtilityRow& row : family()) {
      if (row.module != module || name_of(row) != name) continue;
      const bool is_function = row.signature.find('(') != std::string_view::npos;
      Value made =
          is_function ? Value(interpreter.function(row.signature, row.body)) : row.body(interpreter, {}).value();
      attributes.set(interpreter.intern(name), made);
      return made;
    }
  }
  return Value::absent();
}

PyResult<Value> call_utility(Interpreter& interpreter, std::string_view module, std::string_view name,
                             std::span<const Value> positional, std::span<const Keyword> keywords) {
  return interpreter.call(utility(interpreter, module, name), positional, keywords);
}

PyResult<std::vector<Ref<Tensor>>> tensors_of(Interpreter& interpreter, const Value& value) {
  std::vector<Ref<Tensor>> tensors;
  if (Tensor* tensor = value.as<Tensor>()) {
    tensors.emplace_back(tensor);
    return tensors;
  }
  NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(interpreter, value));
  for (const Value& item : items) {
    Tensor* const tensor = item.as<Tensor>();
    if (tensor == nullptr) {
      return object::type_error(interpreter, "expected Tensor, but got {}", interpreter.type_of(item).name());
    }
    tensors.emplace_back(tensor);
  }
  return tensors;
}

PyResult<Value> find_hook(Module& module, Registry table, const Class& cls, std::string_view attribute,
                          const Value& name) {
  Interpreter& in = module.interpreter();
  Dict* const hooks = module.filled_registry(table);
  if (hooks == nullptr) return Value::absent();
  for (const auto& [id, wrapped] : snapshot(*hooks)) {
    const auto parts = unwrap_hook(wrapped);
    const Value hook = parts ? parts->hook : wrapped;
    if (!object::isinstance(in, hook, cls)) continue;
    NNS_TRY_ASSIGN(const Value own, object::getattr(in, hook, in.intern(attribute)));
    NNS_TRY_ASSIGN(const bool same, object::equal(in, own, name));
    if (same) return Value(id);
  }
  return Value::absent();
}

PyResult<Value> remove_named_hook(Interpreter& interpreter, const Value& module, const Class& cls,
                                  std::string_view attribute, const Value& name, std::string_view not_found) {
  Module* const target = as_module(module);
  if (target == nullptr) {
    return object::attribute_error(interpreter, "'{}' object has no attribute '_forward_pre_hooks'",
                                   interpreter.type_of(module).name());
  }
  NNS_TRY_ASSIGN(const Value id, find_hook(*target, Registry::ForwardPreHooks, cls, attribute, name));
  if (id.is_absent()) {
    NNS_TRY_ASSIGN(const std::string shown_name, object::str(interpreter, name));
    NNS_TRY_ASSIGN(const std::string shown_module, object::str(interpreter, module));
    return object::make_error(
        interpreter, object::ErrorKind::ValueError,
        fmt::format(fmt::runtime(not_found), fmt::arg("name", shown_name), fmt::arg("module", shown_module)));
  }
  Dict& hooks = *target->registry_dict(Registry::ForwardPreHooks);
  const Value hook = *hooks.find(id);
  NNS_TRY(interpreter.call_method(hook, interpreter.intern("remove"), {module}));
  hooks.erase(id);
  return module;
}

}  // namespace nns::nn
