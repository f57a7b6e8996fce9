#include "core/object/format.h"
#include "core/object/operations.h"
#include "core/object/unicode.h"

namespace nns::object {
namespace {

// Walks a template of str.format and fills in the fields.
class FieldFormatter {
 public:
  FieldFormatter(Interpreter& in, std::span<const Value> positional, const Value& keywords, bool from_mapping)
      : in_(in), positional_(positional), keywords_(keywords), from_mapping_(from_mapping) {}

  PyResult<std::string> run(std::string_view text, int depth) {
    if (depth < 0) return value_error(in_, "Max string recursion exceeded");
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const char c = text[at];
      if (c != '{' && c != '}') {
        const std::size_t stop = std::min(text.find_first_of("{}", at), text.size());
        out += text.substr(at, stop - at);
        at = stop;
        continue;
      }
      if (at + 1 < text.size() && text[at + 1] == c) {
        out += c;
        at += 2;
        continue;
      }
      if (c == '}') return value_error(in_, "Single '}}' encountered in format string");
      if (at + 1 == text.size()) return value_error(in_, "Single '{{' encountered in format string");
      // The field up to the brace that closes it; an index in brackets may contain braces.
      const std::size_t begin = ++at;
      int nested = 1;
      bool in_index = false;
      for (; at < text.size() && nested > 0; ++at) {
        if (text[at] == '[' && nested == 1) in_index = true;
        if (text[at] == ']') in_index = false;
        if (in_index) continue;
        if (text[at] == '{') ++nested;
        if (text[at] == '}') --nested;
      }
      if (nested > 0) return value_error(in_, "expected '}}' before end of string");
      NNS_TRY_ASSIGN(const std::string one, field(text.substr(begin, at - 1 - begin), depth));
      out += one;
    }
    return out;
  }

 private:
  PyResult<std::string> field(std::string_view text, int depth) {
    // 1. The name ends at '!' or ':', unless that stands in brackets.
    std::size_t end = 0;
    for (bool in_index = false; end < text.size(); ++end) {
      if (text[end] == '[') in_index = true;
      if (text[end] == ']') in_index = false;
      if (!in_index && (text[end] == '!' || text[end] == ':')) break;
      if (text[end] == '{') return value_error(in_, "unexpected '{{' in field name");
    }
    const std::string_view name = text.substr(0, end);
    std::string_view rest = text.substr(end);
    char conversion = '\0';
    if (rest.starts_with('!')) {
      if (rest.size() == 1) return value_error(in_, "end of string while looking for conversion specifier");
      conversion = rest[1];
      rest.remove_prefix(2);
      if (!rest.empty() && rest[0] != ':') return value_error(in_, "expected ':' after conversion specifier");
    }
    if (rest.starts_with(':')) rest.remove_prefix(1);
    // 2. The value, its conversion, its spec with the fields in it.
    NNS_TRY_ASSIGN(Value value, value_of(name));
    if (conversion != '\0') {
      if (conversion != 'r' && conversion != 's' && conversion != 'a') {
        return value_error(in_, "Unknown conversion specifier {}", conversion);
      }
      NNS_TRY_ASSIGN(const std::string shown, converted(in_, value, conversion));
      value = in_.text(shown);
    }
    std::string spec(rest);
    if (rest.find_first_of("{}") != std::string_view::npos) {
      NNS_TRY_ASSIGN(spec, run(rest, depth - 1));
    }
    return format(in_, value, spec);
  }

  static bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  }

  PyResult<std::size_t> number_of(std::string_view text) {
    std::size_t number = 0;
    for (const char c : text) {
      number = number * 10 + static_cast<std::size_t>(c - '0');
      if (number > 0x7FFFFFF) return value_error(in_, "Too many decimal digits in format string");
    }
    return number;
  }

  PyResult<Value> first_of(std::string_view name) {
    const bool automatic = name.empty();
    if (automatic || is_number(name)) {
      if (automatic ? manual_ : automatic_) {
        return value_error(in_, "{}",
                           automatic ? "cannot switch from manual field specification to automatic field numbering"
                                     : "cannot switch from automatic field numbering to manual field specification");
      }
      (automatic ? automatic_ : manual_) = true;
      std::size_t place = next_;
      if (automatic) {
        ++next_;
      } else {
        NNS_TRY_ASSIGN(place, number_of(name));
      }
      if (place < positional_.size()) return positional_[place];
      if (from_mapping_) return value_error(in_, "Format string contains positional fields");
      return error<ErrorKind::IndexError>(in_, "Replacement index {} out of range for positional args tuple", place);
    }
    if (keywords_.is_absent()) return key_error(in_, in_.text(name));
    return getitem(in_, keywords_, in_.text(name));
  }

  PyResult<Value> value_of(std::string_view name) {
    const std::size_t first = std::min(name.find_first_of(".["), name.size());
    NNS_TRY_ASSIGN(Value value, first_of(name.substr(0, first)));
    for (std::string_view rest = name.substr(first); !rest.empty();) {
      if (rest[0] == '.') {
        rest.remove_prefix(1);
        const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
        if (end == 0) return value_error(in_, "Empty attribute in format string");
        NNS_TRY_ASSIGN(value, getattr(in_, value, in_.intern(rest.substr(0, end))));
        rest.remove_prefix(end);
        continue;
      }
      if (rest[0] != '[') return value_error(in_, "Only '.' or '[' may follow ']' in format field specifier");
      const std::size_t end = rest.find(']');
      if (end == std::string_view::npos) return value_error(in_, "Missing ']' in format string");
      const std::string_view key = rest.substr(1, end - 1);
      if (key.empty()) return value_error(in_, "Empty attribute in format string");
      if (is_number(key)) {
        NNS_TRY_ASSIGN(const std::size_t place, number_of(key));
        NNS_TRY_ASSIGN(value, getitem(in_, value, Value(place)));
      } else {
        NNS_TRY_ASSIGN(value, getitem(in_, value, in_.text(key)));
      }
      rest.remove_prefix(end + 1);
    }
    return value;
  }

  Interpreter& in_;
  std::span<const Value> positional_;
  const Value& keywords_;
  bool from_mapping_;
  std::size_t next_ = 0;
  bool automatic_ = false, manual_ = false;
};

}  // namespace

PyResult<std::string> format_fields(Interpreter& interpreter, std::string_view text, std::span<const Value> positional,
                                    const Value& keywords, bool from_mapping) {
  return FieldFormatter(interpreter, positional, keywords, from_mapping).run(text, 1);
}

PyResult<std::string> converted(Interpreter& interpreter, const Value& value, char conversion) {
  if (conversion == 's') return str(interpreter, value);
  NNS_TRY_ASSIGN(const std::string text, repr(interpreter, value));
  if (conversion == 'r') return text;
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += character_size(text, at)) {
    const auto point = static_cast<std::uint32_t>(code_point_at(text, at));
    if (point < 0x80) {
      out += text[at];
    } else {
      out += point < 0x100     ? fmt::format("\\x{:02x}", point)
             : point < 0x10000 ? fmt::format("\\u{:04x}", point)
                               : fmt::format("\\U{:08x}", point);
    }
  }
  return out;
}

}  // namespace nns::object
