#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/live/broadcast.h"
#include "native/server/live_training.h"

namespace nns::cli {

/// Who is to see a training.
struct TrainViewerOptions {
  bool view = false, serve = false, headless = false;  ///< none of them: a window where there is a display, else serve
  std::string host = "127.0.0.1";
  std::optional<std::uint16_t> port;         ///< nothing: 7373, or the next free one
  std::vector<std::string> allowed_origins;  ///< pages of these may attach, too
  std::string record;                        ///< a .nnscope file; empty: none
  bool overwrites_record = false;
  /// The recording is the run folder's: a run whose recording cannot be made goes on without, and statistics become
  /// rarer as it lasts.
  bool is_of_folder = false;
  bool json = false;  ///< the addresses as an object on standard output: {"watch": …, "control": …}
};

/// Those who watch the training of this process: a window, pages and other machines, a recording. None of them slows
/// it, and it goes on without them.
/// Threads: begin(), look(), wait() and end() that of the program; run_window() the main one.
class TrainViewers {
 public:
  /// Listens and prints the addresses to standard error. Nothing where nobody is to see it. Errors: no port, no page,
  /// a recording that cannot be written; where nobody asked for a page they are only told.
  static base::Result<std::unique_ptr<TrainViewers>> open(const TrainViewerOptions& options);
  ~TrainViewers();
  TrainViewers(const TrainViewers&) = delete;
  TrainViewers& operator=(const TrainViewers&) = delete;

  bool has_window() const;
  /// Shows the window until it is closed, or close_window(). Returns an ExitStatus.
  int run_window();
  /// Threads: any.
  void close_window();

  void begin(train::Training& training);
  void look(bool all = false);
  void wait(std::chrono::milliseconds most);
  /// Somebody watches, beside the recording.
  bool are_there() const;
  /// Before the training goes. Writes the rest of the recording; what went wrong with it is told.
  void end();

 private:
  struct State;
  explicit TrainViewers(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace nns::cli
