// sys, time, gc, weakref, copy and what the modules in Python need from C++.
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "core/object/copy.h"
#include "core/object/default_dict.h"
#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {
namespace {

using object::Str;
using object::Tuple;
using Args = std::span<const Value>;

// sys.stdout and sys.stderr.
Value stream(Machine& machine, std::string_view name, bool is_error) {
  Interpreter& in = machine.interpreter();
  Class& cls = in.define_class({.name = "TextIOWrapper", .module = "_io"});
  cls.def("write(self, text)", [is_error](Interpreter& i, Args a) -> PyResult<Value> {
    const Str* text = a[1].as<Str>();
    if (text == nullptr) return object::type_error(i, "write() argument must be str, not {}", i.type_of(a[1]).name());
    Machine& own = Machine::of(i);
    (is_error ? own.streams.error : own.streams.out)(text->view());
    return Value(text->length());
  });
  // An empty text tells whoever takes the texts that what came before is to be seen.
  cls.def("flush(self)", [is_error](Interpreter& i, Args) -> PyResult<Value> {
    if (!is_error) Machine::of(i).streams.out({});
    return Value();
  });
  cls.def("isatty(self)", [](Interpreter&, Args) -> PyResult<Value> { return Value(false); });
  cls.def("writable(self)", [](Interpreter&, Args) -> PyResult<Value> { return Value(true); });
  const Ref<object::Instance> made = object::make<object::Instance>(cls);
  made->dict().set(in.intern("name"), in.text(name));
  made->dict().set(in.intern("encoding"), in.text("utf-8"));
  return Value(made);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void fill_sys(Machine& machine, Dict& attributes) {
  Interpreter& in = machine.interpreter();
  const auto set = [&](std::string_view name, Value value) { attributes.set(in.intern(name), std::move(value)); };
  set("stdout", stream(machine, "<stdout>", false));
  set("stderr", stream(machine, "<stderr>", true));
  set("modules", Value(&machine.modules()));
  set("argv", Value(in.list({in.text("")})));
  set("path", Value(machine.files == nullptr ? in.list() : in.list({in.text(machine.files->folder())})));
  machine.path_finder = Value(
      static_cast<object::Object*>(&in.define_class({.name = "PathFinder", .module = "_frozen_importlib_external"})));
  set("meta_path", Value(in.list({machine.path_finder})));
  set("path_hooks", Value(in.list()));
  set("path_importer_cache", Value(in.dict()));
  set("maxsize", Value(INT64_MAX));
  set("version", in.text("3.14.0 (nnscope)"));
  set("byteorder", in.text("little"));
  set("platform", in.text("linux"));
  set("executable", in.text(""));
  Class& version = in.define_class({.name = "version_info", .module = "sys", .bases = {in.builtins().tuple}});
  set("version_info", Value(object::make<Tuple>(
                          version, std::vector<Value>{Value(3), Value(14), Value(0), in.text("final"), Value(0)})));
  // The numbers of hash(). Behaviour: CPython Include/cpython/pyhash.h.
  const Ref<object::Instance> hashes =
      object::make<object::Instance>(in.define_class({.name = "hash_info", .module = "sys"}));
  hashes->dict().set(in.intern("width"), Value(64));
  hashes->dict().set(in.intern("modulus"), Value((std::int64_t{1} << 61) - 1));
  hashes->dict().set(in.intern("inf"), Value(314159));
  hashes->dict().set(in.intern("nan"), Value(0));
  hashes->dict().set(in.intern("imag"), Value(1000003));
  set("hash_info", Value(hashes));
  add_native(machine, attributes, "exit(status=None, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    PyError leave = object::make_error(i, object::ErrorKind::SystemExit, "");
    leave.exception().set_arguments(a[0].is_none() ? i.tuple() : i.tuple({a[0]}));
    return leave;
  });
  add_native(machine, attributes, "getrecursionlimit()",
             [](Interpreter& i, Args) -> PyResult<Value> { return Value(Machine::of(i).limits.depth); });
  add_native(machine, attributes, "setrecursionlimit(limit, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t limit, object::index(i, a[0]));
    if (limit < 1) return object::value_error(i, "recursion limit must be greater or equal than 1");
    Machine::of(i).limits.depth = static_cast<int>(std::min<std::int64_t>(limit, 1'000'000));
    return Value();
  });
  add_native(machine, attributes, "exc_info()", [](Interpreter& i, Args) -> PyResult<Value> {
    const Value handled = Machine::of(i).handled();
    if (!handled.is_object()) return Value(i.tuple({Value(), Value(), Value()}));
    return Value(i.tuple({Value(static_cast<object::Object*>(&handled.object()->type())), handled,
                          static_cast<object::Exception&>(*handled.object()).traceback()}));
  });
  add_native(machine, attributes, "_getframe(depth=0, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t depth, object::index(i, a[0]));
    Value view = Machine::of(i).frame_view(depth);
    if (view.is_absent()) return object::value_error(i, "call stack is not deep enough");
    return view;
  });
  add_native(machine, attributes, "getrefcount(object, /)", [](Interpreter&, Args a) -> PyResult<Value> {
    return Value(std::int64_t{a[0].is_object() ? a[0].object()->reference_count() : UINT32_MAX});
  });
  add_native(machine, attributes, "intern(string, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    Str* text = a[0].as<Str>();
    if (text == nullptr) return object::type_error(i, "intern() argument must be str, not {}", i.type_of(a[0]).name());
    return i.intern(*text).value();
  });
}

