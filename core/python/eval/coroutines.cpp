// What `async def` makes, and what awaiting it means.
#include "core/python/eval/coroutines.h"

#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/python/eval/attributes.h"
#include "core/python/eval/machine.h"

namespace nns::python {

using Args = std::span<const Value>;
using object::ErrorKind;

PyError end_with(Interpreter& in, const Value& result) {
  PyError end = object::make_error(in, ErrorKind::StopIteration, "");
  end.exception().set_arguments(result.is_none() ? in.tuple() : in.tuple({result}));
  return end;
}

PyResult<Ref<object::Exception>> thrown_of(Interpreter& in, Args a) {
  Value given = a[1];
  if (a[1].as<Class>() != nullptr && !a[2].is_none()) {
    given = a[2];
    if (!in.type_of(a[2]).is_subclass_of(in.builtins().exception(ErrorKind::BaseException))) {
      NNS_TRY_ASSIGN(given, in.call(a[1], {a[2]}));
    }
  }
  return Machine::of(in).exception_of(given);
}

namespace {

PyError end_of_async(Interpreter& in) {
  PyError end = object::make_error(in, ErrorKind::StopAsyncIteration, "");
  end.exception().set_arguments(in.tuple());
  return end;
}

// The item of a generator's body, or the exception that says how it ended.
PyResult<Value> item_of(Interpreter& in, const Generator& body, PyResult<Value> item) {
  if (item.ok() && item->is_absent()) return end_with(in, body.result());
  return item;
}

std::string address_of(const Value& value) { return fmt::format("{}", static_cast<const void*>(value.object())); }

// A special method of the class bound to the value; Absent: there is none.
PyResult<Value> bound_special(Interpreter& in, const Value& value, Name name) {
  Class& cls = in.type_of(value);
  const Value* const found = cls.lookup(name);
  if (found == nullptr) return Value::absent();
  const Value keep = *found;
  return keep.is_object() ? keep.object()->bind(value, cls) : PyResult<Value>(keep);
}

bool is_iterator(Interpreter& in, const Value& value) {
  return value.as<object::Iterator>() != nullptr || in.type_of(value).lookup(in.names().dunder_next) != nullptr;
}

}  // namespace

// Behaviour: CPython Objects/genobject.c, async_gen_init_hooks.
PyResult<void> AsyncGenerator::begin() {
  if (has_begun_) return {};
  has_begun_ = true;
  const Ref<AsyncGenerator> alive(this);
  const Machine::AsyncGeneratorHooks hooks = Machine::of(interpreter()).async_generator_hooks;
  finalizer_ = hooks.finalizer;
  if (!hooks.first_iteration.is_none()) NNS_TRY(interpreter().call(hooks.first_iteration, {Value(this)}));
  return {};
}

bool AsyncGenerator::needs_finalizer() const {
  return !is_closed && !is_running && body->frame() != nullptr && body->is_started();
}

// Behaviour: CPython Objects/genobject.c, _PyGen_Finalize.
void AsyncGenerator::finalize() {
  Interpreter& in = interpreter();
  if (!finalizer_.is_none()) {
    const Value hook = finalizer_;
    const PyResult<Value> done = in.call(hook, {Value(this)});
    if (!done.ok()) in.tell_unraisable(done.error(), "finalizing generator", Value(this));
    return;
  }
  const PyResult<void> closed = body->close();
  if (!closed.ok()) in.tell_unraisable(closed.error(), "closing generator", Value(this));
}

PyResult<void> AsyncStep::begin() {
  Interpreter& in = interpreter();
  if (state_ == State::Closed) {
    return object::runtime_error(in, "cannot reuse already awaited {}",
                                 kind == Kind::Send ? "__anext__()/asend()" : "aclose()/athrow()");
  }
  if (state_ == State::Begun) return {};
  if (generator->is_running) {
    state_ = State::Closed;
    return object::runtime_error(in, "{}(): asynchronous generator is already running",
                                 kind == Kind::Send    ? "anext"
                                 : kind == Kind::Throw ? "athrow"
                                                       : "aclose");
  }
  generator->is_running = true;
  return {};
}

PyResult<Value> AsyncStep::unwrap(PyResult<Value> item) {
  Interpreter& in = interpreter();
  const auto leave = [&] {
    generator->is_running = false;
    state_ = State::Closed;
  };
  if (!item.ok()) {
    leave();
    const PyError error = std::move(item).error();
    const bool ends = error.is(ErrorKind::StopAsyncIteration) || error.is(ErrorKind::GeneratorExit);
    if (ends) generator->is_closed = true;
    if (ends && kind == Kind::Close) return end_with(in, Value());
    return error;
  }
  if (item->is_absent()) {
    leave();
    generator->is_closed = true;
    if (kind == Kind::Close) return end_with(in, Value());
    return end_of_async(in);
  }
  if (item->is_object() && &item->object()->type() == Machine::of(in).classes.yielded_value) {
    leave();
    if (kind == Kind::Close) return object::runtime_error(in, "async generator ignored GeneratorExit");
    return end_with(in, static_cast<const YieldedValue&>(*item->object()).value);
  }
  return item;
}

PyResult<Value> AsyncStep::send(const Value& value) {
  const Ref<AsyncStep> alive(this);
  Interpreter& in = interpreter();
  const bool is_first = state_ == State::Init;
  NNS_TRY(begin());
  state_ = State::Begun;
  Generator& body = *generator->body;
  if (!is_first) return unwrap(body.send(value));
  if (kind == Kind::Send) return unwrap(body.send(value.is_none() ? argument : value));
  if (generator->is_closed) {
    generator->is_running = false;
    state_ = State::Closed;
    if (kind == Kind::Close) return end_with(in, Value());
    return end_of_async(in);
  }
  if (kind == Kind::Close) {
    generator->is_closed = true;
    if (!body.is_started()) {
      NNS_TRY(body.close());
      return unwrap(Value::absent());
    }
    return unwrap(body.raise(object::make_error(in, ErrorKind::GeneratorExit, "")));
  }
  return unwrap(body.raise(PyError(Ref<object::Exception>(static_cast<object::Exception*>(argument.object())))));
}

PyResult<Value> AsyncStep::raise(PyError error) {
  const Ref<AsyncStep> alive(this);
  NNS_TRY(begin());
  state_ = State::Begun;
  return unwrap(generator->body->raise(std::move(error)));
}

PyResult<Value> awaitable_iterator(Machine& machine, const Value& value, std::uint32_t awaited) {
  Interpreter& in = machine.interpreter();
  if (value.is_object() && &value.object()->type() == machine.classes.coroutine) {
    const Ref<Generator>& body = static_cast<const Coroutine&>(*value.object()).body;
    if (body->waits_inside()) return object::runtime_error(in, "coroutine is being awaited already");
    return Value(body);
  }
  NNS_TRY_ASSIGN(const Value method, bound_special(in, value, in.names().dunder_await));
  const std::string_view name = in.type_of(value).name();
  if (method.is_absent()) {
    if (awaited == kFromAsyncEnter || awaited == kFromAsyncExit) {
      return object::type_error(in, "'async with' received an object from {} that does not implement __await__: {}",
                                awaited == kFromAsyncEnter ? "__aenter__" : "__aexit__", name);
    }
    return object::type_error(in, "'{}' object can't be awaited", name);
  }
  NNS_TRY_ASSIGN(Value iterator, in.call(method, std::initializer_list<Value>{}));
  if (iterator.is_object() && &iterator.object()->type() == machine.classes.coroutine) {
    return object::type_error(in, "__await__() returned a coroutine");
  }
  if (!is_iterator(in, iterator)) {
    return object::type_error(in, "__await__() returned non-iterator of type '{}'", in.type_of(iterator).name());
  }
  return iterator;
}

PyResult<Value> async_iterator(Interpreter& in, const Value& value) {
  NNS_TRY_ASSIGN(const Value method, bound_special(in, value, in.names().dunder_aiter));
  if (method.is_absent()) {
    return object::type_error(in, "'async for' requires an object with __aiter__ method, got {}",
                              in.type_of(value).name());
  }
  NNS_TRY_ASSIGN(Value iterator, in.call(method, std::initializer_list<Value>{}));
  if (in.type_of(iterator).lookup(in.names().dunder_anext) == nullptr) {
    return object::type_error(in, "'async for' received an object from __aiter__ that does not implement __anext__: {}",
                              in.type_of(iterator).name());
  }
  return iterator;
}

PyResult<Value> next_awaitable(Machine& machine, const Value& iterator) {
  Interpreter& in = machine.interpreter();
  NNS_TRY_ASSIGN(const Value method, bound_special(in, iterator, in.names().dunder_anext));
  if (method.is_absent()) {
    return object::type_error(in, "'async for' requires an iterator with __anext__ method, got {}",
                              in.type_of(iterator).name());
  }
  NNS_TRY_ASSIGN(const Value awaitable, in.call(method, std::initializer_list<Value>{}));
  PyResult<Value> waited = awaitable_iterator(machine, awaitable, kAwaited);
  if (waited.ok() || !waited.error().is(ErrorKind::TypeError)) return waited;
  PyError error =
      object::type_error(in, "'async for' received an invalid object from __anext__: {}", in.type_of(awaitable).name());
  error.exception().set_cause(Value(&waited.error().exception()));
  return error;
}

PyResult<Value> async_with_enter(Interpreter& in, Value& context) {
  const auto missing = [&](std::string_view method) {
    return object::type_error(in, "'{}' object does not support the asynchronous context manager protocol{}",
                              in.type_of(context).full_name(),
                              method == "__aexit__" ? " (missed __aexit__ method)" : "");
  };
  NNS_TRY_ASSIGN(const Value enter, bound_special(in, context, in.intern("__aenter__")));
  if (enter.is_absent()) return missing("__aenter__");
  NNS_TRY_ASSIGN(Value exit, bound_special(in, context, in.intern("__aexit__")));
  if (exit.is_absent()) return missing("__aexit__");
  NNS_TRY_ASSIGN(Value entered, in.call(enter, std::initializer_list<Value>{}));
  context = std::move(exit);
  return entered;
}

namespace {

Coroutine& coroutine_of(const Value& value) { return static_cast<Coroutine&>(*value.object()); }
AsyncGenerator& async_generator_of(const Value& value) { return static_cast<AsyncGenerator&>(*value.object()); }
AsyncStep& step_of(const Value& value) { return static_cast<AsyncStep&>(*value.object()); }

void add_coroutine(Machine& machine) {
  Class& cls = *machine.classes.coroutine;
  static constexpr auto kBody = [](const Value& self) -> const Generator& { return *coroutine_of(self).body; };
  add_generator_names<kBody>(cls);
  cls.def("__await__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return awaitable_iterator(Machine::of(in), a[0], kAwaited);
  });
  cls.def("send(self, value)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Ref<Generator> body = coroutine_of(a[0]).body;
    return item_of(in, *body, body->send(a[1]));
  });
  cls.def("throw(self, type, value=None, traceback=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Ref<Generator> body = coroutine_of(a[0]).body;
    NNS_TRY_ASSIGN(Ref<object::Exception> error, thrown_of(in, a));
    return item_of(in, *body, body->raise(PyError(std::move(error))));
  });
  cls.def("close(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(Ref<Generator>(coroutine_of(a[0]).body)->close());
    return Value();
  });
  cls.def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return in.text(fmt::format("<coroutine object {} at {}>", coroutine_of(a[0]).body->name(), address_of(a[0])));
  });
  cls.property("cr_running", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(coroutine_of(self).body->is_running());
  });
  cls.property("cr_suspended", [](Interpreter&, const Value& self) -> PyResult<Value> {
    const Generator& body = *coroutine_of(self).body;
    return Value(body.frame() != nullptr && body.is_started() && !body.is_running());
  });
}

