// Expressions of tree-sitter's tree.
#include <fmt/format.h>

#include <algorithm>

#include "core/python/syntax/builder.h"

namespace nns::python {
namespace {

struct OperatorRow {
  std::string_view text;
  BinaryOp op;
};
constexpr OperatorRow kOperators[] = {
    {"+", BinaryOp::Add},     {"-", BinaryOp::Sub},       {"*", BinaryOp::Mul}, {"@", BinaryOp::MatMul},
    {"/", BinaryOp::Div},     {"//", BinaryOp::FloorDiv}, {"%", BinaryOp::Mod}, {"**", BinaryOp::Pow},
    {"<<", BinaryOp::LShift}, {">>", BinaryOp::RShift},   {"&", BinaryOp::And}, {"|", BinaryOp::Or},
    {"^", BinaryOp::Xor},
};

struct CompareRow {
  std::string_view text;
  CompareOp op;
};
constexpr CompareRow kComparisons[] = {
    {"==", CompareOp::Eq}, {"!=", CompareOp::Ne},        {"<", CompareOp::Lt},  {"<=", CompareOp::Le},
    {">", CompareOp::Gt},  {">=", CompareOp::Ge},        {"is", CompareOp::Is}, {"is not", CompareOp::IsNot},
    {"in", CompareOp::In}, {"not in", CompareOp::NotIn},
};

// "is  not" and "not in" across lines are one operator.
std::string one_space(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\';
    if (!is_space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

// What a node is called where it cannot be assigned to. Behaviour: CPython Parser/pegen.c, _PyPegen_get_expr_name.
std::string_view expression_name(const Tree& tree, NodeId id) {
  switch (tree.kind(id)) {
    case NodeKind::Call:
      return "function call";
    case NodeKind::BinOp:
    case NodeKind::UnaryOp:
    case NodeKind::BoolOp:
      return "expression";
    case NodeKind::Compare:
      return "comparison";
    case NodeKind::GeneratorExp:
      return "generator expression";
    case NodeKind::Yield:
    case NodeKind::YieldFrom:
      return "yield expression";
    case NodeKind::Await:
      return "await expression";
    case NodeKind::ListComp:
      return "list comprehension";
    case NodeKind::SetComp:
      return "set comprehension";
    case NodeKind::DictComp:
      return "dict comprehension";
    case NodeKind::Dict:
      return "dict literal";
    case NodeKind::Set:
      return "set display";
    case NodeKind::JoinedStr:
      return "f-string expression";
    case NodeKind::Lambda:
      return "lambda";
    case NodeKind::IfExp:
      return "conditional expression";
    case NodeKind::NamedExpr:
      return "named expression";
    case NodeKind::Constant:
      switch (static_cast<ConstantKind>(tree.node(id).detail)) {
        case ConstantKind::None:
          return "None";
        case ConstantKind::True:
          return "True";
        case ConstantKind::False:
          return "False";
        case ConstantKind::Ellipsis:
          return "ellipsis";
        default:
          return "literal";
      }
    default:
      return "expression";
  }
}

}  // namespace

NodeId Builder::fail(Span where, std::string message) {
  if (!error_) error_ = SyntaxError{std::move(message), where};
  return kNoNode;
}

std::vector<TSNode> Builder::named(TSNode node) {
  std::vector<TSNode> children;
  const std::uint32_t count = ts_node_named_child_count(node);
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  children.reserve(count);
  // A cursor: asking for children by number is quadratic in their count.
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      const TSNode child = ts_tree_cursor_current_node(&cursor);
      if (!ts_node_is_named(child)) continue;
      const std::string_view kind = type(child);
      if (kind != "comment" && kind != "line_continuation") children.push_back(child);
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  return children;
}

std::vector<TSNode> Builder::fields(TSNode node, std::string_view name) {
  std::vector<TSNode> children;
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      const char* field = ts_tree_cursor_current_field_name(&cursor);
      if (field != nullptr && name == field) children.push_back(ts_tree_cursor_current_node(&cursor));
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  return children;
}

bool Builder::has_token(TSNode node, std::string_view token) {
  bool found = false;
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      const TSNode child = ts_tree_cursor_current_node(&cursor);
      found = !ts_node_is_named(child) && type(child) == token;
    } while (!found && ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  return found;
}

NodeId Builder::expression(TSNode node) {
  if (error_) return kNoNode;
  if (++depth_ > kDeepestNesting) {
    --depth_;
    return fail(span(node), "too many nested expressions");
  }
  struct Leave {
    std::uint32_t& depth;
    ~Leave() { --depth; }
  } const leave{depth_};

  if (has_star_inside(node)) return hoist_star(node);
  const std::string_view kind = type(node);
  const auto constant = [&](ConstantKind what) {
    return add(NodeKind::Constant, node, {}, {}, static_cast<std::uint8_t>(what));
  };
  if (kind == "identifier") return add(NodeKind::Name, node, {}, text(node));
  if (kind == "integer") return number(node, false);
  if (kind == "float") return number(node, true);
  if (kind == "string") return string(node);
  if (kind == "concatenated_string") return concatenated_string(node);
  if (kind == "true") return constant(ConstantKind::True);
  if (kind == "false") return constant(ConstantKind::False);
  if (kind == "none") return constant(ConstantKind::None);
  if (kind == "ellipsis") return constant(ConstantKind::Ellipsis);
  if (kind == "attribute") {
    const NodeId value = expression(field(node, "object"));
    return add(NodeKind::Attribute, node, {value}, text(field(node, "attribute")));
  }
  if (kind == "call") return call(node);
  if (kind == "subscript") return subscript(node);
  if (kind == "binary_operator") return binary(node);
  if (kind == "unary_operator") return unary(node);
  if (kind == "not_operator") {
    const NodeId operand = expression(field(node, "argument"));
    return add(NodeKind::UnaryOp, node, {operand}, {}, static_cast<std::uint8_t>(UnaryOp::Not));
  }
  if (kind == "boolean_operator") return boolean(node);
  if (kind == "comparison_operator") return comparison(node);
  if (kind == "parenthesized_expression" || kind == "parenthesized_list_splat" || kind == "type") {
    const std::vector<TSNode> inner = named(node);
    if (inner.size() != 1) return fail(span(node), "invalid syntax");
    return expression(inner[0]);
  }
  if (kind == "tuple" || kind == "expression_list" || kind == "pattern_list" || kind == "tuple_pattern") {
    return sequence(node, NodeKind::Tuple);
  }
  if (kind == "list" || kind == "list_pattern") return sequence(node, NodeKind::List);
  if (kind == "set") return sequence(node, NodeKind::Set);
  if (kind == "dictionary") return dictionary(node);
  if (kind == "list_comprehension") return comprehension(node, NodeKind::ListComp);
  if (kind == "set_comprehension") return comprehension(node, NodeKind::SetComp);
  if (kind == "generator_expression") return comprehension(node, NodeKind::GeneratorExp);
  if (kind == "dictionary_comprehension") return comprehension(node, NodeKind::DictComp);
  if (kind == "list_splat" || kind == "list_splat_pattern" || kind == "splat_type") {
    const std::vector<TSNode> inner = named(node);
    if (inner.size() != 1) return fail(span(node), "invalid syntax");
    const NodeId value = expression(inner[0]);
    return hoisted_star_ == ts_node_start_byte(node) ? value : add(NodeKind::Starred, node, {value});
  }
  if (kind == "conditional_expression") {
    const std::vector<TSNode> parts = named(node);
    if (parts.size() != 3) return fail(span(node), "invalid syntax");
    const NodeId body = expression(parts[0]);
    const NodeId test = expression(parts[1]);
    const NodeId otherwise = expression(parts[2]);
    return add(NodeKind::IfExp, node, {test, body, otherwise});
  }
  if (kind == "named_expression") {
    const NodeId name = target(field(node, "name"));
    const NodeId value = expression(field(node, "value"));
    return add(NodeKind::NamedExpr, node, {name, value});
  }
  if (kind == "lambda") return lambda(node);
  if (kind == "yield") return yield(node);
  if (kind == "await") {
    const std::vector<TSNode> inner = named(node);
    if (inner.size() != 1) return fail(span(node), "invalid syntax");
    const NodeId value = expression(inner[0]);
    return add(NodeKind::Await, node, {value});
  }
  if (kind == "slice") return slice(node);
  // Forms that only stand in annotations: Optional[int] as generic_type, a | b, a.b.
  if (kind == "generic_type") {
    const std::vector<TSNode> parts = named(node);
    if (parts.size() != 2) return fail(span(node), "invalid syntax");
    const NodeId base = expression(parts[0]);
    std::vector<NodeId> items;
    for (const TSNode item : named(parts[1])) items.push_back(expression(item));
    const NodeId index = items.size() == 1 ? items[0] : add(NodeKind::Tuple, parts[1], items);
    return add(NodeKind::Subscript, node, {base, index});
  }
  if (kind == "union_type") {
    const std::vector<TSNode> parts = named(node);
    if (parts.size() != 2) return fail(span(node), "invalid syntax");
    const NodeId left = expression(parts[0]);
    const NodeId right = expression(parts[1]);
    return add(NodeKind::BinOp, node, {left, right}, {}, static_cast<std::uint8_t>(BinaryOp::Or));
  }
  if (kind == "member_type") {
    const std::vector<TSNode> parts = named(node);
    if (parts.size() != 2) return fail(span(node), "invalid syntax");
    const NodeId value = expression(parts[0]);
    return add(NodeKind::Attribute, node, {value}, text(parts[1]));
  }
  if (kind == "dictionary_splat") return fail(span(node), "invalid syntax");
  if (kind == "print_statement") {
    return fail(span(node), "Missing parentheses in call to 'print'. Did you mean print(...)?");
  }
  return fail(span(node), "invalid syntax");
}

NodeId Builder::sequence(TSNode node, NodeKind kind) {
  std::vector<NodeId> items;
  for (const TSNode item : named(node)) items.push_back(expression(item));
  return add(kind, node, items);
}

NodeId Builder::binary(TSNode node) {
  const std::string_view symbol = text(field(node, "operator"));
  const NodeId left = expression(field(node, "left"));
  const NodeId right = expression(field(node, "right"));
  for (const OperatorRow& row : kOperators) {
    if (row.text == symbol) return add(NodeKind::BinOp, node, {left, right}, {}, static_cast<std::uint8_t>(row.op));
  }
  return fail(span(node), "invalid syntax");
}

NodeId Builder::unary(TSNode node) {
  const std::string_view symbol = text(field(node, "operator"));
  const UnaryOp op = symbol == "-" ? UnaryOp::Neg : symbol == "+" ? UnaryOp::Pos : UnaryOp::Invert;
  const NodeId operand = expression(field(node, "argument"));
  return add(NodeKind::UnaryOp, node, {operand}, {}, static_cast<std::uint8_t>(op));
}

NodeId Builder::boolean(TSNode node) {
  const std::string_view symbol = text(field(node, "operator"));
  const NodeId left = expression(field(node, "left"));
  const NodeId right = expression(field(node, "right"));
  return add(NodeKind::BoolOp, node, {left, right}, {}, symbol == "or" ? 1 : 0);
}

NodeId Builder::comparison(TSNode node) {
  std::vector<NodeId> operands;
  for (const TSNode operand : named(node)) operands.push_back(expression(operand));
  std::string operators;
  for (const TSNode symbol : fields(node, "operators")) {
    const std::string written = one_space(text(symbol));
    const auto* row = std::find_if(std::begin(kComparisons), std::end(kComparisons),
                                   [&](const CompareRow& one) { return one.text == written; });
    if (row == std::end(kComparisons)) return fail(span(symbol), "invalid syntax");
    // From 1: no text has a zero in it.
    operators += static_cast<char>(static_cast<int>(row->op) + 1);
  }
  if (operators.size() + 1 != operands.size()) return fail(span(node), "invalid syntax");
  return add(NodeKind::Compare, node, operands, operators);
}

NodeId Builder::call(TSNode node) {
  const TSNode given = field(node, "arguments");
  std::vector<NodeId> children{expression(field(node, "function"))};
  if (type(given) == "generator_expression") {
    children.push_back(expression(given));
  } else {
    arguments(given, children);
  }
  return add(NodeKind::Call, node, children);
}

void Builder::arguments(TSNode node, std::vector<NodeId>& into) {
  bool saw_keyword = false, saw_double_star = false;
  for (const TSNode argument : named(node)) {
    const std::string_view kind = type(argument);
    if (kind == "keyword_argument") {
      const std::string_view name = text(field(argument, "name"));
      for (const NodeId other : into) {
        if (other != kNoNode && tree_.kind(other) == NodeKind::Keyword && tree_.text(other) == name) {
          fail(span(argument), fmt::format("keyword argument repeated: {}", name));
        }
      }
      const NodeId value = expression(field(argument, "value"));
      into.push_back(add(NodeKind::Keyword, argument, {value}, name));
      saw_keyword = true;
    } else if (kind == "dictionary_splat") {
      const std::vector<TSNode> inner = named(argument);
      const NodeId value = inner.size() == 1 ? expression(inner[0]) : fail(span(argument), "invalid syntax");
      into.push_back(add(NodeKind::DoubleStarred, argument, {value}));
      saw_double_star = true;
    } else {
      if (kind != "list_splat") {
        if (saw_double_star) fail(span(argument), "positional argument follows keyword argument unpacking");
        if (saw_keyword) fail(span(argument), "positional argument follows keyword argument");
      } else if (saw_double_star) {
        fail(span(argument), "iterable argument unpacking follows keyword argument unpacking");
      }
      into.push_back(expression(argument));
    }
    if (error_) return;
  }
}

NodeId Builder::dictionary(TSNode node) {
  std::vector<NodeId> items;
  for (const TSNode entry : named(node)) {
    if (type(entry) == "dictionary_splat") {
      const std::vector<TSNode> inner = named(entry);
      items.push_back(kNoNode);
      items.push_back(inner.size() == 1 ? expression(inner[0]) : fail(span(entry), "invalid syntax"));
    } else {
      items.push_back(expression(field(entry, "key")));
      items.push_back(expression(field(entry, "value")));
    }
  }
  return add(NodeKind::Dict, node, items);
}

NodeId Builder::comprehension(TSNode node, NodeKind kind) {
  std::vector<NodeId> children;
  const TSNode body = field(node, "body");
  std::vector<NodeId> clause;
  TSNode clause_node{};
  std::uint8_t is_async = 0;
  const auto end_clause = [&] {
    if (!clause.empty()) children.push_back(add(NodeKind::Comprehension, clause_node, clause, {}, is_async));
    clause.clear();
  };
  for (const TSNode part : named(node)) {
    if (type(part) == "for_in_clause") {
      end_clause();
      clause_node = part;
      is_async = has_token(part, "async") ? 1 : 0;
      clause.push_back(target(field(part, "left")));
      const std::vector<TSNode> right = fields(part, "right");
      if (right.size() != 1) return fail(span(part), "invalid syntax");
      clause.push_back(expression(right[0]));
    } else if (type(part) == "if_clause") {
      const std::vector<TSNode> inner = named(part);
      if (clause.empty() || inner.size() != 1) return fail(span(part), "invalid syntax");
      clause.push_back(expression(inner[0]));
    }
  }
  end_clause();
  if (kind == NodeKind::DictComp) {
    children.push_back(expression(field(body, "key")));
    children.push_back(expression(field(body, "value")));
  } else {
    children.push_back(expression(body));
    if (children.back() != kNoNode && tree_.kind(children.back()) == NodeKind::Starred) {
      return fail(span(body), "iterable unpacking cannot be used in comprehension");
    }
  }
  return add(kind, node, children);
}

NodeId Builder::subscript(TSNode node) {
  const NodeId value = expression(field(node, "value"));
  const std::vector<TSNode> given = fields(node, "subscript");
  std::vector<NodeId> items;
  for (const TSNode one : given) {
    if (ts_node_is_named(one)) items.push_back(expression(one));
  }
  if (items.empty()) return fail(span(node), "invalid syntax");
  NodeId index = items[0];
  const bool is_tuple =
      items.size() > 1 || has_token(node, ",") || (index != kNoNode && tree_.kind(index) == NodeKind::Starred);
  if (is_tuple) {
    const Span where{ts_node_start_byte(given.front()), ts_node_end_byte(given.back())};
    index = tree_.add(NodeKind::Tuple, where, items);
  }
  return add(NodeKind::Subscript, node, {value, index});
}

NodeId Builder::slice(TSNode node) {
  NodeId parts[3] = {kNoNode, kNoNode, kNoNode};
  std::size_t at = 0;
  const std::uint32_t count = ts_node_child_count(node);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TSNode child = ts_node_child(node, i);
    if (!ts_node_is_named(child)) {
      if (type(child) == ":" && ++at > 2) return fail(span(node), "invalid syntax");
    } else if (type(child) != "comment" && type(child) != "line_continuation") {
      parts[at] = expression(child);
    }
  }
  return add(NodeKind::Slice, node, {parts[0], parts[1], parts[2]});
}

NodeId Builder::lambda(TSNode node) {
  const TSNode given = field(node, "parameters");
  const NodeId bound = ts_node_is_null(given) ? add(NodeKind::Parameters, node, {}) : parameters(given);
  const NodeId body = expression(field(node, "body"));
  return add(NodeKind::Lambda, node, {bound, body});
}

NodeId Builder::parameters(TSNode node) {
  std::vector<NodeId> made;
  std::vector<std::string_view> seen;
  ParameterKind kind = ParameterKind::Plain;
  bool saw_default = false, saw_star = false, saw_double_star = false, bare_star = false;
  for (const TSNode parameter : named(node)) {
    if (saw_double_star) return fail(span(parameter), "arguments cannot follow var-keyword argument");
    std::string_view written = type(parameter);
    if (written == "positional_separator") {
      if (made.empty()) return fail(span(parameter), "at least one argument must precede /");
      if (saw_star) return fail(span(parameter), "/ must be ahead of *");
      for (const NodeId earlier : made) {
        if (tree_.node(earlier).detail == static_cast<std::uint8_t>(ParameterKind::PositionalOnly)) {
          return fail(span(parameter), "/ may appear only once");
        }
      }
      for (NodeId& earlier : made) {
        const Node before = tree_.node(earlier);
        const NodeId again[] = {tree_.child(earlier, 0), tree_.child(earlier, 1)};
        earlier = tree_.add(NodeKind::Parameter, before.span, again, std::string(tree_.text(earlier)),
                            static_cast<std::uint8_t>(ParameterKind::PositionalOnly));
      }
      continue;
    }
    if (written == "keyword_separator") {
      if (saw_star) return fail(span(parameter), "* argument may appear only once");
      saw_star = bare_star = true;
      kind = ParameterKind::KeywordOnly;
      continue;
    }
    TSNode name = parameter;
    TSNode annotation = field(parameter, "type");
    TSNode otherwise = field(parameter, "value");
    if (written == "default_parameter" || written == "typed_default_parameter") {
      name = field(parameter, "name");
    } else if (written == "typed_parameter") {
      const std::vector<TSNode> inner = named(parameter);
      if (inner.empty()) return fail(span(parameter), "invalid syntax");
      name = inner[0];
    }
    ParameterKind own = kind;
    written = type(name);
    if (written == "list_splat_pattern" || written == "dictionary_splat_pattern") {
      const bool is_list = written == "list_splat_pattern";
      if (is_list && saw_star) return fail(span(parameter), "* argument may appear only once");
      own = is_list ? ParameterKind::VarPositional : ParameterKind::VarKeyword;
      if (is_list) {
        saw_star = true;
        kind = ParameterKind::KeywordOnly;
      } else {
        if (bare_star) return fail(span(parameter), "named arguments must follow bare *");
        saw_double_star = true;
      }
      const std::vector<TSNode> inner = named(name);
      if (inner.size() != 1) return fail(span(parameter), "invalid syntax");
      name = inner[0];
    }
    bare_star = false;
    if (type(name) != "identifier") {
      return fail(span(name), "Function parameters cannot be parenthesized");
    }
    const std::string_view identifier = text(name);
    if (std::find(seen.begin(), seen.end(), identifier) != seen.end()) {
      return fail(span(name), fmt::format("duplicate argument '{}' in function definition", identifier));
    }
    seen.push_back(identifier);
    if (own == ParameterKind::Plain) {
      if (!ts_node_is_null(otherwise))
        saw_default = true;
      else if (saw_default)
        return fail(span(parameter), "parameter without a default follows parameter with a default");
    }
    const NodeId type_of = optional_expression(annotation);
    const NodeId value = optional_expression(otherwise);
    made.push_back(add(NodeKind::Parameter, parameter, {type_of, value}, identifier, static_cast<std::uint8_t>(own)));
    if (error_) return kNoNode;
  }
  if (bare_star) return fail(span(node), "named arguments must follow bare *");
  return add(NodeKind::Parameters, node, made);
}

NodeId Builder::yield(TSNode node) {
  const std::vector<TSNode> inner = named(node);
  if (inner.size() > 1) return fail(span(node), "invalid syntax");
  const NodeId value = inner.empty() ? kNoNode : expression(inner[0]);
  return add(has_token(node, "from") ? NodeKind::YieldFrom : NodeKind::Yield, node, {value});
}

NodeId Builder::number(TSNode node, bool is_float) {
  const std::string_view written = text(node);
  std::string digits;
  for (const char c : written) {
    if (c != '_') digits += c;
  }
  const bool is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  ConstantKind kind = is_float ? ConstantKind::Float : ConstantKind::Int;
  if (!is_hexadecimal && (digits.back() == 'j' || digits.back() == 'J')) {
    kind = ConstantKind::Imaginary;
    digits.pop_back();
  } else if (!is_float && !is_hexadecimal && digits.find_first_of(".eE") != std::string::npos) {
    kind = ConstantKind::Float;
  }
  if (kind == ConstantKind::Int && digits.size() > 1 && digits[0] == '0' &&
      digits.find_first_not_of("0123456789") == std::string::npos &&
      digits.find_first_not_of('0') != std::string::npos) {
    return fail(span(node),
                "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers");
  }
  return add(NodeKind::Constant, node, {}, digits, static_cast<std::uint8_t>(kind));
}

NodeId Builder::target(TSNode node, std::string_view verb) {
  const NodeId id = expression(node);
  if (id == kNoNode || !check_target(id, verb, false)) return kNoNode;
  return id;
}

bool Builder::check_target(NodeId id, std::string_view verb, bool is_nested) {
  switch (tree_.kind(id)) {
    case NodeKind::Name:
    case NodeKind::Attribute:
    case NodeKind::Subscript:
      return true;
    case NodeKind::Starred:
      if (verb == "delete") break;
      if (!is_nested) {
        fail(tree_.span(id), "starred assignment target must be in a list or tuple");
        return false;
      }
      return check_target(tree_.child(id, 0), verb, true);
    case NodeKind::Tuple:
    case NodeKind::List: {
      int stars = 0;
      for (std::size_t i = 0; i < tree_.children(id).size(); ++i) {
        const NodeId item = tree_.child(id, i);
        if (tree_.kind(item) == NodeKind::Starred && ++stars > 1) {
          fail(tree_.span(item), "multiple starred expressions in assignment");
          return false;
        }
        if (!check_target(item, verb, true)) return false;
      }
      return true;
    }
    default:
      break;
  }
  const std::string_view name = tree_.kind(id) == NodeKind::Starred ? "starred" : expression_name(tree_, id);
  const bool is_singleton = name == "None" || name == "True" || name == "False";
  const bool asks = !is_nested && verb == "assign to" && !is_singleton;
  fail(tree_.span(id), asks ? fmt::format("cannot {} {} here. Maybe you meant '==' instead of '='?", verb, name)
                            : fmt::format("cannot {} {}", verb, name));
  return false;
}

}  // namespace nns::python
