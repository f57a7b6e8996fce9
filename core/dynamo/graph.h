#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/dynamo/source.h"
#include "core/tensor/tensor.h"

namespace nns::dynamo {

struct Node;

/// What stands for an argument of a node: a node, a constant, or a container of these.
struct Argument {
  enum class Kind : std::uint8_t { Node, Constant, Tuple, List, Dict, Slice };
  Kind kind = Kind::Constant;
  const struct Node* node = nullptr;
  Value constant = {};
  std::vector<Argument> items = {};
  /// Of a dict, one an item.
  std::vector<Value> keys = {};
};

inline Argument node_argument(const Node& node) { return {.kind = Argument::Kind::Node, .node = &node}; }
inline Argument constant_argument(Value value) {
  return {.kind = Argument::Kind::Constant, .constant = std::move(value)};
}

/// Called modules around a node: key, qualified name, class; outermost first.
struct StackEntry {
  std::string key;
  /// The module whose id is the key, or 0: the key is a name of the graph's table.
  std::uint64_t module_id = 0;
  std::string name = {};
  std::string class_name;
};
/// The modules around a node, innermost first: stacks share what is around both.
struct StackLink;
using ModuleStack = std::shared_ptr<const StackLink>;
struct StackLink {
  StackEntry entry;
  ModuleStack outer = {};
};

class Graph;

/// One node of a graph. Behaviour: torch/fx/node.py.
struct Node {
  enum class Op : std::uint8_t { Placeholder, GetAttr, CallFunction, CallMethod, CallModule, Output };
  Op op = Op::Placeholder;
  std::string name = {};
  std::string target = {};
  std::vector<Argument> args = {};
  std::vector<std::pair<std::string, Argument>> kwargs = {};
  /// What a call_function calls; what a get_attr or call_module names.
  Value callee = {};
  /// Of a placeholder: where its value comes from.
  const Source* source = nullptr;
  /// Null: none are around it.
  ModuleStack module_stack = {};
  /// Of the value: an example without contents, or none.
  Ref<tensor::Tensor> example = {};
  /// Of a number that is no constant: the one that the frame was compiled with, or one that shapes are tried with.
  Value hint = Value::absent();
  /// What `example` or `hint` are in the other worlds of Symbols, from world 1 on. Absent, or none so far: the same.
  /// None: not known there.
  std::vector<Value> variants = {};
  /// "f32[s77, 3]" or "SymInt(s77 + 1)" where the value is not the same for all calls; else empty.
  std::string type_text = {};
  /// Of a placeholder of a size: the tensor's, without which it goes.
  const Node* size_of = nullptr;
  /// A placeholder that stays where nobody uses it.
  bool is_kept = false;
  /// A placeholder of a float, which the graph takes as a tensor without dimensions.
  bool is_wrapped_number = false;
  /// A tensor whose size depends on values; the example has some size.
  bool has_unknown_size = false;
  /// What asked for it: code, and a line of it; null: the library did.
  Ref<python::Code> asked_by = {};
  std::uint32_t line = 0;
  /// The innermost line of the program itself, where `line` may be one of the library's; null: not known.
  Ref<python::Code> program = {};
  std::uint32_t program_line = 0;
  /// Of the frame that is compiled: its name, which is not always that of `asked_by`.
  std::shared_ptr<const std::string> root_name = {};
  /// Of a get_attr: the graph that a higher-order operator runs; null: it names something else.
  std::shared_ptr<const Graph> body = {};
  /// The graph that it is of.
  Graph* graph = nullptr;
  std::size_t users = 0;
  std::size_t number = 0;
  bool is_erased = false;

  std::string_view op_name() const;
  /// The modules around it, outermost first.
  std::vector<StackEntry> stack() const;
  /// The function and the text of the line that asked for it; empty: the library did.
  std::string_view frame() const;
  std::string code() const;
  /// The file of the program's line; empty: not known.
  std::string_view file() const;
};

/// The names of one graph: no two nodes have the same.
/// Behaviour: torch/fx/graph.py, class _Namespace.
class Namespace {
 public:
  std::string create(std::string candidate);

