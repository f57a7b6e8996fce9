#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace nns::cli {

struct ServeOptions {
  std::string host = "127.0.0.1";
  std::optional<std::uint16_t> port;  ///< nothing: 7373, or the next free one
  std::string folder;                 ///< empty: find_site()
  /// Files, folders and web addresses for which an address of the explorer is printed that opens them.
  std::vector<std::string> inputs;
};

/// Where the web explorer lies: NNSCOPE_SITE, else beside this executable as it was built or installed.
/// Errors: there is none; the message says how it is built.
base::Result<std::filesystem::path> find_site();

/// Serves the web explorer until SIGINT or SIGTERM; prints its address to standard output first.
/// Returns an ExitStatus.
int run_serve(const ServeOptions& options);

}  // namespace nns::cli
