#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/byte_sink.h"
#include "core/base/byte_source.h"
#include "core/python/eval/execution_observer.h"
#include "core/python/eval/files.h"
#include "core/python/eval/frame.h"
#include "core/python/eval/frame_compiler.h"

namespace nns::python {

/// How much a program may use. What is passed raises: RuntimeError for steps, RecursionError for nesting, MemoryError.
struct Limits {
  /// Statements and turns of loops.
  std::uint64_t steps = UINT64_MAX;
  /// Python functions that are active at a time. Behaviour: sys.getrecursionlimit().
  int depth = 1000;
  /// Units: bytes that `memory_in_use` of the machine tells. It is looked at now and then, and before each tensor.
  std::uint64_t memory = UINT64_MAX;
};

/// Why a program gets no file: OSError(number, text, path) is raised. Numbers are Linux's, wherever it runs.
struct FileRefusal {
  int number = 0;
  std::string text;
};
template <class File>
using OpenedFile = std::variant<std::shared_ptr<File>, FileRefusal>;
/// What happens to what a file holds already: it goes, it stays in front, or there may be none.
enum class WriteMode : std::uint8_t { Replace, Append, New };

/// What a program writes to and reads from. Who runs it decides which files those are; at first there are none.
struct Streams {
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> error;
  std::function<OpenedFile<base::ByteSource>(const std::string& path)> open_file;
  /// The file is complete when the sink is gone.
  std::function<OpenedFile<base::ByteSink>(const std::string& path, WriteMode mode)> create_file;
  /// The first `bytes` bytes of a file, which others who map it see change. A file that is not there or shorter is made
  /// so long. None where files cannot be mapped.
  std::function<OpenedFile<std::byte>(const std::string& path, std::uint64_t bytes)> map_file;
};

/// Runs code objects on values: one for each interpreter.
/// Frames of Python functions lie on a stack of its own, not on that of C++; calls that C++ makes (a hook, a key
/// function) begin a nested run.
class Machine final : public Interpreter::Extension {
 public:
  static constexpr Interpreter::ExtensionSlot kSlot = Interpreter::ExtensionSlot::Python;

  /// The machine of `interpreter`, made at the first question.
  static Machine& of(Interpreter& interpreter) {
    if (Machine* made = interpreter.extension<Machine>()) [[likely]]
      return *made;
    return make(interpreter);
  }
  ~Machine() override;

  /// The classes of the evaluator.
  struct Classes {
    Class *cell, *code, *traceback, *frame, *super, *module, *generator;
    /// Of `async def`: what its calls give; the generator that runs it; what lets an asynchronous one go on; and what
    /// its body yields, which no program sees.
    Class *coroutine, *coroutine_body, *async_generator, *async_step, *yielded_value;
    /// What sys.unraisablehook gets.
    Class* unraisable;
  } classes;
  struct Names {
#define NNS_NAME(id, text) Name id;
#include "core/python/eval/names.def"
#undef NNS_NAME
  } names;

  Interpreter& interpreter() { return interpreter_; }
  /// builtins' dict.
  Dict& builtins() { return *builtins_; }
  Limits limits;
  Streams streams;
  /// The files beside those that streams.open_file gives: folders, sizes, what is written. Null: the program sees none.
  std::shared_ptr<Files> files;
  /// How many bytes the process holds; none: a limit of memory has no effect. Set by set_memory_limit().
  std::function<std::uint64_t()> memory_in_use;
  /// From now on the program may hold `bytes`; `in_use` tells how many there are.
  void set_memory_limit(std::uint64_t bytes, std::function<std::uint64_t()> in_use);
  /// Called now and then while a function runs that C++ called (a forward, a hook, a key function) and the slice of
  /// go_on(), which cannot return from there, is over: who runs the program may interrupt() it.
  std::function<void()> while_nested;
  /// os.getpid().
  std::int64_t process_id = 1;
  /// What was run of programs and modules, by the name of the file: for tracebacks that a program makes itself.
  std::map<std::string, std::shared_ptr<const Tree>, std::less<>> sources;
  /// Statements run so far.
  std::uint64_t steps() const { return steps_; }

