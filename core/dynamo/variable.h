#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/dynamo/graph.h"
#include "core/dynamo/guard.h"
#include "core/nn/module.h"
#include "core/python/eval/function.h"

namespace nns::dynamo {

/// What stands for a value while a frame is traced. Behaviour: torch/_dynamo/variables.
enum class VariableKind : std::uint8_t {
  /// No value: the place in front of the arguments of a call of what is no method; a deleted attribute.
  Null,
  Deleted,
  /// A local that nobody has looked at.
  Lazy,
  Constant,
  Tensor,
  List,
  Tuple,
  Dict,
  Set,
  /// dict.keys() and its siblings: `self` is the dict, `name` which of them.
  DictView,
  Slice,
  Iterator,
  Function,
  Method,
  /// Anything callable of C++ that is no class.
  Builtin,
  Class,
  PythonModule,
  /// An instance of a class of a program, or a module that is compiled for all of its class.
  Object,
  /// A module that is compiled as this one instance.
  NNModule,
  Exception,
  Super,
  Cell,
  Generator,
  /// The __dict__ of an object.
  AttributeDict,
  /// A mode of torch that is entered and left: torch.no_grad() and its siblings.
  Context,
  /// A method of C++ with its self: tensor.sum, list.append.
  BoundBuiltin,
  /// A number that is no constant: an argument that was another one before, or what was read from a tensor.
  Number,
  /// The address of a tensor: nothing but its truth is known.
  DataPtr,
  /// A text with tensors in it, which is made when the graph has run: "...".format(...).
  Format,
  /// What a hook of a tensor is removed by. The tensor gets the hook when the graph has run.
  HookHandle,
};

struct TracedFrame;

/// One variable tracker. All kinds share one layout: which members count is told at each.
/// Lifetime: that of the Arena which made it.
struct Variable {
  VariableKind kind = VariableKind::Null;
  const Source* source = nullptr;
  /// Constant, Class, PythonModule, Builtin, and of what existed before the frame ran: the value. Of an object that
  /// the frame makes: a stand-in of its class, never initialised. Of an Exception: its class.
  Value value;
  /// Lazy: what became of it.
  Variable* realized = nullptr;

  /// Tensor, Number.
  Node* node = nullptr;
  /// Number: how it follows from what the frame is given; null: from the values of a tensor.
  std::shared_ptr<const Expression> expression;
  bool is_named = false;
  /// Tensor: it stands for an ndarray over the tensor.
  bool is_ndarray = false;
  /// Tensor: some of its sizes are others at other calls.
  bool has_free_sizes = false;
  /// The parameters' class where it is one.
  const Class* tensor_class = nullptr;
  Ref<tensor::Tensor> fake() const { return node == nullptr ? nullptr : node->example; }

  /// List, Tuple, Set (its items), Dict (its values, one a key), Slice (three), Exception (arguments).
  std::vector<Variable*> items;
  /// Dict: its keys. A removed entry has a null key.
  std::vector<Variable*> keys;
  /// Tuple, List, Dict: the class where it is not the plain one (a named tuple, OrderedDict). Object: of the instance.
  Class* cls = nullptr;
  /// Containers and objects that existed before: whether the frame changed them. Then they are written back.
  bool is_mutated = false;
  /// Made by the frame itself.
  bool is_new = false;
  /// Of which body of a higher-order operator it is, in the order in which they were begun; 0: of none.
  std::uint32_t scope = 0;
  /// Cell: of the function around the root.
  bool is_closure = false;
  /// A dict of hooks: its keys are not guarded.
  bool is_hooks_dict = false;
  /// A dict whose keys are guarded when it is walked.
  bool has_guarded_keys = false;

  /// Object of a class of the program that derives from dict or list: what it holds, as such a container without a
  /// class.
  Variable* contents = nullptr;

  /// By what a dict knows it that has no value of its own.
  Value identity;

  /// Method: found behind super().
  bool is_super = false;

  /// Method, BoundBuiltin, Super, AttributeDict, DataPtr, HookHandle: the instance. Exception: its cause.
  Variable* self = nullptr;
  /// Method, HookHandle: the function. Super: the class after which is looked. Cell: the contents (null: none yet).
  /// Exception: what was handled when it was raised. Dict: what makes the value of a key that is missing.
  Variable* function = nullptr;
  /// Exception: raised with `from`.
  bool has_cause = false;

  /// Function: its code, what the frame gave it when it made it.
  Ref<python::Code> code;
  Ref<Dict> globals;
  std::vector<Variable*> defaults;
  std::vector<std::pair<Name, Variable*>> keyword_defaults;
  std::vector<Variable*> closure;
  /// Of the library's Python: what stands for torch's own code. Its globals are not guarded.
  bool is_library = false;
  std::string name;

  /// Iterator: the next item; null with no failure: the end.
  std::function<Variable*()> next;
  /// Iterator over `self`: how many items it has given.
  std::shared_ptr<std::size_t> given;
  /// Generator.
  std::shared_ptr<TracedFrame> frame;

  /// Modules: the name that nn_module_stack shows, and the key in the graph's table.
  const Source* stack_source = nullptr;
  std::string module_key;
  /// Object: a module of torch.nn; one that FSDP manages.
  bool is_builtin_module = false;
  bool is_fsdp = false;
  /// Context: the mode that it sets and that it found. Of an autocast: `items` (what it is made with), `node` and
  /// `function` (what stands for it, and itself, once it is entered).
  bool mode = false, mode_before = false;
  /// Context: what it found is known before it is entered; it stands on the stack, entered.
  bool has_mode_before = false, is_entered = false;

  bool is_constant() const { return kind == VariableKind::Constant; }
  bool is_none() const { return is_constant() && value.is_none(); }
};

/// Whether it stands for a module.
inline bool is_module(const Variable& variable) { return variable.value.as<nn::Module>() != nullptr; }

/// Owns the trackers of one attempt.
class Arena {
 public:
  Variable& make(VariableKind kind) {
    Variable& made = all_.add();
    made.kind = kind;
    made.scope = scope;
    return made;
  }

  Slab<Variable>& all() { return all_; }

  /// That of what is made from now on.
  std::uint32_t scope = 0;

 private:
  Slab<Variable> all_;
};

/// One frame that is traced: the root's, or that of a function which is inlined.
struct TracedFrame {
  Ref<python::Code> code;
  Variable* function = nullptr;
  Ref<Dict> globals;
  /// Locals, then cells of its own and of functions around.
  std::vector<Variable*> slots;
  std::vector<Variable*> stack;
  struct Handler {
    std::uint32_t target;
    std::size_t depth;
  };
  std::vector<Handler> handlers;
  /// The exceptions that are handled, outermost first.
  std::vector<Variable*> handled;
  std::uint32_t pc = 0;
  std::uint32_t running = 0;
  TracedFrame* back = nullptr;
  bool is_root = false;
  bool is_library = false;
  bool is_started = false;
  bool is_finished = false;
  /// A generator's, while it runs.
  bool is_running = false;
  /// Slots of locals in the order in which they got their first value.
  std::vector<std::uint32_t> assigned;
  Variable* result = nullptr;
  /// The line that the log was last told of; 0: none.
  std::uint32_t told_line = 0;

  std::uint32_t line() const { return code->line_of(running); }
  /// How many calls it lies below the frame that is compiled.
  std::size_t depth() const { return back == nullptr ? 0 : back->depth() + 1; }
};

}  // namespace nns::dynamo
