#pragma once

#include <memory>
#include <string_view>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"

namespace nns::checkpoint {

/// The file in which Hugging Face's libraries keep what a model was made with, beside its weights.
inline constexpr std::string_view kConfigName = "config.json";
/// The file in which AutoGPTQ keeps how the weights are packed; newer config.json say it as quantization_config.
inline constexpr std::string_view kQuantizeConfigName = "quantize_config.json";

/// Takes what `text`, a config.json, says of a document: each entry as metadata "config.hidden_size", those of objects
/// by their path ("config.rope_scaling.factor"), and its only architecture as the class of the root, which weights
/// alone do not tell. `file` may be the other name: then the entries are "quantize_config.bits", and name no class.
/// Errors: no JSON object; with the byte offset.
base::Result<void> add_config(std::string_view text, Checkpoint& document, std::string_view file = kConfigName);

/// `task`, and then the config.json among `siblings`, if there is one; where that says nothing of quantization and a
/// tensor is called qweight, the quantize_config.json, too. One that cannot be read is a note.
std::unique_ptr<OpenTask> with_config(std::unique_ptr<OpenTask> task, std::shared_ptr<FileSet> siblings);

}  // namespace nns::checkpoint
