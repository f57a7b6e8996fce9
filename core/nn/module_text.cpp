#include "core/nn/module_text.h"

#include <fmt/format.h>

#include "core/object/operations.h"

namespace nns::nn {

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

// Behaviour: torch/nn/modules/module.py and container.py, _addindent.
std::string add_indent(std::string_view text, bool indent_blank_lines) {
  if (text.find('\n') == std::string_view::npos) return std::string(text);
  std::string out;
  bool first = true;
  for (const std::string& line : split_lines(text)) {
    const bool blank = line.find_first_not_of(" \t") == std::string::npos;
    if (!first) out += '\n';
    if (!first && (!blank || indent_blank_lines)) out += "  ";
    if (first || !blank || indent_blank_lines) out += line;
    first = false;
  }
  return out;
}

std::string framed(std::string_view name, const std::vector<std::string>& lines) {
  std::string out = fmt::format("{}(", name);
  if (!lines.empty()) out += fmt::format("\n  {}\n", fmt::join(lines, "\n  "));
  out += ")";
  return out;
}

PyResult<std::string> shown_name(Module& module) {
  Interpreter& in = module.interpreter();
  const NnLibrary& library = NnLibrary::of(in);
  if (library.is_modules_own(module.type(), library.names.get_name)) return std::string(module.type().name());
  NNS_TRY_ASSIGN(const Value name, in.call_method(Value(&module), library.names.get_name));
  return object::str(in, name);
}

// Behaviour: Module.__repr__.
PyResult<std::string> module_text(Module& module) {
  Interpreter& in = module.interpreter();
  const NnLibrary& library = NnLibrary::of(in);
  std::vector<std::string> lines;
  if (!library.is_modules_own(module.type(), library.names.extra_repr)) {
    NNS_TRY_ASSIGN(const Value extra_value, in.call_method(Value(&module), library.names.extra_repr));
    NNS_TRY_ASSIGN(const std::string extra, object::str(in, extra_value));
    if (!extra.empty()) lines = split_lines(extra);
  }
  const std::size_t extra_lines = lines.size();
  if (!module.has_registry(Registry::Modules)) NNS_TRY(module.required_registry(Registry::Modules));
  if (Dict* children = module.filled_registry(Registry::Modules)) {
    for (std::size_t at = 0; Dict::Entry* entry = children->next(at);) {
      const Value key = entry->key, child = entry->value;
      NNS_TRY_ASSIGN(const std::string text, object::repr(in, child));
      NNS_TRY_ASSIGN(const std::string name, object::str(in, key));
      lines.push_back(fmt::format("({}): {}", name, add_indent(text, false)));
    }
  }
  NNS_TRY_ASSIGN(const std::string name, shown_name(module));
  if (extra_lines == 1 && lines.size() == 1) return fmt::format("{}({})", name, lines[0]);
  return framed(name, lines);
}

PyResult<std::string> Module::text() { return object::repr(interpreter(), Value(this)); }

}  // namespace nns::nn