 private:
  struct Known {
    bool is_used = false;
    /// The last number that a name with this base got; -1: there was none.
    int count = -1;
  };
  std::unordered_map<std::string, Known> known_;
};

/// An FX graph: nodes in order; placeholders first.
class Graph {
 public:
  Node& add(Node::Op op, std::string target, const std::string& name_candidate);
  /// The node stands behind `place`, which is no placeholder.
  Node& insert_after(const Node& place, Node::Op op, std::string target, const std::string& name_candidate);
  /// A placeholder goes behind the other placeholders.
  Node& add_placeholder(std::string target);
  /// The name that a value gets when it is stored into a variable.
  void rename(Node& node, const std::string& candidate);
  /// Puts `by` where `node` is used, and drops `node`.
  void replace(Node& node, const Node& by);
  /// Drops placeholders, get_attrs and getitems that nobody uses, and counts users.
  void finish();
  /// The graph as torch._dynamo.export shows it: `leaves` of the arguments by their places, what else the frame found,
  /// as parameters and buffers, as attributes.
  void make_exported(std::span<const Value> leaves);
  /// One result of an exported program: a place in what the graph gave and then the leaves; or a constant.
  struct ExportedResult {
    std::optional<std::size_t> place;
    Value constant;
  };
  /// Gives the exported graph the signature of the program: a placeholder for each of `leaves` leaves, and its results.
  /// Must hold: make_exported() was called, the places are there.
  /// Behaviour: torch/_dynamo/eval_frame.py, FlattenInputOutputSignature.
  void take_signature(std::size_t leaves, const std::vector<ExportedResult>& results);
  std::size_t call_count() const;
  Slab<Node, 32>& all() { return nodes_; }
  /// The nodes in order, without those that were dropped.
  std::vector<const Node*> ordered() const;

  /// Runs the graph; `inputs`: one value a placeholder that is left, in order. Gives what the output node holds.
  PyResult<std::vector<Value>> run(Interpreter& interpreter, std::span<const Value> inputs) const;

  /// Drops what the inputs were when the graph was made, so that it does not keep the program's tensors alive.
  void forget_inputs(Interpreter& interpreter);
  /// torch.device of the first tensor among them, when they are forgotten.
  Value input_device;

 private:
  void count_users();
  void change_users(const Node& node, int by);
  Slab<Node, 32> nodes_;
  std::vector<Node*> placeholders_;
  std::vector<Node*> calls_;
  Namespace names_;
};

/// Carries out one node; `values`: one a node, by number. Must hold: it is no placeholder and no output.
PyResult<void> run_node(Interpreter& interpreter, const Node& node, std::vector<Value>& values);
/// What an output node gives.
std::vector<Value> output_values(Interpreter& interpreter, const Node& output, std::span<const Value> values);
/// Calls use(other) for each node that the arguments of a node name.
void for_each_argument(const Node& node, const std::function<void(const Node&)>& use);

/// Puts `by` into an argument where that names `node`.
void put_instead(Argument& argument, const Node& node, const Node& by);

/// "f32[2, 8]", "f32[s77, 8]", "SymInt(s77)"; empty: nothing is known of the value.
std::string value_text(const Node& node);

/// "%x", "2", "[%a, %b]": an argument as recorded graphs write it.
std::string argument_text(Interpreter& interpreter, const Argument& argument);
/// A call as errors show it: "call_function <built-in function add>(*(FakeTensor(..., size=(3,)), 1), **{})".
std::string call_on_fakes(Interpreter& interpreter, std::string_view kind, std::string_view callee,
                          const std::vector<Argument>& positional,
                          const std::vector<std::pair<std::string, Argument>>& named);

/// A line of code without what it is indented by.
std::string line_text(const python::Code& code, std::uint32_t line);

/// snake_case of a target, for the name of a node.
std::string snake_case(std::string_view text);

}  // namespace nns::dynamo
