#pragma once

#include "core/object/dict.h"
#include "core/object/sequence.h"

namespace nns::object {

/// An object with a __dict__: instances of classes that a program defines, and of C++ classes derived from it.
class Instance : public Container {
 public:
  explicit Instance(Class& cls, ObjectKind kind = ObjectKind::Other) : Container(cls, kind) {}

  /// The __dict__, made when it is first asked for.
  Dict& dict();
  /// The __dict__ if it was ever needed, else null.
  Dict* dict_if_made() const { return dict_.get(); }
  Dict* instance_dict(bool create) override { return create ? &dict() : dict_.get(); }
  /// Puts another dict in its place (copy.copy, __setstate__).
  void replace_dict(Ref<Dict> dict) { dict_ = std::move(dict); }

  void traverse(Visitor& visitor) const override { visitor.visit(dict_); }
  void clear_references() override { dict_ = nullptr; }

 private:
  Ref<Dict> dict_;
};

/// An exception: an Instance with arguments.
class Exception final : public Instance {
 public:
  explicit Exception(Class& cls) : Instance(cls) {}

  const Ref<Tuple>& arguments() const { return arguments_; }
  void set_arguments(Ref<Tuple> arguments) { arguments_ = std::move(arguments); }
  /// str(self), unless a class of the program says otherwise.
  std::string text() const;

  void traverse(Visitor& visitor) const override;
  void clear_references() override;

 private:
  Ref<Tuple> arguments_;
};

}  // namespace nns::object
