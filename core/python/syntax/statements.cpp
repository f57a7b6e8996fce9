// Statements of tree-sitter's tree.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/python/syntax/builder.h"

namespace nns::python {
namespace {

constexpr std::string_view kAugmented[] = {
    "+=", "-=", "*=", "@=", "/=", "//=", "%=", "**=", "<<=", ">>=", "&=", "|=", "^="};

// How far what begins at `at` is indented; none: something else stands before it on its line, or the line goes on from
// the one above. Behaviour: CPython Parser/tokenizer.c, tabs of eight columns.
std::optional<std::size_t> indentation(std::string_view source, std::size_t at) {
  const std::size_t end = source.substr(0, at).rfind('\n');
  const std::size_t begin = end == std::string_view::npos ? 0 : end + 1;
  std::size_t width = 0;
  for (const char c : source.substr(begin, at - begin)) {
    if (c != ' ' && c != '\t' && c != '\f') return std::nullopt;
    constexpr std::size_t kTab = 8;
    width = c == '\f' ? 0 : c == '\t' ? (width / kTab + 1) * kTab : width + 1;
  }
  const std::string_view above = source.substr(0, begin == 0 ? 0 : begin - 1);
  if (above.ends_with('\\') || above.ends_with("\\\r")) return std::nullopt;
  return width;
}

}  // namespace

NodeId Builder::module(TSNode node, bool may_be_indented) {
  std::vector<NodeId> children;
  statements(node, children, may_be_indented ? std::nullopt : std::optional<std::size_t>(0));
  return error_ ? kNoNode : add(NodeKind::Module, node, children);
}

void Builder::statements(TSNode node, std::vector<NodeId>& into, std::optional<std::size_t> indent) {
  for (const TSNode child : named(node)) {
    const std::optional<std::size_t> own = indentation(text_, ts_node_start_byte(child));
    if (own && indent && *own != *indent) {
      fail(span(child), *own > *indent ? "unexpected indent" : "unindent does not match any outer indentation level");
      return;
    }
    if (!indent) indent = own;
    into.push_back(statement(child));
    if (error_) return;
  }
}

NodeId Builder::block(TSNode node) {
  if (ts_node_is_null(node)) return fail({}, "expected an indented block");
  std::vector<NodeId> children;
  statements(node, children);
  if (children.empty() && !error_) return fail(span(node), "expected an indented block");
  return add(NodeKind::Block, node, children);
}

NodeId Builder::statement(TSNode node) {
  if (error_) return kNoNode;
  if (++depth_ > kDeepestNesting) {
    --depth_;
    return fail(span(node), "too many statically nested blocks");
  }
  struct Leave {
    std::uint32_t& depth;
    ~Leave() { --depth; }
  } const leave{depth_};

  const std::string_view kind = type(node);
  if (kind == "expression_statement") return expression_statement(node);
  if (kind == "return_statement") {
    const std::vector<TSNode> inner = named(node);
    const NodeId value = inner.empty() ? kNoNode : expression(inner[0]);
    return add(NodeKind::Return, node, {value});
  }
  if (kind == "if_statement") return if_statement(node);
  if (kind == "for_statement") {
    const NodeId left = target(field(node, "left"));
    const NodeId right = expression(field(node, "right"));
    const NodeId body = block(field(node, "body"));
    const NodeId rest = otherwise(field(node, "alternative"));
    return add(NodeKind::For, node, {left, right, body, rest}, {}, has_token(node, "async") ? 1 : 0);
  }
  if (kind == "while_statement") {
    const NodeId test = expression(field(node, "condition"));
    const NodeId body = block(field(node, "body"));
    const NodeId rest = otherwise(field(node, "alternative"));
    return add(NodeKind::While, node, {test, body, rest});
  }
  if (kind == "function_definition") return function_definition(node, {});
  if (kind == "class_definition") return class_definition(node, {});
  if (kind == "decorated_definition") return decorated_definition(node);
  if (kind == "try_statement") return try_statement(node);
  if (kind == "with_statement") return with_statement(node);
  if (kind == "raise_statement") return raise_statement(node);
  if (kind == "import_statement") return import_statement(node);
  if (kind == "import_from_statement" || kind == "future_import_statement") return import_from_statement(node);
  if (kind == "assert_statement") {
    const std::vector<TSNode> inner = named(node);
    if (inner.empty() || inner.size() > 2) return fail(span(node), "invalid syntax");
    const NodeId test = expression(inner[0]);
    const NodeId message = inner.size() > 1 ? expression(inner[1]) : kNoNode;
    return add(NodeKind::Assert, node, {test, message});
  }
  if (kind == "delete_statement") {
    std::vector<NodeId> targets;
    for (const TSNode inner : named(node)) {
      if (type(inner) == "expression_list") {
        for (const TSNode one : named(inner)) targets.push_back(target(one, "delete"));
      } else {
        targets.push_back(target(inner, "delete"));
      }
    }
    return add(NodeKind::Delete, node, targets);
  }
  if (kind == "pass_statement") return add(NodeKind::Pass, node, {});
  if (kind == "break_statement") return add(NodeKind::Break, node, {});
  if (kind == "continue_statement") return add(NodeKind::Continue, node, {});
  if (kind == "global_statement") return names(node, NodeKind::Global);
  if (kind == "nonlocal_statement") return names(node, NodeKind::Nonlocal);
  if (kind == "match_statement") return match_statement(node);
  if (kind == "type_alias_statement") return type_alias(node);
  if (kind == "print_statement") {
    return fail(span(node), "Missing parentheses in call to 'print'. Did you mean print(...)?");
  }
  if (kind == "exec_statement") {
    return fail(span(node), "Missing parentheses in call to 'exec'. Did you mean exec(...)?");
  }
  return fail(span(node), "invalid syntax");
}

NodeId Builder::expression_statement(TSNode node) {
  const std::vector<TSNode> inner = named(node);
  if (inner.empty()) return fail(span(node), "invalid syntax");
  const std::string_view kind = type(inner[0]);
  if (kind == "assignment") return assignment(inner[0]);
  if (kind == "augmented_assignment") {
    const TSNode given = inner[0];
    const std::string_view symbol = text(field(given, "operator"));
    const auto* found = std::find(std::begin(kAugmented), std::end(kAugmented), symbol);
    const NodeId left = expression(field(given, "left"));
    if (error_) return kNoNode;
    const NodeKind to = tree_.kind(left);
    if (to != NodeKind::Name && to != NodeKind::Attribute && to != NodeKind::Subscript) {
      return fail(tree_.span(left), fmt::format("'{}' is an illegal expression for augmented assignment",
                                                to == NodeKind::Tuple  ? "tuple"
                                                : to == NodeKind::List ? "list"
                                                : to == NodeKind::Call ? "function call"
                                                                       : "expression"));
    }
    const NodeId right = expression(field(given, "right"));
    return add(NodeKind::AugAssign, given, {left, right}, {},
               static_cast<std::uint8_t>(found - std::begin(kAugmented)));
  }
  // `a, b` without parentheses comes as several children.
  if (inner.size() > 1 || has_token(node, ",")) {
    std::vector<NodeId> items;
    for (const TSNode item : inner) items.push_back(expression(item));
    const NodeId tuple = add(NodeKind::Tuple, node, items);
    return add(NodeKind::Expr, node, {tuple});
  }
  const NodeId value = expression(inner[0]);
  return add(NodeKind::Expr, node, {value});
}

NodeId Builder::assignment(TSNode node) {
  const TSNode annotation = field(node, "type");
  if (!ts_node_is_null(annotation)) {
    const TSNode left = field(node, "left");
    // (x): int is no declaration of a local name.
    const bool in_parentheses = type(left) == "tuple_pattern" && !has_token(left, ",");
    const std::vector<TSNode> inside = named(left);
    const NodeId to = target(in_parentheses && inside.size() == 1 ? inside[0] : left);
    if (error_) return kNoNode;
    if (tree_.kind(to) == NodeKind::Tuple || tree_.kind(to) == NodeKind::List) {
      return fail(span(left), fmt::format("only single target (not {}) can be annotated",
                                          tree_.kind(to) == NodeKind::Tuple ? "tuple" : "list"));
    }
    const NodeId type_of = expression(annotation);
    const NodeId value = optional_expression(field(node, "right"));
    return add(NodeKind::AnnAssign, node, {to, type_of, value}, {}, in_parentheses ? 1 : 0);
  }
  std::vector<NodeId> children{kNoNode};
  TSNode at = node;
  while (true) {
    const TSNode left = field(at, "left");
    // (x) = 1 and (a, b) = 1 look alike to the grammar.
    const std::vector<TSNode> inside = named(left);
    const bool in_parentheses = type(left) == "tuple_pattern" && !has_token(left, ",") && inside.size() == 1;
    children.push_back(target(in_parentheses ? inside[0] : left));
    const TSNode right = field(at, "right");
    if (ts_node_is_null(right)) return fail(span(at), "invalid syntax");
    if (type(right) != "assignment" || !ts_node_is_null(field(right, "type"))) {
      if (type(right) == "augmented_assignment" || type(right) == "assignment")
        return fail(span(right), "invalid syntax");
      children[0] = expression(right);
      break;
    }
    at = right;
  }
  return add(NodeKind::Assign, node, children);
}

NodeId Builder::type_parameters(TSNode node) {
  if (ts_node_is_null(node)) return kNoNode;
  std::vector<NodeId> made;
  for (const TSNode one : named(node)) {
    const std::vector<TSNode> inner = named(one);
    TSNode name = inner.empty() ? one : inner[0];
    NodeId bound = kNoNode;
    std::uint8_t stars = 0;
    if (type(name) == "constrained_type") {
      const std::vector<TSNode> parts = named(name);
      if (parts.size() != 2) return fail(span(one), "invalid syntax");
      bound = expression(parts[1]);
      name = parts[0];
    } else if (type(name) == "splat_type") {
      stars = text(name).starts_with("**") ? 2 : 1;
      name = ts_node_named_child(name, 0);
    }
    made.push_back(add(NodeKind::TypeParameter, one, {bound}, text(name), stars));
  }
  return add(NodeKind::TypeParameters, node, made);
}

NodeId Builder::type_alias(TSNode node) {
  TSNode left = field(node, "left");
  if (type(left) == "type" && ts_node_named_child_count(left) == 1) left = ts_node_named_child(left, 0);
  NodeId given = kNoNode;
  if (type(left) == "generic_type") {
    given = type_parameters(ts_node_named_child(left, 1));
    left = ts_node_named_child(left, 0);
  }
  if (type(left) != "identifier") return fail(span(left), "invalid syntax");
  const NodeId name = expression(left);
  const NodeId value = expression(field(node, "right"));
  return add(NodeKind::TypeAlias, node, {name, given, value});
}

NodeId Builder::function_definition(TSNode node, const std::vector<NodeId>& decorators) {
  const NodeId before = add(NodeKind::Decorators, node, decorators);
  const NodeId bound = parameters(field(node, "parameters"));
  const NodeId returns = optional_expression(field(node, "return_type"));
  const NodeId generic = type_parameters(field(node, "type_parameters"));
  const NodeId body = block(field(node, "body"));
  return add(NodeKind::FunctionDef, node, {before, bound, returns, body, generic}, text(field(node, "name")),
             has_token(node, "async") ? 1 : 0);
}

NodeId Builder::class_definition(TSNode node, const std::vector<NodeId>& decorators) {
  const NodeId before = add(NodeKind::Decorators, node, decorators);
  const TSNode given = field(node, "superclasses");
  std::vector<NodeId> bases;
  if (!ts_node_is_null(given)) arguments(given, bases);
  const NodeId bases_node = add(NodeKind::Arguments, ts_node_is_null(given) ? node : given, bases);
  const NodeId generic = type_parameters(field(node, "type_parameters"));
  const NodeId body = block(field(node, "body"));
  return add(NodeKind::ClassDef, node, {before, bases_node, body, generic}, text(field(node, "name")));
}

NodeId Builder::decorated_definition(TSNode node) {
  std::vector<NodeId> decorators;
  for (const TSNode child : named(node)) {
    if (type(child) != "decorator") continue;
    const std::vector<TSNode> inner = named(child);
    if (inner.size() != 1) return fail(span(child), "invalid syntax");
    decorators.push_back(expression(inner[0]));
  }
  const TSNode definition = field(node, "definition");
  return type(definition) == "class_definition" ? class_definition(definition, decorators)
                                                : function_definition(definition, decorators);
}

NodeId Builder::otherwise(TSNode node) { return ts_node_is_null(node) ? kNoNode : block(field(node, "body")); }

NodeId Builder::if_statement(TSNode node) {
  const NodeId test = expression(field(node, "condition"));
  const NodeId body = block(field(node, "consequence"));
  // From the last clause to the first, so that a long chain needs no deep recursion.
  struct Clause {
    TSNode node;
    NodeId test, body;
  };
  std::vector<Clause> clauses;
  NodeId rest = kNoNode;
  for (const TSNode clause : fields(node, "alternative")) {
    if (type(clause) == "elif_clause") {
      const NodeId condition = expression(field(clause, "condition"));
      const NodeId consequence = block(field(clause, "consequence"));
      clauses.push_back({clause, condition, consequence});
    } else if (type(clause) == "else_clause") {
      rest = otherwise(clause);
    }
    if (error_) return kNoNode;
  }
  for (auto clause = clauses.rbegin(); clause != clauses.rend(); ++clause) {
    rest = add(NodeKind::If, clause->node, {clause->test, clause->body, rest});
  }
  return add(NodeKind::If, node, {test, body, rest});
}

NodeId Builder::try_statement(TSNode node) {
  std::vector<NodeId> children{block(field(node, "body")), kNoNode, kNoNode};
  bool handles_groups = false;
  for (const TSNode part : named(node)) {
    if (error_) return kNoNode;
    if (type(part) == "else_clause") {
      children[1] = otherwise(part);
    } else if (type(part) == "finally_clause") {
      children[2] = block(named(part).empty() ? TSNode{} : named(part)[0]);
    } else if (type(part) == "except_clause") {
      const bool is_group = has_token(part, "*");
      if (children.size() > 3 && is_group != handles_groups) {
        return fail(span(part), "cannot have both 'except' and 'except*' on the same 'try'");
      }
      handles_groups = is_group;
      const std::vector<TSNode> inner = named(part);
      if (is_group && inner.size() == 1) return fail(span(part), "expected one or more exception types");
      if (inner.empty()) return fail(span(part), "expected an indented block after 'except' statement");
      NodeId matched = kNoNode;
      std::string_view name;
      if (inner.size() > 1) {
        TSNode value = inner[0];
        TSNode alias = field(part, "alias");
        if (type(value) == "as_pattern") {
          const std::vector<TSNode> both = named(value);
          if (both.size() != 2) return fail(span(value), "invalid syntax");
          alias = both[1];
          value = both[0];
        }
        if (!ts_node_is_null(alias)) name = text(alias);
        if (inner.size() > 2 && ts_node_is_null(alias)) {
          // `except A, B:` of Python 3.14 comes as several children.
          std::vector<NodeId> several;
          for (std::size_t i = 0; i + 1 < inner.size(); ++i) several.push_back(expression(inner[i]));
          matched = add(NodeKind::Tuple, part, several);
        } else {
          matched = expression(value);
        }
      }
      if (!children.empty() && children.size() > 3 && tree_.child(children.back(), 0) == kNoNode) {
        return fail(span(part), "default 'except:' must be last");
      }
      const NodeId body = block(inner.back());
      children.push_back(add(NodeKind::ExceptHandler, part, {matched, body}, name));
    }
  }
  if (children.size() == 3 && children[2] == kNoNode) {
    return fail(span(node), "expected 'except' or 'finally' block");
  }
  return add(NodeKind::Try, node, children, {}, handles_groups ? 1 : 0);
}

NodeId Builder::with_statement(TSNode node) {
  std::vector<NodeId> children{kNoNode};
  for (const TSNode clause : named(node)) {
    if (type(clause) != "with_clause") continue;
    for (const TSNode item : named(clause)) {
      TSNode value = field(item, "value");
      NodeId to = kNoNode;
      if (type(value) == "as_pattern") {
        const std::vector<TSNode> both = named(value);
        if (both.size() != 2) return fail(span(value), "invalid syntax");
        value = both[0];
        TSNode alias = both[1];
        if (type(alias) == "as_pattern_target" && ts_node_named_child_count(alias) == 1) {
          alias = ts_node_named_child(alias, 0);
        }
        const NodeId context = expression(value);
        to = target(alias);
        children.push_back(add(NodeKind::WithItem, item, {context, to}));
        continue;
      }
      const NodeId context = expression(value);
      children.push_back(add(NodeKind::WithItem, item, {context, to}));
    }
  }
  children[0] = block(field(node, "body"));
  return add(NodeKind::With, node, children, {}, has_token(node, "async") ? 1 : 0);
}

NodeId Builder::raise_statement(TSNode node) {
  NodeId exception = kNoNode;
  const TSNode given = field(node, "cause");
  for (const TSNode child : named(node)) {
    if (!ts_node_is_null(given) && ts_node_eq(child, given)) continue;
    exception = expression(child);
  }
  const NodeId cause = optional_expression(given);
  return add(NodeKind::Raise, node, {exception, cause});
}

std::string Builder::dotted(TSNode node) const {
  std::string name;
  for (const TSNode part : named(node)) name.append(name.empty() ? "" : ".").append(text(part));
  return name;
}

NodeId Builder::alias(TSNode node) {
  if (type(node) == "aliased_import") {
    const TSNode bound = field(node, "alias");
    const NodeId name = add(NodeKind::Name, bound, {}, text(bound));
    return add(NodeKind::Alias, node, {name}, dotted(field(node, "name")), 1);
  }
  return add(NodeKind::Alias, node, {}, dotted(node));
}

NodeId Builder::import_statement(TSNode node) {
  std::vector<NodeId> children;
  for (const TSNode name : fields(node, "name")) children.push_back(alias(name));
  return add(NodeKind::Import, node, children);
}

NodeId Builder::import_from_statement(TSNode node) {
  std::vector<NodeId> children;
  std::string module = "__future__";
  std::uint8_t dots = 0;
  const TSNode from = field(node, "module_name");
  if (!ts_node_is_null(from)) {
    module = dotted(from);
    if (type(from) == "relative_import") {
      module.clear();
      for (const TSNode part : named(from)) {
        if (type(part) == "dotted_name")
          module = dotted(part);
        else
          dots = static_cast<std::uint8_t>(std::count(text(part).begin(), text(part).end(), '.'));
      }
    }
  }
  for (const TSNode child : named(node)) {
    if (type(child) == "wildcard_import") children.push_back(add(NodeKind::Alias, child, {}, "*"));
  }
  for (const TSNode name : fields(node, "name")) children.push_back(alias(name));
  if (children.empty()) return fail(span(node), "Expected one or more names after 'import'");
  return add(NodeKind::ImportFrom, node, children, module, dots);
}

NodeId Builder::names(TSNode node, NodeKind kind) {
  std::vector<NodeId> children;
  for (const TSNode name : named(node)) children.push_back(add(NodeKind::Name, name, {}, text(name)));
  return add(kind, node, children);
}

}  // namespace nns::python
