// What module sys tells of the language and its numbers, and the rest of its streams.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cfloat>

#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/python/eval/attributes.h"
#include "core/python/eval/exception_hooks.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;

// sys.set_asyncgen_hooks(firstiter, finalizer): what is not given stays.
PyResult<Value> set_async_generator_hooks(Interpreter& in, Args a) {
  Machine::AsyncGeneratorHooks hooks = Machine::of(in).async_generator_hooks;
  const std::array<std::pair<std::string_view, Value*>, 2> places = {
      {{"firstiter", &hooks.first_iteration}, {"finalizer", &hooks.finalizer}}};
  const auto& positional = *a[0].as<object::Tuple>();
  if (positional.size() > places.size()) {
    return object::type_error(in, "set_asyncgen_hooks() takes at most 2 arguments ({} given)", positional.size());
  }
  for (std::size_t i = 0; i < positional.size(); ++i) *places[i].second = positional[i];
  Dict& named = *a[1].as<Dict>();
  for (std::size_t at = 0; const Dict::Entry* entry = named.next(at);) {
    const std::string_view name = entry->key.as<object::Str>()->view();
    const auto* const place =
        std::find_if(places.begin(), places.end(), [&](const auto& p) { return p.first == name; });
    if (place == places.end()) {
      return object::type_error(in, "set_asyncgen_hooks() got an unexpected keyword argument '{}'", name);
    }
    *place->second = entry->value;
  }
  for (const auto& [name, value] : places) {
    if (value->is_none() || is_callable(in, *value)) continue;
    return object::type_error(in, "callable {} expected, got {}", name, in.type_of(*value).name());
  }
  Machine::of(in).async_generator_hooks = hooks;
  return Value();
}

// An object with these attributes, which a program sees as "sys.<name>(a=1, b=2)".
Value facts(Interpreter& in, std::string_view name, std::initializer_list<std::pair<std::string_view, Value>> values) {
  Class& cls = in.define_class({.name = name, .module = "sys"});
  const Ref<object::Instance> made = object::make<object::Instance>(cls);
  for (const auto& [attribute, value] : values) made->dict().set(in.intern(attribute), value);
  cls.def("__repr__(self)", [](Interpreter& i, Args a) -> PyResult<Value> {
    if (a[0].as<object::Instance>() == nullptr)
      return object::type_error(i, "descriptor '__repr__' doesn't apply here");
    std::string text = fmt::format("sys.{}(", i.type_of(a[0]).name());
    Dict& own = a[0].as<object::Instance>()->dict();
    std::string_view between;
    for (std::size_t at = 0; const Dict::Entry* entry = own.next(at);) {
      NNS_TRY_ASSIGN(const std::string shown, object::repr(i, entry->value));
      const auto* key = entry->key.as<object::Str>();
      text += fmt::format("{}{}={}", between, key == nullptr ? "?" : key->view(), shown);
      between = ", ";
    }
    return i.text(text + ")");
  });
  return Value(made);
}

template <std::size_t place>
PyResult<Value> item(Interpreter& in, const Value& self) {
  const auto* tuple = self.as<object::Tuple>();
  if (tuple == nullptr || tuple->size() <= place) return object::attribute_error(in, "no such part of the version");
  return (*tuple)[place];
}

}  // namespace

