#include "core/checkpoint/json_cursor.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/utf8.h"

namespace nns::checkpoint {

namespace {

constexpr int kMaxDepth = 64;

std::string_view name_of(char c) {
  switch (c) {
    case '{':
      return "'{'";
    case '}':
      return "'}'";
    case '[':
      return "'['";
    case ']':
      return "']'";
    case ':':
      return "':'";
    case ',':
      return "','";
    default:
      return "'\"'";
  }
}

}  // namespace

bool JsonCursor::fail_expecting(char c) {
  return fail(at_, at_ == text_.size() ? "the end of the text" : "another character", name_of(c));
}

bool JsonCursor::escaped_string(std::size_t begin, std::string_view& out) {
  scratch_.clear();
  at_ = begin;
  while (true) {
    const std::size_t stop = find_stop(at_);
    scratch_.append(text_.substr(at_, stop - at_));
    at_ = stop;
    if (at_ == text_.size()) return fail(begin - 1, "a string without end", "'\"'");
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      out = scratch_;
      return true;
    }
    if (c != '\\') return fail(at_, "a control character in a string", "an escape such as \\n");
    ++at_;
    const char escape = at_ < text_.size() ? text_[at_] : '\0';
    ++at_;
    switch (escape) {
      case '"':
      case '\\':
      case '/':
        scratch_.push_back(escape);
        break;
      case 'b':
        scratch_.push_back('\b');
        break;
      case 'f':
        scratch_.push_back('\f');
        break;
      case 'n':
        scratch_.push_back('\n');
        break;
      case 'r':
        scratch_.push_back('\r');
        break;
      case 't':
        scratch_.push_back('\t');
        break;
      case 'u':
        if (!read_unicode_escape(scratch_)) return false;
        break;
      default:
        return fail(stop, "an unknown escape", "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    }
  }
}

bool JsonCursor::read_hex4(std::uint32_t& out) {
  std::uint32_t value = 0;
  for (int digit = 0; digit < 4; ++digit, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    value <<= 4U;
    if (c >= '0' && c <= '9') {
      value |= static_cast<std::uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value |= static_cast<std::uint32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      value |= static_cast<std::uint32_t>(c - 'A' + 10);
    } else {
      return fail(at_, "a broken \\u escape", "four hexadecimal digits");
    }
  }
  out = value;
  return true;
}

bool JsonCursor::read_unicode_escape(std::string& out) {
  const std::size_t begin = at_ - 2;
  std::uint32_t high = 0;
  if (!read_hex4(high)) return false;
  if (high >= 0xDC00 && high <= 0xDFFF) return fail(begin, "a lone low surrogate", "a high surrogate before it");
  if (high < 0xD800 || high > 0xDBFF) {
    base::append_utf8(high, out);
    return true;
  }
  std::uint32_t low = 0;
  if (text_.substr(at_, 2) != "\\u") return fail(begin, "a lone high surrogate", "a low surrogate after it");
  at_ += 2;
  if (!read_hex4(low)) return false;
  if (low < 0xDC00 || low > 0xDFFF) return fail(begin, "a lone high surrogate", "a low surrogate after it");
  base::append_utf8(0x10000 + ((high - 0xD800) << 10U) + (low - 0xDC00), out);
  return true;
}

bool JsonCursor::skip_word(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return fail(at_, "an unknown word", "true, false or null");
  at_ += word.size();
  return true;
}

bool JsonCursor::skip_number() {
  const std::size_t begin = at_;
  const auto digits = [&] {
    const std::size_t first = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ - first;
  };
  if (at_ < text_.size() && text_[at_] == '-') ++at_;
  const std::size_t whole = at_;
  if (digits() == 0)
    return fail(begin, at_ == text_.size() ? "the end of the text" : "another character", "a JSON value");
  if (at_ - whole > 1 && text_[whole] == '0') return fail(begin, "a number with a leading zero", "a number");
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    if (digits() == 0) return fail(begin, "a number without digits after the point", "a number");
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    if (digits() == 0) return fail(begin, "a number without exponent digits", "a number");
  }
  return true;
}

bool JsonCursor::skip_value(std::string_view* out) {
  // One bit a level says whether it is an object.
  std::uint64_t objects = 0;
  int depth = 0;
  std::string_view ignored;
  skip_space();
  const std::size_t begin = at_;
  while (true) {
    // 1. One value, or the beginning of a container.
    skip_space();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    bool opened = false;
    if (c == '{' || c == '[') {
      if (depth == kMaxDepth) return fail(at_, "values nested deeper than 64", "less nesting");
      ++at_;
      ++depth;
      objects = (objects << 1U) | (c == '{' ? 1U : 0U);
      opened = true;
    } else if (c == '"') {
      if (!string(ignored)) return false;
    } else if (c == 't') {
      if (!skip_word("true")) return false;
    } else if (c == 'f') {
      if (!skip_word("false")) return false;
    } else if (c == 'n') {
      if (!skip_word("null")) return false;
    } else if (!skip_number()) {
      return false;
    }
    // 2. What may follow: ends of containers, then a comma.
    while (depth > 0) {
      const bool in_object = (objects & 1U) != 0;
      if (accept(in_object ? '}' : ']')) {
        objects >>= 1U;
        --depth;
        opened = false;
        continue;
      }
      if (!opened && !expect(',')) return false;
      if (in_object && (!string(ignored) || !expect(':'))) return false;
      break;
    }
    if (depth == 0) {
      if (out != nullptr) *out = text_.substr(begin, at_ - begin);
      return true;
    }
  }
}

base::Error json_error(const JsonCursor& cursor, std::string where) {
  const JsonCursor::Failure& failure = cursor.failure();
  return {fmt::format("the JSON text holds {}", failure.found), std::string(failure.expected), std::move(where),
          failure.at};
}

}  // namespace nns::checkpoint
