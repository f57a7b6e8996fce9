#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/object/error.h"

namespace nns::object {

/// What is to run because objects are dropped: their __del__, the handlers in which a generator stands, the callbacks
/// of weak references. It waits here, because what drops an object is in the middle of something and may not meet a
/// program's code; whoever runs programs calls run() between two operations.
/// Behaviour: PEP 442. Differs: CPython calls it inside of what drops the last reference.
class Finalizers {
 public:
  /// Called when something begins to wait. None: nothing waits; objects die, and callbacks are called, at once.
  std::function<void()> on_wait;
  /// Tells of an exception that nobody can catch: what was under way ("calling deallocator"), with what.
  std::function<void(const PyError& error, std::string_view doing, const Value& subject)> on_unraisable;

  bool is_empty() const { return waiting_.empty(); }
  /// Runs what waits, in the order in which it came, each with what that drops in turn. Where it is called while one of
  /// them runs, and that while another does, what waits in the kMostNested-th is left to the outermost call.
  /// Behaviour: CPython Objects/object.c, _PyTrash_thread_deposit_object.
  void run();
  static constexpr int kMostNested = 50;
  /// Calls the callback of a weak reference whose object is gone.
  void call(Value callback, Ref<Object> reference);
  /// Finalizes one that was not dropped, but is a part of a cycle that was. Must hold: is_due(object).
  static void finalize(Object& object);
  /// Whether the object has to be finalized before it dies.
  bool is_due(const Object& object) const;
  /// From now on objects die at once, also those that wait: the end of an interpreter.
  void end();

 private:
  friend class Object;
  /// Takes the object, whose last reference went, if it has to be finalized.
  bool take(Object& dropped);
  struct Waiting {
    Ref<Object> object;
    /// Of a weak reference, which `object` is; Absent: the object is finalized.
    Value callback;
  };
  void add(Waiting one);
  static void run(const Waiting& one);

  std::vector<Waiting> waiting_;
  /// What the outermost run() is to run.
  std::vector<Waiting> left_;
  int depth_ = 0;
};

}  // namespace nns::object
