#pragma once

#include <algorithm>
#include <optional>

#include "core/object/bytes.h"
#include "core/object/characters.h"
#include "core/object/operations.h"
#include "core/object/unicode.h"

namespace nns::object {

/// What methods that str and bytes share need to know of their units: here code points in UTF-8.
struct CodePoints {
  static constexpr std::string_view kKind = "str";
  static constexpr std::string_view kPart = "substring";
  static std::string_view view_of(const Value& value) { return value.as<Str>()->view(); }
  static bool is_text(const Value& value) { return value.as<Str>() != nullptr; }
  static Value make(Interpreter& in, const Value&, std::string_view text) { return in.text(text); }
  static std::size_t length(std::string_view text) { return character_index(text, text.size()); }
  static std::size_t offset(std::string_view text, std::size_t index) { return byte_offset(text, index); }
  static std::size_t index(std::string_view text, std::size_t offset) { return character_index(text, offset); }
  static std::size_t size_at(std::string_view text, std::size_t at) { return character_size(text, at); }
  static bool is_space_at(std::string_view text, std::size_t at) { return is_space(code_point_at(text, at)); }
  static bool is_line_end_at(std::string_view text, std::size_t at) { return is_line_end(code_point_at(text, at)); }
  /// Where the unit before `at` begins. Must hold: at > 0.
  static std::size_t before(std::string_view text, std::size_t at) {
    while (--at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) {
    }
    return at;
  }
};

/// The same for bytes and bytearray.
struct RawBytes {
  static constexpr std::string_view kKind = "bytes";
  static constexpr std::string_view kPart = "subsection";
  static std::string_view view_of(const Value& value) { return value.as<Bytes>()->view(); }
  static bool is_text(const Value& value) { return value.as<Bytes>() != nullptr; }
  static Value make(Interpreter& in, const Value& like, std::string_view bytes) {
    Class& cls = like.as<Bytes>()->is_array() ? *in.builtins().byte_array : *in.builtins().bytes;
    return Value(object::make<Bytes>(cls, std::string(bytes)));
  }
  static std::size_t length(std::string_view text) { return text.size(); }
  static std::size_t offset(std::string_view text, std::size_t index) { return std::min(index, text.size()); }
  static std::size_t index(std::string_view, std::size_t offset) { return offset; }
  static std::size_t size_at(std::string_view, std::size_t) { return 1; }
  static bool is_space_at(std::string_view text, std::size_t at) {
    return std::string_view(" \t\n\r\f\v").find(text[at]) != std::string_view::npos;
  }
  static bool is_line_end_at(std::string_view text, std::size_t at) { return text[at] == '\n' || text[at] == '\r'; }
  static std::size_t before(std::string_view, std::size_t at) { return at - 1; }
};

/// Gives str, or bytes and bytearray, the methods that search, cut and pad.
void add_text_search_methods(Class& str);
void add_bytes_search_methods(Class& bytes);

}  // namespace nns::object
