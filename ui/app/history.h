#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nns::app {

/// A place to come back to: a document (0 is the start screen) and its chosen row.
struct Place {
  std::uint32_t document = 0;
  std::uint32_t row = UINT32_MAX;
  friend bool operator==(const Place&, const Place&) = default;
};

/// Back and forward, as in a browser: visiting from the middle drops what was ahead.
class History {
 public:
  static constexpr std::size_t kMost = 256;  ///< the oldest places are forgotten beyond it
  void visit(Place place);
  bool can_go_back() const { return at_ > 0; }
  bool can_go_forward() const { return at_ + 1 < places_.size(); }
  std::optional<Place> back();
  std::optional<Place> forward();
  /// Drops the places of a document that was closed.
  void forget(std::uint32_t document);

 private:
  std::vector<Place> places_;
  std::size_t at_ = 0;
};

}  // namespace nns::app
