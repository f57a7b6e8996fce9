#pragma once

#include <memory>
#include <string>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/zip_archive.h"

namespace nns::checkpoint {

/// Opens a TorchScript archive as PyTorch 1.0 to 1.3 wrote it: modules, parameters and tensors in model.json, below
/// the folder `root` of the archive.
/// Behaviour: torch/csrc/jit/serialization/import_legacy.cpp, whose messages are those of torch.proto in protobuf's
/// JSON.
std::unique_ptr<OpenTask> open_script_json(std::shared_ptr<base::ByteSource> source,
                                           std::unique_ptr<ZipArchive> archive, std::string root);

}  // namespace nns::checkpoint
