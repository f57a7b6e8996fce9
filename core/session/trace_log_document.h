#pragma once

#include <memory>
#include <string>

#include "core/capture/capture.h"
#include "core/session/jobs.h"

namespace nns::session {

/// Opens a log of TORCH_TRACE.
std::unique_ptr<Job> make_open_trace_log_job(std::uint64_t request, std::uint64_t source, std::string name,
                                             std::string url, std::shared_ptr<SourceProvider> sources,
                                             TraceLogOpened opened);

/// The document of a log: a row for each compilation, below it its graphs, guards, breaks and times. Metadata tell how
/// many records there are of each kind. Errors: as TreeBuilder::finish().
base::Result<std::unique_ptr<checkpoint::Checkpoint>> make_trace_log_document(std::string title,
                                                                              std::shared_ptr<base::ByteSource> source,
                                                                              const capture::Capture& capture);

}  // namespace nns::session
