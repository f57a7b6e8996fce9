// The opcodes of PickleMachine whose argument is text or bytes.
#include <fmt/format.h>

#include <cstdlib>

#include "core/base/utf8.h"
#include "core/checkpoint/pickle.h"

namespace nns::checkpoint {

namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

/// The number of at most `most` digits to `base` at `at`, which moves behind it; -1 without a digit.
std::int64_t read_digits(std::string_view text, std::size_t& at, std::size_t most, int base) {
  std::int64_t value = -1;
  for (std::size_t count = 0; count < most && at < text.size() && digit_value(text[at]) < base; ++count, ++at) {
    value = (value < 0 ? 0 : value) * base + digit_value(text[at]);
  }
  return value;
}

/// Resolves the escapes of a Python 2 string literal.
std::string unescape_string(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c != '\\' || at == text.size()) {
      out.push_back(c);
      continue;
    }
    const char escape = text[at++];
    switch (escape) {
      case 'n':
        out.push_back('\n');
        break;
      case 't':
        out.push_back('\t');
        break;
      case 'r':
        out.push_back('\r');
        break;
      case 'a':
        out.push_back('\a');
        break;
      case 'b':
        out.push_back('\b');
        break;
      case 'f':
        out.push_back('\f');
        break;
      case 'v':
        out.push_back('\v');
        break;
      case '\\':
      case '\'':
      case '"':
        out.push_back(escape);
        break;
      default: {
        const bool is_hex = escape == 'x';
        if (!is_hex) --at;
        const std::int64_t value = is_hex ? read_digits(text, at, 2, 16) : read_digits(text, at, 3, 8);
        if (value >= 0) {
          out.push_back(static_cast<char>(static_cast<unsigned char>(value & 0xFF)));
        } else {
          out.push_back('\\');
          if (is_hex) out.push_back('x');
        }
      }
    }
  }
  return out;
}

/// The decimal digits of a little-endian two's complement number.
std::string decimal_of(std::string_view bytes) {
  constexpr std::size_t kMostBytes = 128;
  if (bytes.size() > kMostBytes) return fmt::format("int of {} bytes", bytes.size());
  std::vector<std::uint32_t> limbs;
  const bool negative = (static_cast<unsigned char>(bytes.back()) & 0x80U) != 0;
  unsigned carry = 1;
  std::vector<unsigned> magnitude;
  for (const char c : bytes) {
    unsigned byte = static_cast<unsigned char>(c);
    if (negative) {
      byte = (~byte & 0xFFU) + carry;
      carry = byte >> 8U;
      byte &= 0xFFU;
    }
    magnitude.push_back(byte);
  }
  for (std::size_t at = magnitude.size(); at-- > 0;) {
    std::uint64_t rest = magnitude[at];
    for (std::uint32_t& limb : limbs) {
      rest += std::uint64_t{limb} << 8U;
      limb = static_cast<std::uint32_t>(rest % 1'000'000'000);
      rest /= 1'000'000'000;
    }
    if (rest != 0) limbs.push_back(static_cast<std::uint32_t>(rest));
  }
  if (limbs.empty()) return "0";
  std::string text = negative ? "-" : "";
  text += fmt::format("{}", limbs.back());
  for (std::size_t at = limbs.size() - 1; at-- > 0;) text += fmt::format("{:09}", limbs[at]);
  return text;
}

}  // namespace

base::Result<std::string_view> PickleMachine::line() {
  const std::size_t end = pickle_.find('\n', at_);
  if (end == std::string_view::npos) {
    need(pickle_.size() - at_ + 1);
    return error("a line without end", "a newline after the argument");
  }
  const std::string_view text = pickle_.substr(at_, end - at_);
  at_ = end + 1;
  return text;
}

base::Result<std::string_view> PickleMachine::utf8_line() {
  NNS_TRY_ASSIGN(const std::string_view text, line());
  if (base::find_invalid_utf8(text)) return error("a name that is not UTF-8", "UTF-8");
  return text;
}

