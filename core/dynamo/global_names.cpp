// Where names of other modules than the frame's own are read.
#include "core/dynamo/engine.h"
#include "core/nn/library.h"

namespace nns::dynamo {

const Source* Engine::global_source(SourceTable& sources, Dict& globals, Dict& root, Name name) const {
  if (&globals == &root) return sources.global(name);
  // Of another module: read from its own names.
  return sources.foreign_global(name, Value(static_cast<object::Object*>(&globals)));
}

const Source* Engine::global_hooks_source(SourceTable& sources, const Value& hooks) {
  for (std::size_t i = 0; i < nn::kGlobalHooksNames.size(); ++i) {
    if (hooks.object() != &nn::NnLibrary::of(in_).hooks(static_cast<nn::GlobalHooks>(i))) continue;
    const Name module = in_.intern("__import_torch_dot_nn_dot_modules_dot_module");
    if (!imported_) imported_ = in_.dict();
    if (!imported_->contains(module)) {
      PyResult<Value> found = machine_.import_module("torch.nn.modules.module", 0, nullptr);
      if (!found.ok()) return nullptr;
      // import a.b gives a.
      const Value* const whole = machine_.modules().find(in_.intern("torch.nn.modules.module"));
      if (whole == nullptr) return nullptr;
      imported_->set(module, *whole);
    }
    return sources.attr(sources.foreign_global(module, Value(imported_)), nn::kGlobalHooksNames[i]);
  }
  return nullptr;
}

Variable* Engine::import_module(Translator& translator, TracedFrame& frame, const Instruction& instruction) {
  const Name name = frame.code->names[instruction.arg];
  PyResult<Value> module =
      machine_.import_module(name.view(), static_cast<int>(instruction.extra), frame.globals.get());
  if (!module.ok()) return translator.raise(module.error());
  const Value whole = module.value();
  const std::string_view text = name.view();
  const std::size_t dot = text.find('.');
  const auto* wanted = frame.code->instructions[frame.pc - 2].op == Opcode::LoadConst
                           ? frame.code->constants[frame.code->instructions[frame.pc - 2].arg].as<object::Tuple>()
                           : nullptr;
  if (dot != std::string_view::npos && wanted == nullptr) {
    const Value* top = machine_.modules().find(in_.intern(text.substr(0, dot)));
    if (top != nullptr) return translator.build(*top, nullptr);
  }
  return translator.build(whole, nullptr);
}

}  // namespace nns::dynamo
