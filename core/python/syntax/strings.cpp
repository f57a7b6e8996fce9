// Literals of str and bytes, and f-strings.
#include <fmt/format.h>

#include "core/base/utf8.h"
#include "core/python/syntax/builder.h"
#include "core/unicode/names.h"

namespace nns::python {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

}  // namespace

Builder::Prefix Builder::prefix_of(TSNode string) const {
  Prefix prefix;
  for (const char c : text(ts_node_child(string, 0))) {
    if (c == 'r' || c == 'R') prefix.is_raw = true;
    if (c == 'b' || c == 'B') prefix.is_bytes = true;
    if (c == 'f' || c == 'F') prefix.is_formatted = true;
    if (c == '"' || c == '\'') break;
  }
  return prefix;
}

void Builder::unescape(std::string_view written, std::uint32_t at, Prefix prefix, std::string& into) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    const char c = written[i];
    if (c == '\r') {
      // A line ends with "\n", however the file writes it.
      if (i + 1 < written.size() && written[i + 1] == '\n') continue;
      into += '\n';
      continue;
    }
    if (prefix.is_bytes && (static_cast<unsigned char>(c) & 0x80U) != 0) {
      fail({at, at + static_cast<std::uint32_t>(written.size())}, "bytes can only contain ASCII literal characters");
      return;
    }
    if (prefix.is_formatted && (c == '{' || c == '}') && i + 1 < written.size() && written[i + 1] == c) {
      into += c;
      ++i;
      continue;
    }
    if (c != '\\' || prefix.is_raw || i + 1 == written.size()) {
      into += c;
      continue;
    }
    const char escape = written[++i];
    const auto where = [&](std::size_t length) {
      const auto begin = static_cast<std::uint32_t>(at + i - 1);
      return Span{begin, begin + static_cast<std::uint32_t>(length)};
    };
    // Reads up to `most` digits of `base`; false if fewer than `least`.
    const auto read = [&](std::size_t least, std::size_t most, int base, std::uint32_t& value) {
      std::size_t count = 0;
      value = 0;
      while (count < most && i + 1 < written.size() && digit(written[i + 1]) < base) {
        value = value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit(written[++i]));
        ++count;
      }
      return count >= least;
    };
    std::uint32_t value = 0;
    switch (escape) {
      case '\n':
        break;
      case '\r':
        if (i + 1 < written.size() && written[i + 1] == '\n') ++i;
        break;
      case '\\':
      case '\'':
      case '"':
        into += escape;
        break;
      case 'a':
        into += '\a';
        break;
      case 'b':
        into += '\b';
        break;
      case 'f':
        into += '\f';
        break;
      case 'n':
        into += '\n';
        break;
      case 'r':
        into += '\r';
        break;
      case 't':
        into += '\t';
        break;
      case 'v':
        into += '\v';
        break;
      case 'x':
        if (!read(2, 2, 16, value)) {
          fail(where(2), prefix.is_bytes
                             ? "(value error) invalid \\x escape at position 0"
                             : "(unicode error) 'unicodeescape' codec can't decode bytes: truncated \\xXX escape");
          return;
        }
        if (prefix.is_bytes)
          into += static_cast<char>(value);
        else
          base::append_utf8(value, into);
        break;
      case 'u':
      case 'U':
      case 'N':
        if (prefix.is_bytes) {
          into += '\\';
          into += escape;
          break;
        }
        if (escape == 'N') {
          const std::size_t begin = i - 1;
          const auto refuse = [&](std::size_t end, std::string_view why) {
            fail(where(end - begin), fmt::format("(unicode error) 'unicodeescape' codec can't decode bytes in position "
                                                 "{}-{}: {}",
                                                 begin, end - 1, why));
          };
          const bool has_brace = written.substr(i + 1, 1) == "{";
          const std::size_t close = has_brace ? written.find('}', i) : i + 1;
          constexpr std::string_view kMalformed = "malformed \\N character escape";
          if (close == std::string_view::npos) return refuse(written.size(), kMalformed);
          if (!has_brace || close == i + 2) return refuse(close, kMalformed);
          const auto found = unicode::named(written.substr(i + 2, close - i - 2), false);
          if (!found) return refuse(close + 1, "unknown Unicode character name");
          base::append_utf8(found->front(), into);
          i = close;
          break;
        }
        if (!read(escape == 'u' ? 4 : 8, escape == 'u' ? 4 : 8, 16, value) || value > 0x10FFFF) {
          fail(where(2),
               escape == 'u'
                   ? "(unicode error) 'unicodeescape' codec can't decode bytes: truncated \\uXXXX escape"
                   : "(unicode error) 'unicodeescape' codec can't decode bytes: truncated \\UXXXXXXXX escape");
          return;
        }
        base::append_utf8(value, into);
        break;
      default:
        if (digit(escape) < 8) {
          --i;
          read(1, 3, 8, value);
          if (prefix.is_bytes)
            into += static_cast<char>(value & 0xFFU);
          else
            base::append_utf8(value, into);
        } else {
          into += '\\';
          into += escape;
        }
    }
  }
}

