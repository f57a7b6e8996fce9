#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ui/host/access_node.h"

namespace nns::web {

/// Turns the list of controls of each frame into what changed since the last one, as JSON for web/page/access.mjs:
/// {"set": [{"id", fields that changed}], "order": {parent id: [child ids]}, "gone": [ids]}. A parent of 0 is the page.
/// A control that is new has all its fields that are not at their defaults.
class AccessUpdate {
 public:
  /// Empty if nothing changed.
  std::string make(std::span<const host::AccessNode> controls);

 private:
  struct Known {
    host::AccessNode node;
    std::uint64_t frame = 0;
  };
  std::unordered_map<std::uint32_t, Known> known_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> children_;
  std::uint64_t frame_ = 0;
};

}  // namespace nns::web
