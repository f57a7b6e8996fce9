#pragma once

#include <functional>
#include <string_view>

#include "core/base/byte_sink.h"
#include "core/tensor/tensor.h"

namespace nns::checkpoint {

/// Writes the bytes of a storage that is on meta, for a caller that has them elsewhere: exactly as many as it has.
using StorageWriter = std::function<base::Result<void>(const tensor::Storage& storage, base::ByteSink& sink)>;

/// Writes a value as torch.save does: a zip file of `archive`/data.pkl, the storages that it names, each once and at a
/// multiple of 64 bytes, and what tells the format. torch.load(weights_only=True) reads it.
/// Equal values give equal bytes.
/// Errors: a value that cannot be pickled (value_pickler.h); what the sink reports.
/// Behaviour: torch/serialization.py, _save; caffe2/serialize/inline_container.cc.
base::Result<void> write_torch(base::ByteSink& sink, object::Interpreter& interpreter, const object::Value& value,
                               std::string_view archive = "archive", const StorageWriter& meta_storages = nullptr);

}  // namespace nns::checkpoint
