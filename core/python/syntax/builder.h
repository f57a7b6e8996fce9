#pragma once

#include <tree_sitter/api.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/python/syntax/parser.h"

namespace nns::python {

/// Makes our tree from tree-sitter's. The first error stops it: every function returns kNoNode from then on.
class Builder {
 public:
  Builder(Tree& tree, std::string_view text) : tree_(tree), text_(text) {}

  /// `may_be_indented`: an expression, before which blanks do not count.
  NodeId module(TSNode node, bool may_be_indented);
  const std::optional<SyntaxError>& error() const { return error_; }

 private:
  // What tree-sitter knows of a node.
  static std::string_view type(TSNode node) { return ts_node_type(node); }
  static Span span(TSNode node) { return {ts_node_start_byte(node), ts_node_end_byte(node)}; }
  std::string_view text(TSNode node) const {
    return text_.substr(ts_node_start_byte(node), ts_node_end_byte(node) - ts_node_start_byte(node));
  }
  static TSNode field(TSNode node, std::string_view name) {
    return ts_node_child_by_field_name(node, name.data(), static_cast<std::uint32_t>(name.size()));
  }
  /// Named children without comments.
  static std::vector<TSNode> named(TSNode node);
  /// Children of one field.
  static std::vector<TSNode> fields(TSNode node, std::string_view name);
  static bool has_token(TSNode node, std::string_view token);

  NodeId fail(Span where, std::string message);
  NodeId add(NodeKind kind, TSNode node, std::initializer_list<NodeId> children, std::string_view text = {},
             std::uint8_t detail = 0) {
    return add(kind, node, std::span(children.begin(), children.size()), text, detail);
  }
  NodeId add(NodeKind kind, TSNode node, const std::vector<NodeId>& children, std::string_view text = {},
             std::uint8_t detail = 0) {
    return add(kind, node, std::span(children), text, detail);
  }
  /// Names are in normal form. Behaviour: The Python Language Reference, 2.3.1, NFKC.
  NodeId add(NodeKind kind, TSNode node, std::span<const NodeId> children, std::string_view text, std::uint8_t detail);

  // statements.cpp
  NodeId block(TSNode node);
  /// `indent`: how far each that begins a line must be indented; none: as far as the first.
  void statements(TSNode node, std::vector<NodeId>& into, std::optional<std::size_t> indent = std::nullopt);
  NodeId statement(TSNode node);
  NodeId expression_statement(TSNode node);
  NodeId assignment(TSNode node);
  NodeId function_definition(TSNode node, const std::vector<NodeId>& decorators);
  NodeId class_definition(TSNode node, const std::vector<NodeId>& decorators);
  NodeId decorated_definition(TSNode node);
  NodeId if_statement(TSNode node);
  NodeId otherwise(TSNode node);
  NodeId try_statement(TSNode node);
  NodeId with_statement(TSNode node);
  NodeId raise_statement(TSNode node);
  NodeId import_statement(TSNode node);
  NodeId import_from_statement(TSNode node);
  NodeId alias(TSNode node);
  NodeId names(TSNode node, NodeKind kind);
  NodeId type_parameters(TSNode node);
  NodeId type_alias(TSNode node);
  NodeId match_statement(TSNode node);
  std::string dotted(TSNode node) const;

  // expressions.cpp
  NodeId expression(TSNode node);
  /// The grammar reads `[*f(x)]` as a call of `*f`: the star is put in front of the whole expression.
  bool has_star_inside(TSNode node) const;
  NodeId hoist_star(TSNode node);
  NodeId optional_expression(TSNode node) { return ts_node_is_null(node) ? kNoNode : expression(node); }
  NodeId sequence(TSNode node, NodeKind kind);
  NodeId comparison(TSNode node);
  NodeId boolean(TSNode node);
  NodeId call(TSNode node);
  void arguments(TSNode node, std::vector<NodeId>& into);
  NodeId dictionary(TSNode node);
  NodeId comprehension(TSNode node, NodeKind kind);
  NodeId subscript(TSNode node);
  NodeId slice(TSNode node);
  NodeId lambda(TSNode node);
  NodeId parameters(TSNode node);
  NodeId yield(TSNode node);
  NodeId number(TSNode node, bool is_float);
  NodeId binary(TSNode node);
  NodeId unary(TSNode node);
  /// A node that is assigned to; refuses what cannot be. `verb`: "assign to", "delete".
  NodeId target(TSNode node, std::string_view verb = "assign to");
  bool check_target(NodeId id, std::string_view verb, bool is_nested);

  // strings.cpp
  NodeId string(TSNode node);
  NodeId concatenated_string(TSNode node);
  struct StringPart {
    bool is_formatted = false;
    std::string text;
    NodeId value = kNoNode;
    Span span;
  };
  struct Prefix {
    bool is_raw = false, is_bytes = false, is_formatted = false;
  };
  Prefix prefix_of(TSNode string) const;
  void string_parts(TSNode node, Prefix prefix, std::vector<StringPart>& parts);
  void unescape(std::string_view text, std::uint32_t at, Prefix prefix, std::string& into);
  NodeId interpolation(TSNode node, std::vector<StringPart>& parts);
  NodeId joined(TSNode node, std::vector<StringPart>& parts, Prefix prefix);

  // patterns.cpp
  NodeId pattern(TSNode node);
  NodeId patterns_of_case(TSNode node);
  NodeId class_pattern(TSNode node);
  NodeId mapping_pattern(TSNode node);
  NodeId value_pattern(TSNode node);

  Tree& tree_;
  std::string_view text_;
  std::optional<SyntaxError> error_;
  std::uint32_t depth_ = 0;
  /// Where the star begins that stands in front of an expression which is being read without it.
  std::uint32_t hoisted_star_ = UINT32_MAX;
};

}  // namespace nns::python
