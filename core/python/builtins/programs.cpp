// Builtin functions about the program itself: print, globals, eval, exec, __build_class__, __import__ …
#include <fmt/format.h>

#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/python/builtins/builtins.h"
#include "core/python/eval/run.h"

namespace nns::python {
namespace {

using object::Str;
using object::Tuple;
using Args = std::span<const Value>;

// The names that a frame sees as its locals: those of a function as a snapshot.
Value locals_of(Machine& machine, const Frame& frame) {
  if (frame.names) return Value(frame.names);
  Interpreter& in = machine.interpreter();
  const Ref<Dict> locals = in.dict();
  const Code& code = *frame.code;
  for (std::size_t i = 0; i < code.locals.size(); ++i) {
    const bool is_hidden = code.locals[i].view().starts_with('.');
    if (!is_hidden && !frame.slots[i].is_absent()) locals->set(code.locals[i], frame.slots[i]);
  }
  for (std::size_t i = 0; i < code.cells.size() + code.free.size(); ++i) {
    const Name name = i < code.cells.size() ? code.cells[i] : code.free[i - code.cells.size()];
    if (!frame.cell(i).value.is_absent()) locals->set(name, frame.cell(i).value);
  }
  return Value(locals);
}

PyResult<std::string_view> separator(Interpreter& in, const Value& given, std::string_view name,
                                     std::string_view otherwise) {
  if (given.is_none()) return otherwise;
  if (const Str* text = given.as<Str>()) return text->view();
  return object::type_error(in, "{} must be None or a string, not {}", name, in.type_of(given).name());
}

PyResult<Value> evaluate(Interpreter& in, Args a, bool is_exec) {
  Machine& machine = Machine::of(in);
  const Frame* frame = machine.frame();
  Ref<Dict> globals(a[1].is_none() ? (frame != nullptr ? frame->globals : nullptr) : a[1].as<Dict>());
  if (!globals) {
    return object::type_error(in, "{}() globals must be a dict, not {}", is_exec ? "exec" : "eval",
                              in.type_of(a[1]).name());
  }
  Ref<Dict> names;
  if (!a[2].is_none()) {
    names = Ref<Dict>(a[2].as<Dict>());
    if (!names) return object::type_error(in, "locals must be a mapping");
  } else if (a[1].is_none() && frame != nullptr) {
    names = Ref<Dict>(locals_of(machine, *frame).as<Dict>());
  } else {
    names = globals;
  }
  if (globals->find(machine.names.dunder_builtins) == nullptr) {
    globals->set(machine.names.dunder_builtins, *machine.modules().find(in.intern("builtins")));
  }
  Ref<Code> code;
  if (a[0].is_object() && &a[0].object()->type() == machine.classes.code) {
    code = Ref<Code>(static_cast<Code*>(a[0].object()));
  } else {
    const Str* text = a[0].as<Str>();
    if (text == nullptr) {
      return object::type_error(in, "{}() arg 1 must be a string, bytes or code object", is_exec ? "exec" : "eval");
    }
    std::string source(text->view());
    if (!is_exec) source.erase(0, source.find_first_not_of(" \t"));
    NNS_TRY_ASSIGN(code, compile_text(machine, "<string>", std::move(source),
                                      is_exec ? CompileMode::Module : CompileMode::Expression));
  }
  NNS_TRY_ASSIGN(Value result, machine.run_module(code, globals, names));
  return is_exec ? Value() : result;
}

}  // namespace

void add_program_functions(Machine& machine) {
  add_builtin(machine, "print(*args, sep=None, end=None, file=None, flush=False)",
              [](Interpreter& in, Args a) -> PyResult<Value> {
                NNS_TRY_ASSIGN(const std::string_view between, separator(in, a[1], "sep", " "));
                NNS_TRY_ASSIGN(const std::string_view end, separator(in, a[2], "end", "\n"));
                std::string line;
                const auto items = a[0].as<Tuple>()->items();
                for (std::size_t i = 0; i < items.size(); ++i) {
                  NNS_TRY_ASSIGN(const std::string text, object::str(in, items[i]));
                  line.append(i > 0 ? between : std::string_view()).append(text);
                }
                line += end;
                Machine& own = Machine::of(in);
                // sys.stdout as the program has it now.
                Value file = a[3];
                if (file.is_none()) {
                  const Value* sys = own.modules().find(in.intern("sys"));
                  const Value* stream =
                      sys == nullptr ? nullptr : sys->object()->instance_dict(true)->find(in.intern("stdout"));
                  if (stream != nullptr) file = *stream;
                }
                if (file.is_none()) {
                  own.streams.out(line);
                  return Value();
                }
                NNS_TRY(in.call_method(file, in.intern("write"), {in.text(line)}));
                NNS_TRY_ASSIGN(const bool flushes, object::truth(in, a[4]));
                if (flushes) NNS_TRY(in.call_method(file, in.intern("flush"), {}));
                return Value();
              });
  add_builtin(machine, "input(prompt='', /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string prompt, object::str(in, a[0]));
    Machine::of(in).streams.out(prompt);
    return object::error<object::ErrorKind::EOFError>(in, "EOF when reading a line");
  });
  add_builtin(machine,
              "open(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None)",
              [](Interpreter& in, Args a) -> PyResult<Value> {
                NNS_TRY_ASSIGN(const Value io, Machine::of(in).import_module("io", 0, nullptr));
                return in.call_method(io, in.intern("open"), a);
              });
  add_builtin(machine, "globals()", [](Interpreter& in, Args) -> PyResult<Value> {
    return Value(static_cast<object::Object*>(Machine::of(in).frame()->globals));
  });
  add_builtin(machine, "locals()", [](Interpreter& in, Args) -> PyResult<Value> {
    Machine& own = Machine::of(in);
    return locals_of(own, *own.frame());
  });
  add_builtin(machine, "vars(object=absent, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    Machine& own = Machine::of(in);
    if (a[0].is_absent()) return locals_of(own, *own.frame());
    NNS_TRY_ASSIGN(Value dict, object::getattr_or_absent(in, a[0], in.names().dunder_dict));
    if (dict.is_absent()) return object::type_error(in, "vars() argument must have __dict__ attribute");
    return dict;
  });
  add_builtin(machine, "eval(source, globals=None, locals=None)",
              [](Interpreter& in, Args a) { return evaluate(in, a, false); });
  add_builtin(machine, "exec(source, globals=None, locals=None)",
              [](Interpreter& in, Args a) { return evaluate(in, a, true); });
  add_builtin(machine, "compile(source, filename, mode, flags=0, dont_inherit=False, optimize=-1)",
              [](Interpreter& in, Args a) -> PyResult<Value> {
                const Str* source = a[0].as<Str>();
                const Str* file = a[1].as<Str>();
                const Str* mode = a[2].as<Str>();
                if (source == nullptr)
                  return object::type_error(in, "compile() arg 1 must be a string, bytes or AST object");
                if (file == nullptr || mode == nullptr)
                  return object::type_error(in, "compile() arg 2 and 3 must be str");
                if (mode->view() != "exec" && mode->view() != "eval" && mode->view() != "single") {
                  return object::value_error(in, "compile() mode must be 'exec', 'eval' or 'single'");
                }
                const CompileMode how = mode->view() == "eval"     ? CompileMode::Expression
                                        : mode->view() == "single" ? CompileMode::Interactive
                                                                   : CompileMode::Module;
                NNS_TRY_ASSIGN(const Ref<Code> code, compile_text(Machine::of(in), std::string(file->view()),
                                                                  std::string(source->view()), how));
                return Value(code);
              });
  add_builtin(machine, "__build_class__(func, name, /, *bases, **kwds)",
              [](Interpreter& in, Args a) -> PyResult<Value> {
                std::vector<Value> positional{a[0], a[1]};
                for (const Value& base : a[2].as<Tuple>()->items()) positional.push_back(base);
                return Machine::of(in).build_class(positional, object::keywords_of(in, *a[3].as<Dict>()));
              });
  add_builtin(machine, "__import__(name, globals=None, locals=None, fromlist=(), level=0)",
              [](Interpreter& in, Args a) -> PyResult<Value> {
                Machine& own = Machine::of(in);
                const Str* name = a[0].as<Str>();
                if (name == nullptr)
                  return object::type_error(in, "__import__() argument 1 must be str, not {}", in.type_of(a[0]).name());
                NNS_TRY_ASSIGN(const std::int64_t level, object::index(in, a[4]));
                NNS_TRY_ASSIGN(const Value innermost,
                               own.import_module(name->view(), static_cast<int>(level), a[1].as<Dict>()));
                NNS_TRY_ASSIGN(const bool wants_innermost, object::truth(in, a[3]));
                if (wants_innermost || level > 0) return innermost;
                return *own.modules().find(name->view().substr(0, name->view().find('.')));
              });
  for (const std::string_view name : {"exit(code=None)", "quit(code=None)"}) {
    add_builtin(machine, name, [](Interpreter& in, Args a) -> PyResult<Value> {
      PyError leave = object::make_error(in, object::ErrorKind::SystemExit, "");
      leave.exception().set_arguments(a[0].is_none() ? in.tuple() : in.tuple({a[0]}));
      return leave;
    });
  }
}

}  // namespace nns::python
