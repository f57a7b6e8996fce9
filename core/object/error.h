#pragma once

#include <fmt/format.h>

#include <cassert>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

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

  /// The exception object.
  Exception& exception() const;
  /// Its class's name: "TypeError".
  std::string_view type() const;
  /// str(exception); of a KeyError the repr of its key.
  std::string message() const;
  /// Whether an `except <kind>` clause would catch it.
  bool is(ErrorKind kind) const;

 private:
  template <class T>
  friend class PyResult;
  PyError() = default;

  /// An Exception, as an object: so that moving and dropping errors, which every result does, needs no function.
  Ref<Object> exception_;
};

/// A value, or the exception that was raised instead.
template <class T>
class [[nodiscard]] PyResult {
 public:
  PyResult(T value) noexcept : value_(std::move(value)), ok_(true) {}
  template <class U>
  requires(std::convertible_to<U, T> && !std::same_as<std::remove_cvref_t<U>, T> &&
           !std::same_as<std::remove_cvref_t<U>, PyError> && !std::same_as<std::remove_cvref_t<U>, PyResult>)
      PyResult(U&& value)  // NOLINT(bugprone-forwarding-reference-overload): the constraint leaves copies and moves out
      : value_(std::forward<U>(value)), ok_(true) {}
  PyResult(PyError error) noexcept : error_(std::move(error)), ok_(false) {}

  PyResult(const PyResult& other) : ok_(other.ok_) {
    if (ok_) {
      std::construct_at(&value_, other.value_);
    } else {
      std::construct_at(&error_, other.error_);
    }
  }
  PyResult(PyResult&& other) noexcept : ok_(other.ok_) {
    if (ok_) {
      std::construct_at(&value_, std::move(other.value_));
    } else {
      std::construct_at(&error_, std::move(other.error_));
    }
  }
  PyResult& operator=(PyResult other) noexcept {
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
  }
  ~PyResult() {
    if (ok_) {
      std::destroy_at(&value_);
    } else {
      std::destroy_at(&error_);
    }
  }

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok(); }

  /// Must hold: ok().
  T& value() & {
    assert(ok());
    return value_;
  }
  const T& value() const& {
    assert(ok());
    return value_;
  }
  T&& value() && {
    assert(ok());
    return std::move(value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }

  /// Must hold: !ok().
  const PyError& error() const& {
    assert(!ok());
    return error_;
  }
  PyError&& error() && {
    assert(!ok());
    return std::move(error_);
  }

 private:
  union {
    T value_;
    PyError error_;
  };
  bool ok_;
};

/// The same for a Value, which has room for the mark that tells the two apart: what every call returns is two words.
template <>
class [[nodiscard]] PyResult<Value> {
 public:
  PyResult(Value value) noexcept : value_(std::move(value)) {}
  template <class U>
  requires(std::convertible_to<U, Value> && !std::same_as<std::remove_cvref_t<U>, Value> &&
           !std::same_as<std::remove_cvref_t<U>, PyError> && !std::same_as<std::remove_cvref_t<U>, PyResult>)
      PyResult(U&& value)  // NOLINT(bugprone-forwarding-reference-overload): as above
      : value_(std::forward<U>(value)) {}
  PyResult(PyError error) noexcept : raised_{kRaised, std::move(error)} {}

  PyResult(const PyResult& other) noexcept {
    if (other.ok()) {
      std::construct_at(&value_, other.value_);
    } else {
      std::construct_at(&raised_, other.raised_);
    }
  }
  PyResult(PyResult&& other) noexcept {
    if (other.ok()) {
      std::construct_at(&value_, std::move(other.value_));
    } else {
      std::construct_at(&raised_, std::move(other.raised_));
    }
  }
  PyResult& operator=(PyResult other) noexcept {
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
  }
  ~PyResult() {
    if (ok()) {
      std::destroy_at(&value_);
    } else {
      std::destroy_at(&raised_);
    }
  }

  // Both begin with a kind, and may be asked for it whichever is there.
  bool ok() const { return raised_.kind != kRaised; }
  explicit operator bool() const { return ok(); }

  /// Must hold: ok().
  Value& value() & {
    assert(ok());
    return value_;
  }
  const Value& value() const& {
    assert(ok());
    return value_;
  }
  Value&& value() && {
    assert(ok());
    return std::move(value_);
  }
  Value& operator*() & { return value(); }
  const Value& operator*() const& { return value(); }
  Value&& operator*() && { return std::move(*this).value(); }
  Value* operator->() { return &value(); }

  /// Must hold: !ok().
  const PyError& error() const& {
    assert(!ok());
    return raised_.error;
  }
  PyError&& error() && {
    assert(!ok());
    return std::move(raised_.error);
  }

 private:
  static constexpr Value::Kind kRaised = static_cast<Value::Kind>(255);
  struct Raised {
    Value::Kind kind;
    PyError error;
  };
  union {
    Value value_;
    Raised raised_;
  };
};
static_assert(std::is_standard_layout_v<Value> && std::is_standard_layout_v<PyError>);
static_assert(sizeof(PyResult<Value>) == sizeof(Value));

template <>
class [[nodiscard]] PyResult<void> {
 public:
  PyResult() = default;
  PyResult(PyError error) noexcept : error_(std::move(error)) {}

  bool ok() const { return !error_.exception_; }
  explicit operator bool() const { return ok(); }
  /// Must hold: !ok().
  const PyError& error() const& {
    assert(!ok());
    return error_;
  }
  PyError&& error() && {
    assert(!ok());
    return std::move(error_);
  }

 private:
  /// Of none: nothing was raised.
  PyError error_;
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