base::Result<void> PickleMachine::push_text(PickleKind kind, std::uint64_t size) {
  if (!has(size)) {
    need(size);
    return error(fmt::format("a string of {} bytes, but {} are left", size, pickle_.size() - at_),
                 "a string inside the pickle");
  }
  const std::string_view text = pickle_.substr(at_, static_cast<std::size_t>(size));
  if (kind == PickleKind::Text && base::find_invalid_utf8(text)) return error("a string that is not UTF-8", "UTF-8");
  push(heap_.make_text(kind, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(size)));
  at_ += text.size();
  return {};
}

base::Result<void> PickleMachine::push_long(std::uint64_t size) {
  if (!has(size)) {
    need(size);
    return error(fmt::format("a number of {} bytes, but {} are left", size, pickle_.size() - at_),
                 "a number inside the pickle");
  }
  const std::string_view bytes = pickle_.substr(at_, static_cast<std::size_t>(size));
  at_ += bytes.size();
  if (size > 8) {
    push(heap_.make_side_text(PickleKind::BigInt, decimal_of(bytes)));
    return {};
  }
  std::uint64_t value = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at])} << (8 * at);
  }
  if (size > 0 && size < 8 && (value >> (8 * size - 1)) != 0) value |= ~std::uint64_t{0} << (8 * size);
  push(heap_.make_int(static_cast<std::int64_t>(value)));
  return {};
}

base::Result<void> PickleMachine::push_decimal(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  std::string_view digits = text.substr(!text.empty() && (negative || text.front() == '+') ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return error("a number with other characters", "decimal digits");
  }
  std::uint64_t value = 0;
  for (const char c : digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (std::uint64_t{INT64_MAX} - digit) / 10) {
      push(heap_.make_side_text(PickleKind::BigInt, text));
      return {};
    }
    value = value * 10 + digit;
  }
  push(heap_.make_int(negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value)));
  return {};
}

base::Result<void> PickleMachine::push_float(std::string_view text) {
  constexpr std::size_t kMostCharacters = 400;
  const std::string copy(text.substr(0, kMostCharacters));
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (text.empty() || text.size() > kMostCharacters || end != copy.c_str() + copy.size()) {
    return error("a number with other characters", "a floating-point number");
  }
  push(heap_.make_float(value));
  return {};
}

base::Result<void> PickleMachine::push_string(std::string_view text) {
  if (text.size() < 2 || (text.front() != '\'' && text.front() != '"') || text.back() != text.front()) {
    return error("a string without quotes", "quotes at both ends");
  }
  const std::string value = unescape_string(text.substr(1, text.size() - 2));
  push(heap_.make_side_text(base::find_invalid_utf8(value) ? PickleKind::Bytes : PickleKind::Text, value));
  return {};
}

/// Behaviour: Python's codec raw-unicode-escape: Latin-1, and \uXXXX or \UXXXXXXXX.
void PickleMachine::push_unicode(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    const char next = at < text.size() ? text[at] : '\0';
    if (c == '\\' && (next == 'u' || next == 'U')) {
      std::size_t digits_at = at + 1;
      const std::size_t wanted = next == 'u' ? 4 : 8;
      std::int64_t point = read_digits(text, digits_at, wanted, 16);
      if (digits_at == at + 1 + wanted && point <= 0x10FFFF) {
        if (point >= 0xD800 && point <= 0xDFFF) point = 0xFFFD;
        base::append_utf8(static_cast<char32_t>(point), out);
        at = digits_at;
        continue;
      }
    }
    base::append_utf8(static_cast<unsigned char>(c), out);
  }
  push(heap_.make_side_text(PickleKind::Text, out));
}

