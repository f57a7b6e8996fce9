#include <fmt/format.h>

#include <algorithm>

#include "core/nn/functional.h"
#include "core/nn/packed_sequence.h"
#include "core/nn/utility.h"
#include "core/object/copy.h"
#include "core/object/iterator.h"
#include "core/ops/python_function.h"
#include "core/optim/library.h"
#include "tests/ops/py.h"

namespace nns::py {
namespace {

using object::Class;
using object::Name;

Name name_of(const Py& value) { return in().intern(text(value)); }

Py print(const Locals& a) {
  std::string line;
  const std::vector<Value> items = take(object::to_vector(in(), a[0]));
  for (std::size_t i = 0; i < items.size(); ++i) line += (i > 0 ? " " : "") + text(items[i]);
  World::now().out += line + "\n";
  return {};
}

Py sorted(const Locals& a) {
  std::vector<Value> items = take(object::to_vector(in(), a[0]));
  std::stable_sort(items.begin(), items.end(), [](const Value& x, const Value& y) {
    if (x.is_object() && y.is_object()) return text(x) < text(y);
    if (x.is_float() || y.is_float()) return ops::Number::of(x).as_double() < ops::Number::of(y).as_double();
    return x.as_int() < y.as_int();
  });
  return in().list(std::move(items));
}

// A lazy iterator over what `next` gives; Absent ends it.
Py lazily(std::vector<Value> kept, std::function<PyResult<Value>(std::span<const Value>)> next) {
  return object::make_iterator(in(), std::move(kept), std::move(next));
}

Py zip(const Locals& a) {
  std::vector<Value> iterators;
  for (const Value& one : take(object::to_vector(in(), a[0]))) iterators.push_back(take(object::iter(in(), one)));
  return lazily(iterators, [](std::span<const Value> kept) -> PyResult<Value> {
    std::vector<Value> row;
    for (const Value& iterator : kept) {
      NNS_TRY_ASSIGN(Value item, object::next(in(), iterator));
      if (item.is_absent()) return item;
      row.push_back(std::move(item));
    }
    return Value(in().tuple(std::move(row)));
  });
}

Py enumerate(const Locals& a) {
  return lazily({take(object::iter(in(), a[0]))},
                [at = a[1].value().as_int()](std::span<const Value> kept) mutable -> PyResult<Value> {
                  NNS_TRY_ASSIGN(Value item, object::next(in(), kept[0]));
                  if (item.is_absent()) return item;
                  return Value(in().tuple({Value(at++), std::move(item)}));
                });
}

Py range(const Locals& a) {
  const std::vector<Value> given = take(object::to_vector(in(), a[0]));
  const std::int64_t from = given.size() > 1 ? given[0].as_int() : 0;
  const std::int64_t to = given[given.size() > 1 ? 1 : 0].as_int();
  std::vector<Value> numbers;
  for (std::int64_t i = from; i < to; ++i) numbers.emplace_back(i);
  return in().list(std::move(numbers));
}

Py getattr(const Locals& a) {
  const Value rest = a[2];
  if (rest.as<object::Tuple>()->size() == 0) return take(object::getattr(in(), a[0], name_of(a[1])));
  const Value found = take(object::getattr_or_absent(in(), a[0], name_of(a[1])));
  return found.is_absent() ? Py((*rest.as<object::Tuple>())[0]) : Py(found);
}

bool is_a(const Py& value, const Py& cls) {
  if (const auto* several = cls.value().as<object::Tuple>()) {
    return std::any_of(several->items().begin(), several->items().end(),
                       [&value](const Value& one) { return is_a(value, one); });
  }
  return object::isinstance(in(), value, *cls.value().as<Class>());
}

struct Row {
  const char* name;
  Parameters parameters;
  Py (*body)(const Locals&);
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"print", {"*values"}, print},
      {"sorted", {"iterable"}, sorted},
      {"zip", {"*iterables"}, zip},
      {"range", {"*bounds"}, range},
      {"getattr", {"object", "name", "*default"}, getattr},
      {"len", {"object"}, [](const Locals& a) { return Py(take(object::length(in(), a[0]))); }},
      {"repr", {"object"}, [](const Locals& a) { return Py(repr_text(a[0])); }},
      {"hasattr",
       {"object", "name"},
       [](const Locals& a) { return Py(take(object::hasattr(in(), a[0], name_of(a[1])))); }},
      {"setattr",
       {"object", "name", "value"},
       [](const Locals& a) {
         take(object::setattr(in(), a[0], name_of(a[1]), a[2]));
         return Py();
       }},
      {"delattr",
       {"object", "name"},
       [](const Locals& a) {
         take(object::delattr(in(), a[0], name_of(a[1])));
         return Py();
       }},
      {"dir", {"object"}, [](const Locals& a) { return Py(take(object::dir(in(), a[0]))); }},
      {"vars", {"object"}, [](const Locals& a) { return a[0].attr("__dict__"); }},
      {"isinstance", {"object", "cls"}, [](const Locals& a) { return Py(is_a(a[0], a[1])); }},
      {"issubclass",
       {"cls", "other"},
       [](const Locals& a) { return Py(a[0].value().as<Class>()->is_subclass_of(*a[1].value().as<Class>())); }},
      {"iter", {"object"}, [](const Locals& a) { return Py(take(object::iter(in(), a[0]))); }},
      {"next",
       {"iterator"},
       [](const Locals& a) {
         const Value item = take(object::next(in(), a[0]));
         if (item.is_absent()) throw Raised{object::make_error(in(), object::ErrorKind::StopIteration, "")};
         return Py(item);
       }},
      {"reversed",
       {"sequence"},
       [](const Locals& a) {
         std::vector<Value> items = take(object::to_vector(in(), a[0]));
         std::reverse(items.begin(), items.end());
         return Py(take(object::iter(in(), in().list(std::move(items)))));
       }},
      {"sum",
       {"iterable"},
       [](const Locals& a) {
         Py total = 0;
         for (const Value& one : take(object::to_vector(in(), a[0]))) total = total + Py(one);
         return total;
       }},
      {"deepcopy", {"x"}, [](const Locals& a) { return Py(take(object::deep_copy(in(), a[0]))); }},
      {"copy", {"x"}, [](const Locals& a) { return Py(take(object::shallow_copy(in(), a[0]))); }},
  };
  return kRows;
}

