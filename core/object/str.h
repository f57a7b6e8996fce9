#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/object/object.h"

namespace nns::object {

/// A hash of bytes; equal on every platform with the same word order.
std::uint64_t hash_bytes(std::string_view bytes);

/// Python's str, kept as UTF-8. Never changes.
class Str final : public Object {
 public:
  static constexpr ObjectKind kKind = ObjectKind::Str;

  static Ref<Str> make(Class& cls, std::string_view text);

  std::string_view view() const { return {text(), size_}; }
  std::uint64_t hash() const {
    if (hash_ == 0) hash_ = compute_hash();
    return hash_;
  }
  /// Whether it stands in the interpreter's table of names, where equal texts are one object.
  bool is_interned() const { return interned_; }
  /// Number of code points.
  std::size_t length() const;

  static void operator delete(void* memory) { ::operator delete(memory); }

 private:
  friend class Interpreter;
  Str(Class& cls, std::string_view text) noexcept;
  static void* operator new(std::size_t size, std::size_t extra) { return ::operator new(size + extra); }
  static void operator delete(void* memory, std::size_t) { ::operator delete(memory); }
  std::uint64_t compute_hash() const;
  const char* text() const { return reinterpret_cast<const char*>(this + 1); }

  mutable std::uint64_t hash_ = 0;
  std::size_t size_;
};

/// An interned Str: equal names of one interpreter are one pointer.
/// Lifetime: that of the interpreter.
class Name {
 public:
  Name() = default;
  Str& str() const { return *str_; }
  std::string_view view() const { return str_->view(); }
  Value value() const { return Value(static_cast<Object*>(str_)); }
  explicit operator bool() const { return str_ != nullptr; }
  friend bool operator==(const Name& a, const Name& b) { return a.str_ == b.str_; }

 private:
  friend class Interpreter;
  explicit Name(Str* str) : str_(str) {}
  Str* str_ = nullptr;
};

}  // namespace nns::object
