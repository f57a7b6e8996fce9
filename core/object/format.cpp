#include "core/object/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/object/unicode.h"

namespace nns::object {
namespace {

// Texts longer than this are refused: the width or precision is a mistake, or an attack.
constexpr std::int64_t kMostDigits = 100'000'000;

bool is_align(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }
bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

PyResult<FormatSpec> read_spec(Interpreter& in, const Value& value, std::string_view text) {
  FormatSpec spec;
  const std::string_view all = text;
  const auto wrong = [&] {
    return value_error(in, "Invalid format specifier '{}' for object of type '{}'", all, in.type_of(value).name());
  };
  const auto take = [&text](char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
  };
  const auto number = [&text, &in](std::int64_t& result) -> PyResult<void> {
    if (text.empty() || !is_ascii_digit(text[0])) return {};
    result = 0;
    for (; !text.empty() && is_ascii_digit(text[0]); text.remove_prefix(1)) {
      result = result * 10 + (text[0] - '0');
      if (result > 0x7FFFFFFFFFFF) return value_error(in, "Too many decimal digits in format string");
    }
    return {};
  };
  const auto grouping = [&text, &take, &in](char& result) -> PyResult<void> {
    const bool comma = take(','), underscore = take('_');
    if (comma) result = ',';
    if (underscore) result = '_';
    if ((comma && underscore) || (underscore && text.starts_with(','))) {
      return value_error(in, "Cannot specify both ',' and '_'.");
    }
    if ((comma && text.starts_with(',')) || (underscore && text.starts_with('_'))) {
      return value_error(in, "Cannot specify '{}' with '{}'.", result, result);
    }
    return {};
  };
  // 1. Fill and alignment.
  bool fill_given = false;
  const std::size_t first = text.empty() ? 0 : character_size(text, 0);
  if (first > 0 && first < text.size() && is_align(text[first])) {
    spec.fill = text.substr(0, first);
    spec.align = text[first];
    spec.align_given = true;
    fill_given = true;
    text.remove_prefix(first + 1);
  } else if (!text.empty() && is_align(text[0])) {
    spec.align = text[0];
    spec.align_given = true;
    text.remove_prefix(1);
  }
  // 2. Sign, z, #, 0.
  if (!text.empty() && (text[0] == '+' || text[0] == '-' || text[0] == ' ')) {
    spec.sign = text[0];
    text.remove_prefix(1);
  }
  spec.no_negative_zero = take('z');
  spec.alternate = take('#');
  if (!fill_given && text.starts_with('0')) {
    spec.fill.assign(1, '0');
    if (spec.align == '\0') spec.align = '=';
    text.remove_prefix(1);
  }
  // 3. Width, grouping, precision, type.
  NNS_TRY(number(spec.width));
  NNS_TRY(grouping(spec.grouping));
  if (take('.')) {
    NNS_TRY(number(spec.precision));
    NNS_TRY(grouping(spec.fraction_grouping));
    if (spec.precision < 0 && spec.fraction_grouping == '\0') {
      return value_error(in, "Format specifier missing precision");
    }
  }
  if (!text.empty() && character_size(text, 0) < text.size()) return wrong();
  if (!text.empty()) {
    if (text.size() > 1) {
      return value_error(in, "Unknown format code '\\x{:x}' for object of type '{}'",
                         static_cast<std::uint32_t>(code_point_at(text, 0)), in.type_of(value).name());
    }
    spec.type = text[0];
  }
  if (spec.grouping != '\0') {
    constexpr std::string_view kDecimal = "deEfFgG%", kBits = "boxX";
    const bool fits = spec.type == '\0' || kDecimal.find(spec.type) != std::string_view::npos ||
                      (spec.grouping == '_' && kBits.find(spec.type) != std::string_view::npos);
    if (!fits) return value_error(in, "Cannot specify '{}' with '{}'.", spec.grouping, spec.type);
  }
  if (spec.width > kMostDigits || spec.precision > kMostDigits) {
    return value_error(in, "Too many decimal digits in format string");
  }
  return spec;
}

PyError unknown_code(Interpreter& in, const Value& value, char type) {
  return value_error(in, "Unknown format code '{}' for object of type '{}'", type, in.type_of(value).name());
}

std::string grouped(std::string_view digits, char separator, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % size == 0) text += separator;
    text += digits[i];
  }
  return text;
}

