#pragma once

#include <string>
#include <string_view>

#include "core/object/interpreter.h"

namespace nns::object {

/// str.encode and bytes.decode for utf-8, ascii, latin-1, utf-16 and utf-32 (both orders, with and without mark).
/// `encoding` and `errors` are texts, or Absent for "utf-8" and "strict"; errors may be strict, ignore, replace,
/// backslashreplace, surrogateescape, surrogatepass; for encoding also xmlcharrefreplace.
/// Errors: LookupError  unknown names. UnicodeEncodeError, UnicodeDecodeError in Python's words. TypeError.
PyResult<std::string> encode_text(Interpreter& interpreter, std::string_view text, const Value& encoding,
                                  const Value& errors);
PyResult<std::string> decode_bytes(Interpreter& interpreter, std::string_view bytes, const Value& encoding,
                                   const Value& errors);

/// Gives UnicodeEncodeError and UnicodeDecodeError their attributes and texts.
void add_codec_error_methods(Interpreter& interpreter);

}  // namespace nns::object