Py builtin_class(std::string_view name) {
  const object::Builtins& b = in().builtins();
  for (Class* cls : {b.object, b.type, b.integer, b.boolean, b.floating, b.str, b.tuple, b.list, b.dict, b.ordered_dict,
                     b.set, b.slice, b.property}) {
    if (cls->name() == name) return *cls;
  }
  for (Class* cls : b.exceptions) {
    if (cls != nullptr && cls->name() == name) return *cls;
  }
  return {};
}

}  // namespace

Py builtin(std::string_view name) {
  if (name == "enumerate") return def("enumerate", {"iterable", {"start", 0}}, enumerate);
  for (const Row& row : rows()) {
    if (row.name != name) continue;
    const Py made = def(row.name, row.parameters, row.body);
    // A program must see functions of the language, not of its own.
    made.value().object()->set_type(*in().builtins().builtin_function);
    return made;
  }
  return builtin_class(name);
}

Py nn(std::string_view name) {
  if (name == "Parameter") return *tensor::TensorLibrary::of(in()).parameter;
  if (name == "Buffer") return *tensor::TensorLibrary::of(in()).buffer;
  Class* cls = nn::NnLibrary::of(in()).find_class(name);
  if (cls == nullptr) throw Raised{object::attribute_error(in(), "module 'torch.nn' has no attribute '{}'", name)};
  return *cls;
}

