#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/nn/layers.h"
#include "core/nn/module.h"
#include "core/object/operations.h"

/// Writing Python programs down in C++, so that recorded behaviour can be translated line by line: values with
/// attributes, calls, operators and exceptions, over the same core that a front end drives.
namespace nns::py {

using object::Interpreter;
using object::PyError;
using object::PyResult;
using object::Ref;
using object::Value;

/// An exception of the program on its way through C++.
struct Raised {
  PyError error;
};

/// The program that runs now: its interpreter and what it printed.
class World {
 public:
  World();
  ~World();
  Interpreter in;
  std::string out;
  std::vector<std::unique_ptr<Value>> warning_lists;
  static World& now();
};
inline Interpreter& in() { return World::now().in; }

/// The value, or the exception thrown.
template <class T>
T take(PyResult<T> result) {
  if (!result.ok()) throw Raised{std::move(result).error()};
  return std::move(result).value();
}
inline void take(PyResult<void> result) {
  if (!result.ok()) throw Raised{std::move(result).error()};
}

class Var;
class Argument;

/// A value of the program.
class Py {
 public:
  Py() = default;
  Py(Value value) : value_(std::move(value)) {}
  Py(std::nullptr_t) {}
  template <class T>
  requires(std::is_arithmetic_v<T>) Py(T number) : value_(number) {}
  Py(const char* text);
  Py(const std::string& text);
  Py(std::string_view text);
  template <class T>
  requires std::derived_from<T, object::Object> Py(Ref<T> object) : value_(std::move(object)) {}
  Py(object::Class& cls) : value_(static_cast<object::Object*>(&cls)) {}

  const Value& value() const { return value_; }
  operator const Value&() const { return value_; }
  explicit operator bool() const { return take(object::truth(World::now().in, value_)); }

  Py attr(std::string_view name) const;
  void set(std::string_view name, const Py& value) const;
  void del(std::string_view name) const;
  Py item(const Py& key) const;
  void set_item(const Py& key, const Py& value) const;
  void del_item(const Py& key) const;

  /// Calls it; star(x), kw("name", x) and dstar(x) among the arguments mean what they look like.
  template <class... Args>
  Py operator()(Args&&... args) const;
  /// The same with the arguments in braces, which C++ evaluates in the order in which they stand.
  Py operator()(std::initializer_list<Argument> arguments) const;

 protected:
  Value value_;
};

/// A variable of the program: copies of it are the same variable, as closures see it.
class Var {
 public:
  Var() : cell_(std::make_shared<Py>()) {}
  Var(const Py& value) : cell_(std::make_shared<Py>(value)) {}
  const Var& operator=(const Py& value) const {
    *cell_ = value;
    return *this;
  }
  Var(const Var&) = default;
  Var& operator=(const Var& other) {  // NOLINT(bugprone-unhandled-self-assignment): Py's own assignment handles it
    *cell_ = *other.cell_;
    return *this;
  }
  operator const Py&() const { return *cell_; }
  const Py& get() const { return *cell_; }
  explicit operator bool() const { return static_cast<bool>(*cell_); }
  Py attr(std::string_view name) const { return cell_->attr(name); }
  void set(std::string_view name, const Py& value) const { cell_->set(name, value); }
  void del(std::string_view name) const { cell_->del(name); }
  Py item(const Py& key) const { return cell_->item(key); }
  void set_item(const Py& key, const Py& value) const { cell_->set_item(key, value); }
  void del_item(const Py& key) const { cell_->del_item(key); }
  template <class... Args>
  Py operator()(Args&&... args) const {
    const Py callee = *cell_;
    return callee(std::forward<Args>(args)...);
  }
  Py operator()(std::initializer_list<Argument> arguments) const;

 private:
  std::shared_ptr<Py> cell_;
};

// Arguments of a call.
struct KeywordArgument {
  std::string name;
  Py value;
};
struct StarArgument {
  Py value;
};
struct DoubleStarArgument {
  Py value;
};
inline KeywordArgument kw(std::string name, const Py& value) { return {std::move(name), value}; }
inline StarArgument star(const Py& value) { return {value}; }
inline DoubleStarArgument dstar(const Py& value) { return {value}; }

class CallArguments {
 public:
  void add(const Py& value) { positional_.push_back(value.value()); }
  void add(const Var& value) { add(value.get()); }
  void add(const KeywordArgument& argument);
  void add(const StarArgument& argument);
  void add(const DoubleStarArgument& argument);
  Py call(const Py& callee) const;

 private:
  std::vector<Value> positional_;
  std::vector<object::Keyword> keywords_;
};

/// One argument of a call in braces.
class Argument {
 public:
  template <class T>
  Argument(const T& value) {
    if constexpr (std::is_same_v<T, KeywordArgument> || std::is_same_v<T, StarArgument> ||
                  std::is_same_v<T, DoubleStarArgument>) {
      add_ = [value](CallArguments& to) { to.add(value); };
    } else if constexpr (std::is_same_v<T, Var>) {
      add_ = [now = value.get()](CallArguments& to) { to.add(now); };
    } else {
      add_ = [now = Py(value)](CallArguments& to) { to.add(now); };
    }
  }
  void add_to(CallArguments& to) const { add_(to); }

