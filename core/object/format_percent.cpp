#include <cmath>
#include <limits>

#include "core/object/bytes.h"
#include "core/object/format.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/object/unicode.h"

namespace nns::object {
namespace {

// One `%...` of a template.
struct Directive {
  bool left = false, plus = false, space = false, alternate = false, zero = false;
  std::int64_t width = -1, precision = -1;
  char type = '\0';
};

// Walks a template and fills in the arguments.
class PercentFormatter {
 public:
  PercentFormatter(Interpreter& in, std::string_view text, const Value& arguments, bool is_bytes)
      : in_(in), text_(text), arguments_(arguments), is_bytes_(is_bytes) {
    if (const Tuple* tuple = arguments.as<Tuple>()) {
      given_ = tuple->items();
    } else {
      given_ = {&arguments_, 1};
      is_mapping_ =
          arguments.as<Str>() == nullptr && (!is_bytes || arguments.as<Bytes>() == nullptr) && arguments.is_object() &&
          (arguments.as<Dict>() != nullptr || in.type_of(arguments).lookup(in.names().dunder_getitem) != nullptr);
    }
  }

  PyResult<std::string> run() {
    std::string out;
    while (at_ < text_.size()) {
      const std::size_t mark = std::min(text_.find('%', at_), text_.size());
      out += text_.substr(at_, mark - at_);
      if (mark == text_.size()) break;
      at_ = mark + 1;
      NNS_TRY_ASSIGN(const std::string one, directive());
      out += one;
    }
    if (used_ < given_.size() && !is_mapping_ && !keyed_) {
      return type_error(in_, "not all arguments converted during {} formatting", is_bytes_ ? "bytes" : "string");
    }
    return out;
  }

 private:
  PyResult<Value> next_argument() {
    if (!keyed_now_.is_absent()) return keyed_now_;
    if (used_ >= given_.size()) return type_error(in_, "not enough arguments for format string");
    return given_[used_++];
  }

  PyResult<std::int64_t> number_or_star(bool precision) {
    if (at_ < text_.size() && text_[at_] == '*') {
      ++at_;
      NNS_TRY_ASSIGN(const Value argument, next_argument());
      const Value& plain = plain_number(argument);
      if (!plain.is_int() && !plain.is_bool()) return type_error(in_, "* wants int");
      return plain.as_int();
    }
    std::int64_t number = precision ? 0 : -1;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      number = std::max<std::int64_t>(number, 0) * 10 + (text_[at_] - '0');
      if (number > std::numeric_limits<std::int32_t>::max()) {
        return value_error(in_, "{} too big", precision ? "precision" : "width");
      }
    }
    return number;
  }

  PyResult<std::string> directive() {
    keyed_now_ = Value::absent();
    Directive parts;
    // 1. A key in parentheses, which may be nested.
    if (at_ < text_.size() && text_[at_] == '%') {
      ++at_;
      return std::string("%");
    }
    if (at_ < text_.size() && text_[at_] == '(') {
      if (!is_mapping_) return type_error(in_, "format requires a mapping");
      int depth = 1;
      const std::size_t begin = ++at_;
      for (; at_ < text_.size() && depth > 0; ++at_) depth += (text_[at_] == '(') - (text_[at_] == ')');
      if (depth > 0) return value_error(in_, "incomplete format key");
      const std::string_view name = text_.substr(begin, at_ - 1 - begin);
      const Value key = is_bytes_ ? Value(make_bytes(*in_.builtins().bytes, std::string(name))) : in_.text(name);
      NNS_TRY_ASSIGN(keyed_now_, getitem(in_, arguments_, key));
      keyed_ = true;
    }
    // 2. Flags, width, precision, a length that says nothing.
    for (bool flag = true; flag && at_ < text_.size(); at_ += flag ? 1 : 0) {
      switch (text_[at_]) {
        case '-':
          parts.left = true;
          break;
        case '+':
          parts.plus = true;
          break;
        case ' ':
          parts.space = true;
          break;
        case '#':
          parts.alternate = true;
          break;
        case '0':
          parts.zero = true;
          break;
        default:
          flag = false;
      }
    }
    NNS_TRY_ASSIGN(parts.width, number_or_star(false));
    if (parts.width < -1) {
      parts.left = true;
      parts.width = -parts.width;
    }
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      NNS_TRY_ASSIGN(parts.precision, number_or_star(true));
      parts.precision = std::max<std::int64_t>(parts.precision, 0);
    }
    if (at_ < text_.size() && (text_[at_] == 'h' || text_[at_] == 'l' || text_[at_] == 'L')) ++at_;
    if (at_ >= text_.size()) return value_error(in_, "incomplete format");
    parts.type = text_[at_++];
    return conversion(parts);
  }

