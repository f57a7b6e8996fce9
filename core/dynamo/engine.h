#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/dynamo/compile_log.h"
#include "core/dynamo/report.h"
#include "core/dynamo/translator.h"
#include "core/python/eval/frame_compiler.h"
#include "core/python/torch/program_options.h"

namespace nns::dynamo {

/// How torch.compile was asked to treat what it wraps.
struct CompileSettings {
  bool is_fullgraph = false;
  /// A name, or what is called with a GraphModule and example inputs. What was compiled for another one is not used.
  Value backend;
  /// torch._dynamo.export: parameters lie in the graph itself.
  bool is_export = false;
  std::optional<bool> dynamic = std::nullopt;
  /// Called with a reason and the code where guards have a frame compiled anew; or None.
  Value guard_fail_fn = {};
  /// torch._dynamo.export: the leaves of the arguments.
  std::vector<Value> leaves = {};
  /// Of the backends that have names only "nnscope" makes something of the graph: a Plan.
  bool runs_as_captured() const {
    const auto* name = backend.as<object::Str>();
    return backend.is_none() || (name != nullptr && name->view() != "nnscope");
  }
};

/// What torch._dynamo is in one interpreter: the cache of compiled frames, what is known of torch's functions, and the
/// record of what happened.
/// Behaviour: torch/_dynamo/convert_frame.py, eval_frame.py.
class Engine final : public python::FrameCompiler {
 public:
  /// The engine of `machine`, made at the first question; torch._dynamo and torch.compile become importable with it.
  static Engine& of(Machine& machine);
  explicit Engine(Machine& machine);
  ~Engine() override;

  Interpreter& interpreter() const { return in_; }
  Machine& machine() { return machine_; }
  Config& config() { return config_; }
  const Report& report() const { return report_; }
  Report& report() { return report_; }
  CompileLog& log() { return log_; }
  /// From now on guards and module variables are written down too, for who wants to be told of all.
  void record_all() { is_recording_ = true; }
  bool is_recording() const { return is_recording_; }

  /// Calls a function with frames being compiled.
  PyResult<Value> run_compiled(const Value& callable, const object::Arguments& arguments, CompileSettings settings);
  /// The same with frames not being compiled: torch.compiler.disable.
  PyResult<Value> run_plain(const Value& callable, const object::Arguments& arguments);
  bool is_compiling() const { return is_tracing_; }
  /// torch.compiler.set_stance(): whether frames are compiled. Behaviour: torch/_dynamo/eval_frame.py, DynamoStance.
  enum class Stance : std::uint8_t { Default, ForceEager, EagerOnRecompile, FailOnRecompile };
  Stance stance() const { return stance_; }
  void set_stance(Stance stance) { stance_ = stance; }
  /// torch._dynamo.error_on_graph_break: whether a break is an error. Gives what it was.
  bool set_errors_on_break(bool mode) { return std::exchange(errors_on_break_, mode); }
  bool errors_on_break() const { return errors_on_break_; }
  /// A function of a program that stands in graphs as it is.
  void allow_in_graph(const Value& function);
  /// A function of torch that breaks graphs from now on. False: graphs never call it.
  bool disallow_in_graph(const Value& function);
  bool is_disallowed(const Value& function) const {
    return !disallowed_.empty() && function.is_object() && disallowed_.contains(function.object());
  }
  /// Whether a decorator has put such a mark on it.
  bool is_marked(Function& function, std::string_view mark) const;
  void reset();

  std::optional<PyResult<Value>> offer(python::Frame& frame) override;

