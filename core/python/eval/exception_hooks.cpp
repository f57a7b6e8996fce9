#include "core/python/eval/exception_hooks.h"

#include <fmt/format.h>

#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/python/eval/run.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;

// What the program has put in the place of sys.<name>; Absent: nothing.
Value replaced_hook(Machine& machine, std::string_view name) {
  Interpreter& in = machine.interpreter();
  const Value* const sys = machine.modules().find(in.intern("sys"));
  auto* const module = sys == nullptr ? nullptr : sys->as<ModuleObject>();
  if (module == nullptr) return Value::absent();
  const Value* const hook = module->dict().find(in.intern(name));
  const Value* const plain = module->dict().find(in.intern(fmt::format("__{}__", name)));
  return hook == nullptr || (plain != nullptr && hook->is(*plain)) ? Value::absent() : *hook;
}

Value traceback_of(const PyError& error) { return error.exception().traceback(); }
Value class_of(const PyError& error) { return Value(static_cast<object::Object*>(&error.exception().type())); }

// Behaviour: CPython Python/errors.c, write_unraisable_exc_file.
PyResult<Value> write_unraisable(Interpreter& in, Args a) {
  Machine& machine = Machine::of(in);
  NNS_TRY_ASSIGN(const Value exception, object::getattr(in, a[0], in.intern("exc_value")));
  NNS_TRY_ASSIGN(const Value message, object::getattr(in, a[0], in.intern("err_msg")));
  NNS_TRY_ASSIGN(const Value subject, object::getattr(in, a[0], in.intern("object")));
  std::string text = "Exception ignored in";
  if (!message.is_none()) {
    NNS_TRY_ASSIGN(text, object::str(in, message));
  }
  if (!subject.is_none()) {
    NNS_TRY_ASSIGN(const std::string shown, object::repr(in, subject));
    text += fmt::format(": {}\n", shown);
  } else {
    text += ":\n";
  }
  auto* const raised = exception.as<object::Exception>();
  if (raised == nullptr) return object::type_error(in, "exc_value has to be an exception");
  machine.streams.error(text + traceback_text(machine, PyError(Ref<object::Exception>(raised))));
  return Value();
}

PyResult<Value> write_uncaught(Interpreter& in, Args a) {
  auto* const raised = a[1].as<object::Exception>();
  if (raised == nullptr) {
    return object::type_error(in, "print_exception(): Exception expected for value, {} found", in.type_of(a[1]).name());
  }
  Machine& machine = Machine::of(in);
  machine.streams.error(traceback_text(machine, PyError(Ref<object::Exception>(raised))));
  return Value();
}

}  // namespace

void tell_uncaught(Machine& machine, const PyError& error) {
  if (error.is(object::ErrorKind::SystemExit)) return;
  if (const Value hook = replaced_hook(machine, "excepthook"); !hook.is_absent()) {
    const PyResult<Value> done =
        machine.interpreter().call(hook, {class_of(error), Value(&error.exception()), traceback_of(error)});
    if (done.ok()) return;
    machine.streams.error("Error in sys.excepthook:\n" + traceback_text(machine, done.error()) +
                          "\nOriginal exception was:\n");
  }
  machine.streams.error(traceback_text(machine, error));
}

void tell_unraisable(Machine& machine, const PyError& error, std::string_view doing, const Value& subject) {
  Interpreter& in = machine.interpreter();
  if (const Frame* const frame = machine.frame(); frame != nullptr && traceback_of(error).is_none()) {
    error.exception().set_traceback(object::make<Traceback>(*machine.classes.traceback, Ref<Code>(frame->code),
                                                            frame->instruction(), Ref<Dict>(frame->globals), Value()));
  }
  const PyResult<std::string> shown = object::repr(in, subject);
  const std::string message =
      fmt::format("Exception ignored while {} {}", doing, shown.ok() ? shown.value() : "<object repr() failed>");
  if (const Value hook = replaced_hook(machine, "unraisablehook"); !hook.is_absent()) {
    const Ref<object::Instance> told = object::make<object::Instance>(*machine.classes.unraisable);
    for (const auto& [name, value] :
         {std::pair("exc_type", class_of(error)), std::pair("exc_value", Value(&error.exception())),
          std::pair("exc_traceback", traceback_of(error)), std::pair("err_msg", in.text(message)),
          std::pair("object", Value())}) {
      told->dict().set(in.intern(name), value);
    }
    const PyResult<Value> done = in.call(hook, {Value(told)});
    if (!done.ok()) {
      machine.streams.error("Exception ignored in sys.unraisablehook:\n" + traceback_text(machine, done.error()));
    }
    return;
  }
  machine.streams.error(fmt::format("{}:\n{}", message, traceback_text(machine, error)));
}

void add_exception_hooks(Machine& machine, Dict& sys) {
  Interpreter& in = machine.interpreter();
  const auto add = [&](std::string_view name, std::string_view signature, object::NativeBody body) {
    const Value function(in.function(signature, std::move(body)));
    sys.set(in.intern(name), function);
    sys.set(in.intern(fmt::format("__{}__", name)), function);
  };
  add("excepthook", "excepthook(exctype, value, traceback, /)", write_uncaught);
  add("unraisablehook", "unraisablehook(unraisable, /)", write_unraisable);
  sys.set(in.intern("UnraisableHookArgs"), Value(static_cast<object::Object*>(machine.classes.unraisable)));
}

}  // namespace nns::python
