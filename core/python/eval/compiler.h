#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/python/eval/code.h"
#include "core/python/eval/scope.h"

namespace nns::python {

/// A program's code, or why it is none.
using Compiled = std::variant<Ref<Code>, SyntaxError>;

/// What the code of a tree is for.
enum class CompileMode : std::uint8_t {
  /// A module; it returns None.
  Module,
  /// eval(): it returns the value.
  Expression,
  /// A line of an interactive session: values of expressions are shown.
  Interactive,
};

/// Turns a tree into code. What each construct means is decided here once; who runs the code decides what values are.
Compiled compile(Interpreter& interpreter, std::shared_ptr<const Tree> tree, CompileMode mode = CompileMode::Module);

/// Compiles one scope; makes others for the scopes inside.
class Compiler {
 public:
  Compiler(Interpreter& interpreter, std::shared_ptr<const Tree> tree, const SymbolTable& table,
           std::optional<SyntaxError>& error)
      : interpreter_(interpreter), shared_tree_(std::move(tree)), tree_(*shared_tree_), table_(table), error_(error) {}

  Ref<Code> module(CompileMode mode);

 private:
  struct Label {
    static constexpr std::uint32_t kUnset = UINT32_MAX;
    std::uint32_t at = kUnset;
    std::vector<std::uint32_t> jumps;
  };
  /// What break, continue and return have to leave on their way out.
  struct Block {
    enum class Kind : std::uint8_t { Loop, Handler, Finally, With, ExceptBody, GroupBody, Value };
    Kind kind;
    Label* on_break = nullptr;
    Label* on_continue = nullptr;
    /// A for loop keeps its iterator on the stack.
    bool has_iterator = false;
    /// `async with`: what its exit gives is waited for.
    bool is_async = false;
    NodeId finally_body = kNoNode;
    /// The name that an except clause binds.
    std::string_view bound_name = {};
    Span span = {};
  };

  // The scope that is compiled.
  void begin(const Scope& scope, std::string_view name, std::string qualified_name, NodeId node);
  Ref<Code> finish();
  Compiler inner() const;
  std::string qualified(std::string_view name) const;

  // emit.cpp
  std::uint32_t emit(Opcode op, std::uint32_t arg = 0, std::uint32_t extra = 0);
  void jump(Opcode op, Label& label, std::uint32_t extra = 0);
  void place(Label& label);
  std::uint32_t constant(Value value);
  std::uint32_t name_index(std::string_view name);
  void load_constant(Value value) { emit(Opcode::LoadConst, constant(std::move(value))); }
  void load_none() { load_constant(Value()); }
  void load_name(std::string_view name);
  void store_name(std::string_view name);
  void delete_name(std::string_view name);
  void find_stack_size();
  void fail(NodeId where, std::string message) {
    if (!error_) error_ = SyntaxError{std::move(message), tree_.span(where)};
  }
  /// Marks what is emitted while it lives with the place of a node.
  class At {
   public:
    At(Compiler& compiler, NodeId node) : compiler_(compiler), before_(compiler.span_) {
      compiler.span_ = compiler.tree_.span(node);
    }
    ~At() { compiler_.span_ = before_; }
    At(const At&) = delete;
    At& operator=(const At&) = delete;

   private:
    Compiler& compiler_;
    Span before_;
  };

  // compile_statements.cpp
  void body(NodeId block);
  void statement(NodeId id);
  void assign(NodeId id);
  void augmented_assign(NodeId id);
  void annotated_assign(NodeId id);
  void if_statement(NodeId id);
  void while_statement(NodeId id);
  void for_statement(NodeId id);
  void with_statement(NodeId id, std::size_t item);
  void raise_statement(NodeId id);
  void assert_statement(NodeId id);
  void import_statement(NodeId id);
  void import_from(NodeId id);
  void delete_target(NodeId id);
  /// awaitable - result
  void await(Awaited awaited = kAwaited);
  /// asynchronous iterator - iterator item; what ends it goes to `end` as an exception, for EndAsyncFor.
  void next_awaited(Label& end);
  void return_statement(NodeId id);
  void leave_loop(NodeId id, bool is_break);
  /// Leaves the innermost blocks down to `depth`. `keeps_value`: the value on top is to stay there.
  void unwind(std::size_t depth, bool keeps_value);
  void leave_block(const Block& block, bool keeps_value);

  // compile_exceptions.cpp
  void try_statement(NodeId id);
  void try_except(NodeId id);
  void except_handler(NodeId id, Label& end);
  /// The clauses of `except*`: previous exception - ; goes to `end`, or raises what is left.
  void group_handlers(NodeId id, Label& end);
  void group_handler(NodeId id);
  void unbind_name(std::string_view name);
  /// Whether an except* block lies between here and `depth`, which nothing may leave but its end.
  bool leaves_group_handler(std::size_t depth) const;
  /// previous exception newer - ; the newer one goes on, the previous one is handled again.
  void reraise_newer();

