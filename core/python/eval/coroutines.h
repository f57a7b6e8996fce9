#pragma once

#include <span>

#include "core/python/eval/function.h"

namespace nns::python {

class Machine;

/// What calling an `async def` gives. Its body is a generator, which runs when the coroutine is awaited.
/// Behaviour: CPython Objects/genobject.c, PyCoro_Type.
class Coroutine final : public object::Container {
 public:
  Coroutine(Class& cls, Ref<Generator> runs) : Container(cls), body(std::move(runs)) {}
  Ref<Generator> body;
  void traverse(object::Visitor& visitor) const override { visitor.visit(body); }
  void clear_references() override { body = nullptr; }
};

/// What calling an `async def` that yields gives. Its body yields a YieldedValue where the program yields, and what
/// is waited for between.
/// Behaviour: CPython Objects/genobject.c, PyAsyncGen_Type.
class AsyncGenerator final : public object::Container {
 public:
  AsyncGenerator(Class& cls, Ref<Generator> runs) : Container(cls), body(std::move(runs)) {}
  Ref<Generator> body;
  bool is_running = false;
  bool is_closed = false;
  /// Tells sys.set_asyncgen_hooks()'s firstiter of it, at the first step, and keeps the finalizer.
  PyResult<void> begin();
  /// Whether it has begun and not ended.
  bool needs_finalizer() const override;
  /// Calls the finalizer; without one it is closed, as far as that goes without a loop.
  void finalize() override;
  void traverse(object::Visitor& visitor) const override {
    visitor.visit(body);
    visitor.visit(finalizer_);
  }
  void clear_references() override {
    body = nullptr;
    finalizer_ = Value();
  }

 private:
  bool has_begun_ = false;
  Value finalizer_;
};

/// A value that an asynchronous generator yields, as its body tells it from what it waits for.
class YieldedValue final : public object::Container {
 public:
  YieldedValue(Class& cls, Value yielded) : Container(cls), value(std::move(yielded)) {}
  Value value;
  void traverse(object::Visitor& visitor) const override { visitor.visit(value); }
  void clear_references() override { value = Value(); }
};

/// An awaitable that lets an asynchronous generator go on to its next value, or end.
/// Behaviour: CPython Objects/genobject.c, async_gen_asend_* and async_gen_athrow_*.
class AsyncStep final : public object::Container {
 public:
  enum class Kind : std::uint8_t { Send, Throw, Close };
  AsyncStep(Class& cls, Ref<AsyncGenerator> of, Kind does, Value given)
      : Container(cls), generator(std::move(of)), kind(does), argument(std::move(given)) {}

  /// What is waited for; StopIteration with the value that was yielded.
  PyResult<Value> send(const Value& value);
  PyResult<Value> raise(PyError error);
  void close() { state_ = State::Closed; }

  Ref<AsyncGenerator> generator;
  Kind kind;
  /// What is sent, or the exception that is raised.
  Value argument;
  void traverse(object::Visitor& visitor) const override {
    visitor.visit(generator);
    visitor.visit(argument);
  }
  void clear_references() override {
    generator = nullptr;
    argument = Value();
  }

 private:
  enum class State : std::uint8_t { Init, Begun, Closed };
  PyResult<void> begin();
  PyResult<Value> unwrap(PyResult<Value> item);
  State state_ = State::Init;
};

/// The StopIteration that brings a result.
PyError end_with(Interpreter& interpreter, const Value& result);
/// The exception that generator.throw(type, value, traceback) raises.
PyResult<Ref<object::Exception>> thrown_of(Interpreter& interpreter, std::span<const Value> arguments);

/// An iterator that `await value` walks. Errors: TypeError, RuntimeError for a coroutine that was awaited before.
PyResult<Value> awaitable_iterator(Machine& machine, const Value& value, std::uint32_t awaited);
/// value.__aiter__() and .__anext__(), as `async for` calls them. Errors: TypeError.
PyResult<Value> async_iterator(Interpreter& interpreter, const Value& value);
PyResult<Value> next_awaitable(Machine& machine, const Value& iterator);
/// Puts __aexit__ in the place of the context and gives what __aenter__ returned. Errors: TypeError.
PyResult<Value> async_with_enter(Interpreter& interpreter, Value& context);

void add_coroutine_methods(Machine& machine);
/// __name__ and __qualname__ of what has a generator for its body, which `body_of` gives.
template <auto body_of>
void add_generator_names(Class& cls) {
  cls.property("__name__", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    const std::string_view full = body_of(self).name();
    return in.text(full.substr(full.rfind('.') + 1));
  });
  cls.property("__qualname__",
               [](Interpreter& in, const Value& self) -> PyResult<Value> { return in.text(body_of(self).name()); });
}

}  // namespace nns::python
