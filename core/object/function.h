#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/object/body.h"
#include "core/object/collector.h"
#include "core/object/error.h"
#include "core/object/str.h"

namespace nns::object {

class Tuple;

/// One argument given by name.
struct Keyword {
  Name name;
  Value value;
};

/// What a callable is called with. The memory belongs to the caller.
struct Arguments {
  std::span<const Value> positional = {};
  std::span<const Keyword> keywords = {};
};

/// **kwargs as arguments by name; keys that are no texts are left out.
std::vector<Keyword> keywords_of(Interpreter& interpreter, Dict& named);
/// The same; none if it is no dict.
std::vector<Keyword> keywords_of(Interpreter& interpreter, const Value& named);

/// One parameter of a function.
struct Parameter {
  enum class Kind : std::uint8_t { Plain, KeywordOnly, VarPositional, VarKeyword, PositionalOnly };
  Name name;
  Kind kind = Kind::Plain;
  /// Absent: the argument must be given.
  Value default_value = Value::absent();
};

/// A function's parameters, and how arguments are matched with them.
/// Behaviour: CPython Python/ceval.c, initialize_locals and its messages.
class Signature {
 public:
  /// Reads "x, y=None, *args, key=True, **rest"; a lone "*" begins keyword-only ones, those before a lone "/" are
  /// positional only. Defaults: None, True, False, ints, floats, quoted strings, tuples of these, and `absent`: the
  /// argument may be left out, and the body sees that. Must hold: the text is well formed.
  Signature(Interpreter& interpreter, std::string_view parameters);
  explicit Signature(std::vector<Parameter> parameters);

  std::span<const Parameter> parameters() const { return parameters_; }
  /// Whether `positional` alone, without keywords, is exactly what the parameters take.
  bool takes_as_given(const Arguments& arguments) const {
    return arguments.keywords.empty() && takes_positional(arguments.positional.size());
  }
  bool takes_positional(std::size_t count) const { return only_plain_ && count == parameters_.size(); }
  /// One value a parameter, in their order: *args as a tuple, **kwargs as a dict.
  /// Errors: TypeError in Python's words, with `qualified_name` in front. A function with a "/" speaks of wrong numbers
  /// of arguments as Python's own functions in C do.
  PyResult<std::vector<Value>> bind(Interpreter& interpreter, std::string_view qualified_name,
                                    const Arguments& arguments) const;

 private:
  std::vector<Parameter> parameters_;
  std::size_t plain_count_ = 0;
  std::size_t required_count_ = 0;
  std::size_t positional_only_count_ = 0;
  bool only_plain_ = true;
  PyError wrong_count(Interpreter& interpreter, std::string_view qualified_name, std::size_t given) const;
};

/// The body of a function of ours. `args` has one value for each parameter of its signature.
using NativeBody = Body<PyResult<Value>(Interpreter& interpreter, std::span<const Value> args)>;

/// A function written in C++. In a class it is a method: it binds as Python's functions do.
class NativeFunction final : public Container {
 public:
  static constexpr ObjectKind kKind = ObjectKind::NativeFunction;
  NativeFunction(Interpreter& interpreter, std::string_view name, std::string_view qualified_name, Signature signature,
                 NativeBody body);

  /// Makes one from "name(parameters)".
  static Ref<NativeFunction> make(Interpreter& interpreter, std::string_view signature, NativeBody body,
                                  std::string_view owner = {});

  std::string_view name() const { return name_; }
  std::string_view qualified_name() const { return qualified_name_; }
  const Signature& signature() const { return signature_; }

  PyResult<Value> call(const Arguments& arguments) override;
  /// The same where `given` is one value a parameter: signature().takes_as_given().
  PyResult<Value> run(Interpreter& interpreter, std::span<const Value> given) {
    // The function may be removed from its class while it runs.
    const Ref<NativeFunction> alive(this);
    return body_(interpreter, given);
  }
  DescriptorKind descriptor_kind() const override { return DescriptorKind::Method; }
  PyResult<Value> bind(const Value& self, Class& owner) override;
  Dict* instance_dict(bool create) override;
  void traverse(Visitor& visitor) const override;
  void clear_references() override;

 private:
  std::string name_;
  std::string qualified_name_;
  Signature signature_;
  NativeBody body_;
  Ref<Dict> attributes_;
};

/// A function with the object that it was read from.
class BoundMethod final : public Container {
 public:
  BoundMethod(Interpreter& interpreter, Value self, Value function);
  const Value& self() const { return self_; }
  const Value& function() const { return function_; }
  PyResult<Value> call(const Arguments& arguments) override;
  void traverse(Visitor& visitor) const override;
  void clear_references() override;

 private:
  Value self_;
  Value function_;
};

/// property(fget, fset, fdel) of a program.
class Property final : public Container {
 public:
  explicit Property(Interpreter& interpreter, Value get, Value set = Value(), Value del = Value());
  const Value& getter() const { return getter_; }
  const Value& setter() const { return setter_; }
  const Value& deleter() const { return deleter_; }
  DescriptorKind descriptor_kind() const override { return DescriptorKind::Data; }
  PyResult<Value> bind(const Value& self, Class& owner) override;
  PyResult<void> assign(const Value& self, Name name, const Value& value) override;
  void traverse(Visitor& visitor) const override;
  void clear_references() override;

 private:
  Value getter_, setter_, deleter_;
};

/// staticmethod and classmethod.
class WrappedMethod final : public Container {
 public:
  enum class Binding : std::uint8_t { Static, Class };
  WrappedMethod(Interpreter& interpreter, Binding binding, Value function);
  Binding binding() const { return binding_; }
  const Value& function() const { return function_; }
  DescriptorKind descriptor_kind() const override { return DescriptorKind::NonData; }
  PyResult<Value> bind(const Value& self, Class& owner) override;
  void traverse(Visitor& visitor) const override;
  void clear_references() override { function_ = Value(); }

 private:
  Binding binding_;
  Value function_;
};

/// A data descriptor of ours: __dict__, Tensor.grad.
using NativeGetter = PyResult<Value> (*)(Interpreter& interpreter, const Value& self);
using NativeSetter = PyResult<void> (*)(Interpreter& interpreter, const Value& self, const Value& value);
class GetSet final : public Object {
 public:
  GetSet(Interpreter& interpreter, std::string_view name, NativeGetter read, NativeSetter write);
  std::string_view name() const { return name_; }
  NativeGetter getter() const { return getter_; }
  /// Null: read only. Deleting calls it with Absent.
  NativeSetter setter() const { return setter_; }
  DescriptorKind descriptor_kind() const override { return DescriptorKind::Data; }
  PyResult<Value> bind(const Value& self, Class& owner) override;
  PyResult<void> assign(const Value& self, Name name, const Value& value) override;

 private:
  std::string name_;
  NativeGetter getter_;
  NativeSetter setter_;
};

/// A name of __slots__: reads and writes one place of an instance.
class Member final : public Object {
 public:
  Member(Interpreter& interpreter, Name name, const Class& owner, std::size_t place);
  Name name() const { return name_; }
  std::string_view owner_name() const { return owner_name_; }
  DescriptorKind descriptor_kind() const override { return DescriptorKind::Data; }
  PyResult<Value> bind(const Value& self, Class& owner) override;
  PyResult<void> assign(const Value& self, Name name, const Value& value) override;

 private:
  Name name_;
  std::string owner_name_;
  std::size_t place_;
};

}  // namespace nns::object
