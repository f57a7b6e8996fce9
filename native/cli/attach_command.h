#pragma once

#include <string>

#include "ui/app/live_link.h"

namespace nns::cli {

/// How the window attaches to other hosts: over a WebSocket (server::LiveClient).
app::LiveConnector live_connector();

struct AttachOptions {
  std::string address;  ///< as server::parse_live_address() takes it
  bool headless = false;
  bool json = false;       ///< one JSON object a line
  bool once = false;       ///< the first that is known, then the end
  std::string record;      ///< not empty: writes what is seen to this recording
  std::string screenshot;  ///< not empty: draws off screen, writes this PNG and ends
  bool force = false;      ///< over one that is there
  double patience_s = 0;   ///< give up when nothing was told for so long; 0: never
};

/// Shows the stream of another process or machine: in a window, or as lines on standard output (`headless`).
/// Returns an ExitStatus: kFound when the host refuses or nothing answers in time.
int run_attach(const AttachOptions& options);

struct ReplayOptions {
  std::string file;
  bool headless = false;
  bool json = false;
  bool has_event = false;
  unsigned long long event = 0;  ///< the state after so many events instead of the last
};

/// Shows a recording: in a window, or what it holds as text or JSON (`headless`). Returns an ExitStatus.
int run_replay(const ReplayOptions& options);

}  // namespace nns::cli
