#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nns::session {

/// What can be told of a text of a program without running it. Units: lines from 0, bytes from the line's beginning.
struct SourceFindings {
  struct Token {
    std::uint32_t line = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint8_t kind = 0;  ///< of the protocol's TokenKind
  };
  struct Problem {
    std::uint32_t line = 0;
    std::uint32_t begin = 0;
    std::uint32_t end_line = 0;
    std::uint32_t end = 0;
    std::string message;  ///< "SyntaxError: '(' was never closed"
  };
  std::vector<Token> tokens;  ///< sorted, without overlap
  std::vector<Problem> problems;
};
using SourceChecker = std::function<SourceFindings(const std::string& text)>;

/// Looks through a text of Python (core/python): its colours, and the first SyntaxError as Python tells it.
/// Differs: CPython also warns while it compiles ("invalid escape sequence"); we do not yet.
SourceFindings check_python_source(const std::string& text);

}  // namespace nns::session
