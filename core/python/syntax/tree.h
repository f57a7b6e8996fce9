#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nns::python {

/// The text of a program and where its lines begin.
class Source {
 public:
  /// `name` stands in tracebacks: a path, "<string>".
  Source(std::string name, std::string text);

  std::string_view name() const { return name_; }
  std::string_view text() const { return text_; }
  /// Line of a byte, from 1.
  std::uint32_t line_of(std::uint32_t byte) const;
  /// Bytes from the line's begin to `byte`.
  std::uint32_t column_of(std::uint32_t byte) const;
  /// A line without its end, by number from 1; empty beyond the last.
  std::string_view line(std::uint32_t number) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_begins_;
};

enum class NodeKind : std::uint8_t {
#define NNS_NODE(kind) kind,
#include "core/python/syntax/nodes.def"
#undef NNS_NODE
};

enum class BinaryOp : std::uint8_t { Add, Sub, Mul, MatMul, Div, FloorDiv, Mod, Pow, LShift, RShift, And, Or, Xor };
enum class UnaryOp : std::uint8_t { Neg, Pos, Invert, Not };
enum class CompareOp : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };
enum class ConstantKind : std::uint8_t { None, False, True, Ellipsis, Int, Float, Imaginary, Str, Bytes };
enum class ParameterKind : std::uint8_t { PositionalOnly, Plain, VarPositional, KeywordOnly, VarKeyword };

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = UINT32_MAX;

/// Where something stands in its Source: bytes [begin, end).
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// One node of a syntax tree. What its children, text and detail are is told in nodes.def.
struct Node {
  NodeKind kind;
  std::uint8_t detail = 0;
  std::uint32_t first_child = 0;
  std::uint32_t child_count = 0;
  std::uint32_t text = 0;
  Span span;
};

/// A program as a tree. Never changes once it is parsed.
class Tree {
 public:
  explicit Tree(Source source) : source_(std::move(source)) { texts_.emplace_back(); }
  /// Of parts that belong together; the first of the texts is empty.
  Tree(Source source, std::vector<Node> nodes, std::vector<NodeId> edges, std::vector<std::string> texts, NodeId root)
      : source_(std::move(source)),
        nodes_(std::move(nodes)),
        edges_(std::move(edges)),
        texts_(std::move(texts)),
        root_(root) {}

  const Source& source() const { return source_; }
  NodeId root() const { return root_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  NodeKind kind(NodeId id) const { return nodes_[id].kind; }
  std::span<const NodeId> children(NodeId id) const {
    return {edges_.data() + nodes_[id].first_child, nodes_[id].child_count};
  }
  NodeId child(NodeId id, std::size_t i) const {
    assert(i < nodes_[id].child_count);
    return edges_[nodes_[id].first_child + i];
  }
  std::string_view text(NodeId id) const { return texts_[nodes_[id].text]; }
  Span span(NodeId id) const { return nodes_[id].span; }
  std::size_t size() const { return nodes_.size(); }

  /// For the parser.
  NodeId add(NodeKind kind, Span span, std::span<const NodeId> children, std::string_view text = {},
             std::uint8_t detail = 0);
  void set_root(NodeId root) { root_ = root; }

 private:
  Source source_;
  std::vector<Node> nodes_;
  std::vector<NodeId> edges_;
  std::vector<std::string> texts_;
  NodeId root_ = kNoNode;
};

}  // namespace nns::python
