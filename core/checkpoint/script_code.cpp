#include "core/checkpoint/script_code.h"

#include <fmt/format.h>

#include <algorithm>

namespace nns::checkpoint {

namespace {

bool starts_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\r')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

/// Takes the first line off.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// The names in ["weight", "bias", ].
void read_names(std::string_view list, std::vector<std::string_view>& names) {
  while (true) {
    const std::size_t begin = list.find('"');
    if (begin == std::string_view::npos) return;
    list.remove_prefix(begin + 1);
    const std::size_t end = list.find('"');
    if (end == std::string_view::npos) return;
    names.push_back(list.substr(0, end));
    list.remove_prefix(end + 1);
  }
}

/// `self.name = (state)[index]`: whether the line ends so, for `index`.
bool ends_with_state(std::string_view line, const std::string& entry) {
  return line.size() >= entry.size() && line.substr(line.size() - entry.size()) == entry;
}

}  // namespace

bool ScriptClass::is_parameter(std::string_view name) const {
  return std::binary_search(parameters.begin(), parameters.end(), name);
}

bool ScriptClass::is_buffer(std::string_view name) const {
  if (lists_buffers) return std::binary_search(buffers.begin(), buffers.end(), name);
  return name == "running_mean" || name == "running_var" || name == "num_batches_tracked";
}

std::string_view ScriptClass::type_of(std::string_view name) const {
  const auto found = std::lower_bound(attributes.begin(), attributes.end(), name,
                                      [](const ScriptAttribute& a, std::string_view b) { return a.name < b; });
  return found != attributes.end() && found->name == name ? found->type : std::string_view();
}

const ScriptMethod* ScriptClass::find_method(std::string_view name) const {
  for (const ScriptMethod& method : methods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

std::string_view ScriptClass::name_of_state(std::size_t index) const {
  const ScriptMethod* method = find_method("__setstate__");
  constexpr std::size_t kMostEntries = 64;
  constexpr std::size_t kMostText = 16U << 10U;
  if (method == nullptr || index >= kMostEntries || method->text.size() > kMostText) return {};
  const std::string entry = fmt::format("(state)[{}]", index);
  std::string_view rest = method->text;
  while (!rest.empty()) {
    const std::string_view line = trim(take_line(rest));
    if (starts_with(line, "self.") && ends_with_state(line, " = " + entry)) {
      return trim(line.substr(5, line.size() - 5 - entry.size() - 3));
    }
    const std::size_t call = line.find("set_weight_bias(");
    if (call == std::string_view::npos) continue;
    const std::string_view arguments = line.substr(call + 16);
    if (starts_with(arguments, entry)) return "weight";
    const std::size_t comma = arguments.find(", ");
    if (comma != std::string_view::npos && starts_with(arguments.substr(comma + 2), entry)) return "bias";
  }
  return {};
}

void ScriptCode::add(std::string file, std::string_view module, std::string text) {
  size_ += text.size();
  files_.push_back(std::make_unique<File>(File{std::move(file), std::move(text)}));
  const File& added = *files_.back();
  // A class goes on until the next line that is not indented.
  std::string_view rest = added.text;
  while (!rest.empty()) {
    const std::string_view from = rest;
    if (!starts_with(take_line(rest), "class ")) continue;
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\n' || rest.front() == '\r')) take_line(rest);
    read_class(added, module, from.substr(0, from.size() - rest.size()));
  }
}

void ScriptCode::read_class(const File& file, std::string_view module, std::string_view text) {
  ScriptClass made;
  made.file = file.name;
  made.text = text;
  std::string_view rest = text;
  // class Name(Base):
  std::string_view head = take_line(rest).substr(6);
  const std::size_t end_of_name = head.find_first_of("(:");
  const std::string_view name = trim(head.substr(0, end_of_name));
  if (end_of_name != std::string_view::npos && head[end_of_name] == '(') {
    head.remove_prefix(end_of_name + 1);
    made.base = trim(head.substr(0, head.find(')')));
  }
  while (!rest.empty()) {
    const std::string_view from = rest;
    const std::string_view line = take_line(rest);
    if (line.size() < 3 || line.substr(0, 2) != "  " || line[2] == ' ') continue;
    // What is deeper belongs to this member.
    while (!rest.empty() && (starts_with(rest, "   ") || rest.front() == '\n')) take_line(rest);
    const std::string_view member = trim(line);
    if (starts_with(member, "def ")) {
      const std::string_view signature = member.substr(4);
      made.methods.push_back({signature.substr(0, signature.find('(')), from.substr(0, from.size() - rest.size())});
    } else if (starts_with(member, "__parameters__ =")) {
      read_names(member.substr(16), made.parameters);
    } else if (starts_with(member, "__buffers__ =")) {
      made.lists_buffers = true;
      read_names(member.substr(13), made.buffers);
    } else if (starts_with(member, "__annotations__[\"")) {
      const std::size_t end = member.find('"', 17);
      const std::size_t equals = member.find(" = ", 17);
      if (end != std::string_view::npos && equals != std::string_view::npos)
        made.attributes.push_back({member.substr(17, end - 17), trim(member.substr(equals + 3))});
    } else if (const std::size_t colon = member.find(" : "); colon != std::string_view::npos) {
      std::string_view type = member.substr(colon + 3);
      type = type.substr(0, type.find(" = "));
      made.attributes.push_back({trim(member.substr(0, colon)), trim(type)});
    }
  }
  std::sort(made.parameters.begin(), made.parameters.end());
  std::sort(made.buffers.begin(), made.buffers.end());
  std::stable_sort(made.attributes.begin(), made.attributes.end(),
                   [](const ScriptAttribute& a, const ScriptAttribute& b) { return a.name < b.name; });
  classes_.emplace(fmt::format("{}.{}", module, name), std::move(made));
}

const ScriptClass* ScriptCode::find(const std::string& name) const {
  const auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : &found->second;
}

std::string python_class_name(std::string_view name) {
  if (!starts_with(name, "__torch__.")) return std::string(name);
  std::string plain;
  name.remove_prefix(10);
  while (!name.empty()) {
    const std::size_t dot = name.find('.');
    const std::string_view part = name.substr(0, dot);
    name.remove_prefix(dot == std::string_view::npos ? name.size() : dot + 1);
    if (starts_with(part, "___torch_mangle_")) continue;
    if (!plain.empty()) plain += '.';
    plain += part;
  }
  return plain;
}

}  // namespace nns::checkpoint
