// What programs see of functions, generators, modules, super objects and exceptions.
#include "core/python/eval/attributes.h"

#include <fmt/format.h>

#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/python/eval/coroutines.h"

namespace nns::python {

using object::NativeFunction;
using object::Str;
using object::Tuple;

namespace {

bool is_in_torch(Interpreter& in, const ops::PythonFunction& function) {
  const Value* found = ops::python_module(in, "torch").find(function.name());
  return found != nullptr && found->object() == &function;
}

using Args = std::span<const Value>;

// A getter for functions of programs, with another for those of ours.
template <class Own, class Native>
PyResult<Value> of_function(const Value& self, Own own, Native native) {
  if (Function* function = as_function(self)) return own(*function);
  return native();
}

PyResult<void> read_only(Interpreter& in, std::string_view what) {
  return object::attribute_error(in, "attribute '{}' of 'function' objects is not writable", what);
}

PyResult<Str*> text_of(Interpreter& in, const Value& value, std::string_view attribute) {
  if (Str* text = value.as<Str>()) return text;
  return object::type_error(in, "{} must be set to a string object", attribute);
}

}  // namespace

PyResult<Value> annotations_of(Machine& machine, const Value& owner) {
  Interpreter& in = machine.interpreter();
  if (Function* function = as_function(owner)) {
    if (!function->annotations.is_none()) return function->annotations;
    if (function->annotate.is_none()) {
      function->annotations = Value(in.dict());
    } else {
      NNS_TRY_ASSIGN(function->annotations, in.call(function->annotate, std::initializer_list<Value>{}));
    }
    return function->annotations;
  }
  // Of a class, its own only: those of its bases are theirs.
  Dict* dict = owner.as<Class>() != nullptr ? &owner.as<Class>()->attributes_for_reading()
               : owner.is_object()          ? owner.object()->instance_dict(true)
                                            : nullptr;
  if (dict == nullptr) return Value(in.dict());
  if (const Value* known = dict->find(machine.names.dunder_annotations)) return *known;
  const Value* annotate = dict->find(machine.names.dunder_annotate);
  if (annotate == nullptr || annotate->is_none()) return Value(in.dict());
  const Value keep = *annotate;
  NNS_TRY_ASSIGN(Value made, in.call(keep, std::initializer_list<Value>{}));
  if (Class* cls = owner.as<Class>())
    cls->set_attribute(machine.names.dunder_annotations, made);
  else
    dict->set(machine.names.dunder_annotations, made);
  return made;
}

void add_function_attributes(Machine& machine) {
  Class& cls = *machine.interpreter().builtins().function;
  cls.def("__repr__(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const Function* const function = as_function(a[0]);
    if (function == nullptr) {
      NNS_TRY_ASSIGN(const std::string text, object::default_repr(in, a[0]));
      return in.text(text);
    }
    return in.text(fmt::format("<function {} at {}>", function->qualified_name(), fmt::ptr(function)));
  });
  cls.property(
      "__name__",
      [](Interpreter& in, const Value& self) -> PyResult<Value> {
        return of_function(
            self, [&](Function& function) -> PyResult<Value> { return in.text(function.name()); },
            [&]() -> PyResult<Value> { return in.text(self.as<NativeFunction>()->name()); });
      },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        Function* function = as_function(self);
        if (function == nullptr) return read_only(in, "__name__");
        NNS_TRY_ASSIGN(Str* const text, text_of(in, value, "__name__"));
        function->rename(text->view());
        return {};
      });
  cls.property(
      "__qualname__",
      [](Interpreter& in, const Value& self) -> PyResult<Value> {
        return of_function(
            self, [&](Function& function) -> PyResult<Value> { return in.text(function.qualified_name()); },
            [&]() -> PyResult<Value> { return in.text(self.as<NativeFunction>()->qualified_name()); });
      },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        Function* function = as_function(self);
        if (function == nullptr) return read_only(in, "__qualname__");
        NNS_TRY_ASSIGN(Str* const text, text_of(in, value, "__qualname__"));
        function->set_qualified_name(text->view());
        return {};
      });
  cls.property(
      "__doc__",
      [](Interpreter&, const Value& self) -> PyResult<Value> {
        Function* function = as_function(self);
        return function == nullptr ? Value() : function->doc;
      },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        Function* function = as_function(self);
        if (function == nullptr) return read_only(in, "__doc__");
        function->doc = value.is_absent() ? Value() : value;
        return {};
      });
  cls.property(
      "__defaults__",
      [](Interpreter&, const Value& self) -> PyResult<Value> {
        Function* function = as_function(self);
        return function == nullptr ? Value() : function->defaults();
      },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        Function* function = as_function(self);
        if (function == nullptr) return read_only(in, "__defaults__");
        if (!value.is_absent() && !value.is_none() && value.as<Tuple>() == nullptr) {
          return object::type_error(in, "__defaults__ must be set to a tuple object");
        }
        function->set_defaults(value.is_absent() ? Value() : value, function->keyword_defaults());
        return {};
      });
  cls.property(
      "__kwdefaults__",
      [](Interpreter&, const Value& self) -> PyResult<Value> {
        Function* function = as_function(self);
        return function == nullptr ? Value() : function->keyword_defaults();
      },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        Function* function = as_function(self);
        if (function == nullptr) return read_only(in, "__kwdefaults__");
        if (!value.is_absent() && !value.is_none() && value.as<Dict>() == nullptr) {
          return object::type_error(in, "__kwdefaults__ must be set to a dict object");
        }
        function->set_defaults(function->defaults(), value.is_absent() ? Value() : value);
        return {};
      });
  cls.property("__globals__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    Function* function = as_function(self);
    if (function == nullptr)
      return object::attribute_error(in, "'builtin_function_or_method' object has no attribute '__globals__'");
    return Value(&function->globals());
  });
  cls.property("__code__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    Function* function = as_function(self);
    if (function == nullptr)
      return object::attribute_error(in, "'builtin_function_or_method' object has no attribute '__code__'");
    return Value(function->code_reference());
  });
  cls.property("__closure__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    Function* function = as_function(self);
    if (function == nullptr || function->closure.empty()) return Value();
    std::vector<Value> cells;
    for (const Ref<Cell>& cell : function->closure) cells.emplace_back(cell);
    return Value(in.tuple(std::move(cells)));
  });
  cls.property(
      "__annotations__",
      [](Interpreter& in, const Value& self) -> PyResult<Value> { return annotations_of(Machine::of(in), self); },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        Function* function = as_function(self);
        if (function == nullptr) return read_only(in, "__annotations__");
        function->annotations = value.is_absent() ? Value() : value;
        return {};
      });
  machine.interpreter().builtins().type->property(
      "__annotations__",
      [](Interpreter& in, const Value& self) -> PyResult<Value> { return annotations_of(Machine::of(in), self); },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        Class& own = *self.as<Class>();
        const Name name = Machine::of(in).names.dunder_annotations;
        if (value.is_absent())
          own.delete_attribute(name);
        else
          own.set_attribute(name, value);
        return {};
      });
  machine.classes.cell->property(
      "cell_contents",
      [](Interpreter& in, const Value& self) -> PyResult<Value> {
        const Value& value = static_cast<Cell&>(*self.object()).value;
        if (value.is_absent()) return object::value_error(in, "cell is empty");
        return value;
      },
      [](Interpreter&, const Value& self, const Value& value) -> PyResult<void> {
        static_cast<Cell&>(*self.object()).value = value;
        return {};
      });
  Class& code = *machine.classes.code;
  code.def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const auto& own = static_cast<const Code&>(*a[0].object());
    return in.text(fmt::format("<code object {} at {}, file \"{}\", line {}>", own.name, fmt::ptr(&own),
                               own.tree->source().name(), own.first_line()));
  });
  machine.interpreter().builtins().method->def_static(
      "__new__(cls, function, instance)", [](Interpreter& in, Args a) -> PyResult<Value> {
        if (!a[1].is_object()) return object::type_error(in, "first argument must be callable");
        if (a[2].is_none()) return object::type_error(in, "instance must not be None");
        return Value(object::make<object::BoundMethod>(in, a[2], a[1]));
      });
  machine.interpreter().builtins().method->property(
      "__doc__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
        const auto* method = self.as<object::BoundMethod>();
        return method == nullptr ? Value() : object::getattr(in, method->function(), in.names().dunder_doc);
      });
  // Functions of ours that programs see as such.
  Class& builtin = *machine.interpreter().builtins().builtin_function;
  builtin.property("__name__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    if (const auto* function = self.as<NativeFunction>()) return in.text(function->name());
    const auto* op = self.as<ops::PythonFunction>();
    return op == nullptr ? Value() : in.text(op->name());
  });
  // Behaviour: torch._C._VariableFunctions and torch._C._nn, whose functions torch and torch.nn.functional show.
  builtin.property("__qualname__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    if (const auto* function = self.as<NativeFunction>()) return in.text(function->qualified_name());
    const auto* op = self.as<ops::PythonFunction>();
    if (op == nullptr) return Value();
    if (op->is_method()) return in.text(fmt::format("TensorBase.{}", op->name()));
    return in.text(is_in_torch(in, *op) ? fmt::format("_VariableFunctionsClass.{}", op->name())
                                        : std::string(op->name()));
  });
  builtin.def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const auto* op = a[0].as<ops::PythonFunction>();
    if (op == nullptr) {
      NNS_TRY_ASSIGN(const std::string text, object::default_repr(in, a[0]));
      return in.text(text);
    }
    if (op->is_method()) return in.text(fmt::format("<method '{}' of 'torch._C.TensorBase' objects>", op->name()));
    return in.text(is_in_torch(in, *op)
                       ? fmt::format("<built-in method {} of type object at {}>", op->name(), fmt::ptr(op))
                       : fmt::format("<built-in function {}>", op->name()));
  });
  machine.interpreter().builtins().method->def("__init__(self, *args)",
                                               [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  code.property("co_name", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return in.text(static_cast<Code&>(*self.object()).name);
  });
  code.property("co_qualname", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return in.text(static_cast<Code&>(*self.object()).qualified_name);
  });
  code.property("co_filename", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return in.text(static_cast<Code&>(*self.object()).tree->source().name());
  });
  code.property("co_firstlineno", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<Code&>(*self.object()).first_line());
  });
  code.property("co_argcount", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<Code&>(*self.object()).positional_count);
  });
  code.property("co_posonlyargcount", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<Code&>(*self.object()).positional_only_count);
  });
  code.property("co_kwonlyargcount", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<Code&>(*self.object()).keyword_only_count);
  });
  code.property("co_flags", [](Interpreter&, const Value& self) -> PyResult<Value> {
    // CO_VARARGS, CO_VARKEYWORDS, CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR.
    const auto& of = static_cast<Code&>(*self.object());
    const int runs = !of.is_generator ? 0 : !of.is_async ? 0x20 : of.has_yield ? 0x200 : 0x80;
    return Value((of.has_var_positional ? 4 : 0) | (of.has_var_keyword ? 8 : 0) | runs);
  });
  code.property("co_freevars", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    std::vector<Value> all;
    for (const Name name : static_cast<Code&>(*self.object()).free) all.push_back(name.value());
    return Value(in.tuple(std::move(all)));
  });
  code.property("co_varnames", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    std::vector<Value> all;
    for (const Name name : static_cast<Code&>(*self.object()).locals) all.push_back(name.value());
    return Value(in.tuple(std::move(all)));
  });
}

