#include "core/python/eval/console.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "core/object/operations.h"
#include "core/python/eval/run.h"

namespace nns::python {
namespace {

// What can be said of a piece of Python without parsing it.
struct Scan {
  bool is_open = false;  // a bracket, a text in three quotes or a backslash at the end asks for more
  bool ends_with_colon = false;
};

Scan scan(std::string_view text) {
  int brackets = 0;
  char last = 0;  // what the line ends with, without spaces and comments
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
      continue;
    }
    if (c == '"' || c == '\'') {
      const std::string_view triple = text.substr(i, 3);
      const bool is_triple = triple.size() == 3 && triple[1] == c && triple[2] == c;
      std::size_t at = i + (is_triple ? 3 : 1);
      bool is_closed = false;
      for (; at < text.size(); ++at) {
        if (text[at] == '\\') {
          ++at;
        } else if (is_triple ? text.substr(at, 3) == triple : text[at] == c) {
          is_closed = true;
          break;
        } else if (!is_triple && text[at] == '\n') {
          break;
        }
      }
      if (!is_closed && is_triple) return {.is_open = true, .ends_with_colon = false};
      i = at + (is_closed && is_triple ? 2 : 0);
      last = c;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++brackets;
    if (c == ')' || c == ']' || c == '}') --brackets;
    if (c == '\\' && (i + 1 == text.size() || text.substr(i + 1) == "\n"))
      return {.is_open = true, .ends_with_colon = false};
    if (std::isspace(static_cast<unsigned char>(c)) == 0) last = c;
  }
  return {.is_open = brackets > 0, .ends_with_colon = last == ':'};
}

std::string_view first_word(std::string_view text) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const auto end = std::find_if_not(text.begin(), text.end(), is_part);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// Whether lines follow until an empty one.
bool is_block(std::string_view text, const Scan& scanned) {
  constexpr std::array<std::string_view, 8> kOpeners = {"if", "for", "while", "with", "try", "def", "class", "async"};
  return scanned.ends_with_colon || text.starts_with('@') ||
         std::find(kOpeners.begin(), kOpeners.end(), first_word(text)) != kOpeners.end();
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

constexpr std::array<std::string_view, 35> kKeywords = {
    "False",  "None",     "True", "and",    "as",   "assert", "async",  "await",   "break", "class",  "continue", "def",
    "del",    "elif",     "else", "except", "for",  "from",   "global", "finally", "if",    "import", "in",       "is",
    "lambda", "nonlocal", "not",  "or",     "pass", "raise",  "return", "try",     "while", "with",   "yield"};

}  // namespace

Console::Console(Machine& machine, std::string name) : machine_(machine), name_(std::move(name)) {
  const Ref<ModuleObject> module = machine.new_module("__main__");
  globals_ = Ref<Dict>(&module->dict());
  if (const Value* builtins = machine.modules().find(machine.interpreter().intern("builtins"))) {
    globals_->set(machine.names.dunder_builtins, *builtins);
  }
  machine.modules().set(machine.names.dunder_main, Value(module));
}

Console::Outcome Console::push(std::string_view line) {
  const bool is_first = typed_.empty();
  if (is_first && is_blank(line)) return Outcome::Done;
  typed_.append(line).append("\n");
  const Scan scanned = scan(typed_);
  if (scanned.is_open) return Outcome::Incomplete;
  if (is_block(typed_, scanned) && !(is_blank(line) && !is_first)) return Outcome::Incomplete;
  const std::string text = std::exchange(typed_, {});
  const PyResult<Ref<Code>> code = compile_text(machine_, name_, text, CompileMode::Interactive);
  const PyResult<Value> done =
      code.ok() ? machine_.run_module(code.value(), globals_, globals_) : PyResult<Value>(code.error());
  if (done.ok()) return Outcome::Done;
  if (done.error().is(object::ErrorKind::SystemExit)) {
    leaving_ = done.error();
    return Outcome::Exit;
  }
  machine_.streams.error(traceback_text(machine_, done.error()));
  return Outcome::Done;
}

std::size_t completed_from(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0) {
    const auto c = static_cast<unsigned char>(text[begin - 1]);
    if (std::isalnum(c) == 0 && c != '_' && c != '.' && c < 0x80) break;
    --begin;
  }
  return begin;
}

std::vector<std::string> Console::completions(std::string_view text) {
  Interpreter& in = machine_.interpreter();
  const std::string_view word = text.substr(completed_from(text));
  const std::size_t dot = word.rfind('.');
  std::set<std::string> found;
  const auto add = [&](std::string_view before, std::string_view name, std::string_view wanted) {
    // What begins with an underscore is shown to whom asks for it.
    if (!name.starts_with(wanted) || (wanted.empty() && name.starts_with('_'))) return;
    found.insert(std::string(before) + std::string(name));
  };
  if (dot == std::string_view::npos) {
    for (const std::string_view keyword : kKeywords) add("", keyword, word);
    for (const Dict* names :
         {static_cast<const Dict*>(globals_.get()), static_cast<const Dict*>(&machine_.builtins())}) {
      for (const Value& key : names->keys()) {
        if (const auto* name = key.as<object::Str>()) add("", name->view(), word);
      }
    }
    return {found.begin(), found.end()};
  }
  // The value of a.b in a.b.c.
  Value value = Value::absent();
  std::string_view rest = word.substr(0, dot);
  while (true) {
    const std::size_t end = rest.find('.');
    const std::string_view part = rest.substr(0, end);
    if (part.empty()) return {};
    if (value.is_absent()) {
      const Value* known = globals_->find(part);
      if (known == nullptr) known = machine_.builtins().find(part);
      if (known == nullptr) return {};
      value = *known;
    } else {
      const PyResult<Value> next = object::getattr_or_absent(in, value, in.intern(part));
      if (!next.ok() || next.value().is_absent()) return {};
      value = next.value();
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  const Value* list_names = machine_.builtins().find(std::string_view("dir"));
  if (list_names == nullptr) return {};
  const PyResult<Value> names = in.call(*list_names, {value});
  if (!names.ok()) return {};
  const std::string before(word.substr(0, dot + 1));
  if (const auto* list = names.value().as<object::List>()) {
    for (const Value& one : list->items()) {
      if (const auto* name = one.as<object::Str>()) add(before, name->view(), word.substr(dot + 1));
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace nns::python
