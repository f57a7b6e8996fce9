#pragma once

#include <string>

namespace nns::cli {

/// "nnscope 0.1.0" and how this program was built, in two lines.
std::string version_text();

}  // namespace nns::cli
