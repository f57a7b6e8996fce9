#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/object/interpreter.h"
#include "core/python/syntax/tree.h"

namespace nns::python {

using object::Class;
using object::Dict;
using object::Interpreter;
using object::Name;
using object::PyError;
using object::PyResult;
using object::Ref;
using object::Value;

enum class Opcode : std::uint16_t {
#define NNS_OPCODE(name) name,
#include "core/python/eval/opcodes.def"
#undef NNS_OPCODE
};

/// Whether its argument is an instruction that may come next.
bool jumps(Opcode op);
/// Whether the instruction behind it never comes next.
bool ends(Opcode op);

struct Instruction {
  Opcode op;
  std::uint16_t extra = 0;
  std::uint32_t arg = 0;
  /// Where a name stood in a dict the last time; of attributes, also which class that was of (Machine::stamp_of).
  mutable std::uint32_t hint = 0;
};

/// What MakeFunction finds on the stack.
enum FunctionParts : std::uint32_t { kHasDefaults = 1, kHasKeywordDefaults = 2, kHasAnnotations = 4, kHasClosure = 8 };

/// What GetAwaitable is told of the value: errors name what gave it.
enum Awaited : std::uint32_t { kAwaited, kFromAsyncEnter, kFromAsyncExit };

/// In `extra` of a Call: it applies a decorator.
constexpr std::uint32_t kDecorates = 1;

/// One function's, class's or module's instructions. Never changes.
/// Frame: locals (parameters first, in the order positional-only, plain, keyword-only, *args, **kwargs), then cells
/// made here, then cells of functions around, then the value stack.
class Code final : public object::Container {
 public:
  explicit Code(Class& cls) : Container(cls) {}

  std::shared_ptr<const Tree> tree;
  std::string name;
  std::string qualified_name;
  std::vector<Instruction> instructions;
  /// One for each instruction.
  std::vector<Span> spans;
  std::vector<Value> constants;
  std::vector<Name> names;
  std::vector<Name> locals;
  std::vector<Name> cells;
  /// Which local a cell takes its first value from, for parameters that inner functions use; -1 none. One a cell.
  std::vector<std::int32_t> cell_parameters;
  std::vector<Name> free;
  std::uint32_t positional_only_count = 0;
  /// Positional-only ones included.
  std::uint32_t positional_count = 0;
  std::uint32_t keyword_only_count = 0;
  bool has_var_positional = false;
  bool has_var_keyword = false;
  /// Its calls give an object that runs it: a generator; with is_async a coroutine, or, if it yields, an asynchronous
  /// generator.
  bool is_generator = false;
  bool is_async = false;
  bool has_yield = false;
  /// Whether names live in slots, not in a dict.
  bool is_function = false;
  std::uint32_t stack_size = 0;
  NodeId node = kNoNode;
  /// The docstring, or None.
  Value doc;

  std::size_t parameter_count() const {
    return positional_count + keyword_only_count + (has_var_positional ? 1U : 0U) + (has_var_keyword ? 1U : 0U);
  }
  std::size_t slot_count() const { return stack_begin + stack_size; }
  /// Called once all of the above is known.
  void complete() {
    stack_begin = static_cast<std::uint32_t>(locals.size() + cells.size() + free.size());
    has_cells = !cells.empty() || !free.empty();
    is_plain_call = !is_generator && keyword_only_count == 0 && !has_var_positional && !has_var_keyword;
  }
  /// Slots in front of the value stack.
  std::uint32_t stack_begin = 0;
  bool has_cells = false;
  /// Whether a call with as many arguments as there are parameters, none by name, needs no more than their values.
  bool is_plain_call = false;
  std::uint32_t first_line() const { return tree->source().line_of(tree->span(node).begin); }
  std::uint32_t line_of(std::size_t instruction) const { return tree->source().line_of(spans[instruction].begin); }

  void traverse(object::Visitor& visitor) const override {
    for (const Value& constant : constants) visitor.visit(constant);
  }
  void clear_references() override { constants.clear(); }
};

}  // namespace nns::python
