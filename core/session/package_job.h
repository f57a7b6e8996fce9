#pragma once

#include <memory>
#include <string>

#include "core/session/jobs.h"

namespace nns::session {

/// Reads the programs of a package of torch.export and sends them as the Capture of `document`. Errors: as
/// capture::ExportedProgramReader.
std::unique_ptr<Job> make_read_package_job(std::uint64_t request, std::uint32_t document, std::uint64_t source,
                                           std::string name, std::string url, std::shared_ptr<SourceProvider> sources);

}  // namespace nns::session
