#pragma once

#include <string>

namespace nns::web {

/// Where the worker puts a text before an import returns or an entry point is called. A worker has exactly one core.
std::string& worker_text();

}  // namespace nns::web
