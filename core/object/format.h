#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/object/interpreter.h"

namespace nns::object {

/// format(value, spec): what the value's __format__ makes of it; f-strings call it too.
/// Behaviour: CPython Python/formatter_unicode.c for the built-in classes.
/// Errors: ValueError  the spec is none, or not for this type. TypeError  the class takes no spec.
PyResult<std::string> format(Interpreter& interpreter, const Value& value, std::string_view spec);
/// The same as the built-in classes define it, whatever a class derived from them says.
PyResult<std::string> builtin_format(Interpreter& interpreter, const Value& value, std::string_view spec);

/// `text % arguments`: a tuple of values, a mapping, or one value. Behaviour: CPython Objects/unicodeobject.c,
/// PyUnicode_Format. Errors: TypeError, ValueError, OverflowError in Python's words.
PyResult<std::string> percent_format(Interpreter& interpreter, std::string_view text, const Value& arguments);
/// bytes % arguments. Behaviour: CPython Objects/bytesobject.c, _PyBytes_FormatEx.
PyResult<std::string> percent_format_bytes(Interpreter& interpreter, std::string_view bytes, const Value& arguments);

/// text.format(*positional, **keywords); `keywords` is a mapping or Absent; `from_mapping`: text.format_map(keywords).
/// Behaviour: CPython Objects/stringlib/unicode_format.h. Errors: ValueError, IndexError, KeyError, AttributeError.
PyResult<std::string> format_fields(Interpreter& interpreter, std::string_view text, std::span<const Value> positional,
                                    const Value& keywords, bool from_mapping = false);
/// What `!r`, `!s` or `!a` makes of a value.
PyResult<std::string> converted(Interpreter& interpreter, const Value& value, char conversion);

/// A format spec taken apart: [[fill]align][sign][z][#][0][width][,_][.precision][,_][type].
struct FormatSpec {
  /// One character, in UTF-8.
  std::string fill = " ";
  /// '<', '>', '=', '^'; '\0': none given. A "0" before the width means '='.
  char align = '\0';
  bool align_given = false;
  /// '-', '+', ' '; '\0': none given.
  char sign = '\0';
  bool no_negative_zero = false;
  bool alternate = false;
  /// -1: none given.
  std::int64_t width = -1, precision = -1;
  /// ',', '_' or '\0', for the digits before and behind the point.
  char grouping = '\0', fraction_grouping = '\0';
  /// '\0': none given.
  char type = '\0';
};

/// Digits of a float in the style of `type` (e, f, g, their capitals, %; 'r': shortest, with ".0"), without its sign.
/// `precision` -1: 6, with 'r' as many as needed.
std::string float_digits(double size, char type, std::int64_t precision, bool alternate);
/// `text` filled up to `width` characters.
std::string padded(std::string_view text, const FormatSpec& spec, char default_align);
/// A number from sign, prefix ("0x") and digits: grouped, filled with zeros behind the sign, padded.
std::string padded_number(std::string_view sign, std::string_view prefix, std::string_view digits,
                          const FormatSpec& spec);

}  // namespace nns::object
