// Arguments and attributes of the exceptions that have some of their own. Behaviour: CPython Objects/exceptions.c.
#include <fmt/format.h>

#include <array>

#include "core/object/operations.h"
#include "core/python/builtins/builtins.h"

namespace nns::python {
namespace {

using object::ErrorKind;
using object::Exception;
using object::Str;
using object::Tuple;
using Args = std::span<const Value>;

// (self, *args, name=None, …): the keywords become attributes.
void add_keywords(Interpreter& in, ErrorKind kind, std::initializer_list<std::string_view> names) {
  Class& cls = in.builtins().exception(kind);
  std::string signature = "__init__(self, *args";
  std::vector<Name> known;
  for (const std::string_view name : names) {
    signature += fmt::format(", {}=None", name);
    known.push_back(in.intern(name));
    cls.attribute(name, Value());
  }
  cls.def(signature + ")", [known](Interpreter&, Args a) -> PyResult<Value> {
    static_cast<Exception&>(*a[0].object()).set_arguments(Ref<Tuple>(a[1].as<Tuple>()));
    Dict& own = *a[0].object()->instance_dict(true);
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (!a[2 + i].is_none()) own.set(known[i], a[2 + i]);
    }
    return Value();
  });
}

Value argument_of(const Value& self, std::size_t i) {
  const auto& arguments = static_cast<const Exception&>(*self.object()).arguments();
  return arguments && arguments->size() > i ? (*arguments)[i] : Value();
}

// Numbers of <errno.h> as Linux has them; a program is to see the same ones everywhere.
constexpr std::pair<int, ErrorKind> kErrors[] = {
    {1, ErrorKind::PermissionError},         {2, ErrorKind::FileNotFoundError},
    {3, ErrorKind::ProcessLookupError},      {4, ErrorKind::InterruptedError},
    {10, ErrorKind::ChildProcessError},      {11, ErrorKind::BlockingIOError},
    {13, ErrorKind::PermissionError},        {17, ErrorKind::FileExistsError},
    {20, ErrorKind::NotADirectoryError},     {21, ErrorKind::IsADirectoryError},
    {32, ErrorKind::BrokenPipeError},        {103, ErrorKind::ConnectionAbortedError},
    {104, ErrorKind::ConnectionResetError},  {110, ErrorKind::TimeoutError},
    {111, ErrorKind::ConnectionRefusedError}};

// OSError(errno, strerror[, filename[, winerror[, filename2]]]).
void add_os_error(Interpreter& in) {
  Class& cls = in.builtins().exception(ErrorKind::OSError);
  cls.def_static("__new__(cls, *args, **kwargs)", [&cls](Interpreter& i, Args a) -> PyResult<Value> {
    Class* made = a[0].as<Class>();
    const auto given = a[1].as<Tuple>()->items();
    if (made == &cls && given.size() >= 2 && given.size() <= 5 && given[0].is_int()) {
      for (const auto& [number, kind] : kErrors) {
        if (given[0].as_int() == number) made = &i.builtins().exception(kind);
      }
    }
    return made->new_instance();
  });
  for (const std::string_view name : {"errno", "strerror", "filename", "filename2"}) cls.attribute(name, Value());
  cls.def("__init__(self, *args)", [](Interpreter& i, Args a) -> PyResult<Value> {
    auto& self = static_cast<Exception&>(*a[0].object());
    const auto given = a[1].as<Tuple>()->items();
    const bool is_described = given.size() >= 2 && given.size() <= 5;
    self.set_arguments(is_described ? i.tuple({given[0], given[1]}) : Ref<Tuple>(a[1].as<Tuple>()));
    if (!is_described) return Value();
    Dict& own = *self.instance_dict(true);
    own.set(i.intern("errno"), given[0]);
    own.set(i.intern("strerror"), given[1]);
    if (given.size() > 2) own.set(i.intern("filename"), given[2]);
    if (given.size() > 4) own.set(i.intern("filename2"), given[4]);
    return Value();
  });
  cls.def("__str__(self)", [](Interpreter& i, Args a) -> PyResult<Value> {
    auto& self = static_cast<Exception&>(*a[0].object());
    Dict& own = *self.instance_dict(true);
    const Value* number = own.find("errno");
    if (number == nullptr) return i.text(self.text());
    NNS_TRY_ASSIGN(std::string text, object::str(i, *own.find("strerror")));
    NNS_TRY_ASSIGN(const std::string shown, object::str(i, *number));
    text = fmt::format("[Errno {}] {}", shown, text);
    for (const auto& [name, before] : {std::pair("filename", ": "), std::pair("filename2", " -> ")}) {
      const Value* file = own.find(name);
      if (file == nullptr || file->is_none()) break;
      NNS_TRY_ASSIGN(const std::string path, object::repr(i, *file));
      text += before + path;
    }
    return i.text(text);
  });
}

// SyntaxError(msg, (filename, lineno, offset, text[, end_lineno, end_offset])).
void add_syntax_error(Interpreter& in) {
  Class& cls = in.builtins().exception(ErrorKind::SyntaxError);
  static constexpr std::array<std::string_view, 6> kPlace = {"filename", "lineno",     "offset",
                                                             "text",     "end_lineno", "end_offset"};
  cls.attribute("msg", Value());
  cls.attribute("print_file_and_line", Value());
  for (const std::string_view name : kPlace) cls.attribute(name, Value());
  cls.def("__init__(self, *args)", [](Interpreter& i, Args a) -> PyResult<Value> {
    auto& self = static_cast<Exception&>(*a[0].object());
    const Ref<Tuple> given(a[1].as<Tuple>());
    self.set_arguments(given);
    Dict& own = *self.instance_dict(true);
    if (given->size() > 0) own.set(i.intern("msg"), (*given)[0]);
    if (given->size() < 2) return Value();
    NNS_TRY_ASSIGN(const std::vector<Value> place, object::to_vector(i, (*given)[1]));
    if (place.size() < 4 || place.size() > kPlace.size()) {
      return object::type_error(i, "function takes at least 4 arguments ({} given)", place.size());
    }
    for (std::size_t k = 0; k < place.size(); ++k) own.set(i.intern(kPlace[k]), place[k]);
    return Value();
  });
  cls.def("__str__(self)", [](Interpreter& i, Args a) -> PyResult<Value> {
    auto& self = static_cast<Exception&>(*a[0].object());
    Dict& own = *self.instance_dict(true);
    const Value* message = own.find("msg");
    if (message == nullptr) return i.text(self.text());
    NNS_TRY_ASSIGN(const std::string text, object::str(i, *message));
    const Value* file = own.find("filename");
    const Value* line = own.find("lineno");
    const Str* path = file == nullptr ? nullptr : file->as<Str>();
    const bool has_line = line != nullptr && line->is_int();
    if (path == nullptr && !has_line) return i.text(text);
    const std::string_view name = path == nullptr ? "" : path->view().substr(path->view().rfind('/') + 1);
    if (!has_line) return i.text(fmt::format("{} ({})", text, name));
    if (path == nullptr) return i.text(fmt::format("{} (line {})", text, line->as_int()));
    return i.text(fmt::format("{} ({}, line {})", text, name, line->as_int()));
  });
}

// ExceptionGroup(message, exceptions).
// Methods of groups are functions of module _exception_groups.
PyResult<Value> group_function(Interpreter& in, std::string_view name, Args arguments) {
  NNS_TRY_ASSIGN(const Value module, Machine::of(in).import_module("_exception_groups", 0, nullptr));
  NNS_TRY_ASSIGN(const Value function, object::getattr(in, module, in.intern(name)));
  return in.call(function, arguments, {});
}

// A BaseExceptionGroup of nothing but Exceptions is an ExceptionGroup. Behaviour: BaseExceptionGroup_new.
PyResult<Value> new_group(Interpreter& in, Args a) {
  Class* made = a[0].as<Class>();
  Class& base = in.builtins().exception(ErrorKind::BaseExceptionGroup);
  Class& plain = in.builtins().exception(ErrorKind::ExceptionGroup);
  const Class& exception = in.builtins().exception(ErrorKind::Exception);
  const auto given = a[1].as<Tuple>()->items();
  std::vector<Value> members;
  if (given.size() > 1) {
    NNS_TRY_ASSIGN(members, object::to_vector(in, given[1]));
  }
  const bool has_other = std::any_of(members.begin(), members.end(), [&](const Value& one) {
    return one.as<Exception>() != nullptr && !one.object()->type().is_subclass_of(exception);
  });
  if (made == &base && !has_other) made = &plain;
  if (has_other && made->is_subclass_of(exception)) {
    if (made == &plain) {
      return object::type_error(in, "Cannot nest BaseExceptions in an ExceptionGroup");
    }
    return object::type_error(in, "Cannot nest BaseExceptions in '{}'", made->name());
  }
  return made->new_instance();
}

void add_groups(Interpreter& in) {
  Class& cls = in.builtins().exception(ErrorKind::BaseExceptionGroup);
  cls.def_static("__new__(cls, *args, **kwargs)", new_group);
  cls.def("__init__(self, message, exceptions, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    if (a[1].as<Str>() == nullptr) {
      return object::type_error(i, "argument 1 must be str, not {}", i.type_of(a[1]).name());
    }
    NNS_TRY_ASSIGN(const std::vector<Value> members, object::to_vector(i, a[2]));
    if (members.empty()) {
      return object::value_error(i, "second argument (exceptions) must be a non-empty sequence");
    }
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (members[k].as<Exception>() == nullptr) {
        return object::value_error(i, "Item {} of second argument (exceptions) is not an exception", k);
      }
    }
    static_cast<Exception&>(*a[0].object()).set_arguments(i.tuple({a[1], a[2]}));
    a[0].object()->instance_dict(true)->set(i.intern("exceptions"), Value(i.tuple(members)));
    return Value();
  });
  cls.property("message", [](Interpreter&, const Value& self) -> PyResult<Value> { return argument_of(self, 0); });
  cls.def("__str__(self)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, object::str(i, argument_of(a[0], 0)));
    const Value* members = a[0].object()->instance_dict(true)->find("exceptions");
    const std::size_t count = members == nullptr ? 0 : members->as<Tuple>()->size();
    return i.text(fmt::format("{} ({} sub-exception{})", text, count, count == 1 ? "" : "s"));
  });
  cls.def("split(self, matcher_value, /)",
          [](Interpreter& i, Args a) -> PyResult<Value> { return group_function(i, "split", a); });
  cls.def("subgroup(self, matcher_value, /)",
          [](Interpreter& i, Args a) -> PyResult<Value> { return group_function(i, "subgroup", a); });
  cls.def("derive(self, excs, /)",
          [](Interpreter& i, Args a) -> PyResult<Value> { return group_function(i, "derive", a); });
}

}  // namespace

void add_exceptions(Machine& machine) {
  Interpreter& in = machine.interpreter();
  add_keywords(in, ErrorKind::ImportError, {"name", "path", "name_from"});
  add_keywords(in, ErrorKind::AttributeError, {"name", "obj"});
  add_keywords(in, ErrorKind::NameError, {"name"});
  add_os_error(in);
  add_syntax_error(in);
  add_groups(in);
  in.builtins()
      .exception(ErrorKind::StopIteration)
      .property("value", [](Interpreter&, const Value& self) -> PyResult<Value> { return argument_of(self, 0); });
  in.builtins()
      .exception(ErrorKind::SystemExit)
      .property("code", [](Interpreter&, const Value& self) -> PyResult<Value> { return argument_of(self, 0); });
}

}  // namespace nns::python
