#include "core/python/syntax/highlight.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

extern "C" const TSLanguage* tree_sitter_python(void);

namespace nns::python {
namespace {

// Python's functions that a program calls by name. Sorted.
constexpr std::array<std::string_view, 59> kBuiltins = {
    "abs",       "all",    "any",         "ascii",    "bin",     "bool",    "breakpoint", "bytearray",  "bytes",
    "callable",  "chr",    "classmethod", "compile",  "complex", "delattr", "dict",       "dir",        "divmod",
    "enumerate", "eval",   "exec",        "filter",   "float",   "format",  "frozenset",  "getattr",    "globals",
    "hasattr",   "hash",   "hex",         "id",       "input",   "int",     "isinstance", "issubclass", "iter",
    "len",       "list",   "locals",      "map",      "max",     "min",     "next",       "object",     "open",
    "ord",       "pow",    "print",       "property", "range",   "repr",    "reversed",   "round",      "set",
    "setattr",   "sorted", "str",         "super",    "zip"};
constexpr std::array<std::string_view, 4> kMoreBuiltins = {"staticmethod", "sum", "tuple", "type"};

bool is_builtin(std::string_view name) {
  return std::find(kBuiltins.begin(), kBuiltins.end(), name) != kBuiltins.end() ||
         std::find(kMoreBuiltins.begin(), kMoreBuiltins.end(), name) != kMoreBuiltins.end();
}

/// A node above the present one, and which field of its parent it is.
struct Above {
  std::string_view type;
  std::string_view field;
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

TokenKind kind_by_form(std::string_view name) {
  if (name == "self" || name == "cls") return TokenKind::Self;
  const bool is_capitals =
      name.size() > 1 &&
      std::all_of(name.begin(), name.end(), [](char c) { return is_upper(c) || c == '_' || (c >= '0' && c <= '9'); }) &&
      std::any_of(name.begin(), name.end(), is_upper);
  if (is_capitals) return TokenKind::Constant;
  const std::size_t first = name.find_first_not_of('_');
  return first != std::string_view::npos && is_upper(name[first]) ? TokenKind::Class : TokenKind::Plain;
}

TokenKind kind_of_name(std::string_view name, std::string_view field, const std::vector<Above>& above) {
  const Above parent = above.empty() ? Above{} : above.back();
  const Above grandparent = above.size() < 2 ? Above{} : above[above.size() - 2];
  if (parent.type == "function_definition" && field == "name") return TokenKind::Function;
  if (parent.type == "class_definition" && field == "name") return TokenKind::Class;
  if (parent.type == "keyword_argument" && field == "name") return TokenKind::Argument;
  if (parent.type == "decorator") return TokenKind::Decorator;
  const TokenKind by_form = kind_by_form(name);
  if (parent.type == "call" && field == "function") {
    if (is_builtin(name)) return TokenKind::Builtin;
    return by_form == TokenKind::Class ? by_form : TokenKind::Function;
  }
  if (parent.type == "attribute" && field == "attribute") {
    if (grandparent.type == "decorator") return TokenKind::Decorator;
    const bool is_called = grandparent.type == "call" && parent.field == "function";
    if (by_form == TokenKind::Class || by_form == TokenKind::Constant) return by_form;
    return is_called ? TokenKind::Function : TokenKind::Property;
  }
  if (parent.type == "type" && by_form == TokenKind::Plain) {
    return is_builtin(name) ? TokenKind::Builtin : TokenKind::Class;
  }
  return by_form;
}

TokenKind kind_of_sign(std::string_view type, const std::vector<Above>& above) {
  if (type.empty()) return TokenKind::Plain;
  if (type == "@" && !above.empty() && above.back().type == "decorator") return TokenKind::Decorator;
  if (std::isalpha(static_cast<unsigned char>(type.front())) != 0) return TokenKind::Keyword;
  if (std::string_view("()[]{}").find(type) != std::string_view::npos) return TokenKind::Bracket;
  if (type == "," || type == "." || type == ":" || type == ";") return TokenKind::Plain;
  return TokenKind::Operator;
}

TokenKind kind_of(const TSNode& node, std::string_view text, std::string_view field, const std::vector<Above>& above) {
  const std::string_view type = ts_node_type(node);
  if (!ts_node_is_named(node)) return kind_of_sign(type, above);
  if (type == "identifier") return kind_of_name(text, field, above);
  if (type == "comment") return TokenKind::Comment;
  if (type == "integer" || type == "float") return TokenKind::Number;
  if (type == "true" || type == "false" || type == "none" || type == "ellipsis") return TokenKind::Constant;
  if (type == "escape_sequence" || type == "escape_interpolation") return TokenKind::Escape;
  if (type.starts_with("string_") || type == "line_continuation") return TokenKind::Text;
  return TokenKind::Plain;
}

class Writer {
 public:
  explicit Writer(std::string_view text) : text_(text) {}
  /// Must come in the order of the text. What goes over line ends is told line by line.
  void add(std::uint32_t begin, std::uint32_t end, TokenKind kind) {
    if (kind == TokenKind::Plain) return;
    end = std::min(end, static_cast<std::uint32_t>(text_.size()));
    while (begin < end) {
      const auto stop = static_cast<std::uint32_t>(std::min<std::size_t>(text_.find('\n', begin), end));
      if (stop > begin) tokens.push_back({{begin, stop}, kind});
      begin = stop + 1;
    }
  }
  std::vector<Token> tokens;

 private:
  std::string_view text_;
};

}  // namespace

std::vector<Token> highlight(std::string_view text) {
  TSParser* parser = ts_parser_new();
  ts_parser_set_language(parser, tree_sitter_python());
  TSTree* tree = ts_parser_parse_string(parser, nullptr, text.data(), static_cast<std::uint32_t>(text.size()));
  ts_parser_delete(parser);
  Writer writer(text);
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  std::vector<Above> above;
  // Inside of a string's content: where it goes on behind the escape that was told last.
  std::uint32_t content_at = 0;
  bool is_done = false;
  while (!is_done) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    const char* const named = ts_tree_cursor_current_field_name(&cursor);
    const std::string_view field = named == nullptr ? std::string_view() : std::string_view(named);
    const std::string_view type = ts_node_type(node);
    const std::uint32_t begin = ts_node_start_byte(node);
    const std::uint32_t end = ts_node_end_byte(node);
    const bool in_content = !above.empty() && above.back().type == "string_content";
    if (in_content) {
      writer.add(content_at, begin, TokenKind::Text);
      content_at = end;
    }
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      if (type == "string_content") content_at = begin;
      above.push_back({type, field});
      continue;
    }
    writer.add(begin, end, kind_of(node, text.substr(begin, end - begin), field, above));
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) {
        is_done = true;
        break;
      }
      if (above.back().type == "string_content") {
        writer.add(content_at, ts_node_end_byte(ts_tree_cursor_current_node(&cursor)), TokenKind::Text);
      }
      above.pop_back();
    }
  }
  ts_tree_cursor_delete(&cursor);
  ts_tree_delete(tree);
  return std::move(writer.tokens);
}

}  // namespace nns::python
