// Builtin functions that walk: iter, next, zip, map, sorted, sum …
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/object/iterator.h"
#include "core/object/operations.h"
#include "core/object/operators.h"
#include "core/python/builtins/builtins.h"

namespace nns::python {
namespace {

using object::Tuple;
using Args = std::span<const Value>;

// A class whose instances are iterators of ours: what zip, map and their siblings are.
Class& iterator_class(Machine& machine, std::string_view name, std::string_view signature, object::NativeBody make) {
  Interpreter& in = machine.interpreter();
  Class& cls = in.define_class({.name = name, .module = "builtins"});
  cls.def_static(signature, std::move(make));
  cls.def("__init__(self, *args, **kwargs)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  cls.def("__iter__(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls.def("__next__(self)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Value item, static_cast<object::Iterator&>(*a[0].object()).next());
    if (item.is_absent()) return object::make_error(i, object::ErrorKind::StopIteration, "");
    return item;
  });
  machine.builtins().set(in.intern(name), Value(static_cast<object::Object*>(&cls)));
  return cls;
}

// An iterator of class `cls` over what `next` gives.
Value walking(Interpreter& in, const Value& cls, std::vector<Value> kept,
              std::function<PyResult<Value>(std::span<const Value>)> next) {
  Ref<object::Iterator> made = object::make_iterator(in, std::move(kept), std::move(next));
  if (Class* own = cls.as<Class>()) made->set_type(*own);
  return Value(made);
}

PyResult<std::vector<Value>> iterators_of(Interpreter& in, std::span<const Value> iterables) {
  std::vector<Value> iterators;
  for (const Value& one : iterables) {
    NNS_TRY_ASSIGN(Value iterator, object::iter(in, one));
    iterators.push_back(std::move(iterator));
  }
  return iterators;
}

// The smallest or largest of one iterable or of several arguments.
PyResult<Value> extreme(Interpreter& in, std::string_view name, const Value& given, const Value& key,
                        const Value& otherwise, object::BinaryOperator better) {
  const auto arguments = given.as<Tuple>()->items();
  if (arguments.empty()) return object::type_error(in, "{} expected at least 1 argument, got 0", name);
  if (arguments.size() > 1 && !otherwise.is_absent()) {
    return object::type_error(in, "Cannot specify a default for {}() with multiple positional arguments", name);
  }
  std::vector<Value> items(arguments.begin(), arguments.end());
  if (arguments.size() == 1) {
    NNS_TRY_ASSIGN(items, object::to_vector(in, arguments[0]));
  }
  if (items.empty()) {
    if (!otherwise.is_absent()) return otherwise;
    return object::value_error(in, "{}() iterable argument is empty", name);
  }
  Value best, best_key;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Value own = items[i];
    if (!key.is_none()) {
      NNS_TRY_ASSIGN(own, in.call(key, {items[i]}));
    }
    if (i > 0) {
      NNS_TRY_ASSIGN(const Value answer, object::binary(in, better, own, best_key));
      NNS_TRY_ASSIGN(const bool is_better, object::truth(in, answer));
      if (!is_better) continue;
    }
    best = items[i];
    best_key = std::move(own);
  }
  return best;
}

}  // namespace

void add_iteration_functions(Machine& machine) {
  add_builtin(machine, "iter(object, sentinel=absent, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].is_absent()) return object::iter(in, a[0]);
    return Value(object::make_iterator(in, {a[0], a[1]}, [](std::span<const Value> kept) -> PyResult<Value> {
      Interpreter& i = kept[0].object()->interpreter();
      NNS_TRY_ASSIGN(Value item, i.call(kept[0], std::initializer_list<Value>{}));
      NNS_TRY_ASSIGN(const bool is_end, object::equal(i, item, kept[1]));
      return is_end ? Value::absent() : item;
    }));
  });
  add_builtin(machine, "aiter(async_iterable, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Value* const method = in.type_of(a[0]).lookup(in.names().dunder_aiter);
    if (method == nullptr) {
      return object::type_error(in, "'{}' object is not an async iterable", in.type_of(a[0]).name());
    }
    NNS_TRY_ASSIGN(Value iterator, in.call_special(a[0], in.names().dunder_aiter));
    if (in.type_of(iterator).lookup(in.names().dunder_anext) == nullptr) {
      return object::type_error(in, "aiter() returned not an async iterator of type '{}'", in.type_of(iterator).name());
    }
    return iterator;
  });
  add_builtin(machine, "anext(async_iterator, default=absent, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (in.type_of(a[0]).lookup(in.names().dunder_anext) == nullptr) {
      return object::type_error(in, "'{}' object is not an async iterator", in.type_of(a[0]).name());
    }
    NNS_TRY_ASSIGN(Value awaitable, in.call_special(a[0], in.names().dunder_anext));
    if (a[1].is_absent()) return awaitable;
    // Written in Python: it waits.
    NNS_TRY_ASSIGN(const Value module, Machine::of(in).import_module("_coroutines", 0, nullptr));
    NNS_TRY_ASSIGN(const Value with_default, object::getattr(in, module, in.intern("anext_or")));
    return in.call(with_default, {awaitable, a[1]});
  });
  add_builtin(machine, "next(iterator, default=absent, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (in.type_of(a[0]).lookup(in.names().dunder_next) == nullptr && a[0].as<object::Iterator>() == nullptr) {
      return object::type_error(in, "'{}' object is not an iterator", in.type_of(a[0]).name());
    }
    if (a[0].as<object::Iterator>() == nullptr || &in.type_of(a[0]) == Machine::of(in).classes.generator) {
      // The StopIteration of a program may carry a value.
      PyResult<Value> item = in.call_special(a[0], in.names().dunder_next);
      if (!item.ok() && item.error().is(object::ErrorKind::StopIteration) && !a[1].is_absent()) return a[1];
      return item;
    }
    NNS_TRY_ASSIGN(Value item, object::next(in, a[0]));
    if (!item.is_absent()) return item;
    if (!a[1].is_absent()) return a[1];
    PyError end = object::make_error(in, object::ErrorKind::StopIteration, "");
    end.exception().set_arguments(in.tuple());
    return end;
  });
  iterator_class(
      machine, "zip", "__new__(cls, *iterables, strict=False)", [](Interpreter& in, Args a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(std::vector<Value> iterators, iterators_of(in, a[1].as<Tuple>()->items()));
        NNS_TRY_ASSIGN(const bool is_strict, object::truth(in, a[2]));
        Interpreter* const interpreter = &in;
        return walking(in, a[0], std::move(iterators),
                       [interpreter, is_strict](std::span<const Value> kept) -> PyResult<Value> {
                         Interpreter& i = *interpreter;
                         if (kept.empty()) return Value::absent();
                         std::vector<Value> row;
                         row.reserve(kept.size());
                         for (std::size_t k = 0; k < kept.size(); ++k) {
                           NNS_TRY_ASSIGN(Value item, object::next(i, kept[k]));
                           if (!item.is_absent()) {
                             row.push_back(std::move(item));
                             continue;
                           }
                           if (is_strict) {
                             const auto uneven = [&](std::size_t which, std::string_view how) {
                               return object::value_error(i, "zip() argument {} is {} than argument{} {}", which + 1,
                                                          how, which == 1 ? "" : "s 1-", which == 1 ? 1 : which);
                             };
                             if (k > 0) return uneven(k, "shorter");
                             for (std::size_t other = 1; other < kept.size(); ++other) {
                               NNS_TRY_ASSIGN(const Value more, object::next(i, kept[other]));
                               if (!more.is_absent()) return uneven(other, "longer");
                             }
                           }
                           return Value::absent();
                         }
                         return Value(i.tuple(std::move(row)));
                       });
      });
  iterator_class(machine, "enumerate", "__new__(cls, iterable, start=0)",
                 [](Interpreter& in, Args a) -> PyResult<Value> {
                   NNS_TRY_ASSIGN(Value iterator, object::iter(in, a[1]));
                   NNS_TRY_ASSIGN(const std::int64_t start, object::index(in, a[2]));
                   Interpreter* const interpreter = &in;
                   return walking(in, a[0], {std::move(iterator)},
                                  [interpreter, at = start](std::span<const Value> kept) mutable -> PyResult<Value> {
                                    NNS_TRY_ASSIGN(Value item, object::next(*interpreter, kept[0]));
                                    if (item.is_absent()) return item;
                                    return Value(interpreter->tuple({Value(at++), std::move(item)}));
                                  });
                 });
  iterator_class(machine, "map", "__new__(cls, function, *iterables)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(std::vector<Value> kept_values, iterators_of(in, a[2].as<Tuple>()->items()));
    if (kept_values.empty()) return object::type_error(in, "map() must have at least two arguments.");
    kept_values.push_back(a[1]);
    Interpreter* const interpreter = &in;
    return walking(in, a[0], std::move(kept_values), [interpreter](std::span<const Value> kept) -> PyResult<Value> {
      std::vector<Value> arguments;
      for (std::size_t k = 0; k + 1 < kept.size(); ++k) {
        NNS_TRY_ASSIGN(Value item, object::next(*interpreter, kept[k]));
        if (item.is_absent()) return item;
        arguments.push_back(std::move(item));
      }
      return interpreter->call(kept.back(), arguments);
    });
  });
  iterator_class(machine, "filter", "__new__(cls, function, iterable)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Value iterator, object::iter(in, a[2]));
    Interpreter* const interpreter = &in;
    return walking(in, a[0], {a[1], std::move(iterator)},
                   [interpreter](std::span<const Value> kept) -> PyResult<Value> {
                     while (true) {
                       NNS_TRY_ASSIGN(Value item, object::next(*interpreter, kept[1]));
                       if (item.is_absent()) return item;
                       Value answer = item;
                       if (!kept[0].is_none()) {
                         NNS_TRY_ASSIGN(answer, interpreter->call(kept[0], {item}));
                       }
                       NNS_TRY_ASSIGN(const bool is_kept, object::truth(*interpreter, answer));
                       if (is_kept) return item;
                     }
                   });
  });
  iterator_class(machine, "reversed", "__new__(cls, sequence)", [](Interpreter& in, Args a) -> PyResult<Value> {
    Class& cls = in.type_of(a[1]);
    const Name name = in.intern("__reversed__");
    if (const Value* own = cls.lookup(name)) {
      if (!own->is_none()) return in.call_special(a[1], name);
      return object::type_error(in, "'{}' object is not reversible", cls.name());
    }
    if (cls.lookup(in.names().dunder_getitem) == nullptr || cls.lookup(in.names().dunder_len) == nullptr) {
      return object::type_error(in, "'{}' object is not reversible", cls.name());
    }
    NNS_TRY_ASSIGN(const std::int64_t length, object::length(in, a[1]));
    Interpreter* const interpreter = &in;
    return walking(in, a[0], {a[1]},
                   [interpreter, at = length](std::span<const Value> kept) mutable -> PyResult<Value> {
                     if (at <= 0) return Value::absent();
                     return object::getitem(*interpreter, kept[0], Value(--at));
                   });
  });
  add_builtin(machine, "sorted(iterable, /, *, key=None, reverse=False)",
              [](Interpreter& in, Args a) -> PyResult<Value> {
                NNS_TRY_ASSIGN(std::vector<Value> items, object::to_vector(in, a[0]));
                const Value list = in.list(std::move(items));
                const object::Keyword keywords[] = {{in.intern("key"), a[1]}, {in.intern("reverse"), a[2]}};
                NNS_TRY(in.call_method(list, in.intern("sort"), {}, keywords));
                return list;
              });
  add_builtin(machine, "sum(iterable, /, start=0)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].as<object::Str>() != nullptr) {
      return object::type_error(in, "sum() can't sum strings [use ''.join(seq) instead]");
    }
    Value total = a[1];
    // Floats are added as Python 3.12 and later do, with the rounding errors kept aside (Neumaier).
    double rest = 0;
    bool is_float_sum = false;
    NNS_TRY(object::for_each(in, a[0], [&](const Value& item) -> PyResult<void> {
      if (total.is_float() && (item.is_float() || item.is_int())) {
        const double before = total.as_float();
        const double one = item.is_float() ? item.as_float() : static_cast<double>(item.as_int());
        const double after = before + one;
        rest += std::abs(before) >= std::abs(one) ? (before - after) + one : (one - after) + before;
        is_float_sum = true;
        total = Value(after);
        return {};
      }
      NNS_TRY_ASSIGN(total, object::binary(in, object::BinaryOperator::Add, total, item));
      return {};
    }));
    if (is_float_sum && total.is_float() && std::isfinite(rest)) return Value(total.as_float() + rest);
    return total;
  });
  add_builtin(machine, "min(*args, key=None, default=absent)",
              [](Interpreter& in, Args a) { return extreme(in, "min", a[0], a[1], a[2], object::BinaryOperator::Lt); });
  add_builtin(machine, "max(*args, key=None, default=absent)",
              [](Interpreter& in, Args a) { return extreme(in, "max", a[0], a[1], a[2], object::BinaryOperator::Gt); });
  const auto add_quantifier = [&](std::string_view signature, auto body) { add_builtin(machine, signature, body); };
  add_quantifier("any(iterable, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value iterator, object::iter(in, a[0]));
    while (true) {
      NNS_TRY_ASSIGN(const Value item, object::next(in, iterator));
      if (item.is_absent()) return Value(false);
      NNS_TRY_ASSIGN(const bool is_true, object::truth(in, item));
      if (is_true) return Value(true);
    }
  });
  add_quantifier("all(iterable, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value iterator, object::iter(in, a[0]));
    while (true) {
      NNS_TRY_ASSIGN(const Value item, object::next(in, iterator));
      if (item.is_absent()) return Value(true);
      NNS_TRY_ASSIGN(const bool is_true, object::truth(in, item));
      if (!is_true) return Value(false);
    }
  });
}

}  // namespace nns::python
