#pragma once

#include <vector>

#include "core/object/instance.h"
#include "core/object/iterator.h"
#include "core/python/eval/code.h"

namespace nns::python {

class Frame;

/// A variable that functions share. Its value is Absent while it has none.
class Cell final : public object::Container {
 public:
  Cell(Class& cls, Value start) : Container(cls), value(std::move(start)) {}
  Value value;
  void traverse(object::Visitor& visitor) const override { visitor.visit(value); }
  void clear_references() override { value = Value::absent(); }
};

/// A function of a program.
class Function final : public object::Container {
 public:
  Function(Interpreter& interpreter, Ref<Code> code, Ref<Dict> globals);

  const Code& code() const { return *code_; }
  const Ref<Code>& code_reference() const { return code_; }
  Dict& globals() const { return *globals_; }
  std::string_view name() const { return name_; }
  std::string_view qualified_name() const { return qualified_name_; }
  void rename(std::string_view name) { name_ = name; }
  void set_qualified_name(std::string_view name) { qualified_name_ = name; }
  /// The defaults of the last positional parameters, a tuple or None; of keyword-only ones by name, a dict or None.
  const Value& defaults() const { return defaults_; }
  const Value& keyword_defaults() const { return keyword_defaults_; }
  void set_defaults(Value defaults, Value keyword_defaults) {
    defaults_ = std::move(defaults);
    keyword_defaults_ = std::move(keyword_defaults);
  }

  /// Puts the arguments of a call into the slots of its parameters, which are Absent before.
  /// Behaviour: CPython Python/ceval.c, initialize_locals and its messages. Errors: TypeError.
  PyResult<void> bind_arguments(std::span<const Value> positional, std::span<const object::Keyword> keywords,
                                Value* slots) const;

  /// The same for the common case that each named argument is one of the parameters, none is missing, and no parameter
  /// takes several. False: it is none; the slots are Absent again. Must hold: no more positional arguments than
  /// parameters.
  bool bind_named(std::span<const Value> positional, const object::Tuple& given, const Value* named,
                  Value* slots) const;

  /// A function that gives the annotations as a dict, or None.
  Value annotate;
  /// The annotations once somebody asked for them.
  Value annotations;
  std::vector<Ref<Cell>> closure;
  /// For functions that evaluate annotations: the names of the class around. Else null.
  Ref<Dict> names;
  Value doc;

  PyResult<Value> call(const object::Arguments& arguments) override;
  object::DescriptorKind descriptor_kind() const override { return object::DescriptorKind::Method; }
  PyResult<Value> bind(const Value& self, Class& owner) override;
  Dict* instance_dict(bool create) override;
  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;

 private:
  PyError too_many(std::size_t given, const Value* slots) const;
  PyError missing(std::span<const Name> parameters, std::string_view kind) const;

  Ref<Code> code_;
  Ref<Dict> globals_;
  std::string name_;
  std::string qualified_name_;
  Value defaults_;
  Value keyword_defaults_;
  Ref<Dict> attributes_;
};

/// The function if the value is one of a program, else null.
inline Function* as_function(const Value& value) {
  object::Object* const object = value.object();
  if (object == nullptr || object->kind() != object::ObjectKind::Other) return nullptr;
  // Nobody can derive from the class, and what is of it and no function of ours has a kind of its own.
  return &object->type() == object->interpreter().builtins().function ? static_cast<Function*>(object) : nullptr;
}

/// A function that stands still at a yield.
/// Behaviour: CPython Objects/genobject.c.
class Generator final : public object::Iterator {
 public:
  /// What its body is.
  enum class Kind : std::uint8_t { Generator, Coroutine, AsyncGenerator };
  Generator(Class& cls, std::unique_ptr<Frame> frame);
  ~Generator() override;

  PyResult<Value> next() override;
  /// Goes on with `value` as what yield gives. Absent: it ended; result() has what it returned.
  PyResult<Value> send(const Value& value);
  /// Goes on with an exception raised at the yield.
  PyResult<Value> raise(PyError error);
  PyResult<void> close();
  /// What it returned.
  const Value& result() const { return result_; }

  Frame* frame() const { return frame_.get(); }
  bool is_running() const { return is_running_; }
  bool is_started() const { return is_started_; }
  /// Whether it stands still in another one that it awaits or yields from.
  bool waits_inside() const;
  Kind kind() const { return kind_; }
  /// As error messages call it.
  std::string_view kind_name() const;
  const std::string& name() const { return name_; }

  /// Whether it stands in a `try` or `with`.
  bool needs_finalizer() const override;
  /// Closes it.
  void finalize() override;
  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;

 private:
  friend class Machine;
  std::unique_ptr<Frame> frame_;
  std::string name_;
  Value result_;
  /// The exception that it was handling when it yielded.
  Value handled_;
  Kind kind_;
  bool is_running_ = false;
  bool is_started_ = false;
};

/// Where in a code object a program stood, and the next such place.
class CodePlace : public object::Container {
 public:
  CodePlace(Class& cls, Ref<Code> of, std::uint32_t at, Ref<Dict> names, Value following)
      : Container(cls), code(std::move(of)), instruction(at), globals(std::move(names)), next(std::move(following)) {}
  Ref<Code> code;
  std::uint32_t instruction;
  Ref<Dict> globals;
  Value next;
  std::uint32_t line() const { return code->line_of(instruction); }
  void traverse(object::Visitor& visitor) const override {
    visitor.visit(code);
    visitor.visit(globals);
    visitor.visit(next);
  }
  void clear_references() override {
    next = Value();
    globals = nullptr;
  }
};

/// One step of a traceback: where an exception passed. `next` is that of the function that was called, or None.
class Traceback final : public CodePlace {
 public:
  using CodePlace::CodePlace;
};

/// What a program sees of a frame: sys._getframe() and tb_frame. A picture of when it was asked for. `next` is the
/// caller's, or None.
class FrameView final : public CodePlace {
 public:
  using CodePlace::CodePlace;
};

/// super(): reads attributes that come after a class in the order of an instance's class.
class Super final : public object::Container {
 public:
  Super(Class& cls, Class& given, Value instance, Class& type_of_instance)
      : Container(cls), after(&given), self(std::move(instance)), owner(&type_of_instance) {}
  Ref<Class> after;
  Value self;
  Ref<Class> owner;
  void traverse(object::Visitor& visitor) const override {
    visitor.visit(after);
    visitor.visit(self);
    visitor.visit(owner);
  }
  void clear_references() override { self = Value(); }
};

/// A module: a name and a dict.
class ModuleObject final : public object::Instance {
 public:
  explicit ModuleObject(Class& cls) : object::Instance(cls) {}
};

}  // namespace nns::python
