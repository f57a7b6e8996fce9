#pragma once

#include "core/object/class.h"

namespace nns::dynamo {

/// Classes of torch whose `with` sets a mode and nothing else, so that a frame can leave and enter it again.

/// What a graph's own autocast keeps its arguments under.
inline constexpr const char* kAutocastValues = "_dynamo_values";

/// error_on_graph_break.
inline bool is_mode_of_breaks(const object::Class& cls) { return cls.name() == "error_on_graph_break"; }

/// torch.autocast, and the older ones of one device each, which are of its class.
inline bool is_autocast(const object::Class& cls) {
  return cls.name() == "autocast" && cls.module().starts_with("torch.") && cls.module().ends_with("amp.autocast_mode");
}

/// Whether the mode is what the class is called with; otherwise the class says it (no_grad, enable_grad).
inline bool has_mode_argument(const object::Class& cls) {
  return cls.name() == "set_grad_enabled" || is_mode_of_breaks(cls);
}

inline bool is_mode_context(const object::Class& cls) {
  if (is_autocast(cls)) return true;
  return cls.module().starts_with("torch") && (cls.name() == "no_grad" || cls.name() == "enable_grad" ||
                                               cls.name() == "inference_mode" || has_mode_argument(cls));
}

}  // namespace nns::dynamo