base::Result<void> PickleMachine::run_text(PickleOp op) {
  switch (op) {
    case PickleOp::Proto: {
      NNS_TRY_ASSIGN(const auto version, number<std::uint8_t>());
      if (version > 5) return error(fmt::format("protocol {}", version), "at most 5");
      return {};
    }
    case PickleOp::Frame: {
      NNS_TRY_ASSIGN(const auto size, number<std::uint64_t>());
      if (!has(size)) {
        need(size);
        return error(fmt::format("a frame of {} bytes, but {} are left", size, pickle_.size() - at_),
                     "a frame inside the pickle");
      }
      return {};
    }
    case PickleOp::Int: {
      NNS_TRY_ASSIGN(const std::string_view text, line());
      if (text == "00" || text == "01") {
        push(heap_.make_bool(text == "01"));
        return {};
      }
      return push_decimal(text);
    }
    case PickleOp::Long: {
      NNS_TRY_ASSIGN(std::string_view text, line());
      if (!text.empty() && text.back() == 'L') text.remove_suffix(1);
      return push_decimal(text);
    }
    case PickleOp::Float: {
      NNS_TRY_ASSIGN(const std::string_view text, line());
      return push_float(text);
    }
    case PickleOp::String: {
      NNS_TRY_ASSIGN(const std::string_view text, line());
      return push_string(text);
    }
    case PickleOp::Unicode: {
      NNS_TRY_ASSIGN(const std::string_view text, line());
      push_unicode(text);
      return {};
    }
    case PickleOp::BinString:
    case PickleOp::ShortBinString: {
      std::uint64_t size = 0;
      if (op == PickleOp::BinString) {
        NNS_TRY_ASSIGN(size, number<std::uint32_t>());
      } else {
        NNS_TRY_ASSIGN(size, number<std::uint8_t>());
      }
      const bool is_text = has(size) && !base::find_invalid_utf8(pickle_.substr(at_, static_cast<std::size_t>(size)));
      return push_text(is_text ? PickleKind::Text : PickleKind::Bytes, size);
    }
    case PickleOp::BinUnicode8: {
      NNS_TRY_ASSIGN(const auto size, number<std::uint64_t>());
      return push_text(PickleKind::Text, size);
    }
    case PickleOp::ShortBinBytes: {
      NNS_TRY_ASSIGN(const auto size, number<std::uint8_t>());
      return push_text(PickleKind::Bytes, size);
    }
    case PickleOp::BinBytes: {
      NNS_TRY_ASSIGN(const auto size, number<std::uint32_t>());
      return push_text(PickleKind::Bytes, size);
    }
    case PickleOp::BinBytes8:
    case PickleOp::ByteArray8: {
      NNS_TRY_ASSIGN(const auto size, number<std::uint64_t>());
      return push_text(PickleKind::Bytes, size);
    }
    case PickleOp::Long1: {
      NNS_TRY_ASSIGN(const auto size, number<std::uint8_t>());
      return push_long(size);
    }
    case PickleOp::Long4: {
      NNS_TRY_ASSIGN(const auto size, number<std::int32_t>());
      if (size < 0) return error(fmt::format("a number of {} bytes", size), "a size that is not negative");
      return push_long(static_cast<std::uint64_t>(size));
    }
    case PickleOp::Put:
    case PickleOp::Get: {
      NNS_TRY_ASSIGN(const std::string_view text, line());
      NNS_TRY(push_decimal(text));
      NNS_TRY_ASSIGN(const PickleId index, pop());
      if (heap_.kind(index) != PickleKind::Int || heap_.as_int(index) < 0)
        return error("a memo index that is no index", "a number");
      const auto value = static_cast<std::uint64_t>(heap_.as_int(index));
      return op == PickleOp::Put ? put(value) : get(value);
    }
    case PickleOp::NextBuffer:
    case PickleOp::ReadOnlyBuffer:
      return error("a buffer that is not in the file", "a pickle without out-of-band buffers");
    default:
      return unknown_opcode(op);
  }
}

}  // namespace nns::checkpoint
