#pragma once

#include <memory>

#include "core/train/run_files.h"

namespace nns::train {

/// The folder of a run where no disk is: it holds the newest checkpoint only, so that somebody can be given it.
/// Errors: of names that are not there.
std::shared_ptr<RunFiles> make_memory_run();

}  // namespace nns::train