void Builder::string_parts(TSNode node, Prefix prefix, std::vector<StringPart>& parts) {
  const auto literal = [&](std::uint32_t begin, std::uint32_t end) {
    if (begin == end) return;
    if (parts.empty() || parts.back().is_formatted) parts.push_back({.text = {}, .span = {begin, end}});
    parts.back().span.end = end;
    unescape(text_.substr(begin, end - begin), begin, prefix, parts.back().text);
  };
  // Everything between the quotes that is no interpolation is text.
  std::uint32_t at = ts_node_end_byte(ts_node_child(node, 0));
  const std::uint32_t count = ts_node_child_count(node);
  std::uint32_t end = ts_node_end_byte(node);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TSNode child = ts_node_child(node, i);
    if (type(child) == "string_end") end = ts_node_start_byte(child);
    if (type(child) != "interpolation") continue;
    literal(at, ts_node_start_byte(child));
    const NodeId value = interpolation(child, parts);
    parts.push_back({.is_formatted = true, .text = {}, .value = value, .span = span(child)});
    at = ts_node_end_byte(child);
    if (error_) return;
  }
  literal(at, end);
}

NodeId Builder::interpolation(TSNode node, std::vector<StringPart>& parts) {
  const TSNode inner = field(node, "expression");
  if (ts_node_is_null(inner)) return fail(span(node), "f-string: valid expression required before '}'");
  const NodeId value = expression(inner);
  const TSNode conversion = field(node, "type_conversion");
  const TSNode specifier = field(node, "format_specifier");
  std::uint8_t how = 0;
  if (!ts_node_is_null(conversion)) {
    const std::string_view written = text(conversion);
    how = static_cast<std::uint8_t>(written.back());
    if (written.size() != 2 || (how != 's' && how != 'r' && how != 'a')) {
      return fail(
          span(conversion),
          fmt::format("f-string: invalid conversion character '{}': expected 's', 'r', or 'a'", written.substr(1)));
    }
  }
  // {x=} writes its own source first.
  if (has_token(node, "=")) {
    std::uint32_t end = ts_node_end_byte(node) - 1;
    if (!ts_node_is_null(specifier)) end = ts_node_start_byte(specifier);
    if (!ts_node_is_null(conversion)) end = ts_node_start_byte(conversion);
    const std::uint32_t begin = ts_node_start_byte(node) + 1;
    if (parts.empty() || parts.back().is_formatted) parts.push_back({.text = {}, .span = {begin, end}});
    parts.back().text += text_.substr(begin, end - begin);
    if (how == 0 && ts_node_is_null(specifier)) how = 'r';
  }
  NodeId specification = kNoNode;
  if (!ts_node_is_null(specifier)) {
    std::vector<StringPart> inside;
    const auto literal = [&](std::uint32_t begin, std::uint32_t end) {
      if (begin == end) return;
      inside.push_back({.text = std::string(text_.substr(begin, end - begin)), .span = {begin, end}});
    };
    // The specifier begins with its colon.
    std::uint32_t at = ts_node_start_byte(specifier) + 1;
    for (const TSNode nested : named(specifier)) {
      literal(at, ts_node_start_byte(nested));
      const NodeId formatted = interpolation(nested, inside);
      inside.push_back({.is_formatted = true, .text = {}, .value = formatted, .span = span(nested)});
      at = ts_node_end_byte(nested);
    }
    literal(at, ts_node_end_byte(specifier));
    specification = joined(specifier, inside, {.is_formatted = true});
  }
  return add(NodeKind::FormattedValue, node, {value, specification}, {}, how);
}

NodeId Builder::joined(TSNode node, std::vector<StringPart>& parts, Prefix prefix) {
  if (error_) return kNoNode;
  const auto kind = static_cast<std::uint8_t>(prefix.is_bytes ? ConstantKind::Bytes : ConstantKind::Str);
  if (!prefix.is_formatted) {
    return add(NodeKind::Constant, node, {}, parts.empty() ? std::string_view() : std::string_view(parts[0].text),
               kind);
  }
  std::vector<NodeId> children;
  for (const StringPart& part : parts) {
    children.push_back(part.is_formatted ? part.value : tree_.add(NodeKind::Constant, part.span, {}, part.text, kind));
  }
  return add(NodeKind::JoinedStr, node, children);
}

NodeId Builder::string(TSNode node) {
  const Prefix prefix = prefix_of(node);
  std::vector<StringPart> parts;
  string_parts(node, prefix, parts);
  return joined(node, parts, prefix);
}

NodeId Builder::concatenated_string(TSNode node) {
  std::vector<StringPart> parts;
  Prefix all;
  bool is_first = true;
  for (const TSNode one : named(node)) {
    const Prefix prefix = prefix_of(one);
    if (!is_first && prefix.is_bytes != all.is_bytes) {
      return fail(span(node), "cannot mix bytes and nonbytes literals");
    }
    all.is_bytes = prefix.is_bytes;
    all.is_formatted |= prefix.is_formatted;
    is_first = false;
    string_parts(one, prefix, parts);
  }
  return joined(node, parts, all);
}

}  // namespace nns::python
