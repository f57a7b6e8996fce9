#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace nns::checkpoint {

/// What of a folder is opened: one file, or shards that have no index.
struct FolderChoice {
  std::string file;
  std::vector<std::string> shards;
};

/// Chooses among the names of a folder's files: an index; the shards of one model; the file that Hugging Face's
/// libraries load from a folder; the only checkpoint. safetensors files come before those of torch.save.
/// Errors: nothing to open; several files that do not belong together.
base::Result<FolderChoice> choose_in_folder(std::vector<std::string> names, std::string_view folder);

/// Whether transformers, peft, diffusers or AutoGPTQ load a model's weights from a file of this name, and its
/// config.json from beside it.
bool is_hugging_face_name(std::string_view name);

}  // namespace nns::checkpoint
