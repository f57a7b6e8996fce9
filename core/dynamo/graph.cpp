#include "core/dynamo/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/object/iterator.h"
#include "core/object/operations.h"
#include "core/tensor/dtype_abbreviation.h"

namespace nns::dynamo {
namespace {

// Names that a node gets a number at once for: keywords, builtins and a few words of torch.
// Behaviour: torch/fx/graph.py, _illegal_names; torch's own are those that a graph's code imports.
constexpr std::string_view kTaken[] = {
    "False",      "None",       "True",      "and",     "as",           "assert", "async",       "await",
    "break",      "class",      "continue",  "def",     "del",          "elif",   "else",        "except",
    "finally",    "for",        "from",      "global",  "if",           "import", "in",          "is",
    "lambda",     "nonlocal",   "not",       "or",      "pass",         "raise",  "return",      "try",
    "while",      "with",       "yield",     "abs",     "all",          "any",    "ascii",       "bin",
    "bool",       "breakpoint", "bytearray", "bytes",   "callable",     "chr",    "classmethod", "compile",
    "complex",    "copyright",  "credits",   "delattr", "dict",         "dir",    "divmod",      "enumerate",
    "eval",       "exec",       "exit",      "filter",  "float",        "format", "frozenset",   "getattr",
    "globals",    "hasattr",    "hash",      "help",    "hex",          "id",     "input",       "int",
    "isinstance", "issubclass", "iter",      "len",     "license",      "list",   "locals",      "map",
    "max",        "memoryview", "min",       "next",    "object",       "oct",    "open",        "ord",
    "pow",        "print",      "property",  "quit",    "range",        "repr",   "reversed",    "round",
    "set",        "setattr",    "slice",     "sorted",  "staticmethod", "str",    "sum",         "super",
    "tuple",      "type",       "vars",      "zip",     "inf",          "nan",    "NoneType",    "torch",
    "device",     "fx_pytree",  "pytree",    "math"};

bool is_taken(std::string_view name) {
  static const std::unordered_set<std::string_view> taken(std::begin(kTaken), std::end(kTaken));
  return taken.contains(name);
}

// How much of "x_12" is "x", and 12; -1 without a number.
std::pair<std::size_t, int> split_number(std::string_view name) {
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  if (begin == name.size() || begin < 1 || name[begin - 1] != '_' || name.size() - begin > 8) return {name.size(), -1};
  int number = 0;
  for (const char c : name.substr(begin)) number = number * 10 + (c - '0');
  return {begin - 1, number};
}

void for_each_node(const Argument& argument, const std::function<void(const Node&)>& use) {
  if (argument.node != nullptr) use(*argument.node);
  for (const Argument& item : argument.items) for_each_node(item, use);
}

Value real(Interpreter& in, const Argument& argument, std::span<const Value> values) {
  const auto items = [&] {
    std::vector<Value> made;
    made.reserve(argument.items.size());
    for (const Argument& item : argument.items) made.push_back(real(in, item, values));
    return made;
  };
  switch (argument.kind) {
    case Argument::Kind::Node:
      return values[argument.node->number];
    case Argument::Kind::Constant:
      return argument.constant;
    case Argument::Kind::Tuple:
      return in.tuple(items());
    case Argument::Kind::List:
      return in.list(items());
    case Argument::Kind::Dict: {
      const Ref<Dict> dict = in.dict();
      for (std::size_t i = 0; i < argument.items.size(); ++i)
        dict->set(argument.keys[i], real(in, argument.items[i], values));
      return dict;
    }
    case Argument::Kind::Slice:
      return object::make<object::Slice>(in, real(in, argument.items[0], values), real(in, argument.items[1], values),
                                         real(in, argument.items[2], values));
  }
  return {};
}

}  // namespace

void for_each_argument(const Node& node, const std::function<void(const Node&)>& use) {
  for (const Argument& argument : node.args) for_each_node(argument, use);
  for (const auto& [name, argument] : node.kwargs) for_each_node(argument, use);
}

std::string_view Node::op_name() const {
  constexpr std::array<std::string_view, 6> kNames = {"placeholder", "get_attr",    "call_function",
                                                      "call_method", "call_module", "output"};
  return kNames[static_cast<std::size_t>(op)];
}

std::vector<StackEntry> Node::stack() const {
  std::vector<StackEntry> entries;
  for (const StackLink* at = module_stack.get(); at != nullptr; at = at->outer.get()) entries.push_back(at->entry);
  std::reverse(entries.begin(), entries.end());
  return entries;
}

std::string_view Node::frame() const {
  if (root_name != nullptr) return *root_name;
  return asked_by ? std::string_view(asked_by->name) : std::string_view();
}

std::string Node::code() const { return asked_by ? line_text(*asked_by, line) : std::string(); }

std::string_view Node::file() const {
  return program ? std::string_view(program->tree->source().name()) : std::string_view();
}

std::string line_text(const python::Code& code, std::uint32_t line) {
  const std::string_view whole = code.tree->source().line(line);
  const std::size_t begin = whole.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string() : std::string(whole.substr(begin));
}

std::string snake_case(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 4);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c < 'A' || c > 'Z') continue;
    result.append(text.substr(begin, i - begin));
    if (i > 0 && text[i - 1] >= 'a' && text[i - 1] <= 'z') result += '_';
    result += static_cast<char>(c - 'A' + 'a');
    begin = i + 1;
  }
  return result.append(text.substr(begin));
}

