#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/live/message.h"
#include "core/trace/trace.h"

namespace nns::train {
class RunFiles;
class TrainingListener;
struct RunDescription;
}  // namespace nns::train

namespace nns::session {

/// A training that is kept in a folder.
struct KeptRun {
  std::shared_ptr<train::RunFiles> files;
  std::shared_ptr<train::TrainingListener> metrics;                      ///< writes its numbers there
  std::function<void(live::Bytes message)> record;                       ///< what its viewers are told of it
  std::function<base::Result<void>(std::string_view program)> describe;  ///< writes its program and settings there
};
/// Makes the folder. A platform without files has none. Errors: there is nowhere to write.
using RunKeeper = std::function<base::Result<KeptRun>(const train::RunDescription& run)>;

/// What a program writes, and what a person types to it.
enum class OutputKind : std::uint8_t { Out, Error, Typed };
struct ProgramOutput {
  OutputKind kind = OutputKind::Out;
  std::string text;
};

/// What a person asks about one call of a module; wire::InspectCall says what each is.
struct CallQuestion {
  std::string model;
  std::vector<std::string> inputs;  ///< each may hold several, with ";" between them
  bool with_values = false;
};

/// What a person asks the tracer to follow; wire::CaptureProgram says what each is.
struct CaptureQuestion {
  std::optional<std::string> text;
  std::string call;                 ///< empty: the program, from its beginning
  std::vector<std::string> inputs;  ///< each may hold several, with ";" between them
  std::vector<std::pair<std::string, std::string>> settings;
};

/// What a program's training tells its viewers, and what they say to it.
class ProgramTraining {
 public:
  using Send = std::function<void(live::Bytes)>;
  virtual ~ProgramTraining() = default;
  /// The program stands still until somebody lets it go on.
  virtual bool is_paused() const = 0;
  /// Carries out a command of the protocol about a training, and answers. False: it is none.
  virtual bool carry_out(const live::Message& command, const Send& send) = 0;
  /// Sends what has changed since the last time, at bounded rates; at the end (`all`) everything that waits. Before the
  /// first step of a program that nobody started as a training, nothing.
  virtual void tell(const Send& send, bool all) = 0;
};

/// A program whose objects stay when its text has run to its end, so that more can be typed to it: one session of
/// Python. A Host without an evaluator links nothing of it.
/// Threads: one.
class RunningProgram {
 public:
  virtual ~RunningProgram() = default;

  /// Begins to run the text of its file. Must hold: nothing runs.
  virtual void run_file(std::string text) = 0;
  /// Begins anew with this text (none: that of the last run_file) and records what it does: what there was before is
  /// gone, but for documents that show it. Must hold: nothing runs.
  virtual void record_file(std::optional<std::string> text, const trace::Limits& limits) = 0;
  /// The newest recording, which may still grow; null: there is none.
  virtual const trace::Trace* trace() const = 0;
  /// The same with a training that is built in. False: there is none of that name.
  virtual bool run_recipe(const std::string& /*name*/) { return false; }
  /// Begins to run what a person typed; the value of an expression is shown. Must hold: nothing runs.
  virtual void run_typed(std::string text) = 0;
  /// Begins to call a module to see what goes through it. Must hold: nothing runs.
  virtual void inspect_call(CallQuestion question) = 0;
  /// What was found, as the viewer is told it, once it is over; an exception is told as output, too.
  virtual base::Result<live::Bytes> take_call(std::uint64_t request) = 0;
  /// Begins to run the program anew, or a call in it, to see what the compiler makes of it. Must hold: nothing runs.
  virtual void capture(CaptureQuestion question) = 0;
  /// What was made, as the viewer is told it, once it is over; an exception is told as output, too.
  virtual live::Bytes take_capture(std::uint64_t request) = 0;
  /// Goes on for about the budget; true: what was begun is over, or nothing was begun. An exception that nobody caught
  /// is told as output.
  virtual bool step(const base::Budget& budget) = 0;
  virtual bool is_running() const = 0;
  /// Ends what runs at once, as Ctrl+C does that nobody catches.
  virtual void stop() = 0;
  /// What was written since the last question, in order.
  virtual std::vector<ProgramOutput> take_output() = 0;
  /// The newest step of the ranks that it made, as a viewer is told of it; none: nothing new. Not too often while it
  /// runs.
  virtual std::optional<live::Bytes> take_ranks() { return std::nullopt; }
  /// What the dotted name at the end of `text` may become, sorted, and where in `text` it begins.
  struct Completions {
    std::uint32_t from = 0;
    std::vector<std::string> names;
  };
  virtual Completions complete(const std::string& text) = 0;

  /// What is seen of its training; null: nothing is.
  virtual ProgramTraining* training() { return nullptr; }

  /// The program's names and all that hangs on them, as they are now. Errors: more rows than a document may have.
  virtual base::Result<std::unique_ptr<checkpoint::Checkpoint>> document() = 0;
};

/// How a program was started as a training.
struct TrainingStart {
  std::string recipe;
  std::vector<std::pair<std::string, std::string>> settings;
  std::string data_name;                            ///< empty: none
  std::shared_ptr<base::ByteSource> data;           ///< a file; null: a folder or none
  std::shared_ptr<checkpoint::FileSet> data_files;  ///< the files of a folder
  bool is_paused = false;
};

/// How much may be held. Units: bytes that in_use() tells, which is asked often; without it there is no limit.
struct MemoryLimit {
  std::uint64_t bytes = 0;
  std::function<std::uint64_t()> in_use = nullptr;
};

/// Where a program comes from.
struct ProgramOrigin {
  std::string name;                                         ///< of its file
  std::shared_ptr<checkpoint::FileSet> siblings;            ///< what it may import and read; null: nothing
  std::uint32_t document = 0;                               ///< its number for viewers
  std::shared_ptr<const TrainingStart> training = nullptr;  ///< null: it was opened, and may train all the same
  /// How many devices cpu:0, cpu:1, ... it finds, as if they were GPUs; 0: as many as its text asks for.
  int virtual_devices = 0;
  RunKeeper keep_run = nullptr;  ///< where a training that was started is kept; null: nowhere
  /// Whether somebody asked for its end, while it is inside of a call that step() cannot return from; null: nobody
  /// does.
  std::function<bool()> is_stop_waiting = nullptr;
  /// What ends it with MemoryError (python::Machine::set_memory_limit).
  MemoryLimit memory{};
};
using ProgramMaker = std::function<std::unique_ptr<RunningProgram>(ProgramOrigin origin)>;

}  // namespace nns::session