namespace {

// Of generators, and of what runs a coroutine, which programs see as the iterator that __await__ gives.
void add_iteration(Class& cls) {
  cls.def("__iter__(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls.def("__next__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    auto& generator = static_cast<Generator&>(*a[0].object());
    NNS_TRY_ASSIGN(Value item, generator.next());
    if (item.is_absent()) return end_with(in, generator.result());
    return item;
  });
  cls.def("send(self, value)", [](Interpreter& in, Args a) -> PyResult<Value> {
    auto& generator = static_cast<Generator&>(*a[0].object());
    NNS_TRY_ASSIGN(Value item, generator.send(a[1]));
    if (item.is_absent()) return end_with(in, generator.result());
    return item;
  });
  cls.def("throw(self, type, value=None, traceback=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    auto& generator = static_cast<Generator&>(*a[0].object());
    NNS_TRY_ASSIGN(Ref<object::Exception> error, thrown_of(in, a));
    NNS_TRY_ASSIGN(Value item, generator.raise(PyError(std::move(error))));
    if (item.is_absent()) return end_with(in, generator.result());
    return item;
  });
  cls.def("close(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(static_cast<Generator&>(*a[0].object()).close());
    return Value();
  });
  cls.def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return in.text(fmt::format("<{} object {} at {}>", a[0].object()->type().name(),
                               static_cast<Generator&>(*a[0].object()).name(),
                               static_cast<const void*>(a[0].object())));
  });
}

}  // namespace