Py torch(std::string_view name) {
  const auto& library = tensor::TensorLibrary::of(in());
  if (name == "Tensor") return *library.tensor;
  if (name == "device") return *library.device;
  if (const auto dtype = tensor::dtype_from_torch_name(name)) return library.dtype_value(*dtype);
  if (name == "set_overwrite_module_params_on_conversion") {
    return def("set_overwrite", {"value"}, [](const Locals& a) {
      nn::NnLibrary::of(in()).overwrite_params_on_conversion = static_cast<bool>(a[0]);
      return Py();
    });
  }
  if (const Value* found = ops::python_module(in(), "torch").find(in().intern(name))) return *found;
  const Value function = tensor::torch_function(in(), name);
  if (function.is_none()) throw Raised{object::attribute_error(in(), "module 'torch' has no attribute '{}'", name)};
  return function;
}

Py imported(std::string_view module, std::string_view name) {
  if (module == "torch.nn.functional") {
    const Value function = nn::functional(in(), name);
    if (!function.is_absent()) return function;
  }
  if (module == "torch.nn.utils.rnn") {
    const Value function = nn::rnn_utility(in(), name);
    if (!function.is_absent()) return function;
  }
  if (module.starts_with("torch.optim")) optim::OptimLibrary::of(in());
  const Value function = nn::utility(in(), module, name);
  if (!function.is_absent()) return function;
  if (const Value* found = ops::python_module(in(), module).find(in().intern(name))) return *found;
  throw Raised{object::attribute_error(in(), "module '{}' has no attribute '{}'", module, name)};
}

Py ellipsis() { return in().ellipsis(); }

Py nn_init(std::string_view name) { return imported("torch.nn.init", name); }

Py modules_module(std::string_view name) {
  const auto flag = [](const Py& value) { return static_cast<bool>(value); };
  if (name == "register_module_forward_pre_hook") {
    return def(name, {"hook"}, [](const Locals& a) { return Py(nn::register_module_forward_pre_hook(in(), a[0])); });
  }
  if (name == "register_module_forward_hook") {
    return def(name, {"hook", "*", {"with_kwargs", false}, {"always_call", false}}, [flag](const Locals& a) {
      return Py(nn::register_module_forward_hook(in(), a[0], {false, flag(a[1]), flag(a[2])}));
    });
  }
  if (name == "register_module_full_backward_pre_hook") {
    return def(name, {"hook"},
               [](const Locals& a) { return Py(nn::register_module_full_backward_pre_hook(in(), a[0])); });
  }
  if (name == "register_module_full_backward_hook" || name == "register_module_backward_hook") {
    const bool full = name == "register_module_full_backward_hook";
    return def(name, {"hook"},
               [full](const Locals& a) { return Py(take(nn::register_module_backward_hook(in(), a[0], full))); });
  }
  const nn::GlobalHooks table =
      name == "register_module_parameter_registration_hook" ? nn::GlobalHooks::ParameterRegistration
      : name == "register_module_buffer_registration_hook"  ? nn::GlobalHooks::BufferRegistration
                                                            : nn::GlobalHooks::ModuleRegistration;
  return def(name, {"hook"},
             [table](const Locals& a) { return Py(nn::register_module_registration_hook(in(), table, a[0])); });
}

Py warnings(std::string_view name) {
  if (name != "catch_warnings") return def(name, {"*args"}, [](const Locals&) { return Py(); });
  return def(name, {{"record", false}}, [](const Locals&) {
    const Py context = make_class("catch_warnings");
    const Py seen = list({});
    def_method(context, "__enter__", {"self"}, [seen](const Locals&) { return seen; });
    def_method(context, "__exit__", {"self", "*args"}, [seen](const Locals&) {
      for (const Interpreter::Warning& warning : in().take_warnings()) {
        const Py entry = make_class("WarningMessage")();
        entry.set("category", in().builtins().exception(warning.category));
        entry.set("message", warning.text);
        seen.attr("append")(entry);
      }
      return Py();
    });
    return context();
  });
}

}  // namespace nns::py
