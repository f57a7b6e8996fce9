#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ui/text/text_buffer.h"

namespace nns::text {

/// What a part of a program is, for its colour. The numbers are those of the protocol's TokenKind.
enum class TokenKind : std::uint8_t {
  Plain,
  Keyword,
  Text,    ///< a string, without what is computed inside of it
  Escape,  ///< \n in a string
  Number,
  Comment,
  Function,  ///< where it is defined or called
  Class,
  Builtin,   ///< a function or class of Python itself
  Constant,  ///< True, None, and names in capitals
  Decorator,
  Property,  ///< the name behind a dot
  Argument,  ///< the name of an argument in a call
  Self,
  Operator,
  Bracket,
};
inline constexpr std::size_t kTokenKinds = 16;

/// A part of one line. Units: bytes.
struct TokenSpan {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  TokenKind kind = TokenKind::Plain;
};

enum class Severity : std::uint8_t { Error, Warning };
/// Something wrong with a part of a text, and what to say about it.
struct SourceProblem {
  TextRange range;
  Severity severity = Severity::Error;
  std::string message;
};

/// The colours and problems of a text, computed elsewhere for one version of it; until newer ones come they stay with
/// the letters that they were computed for.
class SourceLooks {
 public:
  /// What was found out about `version` of the text; the changes since then are applied.
  /// `spans`: sorted by line and column, without overlap.
  struct LineSpan {
    std::uint32_t line = 0;
    TokenSpan span;
  };
  void set(const TextBuffer& buffer, std::uint64_t version, std::span<const LineSpan> spans,
           std::vector<SourceProblem> problems);
  /// Takes in what was changed since it was called last. Cost: the lines that changed.
  void follow(const TextBuffer& buffer);

  std::span<const TokenSpan> line(std::uint32_t line) const;
  TokenKind kind_at(const TextPlace& place) const;
  /// False inside of strings and comments.
  bool is_code(const TextPlace& place) const;
  const std::vector<SourceProblem>& problems() const { return problems_; }
  /// The first problem that touches the line.
  const SourceProblem* problem_on(std::uint32_t line) const;
  /// Of the text that it was computed for; 0: nothing is known yet.
  std::uint64_t computed_version() const { return computed_version_; }

 private:
  void apply(const TextChange& change);

  std::vector<std::vector<TokenSpan>> lines_;
  std::vector<SourceProblem> problems_;
  std::uint64_t version_ = 0;
  std::uint64_t computed_version_ = 0;
};

}  // namespace nns::text
