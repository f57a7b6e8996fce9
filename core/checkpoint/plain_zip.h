#pragma once

#include <memory>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/zip_archive.h"

namespace nns::checkpoint {

/// Starts to open a zip file that is no checkpoint itself: each member becomes a row, and members that are checkpoints
/// are opened by their own readers below it. Stable-Baselines files are such.
/// Errors (of the task): no member is a checkpoint.
std::unique_ptr<OpenTask> open_plain_zip(std::shared_ptr<base::ByteSource> source, std::unique_ptr<ZipArchive> archive);

/// open_zip(), but plain zips are refused: for archives inside archives.
std::unique_ptr<OpenTask> open_zip_in_zip(std::shared_ptr<base::ByteSource> source);

}  // namespace nns::checkpoint
