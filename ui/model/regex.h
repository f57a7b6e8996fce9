#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nns::model {

/// What is wrong with a text that a person typed, and where in it. Units: bytes from its beginning.
struct TextError {
  std::string found;
  std::string expected;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A regular expression that is looked for in one pass, whatever it says: no input makes it slow.
/// Knows letters, `.`, `[a-z]`, `[^…]`, `\d \w \s` and their capitals, `( )`, `|`, `* + ? {m} {m,} {m,n}`, `^` and `$`.
/// Case of ASCII letters is ignored: the text must be in lower case. A letter beyond ASCII is several bytes to `.`.
/// Method: Thompson's construction, simulated with sets of positions that are kept as the states of an automaton.
/// Differs: no groups to read out, no look-around, no back references, no `\b`.
/// Threads: one (states are made while it runs).
class Regex {
 public:
  static constexpr std::size_t kMostNodes = 256;
  /// Positions in the expression at which the text so far may have arrived.
  struct Positions {
    std::array<std::uint64_t, kMostNodes / 64> words{};
    bool test(std::size_t at) const { return ((words[at / 64] >> (at % 64)) & 1U) != 0; }
    void set(std::size_t at) { words[at / 64] |= std::uint64_t{1} << (at % 64); }
    friend bool operator==(const Positions& a, const Positions& b) {
      return a.words[0] == b.words[0] && a.words[1] == b.words[1] && a.words[2] == b.words[2] &&
             a.words[3] == b.words[3];
    }
  };

  /// Errors: in `error`, with the place in `pattern`; the expression is empty then.
  static std::optional<Regex> make(std::string_view pattern, TextError& error);
  /// Finds exactly `text` (in lower case). Errors: longer than kMostNodes - 2 bytes.
  static std::optional<Regex> literal(std::string_view text, TextError& error);

  /// A number for the state before any text.
  std::uint32_t start() { return number(start_); }
  /// The state after one more byte. Cost: one look-up, once both are known.
  std::uint32_t step(std::uint32_t state, char byte) {
    const std::uint32_t next = next_[state * classes_ + class_of_[static_cast<unsigned char>(byte)]];
    return next != kUnknown ? next : make_step(state, byte);
  }
  /// A match ended right here.
  bool is_match(std::uint32_t state) const { return (flags_[state] & 1U) != 0; }
  /// A match ends here if the text does.
  bool is_match_at_end(std::uint32_t state) const { return flags_[state] != 0; }

  /// States are forgotten when there are too many: a state that is kept beyond a step is kept as its positions, with
  /// the generation in which it had that number.
  const Positions& positions(std::uint32_t state) const { return states_[state]; }
  std::uint32_t number(const Positions& positions);
  std::uint32_t generation() const { return generation_; }

  /// Whether it occurs in `text` (in lower case).
  bool finds(std::string_view text);

 private:
  friend class RegexParser;
  static constexpr std::uint32_t kUnknown = UINT32_MAX;
  static constexpr std::size_t kMostStates = 512;
  enum class Op : std::uint8_t { Bytes, Split, Begin, End, Match };
  struct Node {
    Op op = Op::Match;
    std::uint8_t set = 0;  // of Bytes: index into sets_
    std::uint16_t out = 0;
    std::uint16_t other = 0;  // of Split
  };
  /// Which bytes a node takes: a set of 256, as Positions are.
  using ByteSet = Positions;

  bool finish(std::uint16_t first);
  void add(Positions& into, std::uint16_t node, bool at_begin) const;
  std::uint32_t make_step(std::uint32_t state, char byte);

  std::vector<Node> nodes_;
  std::vector<ByteSet> sets_;
  std::uint16_t first_ = 0;
  Positions start_;
  Positions restart_;  // a match may begin after every byte
  std::array<std::uint8_t, 256> class_of_{};
  std::uint32_t classes_ = 1;
  std::vector<Positions> states_;
  std::vector<std::uint8_t> flags_;  // 1: a match ends here, 2: if the text does
  std::vector<std::uint32_t> next_;  // by state and class
  std::uint32_t generation_ = 0;
};

}  // namespace nns::model
