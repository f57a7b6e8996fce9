#include "core/object/text_codec.h"

#include <optional>

#include "core/object/bytes.h"
#include "core/object/instance.h"
#include "core/object/unicode.h"

namespace nns::object {
namespace {

enum class Encoding : std::uint8_t {
  Utf8,
  Utf8Mark,
  Ascii,
  Latin1,
  Utf16,
  Utf16Little,
  Utf16Big,
  Utf32,
  Utf32Little,
  Utf32Big
};
enum class OnError : std::uint8_t { Strict, Ignore, Replace, Backslash, XmlReference, SurrogateEscape, SurrogatePass };

std::string escaped(char32_t point);

std::optional<Encoding> find_encoding(std::string_view name) {
  std::string plain;
  for (const char c : name) plain += c == '-' || c == ' ' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  struct Row {
    std::string_view name;
    Encoding encoding;
  };
  constexpr Row kRows[] = {
      {"utf_8", Encoding::Utf8},
      {"utf8", Encoding::Utf8},
      {"u8", Encoding::Utf8},
      {"utf_8_sig", Encoding::Utf8Mark},
      {"ascii", Encoding::Ascii},
      {"us_ascii", Encoding::Ascii},
      {"646", Encoding::Ascii},
      {"latin_1", Encoding::Latin1},
      {"latin1", Encoding::Latin1},
      {"iso_8859_1", Encoding::Latin1},
      {"iso8859_1", Encoding::Latin1},
      {"l1", Encoding::Latin1},
      {"utf_16", Encoding::Utf16},
      {"utf16", Encoding::Utf16},
      {"utf_16_le", Encoding::Utf16Little},
      {"utf_16_be", Encoding::Utf16Big},
      {"utf_32", Encoding::Utf32},
      {"utf32", Encoding::Utf32},
      {"utf_32_le", Encoding::Utf32Little},
      {"utf_32_be", Encoding::Utf32Big},
  };
  for (const Row& row : kRows) {
    if (row.name == plain) return row.encoding;
  }
  return std::nullopt;
}

struct Codec {
  Encoding encoding = Encoding::Utf8;
  OnError on_error = OnError::Strict;
  std::string_view name;
};

std::string_view shown_name(Encoding encoding) {
  switch (encoding) {
    case Encoding::Utf8:
    case Encoding::Utf8Mark:
      return "utf-8";
    case Encoding::Ascii:
      return "ascii";
    case Encoding::Latin1:
      return "latin-1";
    case Encoding::Utf16:
      return "utf-16";
    case Encoding::Utf16Little:
      return "utf-16-le";
    case Encoding::Utf16Big:
      return "utf-16-be";
    case Encoding::Utf32:
      return "utf-32";
    case Encoding::Utf32Little:
      return "utf-32-le";
    case Encoding::Utf32Big:
      break;
  }
  return "utf-32-be";
}

PyResult<Codec> read_codec(Interpreter& in, std::string_view function, const Value& encoding, const Value& errors) {
  Codec codec;
  if (!encoding.is_absent()) {
    const Str* name = encoding.as<Str>();
    if (name == nullptr) {
      return type_error(in, "{}() argument 'encoding' must be str, not {}", function, in.type_of(encoding).name());
    }
    const auto found = find_encoding(name->view());
    if (!found) return error<ErrorKind::LookupError>(in, "unknown encoding: {}", name->view());
    codec.encoding = *found;
  }
  codec.name = shown_name(codec.encoding);
  if (errors.is_absent()) return codec;
  const Str* name = errors.as<Str>();
  if (name == nullptr) {
    return type_error(in, "{}() argument 'errors' must be str, not {}", function, in.type_of(errors).name());
  }
  struct Row {
    std::string_view name;
    OnError on_error;
  };
  constexpr Row kRows[] = {{"strict", OnError::Strict},
                           {"ignore", OnError::Ignore},
                           {"replace", OnError::Replace},
                           {"backslashreplace", OnError::Backslash},
                           {"xmlcharrefreplace", OnError::XmlReference},
                           {"surrogateescape", OnError::SurrogateEscape},
                           {"surrogatepass", OnError::SurrogatePass}};
  for (const Row& row : kRows) {
    if (row.name != name->view()) continue;
    codec.on_error = row.on_error;
    return codec;
  }
  return error<ErrorKind::LookupError>(in, "unknown error handler name '{}'", name->view());
}

PyError unicode_error(Interpreter& in, ErrorKind kind, std::string_view codec, Value object, std::size_t start,
                      std::size_t end, std::string_view reason) {
  auto exception = make<Exception>(in.builtins().exception(kind));
  exception->set_arguments(in.tuple({in.text(codec), std::move(object), Value(start), Value(end), in.text(reason)}));
  return PyError(std::move(exception));
}

// The text of a UnicodeEncodeError or UnicodeDecodeError, from its five arguments.
PyResult<Value> unicode_error_text(Interpreter& in, std::span<const Value> a) {
  const Exception* raised = a[0].as<Exception>();
  const bool complete = raised != nullptr && raised->arguments() && raised->arguments()->size() == 5;
  if (!complete) return in.text("");
  const std::span<const Value> parts = raised->arguments()->items();
  const Str *codec = parts[0].as<Str>(), *reason = parts[4].as<Str>();
  if (codec == nullptr || reason == nullptr || !parts[2].is_int() || !parts[3].is_int()) return in.text("");
  const std::int64_t start = parts[2].as_int(), last = parts[3].as_int() - 1;
  std::string what;
  if (const Str* text = parts[1].as<Str>()) {
    const std::u32string points = code_points(text->view());
    const bool one = start == last && start >= 0 && static_cast<std::size_t>(start) < points.size();
    what = one ? fmt::format("encode character '{}' in position {}", escaped(points[static_cast<std::size_t>(start)]),
                             start)
               : fmt::format("encode characters in position {}-{}", start, last);
  } else if (const Bytes* bytes = parts[1].as<Bytes>()) {
    const bool one = start == last && start >= 0 && static_cast<std::size_t>(start) < bytes->view().size();
    what = one ? fmt::format("decode byte 0x{:02x} in position {}",
                             static_cast<unsigned char>(bytes->view()[static_cast<std::size_t>(start)]), start)
               : fmt::format("decode bytes in position {}-{}", start, last);
  }
  return in.text(fmt::format("'{}' codec can't {}: {}", codec->view(), what, reason->view()));
}

template <std::size_t kPlace>
PyResult<Value> unicode_error_part(Interpreter&, const Value& self) {
  const Exception* raised = self.as<Exception>();
  const bool complete = raised != nullptr && raised->arguments() && raised->arguments()->size() == 5;
  return complete ? (*raised->arguments())[kPlace] : Value();
}

std::string escaped(char32_t point) {
  const auto number = static_cast<std::uint32_t>(point);
  return number < 0x100     ? fmt::format("\\x{:02x}", number)
         : number < 0x10000 ? fmt::format("\\u{:04x}", number)
                            : fmt::format("\\U{:08x}", number);
}

void put_unit(std::string& out, std::uint32_t unit, std::size_t size, bool big) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t shift = 8 * (big ? size - 1 - i : i);
    out += static_cast<char>(static_cast<unsigned char>((unit >> shift) & 0xFFU));
  }
}