void add_generator_methods(Machine& machine) {
  static constexpr auto kItself = [](const Value& self) -> const Generator& {
    return static_cast<const Generator&>(*self.object());
  };
  add_generator_names<kItself>(*machine.classes.generator);
  add_iteration(*machine.classes.generator);
  add_iteration(*machine.classes.coroutine_body);
  machine.classes.generator->property("gi_running", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<Generator&>(*self.object()).is_running());
  });
  // Iterators of C++ that are generators in PyTorch, such as those of Module.parameters(), pass for ones.
  Class& native = *machine.interpreter().builtins().generator;
  native.property("__class__", [](Interpreter& in, const Value&) -> PyResult<Value> {
    return Value(static_cast<object::Object*>(Machine::of(in).classes.generator));
  });
  const auto end = [](const Value& self) { static_cast<object::Iterator&>(*self.object()).clear_references(); };
  native.def("send(self, value, /)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    if (!a[1].is_none()) return object::type_error(in, "can't send non-None value to a just-started generator");
    NNS_TRY_ASSIGN(Value item, object::next(in, a[0]));
    if (item.is_absent()) return object::make_error(in, object::ErrorKind::StopIteration, "");
    return item;
  });
  native.def("close(self, /)", [end](Interpreter&, std::span<const Value> a) -> PyResult<Value> {
    end(a[0]);
    return Value();
  });
  native.def("throw(self, type, value=None, traceback=None, /)",
             [end](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
               end(a[0]);
               const Value& given = a[2].is_none() ? a[1] : a[2];
               NNS_TRY_ASSIGN(Ref<object::Exception> error, Machine::of(in).exception_of(given));
               return PyError(std::move(error));
             });
}

