#include "core/capture/reader.h"

#include <utility>

#include "core/capture/exported_program.h"
#include "core/capture/trace_log.h"
#include "core/checkpoint/zip_archive.h"

namespace nns::capture {

base::Result<std::unique_ptr<Reader>> reader_of(std::shared_ptr<base::ByteSource> source, ReadLimits limits) {
  NNS_TRY_ASSIGN(const bool is_zip, checkpoint::ZipArchive::ends_with_directory(*source));
  if (is_zip) return std::unique_ptr<Reader>(std::make_unique<ExportedProgramReader>(std::move(source), limits));
  return std::unique_ptr<Reader>(std::make_unique<TraceLogReader>(std::move(source), limits));
}

}  // namespace nns::capture