std::string Namespace::create(std::string candidate) {
  for (char& c : candidate) {
    const bool is_fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!is_fine) c = '_';
  }
  if (candidate.empty()) candidate = "_unnamed";
  if (candidate[0] >= '0' && candidate[0] <= '9') candidate.insert(0, 1, '_');
  const auto [length, given] = split_number(candidate);
  const std::string base = candidate.substr(0, length);
  const auto with_number = [&base](int number) {
    std::string text = base;
    return text.append(1, '_').append(std::to_string(number));
  };
  int number = given;
  auto place = known_.try_emplace(candidate).first;
  if (number < 0 || place->second.is_used) {
    number = std::max(place->second.count, 0);
    if (is_taken(candidate)) {
      candidate = with_number(++number);
      place = known_.try_emplace(candidate).first;
    }
  }
  while (place->second.is_used) {
    candidate = with_number(++number);
    place = known_.try_emplace(candidate).first;
  }
  place->second.is_used = true;
  known_[base].count = number;
  return candidate;
}

Node& Graph::add(Node::Op op, std::string target, const std::string& name_candidate) {
  Node& node = nodes_.add();
  node.graph = this;
  node.op = op;
  node.target = std::move(target);
  node.number = nodes_.size() - 1;
  node.name = names_.create(snake_case(name_candidate));
  calls_.push_back(&node);
  return node;
}

Node& Graph::insert_after(const Node& place, Node::Op op, std::string target, const std::string& name_candidate) {
  Node& node = add(op, std::move(target), name_candidate);
  const auto at = std::find(calls_.begin(), calls_.end(), &place);
  if (at != calls_.end()) std::rotate(at + 1, calls_.end() - 1, calls_.end());
  return node;
}

Node& Graph::add_placeholder(std::string target) {
  Node& node = nodes_.add();
  node.graph = this;
  node.target = std::move(target);
  node.number = nodes_.size() - 1;
  node.name = names_.create(snake_case(node.target));
  placeholders_.push_back(&node);
  return node;
}

void Graph::rename(Node& node, const std::string& candidate) {
  if (candidate != node.name) node.name = names_.create(candidate);
}

void put_instead(Argument& argument, const Node& node, const Node& by) {
  if (argument.node == &node) argument.node = &by;
  for (Argument& item : argument.items) put_instead(item, node, by);
}

void Graph::replace(Node& node, const Node& by) {
  for (Node& user : nodes_) {
    for (Argument& argument : user.args) put_instead(argument, node, by);
    for (auto& [name, argument] : user.kwargs) put_instead(argument, node, by);
  }
  node.is_erased = true;
}

void Graph::count_users() {
  for (Node& node : nodes_) node.users = 0;
  for (const Node& node : nodes_) {
    if (!node.is_erased) change_users(node, 1);
  }
}

void Graph::change_users(const Node& node, int by) {
  std::vector<std::size_t> used;
  for_each_argument(node, [&](const Node& one) {
    if (std::find(used.begin(), used.end(), one.number) == used.end()) used.push_back(one.number);
  });
  for (const std::size_t one : used) nodes_[one].users += static_cast<std::size_t>(by);
}

