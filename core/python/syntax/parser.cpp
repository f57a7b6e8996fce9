#include "core/python/syntax/parser.h"

#include <tree_sitter/api.h>

#include <algorithm>
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
      where = {i, i + 1};
      if (open.empty()) return std::string("unmatched '") + c + "'";
      if (open.back().bracket != needed) {
        return std::string("closing parenthesis '") + c + "' does not match opening parenthesis '" +
               open.back().bracket + "'";
      }
      open.pop_back();
    }
  }
  if (!open.empty() && open.back().at <= at) {
    where = {open.back().at, open.back().at + 1};
    return std::string("'") + open.back().bracket + "' was never closed";
  }
  return "invalid syntax";
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
  NodeId module = builder.module(root);
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
