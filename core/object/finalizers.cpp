#include "core/object/finalizers.h"

#include <iterator>

#include "core/object/class.h"
#include "core/object/interpreter.h"

namespace nns::object {

bool Finalizers::is_due(const Object& object) const {
  return on_wait && !object.finalized_ && object.class_->has_finalizer() && object.needs_finalizer();
}

void Finalizers::add(Waiting one) {
  waiting_.push_back(std::move(one));
  if (waiting_.size() == 1) on_wait();
}

bool Finalizers::take(Object& dropped) {
  if (!is_due(dropped)) return false;
  add({Ref<Object>(&dropped), Value::absent()});
  return true;
}

void Finalizers::call(Value callback, Ref<Object> reference) {
  Waiting one{std::move(reference), std::move(callback)};
  if (!on_wait) return run(one);
  add(std::move(one));
}

void Finalizers::finalize(Object& object) {
  object.finalized_ = true;
  object.finalize();
}

void Finalizers::run(const Waiting& one) {
  if (one.callback.is_absent()) return finalize(*one.object);
  Interpreter& in = one.object->interpreter();
  const PyResult<Value> done = in.call(one.callback, {Value(one.object)});
  if (!done.ok()) in.tell_unraisable(done.error(), "calling weakref callback", one.callback);
}

void Finalizers::run() {
  if (depth_ == kMostNested) {
    std::vector<Waiting> dropped = std::exchange(waiting_, {});
    left_.insert(left_.end(), std::move_iterator(dropped.begin()), std::move_iterator(dropped.end()));
    return;
  }
  ++depth_;
  // The next one on top; what it drops comes before what was there.
  std::vector<Waiting> next;
  while (true) {
    std::vector<Waiting> dropped = std::exchange(waiting_, {});
    next.insert(next.end(), std::move_iterator(dropped.rbegin()), std::move_iterator(dropped.rend()));
    if (next.empty() && depth_ == 1) next = std::exchange(left_, {});
    if (next.empty()) break;
    const Waiting one = std::move(next.back());
    next.pop_back();
    run(one);
  }
  --depth_;
}

void Finalizers::end() {
  on_wait = nullptr;
  on_unraisable = nullptr;
  const std::vector<Waiting> dropped = std::exchange(waiting_, {});
  const std::vector<Waiting> left = std::exchange(left_, {});
}

// Behaviour: CPython Objects/typeobject.c, slot_tp_finalize.
void Object::finalize() {
  Interpreter& in = interpreter();
  const Value* const found = class_->lookup(in.names().dunder_del);
  if (found == nullptr) return;
  const Value method = *found;
  const PyResult<Value> done = in.call_special(Value(this), in.names().dunder_del);
  if (!done.ok()) in.tell_unraisable(done.error(), "calling deallocator", method);
}

}  // namespace nns::object
