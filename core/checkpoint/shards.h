#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/json_text.h"

namespace nns::checkpoint {

/// Opens the shards that an index names as one document. Shards are safetensors files or what torch.save wrote; one
/// that is not there, or is a Git LFS pointer, is noted, and its tensors are listed by name.
/// Behaviour: model.safetensors.index.json and pytorch_model.bin.index.json as Hugging Face's transformers writes them.
/// `index` was read. Errors, with the offset in the index or the name of the shard: no index; a shard outside of its
/// folder; a shard that is damaged or of another format; a tensor twice.
std::unique_ptr<OpenTask> open_sharded_index(JsonText index, std::shared_ptr<FileSet> siblings);

/// The same without an index: all of the shards are there.
std::unique_ptr<OpenTask> open_shards(std::shared_ptr<FileSet> files, std::vector<std::string> shards,
                                      std::string title);

}  // namespace nns::checkpoint
