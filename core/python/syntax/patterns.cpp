// match statements of tree-sitter's tree.
#include <fmt/format.h>

#include "core/python/syntax/builder.h"

namespace nns::python {

NodeId Builder::match_statement(TSNode node) {
  const std::vector<TSNode> subjects = fields(node, "subject");
  if (subjects.empty()) return fail(span(node), "invalid syntax");
  NodeId subject = kNoNode;
  if (subjects.size() == 1) {
    subject = expression(subjects[0]);
  } else {
    std::vector<NodeId> items;
    for (const TSNode one : subjects) {
      if (ts_node_is_named(one)) items.push_back(expression(one));
    }
    subject = items.size() == 1 ? items[0] : add(NodeKind::Tuple, subjects[0], items);
  }
  std::vector<NodeId> children{subject};
  for (const TSNode clause : named(field(node, "body"))) {
    if (type(clause) != "case_clause") return fail(span(clause), "invalid syntax");
    const NodeId matched = patterns_of_case(clause);
    const TSNode guard = field(clause, "guard");
    NodeId condition = kNoNode;
    if (!ts_node_is_null(guard)) {
      const std::vector<TSNode> inner = named(guard);
      if (inner.size() != 1) return fail(span(guard), "invalid syntax");
      condition = expression(inner[0]);
    }
    const NodeId body = block(field(clause, "consequence"));
    children.push_back(add(NodeKind::MatchCase, clause, {matched, condition, body}));
    if (error_) return kNoNode;
  }
  return add(NodeKind::Match, node, children);
}

NodeId Builder::patterns_of_case(TSNode node) {
  std::vector<NodeId> items;
  TSNode first{};
  for (const TSNode child : named(node)) {
    if (type(child) != "case_pattern") continue;
    if (items.empty()) first = child;
    items.push_back(pattern(child));
  }
  if (items.empty()) return fail(span(node), "invalid syntax");
  // `case a, b:` is a sequence without brackets.
  if (items.size() == 1 && !has_token(node, ",") && (error_ || tree_.kind(items[0]) != NodeKind::MatchStar)) {
    return items[0];
  }
  return add(NodeKind::MatchSequence, first, items);
}

NodeId Builder::pattern(TSNode node) {
  if (error_) return kNoNode;
  if (++depth_ > kDeepestNesting) {
    --depth_;
    return fail(span(node), "too many nested patterns");
  }
  struct Leave {
    std::uint32_t& depth;
    ~Leave() { --depth; }
  } const leave{depth_};

  const std::string_view kind = type(node);
  const std::vector<TSNode> inner = named(node);
  if (kind == "case_pattern") {
    if (inner.empty()) {
      if (text(node) == "_") return add(NodeKind::MatchAs, node, {kNoNode});
      return fail(span(node), "invalid syntax");
    }
    // A minus sign stands as a token in front of the number.
    if (has_token(node, "-")) return value_pattern(node);
    return pattern(inner[0]);
  }
  if (kind == "dotted_name") {
    if (inner.size() > 1) return value_pattern(node);
    const std::string_view name = text(node);
    return add(NodeKind::MatchAs, node, {kNoNode}, name == "_" ? std::string_view() : name);
  }
  if (kind == "identifier") {
    const std::string_view name = text(node);
    return add(NodeKind::MatchAs, node, {kNoNode}, name == "_" ? std::string_view() : name);
  }
  if (kind == "as_pattern") {
    if (inner.size() != 2) return fail(span(node), "invalid syntax");
    const NodeId what = pattern(inner[0]);
    return add(NodeKind::MatchAs, node, {what}, text(inner[1]));
  }
  if (kind == "union_pattern") {
    // A minus sign stands as a token in front of its number.
    std::vector<NodeId> choices;
    bool is_negative = false;
    for (std::uint32_t i = 0; i < ts_node_child_count(node); ++i) {
      const TSNode child = ts_node_child(node, i);
      if (!ts_node_is_named(child)) {
        is_negative = text(child) == "-";
        // A bare "_" has no node of its own kind either.
        if (text(child) == "_") choices.push_back(add(NodeKind::MatchAs, child, {kNoNode}));
        continue;
      }
      if (type(child) == "comment" || type(child) == "line_continuation") continue;
      NodeId choice = pattern(child);
      if (is_negative && !error_) {
        const NodeId number = tree_.child(choice, 0);
        const NodeId negative = add(NodeKind::UnaryOp, child, {number}, {}, static_cast<std::uint8_t>(UnaryOp::Neg));
        choice = add(NodeKind::MatchValue, child, {negative});
      }
      is_negative = false;
      choices.push_back(choice);
    }
    return add(NodeKind::MatchOr, node, choices);
  }
  if (kind == "list_pattern" || kind == "tuple_pattern") {
    // (x) is x itself.
    const bool is_group = kind == "tuple_pattern" && inner.size() == 1 && !has_token(node, ",");
    std::vector<NodeId> items;
    for (const TSNode one : inner) items.push_back(pattern(one));
    if (is_group && !error_ && tree_.kind(items[0]) != NodeKind::MatchStar) return items[0];
    return add(NodeKind::MatchSequence, node, items);
  }
  if (kind == "splat_pattern") {
    const std::string_view written = text(node);
    const std::string_view name = inner.empty() ? written.substr(written.find_last_of('*') + 1) : text(inner[0]);
    return add(NodeKind::MatchStar, node, {}, name == "_" ? std::string_view() : name);
  }
  if (kind == "dict_pattern") return mapping_pattern(node);
  if (kind == "class_pattern") return class_pattern(node);
  if (kind == "none" || kind == "true" || kind == "false") {
    const NodeId constant = expression(node);
    return add(NodeKind::MatchSingleton, node, {constant});
  }
  return value_pattern(node);
}

NodeId Builder::value_pattern(TSNode node) {
  const std::string_view kind = type(node);
  const std::vector<TSNode> inner = named(node);
  NodeId value = kNoNode;
  if (kind == "dotted_name") {
    for (const TSNode part : inner) {
      value = value == kNoNode ? add(NodeKind::Name, part, {}, text(part))
                               : tree_.add(NodeKind::Attribute, {ts_node_start_byte(node), ts_node_end_byte(part)},
                                           std::span<const NodeId>(&value, 1), text(part));
    }
  } else if (kind == "case_pattern" || kind == "complex_pattern") {
    // [-] number [(+|-) number]
    std::vector<std::string_view> signs;
    bool starts_negative = false;
    std::vector<NodeId> numbers;
    const std::uint32_t count = ts_node_child_count(node);
    for (std::uint32_t i = 0; i < count; ++i) {
      const TSNode child = ts_node_child(node, i);
      if (ts_node_is_named(child))
        numbers.push_back(expression(child));
      else if (numbers.empty() && text(child) == "-")
        starts_negative = true;
      else
        signs.push_back(text(child));
    }
    if (numbers.empty() || numbers.size() > 2 || signs.size() + 1 != numbers.size())
      return fail(span(node), "invalid syntax");
    value = numbers[0];
    if (starts_negative) {
      value = add(NodeKind::UnaryOp, node, {value}, {}, static_cast<std::uint8_t>(UnaryOp::Neg));
    }
    if (numbers.size() == 2) {
      const BinaryOp op = signs[0] == "-" ? BinaryOp::Sub : BinaryOp::Add;
      value = add(NodeKind::BinOp, node, {value, numbers[1]}, {}, static_cast<std::uint8_t>(op));
    }
  } else {
    value = expression(node);
  }
  return add(NodeKind::MatchValue, node, {value});
}

NodeId Builder::mapping_pattern(TSNode node) {
  std::vector<NodeId> children;
  std::string_view rest;
  for (const TSNode child : named(node)) {
    if (type(child) == "splat_pattern") {
      rest = text(ts_node_named_child(child, 0));
      continue;
    }
    const char* field_name = nullptr;
    for (std::uint32_t i = 0; i < ts_node_child_count(node); ++i) {
      if (ts_node_eq(ts_node_child(node, i), child)) field_name = ts_node_field_name_for_child(node, i);
    }
    const bool is_key = field_name != nullptr && std::string_view(field_name) == "key";
    if (is_key) {
      const NodeId value = value_pattern(child);
      if (error_) return kNoNode;
      children.push_back(tree_.child(value, 0));
    } else {
      children.push_back(pattern(child));
    }
  }
  if (children.size() % 2 != 0) return fail(span(node), "invalid syntax");
  return add(NodeKind::MatchMapping, node, children, rest);
}

NodeId Builder::class_pattern(TSNode node) {
  const std::vector<TSNode> inner = named(node);
  if (inner.empty()) return fail(span(node), "invalid syntax");
  const NodeId named_class = value_pattern(inner[0]);
  if (error_) return kNoNode;
  std::vector<NodeId> children{tree_.child(named_class, 0)};
  for (std::size_t i = 1; i < inner.size(); ++i) {
    const std::vector<TSNode> inside = named(inner[i]);
    if (inside.size() == 1 && type(inside[0]) == "keyword_pattern") {
      const std::vector<TSNode> both = named(inside[0]);
      if (both.empty()) return fail(span(inside[0]), "invalid syntax");
      // A bare "_" or a name in place of the value has no node of its own kind.
      NodeId what = kNoNode;
      if (both.size() == 2) {
        what = has_token(inside[0], "-") ? value_pattern(inside[0]) : pattern(both[1]);
      } else {
        what = add(NodeKind::MatchAs, inside[0], {kNoNode});
      }
      children.push_back(add(NodeKind::MatchKeyword, inside[0], {what}, text(both[0])));
    } else {
      children.push_back(pattern(inner[i]));
    }
  }
  return add(NodeKind::MatchClass, node, children);
}

}  // namespace nns::python
