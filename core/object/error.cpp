#include "core/object/error.h"

#include "core/object/instance.h"
#include "core/object/interpreter.h"
#include "core/object/operations.h"

namespace nns::object {

PyError::PyError(Ref<Exception> exception) : exception_(std::move(exception)) {}

Exception& PyError::exception() const { return static_cast<Exception&>(*exception_); }
std::string_view PyError::type() const { return exception_->type().name(); }

std::string PyError::message() const {
  auto text = str(exception_->interpreter(), Value(exception_));
  return text.ok() ? std::move(text).value() : std::string("<exception str() failed>");
}

bool PyError::is(ErrorKind kind) const {
  return exception_->type().is_subclass_of(exception_->interpreter().builtins().exception(kind));
}

// Behaviour: CPython Objects/exceptions.c, BaseException_str and KeyError_str.
std::string Exception::text() const {
  if (!arguments_ || arguments_->size() == 0) return "";
  Interpreter& interpreter = this->interpreter();
  const auto text_of = [](PyResult<std::string> text) { return text.ok() ? std::move(text).value() : std::string(); };
  if (arguments_->size() > 1) return text_of(repr(interpreter, Value(arguments_)));
  const Value& only = (*arguments_)[0];
  if (type().is_subclass_of(interpreter.builtins().exception(ErrorKind::KeyError))) {
    return text_of(repr(interpreter, only));
  }
  return text_of(str(interpreter, only));
}

namespace {

PyError with_argument(Interpreter& interpreter, ErrorKind kind, Value argument) {
  auto exception = make<Exception>(interpreter.builtins().exception(kind));
  exception->set_arguments(interpreter.tuple({std::move(argument)}));
  return PyError(std::move(exception));
}

}  // namespace

PyError make_error(Interpreter& interpreter, ErrorKind kind, std::string_view text) {
  return with_argument(interpreter, kind, interpreter.text(text));
}

PyError key_error(Interpreter& interpreter, Value key) {
  return with_argument(interpreter, ErrorKind::KeyError, std::move(key));
}

}  // namespace nns::object
