#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "core/live/protocol_generated.h"

namespace nns::live {

/// What a program wrote and was told, as its viewer keeps it: the newest lines up to a limit.
class ConsoleView {
 public:
  /// Units: bytes.
  static constexpr std::size_t kMost = 1U << 20U;
  struct Piece {
    wire::OutputKind kind = wire::OutputKind::Out;
    std::string text;
  };

  /// In order; two that follow one another differ in kind.
  const std::deque<Piece>& pieces() const { return pieces_; }
  /// How much of the beginning is not kept any more. Units: bytes.
  std::uint64_t dropped() const { return dropped_; }
  /// All that was added, kept or not. Units: bytes.
  std::uint64_t written() const { return dropped_ + kept_; }
  /// Grows with each piece.
  std::uint64_t version() const { return version_; }

  void add(wire::OutputKind kind, std::string_view text);
  /// Forgets what was written: the program runs anew.
  void begin_anew() {
    pieces_.clear();
    kept_ = 0;
    dropped_ = 0;
    ++version_;
  }

 private:
  std::deque<Piece> pieces_;
  std::size_t kept_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace nns::live