PyResult<void> set_environment(Machine& machine, const std::vector<std::pair<std::string, std::string>>& variables) {
  Interpreter& in = machine.interpreter();
  NNS_TRY_ASSIGN(const Value os, machine.import_module("os", 0, nullptr));
  NNS_TRY_ASSIGN(const Value environment, object::getattr(in, os, in.intern("environ")));
  for (const auto& [name, value] : variables) {
    NNS_TRY(object::setitem(in, environment, in.text(name), in.text(value)));
  }
  return {};
}

void set_arguments(Machine& machine, const std::vector<std::string>& arguments) {
  Interpreter& in = machine.interpreter();
  std::vector<Value> values;
  for (const std::string& one : arguments) values.push_back(in.text(one));
  machine.modules()
      .find(in.intern("sys"))
      ->object()
      ->instance_dict(true)
      ->set(in.intern("argv"), Value(in.list(std::move(values))));
}

void fill_time(Machine& machine, Dict& attributes) {
  const auto start = std::chrono::steady_clock::now();
  add_native(machine, attributes, "time()", [](Interpreter&, Args) -> PyResult<Value> {
    return Value(std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count());
  });
  for (const std::string_view name : {"perf_counter()", "monotonic()", "process_time()", "thread_time()"}) {
    add_native(machine, attributes, name,
               [start](Interpreter&, Args) -> PyResult<Value> { return Value(seconds_since(start)); });
  }
  add_native(machine, attributes, "time_ns()", [](Interpreter&, Args) -> PyResult<Value> {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return Value(static_cast<std::int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
  });
  for (const std::string_view name : {"perf_counter_ns()", "monotonic_ns()", "process_time_ns()"}) {
    add_native(machine, attributes, name, [start](Interpreter&, Args) -> PyResult<Value> {
      return Value(static_cast<std::int64_t>(seconds_since(start) * 1e9));
    });
  }
  // The parts of a moment: year, month, day, hour, minute, second, weekday from Monday, day of the year, whether it is
  // summer time, name of the zone, seconds east of Greenwich.
  add_native(machine, attributes, "parts(seconds, is_local)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t seconds, object::index(i, a[0]));
    NNS_TRY_ASSIGN(const bool is_local, object::truth(i, a[1]));
    const auto moment = static_cast<std::time_t>(seconds);
    std::tm parts{};
    const std::tm* done = is_local ? localtime_r(&moment, &parts) : gmtime_r(&moment, &parts);
    if (done == nullptr) {
      return object::error<object::ErrorKind::OverflowError>(i, "timestamp out of range for platform time_t");
    }
    const char* zone = is_local ? parts.tm_zone : "UTC";
    return Value(
        i.tuple({Value(parts.tm_year + 1900), Value(parts.tm_mon + 1), Value(parts.tm_mday), Value(parts.tm_hour),
                 Value(parts.tm_min), Value(parts.tm_sec), Value((parts.tm_wday + 6) % 7), Value(parts.tm_yday + 1),
                 Value(parts.tm_isdst), i.text(zone == nullptr ? "" : zone), Value(is_local ? parts.tm_gmtoff : 0)}));
  });
  // The seconds of a local moment.
  add_native(machine, attributes, "seconds_of(year, month, day, hour, minute, second, is_summer)",
             [](Interpreter& i, Args a) -> PyResult<Value> {
               int numbers[7] = {};
               for (std::size_t k = 0; k < 7; ++k) {
                 NNS_TRY_ASSIGN(const std::int64_t number, object::index(i, a[k]));
                 if (number < INT32_MIN + 1900 || number > INT32_MAX - 1900) {
                   return object::error<object::ErrorKind::OverflowError>(i, "mktime argument out of range");
                 }
                 numbers[k] = static_cast<int>(number);
               }
               std::tm parts{};
               parts.tm_year = numbers[0] - 1900;
               parts.tm_mon = numbers[1] - 1;
               parts.tm_mday = numbers[2];
               parts.tm_hour = numbers[3];
               parts.tm_min = numbers[4];
               parts.tm_sec = numbers[5];
               parts.tm_isdst = numbers[6];
               return Value(static_cast<std::int64_t>(std::mktime(&parts)));
             });
  add_native(machine, attributes, "sleep(seconds, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    const double seconds = a[0].is_float() ? a[0].as_float() : a[0].is_int() ? static_cast<double>(a[0].as_int()) : -1;
    if (!(seconds >= 0)) return object::value_error(i, "sleep length must be non-negative");
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(seconds, 3600.0)));
    return Value();
  });
}