void add_module_attributes(Machine& machine) {
  Class& cls = *machine.classes.module;
  cls.def("__init__(self, name, doc=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    Dict& dict = *a[0].object()->instance_dict(true);
    dict.set(in.names().dunder_name, a[1]);
    dict.set(in.names().dunder_doc, a[2]);
    return Value();
  });
  cls.def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    Dict& dict = *a[0].object()->instance_dict(true);
    const Value* name = dict.find(in.names().dunder_name);
    const Str* text = name == nullptr ? nullptr : name->as<Str>();
    const Value* file = dict.find(Machine::of(in).names.dunder_file);
    const Str* path = file == nullptr ? nullptr : file->as<Str>();
    const std::string shown = text == nullptr ? "?" : std::string(text->view());
    if (path == nullptr) return in.text(fmt::format("<module '{}' (built-in)>", shown));
    return in.text(fmt::format("<module '{}' from '{}'>", shown, path->view()));
  });
  // Behaviour: CPython Objects/moduleobject.c, _Py_module_getattro_impl; PEP 562.
  cls.def("__getattr__(self, name)", [](Interpreter& in, Args a) -> PyResult<Value> {
    Dict& dict = *a[0].object()->instance_dict(true);
    if (const Value* own = dict.find(in.names().dunder_getattr)) {
      const Value keep = *own;
      return in.call(keep, {a[1]});
    }
    const Value* name = dict.find(in.names().dunder_name);
    const Str* text = name == nullptr ? nullptr : name->as<Str>();
    const Str* wanted = a[1].as<Str>();
    if (text == nullptr) return object::attribute_error(in, "module has no attribute '{}'", wanted->view());
    return object::attribute_error(in, "module '{}' has no attribute '{}'", text->view(), wanted->view());
  });
  cls.property("__annotations__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return annotations_of(Machine::of(in), self);
  });
}

void add_super_methods(Machine& machine) {
  Class& cls = *machine.classes.super;
  // Behaviour: CPython Objects/typeobject.c, super_init_impl and supercheck.
  cls.def_static("__new__(cls, type, object=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    Class* after = a[1].as<Class>();
    if (after == nullptr) {
      return object::type_error(in, "super() argument 1 must be a type, not {}", in.type_of(a[1]).name());
    }
    if (Class* as_class = a[2].as<Class>(); as_class != nullptr && as_class->is_subclass_of(*after)) {
      return Value(object::make<Super>(*Machine::of(in).classes.super, *after, a[2], *as_class));
    }
    Class& owner = in.type_of(a[2]);
    if (!owner.is_subclass_of(*after)) {
      return object::type_error(in, "super(type, obj): obj ({} {}) is not an instance or subtype of type ({}).",
                                a[2].as<Class>() != nullptr ? "type" : "instance of",
                                a[2].as<Class>() != nullptr ? a[2].as<Class>()->name() : owner.name(), after->name());
    }
    return Value(object::make<Super>(*Machine::of(in).classes.super, *after, a[2], owner));
  });
  cls.def("__init__(self, *args)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  cls.def("__getattribute__(self, name)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const auto& super = static_cast<const Super&>(*a[0].object());
    Str* name = a[1].as<Str>();
    NNS_TRY_ASSIGN(Value found, Machine::of(in).super_attribute(super, in.intern(*name)));
    if (!found.is_absent()) return found;
    return object::attribute_error(in, "'super' object has no attribute '{}'", name->view());
  });
  cls.def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const auto& super = static_cast<const Super&>(*a[0].object());
    return in.text(fmt::format("<super: {}, <{} object>>", object::class_repr(*super.after), super.owner->name()));
  });
}

