#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/object/object.h"

namespace nns::object {

class Container;

/// Is shown every reference that a container holds.
class Visitor {
 public:
  virtual void visit(Object& object) = 0;
  void visit(const Value& value) {
    if (value.is_object()) visit(*value.object());
  }
  template <class T>
  void visit(const Ref<T>& reference) {
    if (reference) visit(static_cast<Object&>(*reference));
  }

 protected:
  ~Visitor() = default;
};

/// Finds containers that only hold each other and lets them go: what reference counts cannot.
/// Behaviour: CPython Python/gc.c, without generations: it runs when it is asked to.
class Collector {
 public:
  Collector() = default;
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  /// Frees unreachable cycles, whose finalizers are called first; returns how many containers were in them. Where those
  /// bring an object back, all that it reaches stays. Cost: linear in the live containers.
  /// Called where no operation is under way.
  std::size_t collect();
  /// Whether a container is alive that has to be finalized before it dies. Cost: linear in the live containers.
  bool has_finalizers() const;

  /// Runs collect() if containers were made in number since the last time, as much as a quarter of those alive.
  /// Called where no operation is under way: between two jobs, between two steps of a program.
  std::size_t collect_if_due();

  /// A number that no container is marked with: for walks that visit each object once. Walks with marks may not
  /// be nested, nor a program's code run during one.
  std::uint64_t new_mark() { return ++last_mark_; }

  /// Containers alive.
  std::size_t tracked() const { return count_; }

  /// Takes every container's references from it, whether reachable or not: the end of an interpreter.
  void clear_all();

 private:
  friend class Container;
  friend class Object;
  /// Marks what is reached from outside of containers. The references that `held` has are none.
  void mark_reachable(std::span<const Ref<Container>> held);
  /// Deletes a container whose last reference went; chains of them without deep recursion.
  void dispose(Container* container) noexcept;

  Container* head_ = nullptr;
  std::size_t count_ = 0;
  std::size_t count_after_last_ = 0;
  bool running_ = false;
  int disposing_ = 0;
  std::uint64_t last_mark_ = 0;
  std::vector<Container*> to_dispose_;
};

/// An Object that holds references to others and so can be part of a cycle.
class Container : public Object {
 public:
  /// Shows every counted reference that this container holds, as often as it holds it.
  virtual void traverse(Visitor& visitor) const = 0;
  /// Drops them.
  virtual void clear_references() = 0;

  /// Marks the container and tells whether it was not marked so before.
  bool mark_first(std::uint64_t mark) { return std::exchange(mark_, mark) != mark; }

 protected:
  explicit Container(Class& cls, ObjectKind kind = ObjectKind::Other);
  Container(Collector& collector, ObjectKind kind);
  ~Container() override;

 private:
  friend class Collector;
  friend class Object;
  friend class WeakRegistry;
  void track(Collector& collector);

  Collector* collector_ = nullptr;
  Container* previous_ = nullptr;
  Container* next_ = nullptr;
  /// The mark of the last walk; during a collection the references that do not come from containers, or kAlive, which
  /// no mark equals.
  std::uint64_t mark_ = 0;
  /// What Interpreter::id_of gives; 0: nobody asked.
  mutable std::uint64_t id_ = 0;
};

class WeakReference;

/// What is keyed by the address of a living object: its weak references, and the id of what is no container.
class WeakRegistry {
 public:
  /// The id of `object`, given on the first question; never 0, never used twice.
  std::uint64_t id_of(const Object& object) {
    if (!object.is_container_) return registered_id(object);
    std::uint64_t& id = static_cast<const Container&>(object).id_;
    if (id == 0) id = ++last_id_;
    return id;
  }

 private:
  friend class Object;
  friend class WeakReference;
  friend class Collector;
  friend class Interpreter;
  struct Registration {
    std::uint64_t id = 0;
    WeakReference* first = nullptr;
  };
  /// `object` dies: its references turn empty, then their callbacks are due, newest first.
  void forget(const Object& object);
  std::uint64_t registered_id(const Object& object);

  std::unordered_map<const Object*, Registration> registrations_;
  std::uint64_t last_id_ = 0;
};

/// weakref.ref: leads to an object without keeping it alive.
class WeakReference final : public Object {
 public:
  /// `callback` (called with this reference when the object is gone) may be None.
  WeakReference(Object& target, Value callback = Value());
  ~WeakReference() override;

  /// The object, or none once it is gone.
  Ref<Object> get() const { return Ref<Object>(target_); }
  PyResult<Value> call(const Arguments& arguments) override;

 private:
  friend class WeakRegistry;
  friend class Interpreter;
  Object* target_ = nullptr;
  WeakReference* next_ = nullptr;
  WeakReference* previous_ = nullptr;
  Value callback_;
};

}  // namespace nns::object
