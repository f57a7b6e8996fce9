#include "core/python/eval/function.h"

#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/python/eval/machine.h"

namespace nns::python {
Function::Function(Interpreter& interpreter, Ref<Code> code, Ref<Dict> globals)
    : Container(*interpreter.builtins().function),
      code_(std::move(code)),
      globals_(std::move(globals)),
      name_(code_->name),
      qualified_name_(code_->qualified_name) {
  doc = code_->doc;
}

PyResult<Value> Function::call(const object::Arguments& arguments) {
  return Machine::of(interpreter()).call(*this, arguments);
}

PyResult<Value> Function::bind(const Value& self, Class&) {
  if (self.is_absent()) return Value(this);
  return Value(object::make<object::BoundMethod>(interpreter(), self, Value(this)));
}

Dict* Function::instance_dict(bool create) {
  if (!attributes_ && create) attributes_ = interpreter().dict();
  return attributes_.get();
}

void Function::traverse(object::Visitor& visitor) const {
  visitor.visit(code_);
  visitor.visit(globals_);
  visitor.visit(defaults_);
  visitor.visit(keyword_defaults_);
  visitor.visit(annotate);
  visitor.visit(annotations);
  for (const Ref<Cell>& cell : closure) visitor.visit(cell);
  visitor.visit(names);
  visitor.visit(doc);
  visitor.visit(attributes_);
}

void Function::clear_references() {
  defaults_ = keyword_defaults_ = annotate = annotations = doc = Value();
  closure.clear();
  names = nullptr;
  attributes_ = nullptr;
}

Generator::Generator(Class& cls, std::unique_ptr<Frame> frame)
    : Iterator(cls),
      frame_(std::move(frame)),
      name_(frame_->code->qualified_name),
      kind_(!frame_->code->is_async   ? Kind::Generator
            : frame_->code->has_yield ? Kind::AsyncGenerator
                                      : Kind::Coroutine) {
  frame_->generator = this;
}

Generator::~Generator() {
  if (kind_ != Kind::Coroutine || frame_ == nullptr || is_started_) return;
  // Behaviour: CPython Objects/genobject.c, _PyErr_WarnUnawaitedCoroutine.
  if (Machine* const machine = interpreter().extension<Machine>()) {
    machine->streams.error(
        fmt::format("{}: RuntimeWarning: coroutine '{}' was never awaited\n", machine->place(), name_));
  }
}

std::string_view Generator::kind_name() const {
  switch (kind_) {
    case Kind::Coroutine:
      return "coroutine";
    case Kind::AsyncGenerator:
      return "async generator";
    default:
      return "generator";
  }
}

bool Generator::waits_inside() const {
  return frame_ != nullptr && !is_running_ && is_started_ && frame_->next->op == Opcode::YieldFrom;
}

PyResult<Value> Generator::next() { return send(Value()); }

PyResult<Value> Generator::send(const Value& value) { return Machine::of(interpreter()).resume(*this, value, nullptr); }

namespace {

// Raises in what a generator waits for. Absent: that ended with `result`.
PyResult<Value> raise_inside(Machine& machine, const Value& inner, const PyError& error, Value& result) {
  Interpreter& in = machine.interpreter();
  const bool closes = error.is(object::ErrorKind::GeneratorExit);
  if (Generator* const found = machine.as_generator(inner)) {
    const Ref<Generator> generator(found);
    if (closes) {
      NNS_TRY(generator->close());
      return error;
    }
    PyResult<Value> item = generator->raise(error);
    if (item.ok() && item->is_absent()) result = generator->result();
    return item;
  }
  NNS_TRY_ASSIGN(const Value method,
                 object::getattr_or_absent(in, inner, closes ? machine.names.close : machine.names.throw_));
  if (closes && !method.is_absent()) NNS_TRY(in.call(method, std::initializer_list<Value>{}));
  if (closes || method.is_absent()) return error;
  PyResult<Value> item = in.call(method, {Value(&error.exception())});
  if (item.ok() || !item.error().is(object::ErrorKind::StopIteration)) return item;
  const auto& given = item.error().exception().arguments();
  if (given && given->size() > 0) result = (*given)[0];
  return Value::absent();
}

}  // namespace

PyResult<Value> Generator::raise(PyError error) {
  Machine& machine = Machine::of(interpreter());
  if (!waits_inside()) return machine.resume(*this, Value(), &error);
  const Ref<Generator> alive(this);
  const Value inner = frame_->top[-1];
  Value result;
  is_running_ = true;
  PyResult<Value> item = raise_inside(machine, inner, error, result);
  is_running_ = false;
  if (item.ok() && !item->is_absent()) return item;
  ++frame_->next;
  if (!item.ok()) {
    const PyError passed = std::move(item).error();
    return machine.resume(*this, Value(), &passed);
  }
  // It ended: its result is what `yield from` gives.
  *--frame_->top = Value();
  return machine.resume(*this, result, nullptr);
}

PyResult<void> Generator::close() {
  if (frame_ == nullptr || !is_started_) {
    const std::unique_ptr<Frame> ended = std::move(frame_);
    return {};
  }
  PyResult<Value> answer = raise(object::make_error(interpreter(), object::ErrorKind::GeneratorExit, ""));
  if (!answer.ok()) {
    if (answer.error().is(object::ErrorKind::GeneratorExit) || answer.error().is(object::ErrorKind::StopIteration))
      return {};
    return std::move(answer).error();
  }
  if (!answer->is_absent()) return object::runtime_error(interpreter(), "{} ignored GeneratorExit", kind_name());
  return {};
}

// Behaviour: CPython Objects/genobject.c, _PyGen_Finalize.
bool Generator::needs_finalizer() const {
  // What an asynchronous one has to do is said by the object around it.
  return frame_ != nullptr && is_started_ && !is_running_ && !frame_->handlers.empty() && kind_ != Kind::AsyncGenerator;
}

void Generator::finalize() {
  const PyResult<void> closed = close();
  if (!closed.ok()) interpreter().tell_unraisable(closed.error(), "closing generator", Value(this));
}

void Generator::traverse(object::Visitor& visitor) const {
  visitor.visit(result_);
  visitor.visit(handled_);
  // A frame that runs is a root of its own.
  if (frame_ == nullptr) return;
  visitor.visit(frame_->function);
  const Value* const end = is_running_ ? frame_->stack() : frame_->top;
  for (const Value* one = frame_->slots; one < end; ++one) visitor.visit(*one);
}

void Generator::clear_references() {
  result_ = handled_ = Value();
  if (is_running_) return;
  const std::unique_ptr<Frame> ended = std::move(frame_);
}

}  // namespace nns::python
