#include "core/python/syntax/tree.h"

#include <algorithm>

namespace nns::python {

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_begins_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_begins_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

std::uint32_t Source::line_of(std::uint32_t byte) const {
  return static_cast<std::uint32_t>(std::upper_bound(line_begins_.begin(), line_begins_.end(), byte) -
                                    line_begins_.begin());
}

std::uint32_t Source::column_of(std::uint32_t byte) const { return byte - line_begins_[line_of(byte) - 1]; }

std::string_view Source::line(std::uint32_t number) const {
  if (number == 0 || number > line_begins_.size()) return {};
  const std::size_t begin = line_begins_[number - 1];
  std::string_view line = std::string_view(text_).substr(begin);
  line = line.substr(0, line.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

NodeId Tree::add(NodeKind kind, Span span, std::span<const NodeId> children, std::string_view text,
                 std::uint8_t detail) {
  Node node{.kind = kind, .detail = detail, .span = span};
  node.first_child = static_cast<std::uint32_t>(edges_.size());
  node.child_count = static_cast<std::uint32_t>(children.size());
  edges_.insert(edges_.end(), children.begin(), children.end());
  if (!text.empty()) {
    node.text = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
  }
  nodes_.push_back(node);
  return static_cast<NodeId>(nodes_.size() - 1);
}

}  // namespace nns::python
