#include "core/summary/call_text.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>

namespace nns::summary {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

bool is_name(std::string_view text) {
  if (text.empty() || is_digit(text.front())) return false;
  for (const char c : text) {
    if (!is_name_part(c)) return false;
  }
  return true;
}

// "1,3,32" or "2,": the sizes with ", " between them.
std::optional<std::string> sizes_of(std::string_view text) {
  std::string sizes;
  bool wants_number = true;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
    } else if (wants_number && is_digit(text[at])) {
      if (!sizes.empty()) sizes += ", ";
      while (at < text.size() && is_digit(text[at])) sizes += text[at++];
      wants_number = false;
    } else if (!wants_number && text[at] == ',') {
      wants_number = true;
      ++at;
    } else {
      return std::nullopt;
    }
  }
  if (sizes.empty()) return std::nullopt;
  return sizes;
}

// "1,3,32,32" or "(2,):long" as Python, else the text itself.
std::string expression_of(std::string_view text) {
  std::string_view shape = text;
  std::string_view dtype;
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    shape = trimmed(text.substr(0, colon));
    dtype = trimmed(text.substr(colon + 1));
    if (dtype.starts_with("torch.")) dtype.remove_prefix(6);
    if (!is_name(dtype)) return std::string(text);
  }
  const bool in_brackets = shape.starts_with('(') && shape.ends_with(')');
  if (in_brackets) shape = trimmed(shape.substr(1, shape.size() - 2));
  const std::optional<std::string> sizes = sizes_of(shape);
  const bool is_one_number = dtype.empty() && shape.find(',') == std::string_view::npos;
  if (!sizes || is_one_number) return std::string(text);
  const std::string how = dtype.empty() ? std::string() : fmt::format(", dtype=torch.{}", dtype);
  return fmt::format("torch.zeros(({},){})", *sizes, how);
}

}  // namespace

CallInput read_input(std::string_view text) {
  text = trimmed(text);
  const std::size_t equals = text.find('=');
  const bool is_named = equals != std::string_view::npos && equals + 1 < text.size() && text[equals + 1] != '=' &&
                        is_name(trimmed(text.substr(0, equals)));
  if (!is_named) return {{}, expression_of(text)};
  return {std::string(trimmed(text.substr(0, equals))), expression_of(trimmed(text.substr(equals + 1)))};
}

std::vector<std::string> split_inputs(std::string_view line) {
  std::vector<std::string> inputs;
  std::size_t begin = 0;
  char quote = 0;
  for (std::size_t at = 0; at <= line.size(); ++at) {
    const bool is_end = at == line.size();
    if (!is_end && quote != 0) {
      if (line[at] == '\\') {
        ++at;
      } else if (line[at] == quote) {
        quote = 0;
      }
    } else if (is_end || line[at] == ';') {
      const std::string_view one = trimmed(line.substr(begin, at - begin));
      if (!one.empty()) inputs.emplace_back(one);
      begin = at + 1;
    } else if (line[at] == '"' || line[at] == '\'') {
      quote = line[at];
    }
  }
  return inputs;
}

}  // namespace nns::summary