  // What the translator asks.
  bool is_fullgraph() const { return !settings_.empty() && settings_.back().is_fullgraph; }
  /// The GraphModule of what was exported last, which is forgotten then; None: nothing was.
  PyResult<Value> take_exported(std::size_t leaves, const std::vector<Graph::ExportedResult>& results);
  bool is_export() const { return !settings_.empty() && settings_.back().is_export; }
  bool is_torch_callable(const Value& value) const;
  bool is_compiled_module(const Value& value) const;
  /// Whether it is what torch.compiler.disable() gave for a module.
  bool is_disabled_module(const Value& value) const;
  bool has_global_backward_hooks() const;
  bool has_global_hooks() const;
  bool is_marked_dynamic(const Class& cls) const { return dynamic_classes_.contains(in_.id_of(cls)); }
  bool is_tagged(const object::Object& object) const { return tagged_.contains(in_.id_of(object)); }
  void mark_unspecialized(const Value& module, bool marks_class);
  void note_module(std::array<std::string, 5> row);
  /// A tensor like it without bytes, of such a shape.
  Ref<tensor::Tensor> fake_of(tensor::Tensor& tensor, const tensor::Dims& shape, const tensor::Dims& strides) const;
  /// torch.compile(dynamic=): whether all sizes are symbols, or none; none: those that change.
  std::optional<bool> dynamic() const { return settings_.empty() ? std::nullopt : settings_.back().dynamic; }
  /// What is raised where mark_dynamic() asked for a symbol and a constant is needed.
  PyError constraint_violation(const Symbol& symbol);
  PyResult<Value> run_fake(const Value& function, std::span<const Value> args,
                           std::span<const object::Keyword> keywords) const;
  PyResult<Value> run_fake_method(const Value& self, Name name, std::span<const Value> args,
                                  std::span<const object::Keyword> keywords) const;
  PyResult<Value> run_fake_module(const Value& module, std::span<const Value> args,
                                  std::span<const object::Keyword> keywords) const;
  /// tensor.to(): what stands for a tensor lies nowhere, so that a device is none of its arguments.
  PyResult<Value> run_fake_to(std::span<const Value> args, std::span<const object::Keyword> keywords) const;
  /// The same on tensors that hold zeros: for functions that look into what they are given.
  PyResult<Value> run_on_zeros(const Value& function, std::span<const Value> args,
                               std::span<const object::Keyword> keywords) const;
  /// An exception of torch._dynamo.exc.
  PyError exception(std::string_view cls, const std::string& text);
  /// A torch.fx.GraphModule of a graph.
  PyResult<Value> graph_module_of(const Graph& graph);
  /// What follows from an error of an op on fakes. `call`: the op with its arguments, as messages show them.
  Variable* fake_error(Translator& translator, const PyError& error, const std::string& target,
                       const std::string& call);
  /// operator.add and its like.
  Value operator_function(const std::string& name);
  Value builtin(std::string_view name) const;
  Value set_grad_function();
  /// The modules around each node of a torch.fx graph, by the node's name.
  void read_stacks(const Value& graph, std::map<std::string, ModuleStack, std::less<>>& stacks) const;
  bool has_dynamic_shape(std::string_view target) const;
  std::string name_of(const Value& function) const;
  /// The module that programs import such a function from; empty: none is known.
  std::string module_of(const Value& function) const;
  /// "torch.nn.functional.relu" and "relu"; empty: it is none of torch's.
  struct TorchFunction {
    std::string target;
    std::string name;
  };
  const TorchFunction* torch_function(const Value& value) const;
  /// Finds them, if that was not done.
  void add_targets();
  /// The same of an operator of torch that is Python here, of which some are first known when they are asked for.
  const TorchFunction* python_operator(const Value& value);
  /// The Python of ours that is followed in the place of such a function; Absent: there is none.
  Value stand_in(const Value& function);
  /// The Python of ours that stands for a method of torch.nn; Absent: there is none.
  Value library_method(std::string_view cls, std::string_view name);
  bool is_library_function(const Function& function) const;
  bool is_library_code(const Code& code) const;
  /// Absent: not disabled; None or the text of the reason.
  Value disabled_reason(Function& function) const;
  bool is_skipped_function(const Function& function) const;
  /// Whether it is collections.namedtuple.
  bool is_named_tuple_maker(const Function& function) const;
  /// Whether it is one of random's functions that graphs take numbers from.
  bool is_random_function(const Value& method) const;
  /// What such a call gives, with random's state as it was.
  PyResult<Value> example_of(const RandomCall& call);
  Variable* skipped_call(Translator& translator, const Function& function);
  Variable* logger_call(Translator& translator, const std::string& method);
  /// The same of a function that torch has in such a file.
  Variable* skipped_call(Translator& translator, std::string_view file, std::string_view name);
  Value wrapped_function(Function& function) const;
  /// What functools.lru_cache or cache made such a function from; Absent: it is none.
  Value cached_function(Function& function) const;
  Value wrapped_object(const Value& object) const;
  bool makes_real_modules(const Class& cls) const;
  bool is_graph_module(const Class& cls) const;
  bool is_opaque_module(const Class& cls) const;
  const Source* global_source(SourceTable& sources, Dict& globals, Dict& root, Name name) const;
  /// Of a table of hooks that run for every module: where PyTorch's own source reads it. Null: `hooks` is none.
  const Source* global_hooks_source(SourceTable& sources, const Value& hooks);
  Variable* import_module(Translator& translator, TracedFrame& frame, const Instruction& instruction);
  std::string branch_origin(const Variable& condition) const;
  std::uint64_t step_limit() const;
  /// The class of the mode whose exit method this is; Absent: it is none.
  Value context_class(const Value& exit) const;
  bool context_mode(const Value& exit) const;
  /// What one of the library's modules has under a name; None: nothing.
  Value library_value(std::string_view module, std::string_view name);
  /// What torch.amp.autocast_mode has under a name.
  Value autocast_function(std::string_view name);
  /// What an instance of torch.autocast was made with: device_type, dtype, enabled, cache_enabled.
  std::vector<Value> autocast_values(const Value& context) const;