/// What may be given as the `what` ("cause", "context") of an exception: another one, or None.
PyResult<void> check_other_exception(Interpreter& in, const Value& value, std::string_view what) {
  if (value.is_absent()) return object::type_error(in, "__{}__ may not be deleted", what);
  if (value.is_none() || value.as<object::Exception>() != nullptr) return {};
  return object::type_error(in, "exception {} must be None or derive from BaseException", what);
}

PyResult<void> set_traceback(Interpreter& in, const Value& exception, const Value& traceback) {
  if (traceback.is_absent()) return object::type_error(in, "__traceback__ may not be deleted");
  if (!traceback.is_none() && &in.type_of(traceback) != Machine::of(in).classes.traceback) {
    return object::type_error(in, "__traceback__ must be a traceback or None");
  }
  static_cast<object::Exception&>(*exception.object()).set_traceback(traceback);
  return {};
}

void add_exception_attributes(Machine& machine) {
  Class& cls = machine.interpreter().builtins().exception(object::ErrorKind::BaseException);
  using object::Exception;
  cls.property(
      "__traceback__",
      [](Interpreter&, const Value& self) -> PyResult<Value> {
        return static_cast<Exception&>(*self.object()).traceback();
      },
      set_traceback);
  cls.property(
      "__cause__",
      [](Interpreter&, const Value& self) -> PyResult<Value> {
        return static_cast<Exception&>(*self.object()).cause();
      },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        NNS_TRY(check_other_exception(in, value, "cause"));
        static_cast<Exception&>(*self.object()).set_cause(value);
        return {};
      });
  cls.property(
      "__context__",
      [](Interpreter&, const Value& self) -> PyResult<Value> {
        return static_cast<Exception&>(*self.object()).context();
      },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        NNS_TRY(check_other_exception(in, value, "context"));
        static_cast<Exception&>(*self.object()).set_context(value);
        return {};
      });
  cls.property(
      "__suppress_context__",
      [](Interpreter&, const Value& self) -> PyResult<Value> {
        return Value(static_cast<Exception&>(*self.object()).suppress_context());
      },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        if (value.is_absent()) return object::type_error(in, "can't delete numeric/char attribute");
        if (!value.is_bool()) return object::type_error(in, "attribute value type must be bool");
        static_cast<Exception&>(*self.object()).set_suppress_context(value.as_bool());
        return {};
      });
  cls.def("with_traceback(self, tb)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(set_traceback(in, a[0], a[1]));
    return a[0];
  });
  cls.def("add_note(self, note)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].as<Str>() == nullptr) {
      return object::type_error(in, "add_note() argument must be str, not {}", in.type_of(a[1]).name());
    }
    Dict& dict = *a[0].object()->instance_dict(true);
    const Name name = in.intern("__notes__");
    if (dict.find(name) == nullptr) dict.set(name, Value(in.list()));
    dict.find(name)->as<object::List>()->append(a[1]);
    return Value();
  });
  Class& frame = *machine.classes.frame;
  frame.property("f_code", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<FrameView&>(*self.object()).code);
  });
  frame.property("f_globals", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<FrameView&>(*self.object()).globals);
  });
  frame.property("f_back", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return static_cast<FrameView&>(*self.object()).next;
  });
  frame.property("f_lineno", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<FrameView&>(*self.object()).line());
  });
  Class& traceback = *machine.classes.traceback;
  traceback.property("tb_frame", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    const auto& entry = static_cast<Traceback&>(*self.object());
    return Value(
        object::make<FrameView>(*Machine::of(in).classes.frame, entry.code, entry.instruction, entry.globals, Value()));
  });
  traceback.property("tb_next", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return static_cast<Traceback&>(*self.object()).next;
  });
  traceback.property("tb_lineno", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<Traceback&>(*self.object()).line());
  });
}

bool is_callable(Interpreter& interpreter, const Value& value) {
  if (!value.is_object()) return false;
  if (value.as<Class>() != nullptr || value.as<object::NativeFunction>() != nullptr || as_function(value) != nullptr) {
    return true;
  }
  const Class& cls = interpreter.type_of(value);
  if (cls.lookup(interpreter.names().dunder_call) != nullptr) return true;
  // Callables of ours that are no instances of a class with __call__.
  const object::Builtins& b = interpreter.builtins();
  return &cls == b.method || &cls == b.builtin_function || &cls == b.function || &cls == b.weak_reference;
}

}  // namespace nns::python
