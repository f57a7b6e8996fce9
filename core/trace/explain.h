#pragma once

#include <string>

#include "core/trace/trace.h"

namespace nns::trace {

/// One sentence or two about what happened in that event, and why it happened so. Names stand in backticks.
/// Behaviour told: torch/nn/modules/module.py, Module.__setattr__, __delattr__, _call_impl.
std::string explain(const Trace& trace, EventId event);

}  // namespace nns::trace
