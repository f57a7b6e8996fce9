#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "native/server/http_server.h"

namespace nns::cli {

struct ServeOptions {
  std::string host = "127.0.0.1";
  std::optional<std::uint16_t> port;  ///< nothing: 7373, or the next free one
  std::string folder;                 ///< empty: find_site()
  /// Files, folders, web addresses, "sample:NAME" and links ("#…") for which an address of the explorer is printed that
  /// opens them.
  std::vector<std::string> inputs;
  /// What the links of all of them end with: "select=fc.weight&tab=hooks", "step=12", "stop=3"; empty: nothing.
  std::string place;
  /// One address that compares the first two.
  bool compares = false;
  /// Where trainings are kept that a viewer starts, each in a folder of its own; empty: nowhere.
  std::string runs;
  /// Pages of these origins may attach, too.
  std::vector<std::string> allowed_origins;
};

/// Where the web explorer lies: NNSCOPE_SITE, else beside this executable as it was built or installed.
/// Errors: there is none; the message says how it is built.
base::Result<std::filesystem::path> find_site();

/// Who may watch and control a stream of `server`, with new tokens; watching needs one only where other machines reach
/// it. Errors: one of `origins` is no origin.
base::Result<server::LiveAccess> make_live_access(const server::HttpServer& server,
                                                  const std::vector<std::string>& origins);
/// The addresses that open the explorer attached to the stream of `server`.
struct LiveLinks {
  std::string watch;
  std::string control;
};
LiveLinks live_links(const server::HttpServer& server, const server::LiveAccess& access);

/// Serves the web explorer until SIGINT or SIGTERM; prints its address to standard output first.
/// Returns an ExitStatus.
int run_serve(const ServeOptions& options);

}  // namespace nns::cli