void put_point(std::string& out, char32_t point, Encoding encoding) {
  switch (encoding) {
    case Encoding::Utf8:
    case Encoding::Utf8Mark:
      append_code_point(out, point);
      return;
    case Encoding::Ascii:
    case Encoding::Latin1:
      out += static_cast<char>(static_cast<unsigned char>(point));
      return;
    case Encoding::Utf16:
    case Encoding::Utf16Little:
    case Encoding::Utf16Big: {
      const bool big = encoding == Encoding::Utf16Big;
      if (point < 0x10000) return put_unit(out, point, 2, big);
      put_unit(out, 0xD800U + ((point - 0x10000U) >> 10U), 2, big);
      put_unit(out, 0xDC00U + ((point - 0x10000U) & 0x3FFU), 2, big);
      return;
    }
    default:
      put_unit(out, point, 4, encoding == Encoding::Utf32Big);
  }
}

bool is_surrogate(char32_t point) { return point >= 0xD800 && point <= 0xDFFF; }

// One character of the bytes: its code point and size, or why it is none and how many bytes are to blame.
struct Decoded {
  char32_t point = 0;
  std::size_t size = 1;
  std::string_view reason;
};

Decoded decode_utf8(std::string_view rest) {
  const auto byte = [&rest](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, {}};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return {0, 1, "invalid start byte"};
  for (std::size_t i = 1; i < size; ++i) {
    if (i >= rest.size()) return {0, i, "unexpected end of data"};
    unsigned char low = 0x80, high = 0xBF;
    if (i == 1) {
      if (lead == 0xE0) low = 0xA0;
      if (lead == 0xED) high = 0x9F;
      if (lead == 0xF0) low = 0x90;
      if (lead == 0xF4) high = 0x8F;
    }
    if (byte(i) < low || byte(i) > high) return {0, i, "invalid continuation byte"};
  }
  return {code_point_at(rest, 0), size, {}};
}