void add_sys_facts(Machine& machine, Dict& attributes) {
  Interpreter& in = machine.interpreter();
  const auto set = [&](std::string_view name, Value value) { attributes.set(in.intern(name), std::move(value)); };
  if (const Value* version = attributes.find("version_info")) {
    Class& cls = in.type_of(*version);
    cls.property("major", item<0>);
    cls.property("minor", item<1>);
    cls.property("micro", item<2>);
    cls.property("releaselevel", item<3>);
    cls.property("serial", item<4>);
    set("implementation", facts(in, "SimpleNamespace",
                                {{"name", in.text("nnscope")},
                                 {"cache_tag", Value()},
                                 {"version", *version},
                                 {"hexversion", Value(0x030E00F0)}}));
  }
  set("float_info", facts(in, "float_info",
                          {{"max", Value(DBL_MAX)},
                           {"max_exp", Value(DBL_MAX_EXP)},
                           {"max_10_exp", Value(DBL_MAX_10_EXP)},
                           {"min", Value(DBL_MIN)},
                           {"min_exp", Value(DBL_MIN_EXP)},
                           {"min_10_exp", Value(DBL_MIN_10_EXP)},
                           {"dig", Value(DBL_DIG)},
                           {"mant_dig", Value(DBL_MANT_DIG)},
                           {"epsilon", Value(DBL_EPSILON)},
                           {"radix", Value(FLT_RADIX)},
                           {"rounds", Value(1)}}));
  set("flags", facts(in, "flags",
                     {{"debug", Value(0)},
                      {"inspect", Value(0)},
                      {"interactive", Value(0)},
                      {"optimize", Value(0)},
                      {"dont_write_bytecode", Value(1)},
                      {"no_user_site", Value(1)},
                      {"no_site", Value(1)},
                      {"ignore_environment", Value(1)},
                      {"verbose", Value(0)},
                      {"bytes_warning", Value(0)},
                      {"quiet", Value(0)},
                      {"hash_randomization", Value(0)},
                      {"isolated", Value(1)},
                      {"dev_mode", Value(false)},
                      {"utf8_mode", Value(1)},
                      {"warn_default_encoding", Value(0)},
                      {"safe_path", Value(true)},
                      {"int_max_str_digits", Value(4300)}}));
  set("hexversion", Value(0x030E00F0));
  set("api_version", Value(1013));
  set("maxunicode", Value(0x10FFFF));
  set("copyright", in.text(""));
  set("warnoptions", Value(in.list()));
  set("builtin_module_names", Value(in.tuple()));
  for (const std::string_view name : {"prefix", "base_prefix", "exec_prefix", "base_exec_prefix"})
    set(name, in.text(""));
  for (const auto& [name, stream] : {std::pair("__stdout__", "stdout"), std::pair("__stderr__", "stderr")}) {
    const Value* found = attributes.find(stream);
    if (found == nullptr) continue;
    const Value keep = *found;
    set(name, keep);
    Class& cls = in.type_of(keep);
    cls.attribute("closed", Value(false));
    cls.attribute("errors", in.text("strict"));
    cls.attribute("mode", in.text("w"));
    cls.def("readable(self)", [](Interpreter&, Args) -> PyResult<Value> { return Value(false); });
    cls.def("reconfigure(self, **changes)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
    cls.def("writelines(self, lines, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const std::vector<Value> lines, object::to_vector(i, a[1]));
      for (const Value& line : lines) NNS_TRY(i.call_method(a[0], i.intern("write"), {line}));
      return Value();
    });
    cls.def("fileno(self)", [](Interpreter& i, Args) -> PyResult<Value> {
      return object::error<object::ErrorKind::OSError>(i, "nnscope gives programs no numbers of files");
    });
  }
  // Nobody types anything: it ends at once.
  Class& input = in.define_class({.name = "TextIOWrapper", .module = "_io"});
  const auto empty = [](Interpreter& i, Args) -> PyResult<Value> { return i.text(""); };
  const auto no = [](Interpreter&, Args) -> PyResult<Value> { return Value(false); };
  input.def("read(self, size=-1, /)", empty);
  input.def("readline(self, size=-1, /)", empty);
  input.def("readlines(self, hint=-1, /)", [](Interpreter& i, Args) -> PyResult<Value> { return Value(i.list()); });
  input.def("__iter__(self)", [](Interpreter& i, Args) -> PyResult<Value> { return object::iter(i, Value(i.list())); });
  input.def("isatty(self)", no);
  input.def("writable(self)", no);
  input.def("readable(self)", [](Interpreter&, Args) -> PyResult<Value> { return Value(true); });
  input.def("close(self)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  const Ref<object::Instance> typed = object::make<object::Instance>(input);
  typed->dict().set(in.intern("name"), in.text("<stdin>"));
  typed->dict().set(in.intern("encoding"), in.text("utf-8"));
  set("stdin", Value(typed));
  set("__stdin__", Value(typed));
  for (const std::string_view name : {"getdefaultencoding()", "getfilesystemencoding()"}) {
    add_native(machine, attributes, name, [](Interpreter& i, Args) -> PyResult<Value> { return i.text("utf-8"); });
  }
  add_native(machine, attributes, "get_int_max_str_digits()",
             [](Interpreter&, Args) -> PyResult<Value> { return Value(4300); });
  add_native(machine, attributes, "exception()",
             [](Interpreter& i, Args) -> PyResult<Value> { return Machine::of(i).handled(); });
  add_native(machine, attributes, "is_finalizing()",
             [](Interpreter&, Args) -> PyResult<Value> { return Value(false); });
  add_exception_hooks(machine, attributes);
  add_native(machine, attributes, "set_asyncgen_hooks(*args, **kwargs)", set_async_generator_hooks);
  Class& hooks = in.define_class({.name = "asyncgen_hooks", .module = "sys", .bases = {in.builtins().tuple}});
  hooks.property("firstiter", item<0>);
  hooks.property("finalizer", item<1>);
  add_native(machine, attributes, "get_asyncgen_hooks()", [&hooks](Interpreter& i, Args) -> PyResult<Value> {
    const Machine::AsyncGeneratorHooks& now = Machine::of(i).async_generator_hooks;
    return Value(object::make_tuple(hooks, {now.first_iteration, now.finalizer}));
  });
  // What does not exist here is refused by its name.
  for (const std::string_view name :
       {"getsizeof(object, default=None)", "settrace(function, /)", "setprofile(function, /)"}) {
    add_native(machine, attributes, name,
               [what = std::string(name.substr(0, name.find('(')))](Interpreter& i, Args) -> PyResult<Value> {
                 return object::error<object::ErrorKind::NotImplementedError>(i, "nnscope has no sys.{}()", what);
               });
  }
}

}  // namespace nns::python
