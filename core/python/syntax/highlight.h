#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/python/syntax/tree.h"

namespace nns::python {

/// What a part of a program's text is, for its colour. Numbers are the protocol's: they never change.
enum class TokenKind : std::uint8_t {
  Plain,
  Keyword,
  Text,
  Escape,
  Number,
  Comment,
  Function,
  Class,
  Builtin,
  Constant,
  Decorator,
  Property,
  Argument,
  Self,
  Operator,
  Bracket,
};

struct Token {
  Span span;
  TokenKind kind = TokenKind::Plain;
};

/// The parts of a text that have a colour: sorted, without overlap, none over the end of a line. A text that is no
/// program has them as far as it can be read.
/// Method: the queries of tree-sitter-python (highlights.scm) and those of program_highlights.scm beside this file; of
/// parts within each other the innermost counts, of several patterns for one part the last.
std::vector<Token> highlight(std::string_view text);

}  // namespace nns::python
