// Functions that only tell what happens: not called at all, or called when the graph has run.
// Behaviour: torch/_dynamo/variables/misc.py, DebuggingVariable; torch/_dynamo/config.py,
// reorderable_logging_functions.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

void Translator::read_log_settings() {
  const auto filled = [&](const char* name) -> Ref<object::Set> {
    const Value module = engine_.library_value("torch._dynamo", "config");
    const PyResult<Value> found =
        module.is_object() ? object::getattr(in_, module, in_.intern(name)) : PyResult<Value>(Value());
    auto* const functions = found.ok() ? found.value().as<object::Set>() : nullptr;
    return functions == nullptr || functions->keys().empty() ? Ref<object::Set>() : Ref<object::Set>(functions);
  };
  ignored_logs_ = filled("ignore_logging_functions");
  reordered_logs_ = filled("reorderable_logging_functions");
}

// The function as a program names it; Absent: it has no value.
Value Translator::logging_function(const Variable& callee) const {
  switch (callee.kind) {
    case VariableKind::Function:
    case VariableKind::Builtin:
      return callee.is_new || !callee.value.is_object() ? Value::absent() : callee.value;
    case VariableKind::Method:
      if (callee.function == nullptr || callee.self == nullptr || callee.self->is_new) return Value::absent();
      if (!callee.self->value.is_object() || !callee.function->value.is_object()) return Value::absent();
      return Value(object::make<object::BoundMethod>(in_, callee.self->value, callee.function->value));
    default:
      return Value::absent();
  }
}

Variable* Translator::logged_call(Variable* callee, Arguments args, Keywords keywords, bool& is_known) {
  is_known = false;
  if (!ignored_logs_ && !reordered_logs_) return nullptr;
  const Value function = logging_function(*callee);
  if (function.is_absent()) return nullptr;
  const Value of_class = callee->kind == VariableKind::Method ? callee->function->value : Value();
  const auto is_in = [&](const Ref<object::Set>& functions) {
    return functions &&
           (functions->keys().contains(function) || (of_class.is_object() && functions->keys().contains(of_class)));
  };
  is_known = is_in(ignored_logs_);
  if (is_known) return constant(Value());
  is_known = is_in(reordered_logs_);
  if (!is_known) return nullptr;
  const bool is_allowed =
      keywords.empty() && std::all_of(args.begin(), args.end(), [&](Variable* arg) {
        const Variable* const one = real(arg);
        return one != nullptr && (one->kind == VariableKind::Tensor || one->kind == VariableKind::Constant ||
                                  one->kind == VariableKind::Format);
      });
  if (has_failed()) return nullptr;
  if (!is_allowed) {
    return unsupported(
        "attempted to reorder a debugging function that can't actually be reordered",
        fmt::format("fn: {}, args: {}, kwargs: {}", repr_of(in_, function), shown(args, '['), shown(keywords)),
        "`torch.compile` cannot determine that the given debugging function can be reordered because its arguments are "
        "not tensors, constants, or string formatters.",
        {fmt::format("Avoid calling the logging function {} with args that are not supported.",
                     repr_of(in_, function))});
  }
  LoggedCall made{function, {}};
  for (Variable* arg : args) made.args.push_back(real(arg));
  logs_.push_back(std::move(made));
  return constant(Value());
}

}  // namespace nns::dynamo
