#pragma once

#include "core/nn/library.h"
#include "core/nn/module.h"
#include "core/nn/registry_watch.h"

/// What modules tell of themselves: for core/nn only.
namespace nns::nn {

inline events::Subject subject_of(Module& module) { return {module.interpreter().id_of(module), module.type().name()}; }

inline void report_change(Module& module, Registry registry, Name name, events::RegistryChanged::Change change) {
  module.interpreter().events().report([&] {
    return events::RegistryChanged{subject_of(module), registry_key(registry), name.view(), change};
  });
  // Batch norm stores its buffers in every step.
  if (registry == Registry::Buffers) return;
  if (auto* const tell = on_registry_change.load(std::memory_order_relaxed)) tell(module);
}

inline void report_stored(Module& module, Registry registry, Name name, bool replaced) {
  using Change = events::RegistryChanged::Change;
  report_change(module, registry, name, replaced ? Change::Replaced : Change::Added);
}

inline void tell_hook_fires(Module& module, std::string_view table, std::int64_t id) {
  module.interpreter().events().report([&] { return events::HookFired{subject_of(module), table, id}; });
}

}  // namespace nns::nn
