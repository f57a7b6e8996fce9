#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/python/syntax/tree.h"

namespace nns::python {

/// Why a text is no program: Python's SyntaxError (or IndentationError).
struct SyntaxError {
  std::string message;
  Span span;
};

/// A tree, or the first error; then the tree has only the source.
struct Parsed {
  std::shared_ptr<const Tree> tree;
  std::optional<SyntaxError> error;
};

/// What a text may be.
enum class ParseMode : std::uint8_t {
  /// A file, exec().
  Statements,
  /// One expression: eval(). The root is an Expr.
  Expression,
};

/// Reads a program of Python 3.14. Grammar: docs.python.org/3/reference/grammar.html, by tree-sitter-python; what that
/// takes too much (print statements, targets that cannot be assigned to) is refused here.
/// Nesting deeper than kDeepestNesting is an error, so that no reader of the tree runs out of stack.
Parsed parse(std::string name, std::string text, ParseMode mode = ParseMode::Statements);

inline constexpr std::uint32_t kDeepestNesting = 500;

}  // namespace nns::python
