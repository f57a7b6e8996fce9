#pragma once

#include <memory>
#include <vector>

#include "core/object/interpreter.h"

namespace nns::object {

/// An object with a __dict__: instances of classes that a program defines, and of C++ classes derived from it.
class Instance : public Container {
 public:
  explicit Instance(Class& cls, ObjectKind kind = ObjectKind::Other) : Container(cls, kind) {}

  /// The __dict__, made when it is first asked for.
  Dict& dict();
  /// The __dict__ if it was ever needed, else null.
  Dict* dict_if_made() const { return dict_.get(); }
  Dict* instance_dict(bool create) override;
  /// Puts another dict in its place (copy.copy, __setstate__).
  virtual void replace_dict(Ref<Dict> dict) { dict_ = std::move(dict); }
  /// Takes out of `state`, a copy of the __dict__, what copies and pickles do without.
  virtual void drop_uncopied(Dict& state) const { static_cast<void>(state); }

  /// What stands in place `place` of __slots__; Absent: nothing.
  Value slot(std::size_t place) const;
  void set_slot(std::size_t place, Value value);

  void traverse(Visitor& visitor) const override;
  void clear_references() override;

 private:
  Ref<Dict> dict_;
  /// Null until the first slot is written.
  std::unique_ptr<std::vector<Value>> slots_;
};

/// A built-in container whose instances have a __dict__: those of classes derived from dict, list, tuple and set.
template <class Base>
class WithAttributes final : public Base {
 public:
  using Base::Base;
  Dict* instance_dict(bool create) override {
    if (!this->type().instances_have_dict()) return nullptr;
    if (!attributes_ && create) attributes_ = this->interpreter().dict();
    return attributes_.get();
  }
  void traverse(Visitor& visitor) const override {
    Base::traverse(visitor);
    visitor.visit(attributes_);
  }
  void clear_references() override {
    Base::clear_references();
    attributes_ = nullptr;
  }

 private:
  Ref<Dict> attributes_;
};

/// A tuple of class `cls`: what tuple.__new__(cls, items) makes.
Ref<Tuple> make_tuple(Class& cls, std::vector<Value> items);
/// The same for lists, empty sets.
Ref<List> make_list(Class& cls, std::vector<Value> items);
Ref<Set> make_set(Class& cls);

/// An exception: an Instance with arguments.
class Exception final : public Instance {
 public:
  explicit Exception(Class& cls) : Instance(cls) {}

  const Ref<Tuple>& arguments() const { return arguments_; }
  void set_arguments(Ref<Tuple> arguments) { arguments_ = std::move(arguments); }
  /// str(self), unless a class of the program says otherwise.
  std::string text() const;

  // What the language notes when an exception is raised: __traceback__, __cause__, __context__.
  const Value& traceback() const { return traceback_; }
  void set_traceback(Value traceback) { traceback_ = std::move(traceback); }
  const Value& cause() const { return cause_; }
  /// `raise self from cause`: the context is not shown then.
  void set_cause(Value cause) {
    cause_ = std::move(cause);
    suppress_context_ = true;
  }
  const Value& context() const { return context_; }
  void set_context(Value context) { context_ = std::move(context); }
  bool suppress_context() const { return suppress_context_; }
  void set_suppress_context(bool suppress) { suppress_context_ = suppress; }

  void traverse(Visitor& visitor) const override;
  void clear_references() override;

 private:
  Ref<Tuple> arguments_;
  Value traceback_, cause_, context_;
  bool suppress_context_ = false;
};

}  // namespace nns::object