  /// Runs the code of a module or of exec(), with names in `names`.
  PyResult<Value> run_module(const Ref<Code>& code, Ref<Dict> globals, Ref<Dict> name_dict);
  /// Begins the code of a module, which go_on() runs in slices. Must hold: nothing runs and nothing was begun.
  void begin_module(const Ref<Code>& code, Ref<Dict> globals, Ref<Dict> name_dict);
  /// Runs what was begun until it ends, which gives its result, or until `is_slice_over`, which is asked now and then
  /// between two statements; not inside of what C++ calls (a forward, a hook, a key function). Meanwhile other code may
  /// be called. `at_every_statement`: it is asked between every two.
  std::optional<PyResult<Value>> go_on(const std::function<bool()>& is_slice_over, bool at_every_statement = false);
  /// Lets go_on() ask `is_slice_over` before the next statement, and each one after it until the slice ends.
  void look_soon() {
    look_around_ = 0;
    look_at_statements();
  }
  /// Ends what was begun without running another statement of it.
  void abandon();
  /// Calls a function of a program from C++.
  PyResult<Value> call(Function& function, const object::Arguments& arguments);
  /// Runs the body of a class; what it leaves is the cell of __class__, or None.
  PyResult<Value> run_class_body(Function& function, Ref<Dict> name_dict);
  /// The generator, of a function or of a coroutine's body; null: it is something else.
  Generator* as_generator(const Value& value) const {
    if (!value.is_object()) return nullptr;
    const Class* const cls = &value.object()->type();
    return cls == classes.generator || cls == classes.coroutine_body ? static_cast<Generator*>(value.object())
                                                                     : nullptr;
  }
  /// FILE:LINE of the frame that runs, "sys:1" without one.
  std::string place() const;
  /// Gives what the core warned of to module warnings, which filters and shows it; without that module it is shown as
  /// it is. The loop calls it where a statement, a try or with block, and a function end.
  /// Errors: the warning, where a filter makes an exception of it; and what a program's own showwarning() raises.
  /// Differs: CPython raises inside of the function that warns, so that the rest of it and of the expression does not
  /// run (core_warnings.py).
  PyResult<void> pass_on_warnings() {
    if (!interpreter_.has_warnings()) [[likely]]
      return {};
    return pass_on_waiting();
  }
  /// What the core warned of since the last time: a list of (category, text, file, line, module).
  Value take_warnings();
  /// Lets a generator go on with `sent`, or with `raised` at its yield.
  PyResult<Value> resume(Generator& generator, const Value& sent, const PyError* raised);

  // threads.cpp: threads of a program take turns, all on the one that runs the machine.
  /// Makes a thread that calls `function` without arguments at its first turn. Gives its number.
  PyResult<std::int64_t> begin_thread(Function& function);
  /// Lets a thread that does not run go on until it ends (true), pauses, or has run some ten thousand statements.
  /// Errors: ValueError  there is no such thread, or its turn is not over; and what ends it.
  PyResult<bool> run_turn(std::int64_t thread);
  /// Ends the turn of the thread that runs before its next statement. False: it cannot pause here, because it is the
  /// main one, or inside of what C++ calls (a forward, a hook, a key function).
  bool pause_turn();

  /// Raises KeyboardInterrupt in what runs, soon. Threads: any; a signal's handler may call it.
  void interrupt() { interrupted_.store(true, std::memory_order_relaxed); }
  /// Whether that was asked for and has not happened; then it does not.
  bool take_interrupt() { return interrupted_.exchange(false, std::memory_order_relaxed); }

  /// A function of ours that is called often: what it gives for arguments for which that runs no code of a program and
  /// raises nothing; Absent for others, which take the general way.
  using QuickCall = Value (*)(Interpreter& interpreter, std::span<const Value> arguments);
  /// Lets calls of `function` try `quick` first. Must hold: there are few of them.
  void add_quick_call(const Value& function, QuickCall quick);

  /// Names of a package of C++ that are imported when somebody looks at them: torch.fx is the module "torch.fx".
  struct LateName {
    std::string package, name, module;
  };
  std::vector<LateName> late_names;
  /// Who is offered calls of functions while somebody compiles them; null otherwise.
  FrameCompiler* frame_compiler = nullptr;
  /// Keeps what compiles frames for as long as the machine lives.
  std::shared_ptr<FrameCompiler> compiler;
  /// For the compiler: drops the frame on top, which was offered to it.
  void drop_frame();
  /// Runs the frame on top from where it stands until it returns, beginning with `thrown` if that is given.
  PyResult<Value> run_frame(const PyError* thrown = nullptr);

  /// Starts (or with null ends) to tell how programs run.
  /// Cost: without an observer a predictable branch a call and a write, none a statement.
  /// Lifetime: the observer outlives its observation.
  void observe(ExecutionObserver* observer) {
    observer_ = observer;
    look_at_statements();
  }

  /// sys.set_asyncgen_hooks(): functions or None.
  struct AsyncGeneratorHooks {
    Value first_iteration, finalizer;
  } async_generator_hooks;

