#pragma once

#include <string_view>

#include "core/base/byte_sink.h"
#include "core/checkpoint/checkpoint.h"

namespace nns::checkpoint {

/// The formats that a document can be written as.
enum class WrittenFormat : std::uint8_t {
  Safetensors,
  /// What torch.save writes: an OrderedDict of the tensors by name.
  TorchZip,
};

/// The way to the one dict that holds all tensors of a pickled document ("state_dict/"), with the slash; empty where
/// they lie at the top, in several dicts, or where a slash is part of a name.
std::string_view shared_prefix(const Checkpoint& document);

/// Writes the tensors of an opened document, each under its whole name, as a file of another format. Values are decoded
/// (quantised blocks, numbers of the other byte order) and put into row-major order; tensors that are one in the
/// document are one in a torch zip, too. The dicts of a pickled document are dicts in a torch zip; safetensors has
/// none: there names lose the prefix that all share. Metadata of texts goes from safetensors to safetensors. Cost: the
/// values are read once, in pieces of a megabyte. Errors: a tensor whose values cannot be read, or of a dtype that the
/// format does not have; what `sink` reports.
base::Result<void> convert(Checkpoint& document, WrittenFormat format, base::ByteSink& sink,
                           std::string_view archive = "archive");

}  // namespace nns::checkpoint
