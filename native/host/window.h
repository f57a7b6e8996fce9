#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/session/running_program.h"
#include "ui/app/live_link.h"
#include "ui/panels/intent.h"

namespace nns::host {

struct WindowOptions {
  std::vector<std::string> inputs;  ///< paths, folders, addresses, or "sample:NAME"; empty: the start screen
  std::string select;               ///< path of the row to choose, in the input that has it
  std::string search;               ///< what the search box shows; empty: it is not open
  std::optional<panels::ThemeChoice> theme;
  std::optional<panels::InspectorTab> tab;
  std::string attach{};                        ///< not empty: the stream at this address is shown
  app::LiveConnector connector{};              ///< by which the explorer attaches to other hosts
  int virtual_devices = 0;                     ///< that programs find, cpu:0, cpu:1, ...; 0: as many as each asks for
  session::RunKeeper keep_run{};               ///< of trainings that are started in the window; null: none is kept
  bool compare = false;                        ///< the first two inputs
  std::optional<std::uint32_t> studio{};       ///< the program is recorded and its studio shown at that event, from 0
  std::optional<std::uint32_t> lesson_stop{};  ///< of the lesson that is opened, from 0
  std::function<bool()> is_to_close{};         ///< asked after each wake_window(): true closes the window
  int width = 1440;                            ///< units of the screen
  int height = 900;
  bool has_size = false;  ///< they were asked for: not those of the window before
  bool restores = true;   ///< without inputs: what was open before is opened again
};

/// Makes the window's loop look again for what came. Threads: any.
void wake_window();

/// Whether a window can be shown here: there is a display, and OpenGL ES 3.0 on it.
bool can_open_window();

/// Shows the explorer until its window is closed. What is open, and the size of the window, are written down for the
/// next time (session_path()). The loop sleeps while nothing happens.
/// Errors: no display, or no OpenGL ES 3.0.
base::Result<void> run_window(const WindowOptions& options);

/// Draws the explorer off screen until nothing changes any more (at most `patience_seconds`) and writes a PNG of
/// exactly width x height pixels. Gives what the explorer said was wrong with what was asked of it: then no picture is
/// written. Errors: as run_window(); the file cannot be written.
base::Result<std::vector<base::Error>> write_screenshot(const WindowOptions& options, const std::filesystem::path& file,
                                                        double patience_seconds = 30);

}  // namespace nns::host
