#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/dynamo/graph.h"
#include "core/dynamo/guard.h"
#include "core/dynamo/plan.h"

namespace nns::dynamo {

/// Why a frame could not be traced on. Behaviour: torch/_dynamo/exc.py, unimplemented.
struct BreakReason {
  std::string type;
  /// What runs the graph in which it was, as programs call it: "torch.cond"; empty: no such operator does.
  std::string higher_order_operator;
  std::string context;
  std::string explanation;
  std::vector<std::string> hints;
  /// Where it happened: function, line; innermost last.
  std::vector<std::pair<std::string, std::uint32_t>> stack;
  /// Of each of these: the file.
  std::vector<std::string> files;
  /// And the text of the line.
  std::vector<std::string> lines;
  std::string code;
  /// The instruction at which the frame was cut: "CALL: a function call, e.g. f(x, y)"; empty: at none.
  std::string instruction;
  std::uint32_t line() const { return stack.empty() ? 0 : stack.back().second; }
};

/// What happened to a frame at a break.
enum class BreakAction : std::uint8_t { Split, Stop, SkipFrame };

/// One break as it is told of.
struct BreakRecord {
  std::string frame;
  std::string compile_id;
  BreakAction action = BreakAction::Split;
  BreakReason reason;
  /// Breaks that followed while this one was handled.
  std::vector<BreakReason> then;
};

struct GraphRecord {
  std::string frame;
  std::string compile_id;
  bool is_broken = false;
  std::string ended_by;
  /// Of resume functions: the line of the statement after the break; 0 otherwise.
  std::uint32_t resumes_line = 0;
  std::shared_ptr<Graph> graph;
  /// What the graph's nodes refer to.
  std::shared_ptr<const SourceTable> sources;
};

struct GuardRecord {
  std::string frame;
  std::string compile_id;
  /// Kind, name, class of the source, origin.
  std::vector<std::array<std::string, 4>> installed;
  /// Of each: what of the program asked for it.
  struct Place {
    std::string file;
    std::uint32_t line = 0;
  };
  std::vector<Place> asked_by;
};

struct RecompileRecord {
  std::string frame;
  std::string compile_id;
  struct Reason {
    std::string of;
    std::string guard;
  };
  std::vector<Reason> reasons;
};

struct FrameRecord {
  std::string frame;
  std::string compile_id;
  std::string outcome;
  std::string why;
};

/// One compilation as it was begun: of which function, and how long it took.
struct CompilationRecord {
  std::string frame;
  std::string compile_id;
  std::string file;
  std::uint32_t line = 0;
  /// Of resume functions: the line of the statement after the break; 0 otherwise.
  std::uint32_t resumes_line = 0;
  double seconds = 0;
};

/// All that one program's compilation did, in order.
struct Report {
  std::vector<GraphRecord> graphs;
  std::vector<BreakRecord> breaks;
  std::vector<GuardRecord> guards;
  std::vector<RecompileRecord> recompiles;
  std::vector<FrameRecord> frames;
  std::vector<CompilationRecord> compilations;
  /// Of backend="nnscope", as they are now.
  std::vector<std::shared_ptr<const PlanRecord>> plans;
  /// Variable class, source, class of the source, module's class, compile id.
  std::vector<std::array<std::string, 5>> modules;
  std::vector<std::array<std::string, 2>> restarts;
  /// What torch.export.export() gave: objects of class ExportedProgram.
  std::vector<Value> exported;
  /// Frames that were tried, and compiled.
  std::size_t frames_total = 0, frames_ok = 0;
};

/// What was tried when it broke and how it went on, as messages begin: "Encountered graph break when attempting to
/// trace CALL: a function call, e.g. f(x, y)"; "jump" where a condition was asked.
std::string during_text(BreakAction action, const BreakReason& reason);
/// The type, explanation and hints as the text of the exception Unsupported shows them.
std::string break_text(const BreakReason& reason);
/// What follows that text in an error: the lines of the program, and, where errors are short, how to see more.
std::string from_user_code(const BreakReason& reason, bool is_verbose);

}  // namespace nns::dynamo
