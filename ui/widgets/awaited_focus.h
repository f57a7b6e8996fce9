#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "ui/widgets/access.h"

namespace nns::widgets {

/// The focus, asked for by a control that is not there yet (what it shows is still on its way).
/// Who goes elsewhere meanwhile stays there.
class AwaitedFocus {
 public:
  void ask() {
    is_asked_ = true;
    from_.reset();
  }
  /// To be called in each frame, also in those that do not draw the control.
  void watch(const AccessTree& access) {
    if (!is_asked_) return;
    if (!from_) from_ = access.going_to();
    if (*from_ != access.going_to()) is_asked_ = false;
  }
  /// True once: the control is there and may have the focus.
  bool take() { return std::exchange(is_asked_, false); }

 private:
  bool is_asked_ = false;
  std::optional<std::uint32_t> from_;  // where the focus was when it was asked for
};

}  // namespace nns::widgets