  /// The function that runs now, for globals(), locals(), super(); null outside of programs.
  Frame* frame() { return frame_; }
  /// What a program sees of the frame `depth` below the one that runs; Absent: there are not so many.
  Value frame_view(std::int64_t depth);
  /// The exception that is handled now, or None.
  const Value& handled() const { return handled_; }

  /// What __build_class__ does: makes a class from its body.
  PyResult<Value> build_class(std::span<const Value> positional, std::span<const object::Keyword> keywords);
  /// super() without arguments in the frame that runs.
  PyResult<Value> current_super();
  /// super(cls, self).name: Absent where there is none.
  PyResult<Value> super_attribute(const Super& super, Name name);

  // Modules.
  /// The dict sys.modules.
  Dict& modules() { return *modules_; }
  Ref<ModuleObject> new_module(std::string_view name);
  /// import name; `level` leading dots, seen from the module of `globals`. Gives the innermost module.
  /// Errors: ModuleNotFoundError, ImportError, and what the module raises.
  PyResult<Value> import_module(std::string_view name, int level, Dict* globals);
  /// Finds a module that is not in sys.modules yet: Absent if it does not know it.
  using Finder = std::function<PyResult<Value>(std::string_view name)>;
  /// Who is asked first. Behaviour: sys.path begins with the program's folder, behind what is built in; folders without
  /// __init__.py come last.
  enum class FinderOrder : std::uint8_t { BuiltIn, Torch, ProgramFolder, Library, Packages, Namespaces };
  void add_finder(FinderOrder order, Finder finder);
  /// Where the sources of a module lie that the program's folders know; `folders` are those of a package, and `file` is
  /// empty of one without __init__.py.
  struct ModulePlace {
    std::string file;
    std::vector<std::string> folders;
    bool is_package = false;
  };
  std::function<std::optional<ModulePlace>(std::string_view name)> locate_module;
  /// What stands in sys.meta_path for all these finders: those that a program puts there are asked before or after it.
  Value path_finder = Value::absent();
  /// From now on a module that nobody finds is a stand-in: it loads, says so on streams.error, and raises
  /// ModuleNotFoundError with its name where it is used. An import inside of `try` raises at once, so that a program
  /// which is prepared for its absence takes its other way.
  void use_stand_ins() { uses_stand_ins_ = true; }

  /// A number in the bits above kMostSlots that stands for the instance's class as it is now: what was found out about
  /// the class holds while Class::derived_facts() has that number. 0: it has none.
  std::uint32_t stamp_of(const object::Object& instance);
  static constexpr std::uint32_t kMostSlots = 0xFF;

  /// An exception object from what `raise` was given: a class or an instance.
  PyResult<Ref<object::Exception>> exception_of(const Value& given);
  /// MemoryError once more is held than limits.memory, after cycles were looked for.
  PyResult<void> check_memory();
  /// Whether `except type` catches it.
  PyResult<bool> catches(const Value& exception, const Value& type);

 private:
  friend class Generator;
  PyResult<Value> ask_finders(const std::string& name);
  PyResult<Value> ask_meta_path(const std::string& name, const Value& parent);
  PyResult<void> bind_in_parent(const Value& parent, const std::string& name, const Value& module);
  static Machine& make(Interpreter& interpreter);
  explicit Machine(Interpreter& interpreter);
  void make_classes();

  // warnings.cpp
  /// Notes where the program is, and that it has to be looked at soon.
  void note_place(Interpreter::Warning& warning);
  PyResult<void> pass_on_waiting();

  // frames.cpp
  Frame* new_frame();
  /// A frame for a module's code.
  Frame* enter(const Ref<Code>& code, Ref<Dict> globals, Ref<Dict> name_dict);
  void make_cells(Frame& frame);
  void leave_generator();
  // quick_frames.h
  /// A frame whose first `filled` locals the caller writes; the other ones are unbound. It lies on top, and nobody was
  /// told.
  Frame* push_frame(Code& code, std::size_t filled);
  Frame* push_frame(Ref<Function> function, std::size_t filled);
  /// The same, which is told; its cells are yet to be made. `name_dict` is a class's.
  Frame* enter(Ref<Function> function, std::size_t filled, Ref<Dict> name_dict = nullptr);
  /// Drops the frame that runs, which is no generator's and which nobody was told of.
  void drop_quietly(Frame* frame);
  /// Drops the frame that runs.
  void leave();
  /// Whether a call with `count` arguments, none by name, has them and defaults for all parameters, and no others.
  static bool takes_quickly(const Function& function, std::size_t count);
  /// Begins that call with the arguments, which are moved.
  Frame* enter_quickly(Ref<Function> function, Value* arguments, std::size_t count);
  /// Begins a call: binds the arguments in a new frame, which runs next (Absent), or in a generator, which is the
  /// result.
  PyResult<Value> enter_function(Function& function, std::span<const Value> positional,
                                 std::span<const object::Keyword> keywords);
  /// Puts a generator's frame on top, where it stood; the caller has pushed what its yield gives.
  void wake(Generator& generator, FrameExit exit);
  /// Takes the generator's frame that runs from the top: it yields.
  void suspend();

