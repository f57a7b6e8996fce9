#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/object/object.h"

namespace nns::object {

/// A hash of bytes; equal on every platform with the same word order.
std::uint64_t hash_bytes(std::string_view bytes);

/// Python's str, kept as UTF-8. Never changes.
class Str : public Object {
 public:
  static constexpr ObjectKind kKind = ObjectKind::Str;

  /// Errors: none. An instance of a class derived from str has a __dict__ too.
  static Ref<Str> make(Class& cls, std::string_view text);

  std::string_view view() const { return {text(), static_cast<std::size_t>(size_)}; }
  std::uint64_t hash() const {
    if (hash_ == 0) hash_ = compute_hash();
    return hash_;
  }
  /// Whether it stands in the interpreter's table of names, where equal texts are one object.
  bool is_interned() const { return interned_; }
  /// Number of code points.
  std::size_t length() const;
  /// Whether every code point is one byte. Cost: one pass the first time.
  bool is_ascii() const;

  static void operator delete(void* memory) { ::operator delete(memory); }

 protected:
  /// The text begins behind an object of `own_size` bytes.
  Str(Class& cls, std::string_view text, std::size_t own_size) noexcept;
  static void* operator new(std::size_t size, std::size_t extra) { return ::operator new(size + extra); }
  static void operator delete(void* memory, std::size_t) { ::operator delete(memory); }

 private:
  friend class Interpreter;
  std::uint64_t compute_hash() const;
  const char* text() const { return reinterpret_cast<const char*>(this) + offset_; }

  mutable std::uint64_t hash_ = 0;
  std::uint64_t size_ : 54;
  std::uint64_t offset_ : 8;
  enum Ascii : std::uint8_t { kUnknown, kAscii, kWide };
  mutable std::uint64_t ascii_ : 2;
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
