#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nns::app {

/// A place to come back to: a document (0 is the start screen) or a comparison, and its chosen row.
struct Place {
  std::uint32_t document = 0;
  std::uint32_t row = UINT32_MAX;
  bool is_tree = false;     ///< of a comparison: both trees, not the list
  std::uint64_t visit = 0;  ///< its number; no two visits have the same
  /// The same place, whenever it was visited.
  friend bool operator==(const Place& a, const Place& b) {
    return a.document == b.document && a.row == b.row && a.is_tree == b.is_tree;
  }
};

/// Back and forward, as in a browser: visiting from the middle drops what was ahead.
class History {
 public:
  static constexpr std::size_t kMost = 256;  ///< the oldest places are forgotten beyond it
  /// The number of the new visit; 0: it is the present place.
  std::uint64_t visit(Place place);
  /// The present place is that one, more exactly: its row was not known when it was visited.
  void amend(const Place& place);
  bool can_go_back() const { return at_ > 0; }
  bool can_go_forward() const { return at_ + 1 < places_.size(); }
  std::optional<Place> back();
  std::optional<Place> forward();
  /// Goes to the place of that visit, if it is still known.
  std::optional<Place> go_to(std::uint64_t visit);
  /// Drops the places of a document that was closed.
  void forget(std::uint32_t document);

 private:
  std::vector<Place> places_;
  std::size_t at_ = 0;
  std::uint64_t last_visit_ = 0;
};

}  // namespace nns::app