 private:
  struct CodeCache {
    std::vector<std::shared_ptr<CompiledFrame>> entries;
    int frame_number = -1;
    int attempts = 0;
    bool is_skipped = false;
    SeenInputs seen;
    /// Keeps the code alive that this belongs to.
    Ref<Code> code;
  };
  /// The code, where in it, and the modes that are entered there, which the compiled code enters itself.
  using CacheKey = std::tuple<const Code*, std::uint32_t, std::string>;
  std::string modes_of(std::span<const Value> stack) const;

  bool is_worth_trying(const FrameStart& start) const;
  PyError recompile_refused(const FrameStart& start, const std::vector<RecompileRecord::Reason>& reasons);
  std::shared_ptr<CompiledFrame> find_entry(CodeCache& cache, const FrameStart& start,
                                            std::vector<RecompileRecord::Reason>& reasons);
  /// Null: the frame runs plainly, or `error` is raised.
  std::shared_ptr<CompiledFrame> compile(CodeCache& cache, FrameStart& start, std::optional<PyError>& error);
  void record(const FrameStart& start, CompiledFrame& compiled, const Speculation& speculation);
  void record_guards(const FrameStart& start, const CompiledFrame& compiled);
  void tell_graph(const CompiledFrame& compiled);
  /// Whether what a frame took of shapes holds for the sizes in `scope`, for which its guards do.
  bool claims_hold(CompiledFrame& compiled, Scope scope);
  /// Those that it was compiled with are known to hold.
  void note_claims_of_now(CompiledFrame& compiled, Scope scope);
  void record_skip(const FrameStart& start, BreakReason reason, Translator& translator);
  PyError unsupported_error(const BreakReason& reason);
  PyError recompile_limit_error();
  using Locals = std::vector<std::pair<Name, Value>>;
  /// Locals by name, and what is pending on the stack, as guards and sources see them.
  Locals visible(const FrameStart& start) const;
  PyResult<void> draw(const CompiledFrame& compiled, Locals& names);
  PyResult<std::vector<Value>> run_graph(const CompiledFrame& compiled, const FrameStart& start, const Locals& names);
  PyResult<void> call_backend(CompiledFrame& compiled);
  /// Graphs run functions of ours; who looks at them compares targets with those of the module operator.
  Value program_function(const Value& callee);
  PyResult<void> run_instruction(const Instruction& instruction, const Code& code, FrameStart& state);

  Machine& machine_;
  Interpreter& in_;
  Config config_;
  Report report_;
  CompileLog log_;
  std::set<std::array<std::string, 5>> module_rows_;
  bool is_recording_ = false;
  std::vector<CompileSettings> settings_;
  /// What torch._dynamo.export found, until it is taken.
  std::shared_ptr<Graph> exported_;
  Stance stance_ = Stance::Default;
  bool errors_on_break_ = false;
  bool is_tracing_ = false;
  std::map<CacheKey, CodeCache> caches_;
  /// The code of functions that torch.compile was given: it is tried whatever it is called with.
  std::map<const Code*, Ref<Code>> asked_for_;
  int next_frame_ = 0;
  std::set<std::uint64_t> dynamic_classes_, tagged_;
  std::unordered_map<const object::Object*, TorchFunction> functions_;
  std::unordered_map<const object::Object*, TorchFunction> disallowed_;
  std::vector<Value> kept_;
  /// Modules of the library that guards read from, under the names that the real tracer gives them.
  Ref<Dict> imported_;
  Value library_;
  std::map<std::string, Value, std::less<>> operators_;
};

/// Sets one of the settings of torch._dynamo.config that are on or off. False: there is none of that name.
bool set_flag(Config& config, std::string_view name, bool value);
/// The same from outside of a program, with the value as text: true, True or 1, or false, False or 0.
bool set_flag_as_text(Config& config, std::string_view name, std::string_view value);
/// Those that a program's comments ask for. Errors: names the line whose setting there is not.
base::Result<void> set_flags(Config& config, const python::ProgramOptions& options, std::string_view file);

/// Makes torch._dynamo, torch.compile, torch.compiler and torch.fx known to a machine's programs.
void add_dynamo(Machine& machine);

}  // namespace nns::dynamo