namespace {

bool is_of_numbers(const Node& call) { return call.op == Node::Op::CallFunction && !call.hint.is_absent(); }

// The first call that a number reaches through calls of numbers alone, and that gives no number; null: there is none,
// or the number is used by such a call itself first.
const Node* first_met(const Node& number, std::span<Node* const> calls) {
  std::unordered_set<const Node*> reached = {&number};
  for (const Node* const call : calls) {
    if (call->is_erased) continue;
    bool is_reached = false;
    for_each_argument(*call, [&](const Node& one) { is_reached = is_reached || reached.contains(&one); });
    if (!is_reached) continue;
    if (!is_of_numbers(*call)) return reached.size() > 1 && call->op != Node::Op::Output ? call : nullptr;
    reached.insert(call);
  }
  return nullptr;
}

// A number of which first of all other numbers are made is looked at no sooner than a tensor meets those: then it
// stands behind the inputs that were there. Behaviour: torch/_dynamo/variables/lazy.py, ComputedLazyConstantVariable.
void place_numbers(std::vector<Node*>& placeholders, std::span<Node* const> calls) {
  const std::vector<Node*> before = placeholders;
  for (Node* const node : before) {
    const bool is_size = node->source != nullptr && (node->source->kind == SourceKind::TensorSize ||
                                                     node->source->kind == SourceKind::TensorStride);
    if (node->is_erased || node->hint.is_absent() || is_size) continue;
    const Node* const met = first_met(*node, calls);
    if (met == nullptr) continue;
    const auto at = std::find(placeholders.begin(), placeholders.end(), node);
    auto end = at + 1;
    while (end != placeholders.end() && (*end)->number < met->number) ++end;
    std::rotate(at, at + 1, end);
  }
}

}  // namespace

void Graph::finish() {
  // Numbers whose values tracing needed leave behind what nobody uses.
  const auto is_number = [](const Node& node) {
    const bool is_size = node.target == "size" || node.target == "numel" || node.target == "stride";
    const bool is_read = node.op == Node::Op::CallMethod && !node.hint.is_absent() &&
                         (is_size || (node.target == "item" && node.args[0].node->is_wrapped_number));
    return is_read || (node.op == Node::Op::CallFunction && !node.hint.is_absent());
  };
  const auto is_removable = [&](const Node& node) {
    return node.op == Node::Op::Placeholder || node.op == Node::Op::GetAttr ||
           (node.op == Node::Op::CallFunction && node.target == "operator.getitem") || is_number(node);
  };
  count_users();
  for (std::size_t i = calls_.size(); i-- > 0;) {
    Node& node = *calls_[i];
    if (node.is_erased || node.users > 0 || !is_removable(node)) continue;
    node.is_erased = true;
    change_users(node, -1);
  }
  for (Node* node : placeholders_) {
    if (node->users == 0 && node->size_of == nullptr && !node->is_kept) node->is_erased = true;
  }
  for (Node* node : placeholders_) {
    if (node->users == 0 && node->size_of != nullptr) node->is_erased = node->size_of->is_erased;
  }
  place_numbers(placeholders_, calls_);
}

void Graph::make_exported(std::span<const Value> leaves) {
  std::vector<Node*> attributes, arguments;
  for (Node* node : placeholders_) {
    if (node->is_erased) continue;
    // Of a value that is given twice the last place counts.
    const auto leaf =
        std::find_if(leaves.rbegin(), leaves.rend(), [&](const Value& one) { return one.is(node->callee); });
    if (leaf != leaves.rend()) {
      node->target = fmt::format("arg{}", leaves.rend() - leaf - 1);
      node->module_stack.reset();
      arguments.push_back(node);
      continue;
    }
    // L['self']._modules['lin']._parameters['weight'] is L__self___lin_weight.
    std::string path = node->source == nullptr ? node->target : node->source->name();
    for (const std::string_view registry : {"._modules['", "._parameters['", "._buffers['"}) {
      for (std::size_t at = 0; (at = path.find(registry, at)) != std::string::npos;) {
        const std::size_t begin = at + registry.size();
        const std::size_t end = path.find("']", begin);
        if (end == std::string::npos) break;
        path = path.substr(0, at) + "." + path.substr(begin, end - begin) + path.substr(end + 2);
      }
    }
    for (char& c : path) {
      const bool is_fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!is_fine) c = '_';
    }
    node->op = Node::Op::GetAttr;
    node->target = path;
    node->name = names_.create(snake_case(path));
    attributes.push_back(node);
  }
  placeholders_ = arguments;
  // Each attribute stands in front of what uses it first.
  for (Node* attribute : attributes) {
    const auto user = std::find_if(calls_.begin(), calls_.end(), [&](const Node* node) {
      bool uses = false;
      const auto note = [&](const Node& one) { uses = uses || &one == attribute; };
      for_each_argument(*node, note);
      return uses;
    });
    calls_.insert(user, attribute);
  }
  for (Node* node : calls_) {
    if (node->op == Node::Op::Output && !node->args.empty()) node->args[0].kind = Argument::Kind::List;
  }
}