  static FormatSpec spec_of(const Directive& parts, bool is_number) {
    FormatSpec spec;
    spec.width = parts.width;
    spec.precision = parts.precision;
    spec.alternate = parts.alternate;
    spec.align = parts.left ? '<' : '>';
    if (is_number && parts.zero && !parts.left) {
      spec.align = '=';
      spec.fill = "0";
    }
    spec.type = parts.type;
    return spec;
  }

  static std::string_view sign_of(bool negative, const Directive& parts) {
    return negative ? "-" : parts.plus ? "+" : parts.space ? " " : "";
  }

  PyResult<std::string> conversion(const Directive& parts) {
    constexpr std::string_view kTexts = "sra", kIntegers = "diuoxX", kFloats = "eEfFgG";
    const bool is_text = kTexts.find(parts.type) != std::string_view::npos || (is_bytes_ && parts.type == 'b');
    const bool is_integer_type = kIntegers.find(parts.type) != std::string_view::npos;
    const bool is_float_type = kFloats.find(parts.type) != std::string_view::npos;
    if (!is_text && !is_integer_type && !is_float_type && parts.type != 'c') {
      const std::size_t begin = at_ - 1;
      if (is_bytes_) {
        const auto byte = static_cast<unsigned char>(text_[begin]);
        return value_error(in_, "unsupported format character '{}' (0x{:x}) at index {}", text_.substr(begin, 1), byte,
                           begin);
      }
      const std::size_t size = character_size(text_, begin);
      return value_error(in_, "unsupported format character '{}' (0x{:x}) at index {}", text_.substr(begin, size),
                         static_cast<std::uint32_t>(code_point_at(text_, begin)), character_index(text_, begin));
    }
    NNS_TRY_ASSIGN(const Value argument, next_argument());
    if (is_text && is_bytes_) {
      NNS_TRY_ASSIGN(std::string bytes,
                     parts.type == 'r' || parts.type == 'a' ? converted(in_, argument, 'a') : contents(argument));
      if (parts.precision >= 0 && static_cast<std::size_t>(parts.precision) < bytes.size()) {
        bytes.resize(static_cast<std::size_t>(parts.precision));
      }
      return padded_bytes(std::move(bytes), parts);
    }
    if (is_text) {
      NNS_TRY_ASSIGN(std::string text, converted(in_, argument, parts.type));
      if (parts.precision >= 0) text.resize(byte_offset(text, static_cast<std::size_t>(parts.precision)));
      return padded(text, spec_of(parts, false), '>');
    }
    if (parts.type == 'c') return character(argument, parts);
    if (is_integer_type) return integer(argument, parts);
    const Value& plain = plain_number(argument);
    if (argument.as<Str>() != nullptr || argument.as<Bytes>() != nullptr) {
      return type_error(in_, "must be real number, not {}", in_.type_of(argument).name());
    }
    const bool real = plain.is_float() || is_integer(plain) ||
                      own_special(in_, argument, in_.names().dunder_float) != nullptr ||
                      own_special(in_, argument, in_.names().dunder_index) != nullptr;
    if (!real) return type_error(in_, "must be real number, not {}", in_.type_of(argument).name());
    NNS_TRY_ASSIGN(const double number, to_float(in_, argument));
    const std::string digits = float_digits(std::fabs(number), parts.type, parts.precision, parts.alternate);
    return padded_number(sign_of(std::signbit(number) && !std::isnan(number), parts), "", digits, spec_of(parts, true));
  }

  PyResult<std::string> integer(const Value& argument, const Directive& parts) {
    const bool decimal = parts.type == 'd' || parts.type == 'i' || parts.type == 'u';
    Value number = plain_number(argument);
    if (!is_integer(number)) {
      const bool is_text = argument.as<Str>() != nullptr || argument.as<Bytes>() != nullptr;
      const bool has_index = own_special(in_, argument, in_.names().dunder_index) != nullptr;
      const bool has_int = number.is_float() || own_special(in_, argument, in_.names().dunder_int) != nullptr;
      if (is_text || !(has_index || (decimal && has_int))) {
        return type_error(in_, "%{} format: {} is required, not {}", parts.type,
                          decimal ? "a real number" : "an integer", in_.type_of(argument).name());
      }
      NNS_TRY_ASSIGN(number, has_index ? index_value(in_, argument) : to_integer(in_, argument));
    }
    const int base = decimal ? 10 : parts.type == 'o' ? 8 : 16;
    std::string digits;
    if (decimal) {
      NNS_TRY_ASSIGN(digits, integer_repr(in_, number.is_bool() ? Value(number.as_int()) : number));
    } else {
      digits = integer_digits(number, base);
    }
    const bool negative = digits[0] == '-';
    if (negative) digits.erase(0, 1);
    if (parts.precision > static_cast<std::int64_t>(digits.size())) {
      digits.insert(0, static_cast<std::size_t>(parts.precision) - digits.size(), '0');
    }
    if (parts.type == 'X') {
      for (char& c : digits) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
    }
    const std::string prefix = parts.alternate && !decimal ? std::string("0") + parts.type : "";
    FormatSpec spec = spec_of(parts, true);
    if (decimal) spec.type = 'd';
    return padded_number(sign_of(negative, parts), prefix, digits, spec);
  }

