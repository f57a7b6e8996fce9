#pragma once

#include <cstdint>
#include <string_view>

#include "core/checkpoint/checkpoint.h"

namespace nns::checkpoint {

struct Judgement {
  Verdict verdict = Verdict::Unknown;
  std::string_view why;  ///< what it does: "runs commands of the system"; empty where there is nothing to say
};

/// What loading a pickle that names this global could do. Unknown is the answer for everything that is in neither
/// table. The tables are in pickle_globals.cpp; a name with dots in `name` (attributes of attributes) is never
/// Safe, and Dangerous unless it looks like a class inside a class.
Judgement judge(std::string_view module, std::string_view name);
/// Its verdict alone.
Verdict judge_global(std::string_view module, std::string_view name);

/// What a global does in a pickle of a function that has no name to be found by. Behaviour: cloudpickle/cloudpickle.py.
enum class GlobalRole : std::uint8_t {
  Ordinary,
  FunctionMaker,  ///< makes a function of its code, or a part of one; calls nothing
  BuiltinType,    ///< gives a type of the module types by its name
};
GlobalRole role_of(std::string_view module, std::string_view name);

}  // namespace nns::checkpoint