  // threads.cpp
  /// Puts a thread's frames in the place of those that run, which `stack` holds until the next swap.
  void swap_stack(ThreadStack& stack);
  void drop_threads();

  // machine_loop.cpp
  /// Runs from the frame on top until that returns. `thrown`: begins with an exception at its last instruction.
  PyResult<Value> run(const PyError* thrown = nullptr) { return run(frame_, thrown); }
  /// The same down to `base`; Absent if the slice is over.
  PyResult<Value> run(Frame* base, const PyError* thrown);
  /// An exception that was handled goes on; its place is in its traceback already.
  static void raise_again(PyError again, Frame& frame, std::optional<PyError>& failure);
  /// Writes the exception down where it passes and finds who handles it; false if nobody down to `base` does.
  bool handle(PyError& error, const Frame* base);

  /// Where the instance's own dict has `name`, if its class has no say in that (`method`, __getattribute__ or
  /// __setattr__, is `plain`) and it is found soon; else null. `hint`: what is found out about the class, and the
  /// place; kMostSlots for the place: none was found.
  object::Dict::Entry* search_own(object::Object& one, Name name, Name method, const object::Object* plain,
                                  std::uint32_t& hint);
  /// What the class has under `name`, if it is a method that instances hide by an entry of their own only; else null.
  const Value* search_method(const object::Object& one, Name name, std::uint32_t& hint);
  /// The attribute as it lies in the instance's own dict and its class has no say in it, or null.
  const Value* read_quickly(object::Object& one, Name name, std::uint32_t& hint);
  /// The same for writing.
  Value* place_to_write(object::Object& one, Name name, std::uint32_t& hint);
  /// The getter of a property of the class, if reading the attribute is no more than to call that; else null.
  Function* quick_getter(object::Object& one, Name name);
  /// __init__ of a class whose instances are made by no more than a call of that, a function; else null.
  Function* quick_init(const Class& cls) const;
  /// As enter_function(), for arguments of which the last ones, which stand behind the others, have names.
  PyResult<Value> enter_named(Function& function, std::span<const Value> arguments, const object::Tuple& names);

  // instructions.cpp
  PyResult<Value> load_global(Frame& frame, const Instruction& instruction, Name name);
  PyResult<Value> late_builtin(Name name);
  PyResult<Value> load_name(Frame& frame, const Instruction& instruction, Name name);
  PyResult<Value> load_attribute(const Value& object, Name name);
  PyError out_of_steps();
  PyError unbound(const Frame& frame, std::uint32_t slot, bool is_cell);
  // These three take from the frame's stack and put there; its top is up to date before and after.
  PyResult<Value> make_function(Frame& frame, std::uint32_t parts);
  PyResult<void> unpack(const Value& iterable, std::uint32_t count, Frame& frame);
  PyResult<void> unpack_star(const Value& iterable, std::uint32_t before, std::uint32_t after, Frame& frame);
  PyResult<Value> format_value(const Value& value, std::uint32_t conversion, const Value* specification);
  PyResult<void> merge_keywords(const Value& function, Dict& into, const Value& mapping);
  PyResult<Value> compare(std::uint32_t op, const Value& a, const Value& b);
  /// What a raise statement raises, which may be the error that it makes.
  PyError raised(std::uint32_t count, Value* top);
  /// Puts __exit__ in the place of the context. Gives what __enter__ returned; Absent: its frame runs next.
  PyResult<Value> with_enter(Value& context);
  /// How the import statement at hand treats a module that nobody finds.
  enum class Missing : std::uint8_t { Raises, StandsIn };
  PyResult<Value> find_module(const std::string& name, const Value& parent, Missing missing);
  PyResult<Value> make_stand_in(const std::string& name, const Value& parent);
  bool is_import_guarded() const;
  bool is_stand_in(const Value& value) const { return value.is_object() && &value.object()->type() == stand_in_class_; }
  PyResult<Value> import_absolute(const std::string& name, Missing missing);
  PyResult<std::string> absolute_name(std::string_view given, int level, Dict* globals) const;
  PyResult<Value> import_name(Frame& frame, Name name, std::uint32_t level, const Value& from);
  PyResult<Value> import_from(const Value& module, Name name);
  PyResult<void> import_star(Frame& frame, const Value& module);
  PyResult<Value> match_keys(const Value& subject, const object::Tuple& keys);
  PyResult<Value> match_class(const Value& subject, const Value& cls, const object::Tuple& named, std::uint32_t count);
  // generics.cpp: what module typing makes of type parameters.
  PyResult<Value> type_parameter(Name name, std::uint32_t stars, const Value& bound);
  PyResult<Value> type_alias(Frame& frame, Name name, const Value& evaluate, const Value& parameters);
  Value generic_class_builder(const Value& parameters);
  PyResult<Value> call_value(const Value& callee, std::span<const Value> positional,
                             std::span<const object::Keyword> keywords);

