#pragma once

#include "core/object/interpreter.h"

namespace nns::object {

/// collections.defaultdict: makes the value of a key that is missing when it is read with [].
class DefaultDict final : public Dict {
 public:
  explicit DefaultDict(Class& cls) : Dict(cls) {}
  /// Called without arguments for a new value; None: a missing key is an error, as in a dict.
  const Value& factory() const { return factory_; }
  void set_factory(Value factory) { factory_ = std::move(factory); }
  void traverse(Visitor& visitor) const override;
  void clear_references() override;

 private:
  Value factory_;
};

/// The class collections.defaultdict of an interpreter, made at the first question.
Class& define_default_dict(Interpreter& interpreter);
/// defaultdict(factory).
Ref<DefaultDict> make_default_dict(Class& cls, Value factory);

/// Where `from` is a defaultdict, gives its factory to `to`, which has the same class.
void keep_factory(const Value& from, const Value& to);

}  // namespace nns::object
