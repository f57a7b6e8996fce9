#include "core/object/sequence.h"

#include "core/object/instance.h"
#include "core/object/interpreter.h"

namespace nns::object {

void Tuple::traverse(Visitor& visitor) const {
  for (const Value& item : items_) visitor.visit(item);
}

void List::traverse(Visitor& visitor) const {
  for (const Value& item : items_) visitor.visit(item);
}

Set::Set(Class& cls) : Container(cls, kKind), keys_(cls.interpreter().dict()) {}

void Set::traverse(Visitor& visitor) const { visitor.visit(keys_); }

Dict& Instance::dict() {
  if (!dict_) dict_ = interpreter().dict();
  return *dict_;
}

void Exception::traverse(Visitor& visitor) const {
  Instance::traverse(visitor);
  visitor.visit(arguments_);
}

void Exception::clear_references() {
  Instance::clear_references();
  arguments_ = nullptr;
}

}  // namespace nns::object
