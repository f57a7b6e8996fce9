#include "core/object/object.h"

#include <fmt/format.h>

#include "core/object/class.h"
#include "core/object/interpreter.h"
#include "core/object/with_self.h"

namespace nns::object {

Object::Object(Class& cls, ObjectKind kind) noexcept : class_(&cls), object_kind_(kind) { cls.retain(); }

Object::~Object() {
  if (class_ != nullptr) class_->release();
}

void Object::destroy() const noexcept {
  Object* self = const_cast<Object*>(this);
  if (class_ != nullptr && class_->has_finalizer() && interpreter().finalizers().take(*self)) [[unlikely]]
    return;
  if (has_registrations_) {
    // Callbacks may not bring the object back: its weak references are empty by then.
    references_ = 1;
    interpreter().weak_registry_.forget(*this);
    references_ = 0;
  }
  if (is_container_) {
    auto* container = static_cast<Container*>(self);
    container->collector_->dispose(container);
  } else {
    delete self;
  }
}

Dict* Object::instance_dict(bool) { return nullptr; }

void Object::set_type(Class& cls) {
  cls.retain();
  std::exchange(class_, &cls)->release();
}

PyResult<Value> Object::call(const Arguments& arguments) {
  Interpreter& interpreter = this->interpreter();
  const Value* method = class_->lookup(interpreter.names().dunder_call);
  if (method == nullptr) return type_error(interpreter, "'{}' object is not callable", class_->name());
  const Value self(this);
  if (method->is_object() && method->object()->descriptor_kind() == DescriptorKind::Method) {
    const WithSelf positional(self, arguments.positional);
    return interpreter.call(Value(*method), positional.all(), arguments.keywords);
  }
  if (!method->is_object()) return interpreter.call(*method, arguments.positional, arguments.keywords);
  NNS_TRY_ASSIGN(const Value bound, method->object()->bind(self, *class_));
  return interpreter.call(bound, arguments.positional, arguments.keywords);
}

// Behaviour: what __get__, __set__ and __delete__ of a class make of its instances as class attributes.
DescriptorKind Object::descriptor_kind() const {
  const Names& names = interpreter().names();
  if (class_->lookup(names.dunder_set) != nullptr || class_->lookup(names.dunder_delete) != nullptr) {
    return DescriptorKind::Data;
  }
  return class_->lookup(names.dunder_get) != nullptr ? DescriptorKind::NonData : DescriptorKind::None;
}

PyResult<Value> Object::bind(const Value& self, Class& owner) {
  Interpreter& interpreter = this->interpreter();
  const Value* getter = class_->lookup(interpreter.names().dunder_get);
  if (getter == nullptr) return Value(this);
  return interpreter.call_special(Value(this), interpreter.names().dunder_get,
                                  {self.is_absent() ? Value() : self, Value(static_cast<Object*>(&owner))});
}

PyResult<void> Object::assign(const Value& self, Name, const Value& value) {
  Interpreter& interpreter = this->interpreter();
  const Name method = value.is_absent() ? interpreter.names().dunder_delete : interpreter.names().dunder_set;
  if (class_->lookup(method) == nullptr) {
    return attribute_error(interpreter, "{}", value.is_absent() ? "__delete__" : "__set__");
  }
  NNS_TRY(value.is_absent() ? interpreter.call_special(Value(this), method, {self})
                            : interpreter.call_special(Value(this), method, {self, value}));
  return {};
}

}  // namespace nns::object
