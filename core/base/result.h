#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace nns::base {

/// Why bad input was refused: what was found, where, and what would be right.
/// An error is data; who shows it to a person calls message() once.
struct Error {
  /// What is wrong, without the place: "header length 9223372036854775807 exceeds the file".
  std::string found;
  /// What would have been right: "at most 100000000 bytes". Empty if `found` says it already.
  std::string expected;
  /// File, URL or archive member ("model.pt!archive/data.pkl"). Empty where there is none.
  std::string where;
  /// Byte offset in `where`.
  std::optional<std::uint64_t> offset;

  /// One line: "<where>: byte <offset>: <found>; expected <expected>".
  std::string message() const;
  friend bool operator==(const Error&, const Error&) = default;
};

/// A value, or the Error that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

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
  const T* operator->() const { return &value(); }

  /// Must hold: !ok().
  const Error& error() const& {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    assert(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  /// Must hold: !ok().
  const Error& error() const& {
    assert(!ok());
    return *error_;
  }
  Error&& error() && {
    assert(!ok());
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

}  // namespace nns::base

#define NNS_CONCAT_INNER(a, b) a##b
#define NNS_CONCAT(a, b) NNS_CONCAT_INNER(a, b)

/// Returns the error of `expression` from the calling function, or goes on.
#define NNS_TRY(expression)                                 \
  do {                                                      \
    if (auto nns_result = (expression); !nns_result.ok()) { \
      return std::move(nns_result).error();                 \
    }                                                       \
  } while (false)

/// `NNS_TRY_ASSIGN(const auto size, read_size(in));` declares `size`, or returns the error.
#define NNS_TRY_ASSIGN(declaration, expression) \
  NNS_TRY_ASSIGN_INNER(NNS_CONCAT(nns_result_, __LINE__), declaration, expression)
#define NNS_TRY_ASSIGN_INNER(result, declaration, expression) \
  auto result = (expression);                                 \
  if (!result.ok()) return std::move(result).error();         \
  declaration = std::move(result).value()
