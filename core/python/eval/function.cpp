#include "core/python/eval/function.h"

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

Generator::Generator(Interpreter& interpreter, std::unique_ptr<Frame> frame)
    : Iterator(*Machine::of(interpreter).classes.generator),
      frame_(std::move(frame)),
      name_(frame_->code->qualified_name) {
  frame_->generator = this;
}

Generator::~Generator() = default;

PyResult<Value> Generator::next() { return send(Value()); }

PyResult<Value> Generator::send(const Value& value) { return Machine::of(interpreter()).resume(*this, value, nullptr); }

PyResult<Value> Generator::raise(PyError error) {
  Machine& machine = Machine::of(interpreter());
  // A generator that waits in `yield from` hands the exception on.
  if (frame_ != nullptr && !is_running_ && is_started_ && frame_->next->op == Opcode::YieldFrom) {
    const Value inner = frame_->top[-1];
    const Ref<Generator> generator(inner.is_object() && &inner.object()->type() == machine.classes.generator
                                       ? static_cast<Generator*>(inner.object())
                                       : nullptr);
    if (generator) {
      PyResult<Value> item = error.is(object::ErrorKind::GeneratorExit) ? [&]() -> PyResult<Value> {
        NNS_TRY(generator->close());
        return error;
      }()
          : generator->raise(std::move(error));
      if (item.ok() && !item->is_absent()) return item;
      if (item.ok()) {
        // It ended: its result is what `yield from` gives.
        frame_->top[-1] = generator->result();
        --frame_->top;
        const Value result = std::exchange(*frame_->top, Value());
        ++frame_->next;
        return machine.resume(*this, result, nullptr);
      }
      const PyError passed = std::move(item).error();
      ++frame_->next;
      return machine.resume(*this, Value(), &passed);
    }
    ++frame_->next;
  }
  return machine.resume(*this, Value(), &error);
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
  if (!answer->is_absent()) return object::runtime_error(interpreter(), "generator ignored GeneratorExit");
  return {};
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
