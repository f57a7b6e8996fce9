#pragma once

#include <string>
#include <string_view>

#include "core/object/interpreter.h"

namespace nns::object {

/// Python's bytes, which never change, and bytearray, which do.
class Bytes : public Object {
 public:
  static constexpr ObjectKind kKind = ObjectKind::Bytes;
  Bytes(Class& cls, std::string bytes) : Object(cls, kKind), bytes_(std::move(bytes)) {}

  std::string_view view() const { return bytes_; }
  /// Must hold: it is a bytearray.
  std::string& contents() { return bytes_; }
  bool is_array() const;

 private:
  std::string bytes_;
};

/// bytes or bytearray of class `cls`; instances of derived classes have a __dict__.
Ref<Bytes> make_bytes(Class& cls, std::string bytes);
/// bytes with these contents.
Ref<Bytes> make_bytes(Interpreter& interpreter, std::string_view bytes);
/// b'text' with Python's choice of quotes and escapes.
std::string bytes_repr(std::string_view bytes);
/// The bytes that an item assignment, append or bytes(iterable) takes. Errors: TypeError; ValueError  not in 0 to 255.
PyResult<std::uint8_t> to_byte(Interpreter& interpreter, const Value& value, std::string_view what);

}  // namespace nns::object