  // compile_functions.cpp
  void function_definition(NodeId id);
  void lambda(NodeId id);
  void class_definition(NodeId id);
  /// A function object on the stack; `is_generic`: its defaults come from the scope of its type parameters.
  void function_object(NodeId id, bool is_generic);
  void class_object(NodeId id, bool is_generic);
  std::uint32_t defaults(NodeId parameters) { return positional_defaults(parameters) | keyword_defaults(parameters); }
  std::uint32_t positional_defaults(NodeId parameters);
  std::uint32_t keyword_defaults(NodeId parameters);
  void bind_parameters(const Scope& scope, NodeId parameters);
  void make_function(const Ref<Code>& code, std::uint32_t parts);
  bool annotations_of_function(NodeId id);
  Ref<Code> annotations_code(NodeId owner, const std::vector<std::pair<std::string, NodeId>>& annotations);
  void comprehension(NodeId id);
  void comprehension_clause(NodeId id, std::size_t clause, std::size_t depth);
  /// Loads the cells that `code` takes from here; what MakeFunction is told of it: kHasClosure or 0.
  std::uint32_t closure(const Code& code);
  /// The text that stands as the first statement.
  std::optional<std::string_view> docstring(NodeId statements) const;
  void load_decorators(NodeId decorators);
  void decorator(NodeId id);
  void call_decorators(NodeId decorators);
  std::uint32_t closure_slot(std::string_view name) const;

  // compile_generics.cpp
  void type_alias(NodeId id);
  /// Makes the variables of `parameters` and the tuple ".type_params" of them.
  void type_parameters(NodeId parameters);
  /// A function that evaluates an expression when it is called; `id`: whose scope that is.
  void evaluated(NodeId id, NodeId expression, std::string_view name);
  /// Begins the call of a function that makes type parameters, then what `define` leaves on its stack, which it
  /// returns; emit its arguments and Call.
  void begin_generic(NodeId parameters, std::string_view name, std::uint32_t argument_count,
                     const std::function<void(Compiler&)>& define);

  // compile_expressions.cpp
  void expression(NodeId id);
  void constant_expression(NodeId id);
  void store(NodeId id);
  void call(NodeId id);
  void call_arguments(NodeId id, std::size_t from, std::size_t given_before);
  bool is_plain_call(NodeId id, std::size_t from) const;
  void unpacked_arguments(NodeId id, std::size_t from, std::size_t given_before);
  void compare(NodeId id);
  void boolean(NodeId id);
  /// Jumps to `label` if the expression's truth is `when`; goes on otherwise.
  void jump_if(NodeId id, Label& label, bool when);
  void sequence(NodeId id, Opcode build, Opcode append, Opcode extend);
  void dict(NodeId id);
  void joined_string(NodeId id);
  void formatted_value(NodeId id);
  void subscript_index(NodeId id);

  // compile_match.cpp
  /// One case that is tried: where to go if it does not match, and what it binds if it does.
  struct Attempt {
    Label* on_failure;
    std::vector<std::pair<std::string, std::uint32_t>> captures;
  };
  void match_statement(NodeId id);
  /// Matches the value of slot `subject`.
  void pattern(NodeId id, std::uint32_t subject, Attempt& attempt);
  void sequence_pattern(NodeId id, std::uint32_t subject, Attempt& attempt);
  void mapping_pattern(NodeId id, std::uint32_t subject, Attempt& attempt);
  void class_pattern(NodeId id, std::uint32_t subject, Attempt& attempt);
  void or_pattern(NodeId id, std::uint32_t subject, Attempt& attempt);
  void capture(NodeId where, std::string_view name, std::uint32_t subject, Attempt& attempt);
  std::uint32_t temporary();
  void release_temporaries(std::size_t from);

  Interpreter& interpreter_;
  std::shared_ptr<const Tree> shared_tree_;
  const Tree& tree_;
  const SymbolTable& table_;
  std::optional<SyntaxError>& error_;
  const Scope* scope_ = nullptr;
  const Compiler* outer_ = nullptr;
  Ref<Code> code_;
  Span span_;
  CompileMode mode_ = CompileMode::Module;
  std::vector<Block> blocks_;
  std::unordered_map<std::string, std::uint32_t> name_indices_;
  std::unordered_map<std::string, std::uint32_t> local_indices_;
  /// Cells made here, then those of functions around.
  std::unordered_map<std::string, std::uint32_t> cell_indices_;
  std::map<std::pair<int, std::string>, std::uint32_t> constant_indices_;
  /// Annotated names of the class or module, in order.
  std::vector<std::pair<std::string, NodeId>> annotations_;
  /// Slots that a match statement uses, and how many of them are in use.
  std::vector<std::uint32_t> temporaries_;
  std::size_t temporaries_in_use_ = 0;
};

}  // namespace nns::python
