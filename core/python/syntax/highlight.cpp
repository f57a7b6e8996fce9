#include "core/python/syntax/highlight.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "core/base/release.h"
#include "core/python/syntax/queries.h"

extern "C" const TSLanguage* tree_sitter_python(void);

namespace nns::python {
namespace {

using Parser = std::unique_ptr<TSParser, base::Release<ts_parser_delete>>;
using SyntaxTree = std::unique_ptr<TSTree, base::Release<ts_tree_delete>>;
using Cursor = std::unique_ptr<TSQueryCursor, base::Release<ts_query_cursor_delete>>;
using Regex = std::unique_ptr<pcre2_code_8, base::Release<pcre2_code_free_8>>;
using RegexMatch = std::unique_ptr<pcre2_match_data_8, base::Release<pcre2_match_data_free_8>>;

/// Names that queries give to what they find, as tree-sitter's themes know them. One with more parts than are known
/// here is what its first parts are: "function.method.call" is "function.method", or "function".
struct CaptureName {
  std::string_view name;
  TokenKind kind;
};
constexpr std::array kCaptures = {
    CaptureName{"attribute", TokenKind::Decorator},
    CaptureName{"comment", TokenKind::Comment},
    CaptureName{"constant", TokenKind::Constant},
    CaptureName{"constructor", TokenKind::Class},
    CaptureName{"escape", TokenKind::Escape},
    CaptureName{"function", TokenKind::Function},
    CaptureName{"function.builtin", TokenKind::Builtin},
    CaptureName{"keyword", TokenKind::Keyword},
    CaptureName{"number", TokenKind::Number},
    CaptureName{"operator", TokenKind::Operator},
    CaptureName{"property", TokenKind::Property},
    CaptureName{"punctuation.bracket", TokenKind::Bracket},
    CaptureName{"string", TokenKind::Text},
    CaptureName{"type", TokenKind::Class},
    CaptureName{"variable.builtin", TokenKind::Self},
    CaptureName{"variable.parameter", TokenKind::Argument},
};

TokenKind kind_of_capture(std::string_view name) {
  while (!name.empty()) {
    const auto* const known =
        std::find_if(kCaptures.begin(), kCaptures.end(), [&](const CaptureName& one) { return one.name == name; });
    if (known != kCaptures.end()) return known->kind;
    const std::size_t dot = name.rfind('.');
    name = name.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return TokenKind::Plain;
}

/// What a pattern demands of the text of one of its captures.
struct Predicate {
  std::uint32_t capture = 0;
  bool is_negated = false;
  std::vector<std::string> texts;  ///< it is one of these, if there is no expression
  Regex expression;

  bool holds(std::string_view text) const {
    if (expression == nullptr) return (std::find(texts.begin(), texts.end(), text) != texts.end()) != is_negated;
    const RegexMatch match(pcre2_match_data_create_from_pattern_8(expression.get(), nullptr));
    const int found = pcre2_match_8(expression.get(), reinterpret_cast<PCRE2_SPTR8>(text.data()), text.size(), 0, 0,
                                    match.get(), nullptr);
    return (found >= 0) != is_negated;
  }
};

/// The patterns of tree-sitter-python and those of this folder, ready to be asked.
class HighlightQuery {
 public:
  HighlightQuery() {
    const std::string text =
        std::string(syntax_queries::kHighlightsScm) + "\n" + std::string(syntax_queries::kProgramHighlightsScm);
    std::uint32_t place = 0;
    TSQueryError error = TSQueryErrorNone;
    query_.reset(
        ts_query_new(tree_sitter_python(), text.data(), static_cast<std::uint32_t>(text.size()), &place, &error));
    if (query_ == nullptr) return;
    for (std::uint32_t i = 0; i < ts_query_capture_count(query_.get()); ++i) {
      std::uint32_t length = 0;
      const char* const name = ts_query_capture_name_for_id(query_.get(), i, &length);
      kinds_.push_back(kind_of_capture({name, length}));
    }
    for (std::uint32_t i = 0; i < ts_query_pattern_count(query_.get()); ++i) predicates_.push_back(read_predicates(i));
  }

  const TSQuery* get() const { return query_.get(); }
  TokenKind kind(std::uint32_t capture) const { return kinds_[capture]; }

  bool holds(const TSQueryMatch& match, std::string_view text) const {
    const auto& wanted = predicates_[match.pattern_index];
    return std::all_of(wanted.begin(), wanted.end(), [&](const Predicate& one) {
      return std::all_of(match.captures, match.captures + match.capture_count, [&](const TSQueryCapture& capture) {
        if (capture.index != one.capture) return true;
        const std::uint32_t begin = ts_node_start_byte(capture.node);
        return one.holds(text.substr(begin, ts_node_end_byte(capture.node) - begin));
      });
    });
  }

 private:
  /// Behaviour: predicates of other names demand nothing, as in tree-sitter's own highlighter.
  std::vector<Predicate> read_predicates(std::uint32_t pattern) const {
    std::uint32_t count = 0;
    const TSQueryPredicateStep* const steps = ts_query_predicates_for_pattern(query_.get(), pattern, &count);
    std::vector<Predicate> all;
    for (std::uint32_t begin = 0; begin < count;) {
      std::uint32_t end = begin;
      while (steps[end].type != TSQueryPredicateStepTypeDone) ++end;
      if (auto one = read_predicate(steps + begin, steps + end)) all.push_back(std::move(*one));
      begin = end + 1;
    }
    return all;
  }

  std::optional<Predicate> read_predicate(const TSQueryPredicateStep* step, const TSQueryPredicateStep* end) const {
    if (end - step < 3 || step[0].type != TSQueryPredicateStepTypeString ||
        step[1].type != TSQueryPredicateStepTypeCapture) {
      return std::nullopt;
    }
    Predicate made;
    std::string_view name = string(step[0]);
    made.is_negated = name.starts_with("not-");
    if (made.is_negated) name.remove_prefix(4);
    made.capture = step[1].value_id;
    for (const TSQueryPredicateStep* argument = step + 2; argument != end; ++argument) {
      if (argument->type != TSQueryPredicateStepTypeString) return std::nullopt;
      made.texts.emplace_back(string(*argument));
    }
    if (name == "any-of?" || name == "eq?") return made;
    if (name != "match?") return std::nullopt;
    int error = 0;
    PCRE2_SIZE place = 0;
    made.expression.reset(pcre2_compile_8(reinterpret_cast<PCRE2_SPTR8>(made.texts[0].data()), made.texts[0].size(), 0,
                                          &error, &place, nullptr));
    return made;
  }

  std::string_view string(const TSQueryPredicateStep& step) const {
    std::uint32_t length = 0;
    const char* const text = ts_query_string_value_for_id(query_.get(), step.value_id, &length);
    return {text, length};
  }

  std::unique_ptr<TSQuery, base::Release<ts_query_delete>> query_;
  std::vector<TokenKind> kinds_;
  std::vector<std::vector<Predicate>> predicates_;
};

/// A part that a pattern has named.
struct Named {
  Span span;
  std::uint32_t pattern = 0;
  TokenKind kind = TokenKind::Plain;
};

/// Parts that are whole or not at all within each other, as nodes of a tree are, as tokens one behind the other: each
/// byte is of the innermost part, and of those of one place of the last pattern's. What goes over line ends is told
/// line by line. Cost: sorting them.
class Flattening {
 public:
  explicit Flattening(std::string_view text) : text_(text) {}

  std::vector<Token> flatten(std::vector<Named> parts) {
    const auto order = [](const Named& one) { return std::tuple(one.span.begin, ~one.span.end, one.pattern); };
    std::stable_sort(parts.begin(), parts.end(), [&](const Named& a, const Named& b) { return order(a) < order(b); });
    for (const Named& part : parts) {
      close(part.span.begin);
      tell(part.span.begin);
      open_.push_back(part);
    }
    close(static_cast<std::uint32_t>(text_.size()));
    return std::move(tokens_);
  }

 private:
  /// Ends the parts that do not reach beyond that place.
  void close(std::uint32_t place) {
    for (; !open_.empty() && open_.back().span.end <= place; open_.pop_back()) tell(open_.back().span.end);
  }

  /// Up to that place it is of the innermost part that is open.
  void tell(std::uint32_t end) {
    const TokenKind kind = open_.empty() ? TokenKind::Plain : open_.back().kind;
    while (kind != TokenKind::Plain && at_ < end) {
      // Not beyond it: a line may be as long as the text.
      const std::size_t line_end = text_.substr(at_, end - at_).find('\n');
      const std::uint32_t stop = line_end == std::string_view::npos ? end : at_ + static_cast<std::uint32_t>(line_end);
      if (stop > at_) tokens_.push_back({{at_, stop}, kind});
      at_ = std::min(stop + 1, end);
    }
    at_ = std::max(at_, end);
  }

  std::string_view text_;
  std::vector<Named> open_;
  std::vector<Token> tokens_;
  std::uint32_t at_ = 0;
};

}  // namespace

std::vector<Token> highlight(std::string_view text) {
  static const HighlightQuery query;
  if (query.get() == nullptr) return {};
  const Parser parser(ts_parser_new());
  ts_parser_set_language(parser.get(), tree_sitter_python());
  const SyntaxTree tree(
      ts_parser_parse_string(parser.get(), nullptr, text.data(), static_cast<std::uint32_t>(text.size())));
  const Cursor cursor(ts_query_cursor_new());
  ts_query_cursor_exec(cursor.get(), query.get(), ts_tree_root_node(tree.get()));
  std::vector<Named> parts;
  for (TSQueryMatch match; ts_query_cursor_next_match(cursor.get(), &match);) {
    if (!query.holds(match, text)) continue;
    for (std::uint16_t i = 0; i < match.capture_count; ++i) {
      const TSQueryCapture& capture = match.captures[i];
      parts.push_back({{ts_node_start_byte(capture.node), ts_node_end_byte(capture.node)},
                       match.pattern_index,
                       query.kind(capture.index)});
    }
  }
  return Flattening(text).flatten(std::move(parts));
}

}  // namespace nns::python