// The digits behind the point are grouped from the point on.
std::string fraction_grouped(std::string_view digits, char separator) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i % 3 == 0) text += separator;
    text += digits[i];
  }
  return text;
}

std::string_view sign_text(bool negative, char sign) {
  if (negative) return "-";
  return sign == '+' ? "+" : sign == ' ' ? " " : "";
}

PyResult<std::string> format_float(Interpreter& in, const Value& value, double number, const FormatSpec& spec) {
  constexpr std::string_view kTypes = "eEfFgGn%";
  if (spec.type != '\0' && kTypes.find(spec.type) == std::string_view::npos) return unknown_code(in, value, spec.type);
  const char shown = spec.type == 'n' ? 'g' : spec.type == '\0' ? 'r' : spec.type;
  std::string digits = float_digits(std::fabs(number), shown, spec.precision, spec.alternate);
  bool negative = std::signbit(number) && !std::isnan(number);
  if (spec.no_negative_zero && digits.find_first_of("123456789in") == std::string::npos) negative = false;
  return padded_number(sign_text(negative, spec.sign), "", digits, spec);
}

PyResult<std::string> format_integer(Interpreter& in, const Value& value, const Value& number, const FormatSpec& spec) {
  constexpr std::string_view kFloats = "eEfFgG%", kIntegers = "bcdoxXn";
  if (spec.type != '\0' && kFloats.find(spec.type) != std::string_view::npos) {
    NNS_TRY_ASSIGN(const double as_float, integer_to_float(in, number));
    return format_float(in, value, as_float, spec);
  }
  if (spec.type != '\0' && kIntegers.find(spec.type) == std::string_view::npos) {
    return unknown_code(in, value, spec.type);
  }
  if (spec.precision >= 0) return value_error(in, "Precision not allowed in integer format specifier");
  if (spec.no_negative_zero) {
    return value_error(in, "Negative zero coercion (z) not allowed in integer format specifier");
  }
  if (spec.type == 'c') {
    if (spec.sign != '\0') return value_error(in, "Sign not allowed with integer format specifier 'c'");
    if (spec.alternate) return value_error(in, "Alternate form (#) not allowed with integer format specifier 'c'");
    if (!number.is_int() && !number.is_bool()) {
      return error<ErrorKind::OverflowError>(in, "Python int too large to convert to C long");
    }
    if (number.as_int() < 0 || number.as_int() > 0x10FFFF) {
      return error<ErrorKind::OverflowError>(in, "%c arg not in range(0x110000)");
    }
    std::string character;
    append_code_point(character, static_cast<char32_t>(number.as_int()));
    return padded(character, spec, '>');
  }
  const int base = spec.type == 'b' ? 2 : spec.type == 'o' ? 8 : spec.type == 'x' || spec.type == 'X' ? 16 : 10;
  std::string digits;
  if (base == 10) {
    NNS_TRY_ASSIGN(digits, integer_repr(in, number));
  } else {
    digits = integer_digits(number, base);
  }
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  std::string prefix = base == 10 || !spec.alternate ? "" : std::string("0") + spec.type;
  if (spec.type == 'X') {
    for (char& c : digits) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
  }
  return padded_number(sign_text(negative, spec.sign), prefix, digits, spec);
}

PyResult<std::string> format_str(Interpreter& in, const Value& value, std::string_view text, const FormatSpec& spec) {
  if (spec.type != '\0' && spec.type != 's') return unknown_code(in, value, spec.type);
  if (spec.grouping != '\0') return value_error(in, "Cannot specify '{}' with 's'.", spec.grouping);
  if (spec.sign == ' ') return value_error(in, "Space not allowed in string format specifier");
  if (spec.sign != '\0') return value_error(in, "Sign not allowed in string format specifier");
  if (spec.no_negative_zero) {
    return value_error(in, "Negative zero coercion (z) not allowed in string format specifier");
  }
  if (spec.alternate) return value_error(in, "Alternate form (#) not allowed in string format specifier");
  if (spec.align == '=' && spec.align_given) {
    return value_error(in, "'=' alignment not allowed in string format specifier");
  }
  FormatSpec plain = spec;
  if (plain.align == '=') plain.align = '<';
  if (spec.precision >= 0) text = text.substr(0, byte_offset(text, static_cast<std::size_t>(spec.precision)));
  return padded(text, plain, '<');
}