Decoded decode_units(std::string_view rest, std::size_t size, bool big) {
  const auto unit = [&rest, size, big](std::size_t place) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = place * size + (big ? i : size - 1 - i);
      number = (number << 8U) | static_cast<unsigned char>(rest[at]);
    }
    return number;
  };
  if (rest.size() < size) return {0, rest.size(), "truncated data"};
  const std::uint32_t first = unit(0);
  if (size == 4) {
    if (first > 0x10FFFF) return {0, 4, "code point not in range(0x110000)"};
    if (is_surrogate(first)) return {0, 4, "code point in surrogate code point range(0xd800, 0xe000)"};
    return {first, 4, {}};
  }
  if (!is_surrogate(first)) return {first, 2, {}};
  if (first >= 0xDC00) return {0, 2, "illegal encoding"};
  if (rest.size() < 4) return {0, rest.size(), "unexpected end of data"};
  const std::uint32_t second = unit(1);
  if (second < 0xDC00 || second > 0xDFFF) return {0, 2, "illegal UTF-16 surrogate"};
  return {0x10000U + ((first - 0xD800U) << 10U) + (second - 0xDC00U), 4, {}};
}

Decoded decode_one(std::string_view rest, Encoding encoding) {
  const auto lead = static_cast<unsigned char>(rest[0]);
  switch (encoding) {
    case Encoding::Utf8:
    case Encoding::Utf8Mark:
      return decode_utf8(rest);
    case Encoding::Ascii:
      if (lead >= 0x80) return {0, 1, "ordinal not in range(128)"};
      return {lead, 1, {}};
    case Encoding::Latin1:
      return {lead, 1, {}};
    case Encoding::Utf16:
    case Encoding::Utf16Little:
    case Encoding::Utf16Big:
      return decode_units(rest, 2, encoding == Encoding::Utf16Big);
    default:
      return decode_units(rest, 4, encoding == Encoding::Utf32Big);
  }
}

// A surrogate alone at the beginning of the bytes, as surrogatepass lets it stand; size 0: there is none.
Decoded decode_surrogate(std::string_view rest, Encoding encoding) {
  const auto byte = [&rest](std::size_t i) -> char32_t { return static_cast<unsigned char>(rest[i]); };
  char32_t point = 0;
  std::size_t size = 0;
  if (encoding == Encoding::Utf8 || encoding == Encoding::Utf8Mark) {
    size = 3;
    if (rest.size() < size || byte(0) != 0xED || (byte(1) & 0xE0U) != 0xA0 || (byte(2) & 0xC0U) != 0x80)
      return {0, 0, {}};
    point = 0xD000U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
  } else if (encoding >= Encoding::Utf16) {
    size = encoding >= Encoding::Utf32 ? 4 : 2;
    const bool big = encoding == Encoding::Utf16Big || encoding == Encoding::Utf32Big;
    if (rest.size() < size) return {0, 0, {}};
    for (std::size_t i = 0; i < size; ++i) point = point << 8U | byte(big ? i : size - 1 - i);
  }
  return is_surrogate(point) ? Decoded{point, size, {}} : Decoded{0, 0, {}};
}

}  // namespace

