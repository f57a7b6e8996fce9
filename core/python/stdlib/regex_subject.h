#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/object/interpreter.h"

namespace nns::python {

/// A text that a pattern is matched with. PCRE2 counts bytes; programs count code points of a str, bytes of bytes.
class RegexSubject {
 public:
  /// `value` must be a str if the pattern is one, else bytes or a bytearray (which is copied as it is now).
  /// Errors: TypeError in Python's words. ValueError  the bytes of a str are no UTF-8.
  /// Cost: one pass over a str that is not ASCII.
  static object::PyResult<std::shared_ptr<const RegexSubject>> make(object::Interpreter& interpreter,
                                                                    const object::Value& value, bool pattern_is_text);

  const object::Value& value() const { return value_; }
  std::string_view bytes() const { return bytes_; }
  /// len(value).
  std::size_t length() const { return length_; }
  /// The byte where character `index` begins, and the character that begins at a byte. Must hold: they exist.
  /// Cost: constant.
  std::size_t offset_of(std::size_t index) const;
  std::size_t index_of(std::size_t offset) const;
  /// A part of it, as str or bytes.
  object::Value slice(object::Interpreter& interpreter, std::size_t begin, std::size_t end) const;

 private:
  object::Value value_;
  std::string copy_;
  std::string_view bytes_;
  std::size_t length_ = 0;
  bool is_text_ = true;
  /// How many characters begin before each block of bytes; empty where bytes and characters are one.
  std::vector<std::size_t> counts_;
};

}  // namespace nns::python
