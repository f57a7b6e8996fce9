#include "native/cli/bindings_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

#include "core/object/operations.h"
#include "core/python/packages/packages.h"
#include "native/cli/exit_status.h"
#include "native/cli/json_writer.h"
#include "native/cli/program_world.h"
#include "native/cli/terminal.h"

namespace nns::cli {

namespace {

using object::Value;
using Names = std::map<std::string, std::string_view>;  // name -> what it is

bool is_wanted(const BindingsOptions& options, std::string_view module) {
  if (options.modules.empty()) return true;
  return std::any_of(options.modules.begin(), options.modules.end(), [&](const std::string& asked) {
    return module == asked || (module.starts_with(asked) && module.substr(asked.size()).starts_with('.'));
  });
}

std::string_view kind_of(object::Interpreter& in, const Value& value) {
  if (value.is_object() && value.object()->kind() == object::ObjectKind::Class) return "class";
  const std::string_view type = in.type_of(value).name();
  if (type == "module") return "module";
  const Value* call = in.type_of(value).lookup(in.intern("__call__"));
  return call != nullptr ? "function" : "value";
}

// What dir() shows and can be had: a name that only promises something is left out.
object::PyResult<Names> names_of(python::Machine& machine, const Value& module) {
  object::Interpreter& in = machine.interpreter();
  Names names;
  const Value* const list_names = machine.builtins().find(std::string_view("dir"));
  NNS_TRY_ASSIGN(const Value found, in.call(*list_names, {module}));
  for (const Value& one : found.as<object::List>()->items()) {
    const auto* name = one.as<object::Str>();
    if (name == nullptr || name->view().starts_with('_')) continue;
    const object::PyResult<Value> value = object::getattr(in, module, in.intern(name->view()));
    if (value.ok()) names.emplace(name->view(), kind_of(in, value.value()));
  }
  return names;
}

void print_text(const std::string& module, const Names& names) {
  fmt::print("{} ({})\n", module, names.size());
  std::map<std::string_view, std::vector<std::string_view>> by_kind;
  for (const auto& [name, kind] : names) by_kind[kind].push_back(name);
  for (const auto& [kind, members] : by_kind) {
    fmt::print("  {} ({}):", kind, members.size());
    for (const std::string_view name : members) fmt::print(" {}", name);
    fmt::print("\n");
  }
}

}  // namespace

int run_bindings(const BindingsOptions& options) {
  object::Interpreter interpreter;
  python::Machine& machine = python::Machine::of(interpreter);
  RunOptions world;
  world.strict_imports = true;
  open_world(machine, world);
  const auto modules = python::importable_modules(machine);
  if (!modules.ok()) {
    print_error(fmt::format("torch does not load: {}", modules.error().message()));
    return kFound;
  }
  JsonWriter json(stdout);
  if (options.json) json.begin_object();
  int status = kBadInput;
  for (const std::string& module : modules.value()) {
    if (!is_wanted(options, module)) continue;
    if (module.starts_with('_') || module.find("._") != std::string::npos) continue;
    const object::PyResult<Value> loaded = machine.import_module(module, 0, nullptr);
    const auto names = loaded.ok() ? names_of(machine, loaded.value()) : object::PyResult<Names>(loaded.error());
    if (!names.ok()) {
      print_error(fmt::format("{} does not load: {}: {}", module, names.error().type(), names.error().message()));
      status = kFound;
      continue;
    }
    if (status == kBadInput) status = kFine;
    if (!options.json) {
      print_text(module, names.value());
      continue;
    }
    json.key(module);
    json.begin_object();
    for (const auto& [name, kind] : names.value()) {
      json.key(name);
      json.text(kind);
    }
    json.end_object();
    json.newline();
  }
  if (options.json) json.end_object();
  if (status == kBadInput) print_error("no module that can be imported has this name");
  return status;
}

}  // namespace nns::cli
