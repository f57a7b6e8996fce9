#pragma once

#include <fmt/format.h>

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/result.h"
#include "core/object/object.h"

namespace nns::object {

/// The exception classes of exceptions.def.
enum class ErrorKind : std::uint8_t {
#define NNS_EXCEPTION(name, base) name,
#include "core/object/exceptions.def"
#undef NNS_EXCEPTION
};

class Exception;

/// An exception on its way to whoever handles it: what PyTorch or Python would raise.
/// Its traceback comes with the evaluator; the exception object carries it.
class [[nodiscard]] PyError {
 public:
  explicit PyError(Ref<Exception> exception);
  PyError(const PyError&);
  PyError(PyError&&) noexcept;
  PyError& operator=(PyError);
  ~PyError();

  /// The exception object.
  Exception& exception() const;
  /// Its class's name: "TypeError".
  std::string_view type() const;
  /// str(exception); of a KeyError the repr of its key.
  std::string message() const;
  /// Whether an `except <kind>` clause would catch it.
  bool is(ErrorKind kind) const;

 private:
  Ref<Exception> exception_;
};

/// A value, or the exception that was raised instead.
template <class T>
class [[nodiscard]] PyResult {
 public:
  PyResult(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  template <class U>
  requires(std::convertible_to<U, T> && !std::same_as<std::remove_cvref_t<U>, T> &&
           !std::same_as<std::remove_cvref_t<U>, PyError> && !std::same_as<std::remove_cvref_t<U>, PyResult>)
      PyResult(U&& value)  // NOLINT(bugprone-forwarding-reference-overload): the constraint leaves copies and moves out
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  PyResult(PyError error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// Must hold: ok().
  T& value() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }

  /// Must hold: !ok().
  const PyError& error() const& {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }
  PyError&& error() && {
    assert(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<T, PyError> state_;
};

template <>
class [[nodiscard]] PyResult<void> {
 public:
  PyResult() = default;
  PyResult(PyError error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  /// Must hold: !ok().
  const PyError& error() const& { return *error_; }
  PyError&& error() && { return *std::move(error_); }

 private:
  std::optional<PyError> error_;
};

/// Makes an exception of class `kind` with `text` as its one argument.
PyError make_error(Interpreter& interpreter, ErrorKind kind, std::string_view text);
/// A KeyError, whose argument is the key itself.
PyError key_error(Interpreter& interpreter, Value key);

/// `error<ErrorKind::TypeError>(interpreter, "'{}' object is not callable", name)`.
template <ErrorKind kind, class... Args>
PyError error(Interpreter& interpreter, fmt::format_string<Args...> format, Args&&... args) {
  return make_error(interpreter, kind, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
PyError type_error(Interpreter& interpreter, fmt::format_string<Args...> format, Args&&... args) {
  return error<ErrorKind::TypeError>(interpreter, format, std::forward<Args>(args)...);
}
template <class... Args>
PyError attribute_error(Interpreter& interpreter, fmt::format_string<Args...> format, Args&&... args) {
  return error<ErrorKind::AttributeError>(interpreter, format, std::forward<Args>(args)...);
}
template <class... Args>
PyError value_error(Interpreter& interpreter, fmt::format_string<Args...> format, Args&&... args) {
  return error<ErrorKind::ValueError>(interpreter, format, std::forward<Args>(args)...);
}
template <class... Args>
PyError runtime_error(Interpreter& interpreter, fmt::format_string<Args...> format, Args&&... args) {
  return error<ErrorKind::RuntimeError>(interpreter, format, std::forward<Args>(args)...);
}

}  // namespace nns::object
