#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>

namespace nns::trace {

/// One value as a recording keeps it, in 8 bytes: numbers in place, texts and objects by their number in the Trace.
/// A double is itself; everything else hides in the NaNs that arithmetic does not make.
class Shown {
 public:
  enum class Kind : std::uint8_t {
    Float,
    /// A name that is not bound, an argument that was not given.
    Absent,
    None,
    Bool,
    /// An int of at most 48 bits; longer ones are a Literal.
    Int,
    /// A str: Trace::text().
    Text,
    /// What is written as its text, without quotes: a large int, a complex number, a dtype.
    Literal,
    /// Trace::object().
    Object,
    /// A container that was never filled and has no identity yet: "{}", "OrderedDict()", "set()".
    EmptyDict,
    EmptyOrderedDict,
    EmptySet,
  };

  Shown() : Shown(Kind::Absent, 0) {}
  static Shown of(Kind kind, std::uint64_t payload = 0) { return Shown(kind, payload); }
  static Shown number(double value) {
    Shown shown;
    // Every NaN is shown alike, so that none is taken for something else.
    if (value != value) {
      shown.bits_ = kPlainNaN;
    } else {
      std::memcpy(&shown.bits_, &value, sizeof(value));
    }
    return shown;
  }
  static bool fits(std::int64_t value) { return value >= -kIntLimit && value < kIntLimit; }
  /// Must hold: fits(value).
  static Shown integer(std::int64_t value) {
    assert(fits(value));
    return Shown(Kind::Int, static_cast<std::uint64_t>(value) & kPayload);
  }

  Kind kind() const {
    return bits_ > kFirstTag ? static_cast<Kind>((bits_ >> kPayloadBits) - (kFirstTag >> kPayloadBits)) : Kind::Float;
  }
  double as_float() const {
    double value = 0;
    std::memcpy(&value, &bits_, sizeof(value));
    return value;
  }
  std::int64_t as_int() const {
    // The sign stands in bit 47.
    const auto raw = static_cast<std::int64_t>(bits_ & kPayload);
    return raw >= kIntLimit ? raw - 2 * kIntLimit : raw;
  }
  bool as_bool() const { return (bits_ & kPayload) != 0; }
  /// Of a Text, Literal or Object.
  std::uint32_t index() const { return static_cast<std::uint32_t>(bits_ & kPayload); }
  bool is_object() const { return kind() == Kind::Object; }
  bool is_absent() const { return kind() == Kind::Absent; }

  std::uint64_t bits() const { return bits_; }
  static Shown from_bits(std::uint64_t bits) {
    Shown shown;
    shown.bits_ = bits;
    return shown;
  }
  friend bool operator==(const Shown& a, const Shown& b) { return a.bits_ == b.bits_; }

 private:
  static constexpr int kPayloadBits = 48;
  static constexpr std::uint64_t kPayload = (std::uint64_t{1} << kPayloadBits) - 1;
  static constexpr std::int64_t kIntLimit = std::int64_t{1} << (kPayloadBits - 1);
  static constexpr std::uint64_t kPlainNaN = 0x7FF8'0000'0000'0000;
  // Minus infinity is the largest double that is kept as it is.
  static constexpr std::uint64_t kFirstTag = 0xFFF0'0000'0000'0000;

  Shown(Kind kind, std::uint64_t payload)
      : bits_(kFirstTag + (static_cast<std::uint64_t>(kind) << kPayloadBits) + payload) {}

  std::uint64_t bits_;
};

static_assert(sizeof(Shown) == 8);

}  // namespace nns::trace
