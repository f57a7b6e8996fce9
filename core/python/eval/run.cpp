#include "core/python/eval/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/python/syntax/packed_tree.h"

namespace nns::python {
namespace {

PyError syntax_error(Machine& machine, const Source& source, const SyntaxError& error) {
  Interpreter& in = machine.interpreter();
  const std::uint32_t line = source.line_of(error.span.begin);
  const bool is_indentation = error.message.starts_with("expected an indented block") ||
                              error.message == "unexpected indent" || error.message.starts_with("unindent does not");
  PyError made =
      object::make_error(in, is_indentation ? object::ErrorKind::IndentationError : object::ErrorKind::SyntaxError,
                         fmt::format("{} ({}, line {})", error.message, source.name(), line));
  Dict& attributes = *made.exception().instance_dict(true);
  attributes.set(in.intern("msg"), in.text(error.message));
  attributes.set(in.intern("filename"), in.text(source.name()));
  attributes.set(in.intern("lineno"), Value(line));
  attributes.set(in.intern("offset"), Value(source.column_of(error.span.begin) + 1));
  attributes.set(in.intern("text"), in.text(source.line(line)));
  attributes.set(in.intern("end_lineno"), Value(source.line_of(error.span.end)));
  attributes.set(in.intern("end_offset"), Value(source.column_of(error.span.end) + 1));
  return made;
}

PyResult<Ref<Code>> compile_tree(Machine& machine, const std::shared_ptr<const Tree>& tree, CompileMode mode) {
  Compiled compiled = compile(machine.interpreter(), tree, mode);
  if (const SyntaxError* error = std::get_if<SyntaxError>(&compiled)) {
    return syntax_error(machine, tree->source(), *error);
  }
  return std::get<Ref<Code>>(std::move(compiled));
}

// The code of a module: from its packed tree, or parsed where there is none.
PyResult<Ref<Code>> compile_module(Machine& machine, const ModuleSource& source) {
  if (!source.packed_tree.empty()) {
    const auto tree = unpack_tree(Source(source.file, source.text), source.packed_tree);
    if (tree != nullptr) return compile_tree(machine, tree, CompileMode::Module);
  }
  return compile_text(machine, source.file, source.text);
}

}  // namespace

PyResult<Ref<Code>> compile_text(Machine& machine, std::string name, std::string text, CompileMode mode) {
  const Parsed parsed = parse(std::move(name), std::move(text),
                              mode == CompileMode::Expression ? ParseMode::Expression : ParseMode::Statements);
  if (parsed.error) return syntax_error(machine, parsed.tree->source(), *parsed.error);
  return compile_tree(machine, parsed.tree, mode);
}

Ref<Dict> new_main_module(Machine& machine, std::string_view called) {
  Interpreter& in = machine.interpreter();
  const Ref<ModuleObject> module = machine.new_module(called);
  Ref<Dict> globals(&module->dict());
  if (const Value* builtins = machine.modules().find(in.intern("builtins"))) {
    globals->set(machine.names.dunder_builtins, *builtins);
  }
  machine.modules().set(in.intern(called), Value(module));
  machine.modules().set(machine.names.dunder_main, Value(module));
  return globals;
}

PyResult<Value> run_program(Machine& machine, std::string name, std::string text, std::string_view file,
                            std::string_view called) {
  const Ref<Dict> globals = new_main_module(machine, called);
  globals->set(machine.names.dunder_file, machine.interpreter().text(file.empty() ? std::string_view(name) : file));
  NNS_TRY_ASSIGN(const Ref<Code> code, compile_text(machine, name, std::move(text)));
  machine.sources[std::move(name)] = code->tree;
  return machine.run_module(code, globals, globals);
}

void end_program(Machine& machine) {
  Interpreter& in = machine.interpreter();
  // Only modules that the program has loaded have anything to end.
  for (const auto& [module_name, function] :
       {std::pair("threading", "_shutdown"), std::pair("atexit", "_run_exitfuncs")}) {
    const Value* module = machine.modules().find(in.intern(module_name));
    if (module == nullptr || module->as<ModuleObject>() == nullptr) continue;
    const PyResult<Value> done = in.call_method(*module, in.intern(function), {});
    if (!done.ok()) machine.streams.error(traceback_text(machine, done.error()));
  }
  const PyResult<void> told = machine.pass_on_warnings();
  if (!told.ok()) machine.streams.error(traceback_text(machine, told.error()));
}

// Behaviour: CPython Python/pylifecycle.c, finalize_modules.
void drop_program(Machine& machine) {
  Interpreter& in = machine.interpreter();
  in.finalizers().run();
  if (!in.collector().has_finalizers()) return;
  std::vector<Value> dropped;
  std::size_t at = 0;
  while (const Dict::Entry* entry = machine.modules().next(at)) {
    auto* const module = entry->value.as<ModuleObject>();
    const Value* const file = module == nullptr ? nullptr : module->dict().find(machine.names.dunder_file);
    const auto* const path = file == nullptr ? nullptr : file->as<object::Str>();
    // What comes with nnscope stands in files like "<torch.nn>".
    if (path != nullptr && !path->view().starts_with('<')) dropped.push_back(entry->key);
  }
  for (const Value& name : dropped) machine.modules().erase(name);
  in.finalizers().run();
  in.collector().collect();
}

PyResult<Value> load_module(Machine& machine, ModuleSource source) {
  Interpreter& in = machine.interpreter();
  const Ref<ModuleObject> module = machine.new_module(source.name);
  Ref<Dict> globals(&module->dict());
  globals->set(machine.names.dunder_file, in.text(source.file));
  if (const Value* builtins = machine.modules().find(in.intern("builtins"))) {
    globals->set(machine.names.dunder_builtins, *builtins);
  }
  const std::size_t dot = source.name.rfind('.');
  const std::string_view parent = dot == std::string_view::npos ? std::string_view() : source.name.substr(0, dot);
  globals->set(machine.names.dunder_package, in.text(source.is_package ? source.name : parent));
  if (source.is_package) {
    // Of an embedded package nothing lies in a folder; a program may name one.
    std::vector<Value> folders;
    if (!source.file.starts_with('<')) folders.push_back(in.text(source.file.substr(0, source.file.rfind('/'))));
    globals->set(machine.names.dunder_path, Value(in.list(std::move(folders))));
  }
  const Name name = in.intern(source.name);
  machine.modules().set(name, Value(module));
  PyResult<Ref<Code>> code = compile_module(machine, source);
  if (code.ok()) machine.sources[std::move(source.file)] = (*code)->tree;
  PyResult<Value> done = code.ok() ? machine.run_module(*code, globals, globals) : PyResult<Value>(code.error());
  if (done.ok()) return Value(module);
  machine.modules().erase(name);
  return done;
}

void add_embedded_modules(Machine& machine, Machine::FinderOrder order, std::vector<EmbeddedModule> modules) {
  machine.add_finder(order, [&machine, modules = std::move(modules)](std::string_view name) -> PyResult<Value> {
    for (const EmbeddedModule& module : modules) {
      if (module.name != name) continue;
      return load_module(
          machine, {name, module.is_package, fmt::format("<{}>", name), std::string(module.text), module.packed_tree});
    }
    return Value::absent();
  });
}

namespace {

/// The place and the words of a SyntaxError; empty if it tells no place.
/// Behaviour: CPython Lib/traceback.py, TracebackException._format_syntax_error.
std::string syntax_error_text(Interpreter& in, object::Exception& exception) {
  Dict& own = *exception.instance_dict(true);
  const auto text_at = [&](std::string_view name) {
    const Value* value = own.find(in.intern(name));
    const auto* text = value == nullptr ? nullptr : value->as<object::Str>();
    return text == nullptr ? std::string_view() : text->view();
  };
  const auto number_at = [&](std::string_view name) {
    const Value* value = own.find(in.intern(name));
    return value != nullptr && value->is_int() ? value->as_int() : 0;
  };
  const std::int64_t line = number_at("lineno");
  if (!exception.type().is_subclass_of(in.builtins().exception(object::ErrorKind::SyntaxError)) || line == 0) return {};
  const std::string_view file = text_at("filename");
  std::string told = fmt::format("  File \"{}\", line {}\n", file.empty() ? "<string>" : file, line);
  std::string_view shown = text_at("text");
  while (shown.ends_with('\n')) shown.remove_suffix(1);
  const auto indent = static_cast<std::int64_t>(std::min(shown.find_first_not_of(" \n\f"), shown.size()));
  shown.remove_prefix(static_cast<std::size_t>(indent));
  if (!shown.empty()) {
    told += fmt::format("    {}\n", shown);
    const std::int64_t from = number_at("offset") - 1 - indent;
    const bool is_one_line = number_at("end_lineno") == line;
    const std::int64_t end =
        is_one_line ? number_at("end_offset") - 1 - indent : static_cast<std::int64_t>(shown.size());
    if (from >= 0) {
      const auto width = static_cast<std::size_t>(std::max<std::int64_t>(1, end - from));
      told += fmt::format("    {}{}\n", std::string(static_cast<std::size_t>(from), ' '), std::string(width, '^'));
    }
  }
  const std::string_view message = text_at("msg");
  return told + fmt::format("{}: {}\n", exception.type().name(), message.empty() ? "<no detail available>" : message);
}

/// The same text where groups of exceptions are in it, whose form is said in Python.
PyResult<std::string> group_text(Machine& machine, const PyError& error) {
  Interpreter& in = machine.interpreter();
  NNS_TRY_ASSIGN(const Value module, machine.import_module("traceback", 0, nullptr));
  NNS_TRY_ASSIGN(const Value lines, in.call_method(module, in.intern("format_exception"), {Value(&error.exception())}));
  NNS_TRY_ASSIGN(const std::vector<Value> all, object::to_vector(in, lines));
  std::string text;
  for (const Value& line : all) {
    if (const auto* shown = line.as<object::Str>()) text += shown->view();
  }
  return text;
}

}  // namespace

std::string traceback_text(Machine& machine, const PyError& error) {
  Interpreter& in = machine.interpreter();
  // The chain of causes, the oldest first.
  struct Link {
    object::Exception* exception;
    bool is_cause;
  };
  std::vector<Link> chain{{&error.exception(), false}};
  while (chain.size() < 100) {
    object::Exception& last = *chain.back().exception;
    auto* cause = last.cause().as<object::Exception>();
    auto* context = last.suppress_context() ? nullptr : last.context().as<object::Exception>();
    object::Exception* next = cause != nullptr ? cause : context;
    const bool is_known =
        std::any_of(chain.begin(), chain.end(), [&](const Link& one) { return one.exception == next; });
    if (next == nullptr || is_known) break;
    chain.back().is_cause = cause != nullptr;
    chain.push_back({next, false});
  }
  const Class& group = in.builtins().exception(object::ErrorKind::BaseExceptionGroup);
  if (std::any_of(chain.begin(), chain.end(),
                  [&](const Link& one) { return one.exception->type().is_subclass_of(group); })) {
    const PyResult<std::string> told = group_text(machine, error);
    if (told.ok()) return told.value();
  }
  std::string text;
  for (std::size_t i = chain.size(); i-- > 0;) {
    object::Exception& exception = *chain[i].exception;
    if (exception.traceback().is_object()) text += "Traceback (most recent call last):\n";
    for (const Traceback* at = exception.traceback().as<Traceback>(); at != nullptr; at = at->next.as<Traceback>()) {
      const Source& source = at->code->tree->source();
      const Span span = at->code->spans[at->instruction];
      const std::uint32_t line = source.line_of(span.begin);
      text += fmt::format("  File \"{}\", line {}, in {}\n", source.name(), line, at->code->name);
      const std::string_view whole = source.line(line);
      const std::size_t indent = std::min(whole.find_first_not_of(" \t"), whole.size());
      const std::string_view shown = whole.substr(indent);
      if (shown.empty()) continue;
      text += fmt::format("    {}\n", shown);
      // Carets where the place is a part of the line.
      const std::size_t from = source.column_of(span.begin);
      const std::size_t to = source.line_of(span.end) == line ? source.column_of(span.end) : whole.size();
      if (from >= indent && to > from && (from > indent || to < whole.size())) {
        text += fmt::format("    {}{}\n", std::string(from - indent, ' '), std::string(to - from, '^'));
      }
    }
    const PyError one{Ref<object::Exception>(&exception)};
    const std::string message = one.message();
    const std::string name =
        exception.type().module() == "__main__" ? std::string(exception.type().name()) : exception.type().full_name();
    const std::string syntax = syntax_error_text(in, exception);
    text += !syntax.empty()   ? syntax
            : message.empty() ? fmt::format("{}\n", name)
                              : fmt::format("{}: {}\n", name, message);
    if (const Value* notes = exception.instance_dict(true)->find(in.intern("__notes__"))) {
      if (const auto* list = notes->as<object::List>()) {
        for (const Value& note : list->items()) {
          const PyResult<std::string> shown = object::str(in, note);
          if (shown.ok()) text += fmt::format("{}\n", shown.value());
        }
      }
    }
    if (i > 0) {
      text += chain[i - 1].is_cause ? "\nThe above exception was the direct cause of the following exception:\n\n"
                                    : "\nDuring handling of the above exception, another exception occurred:\n\n";
    }
  }
  return text;
}

}  // namespace nns::python
