#pragma once

#include "core/ops/moments.h"

namespace nns::ops {

/// What an optimiser finds out about one parameter while it writes it.
struct UpdateMoments {
  bool wants_gradient = false, wants_parameter = false, wants_update = false;
  /// Whether a gradient of which nothing else is wanted was looked at, and was finite.
  bool is_gradient_checked = false, is_gradient_finite = true;
  Moments gradient;   ///< before the step
  Moments parameter;  ///< after it
  Moments update;     ///< the difference

  /// The same wishes, with nothing found.
  UpdateMoments wishes() const {
    UpdateMoments made;
    made.wants_gradient = wants_gradient;
    made.wants_parameter = wants_parameter;
    made.wants_update = wants_update;
    return made;
  }
  /// Of another part of the parameter.
  void join(const UpdateMoments& more) {
    is_gradient_checked = is_gradient_checked || more.is_gradient_checked;
    is_gradient_finite = is_gradient_finite && more.is_gradient_finite;
    gradient.join(more.gradient);
    parameter.join(more.parameter);
    update.join(more.update);
  }
};

}  // namespace nns::ops
