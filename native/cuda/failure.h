#pragma once

#include <string>
#include <utility>

#include "core/base/result.h"

namespace nns::cuda {

/// An error that has no place in a file.
inline base::Error failure(std::string found, std::string expected = {}) {
  return {std::move(found), std::move(expected), {}, {}};
}

}  // namespace nns::cuda
