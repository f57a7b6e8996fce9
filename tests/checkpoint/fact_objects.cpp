#include "tests/checkpoint/fact_objects.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nns::checkpoint {

namespace {

using Json = nlohmann::json;

/// A text as Python's repr has it.
std::string quoted(const std::string& text) {
  const char quote = text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      if (c == '\\' || c == quote) out += '\\';
      out += c;
    }
  }
  return out + quote;
}

/// What the file shows for a leaf of the facts: repr of its value.
std::string shown(const Json& object) {
  const Json& value = object["value"];
  const std::string type = object["type"];
  if (type == "device") return fmt::format("torch.device('{}')", value.get<std::string>());
  if (type == "NoneType") return "None";
  if (type == "bool") return value.get<bool>() ? "True" : "False";
  if (type == "str") return quoted(value.get<std::string>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// A path of the facts as names: registries of modules left out, and "<state>" kept where an attribute follows.
std::vector<std::string> names_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<std::string> names;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const std::string& next = at + 1 < parts.size() ? parts[at + 1] : parts[at];
    const bool is_registry = next == "_modules" || next == "_parameters" || next == "_buffers";
    if (parts[at] == "<state>" && is_registry && at + 2 < parts.size()) {
      ++at;
    } else {
      names.push_back(parts[at]);
    }
  }
  return names;
}

/// What the file shows at that path of the facts: a row, or an attribute of a row's object; nothing if it is not there.
/// The items of an attribute are in its text.
std::optional<std::string> shown_at(const Checkpoint& document, const std::string& path) {
  const ModuleTree& tree = document.tree;
  const std::vector<std::string> names = names_of(path);
  std::uint32_t row = 0;
  std::size_t at = 0;
  for (; at < names.size(); ++at) {
    std::uint32_t child = row + 1;
    while (child < tree.end[row] && tree.strings.view(tree.name[child]) != names[at]) child = tree.end[child];
    if (child >= tree.end[row]) break;
    row = child;
  }
  if (at == names.size()) return std::string(tree.strings.view(tree.preview[row]));
  if (names[at] == "<state>") ++at;
  for (const AttributeRow& attribute : document.describe(row).attributes) {
    if (at < names.size() && attribute.name == names[at]) return attribute.text;
  }
  return std::nullopt;
}

}  // namespace

void expect_objects(const Checkpoint& document, const Json& facts) {
  for (const Json& object : facts.value("objects", Json::array())) {
    const std::string path = object["name"];
    const std::string type = object["type"];
    SCOPED_TRACE(fmt::format("{} ({})", path, type));
    if (path.find("<args>") != std::string::npos) continue;
    const auto text = shown_at(document, path);
    if (!text) {
      ADD_FAILURE() << "not found";
    } else if (type == "OrderedDict") {
      EXPECT_THAT(*text, testing::AnyOf("{}", "collections.OrderedDict()"));
    } else if (object.contains("value") && type != "ref") {
      const std::string expected = type == "tuple" && object["value"] == "[]" ? "()" : shown(object);
      EXPECT_THAT(*text, testing::HasSubstr(expected.substr(0, 90)));
    }
  }
}

}  // namespace nns::checkpoint
