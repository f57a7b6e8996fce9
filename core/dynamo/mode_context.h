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

inline bool is_inference_mode(const object::Class& cls) {
  return cls.name() == "inference_mode" && cls.module().starts_with("torch");
}

/// What does nothing in a graph: contextlib.nullcontext, profilers and the ranges that they show.
inline bool is_null_context(const object::Class& cls) {
  const std::string_view name = cls.name(), module = cls.module();
  if (module == "contextlib") return name == "nullcontext";
  return (module == "torch.autograd.profiler" || module == "torch.profiler.profiler") &&
         (name == "profile" || name == "record_function");
}

/// What torch.no_grad() and its like make of a function.
inline bool is_decorated(const object::Class& cls) {
  return cls.name() == "function" && cls.module() == "torch.utils._contextlib";
}

/// Whether the mode is what the class is called with; otherwise the class says it (no_grad, enable_grad).
inline bool has_mode_argument(const object::Class& cls) {
  return cls.name() == "set_grad_enabled" || is_inference_mode(cls) || is_mode_of_breaks(cls);
}

inline bool is_mode_context(const object::Class& cls) {
  if (is_autocast(cls) || is_null_context(cls)) return true;
  return cls.module().starts_with("torch") &&
         (cls.name() == "no_grad" || cls.name() == "enable_grad" || has_mode_argument(cls));
}

}  // namespace nns::dynamo
