#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/trace/trace.h"

namespace nns::session {

/// What a program writes, and what a person types to it.
enum class OutputKind : std::uint8_t { Out, Error, Typed };
struct ProgramOutput {
  OutputKind kind = OutputKind::Out;
  std::string text;
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
  /// Begins to run what a person typed; the value of an expression is shown. Must hold: nothing runs.
  virtual void run_typed(std::string text) = 0;
  /// Goes on for about the budget; true: what was begun is over, or nothing was begun. An exception that nobody caught
  /// is told as output.
  virtual bool step(const base::Budget& budget) = 0;
  virtual bool is_running() const = 0;
  /// Ends what runs at once, as Ctrl+C does that nobody catches.
  virtual void stop() = 0;
  /// What was written since the last question, in order.
  virtual std::vector<ProgramOutput> take_output() = 0;
  /// What the dotted name at the end of `text` may become, sorted, and where in `text` it begins.
  struct Completions {
    std::uint32_t from = 0;
    std::vector<std::string> names;
  };
  virtual Completions complete(const std::string& text) = 0;

  /// The program's names and all that hangs on them, as they are now. Errors: more rows than a document may have.
  virtual base::Result<std::unique_ptr<checkpoint::Checkpoint>> document() = 0;
};

/// Where a program comes from.
struct ProgramOrigin {
  std::string name;                               ///< of its file
  std::shared_ptr<checkpoint::FileSet> siblings;  ///< what it may import and read; null: nothing
};
using ProgramMaker = std::function<std::unique_ptr<RunningProgram>(ProgramOrigin origin)>;

}  // namespace nns::session
