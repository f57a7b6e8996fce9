#pragma once

#include <string_view>

#include "core/checkpoint/checkpoint.h"

namespace nns::checkpoint {

/// What loading a pickle that names this global could do. Unknown is the answer for everything that is in neither
/// table. The tables are in pickle_globals.cpp; a name with dots in `name` (attributes of attributes) is never Safe.
Verdict judge_global(std::string_view module, std::string_view name);

}  // namespace nns::checkpoint