  // The bytes of what %b shows. Behaviour: CPython Objects/bytesobject.c, format_obj.
  PyResult<std::string> contents(const Value& argument) {
    if (const Bytes* bytes = argument.as<Bytes>()) return std::string(bytes->view());
    const Name special = in_.intern("__bytes__");
    if (own_special(in_, argument, special) != nullptr) {
      NNS_TRY_ASSIGN(const Value made, in_.call_special(argument, special));
      if (const Bytes* bytes = made.as<Bytes>()) return std::string(bytes->view());
      return type_error(in_, "__bytes__ returned non-bytes (type {})", in_.type_of(made).name());
    }
    return type_error(in_, "%b requires a bytes-like object, or an object that implements __bytes__, not '{}'",
                      in_.type_of(argument).name());
  }

  static std::string padded_bytes(std::string bytes, const Directive& parts) {
    const std::int64_t missing = parts.width - static_cast<std::int64_t>(bytes.size());
    if (missing > 0) bytes.insert(parts.left ? bytes.size() : 0, static_cast<std::size_t>(missing), ' ');
    return bytes;
  }

  PyResult<std::string> byte(const Value& argument, const Directive& parts) {
    if (const Bytes* bytes = argument.as<Bytes>()) {
      if (bytes->view().size() == 1) return padded_bytes(std::string(bytes->view()), parts);
      return type_error(in_, "%c requires an integer in range(256) or a single byte, not a bytes object of length {}",
                        bytes->view().size());
    }
    const Value& plain = plain_number(argument);
    if (!is_integer(plain)) {
      return type_error(in_, "%c requires an integer in range(256) or a single byte, not {}",
                        in_.type_of(argument).name());
    }
    const bool fits = plain.as<BigInt>() == nullptr && plain.as_int() >= 0 && plain.as_int() <= 255;
    if (!fits) return error<ErrorKind::OverflowError>(in_, "%c arg not in range(256)");
    return padded_bytes(std::string(1, static_cast<char>(plain.as_int())), parts);
  }

  PyResult<std::string> character(const Value& argument, const Directive& parts) {
    if (is_bytes_) return byte(argument, parts);
    FormatSpec spec = spec_of(parts, false);
    if (const Str* text = argument.as<Str>()) {
      if (text->length() == 1) return padded(text->view(), spec, '>');
      return type_error(in_, "%c requires an int or a unicode character, not a string of length {}", text->length());
    }
    const Value& plain = plain_number(argument);
    if (!is_integer(plain)) {
      return type_error(in_, "%c requires an int or a unicode character, not {}", in_.type_of(argument).name());
    }
    const bool fits = plain.as<BigInt>() == nullptr && plain.as_int() >= 0 && plain.as_int() <= 0x10FFFF;
    if (!fits) return error<ErrorKind::OverflowError>(in_, "%c arg not in range(0x110000)");
    std::string out;
    append_code_point(out, static_cast<char32_t>(plain.as_int()));
    return padded(out, spec, '>');
  }

  Interpreter& in_;
  std::string_view text_;
  Value arguments_;
  std::span<const Value> given_;
  std::size_t at_ = 0, used_ = 0;
  bool is_bytes_ = false;
  bool is_mapping_ = false, keyed_ = false;
  Value keyed_now_ = Value::absent();
};

}  // namespace

PyResult<std::string> percent_format(Interpreter& interpreter, std::string_view text, const Value& arguments) {
  return PercentFormatter(interpreter, text, arguments, false).run();
}

PyResult<std::string> percent_format_bytes(Interpreter& interpreter, std::string_view bytes, const Value& arguments) {
  return PercentFormatter(interpreter, bytes, arguments, true).run();
}

}  // namespace nns::object
