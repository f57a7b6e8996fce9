#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace nns::checkpoint {

/// Reads JSON front to back, one token a call, from text that is known to be UTF-8; keeps nothing, so that a header of
/// any size can be read in slices. After the first failure every call fails, and failure() says what was wrong where.
/// Behaviour: RFC 8259. Nesting deeper than 64 is refused where values are skipped.
class JsonCursor {
 public:
  struct Failure {
    std::size_t at = 0;
    std::string_view found;
    std::string_view expected;
  };

  explicit JsonCursor(std::string_view text) : text_(text) {}

  bool ok() const { return ok_; }
  const Failure& failure() const { return failure_; }
  /// Index of the next byte that was not read.
  std::size_t at() const { return at_; }
  /// Goes on at `at`; for callers that read a piece of the text themselves.
  void move_to(std::size_t at) { at_ = at; }
  bool at_end() const { return at_ == text_.size(); }

  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return;
      ++at_;
    }
  }
  /// Skips space, then takes `c` if it comes next.
  bool accept(char c) {
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    skip_space();
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }
  /// accept(), or failure.
  bool expect(char c) { return accept(c) || fail_expecting(c); }

  /// A string; `out` lies in the text or, if it has escapes, in a buffer that the next such string overwrites.
  bool string(std::string_view& out) {
    if (!expect('"')) return false;
    const std::size_t begin = at_;
    const std::size_t stop = find_stop(begin);
    if (stop < text_.size() && text_[stop] == '"') {
      out = text_.substr(begin, stop - begin);
      at_ = stop + 1;
      return true;
    }
    return escaped_string(begin, out);
  }

  /// A whole number without sign, at most 2^64 - 1.
  bool number(std::uint64_t& out) {
    skip_space();
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (value > (UINT64_MAX - digit) / 10) return fail(begin, "a number above 2^64 - 1", "a whole number");
      value = value * 10 + digit;
      ++at_;
    }
    const bool leading_zero = at_ - begin > 1 && text_[begin] == '0';
    const char next = at_ < text_.size() ? text_[at_] : ' ';
    if (at_ == begin || leading_zero || next == '.' || next == 'e' || next == 'E') {
      return fail(begin, at_ == text_.size() && at_ == begin ? "the end" : "something else",
                  "a whole number, not negative");
    }
    out = value;
    return true;
  }

  /// The next value, whatever it is; `out`, if given, receives its text.
  bool skip_value(std::string_view* out = nullptr);

  bool fail(std::size_t at, std::string_view found, std::string_view expected) {
    if (ok_) failure_ = {at, found, expected};
    ok_ = false;
    return false;
  }

 private:
  bool fail_expecting(char c);
  bool escaped_string(std::size_t begin, std::string_view& out);
  bool read_unicode_escape(std::string& out);
  bool read_hex4(std::uint32_t& out);
  bool skip_number();
  bool skip_word(std::string_view word);

  /// Index of the first quote, backslash or control character at or after `at`.
  std::size_t find_stop(std::size_t at) const {
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    constexpr std::uint64_t kHigh = 0x8080808080808080U;
    while (text_.size() - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, text_.data() + at, 8);
      const std::uint64_t quote = word ^ (kOnes * '"');
      const std::uint64_t slash = word ^ (kOnes * '\\');
      // A byte's high bit is set where the byte is zero, or below 0x20; higher bytes of the word may be wrong, the
      // lowest hit is not.
      const std::uint64_t hits =
          (((quote - kOnes) & ~quote) | ((slash - kOnes) & ~slash) | ((word - kOnes * 0x20) & ~word)) & kHigh;
      if (hits != 0) return at + static_cast<std::size_t>(__builtin_ctzll(hits)) / 8;
      at += 8;
    }
    while (at < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at]);
      if (c == '"' || c == '\\' || c < 0x20) break;
      ++at;
    }
    return at;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool ok_ = true;
  Failure failure_;
  std::string scratch_;
};

/// What stopped a cursor that failed, in the text that is called `where`.
base::Error json_error(const JsonCursor& cursor, std::string where);

}  // namespace nns::checkpoint
