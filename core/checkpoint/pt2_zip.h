#pragma once

#include <memory>
#include <string>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/zip_archive.h"

namespace nns::checkpoint {

/// Starts to open what torch.export saved (a .pt2 file): modules with their classes, parameters, buffers and constants,
/// and the list of the graph's nodes. Of a package with compiled code the members are listed, and nothing is loaded.
/// `root` is the archive's folder with a slash. Behaviour: torch/_export/serde/schema.py, torch/export/pt2_archive.
std::unique_ptr<OpenTask> open_pt2_zip(std::shared_ptr<base::ByteSource> source, std::unique_ptr<ZipArchive> archive,
                                       std::string root);

}  // namespace nns::checkpoint
