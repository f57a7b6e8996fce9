// Names as Python compares them.
#include <algorithm>

#include "core/python/syntax/builder.h"
#include "core/unicode/normalization.h"

namespace nns::python {

NodeId Builder::add(NodeKind kind, TSNode node, std::span<const NodeId> children, std::string_view text,
                    std::uint8_t detail) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (kind == NodeKind::Constant || std::all_of(text.begin(), text.end(), is_ascii))
    return tree_.add(kind, span(node), children, text, detail);
  return tree_.add(kind, span(node), children, unicode::normalized(text, unicode::Form::Nfkc), detail);
}

}  // namespace nns::python