  /// What add_quick_call() was told of the function, or null.
  QuickCall quick_call(const object::Object& function) const {
    std::size_t at = quick_place(function);
    while (quick_calls_[at].function.object() != &function) {
      if (quick_calls_[at].run == nullptr) return nullptr;
      at = (at + 1) % kQuickCalls;
    }
    return quick_calls_[at].run;
  }
  static std::size_t quick_place(const object::Object& function) {
    return (reinterpret_cast<std::uintptr_t>(&function) >> 5U) % kQuickCalls;
  }
  static constexpr std::size_t kQuickCalls = 256;
  struct KnownCall {
    Value function;
    QuickCall run = nullptr;
  };

  Interpreter& interpreter_;
  /// By quick_place(), those that meet behind each other.
  std::array<KnownCall, kQuickCalls> quick_calls_;
  Ref<Dict> builtins_;
  Ref<Dict> modules_;
  std::vector<std::pair<FinderOrder, Finder>> finders_;
  bool uses_stand_ins_ = false;
  /// Of the objects that stand in: module _stand_in's class; null until the first.
  Class* stand_in_class_ = nullptr;
  ValueStack stack_;
  /// Linked by `back`.
  Frame* free_frames_ = nullptr;
  Frame* frame_ = nullptr;
  Value handled_;
  std::uint64_t steps_ = 0;
  /// Between which steps the loop looks at what is not the program's: a mask.
  static constexpr std::uint64_t kRarely = 0xFFFF, kOften = 0x1F;
  std::uint64_t look_around_ = kRarely;
  /// The same, or every step: with an observer, and while something waits for its finalizer or a warning to be shown.
  std::uint64_t look_at_ = kRarely;
  void look_at_statements() {
    const bool is_quiet = observer_ == nullptr && interpreter_.finalizers().is_empty() && !interpreter_.has_warnings();
    look_at_ = is_quiet ? look_around_ : 0;
  }
  /// Behind the instruction that the first waiting warning came from.
  const Instruction* warned_at_ = nullptr;
  /// Finalizes what was dropped since the last time.
  void finalize_dropped() {
    if (interpreter_.finalizers().is_empty()) return;
    interpreter_.finalizers().run();
    look_at_statements();
  }
  ExecutionObserver* observer_ = nullptr;
  /// Of begin_module(); null: nothing was begun.
  Frame* begun_ = nullptr;
  const std::function<bool()>* is_slice_over_ = nullptr;
  std::atomic<bool> interrupted_ = false;
  std::uint32_t last_stamp_ = 0;
  // What classes without ways of their own read and write attributes with.
  const object::Object* plain_getattribute_ = nullptr;
  const object::Object* plain_setattr_ = nullptr;
  // object.__new__.
  const object::Object* plain_new_ = nullptr;
  // The classes of iterators that loops walk themselves.
  const Class *range_iterator_ = nullptr, *list_iterator_ = nullptr, *tuple_iterator_ = nullptr;
  int depth_ = 0;
  int nested_runs_ = 0;
  /// The depth of nested runs at which what runs may pause: that of go_on(), or of the thread whose turn it is.
  int pausing_runs_ = 1;
  /// Of threads by their number, those that have not ended; null while one has its turn.
  std::map<std::int64_t, std::unique_ptr<ThreadStack>> threads_;
  std::int64_t last_thread_ = 0;
  bool is_turn_ = false;
  bool is_pause_asked_ = false;
};

/// The error with an attribute more: the name that a NameError or an ImportError is about.
inline PyError with_name(PyError error, Interpreter& in, std::string_view name) {
  error.exception().instance_dict(true)->set(in.intern("name"), in.text(name));
  return error;
}

/// "f()" in errors of calls: the qualified name of what is called.
std::string callee_name(Interpreter& interpreter, const Value& callee);

}  // namespace nns::python
