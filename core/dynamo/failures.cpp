// Why tracing stops: breaks, exceptions of the program, a fresh start.
#include <fmt/format.h>
#include <algorithm>
#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/default_dict.h"
#include "core/object/operations.h"

namespace nns::dynamo {

Variable* Translator::unsupported(BreakReason reason) {
  if (has_failed()) return nullptr;
  failure_.kind = Failure::Kind::Unsupported;
  failure_.reason = located(std::move(reason));
  return nullptr;
}

Variable* Translator::unsupported(std::string type, std::string context, std::string explanation,
                                  std::vector<std::string> given) {
  BreakReason reason;
  reason.type = std::move(type);
  reason.context = std::move(context);
  reason.explanation = std::move(explanation);
  reason.hints = std::move(given);
  return unsupported(std::move(reason));
}

Variable* Translator::unsupported_builtin(std::string_view name, Arguments args, bool has_keywords) {
  std::string types;
  for (Variable* arg : args) {
    Variable* value = real(arg);
    if (value == nullptr) return nullptr;
    types += (types.empty() ? "'" : ", '") + std::string(type_of(*value).name()) + "'";
  }
  const std::string call = fmt::format("builtin `{}` with argument types [{}]", name, types);
  return unsupported(
      "Failed to trace builtin operator",
      fmt::format("builtin {} [{}] {}", name, types, has_keywords ? "True" : "False"),
      fmt::format("Dynamo does not know how to trace builtin operator `{}` with argument types [{}] (has_kwargs {})",
                  name, types, has_keywords ? "True" : "False"),
      {fmt::format("Avoid calling {}. Consider using an equivalent alternative function/method to `{}`.", call, name),
       fmt::format("If you are attempting to call a logging function (e.g. `print`), you can try adding it to "
                   "`torch._dynamo.config.reorderable_logging_functions`."),
       "Please report an issue to PyTorch."});
}

Variable* Translator::raise(Variable* exception) {
  // What follows from a symbol that has to be a constant is no error of the program.
  if (failure_.kind == Failure::Kind::Restart) return nullptr;
  // What is handled meanwhile is what it is raised in.
  for (const TracedFrame* frame = frame_; frame != nullptr && exception->function == nullptr; frame = frame->back) {
    if (frame->handled.empty()) continue;
    if (frame->handled.back() != exception && exception->is_new) exception->function = frame->handled.back();
    break;
  }
  failure_.kind = Failure::Kind::Observed;
  failure_.exception = exception;
  failure_.reason = located({});
  return nullptr;
}

Variable* Translator::raise(object::ErrorKind kind, std::string_view message) {
  return raise(object::make_error(in_, kind, message));
}

Variable* Translator::raise(const PyError& error) {
  const object::Exception& exception = error.exception();
  Variable& made = arena_->make(VariableKind::Exception);
  made.value = Value(static_cast<object::Object*>(&exception.type()));
  made.is_new = true;
  if (exception.arguments()) {
    for (const Value& item : exception.arguments()->items()) made.items.push_back(constant(item));
  }
  return raise(&made);
}

Variable* Translator::raise_key_error(Variable* key) {
  Variable& made = arena_->make(VariableKind::Exception);
  made.value = Value(static_cast<object::Object*>(&in_.builtins().exception(object::ErrorKind::KeyError)));
  made.items.push_back(key);
  made.is_new = true;
  return raise(&made);
}

Variable* Translator::restart_unspecialized(const Value& module) {
  engine_.mark_unspecialized(module, frame_ == nullptr || frame_->code->name != "__init__");
  failure_.kind = Failure::Kind::RestartUnspecialized;
  return nullptr;
}

const TracedFrame* Translator::program_frame() const {
  const TracedFrame* frame = frame_;
  while (frame != nullptr && frame->is_library) frame = frame->back;
  return frame;
}

BreakReason Translator::located(BreakReason reason) const {
  for (const TracedFrame* frame = frame_; frame != nullptr; frame = frame->back) {
    if (frame->is_library) continue;
    reason.stack.insert(reason.stack.begin(), {frame->is_root ? start_.name : frame->code->name, frame->line()});
    reason.files.insert(reason.files.begin(), std::string(frame->code->tree->source().name()));
    reason.lines.insert(reason.lines.begin(), line_text(*frame->code, frame->line()));
    if (reason.code.empty()) reason.code = reason.lines.front();
  }
  return reason;
}

Variable* Translator::library_function(std::string_view cls, std::string_view name) {
  const Value found = engine_.library_method(cls, name);
  if (found.is_absent()) return nullptr;
  if (const auto known = known_.find(found.object()); known != known_.end()) return known->second;
  Variable& made = function_of(found);
  made.is_library = true;
  made.name = fmt::format("{}.{}", cls, name);
  return track(found, &made);
}

}  // namespace nns::dynamo
