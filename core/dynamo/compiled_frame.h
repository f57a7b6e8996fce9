#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/dynamo/guard.h"
#include "core/dynamo/report.h"
#include "core/dynamo/seen_inputs.h"
#include "core/dynamo/size_claims.h"
#include "core/dynamo/variable.h"
#include "core/python/eval/machine.h"

namespace nns::dynamo {

using python::Code;

class Plan;

/// Settings of torch._dynamo.config that decide how frames are traced.
struct Config {
  bool inline_inbuilt_nn_modules = true;
  bool capture_scalar_outputs = false;
  bool capture_dynamic_output_shape_ops = false;
  bool skip_nnmodule_hook_guards = true;
  bool guard_nn_modules = true;
  bool skip_fsdp_guards = true;
  bool error_on_recompile = false;
  bool automatic_dynamic_shapes = true;
  bool assume_static_by_default = true;
  bool allow_unspec_int_on_nn_module = false;
  /// What a backend raises has the frame run plainly.
  bool suppress_errors = false;
  /// What errors tell besides the lines of the program.
  bool verbose = false;
  std::int64_t recompile_limit = 8;
};

/// What one attempt ended with.
enum class Ending : std::uint8_t {
  /// A return of the frame.
  Return,
  /// An instruction runs plainly, then a resume function.
  Break,
  /// A jump on the values of a tensor.
  Jump,
  /// The rest of the frame runs plainly.
  Stop,
  /// The frame runs plainly as a whole.
  Skip,
};

/// One failed attempt to trace something.
struct Failure {
  enum class Kind : std::uint8_t { None, Observed, Unsupported, RestartUnspecialized, Restart, Skip, Error };
  Kind kind = Kind::None;
  /// Observed: the exception that the program would see.
  Variable* exception = nullptr;
  BreakReason reason;
  /// Error: what is raised to who called the compiled function.
  std::optional<PyError> error;
};

/// What is remembered from one attempt at a frame to the next.
struct Speculation {
  /// Instructions of the root frame, counted as they ran, at which the graph is broken, and why.
  std::map<std::size_t, BreakReason> breaks;
  /// Where tracing stops for good.
  std::optional<std::size_t> stop_at;
  BreakReason stop_reason;
  /// What followed from it.
  std::vector<BreakReason> stop_then;
  /// Names of sources whose numbers were symbols and have to be constants.
  std::set<std::string, std::less<>> held;
  /// Names of sources of sizes that have to be equal to another.
  std::map<std::string, std::string, std::less<>> same;
  /// A leaf that the frame makes with requires_grad_() would leave the graph.
  bool breaks_at_requires_grad = false;
};

/// Where and with what a frame begins to be traced.
struct FrameStart {
  Ref<Code> code;
  python::Function* function = nullptr;
  Ref<Dict> globals;
  /// One a slot of locals, cells and free names.
  std::vector<Value> slots;
  std::vector<Value> stack;
  std::vector<TracedFrame::Handler> handlers;
  std::uint32_t pc = 0;
  bool is_resume = false;
  /// Slots of locals in the order of their first assignment.
  std::vector<std::uint32_t> assigned;
  std::string name;
  std::string compile_id;
  SeenInputs* seen = nullptr;
  /// Of a resume function: the line of the statement after the break; 0 otherwise.
  std::uint32_t resumes_line() const { return is_resume ? code->line_of(pc == 0 ? 0 : pc - 1) : 0; }
};

/// The state of values with which a frame goes on: each is made from a tracker.
struct FrameState {
  std::vector<Variable*> slots;
  std::vector<Variable*> stack;
  std::vector<TracedFrame::Handler> handlers;
  std::uint32_t pc = 0;
  std::vector<std::uint32_t> assigned;
};

/// A write to what existed before the frame ran.
struct AttributeWrite {
  Variable* object;
  Name name;
  /// Of kind Deleted: it is removed.
  Variable* value;
};

/// A call whose result is another one each time.
struct RandomCall {
  const Source* source = nullptr;
  Value function;
  std::vector<Value> positional;
  std::vector<object::Keyword> keywords;
};

/// What a frame, or one that it calls, wrote to a global of its module.
struct GlobalWrite {
  Ref<Dict> globals;
  Name name;
  Variable* value;
};

/// A call of a function that only tells what happens, so that it may be made later.
struct LoggedCall {
  Value function;
  std::vector<Variable*> args;
};

/// What was compiled of a frame.
struct CompiledFrame {
  std::shared_ptr<SourceTable> sources;
  std::shared_ptr<Arena> arena;
  std::shared_ptr<Graph> graph;
  GuardSet guards;
  SizeClaims claims;
  Ending ending = Ending::Return;
  Variable* result = nullptr;
  FrameState state;
  /// Of a jump: when and where to, and whether the condition stays on the stack then.
  bool jumps_if = false, jump_keeps = false;
  std::uint32_t jump_target = 0;
  std::shared_ptr<const BreakReason> reason;
  /// The tensors that the graph gives back, by their nodes, in the order of the outputs.
  std::vector<const Node*> outputs;
  std::vector<Variable*> mutated;
  std::vector<AttributeWrite> writes;
  std::vector<GlobalWrite> global_writes;
  /// Hooks that tensors get.
  std::vector<Variable*> hooks;
  /// Calls that are made when the graph has run, in this order.
  std::vector<LoggedCall> logs;
  /// Made anew before each run of the graph, in this order.
  std::vector<RandomCall> random_calls;
  /// CompileSettings::backend of whoever it was compiled for.
  Value backend;
  /// What runs the graph where a backend gave something else.
  Value runner = Value::absent();
  /// How backend="nnscope" runs it; null: as it is.
  std::shared_ptr<Plan> plan;
  std::string compile_id;
  /// Modules that it was compiled for as these instances: when one is gone it is of no use.
  std::vector<Ref<object::WeakReference>> instances;
  /// Those that guards and variables name, which a program may let go of.
  std::map<const object::Class*, Ref<object::Class>> classes;
  explicit CompiledFrame(Interpreter& in) : guards(in) {}
  bool is_stale() const {
    return std::any_of(instances.begin(), instances.end(), [](const auto& one) { return !one->get(); });
  }
  /// Drops what can be read from the frame again, so that it does not keep the program's objects alive; of those only
  /// the classes stay.
  void forget_values();
};

}  // namespace nns::dynamo