void fill_gc(Machine& machine, Dict& attributes) {
  add_native(machine, attributes, "collect(generation=2)",
             [](Interpreter& i, Args) -> PyResult<Value> { return Value(i.collector().collect()); });
  for (const std::string_view name : {"enable()", "disable()"}) {
    add_native(machine, attributes, name, [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  }
  add_native(machine, attributes, "isenabled()", [](Interpreter&, Args) -> PyResult<Value> { return Value(true); });
}

void fill_weakref(Machine& machine, Dict& attributes) {
  Interpreter& in = machine.interpreter();
  Class& cls = *in.builtins().weak_reference;
  if (cls.attributes().find_raw(in.names().dunder_new) == nullptr) {
    cls.def_static("__new__(cls, object, callback=None)", [](Interpreter& i, Args a) -> PyResult<Value> {
      if (!a[1].is_object() || a[1].as<Str>() != nullptr || a[1].as<Tuple>() != nullptr ||
          a[1].as<object::List>() != nullptr || &a[1].object()->type() == i.builtins().dict) {
        return object::type_error(i, "cannot create weak reference to '{}' object", i.type_of(a[1]).name());
      }
      return Value(object::make<object::WeakReference>(*a[1].object(), a[2]));
    });
    cls.def("__init__(self, *args)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
    // Behaviour: CPython Objects/weakrefobject.c, weakref_richcompare and weakref_hash.
    cls.def("__eq__(self, other, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
      const auto* self = a[0].as<object::WeakReference>();
      const auto* other = a[1].as<object::WeakReference>();
      if (self == nullptr || other == nullptr) return i.not_implemented();
      const Ref<object::Object> mine = self->get();
      const Ref<object::Object> others = other->get();
      if (!mine || !others) return Value(self == other);
      NNS_TRY_ASSIGN(const bool is_equal, object::equal(i, Value(mine), Value(others)));
      return Value(is_equal);
    });
    cls.def("__hash__(self)", [](Interpreter& i, Args a) -> PyResult<Value> {
      const auto* self = a[0].as<object::WeakReference>();
      const Ref<object::Object> target = self == nullptr ? nullptr : self->get();
      if (!target) return object::type_error(i, "weak object has gone away");
      NNS_TRY_ASSIGN(const std::int64_t hash, object::hash(i, Value(target)));
      return Value(hash);
    });
  }
  attributes.set(in.intern("ref"), Value(static_cast<object::Object*>(&cls)));
  attributes.set(in.intern("ReferenceType"), Value(static_cast<object::Object*>(&cls)));
}

void fill_copy(Machine& machine, Dict& attributes) {
  add_native(machine, attributes, "copy(x)", [](Interpreter& i, Args a) { return object::shallow_copy(i, a[0]); });
  add_native(machine, attributes, "deepcopy(x, memo=None)",
             [](Interpreter& i, Args a) { return object::deep_copy(i, a[0], nullptr, a[1].as<Dict>()); });
  Class& error = machine.interpreter().define_class(
      {.name = "Error",
       .module = "copy",
       .bases = {&machine.interpreter().builtins().exception(object::ErrorKind::Exception)}});
  for (const std::string_view name : {"Error", "error"}) {
    attributes.set(machine.interpreter().intern(name), Value(static_cast<object::Object*>(&error)));
  }
  // A copy with attributes changed. Behaviour: Python 3.13, Lib/copy.py.
  add_native(machine, attributes, "replace(obj, /, **changes)", [](Interpreter& i, Args a) -> PyResult<Value> {
    const Name name = i.intern("__replace__");
    if (i.type_of(a[0]).lookup(name) == nullptr) {
      return object::type_error(i, "replace() does not support {} objects", i.type_of(a[0]).name());
    }
    std::vector<object::Keyword> changes;
    for (std::size_t at = 0; const Dict::Entry* entry = a[1].as<Dict>()->next(at);) {
      changes.push_back({i.intern(*entry->key.as<Str>()), entry->value});
    }
    return i.call_special(a[0], name, std::span<const Value>(), changes);
  });
}

void fill_collections(Machine& machine, Dict& attributes) {
  Interpreter& in = machine.interpreter();
  attributes.set(in.intern("OrderedDict"), Value(static_cast<object::Object*>(in.builtins().ordered_dict)));
  // Its text is that of a dict of this class, but whoever asks for the method finds another than dict's.
  in.builtins().ordered_dict->def("__repr__(self, /)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, object::default_repr(i, a[0]));
    return i.text(text);
  });
  Class& default_dict = object::define_default_dict(in);
  attributes.set(in.intern("defaultdict"), Value(static_cast<object::Object*>(&default_dict)));
}

void fill_source(Machine& machine, Dict& attributes) {
  // The lines of a program or a module that was run from that file, with their ends; None: none was.
  add_native(machine, attributes, "lines(filename)", [](Interpreter& i, Args a) -> PyResult<Value> {
    const Str* name = a[0].as<Str>();
    if (name == nullptr) return Value();
    const auto& sources = Machine::of(i).sources;
    const auto found = sources.find(name->view());
    if (found == sources.end()) return Value();
    std::vector<Value> lines;
    std::string_view text = found->second->source().text();
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      lines.push_back(i.text(text.substr(0, end)));
      text.remove_prefix(end);
    }
    return Value(i.list(std::move(lines)));
  });
}

void fill_warnings(Machine& machine, Dict& attributes) {
  add_native(machine, attributes, "take()",
             [](Interpreter& i, Args) -> PyResult<Value> { return Machine::of(i).take_warnings(); });
}

}  // namespace nns::python
