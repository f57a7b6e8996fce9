// Instructions of contexts and exceptions on trackers.
#include <fmt/format.h>
#include <algorithm>
#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/dynamo/mode_context.h"
#include "core/dynamo/step.h"
#include "core/nn/module.h"
#include "core/object/new_class.h"
#include "core/object/operations.h"

namespace nns::dynamo {

Variable* Translator::with_enter(TracedFrame& frame, Variable* context) {
  if (context->kind == VariableKind::Context) {
    // The same one may be entered again inside.
    Variable& entered = arena_->make(VariableKind::Context);
    entered = *context;
    if (!enter_mode(entered)) return nullptr;
    entered.is_entered = true;
    push(frame, &entered);
    return is_null_context(*entered.value.as<Class>()) && !entered.items.empty() ? real(entered.items[0])
                                                                                 : constant(Value());
  }
  // torch.device among them: what it sets would not be seen while the frame is traced.
  if (context->kind == VariableKind::Constant || type_of(*context).lookup(in_.intern("__enter__")) == nullptr) {
    const std::string name(type_of(*context).name());
    return unsupported(
        "Unsupported context manager",
        context->kind == VariableKind::Constant
            ? fmt::format("Attempted SETUP_WITH/BEFORE_WITH/LOAD_SPECIAL on ConstantVariable({}: {})", name,
                          repr_of(in_, context->value))
            : fmt::format("Attempted SETUP_WITH/BEFORE_WITH/LOAD_SPECIAL on UserDefinedObjectVariable({})", name),
        fmt::format("Dynamo does not know how to enter a `{}` context manager.", name),
        {"Avoid using the unsupported context manager.",
         "If the context manager seems like it should be supported (e.g. torch.set_grad_enabled), then it may be the "
         "case that it was created outside the compiled region, which Dynamo does not support. Supported context "
         "managers can cross graph break boundaries only if they are local non-closure variables, or are intermediate "
         "values.",
         "File an issue to PyTorch. Simple context managers can potentially be supported, but note that context "
         "managers can't be supported in general"});
  }
  NNS_VARIABLE(exit, load_attribute(context, in_.intern("__exit__")));
  push(frame, exit);
  Variable* value = call_method(context, in_.intern("__enter__"), {});
  return value;
}

Translator::Step Translator::step_exceptions(TracedFrame& frame, const Instruction& instruction) {
  const std::uint32_t arg = instruction.arg;
  switch (instruction.op) {
    case Opcode::SetupHandler:
      frame.handlers.push_back({arg, frame.stack.size() - instruction.extra});
      return Step::Next;
    case Opcode::PopHandler:
      frame.handlers.pop_back();
      return Step::Next;
    case Opcode::PushException: {
      Variable* exception = pop(frame);
      push(frame, frame.handled.empty() ? constant(Value()) : frame.handled.back());
      frame.handled.push_back(exception);
      push(frame, exception);
      return Step::Next;
    }
    case Opcode::PopException:
      pop(frame);
      if (!frame.handled.empty()) frame.handled.pop_back();
      return Step::Next;
    case Opcode::CheckException: {
      Variable* type = real(pop(frame));
      Variable* exception = frame.stack.back();
      if (type == nullptr) return Step::Failed;
      const Value cls = constant_value(type);
      const PyResult<bool> caught = object::is_subclass(in_, exception->value, cls);
      if (!caught.ok()) return raise(caught.error()), Step::Failed;
      NNS_STEP(constant(Value(caught.value())));
    }
    case Opcode::Reraise:
      raise(pop(frame));
      return Step::Failed;
    case Opcode::Raise: {
      if (arg == 0) {
        if (frame.handled.empty()) {
          raise(object::ErrorKind::RuntimeError, "No active exception to reraise");
          return Step::Failed;
        }
        raise(frame.handled.back());
        return Step::Failed;
      }
      Variable* cause = arg == 2 ? real(pop(frame)) : nullptr;
      if (arg == 2 && cause == nullptr) return Step::Failed;
      Variable* exception = real(pop(frame));
      if (exception == nullptr) return Step::Failed;
      if (exception->kind == VariableKind::Class) {
        exception = call_class(exception, {}, {});
        if (exception == nullptr) return Step::Failed;
      }
      if (exception->kind != VariableKind::Exception) {
        raise(object::ErrorKind::TypeError, "exceptions must derive from BaseException");
        return Step::Failed;
      }
      if (cause != nullptr) {
        if (cause->kind == VariableKind::Class) cause = call_class(cause, {}, {});
        if (cause == nullptr) return Step::Failed;
        if (cause->kind != VariableKind::Exception && !cause->is_none()) {
          raise(object::ErrorKind::TypeError, "exception causes must derive from BaseException");
          return Step::Failed;
        }
        exception->self = cause;
        exception->has_cause = true;
      }
      raise(exception);
      return Step::Failed;
    }
    case Opcode::RaiseAssertion: {
      Variable* message = arg == 1 ? pop(frame) : nullptr;
      Variable& made = arena_->make(VariableKind::Exception);
      made.value = Value(static_cast<object::Object*>(&in_.builtins().exception(object::ErrorKind::AssertionError)));
      made.is_new = true;
      if (message != nullptr) made.items.push_back(message);
      if (frame.handlers.empty() && engine_.is_fullgraph()) {
        BreakReason reason;
        reason.type = "Data-dependent assertion failed (cannot compile partial graph)";
        reason.context = "value: ConstantVariable(bool: False)";
        reason.explanation =
            "Dynamo has determined when encountering a data-dependent assert failure that it should not compile the "
            "partial graph.";
        reason.hints = {
            hints::kFundamental,
            "Use `torch._assert()` to raise a hard AssertionError when the check fails. This error will propagate back "
            "the user code that called the compiled function (i.e. Dynamo will not trace any exception handling).",
            "Remove the assert statement.",
            "Move the assert statement outside of any context managers in order to graph break with partial graph "
            "compilation (if fullgraph=False)."};
        unsupported(std::move(reason));
        return Step::Failed;
      }
      raise(&made);
      return Step::Failed;
    }
    case Opcode::WithEnter: {
      Variable* context = real(pop(frame));
      if (context == nullptr) return Step::Failed;
      NNS_STEP(with_enter(frame, context));
    }
    case Opcode::WithExit: {
      Variable* exit = frame.stack[frame.stack.size() - 3];
      Variable* exception = frame.stack.back();
      if (exit->kind == VariableKind::Context) {
        if (!leave_mode(*exit)) return Step::Failed;
        NNS_STEP(constant(Value(false)));
      }
      Variable& cls = arena_->make(VariableKind::Class);
      cls.value = exception->value;
      Variable* args[] = {&cls, exception, constant(Value())};
      NNS_STEP(call(exit, args, {}));
    }
    case Opcode::BuildClass:
      unsupported("LOAD_BUILD_CLASS bytecode not supported", "",
                  "Dynamo does not support tracing classes that are defined in the compiled region.",
                  {"Move the class definition out of the compiled region or set "
                   "`torch._dynamo.config.enable_trace_load_build_class=True`.",
                   hints::kSupportable});
      return Step::Failed;
    default:
      unsupported("Missing instruction handler", std::string("instruction"),
                  "Dynamo does not know how to trace this instruction.", {hints::kSupportable});
      return Step::Failed;
  }
}

}  // namespace nns::dynamo