void Graph::take_signature(std::size_t leaves, const std::vector<ExportedResult>& results) {
  std::vector<Node*> arguments;
  for (std::size_t i = 0; i < leaves; ++i) {
    const std::string target = fmt::format("arg{}", i);
    const auto known = std::find_if(placeholders_.begin(), placeholders_.end(),
                                    [&](const Node* node) { return !node->is_erased && node->target == target; });
    if (known != placeholders_.end()) {
      arguments.push_back(*known);
      continue;
    }
    arguments.push_back(&add_placeholder(target));
  }
  placeholders_ = arguments;
  const auto output =
      std::find_if(calls_.begin(), calls_.end(), [](const Node* node) { return node->op == Node::Op::Output; });
  if (output == calls_.end()) return;
  const std::vector<Argument> given =
      (*output)->args.empty() ? std::vector<Argument>() : std::move((*output)->args[0].items);
  Argument listed{.kind = Argument::Kind::List};
  for (const ExportedResult& one : results) {
    if (!one.place)
      listed.items.push_back(constant_argument(one.constant));
    else if (*one.place < given.size())
      listed.items.push_back(given[*one.place]);
    else
      listed.items.push_back(node_argument(*arguments[*one.place - given.size()]));
  }
  (*output)->args = {std::move(listed)};
  count_users();
}

std::size_t Graph::call_count() const {
  return static_cast<std::size_t>(std::count_if(calls_.begin(), calls_.end(), [](const Node* node) {
    return !node->is_erased &&
           (node->op == Node::Op::CallFunction || node->op == Node::Op::CallMethod || node->op == Node::Op::CallModule);
  }));
}

std::vector<const Node*> Graph::ordered() const {
  std::vector<const Node*> all;
  for (const Node* node : placeholders_) {
    if (!node->is_erased) all.push_back(node);
  }
  for (const Node* node : calls_) {
    if (!node->is_erased) all.push_back(node);
  }
  return all;
}

PyResult<void> run_node(Interpreter& in, const Node& node, std::vector<Value>& values) {
  Value& result = values[node.number];
  if (node.op == Node::Op::GetAttr) {
    result = node.callee;
    return {};
  }
  std::vector<Value> positional;
  std::vector<object::Keyword> keywords;
  for (const Argument& argument : node.args) positional.push_back(real(in, argument, values));
  for (const auto& [name, argument] : node.kwargs) keywords.push_back({in.intern(name), real(in, argument, values)});
  if (node.op == Node::Op::CallMethod) {
    NNS_TRY_ASSIGN(result,
                   in.call_method(positional[0], in.intern(node.target), std::span(positional).subspan(1), keywords));
  } else {
    NNS_TRY_ASSIGN(result, in.call(node.callee, positional, keywords));
  }
  return {};
}

std::vector<Value> output_values(Interpreter& in, const Node& output, std::span<const Value> values) {
  std::vector<Value> results;
  for (const Argument& item : output.args[0].items) results.push_back(real(in, item, values));
  return results;
}

PyResult<std::vector<Value>> Graph::run(Interpreter& in, std::span<const Value> inputs) const {
  std::vector<Value> values(nodes_.size());
  std::size_t next_input = 0;
  for (const Node* node : placeholders_) {
    if (!node->is_erased) values[node->number] = inputs[next_input++];
  }
  for (const Node* node : calls_) {
    if (node->is_erased) continue;
    if (node->op == Node::Op::Output) return output_values(in, *node, values);
    NNS_TRY(run_node(in, *node, values));
  }
  return std::vector<Value>();
}

std::string value_text(const Node& node) {
  if (!node.type_text.empty() || !node.example) return node.type_text;
  return fmt::format("{}[{}]", tensor::dtype_abbreviation(node.example->dtype()),
                     fmt::join(node.example->shape(), ", "));
}

std::string argument_text(Interpreter& in, const Argument& argument) {
  std::string text;
  const auto items = [&] {
    for (std::size_t i = 0; i < argument.items.size(); ++i) {
      if (i > 0) text += ", ";
      if (argument.kind == Argument::Kind::Dict) text += repr_of(in, argument.keys[i]) + ": ";
      text += argument_text(in, argument.items[i]);
    }
  };
  switch (argument.kind) {
    case Argument::Kind::Node:
      return "%" + argument.node->name;
    case Argument::Kind::Constant:
      return repr_of(in, argument.constant);
    case Argument::Kind::Tuple:
      text = "(";
      items();
      return text + (argument.items.size() == 1 ? ",)" : ")");
    case Argument::Kind::List:
      text = "[";
      items();
      return text + "]";
    case Argument::Kind::Dict:
      text = "{";
      items();
      return text + "}";
    case Argument::Kind::Slice:
      text = "slice(";
      items();
      return text + ")";
  }
  return text;
}

}  // namespace nns::dynamo
