#pragma once

#include <string>
#include <utility>

#include "core/base/result.h"

namespace nns::collectives {

/// An error that says only what was found.
inline base::Error error(std::string found) { return {std::move(found), {}, {}, {}}; }

}  // namespace nns::collectives
