#include "ui/widgets/access.h"

#include <algorithm>
#include <utility>

namespace nns::widgets {

using host::AccessAction;
using host::AccessNode;
using host::Role;

void AccessTree::begin_frame(std::vector<AccessAction> actions) {
  actions_ = std::move(actions);
  nodes_.clear();
  is_stop_.clear();
  open_.clear();
  modal_ = UINT32_MAX;
  focus_arrived_ = std::exchange(has_pending_focus_, false);
  if (focus_arrived_) focused_ = pending_focus_;
}

bool AccessTree::end_frame() {
  actions_.clear();
  const bool changed = nodes_ != published_;
  std::swap(nodes_, published_);
  std::swap(is_stop_, published_stop_);
  published_modal_ = modal_;
  return changed;
}

std::uint32_t AccessTree::add(AccessNode node, bool is_stop) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  node.parent = open_.empty() ? UINT32_MAX : open_.back();
  nodes_.push_back(std::move(node));
  is_stop_.push_back(is_stop ? 1 : 0);
  return index;
}

std::optional<AccessAction> AccessTree::take(std::uint32_t id, AccessAction::Kind kind) {
  if (actions_.empty()) return std::nullopt;
  return take_if([&](const AccessAction& action) { return action.id == id && action.kind == kind; });
}

void AccessTree::focus(std::uint32_t id, bool visible) {
  focus_visible_ = visible;
  if (id == focused_ && !has_pending_focus_) return;
  pending_focus_ = id;
  has_pending_focus_ = true;
}

bool AccessTree::is_below(const std::vector<AccessNode>& nodes, std::uint32_t index, std::uint32_t ancestor) const {
  while (index != UINT32_MAX) {
    if (index == ancestor) return true;
    index = nodes[index].parent;
  }
  return false;
}

std::vector<std::uint32_t> AccessTree::stops() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t index = 0; index < published_.size(); ++index) {
    if (published_stop_[index] == 0 || published_[index].disabled) continue;
    if (published_modal_ != UINT32_MAX && !is_below(published_, index, published_modal_)) continue;
    found.push_back(index);
  }
  return found;
}

void AccessTree::focus_next(bool backwards) {
  const std::vector<std::uint32_t> all = stops();
  if (all.empty()) return;
  const auto current = std::find_if(all.begin(), all.end(), [&](std::uint32_t index) {
    return published_[index].id == focused_ || published_[index].focused;
  });
  std::size_t next = backwards ? all.size() - 1 : 0;
  if (current != all.end()) {
    const auto at = static_cast<std::size_t>(current - all.begin());
    next = backwards ? (at + all.size() - 1) % all.size() : (at + 1) % all.size();
  }
  focus(published_[all[next]].id, true);
}

void AccessTree::focus_next_region(bool backwards) {
  const auto region_of = [&](std::uint32_t index) {
    while (index != UINT32_MAX) {
      const Role role = published_[index].role;
      if (role == Role::Region || role == Role::Banner || role == Role::Navigation || role == Role::Main ||
          role == Role::Status || role == Role::Dialog || role == Role::Alert) {
        return index;
      }
      index = published_[index].parent;
    }
    return UINT32_MAX;
  };
  const std::vector<std::uint32_t> all = stops();
  std::vector<std::uint32_t> first_of_region;
  std::vector<std::uint32_t> regions;
  std::size_t current = SIZE_MAX;
  for (const std::uint32_t index : all) {
    const std::uint32_t region = region_of(index);
    auto known = std::find(regions.begin(), regions.end(), region);
    if (known == regions.end()) {
      regions.push_back(region);
      first_of_region.push_back(index);
      known = regions.end() - 1;
    }
    if (published_[index].id == focused_ || published_[index].focused) {
      current = static_cast<std::size_t>(known - regions.begin());
    }
  }
  if (regions.empty()) return;
  const std::size_t count = regions.size();
  const std::size_t next =
      current == SIZE_MAX ? (backwards ? count - 1 : 0) : (current + (backwards ? count - 1 : 1)) % count;
  focus(published_[first_of_region[next]].id, true);
}

}  // namespace nns::widgets