PyResult<std::string> encode_text(Interpreter& in, std::string_view text, const Value& encoding, const Value& errors) {
  NNS_TRY_ASSIGN(const Codec codec, read_codec(in, "encode", encoding, errors));
  const std::u32string points = code_points(text);
  std::string out;
  if (codec.encoding == Encoding::Utf8Mark) out = "\xEF\xBB\xBF";
  if (codec.encoding == Encoding::Utf16) put_point(out, 0xFEFF, Encoding::Utf16Little);
  if (codec.encoding == Encoding::Utf32) put_point(out, 0xFEFF, Encoding::Utf32Little);
  const char32_t limit = codec.encoding == Encoding::Ascii    ? 0x80
                         : codec.encoding == Encoding::Latin1 ? 0x100
                                                              : 0x110000;
  const auto fits = [limit](char32_t point) { return point < limit && !is_surrogate(point); };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (fits(points[i])) {
      put_point(out, points[i], codec.encoding);
      continue;
    }
    switch (codec.on_error) {
      case OnError::Ignore:
        break;
      case OnError::Replace:
        put_point(out, U'?', codec.encoding);
        break;
      case OnError::Backslash:
        for (const char c : escaped(points[i])) put_point(out, static_cast<unsigned char>(c), codec.encoding);
        break;
      case OnError::XmlReference:
        for (const char c : fmt::format("&#{};", static_cast<std::uint32_t>(points[i]))) {
          put_point(out, static_cast<unsigned char>(c), codec.encoding);
        }
        break;
      case OnError::SurrogateEscape:
        if (points[i] >= 0xDC80 && points[i] <= 0xDCFF) {
          out += static_cast<char>(static_cast<unsigned char>(points[i] - 0xDC00));
          break;
        }
        [[fallthrough]];
      case OnError::SurrogatePass:
        if (codec.on_error == OnError::SurrogatePass && limit == 0x110000) {
          put_point(out, points[i], codec.encoding);
          break;
        }
        [[fallthrough]];
      case OnError::Strict: {
        std::size_t end = i + 1;
        while (end < points.size() && !fits(points[end])) ++end;
        const std::string_view reason = is_surrogate(points[i]) && limit == 0x110000 ? "surrogates not allowed"
                                        : limit == 0x80                              ? "ordinal not in range(128)"
                                                                                     : "ordinal not in range(256)";
        return unicode_error(in, ErrorKind::UnicodeEncodeError, codec.name, in.text(text), i, end, reason);
      }
    }
  }
  return out;
}

PyResult<std::string> decode_bytes(Interpreter& in, std::string_view bytes, const Value& encoding,
                                   const Value& errors) {
  NNS_TRY_ASSIGN(Codec codec, read_codec(in, "decode", encoding, errors));
  std::size_t at = 0;
  if (codec.encoding == Encoding::Utf8Mark && bytes.starts_with("\xEF\xBB\xBF")) at = 3;
  if (codec.encoding == Encoding::Utf16 && bytes.size() >= 2) {
    const bool big = bytes.starts_with("\xFE\xFF");
    if (big || bytes.starts_with("\xFF\xFE")) at = 2;
    if (big) codec.encoding = Encoding::Utf16Big;
  }
  if (codec.encoding == Encoding::Utf32 && bytes.size() >= 4) {
    const bool big = bytes.starts_with(std::string_view("\0\0\xFE\xFF", 4));
    if (big || bytes.starts_with(std::string_view("\xFF\xFE\0\0", 4))) at = 4;
    if (big) codec.encoding = Encoding::Utf32Big;
  }
  std::string out;
  while (at < bytes.size()) {
    const Decoded one = decode_one(bytes.substr(at), codec.encoding);
    if (one.reason.empty()) {
      append_code_point(out, one.point);
      at += one.size;
      continue;
    }
    switch (codec.on_error) {
      case OnError::Ignore:
        break;
      case OnError::Replace:
        append_code_point(out, 0xFFFD);
        break;
      case OnError::Backslash:
        for (std::size_t i = 0; i < one.size; ++i) {
          out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[at + i]));
        }
        break;
      case OnError::SurrogateEscape:
        for (std::size_t i = 0; i < one.size; ++i) {
          append_code_point(out, 0xDC00U + static_cast<unsigned char>(bytes[at + i]));
        }
        break;
      case OnError::XmlReference:
        return type_error(in, "don't know how to handle UnicodeDecodeError in error callback");
      case OnError::SurrogatePass:
        if (const Decoded alone = decode_surrogate(bytes.substr(at), codec.encoding); alone.size > 0) {
          append_code_point(out, alone.point);
          at += alone.size;
          continue;
        }
        [[fallthrough]];
      case OnError::Strict:
        return unicode_error(in, ErrorKind::UnicodeDecodeError, codec.name, Value(make_bytes(in, bytes)), at,
                             at + one.size, one.reason);
    }
    at += one.size;
  }
  return out;
}

void add_codec_error_methods(Interpreter& interpreter) {
  for (const ErrorKind kind : {ErrorKind::UnicodeEncodeError, ErrorKind::UnicodeDecodeError}) {
    Class& cls = interpreter.builtins().exception(kind);
    cls.def("__str__(self, /)", unicode_error_text);
    cls.property("encoding", unicode_error_part<0>).property("object", unicode_error_part<1>);
    cls.property("start", unicode_error_part<2>).property("end", unicode_error_part<3>);
    cls.property("reason", unicode_error_part<4>);
  }
}

}  // namespace nns::object
