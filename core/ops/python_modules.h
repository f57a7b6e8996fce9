#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/ops/overrides.h"

namespace nns::ops {

/// What Python can import of this folder and those above it, and who answers in the place of its functions.
class PythonModules final : public Interpreter::Extension {
 public:
  static constexpr Interpreter::ExtensionSlot kSlot = Interpreter::ExtensionSlot::Modules;
  static PythonModules& of(Interpreter& interpreter) {
    if (PythonModules* made = interpreter.extension<PythonModules>()) [[likely]]
      return *made;
    return interpreter.extend(std::make_unique<PythonModules>());
  }

  std::vector<std::pair<std::string, Ref<object::Dict>>> modules;
  bool is_filled = false;
  Overrides overrides;
};

}  // namespace nns::ops
