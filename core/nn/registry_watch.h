#pragma once

#include <atomic>

namespace nns::nn {

class Module;

/// Called with each module whose parameters or modules have changed, of whatever interpreter; null: nobody looks. Who
/// watches trainings sets it (core/train), so that a program that only reads files has nothing of the ops in it.
inline std::atomic<void (*)(Module&)> on_registry_change{nullptr};

}  // namespace nns::nn
