#include "tests/ops/py.h"

#include <fmt/format.h>

#include "core/object/copy.h"
#include "core/object/iterator.h"
#include "core/object/operators.h"

namespace nns::py {
namespace {

using object::Class;
using object::Dict;

// One program a thread at a time.
thread_local World* g_world = nullptr;

Class* class_of(const Py& value) { return value.value().as<Class>(); }

double as_double(const Value& value) {
  return value.is_float() ? value.as_float() : static_cast<double>(value.as_int());
}

}  // namespace

World::World() {
  g_world = this;
  nn::NnLibrary::of(in);
}
World::~World() {
  warning_lists.clear();
  g_world = nullptr;
}
World& World::now() { return *g_world; }

Py::Py(const char* text) : value_(in().text(text)) {}
Py::Py(const std::string& text) : value_(in().text(text)) {}
Py::Py(std::string_view text) : value_(in().text(text)) {}

Py Py::attr(std::string_view name) const { return take(object::getattr(in(), value_, in().intern(name))); }
void Py::set(std::string_view name, const Py& value) const {
  take(object::setattr(in(), value_, in().intern(name), value));
}
void Py::del(std::string_view name) const { take(object::delattr(in(), value_, in().intern(name))); }
Py Py::item(const Py& key) const { return take(object::getitem(in(), value_, key)); }
void Py::set_item(const Py& key, const Py& value) const { take(object::setitem(in(), value_, key, value)); }
void Py::del_item(const Py& key) const { take(object::delitem(in(), value_, key)); }

void CallArguments::add(const KeywordArgument& argument) {
  keywords_.push_back({in().intern(argument.name), argument.value.value()});
}
void CallArguments::add(const StarArgument& argument) {
  for (const Value& one : take(object::to_vector(in(), argument.value))) positional_.push_back(one);
}
void CallArguments::add(const DoubleStarArgument& argument) {
  Dict& dict = *argument.value.value().as<Dict>();
  for (std::size_t at = 0; Dict::Entry* entry = dict.next(at);) {
    keywords_.push_back({in().intern(*entry->key.as<object::Str>()), entry->value});
  }
}
Py CallArguments::call(const Py& callee) const { return take(in().call(callee, positional_, keywords_)); }

Py Py::operator()(std::initializer_list<Argument> arguments) const {
  CallArguments collected;
  for (const Argument& argument : arguments) argument.add_to(collected);
  return collected.call(*this);
}
Py Var::operator()(std::initializer_list<Argument> arguments) const {
  const Py callee = *cell_;
  return callee(arguments);
}

Py def(std::string_view name, const Parameters& parameters, Body body, std::string_view owner) {
  using Kind = object::Parameter::Kind;
  std::vector<object::Parameter> bound;
  bool keyword_only = false;
  for (const Parameter& parameter : parameters) {
    std::string_view text = parameter.name;
    object::Parameter one;
    one.default_value = parameter.default_value;
    if (text == "*") {
      keyword_only = true;
      continue;
    }
    if (text.starts_with("**")) {
      one.kind = Kind::VarKeyword;
      text.remove_prefix(2);
    } else if (text.starts_with('*')) {
      one.kind = Kind::VarPositional;
      keyword_only = true;
      text.remove_prefix(1);
    } else if (keyword_only) {
      one.kind = Kind::KeywordOnly;
    }
    one.name = in().intern(text);
    bound.push_back(one);
  }
  const std::string qualified = owner.empty() ? std::string(name) : fmt::format("{}.{}", owner, name);
  return object::make<object::NativeFunction>(
      in(), name, qualified, object::Signature(std::move(bound)),
      [body = std::move(body)](Interpreter&, std::span<const Value> arguments) -> PyResult<Value> {
        try {
          return body(Locals(arguments.begin(), arguments.end())).value();
        } catch (const Raised& raised) {
          return raised.error;
        }
      });
}

Py make_class(std::string_view name, const std::vector<Py>& bases) {
  std::vector<Class*> classes;
  for (const Py& base : bases) classes.push_back(class_of(base));
  return take(Class::make(in(), {.name = name, .bases = classes}));
}
void def_method(const Py& cls, std::string_view name, const Parameters& parameters, Body body) {
  cls.set(name, def(name, parameters, std::move(body), class_of(cls)->name()));
}
void def_property(const Py& cls, std::string_view name, Body getter) {
  cls.set(name, object::make<object::Property>(in(), def(name, {"self"}, std::move(getter)).value()));
}
void def_static(const Py& cls, std::string_view name, const Parameters& parameters, Body body) {
  cls.set(name, object::make<object::WrappedMethod>(in(), object::WrappedMethod::Binding::Static,
                                                    def(name, parameters, std::move(body)).value()));
}
void def_classmethod(const Py& cls, std::string_view name, const Parameters& parameters, Body body) {
  cls.set(name, object::make<object::WrappedMethod>(in(), object::WrappedMethod::Binding::Class,
                                                    def(name, parameters, std::move(body)).value()));
}

Py super_attr(const Py& cls, const Py& self, std::string_view name) {
  Class* own = class_of(self) != nullptr ? class_of(self) : &in().type_of(self);
  const Value* found = own->lookup_after(in().intern(name), *class_of(cls));
  if (found == nullptr) {
    throw Raised{object::attribute_error(in(), "'super' object has no attribute '{}'", name)};
  }
  if (!found->is_object()) return Py(*found);
  const Value keep = *found;
  return take(keep.object()->bind(self, *own));
}

Py list(std::initializer_list<Py> items) { return in().list({items.begin(), items.end()}); }
Py tensor_of(std::initializer_list<Py> items) { return torch("tensor")(list(items)); }
Py tuple(std::initializer_list<Py> items) { return in().tuple({items.begin(), items.end()}); }
Py set(std::initializer_list<Py> items) {
  const auto made = in().set();
  for (const Py& item : items) made->add(item.value());
  return made;
}
Py dict(std::initializer_list<std::pair<Py, Py>> items) {
  const auto made = in().dict();
  for (const auto& [key, value] : items) made->set(key.value(), value.value());
  return made;
}
Py slice(const Py& start, const Py& stop, const Py& step) {
  return object::make<object::Slice>(in(), start.value(), stop.value(), step.value());
}
Py comprehension(const std::function<void(std::vector<Value>&)>& fill) {
  std::vector<Value> items;
  fill(items);
  return in().list(std::move(items));
}
Py dict_comprehension(const std::function<void(Dict&)>& fill) {
  const auto made = in().dict();
  fill(*made);
  return made;
}

void for_each(const Py& iterable, const std::function<bool(const Py&)>& use) {
  const Value iterator = take(object::iter(in(), iterable));
  while (true) {
    const Value item = take(object::next(in(), iterator));
    if (item.is_absent() || !use(item)) return;
  }
}

std::vector<Py> items(const Py& iterable) {
  const std::vector<Value> all = take(object::to_vector(in(), iterable));
  return {all.begin(), all.end()};
}

std::vector<Py> unpack(const Py& iterable, std::size_t count) {
  const std::vector<Value> items = take(object::to_vector(in(), iterable));
  if (items.size() != count) {
    throw Raised{object::value_error(in(), "not enough values to unpack (expected {}, got {})", count, items.size())};
  }
  return {items.begin(), items.end()};
}

Py binary(std::string_view symbol, const Py& a, const Py& b) {
  return take(object::binary(in(), object::operator_of(symbol), a, b));
}
Py in_place(std::string_view symbol, const Py& a, const Py& b) {
  return take(object::in_place(in(), object::operator_of(symbol), a, b));
}
Py unary(std::string_view symbol, const Py& a) {
  return take(object::unary(in(),
                            symbol == "-"   ? object::UnaryOperator::Neg
                            : symbol == "+" ? object::UnaryOperator::Pos
                                            : object::UnaryOperator::Invert,
                            a));
}
Py both(const Py& a, const std::function<Py()>& b) { return a ? b() : a; }
Py either(const Py& a, const std::function<Py()>& b) { return a ? a : b(); }
Py operator+(const Py& a, const Py& b) { return binary("+", a, b); }
Py operator-(const Py& a, const Py& b) { return binary("-", a, b); }
Py operator*(const Py& a, const Py& b) { return binary("*", a, b); }
Py operator<(const Py& a, const Py& b) { return binary("<", a, b); }
Py operator>(const Py& a, const Py& b) { return binary(">", a, b); }
Py equal(const Py& a, const Py& b) { return Py(take(object::equal(in(), a, b))); }
Py negate(const Py& a) { return unary("-", a); }
Py contains(const Py& item, const Py& container) { return Py(take(object::contains(in(), container, item))); }

std::string text(const Py& value) { return take(object::str(in(), value)); }
std::string repr_text(const Py& value) { return take(object::repr(in(), value)); }

std::string format_value(const Py& value, std::string_view specification) {
  if (specification.empty()) return text(value);
  const Value& v = value;
  if (specification.back() == 'f' || specification.back() == 'e' || specification.back() == 'g') {
    return fmt::format(fmt::runtime(fmt::format("{{:{}}}", specification)), as_double(v));
  }
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", specification)), text(value));
}

bool matches(const Raised& raised, std::string_view name) {
  for (const Class* cls : raised.error.exception().type().mro()) {
    if (cls->name() == name) return true;
  }
  return false;
}
Py exception_of(const Raised& raised) { return Py(Value(&raised.error.exception())); }

void raise(const Py& exception) {
  Value value = exception;
  if (value.as<Class>() != nullptr) value = take(in().call(value, std::span<const Value>()));
  throw Raised{PyError(Ref<object::Exception>(value.as<object::Exception>()))};
}

void with(const Py& context, const std::function<void(const Py&)>& use) {
  const auto& names = in().names();
  const Py entered = take(in().call_special(context, names.dunder_enter));
  try {
    use(entered);
  } catch (const Raised& raised) {
    const Value type(static_cast<object::Object*>(&raised.error.exception().type()));
    const Value answer =
        take(in().call_special(context, names.dunder_exit, {type, Value(&raised.error.exception()), Value()}));
    if (!take(object::truth(in(), answer))) throw;
    return;
  }
  take(in().call_special(context, names.dunder_exit, {Value(), Value(), Value()}));
}

Py attempt() {
  return def("attempt", {"label", "fn"}, [](const Locals& a) -> Py {
    std::string& out = World::now().out;
    try {
      const Py result = a[1]();
      out += fmt::format("{}: {}\n", text(a[0]), result.value().is_none() ? std::string("ok") : text(result));
    } catch (const Raised& raised) {
      if (!matches(raised, "Exception")) throw;
      out += fmt::format("{}: {}: {}\n", text(a[0]), raised.error.type(), raised.error.message());
    }
    return {};
  });
}

Py show() {
  return def("show", {"t", {"digits", Py(4)}}, [](const Locals& a) -> Py {
    if (a[0].value().is_none()) return Py("None");
    const auto& tensor = *a[0].value().as<tensor::Tensor>();
    const std::function<std::string(std::size_t, std::int64_t)> write = [&](std::size_t dim, std::int64_t place) {
      if (dim == tensor.ndim()) {
        const std::string number =
            fmt::format("{:.{}f}", tensor::read_double(tensor, place), static_cast<int>(a[1].value().as_int()));
        const bool is_negative_zero = number[0] == '-' && number.find_first_not_of("-0.") == std::string::npos;
        return is_negative_zero ? number.substr(1) : number;
      }
      std::string line = "[";
      for (std::int64_t i = 0; i < tensor.shape()[dim]; ++i) {
        line.append(i > 0 ? ", " : "").append(write(dim + 1, place + i * tensor.strides()[dim]));
      }
      return line + "]";
    };
    return Py(write(0, tensor.offset()));
  });
}

Py show_items(std::string_view format) {
  return def("show", {"t"}, [format = std::string(format)](const Locals& a) -> Py {
    builtin("print")(comprehension([&](std::vector<Value>& texts) {
      for (const Py& item : items(a[0].attr("flatten")().attr("tolist")())) {
        texts.push_back(Py(format_value(item, format)).value());
      }
    }));
    return {};
  });
}

Py static_method(const Py& function) {
  return object::make<object::WrappedMethod>(in(), object::WrappedMethod::Binding::Static, function.value());
}

Outcome run(const std::function<void()>& program) {
  World world;
  try {
    program();
  } catch (const Raised& raised) {
    return {world.out, fmt::format("{}: {}", raised.error.type(), raised.error.message())};
  }
  return {world.out, ""};
}

std::string error_of(const std::function<void()>& program) { return run(program).error; }

std::string shown(const std::function<Py()>& value) {
  std::string text;
  const Outcome outcome = run([&] { text = repr_text(value()); });
  return outcome.error.empty() ? text : outcome.error;
}

}  // namespace nns::py
