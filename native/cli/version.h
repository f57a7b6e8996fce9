#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nns::cli {

/// "nnscope 0.1.0" and how this program was built, in two lines.
std::string version_text();
/// What a run's folder says of where it ran: this program, its threads, and when it began.
std::vector<std::pair<std::string, std::string>> run_environment();

}  // namespace nns::cli
