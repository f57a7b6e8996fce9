// The errors that a frame ends with where it is not compiled. Behaviour: torch/_dynamo/exc.py, convert_frame.py.
#include <fmt/format.h>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

PyError Engine::exception(std::string_view cls, const std::string& text) {
  PyResult<Value> module = machine_.import_module("torch._dynamo.exc", 0, nullptr);
  const Value* found = nullptr;
  // import a.b.c gives the innermost.
  if (module.ok()) found = module.value().object()->instance_dict(true)->find(in_.intern(cls));
  if (found != nullptr) {
    PyResult<Value> made = in_.call(*found, {in_.text(text)});
    if (made.ok()) {
      if (auto* exception = dynamic_cast<object::Exception*>(made.value().object()))
        return PyError{Ref<object::Exception>(exception)};
    }
  }
  return object::make_error(in_, object::ErrorKind::RuntimeError, text);
}

// Behaviour: torch/fx/experimental/symbolic_shapes.py, ShapeEnv.produce_guards, ConstraintViolationError.
PyError Engine::constraint_violation(const Symbol& symbol) {
  const std::string& name = symbol.source->name();
  return exception(
      "ConstraintViolationError",
      fmt::format(
          "Constraints violated ({0})! For more information, run with TORCH_LOGS=\"+dynamic\".\n"
          "  - You marked {0} as dynamic but your code specialized it to be a constant ({1}). Either remove the "
          "mark_dynamic or use a less strict API such as maybe_mark_dynamic or Dim.AUTO.",
          name, repr_of(in_, symbol.hint)));
}

PyError Engine::unsupported_error(const BreakReason& reason) {
  PyError error = exception("Unsupported", break_text(reason));
  Dict& own = *error.exception().instance_dict(true);
  own.set(in_.intern("gb_type"), in_.text(reason.type));
  return error;
}

Variable* Engine::fake_error(Translator& translator, const PyError& error, const std::string& target) {
  // The op wants to know an item.
  if (error.message().find("cannot be called on meta tensors") != std::string::npos)
    return translator.data_dependent("aten._local_scalar_dense.default");
  if (error.is(object::ErrorKind::NotImplementedError) && target.starts_with("torch.ops.")) {
    return translator.unsupported("Operator does not support running with fake tensors",
                                  fmt::format("unsupported operator: {}", target.substr(10)), "",
                                  {"see "
                                   "https://docs.google.com/document/d/1GgvOe7C8_NVOMLOCwDaYV1mXXyHMXY7ExoewHqooxrs/"
                                   "edit#heading=h.64r4npvq0w0 for how to fix"});
  }
  if (error.is(object::ErrorKind::NotImplementedError)) {
    return translator.unsupported("Operator without a rule for shapes", target,
                                  fmt::format("No shape is known for what `{}` gives without running it.", target),
                                  {hints::kSupportable});
  }
  if (error.is(object::ErrorKind::RuntimeError) || error.is(object::ErrorKind::ValueError) ||
      error.is(object::ErrorKind::IndexError)) {
    translator.failure().kind = Failure::Kind::Error;
    translator.failure().error =
        exception("TorchRuntimeError", fmt::format("RuntimeError when making fake tensor call\n  Explanation: Dynamo "
                                                   "failed to run FX node with fake tensors: {}: {}",
                                                   target, error.message()));
    return nullptr;
  }
  return translator.raise(error);
}

// Behaviour: torch/_dynamo/eval_frame.py, fail_callback.
PyError Engine::recompile_refused(const FrameStart& start, const std::vector<RecompileRecord::Reason>& reasons) {
  std::string text = fmt::format(
      "Detected recompile when torch.compile stance is 'fail_on_recompile'. filename: '{}', function name: '{}', line "
      "number: {}",
      start.code->tree->source().name(), start.name, start.code->first_line());
  if (!reasons.empty()) text += "\n    triggered by the following guard failure(s):";
  for (const auto& reason : reasons) text += fmt::format("\n    - {}: {}", reason.of, reason.guard);
  return object::runtime_error(in_, "{}", text);
}

}  // namespace nns::dynamo
