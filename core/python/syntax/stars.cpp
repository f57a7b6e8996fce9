// Stars that the grammar gives to the first operand of an expression.
#include <algorithm>
#include <array>

#include "core/python/syntax/builder.h"

namespace nns::python {

bool Builder::has_star_inside(TSNode node) const {
  const std::uint32_t begin = ts_node_start_byte(node);
  if (begin >= text_.size() || text_[begin] != '*' || hoisted_star_ == begin) return false;
  constexpr std::array<std::string_view, 7> kKinds = {"attribute",
                                                      "subscript",
                                                      "call",
                                                      "binary_operator",
                                                      "boolean_operator",
                                                      "comparison_operator",
                                                      "conditional_expression"};
  return std::find(kKinds.begin(), kKinds.end(), type(node)) != kKinds.end();
}

NodeId Builder::hoist_star(TSNode node) {
  const std::uint32_t outer = std::exchange(hoisted_star_, ts_node_start_byte(node));
  const NodeId value = expression(node);
  hoisted_star_ = outer;
  return add(NodeKind::Starred, node, {value});
}

}  // namespace nns::python
