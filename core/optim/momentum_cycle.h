#pragma once

#include "core/optim/lr_scheduler.h"

// What CyclicLR and OneCycleLR share. Not for callers of optim.
namespace nns::optim {

/// The bounds of the momentum, one for each group.
struct MomentumBounds {
  std::vector<Value> least, most;
};

/// Sets self.use_beta1 and, for a new schedule, every group's momentum to its largest value.
/// Errors: ValueError  the optimiser has neither momentum nor betas; lists of another length.
PyResult<MomentumBounds> begin_momentum_cycle(const SchedulerSelf& self, const Value& least, const Value& most,
                                              bool is_new);

/// group["momentum"], or the first of group["betas"].
PyResult<void> set_momentum(Interpreter& interpreter, Dict& group, bool uses_beta1, const Value& momentum);

}  // namespace nns::optim