void add_async_generator(Machine& machine) {
  Class& cls = *machine.classes.async_generator;
  static constexpr auto kBody = [](const Value& self) -> const Generator& { return *async_generator_of(self).body; };
  add_generator_names<kBody>(cls);
  static constexpr auto kStep = [](Interpreter& in, const Value& self, AsyncStep::Kind kind,
                                   Value argument) -> PyResult<Value> {
    NNS_TRY(async_generator_of(self).begin());
    return Value(object::make<AsyncStep>(*Machine::of(in).classes.async_step,
                                         Ref<AsyncGenerator>(&async_generator_of(self)), kind, std::move(argument)));
  };
  cls.def("__aiter__(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls.def("__anext__(self)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return kStep(in, a[0], AsyncStep::Kind::Send, Value()); });
  cls.def("asend(self, value)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return kStep(in, a[0], AsyncStep::Kind::Send, a[1]); });
  cls.def("athrow(self, type, value=None, traceback=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<object::Exception> error, thrown_of(in, a));
    return kStep(in, a[0], AsyncStep::Kind::Throw, Value(std::move(error)));
  });
  cls.def("aclose(self)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return kStep(in, a[0], AsyncStep::Kind::Close, Value()); });
  cls.def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return in.text(
        fmt::format("<async_generator object {} at {}>", async_generator_of(a[0]).body->name(), address_of(a[0])));
  });
  cls.property("ag_running", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(async_generator_of(self).is_running);
  });
}

void add_async_step(Machine& machine) {
  Class& cls = *machine.classes.async_step;
  cls.def("__await__(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls.def("__iter__(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls.def("__next__(self)", [](Interpreter&, Args a) -> PyResult<Value> { return step_of(a[0]).send(Value()); });
  cls.def("send(self, value)", [](Interpreter&, Args a) -> PyResult<Value> { return step_of(a[0]).send(a[1]); });
  cls.def("throw(self, type, value=None, traceback=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<object::Exception> error, thrown_of(in, a));
    return step_of(a[0]).raise(PyError(std::move(error)));
  });
  cls.def("close(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    step_of(a[0]).close();
    return Value();
  });
}

}  // namespace

void add_coroutine_methods(Machine& machine) {
  add_coroutine(machine);
  add_async_generator(machine);
  add_async_step(machine);
}

}  // namespace nns::python
