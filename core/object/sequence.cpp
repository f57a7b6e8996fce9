#include "core/object/sequence.h"

#include <algorithm>

#include "core/object/instance.h"
#include "core/object/interpreter.h"

namespace nns::object {

void Tuple::traverse(Visitor& visitor) const {
  for (const Value& item : items_) visitor.visit(item);
}

void List::traverse(Visitor& visitor) const {
  for (const Value& item : items_) visitor.visit(item);
}

Ref<Tuple> make_tuple(Class& cls, std::vector<Value> items) {
  if (cls.is_immutable()) return make<Tuple>(cls, std::move(items));
  return make<WithAttributes<Tuple>>(cls, std::move(items));
}

Ref<List> make_list(Class& cls, std::vector<Value> items) {
  if (cls.is_immutable()) return make<List>(cls, std::move(items));
  return make<WithAttributes<List>>(cls, std::move(items));
}

Ref<Set> make_set(Class& cls) {
  if (cls.is_immutable()) return make<Set>(cls);
  return make<WithAttributes<Set>>(cls);
}

Set::Set(Class& cls) : Container(cls, kKind), keys_(cls.interpreter().dict()) {}

PyResult<void> Set::try_add(Interpreter& interpreter, Value key) {
  return keys_->try_set(interpreter, std::move(key), Value(), Dict::Role::SetElement);
}

PyResult<bool> Set::try_contains(Interpreter& interpreter, const Value& key) {
  return keys_->try_contains(interpreter, key, Dict::Role::SetElement);
}

void Set::traverse(Visitor& visitor) const { visitor.visit(keys_); }

Dict& Instance::dict() {
  if (!dict_) dict_ = interpreter().dict();
  return *dict_;
}

Dict* Instance::instance_dict(bool create) {
  if (dict_ || !create) return dict_.get();
  return type().instances_have_dict() ? &dict() : nullptr;
}

Value Instance::slot(std::size_t place) const {
  return slots_ && place < slots_->size() ? (*slots_)[place] : Value::absent();
}

void Instance::set_slot(std::size_t place, Value value) {
  if (!slots_) slots_ = std::make_unique<std::vector<Value>>();
  if (slots_->size() <= place) slots_->resize(std::max(place + 1, type().slot_count()), Value::absent());
  (*slots_)[place].swap(value);
}

void Instance::traverse(Visitor& visitor) const {
  visitor.visit(dict_);
  if (!slots_) return;
  for (const Value& value : *slots_) visitor.visit(value);
}

void Instance::clear_references() {
  dict_ = nullptr;
  slots_ = nullptr;
}

void Exception::traverse(Visitor& visitor) const {
  Instance::traverse(visitor);
  visitor.visit(arguments_);
  visitor.visit(traceback_);
  visitor.visit(cause_);
  visitor.visit(context_);
}

void Exception::clear_references() {
  Instance::clear_references();
  arguments_ = nullptr;
  traceback_ = cause_ = context_ = Value();
}

}  // namespace nns::object
