#pragma once

#include "core/parallel/store.h"

namespace nns::collectives {

/// Keys in a file that all ranks of a machine (or of a shared file system with locks) see: a log that each change is
/// written to the end of. Errors: the file cannot be made, read or written.
base::Result<std::shared_ptr<parallel::Store>> open_file_store(const std::string& path);

}  // namespace nns::collectives