// The shortest digits; in the alternate form with a point.
std::string shortest_digits(double size, bool alternate) {
  std::string text = float_repr(size);
  if (alternate && text.find('.') == std::string::npos) text.insert(std::min(text.find('e'), text.size()), 1, '.');
  return text;
}

// g: so many digits in all, with an exponent where it is below -4 or from `digits - sooner` on; zeros at the end are
// kept only in the alternate form; `with_point`: a whole number ends in ".0".
std::string general_digits(double size, int digits, int sooner, bool alternate, bool with_point) {
  std::string text = fmt::format("{:.{}e}", size, digits - 1);
  const int exponent = std::atoi(text.c_str() + text.find('e') + 1);
  const bool is_fixed = exponent >= -4 && exponent < digits - sooner;
  if (alternate) {
    return is_fixed ? fmt::format("{:#.{}f}", size, digits - 1 - exponent) : fmt::format("{:#.{}e}", size, digits - 1);
  }
  if (is_fixed) text = fmt::format("{:.{}f}", size, digits - 1 - exponent);
  const std::size_t end = std::min(text.find('e'), text.size());
  std::size_t kept = end;
  if (text.find('.') < end) {
    while (text[kept - 1] == '0') --kept;
    if (text[kept - 1] == '.') --kept;
  }
  text.erase(kept, end - kept);
  return is_fixed && with_point && text.find('.') == std::string::npos ? fmt::format("{}.0", text) : text;
}

// Behaviour: CPython Python/formatter_unicode.c, format_complex_internal.
PyResult<std::string> format_complex(Interpreter& in, const Value& value, const std::complex<double>& number,
                                     const FormatSpec& spec) {
  if (spec.fill == "0") return value_error(in, "Zero padding is not allowed in complex format specifier");
  if (spec.align == '=') return value_error(in, "'=' alignment flag is not allowed in complex format specifier");
  FormatSpec part = spec;
  part.width = -1;
  part.align = '\0';
  const bool plain = spec.type == '\0';
  const bool lone = plain && number.real() == 0 && !std::signbit(number.real());
  std::string text;
  if (plain && spec.precision < 0) part.type = '\0';
  const auto shown = [&](double size, char sign) -> PyResult<std::string> {
    FormatSpec one = part;
    one.sign = sign;
    NNS_TRY_ASSIGN(std::string digits, format_float(in, value, size, one));
    if (plain && digits.ends_with(".0")) digits.resize(digits.size() - 2);
    return digits;
  };
  if (!lone) {
    NNS_TRY_ASSIGN(text, shown(number.real(), spec.sign));
  }
  NNS_TRY_ASSIGN(const std::string imaginary, shown(number.imag(), lone ? spec.sign : '+'));
  text += imaginary + "j";
  if (plain && !lone) text = fmt::format("({})", text);
  return padded(text, spec, '>');
}

}  // namespace

std::string float_digits(double size, char type, std::int64_t precision, bool alternate) {
  const bool capital = type == 'E' || type == 'F' || type == 'G';
  if (!std::isfinite(size)) {
    const std::string_view name = std::isnan(size) ? (capital ? "NAN" : "nan") : capital ? "INF" : "inf";
    return fmt::format("{}{}", name, type == '%' ? "%" : "");
  }
  const int places = static_cast<int>(precision);
  switch (type) {
    case 'r':
      // As g, but with a point, and with an exponent one digit sooner.
      return precision < 0 ? shortest_digits(size, alternate)
                           : general_digits(size, std::max(places, 1), 1, alternate, true);
    case '%': {
      const int digits = precision < 0 ? 6 : places;
      return alternate ? fmt::format("{:#.{}f}%", size * 100, digits) : fmt::format("{:.{}f}%", size * 100, digits);
    }
    case 'e':
    case 'E': {
      const int digits = precision < 0 ? 6 : places;
      std::string text = alternate ? fmt::format("{:#.{}e}", size, digits) : fmt::format("{:.{}e}", size, digits);
      if (capital) text[text.find('e')] = 'E';
      return text;
    }
    case 'g':
    case 'G': {
      std::string text = general_digits(size, precision < 0 ? 6 : std::max(places, 1), 0, alternate, false);
      if (const std::size_t mark = text.find('e'); capital && mark != std::string::npos) text[mark] = 'E';
      return text;
    }
    default: {
      const int digits = precision < 0 ? 6 : places;
      return alternate ? fmt::format("{:#.{}f}", size, digits) : fmt::format("{:.{}f}", size, digits);
    }
  }
}

