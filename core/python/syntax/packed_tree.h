#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/python/syntax/tree.h"

namespace nns::python {

/// A tree as bytes, without its source: some ten a node. They are for the same build only: node kinds are told by
/// number.
std::string pack_tree(const Tree& tree);

/// The tree that was packed, of a source with the same text. Null if `packed` is not what pack_tree() made of it.
/// Cost: linear in the bytes, some thirty times faster than parsing.
std::shared_ptr<const Tree> unpack_tree(Source source, std::string_view packed);

}  // namespace nns::python