 private:
  std::function<void(CallArguments&)> add_;
};

template <class... Args>
Py Py::operator()(Args&&... args) const {
  CallArguments collected;
  [[maybe_unused]] const auto add = [&collected](auto&& argument) {
    if constexpr (requires { collected.add(argument); } &&
                  !std::is_arithmetic_v<std::remove_cvref_t<decltype(argument)>> &&
                  !std::is_convertible_v<decltype(argument), std::string_view>) {
      collected.add(argument);
    } else {
      collected.add(Py(argument));
    }
  };
  (add(args), ...);
  return collected.call(*this);
}

/// A parameter of a function, perhaps with a default.
struct Parameter {
  Parameter(const char* text) : name(text) {}
  Parameter(const char* text, const Py& otherwise) : name(text), default_value(otherwise.value()) {}
  std::string name;
  Value default_value = Value::absent();
};
using Parameters = std::vector<Parameter>;
using Locals = std::vector<Py>;
/// A body gets its arguments in the order of the parameters. "*", "*args" and "**kwargs" are written as in Python.
using Body = std::function<Py(const Locals&)>;
Py def(std::string_view name, const Parameters& parameters, Body body, std::string_view owner = {});
inline Py lambda(const Parameters& parameters, Body body) { return def("<lambda>", parameters, std::move(body)); }

/// class name(bases): its attributes are set one by one.
Py make_class(std::string_view name, const std::vector<Py>& bases = {});
void def_method(const Py& cls, std::string_view name, const Parameters& parameters, Body body);
void def_property(const Py& cls, std::string_view name, Body getter);
void def_static(const Py& cls, std::string_view name, const Parameters& parameters, Body body);
void def_classmethod(const Py& cls, std::string_view name, const Parameters& parameters, Body body);
/// super(cls, self).name
Py super_attr(const Py& cls, const Py& self, std::string_view name);

// What a program imports.
Py nn(std::string_view name);
Py torch(std::string_view name);
/// from <module> import <name>: torch.autograd.grad, torch.nn.functional.relu.
Py imported(std::string_view module, std::string_view name);
/// from torch.nn.init import <name>.
Py nn_init(std::string_view name);
/// torch.nn.modules.module.register_module_forward_hook and its siblings.
Py modules_module(std::string_view name);
/// print, len, isinstance, OrderedDict, deepcopy, ...
Py builtin(std::string_view name);
/// warnings.catch_warnings(record=True) and warnings.simplefilter.
Py warnings(std::string_view name);

// Displays.
Py list(std::initializer_list<Py> items);
/// torch.tensor([...]).
Py tensor_of(std::initializer_list<Py> items);
Py tuple(std::initializer_list<Py> items);
Py set(std::initializer_list<Py> items);
Py dict(std::initializer_list<std::pair<Py, Py>> items);
Py slice(const Py& start, const Py& stop, const Py& step = {});
/// [element for ...]: `fill` appends.
Py comprehension(const std::function<void(std::vector<Value>&)>& fill);
Py dict_comprehension(const std::function<void(object::Dict&)>& fill);
/// The items of an iterable, one by one: `use` returns false to leave the loop.
void for_each(const Py& iterable, const std::function<bool(const Py&)>& use);
/// All items of an iterable.
std::vector<Py> items(const Py& iterable);
std::vector<Py> unpack(const Py& iterable, std::size_t count);

// Operators.
Py operator+(const Py& a, const Py& b);
Py operator-(const Py& a, const Py& b);
Py operator*(const Py& a, const Py& b);
Py operator<(const Py& a, const Py& b);
Py operator>(const Py& a, const Py& b);
Py equal(const Py& a, const Py& b);
Py negate(const Py& a);
/// a <symbol> b for any operator, comparisons too, and what `a <symbol>= b` makes of a.
Py binary(std::string_view symbol, const Py& a, const Py& b);
Py in_place(std::string_view symbol, const Py& a, const Py& b);
Py unary(std::string_view symbol, const Py& a);
/// a and b(), a or b().
Py both(const Py& a, const std::function<Py()>& b);
Py either(const Py& a, const std::function<Py()>& b);
Py ellipsis();
inline Py is(const Py& a, const Py& b) { return Py(a.value().is(b.value())); }
inline Py is_not(const Py& a, const Py& b) { return Py(!a.value().is(b.value())); }
inline Py negation(const Py& a) { return Py(!static_cast<bool>(a)); }
Py contains(const Py& item, const Py& container);

// Texts.
std::string format_value(const Py& value, std::string_view specification);
std::string text(const Py& value);
std::string repr_text(const Py& value);

/// Whether `except <name>` catches it.
bool matches(const Raised& raised, std::string_view name);
Py exception_of(const Raised& raised);
[[noreturn]] void raise(const Py& exception);
/// with context as ...: `use` gets what __enter__ returned; __exit__ runs in any case.
void with(const Py& context, const std::function<void(const Py&)>& use);

/// attempt(label, fn) of the recorded programs: prints a result or the exception's type and message.
Py attempt();
/// show(tensor, digits) of the recorded programs: nested lists of numbers with that many decimals.
Py show();
/// show(t) of the recorded programs about random numbers: prints the items in a row, as texts of this format (".6f").
Py show_items(std::string_view format);
/// staticmethod(function).
Py static_method(const Py& function);

/// What a program wrote, and the exception that ended it, as "Type: message".
struct Outcome {
  std::string out;
  std::string error;
};
Outcome run(const std::function<void()>& program);
/// What `program` raises.
std::string error_of(const std::function<void()>& program);
/// repr() of what it gives, or what it raises.
std::string shown(const std::function<Py()>& value);

}  // namespace nns::py