std::string padded(std::string_view text, const FormatSpec& spec, char default_align) {
  const auto size = static_cast<std::int64_t>(character_index(text, text.size()));
  if (size >= spec.width) return std::string(text);
  const std::int64_t missing = spec.width - size;
  const char align = spec.align == '\0' ? default_align : spec.align;
  const std::int64_t left = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  std::string out;
  for (std::int64_t i = 0; i < left; ++i) out += spec.fill;
  out += text;
  for (std::int64_t i = left; i < missing; ++i) out += spec.fill;
  return out;
}

std::string padded_number(std::string_view sign, std::string_view prefix, std::string_view digits,
                          const FormatSpec& spec) {
  const bool bits = spec.type == 'b' || spec.type == 'o' || spec.type == 'x' || spec.type == 'X';
  const std::size_t group = bits ? 4 : 3;
  // What comes behind the whole digits is left as it is.
  std::size_t end = bits ? digits.size() : digits.find_first_not_of("0123456789");
  if (end == std::string_view::npos) end = digits.size();
  std::string rest(digits.substr(end));
  if (spec.fraction_grouping != '\0' && rest.starts_with('.')) {
    std::size_t stop = rest.find_first_not_of("0123456789", 1);
    if (stop == std::string::npos) stop = rest.size();
    const std::string_view behind(rest);
    rest =
        fmt::format(".{}{}", fraction_grouped(behind.substr(1, stop - 1), spec.fraction_grouping), behind.substr(stop));
  }
  std::string whole(digits.substr(0, end));
  const auto with_groups = [&spec, group](const std::string& text) {
    return spec.grouping == '\0' ? text : grouped(text, spec.grouping, group);
  };
  if (spec.align == '=' && spec.fill == "0" && !whole.empty()) {
    const auto others = static_cast<std::int64_t>(sign.size() + prefix.size() + rest.size());
    std::size_t count = whole.size();
    const auto size_of = [&](std::size_t n) {
      return static_cast<std::int64_t>(n + (spec.grouping == '\0' ? 0 : (n - 1) / group)) + others;
    };
    while (size_of(count) < spec.width) ++count;
    whole.insert(0, count - whole.size(), '0');
  }
  const std::string number = with_groups(whole) + rest;
  std::string head = std::string(sign).append(prefix);
  if (spec.align != '=') return padded(head + number, spec, '>');
  FormatSpec inner = spec;
  inner.align = '>';
  inner.width = spec.width - static_cast<std::int64_t>(head.size());
  return head + padded(number, inner, '>');
}

PyResult<std::string> builtin_format(Interpreter& in, const Value& value, std::string_view spec) {
  if (spec.empty()) return str(in, value);
  const Value& plain = plain_number(value);
  const Str* text = value.as<Str>();
  if (text == nullptr && !is_plain_number(plain)) {
    return type_error(in, "unsupported format string passed to {}.__format__", in.type_of(value).name());
  }
  NNS_TRY_ASSIGN(const FormatSpec parts, read_spec(in, value, spec));
  if (text != nullptr) return format_str(in, value, text->view(), parts);
  if (is_integer(plain)) return format_integer(in, value, plain, parts);
  if (plain.is_float()) return format_float(in, value, plain.as_float(), parts);
  return format_complex(in, value, plain.as<Complex>()->number(), parts);
}

PyResult<std::string> format(Interpreter& in, const Value& value, std::string_view spec) {
  if (is_exact(value) && (value.as<Str>() != nullptr || is_plain_number(value) || value.is_none())) {
    return builtin_format(in, value, spec);
  }
  if (in.type_of(value).lookup(in.names().dunder_format) == nullptr) return builtin_format(in, value, spec);
  NNS_TRY_ASSIGN(const Value made, in.call_special(value, in.names().dunder_format, {in.text(spec)}));
  if (const Str* text = made.as<Str>()) return std::string(text->view());
  return type_error(in, "__format__ must return a str, not {}", in.type_of(made).name());
}

}  // namespace nns::object
