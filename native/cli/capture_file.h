#pragma once

#include <string>

namespace nns::cli {

/// Tells what a log of TORCH_TRACE says: for each compilation its graphs, breaks, guards, recompile reasons and times.
/// Returns 0, or kBadInput where it is no such log or cannot be read.
int print_trace_log(const std::string& file, bool json);

}  // namespace nns::cli
