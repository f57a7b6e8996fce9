#include "core/python/syntax/parser.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/python/syntax/builder.h"

extern "C" const TSLanguage* tree_sitter_python(void);

namespace nns::python {
namespace {

// The first place that tree-sitter could not read.
bool find_error(TSNode root, TSNode& found) {
  if (!ts_node_has_error(root)) return false;
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  bool done = false;
  while (!done) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    if (ts_node_is_missing(node) || ts_node_is_error(node)) {
      found = node;
      break;
    }
    if (ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor)) continue;
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) {
        done = true;
        break;
      }
    }
  }
  ts_tree_cursor_delete(&cursor);
  if (done) found = root;
  return true;
}

// What one line shows: where CPython stops reading, and what it says there. `where` is what tree-sitter could not read.
std::string explain_line(std::string_view text, Span& where) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const std::size_t begin = where.begin == 0 ? 0 : text.rfind('\n', where.begin - 1) + 1;
  const std::size_t end = std::min(text.find('\n', where.begin), text.size());
  // A number that goes on as a name.
  if (where.end < text.size() && is_digit(text[where.begin]) && is_letter(text[where.end])) {
    return "invalid decimal literal";
  }
  // A statement that holds others, without its colon.
  const std::string_view line = text.substr(begin, end - begin);
  const std::string_view words = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view first = words.substr(0, words.find_first_of(" (\t"));
  constexpr std::array<std::string_view, 10> kCompound = {"if",  "elif",  "else", "for", "while",
                                                          "def", "class", "with", "try", "except"};
  const bool is_whole = where.begin <= begin + static_cast<std::size_t>(words.data() - line.data()) && where.end >= end;
  if (is_whole && !words.ends_with(':') && words.find('#') == std::string_view::npos &&
      std::find(kCompound.begin(), kCompound.end(), first) != kCompound.end()) {
    where = {static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(end + 1)};
    return "expected ':'";
  }
  // A line that ends with an operator is where it breaks off, not the one behind it.
  if (begin > 0) {
    std::size_t last = begin - 1;
    while (last > 0 && (text[last] == '\n' || text[last] == ' ' || text[last] == '\t' || text[last] == '\r')) --last;
    const std::size_t line_begin = text.rfind('\n', last) + 1;
    const bool has_comment = text.substr(line_begin, last - line_begin).find('#') != std::string_view::npos;
    if (!has_comment && std::string_view("+-*/%&|^=<>.@").find(text[last]) != std::string_view::npos) {
      where = {static_cast<std::uint32_t>(last + 1), static_cast<std::uint32_t>(last + 2)};
    }
  }
  return "invalid syntax";
}

// Brackets and quotes that are never closed, in words of their own. Behaviour: CPython Parser/lexer.
std::string explain(std::string_view text, std::uint32_t at, Span& where) {
  struct Open {
    char bracket;
    std::uint32_t at;
  };
  std::vector<Open> open;
  for (std::uint32_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#') {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (c == '"' || c == '\'') {
      const std::uint32_t begin = i;
      const bool is_triple = text.substr(i, 3) == std::string(3, c);
      const bool is_raw = i > 0 && (text[i - 1] == 'r' || text[i - 1] == 'R');
      i += is_triple ? 3 : 1;
      while (i < text.size()) {
        if (text[i] == '\\' && !is_raw) {
          i += 2;
          continue;
        }
        if (is_triple ? text.substr(i, 3) == std::string(3, c) : text[i] == c) break;
        if (!is_triple && text[i] == '\n') break;
        ++i;
      }
      if (i >= text.size() || (!is_triple && text[i] == '\n')) {
        where = {begin, begin + 1};
        return is_triple ? "unterminated triple-quoted string literal" : "unterminated string literal";
      }
      if (is_triple) i += 2;
    } else if (c == '(' || c == '[' || c == '{') {
      open.push_back({c, i});
    } else if (c == ')' || c == ']' || c == '}') {
      const char needed = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.empty()) {
        where = {i, i + 1};
        return std::string("unmatched '") + c + "'";
      }
      if (open.back().bracket != needed) {
        where = {i, i + 1};
        return std::string("closing parenthesis '") + c + "' does not match opening parenthesis '" +
               open.back().bracket + "'";
      }
      open.pop_back();
    }
  }
  // On the line of the bracket it is what stands there that cannot be read.
  const auto goes_on = [&](std::uint32_t from) {
    return text.substr(0, at).find('\n', from) != std::string_view::npos;
  };
  const auto is_at_end = [&] { return text.find_first_not_of(" \t\r\n", at) == std::string_view::npos; };
  if (!open.empty() && open.back().at <= at && (goes_on(open.back().at) || is_at_end())) {
    where = {open.back().at, open.back().at + 1};
    return std::string("'") + open.back().bracket + "' was never closed";
  }
  return explain_line(text, where);
}

// tree-sitter takes `type(x).a = b` for a type alias. It is shown another name there; our tree reads the real text.
std::string without_false_aliases(std::string_view source) {
  std::string shown(source);
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = shown.find("type("); at != std::string::npos; at = shown.find("type(", at + 1)) {
    if (at == 0 || !is_word(shown[at - 1])) shown[at + 3] = '_';
  }
  return shown;
}

}  // namespace

Parsed parse(std::string name, std::string text, ParseMode mode) {
  // A mark of byte order is no part of a program.
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  auto tree = std::make_shared<Tree>(Source(std::move(name), std::move(text)));
  Parsed parsed{tree, std::nullopt};
  const std::string_view source = tree->source().text();
  if (const std::size_t zero = source.find('\0'); zero != std::string_view::npos) {
    const auto at = static_cast<std::uint32_t>(zero);
    parsed.error = SyntaxError{"source code cannot contain null bytes", {at, at + 1}};
    return parsed;
  }
  if (source.size() > UINT32_MAX / 2) {
    parsed.error = SyntaxError{"the source is larger than 2 GB", {}};
    return parsed;
  }

  TSParser* parser = ts_parser_new();
  ts_parser_set_language(parser, tree_sitter_python());
  const std::string shown = without_false_aliases(source);
  TSTree* concrete = ts_parser_parse_string(parser, nullptr, shown.data(), static_cast<std::uint32_t>(shown.size()));
  ts_parser_delete(parser);
  const TSNode root = ts_tree_root_node(concrete);
  TSNode broken{};
  if (find_error(root, broken)) {
    Span where{ts_node_start_byte(broken), std::max(ts_node_end_byte(broken), ts_node_start_byte(broken) + 1)};
    std::string message = explain(source, ts_node_end_byte(broken), where);
    parsed.error = SyntaxError{std::move(message), where};
    ts_tree_delete(concrete);
    return parsed;
  }
  Builder builder(*tree, source);
  NodeId module = builder.module(root, mode == ParseMode::Expression);
  ts_tree_delete(concrete);
  if (builder.error()) {
    parsed.error = *builder.error();
    return parsed;
  }
  if (mode == ParseMode::Expression) {
    const auto statements = tree->children(module);
    if (statements.size() != 1 || tree->kind(statements[0]) != NodeKind::Expr) {
      parsed.error = SyntaxError{"invalid syntax", tree->span(module)};
      return parsed;
    }
    module = statements[0];
  }
  tree->set_root(module);
  return parsed;
}

}  // namespace nns::python
