#pragma once

#include <cstdint>
#include <optional>

#include "native/cli/document.h"
#include "native/cli/json_writer.h"

namespace nns::cli {

/// "safe", "unknown" or "dangerous".
const char* verdict_name(checkpoint::Verdict verdict);

/// Writes the document as `inspect --json` promises it: format, tensors, metadata, globals, tree, in this order.
/// `offset` is the byte of the tensor's first value in `file`, null where it has none (packed archive members, missing
/// shards; a tensor of a missing shard has no dtype, shape, stride and nbytes either). Statistics speak as torch does:
/// min, max and sum see NaN and infinity; "nan" and "inf" count them. A storage with more than 1,000 tensors lists its
/// first tensor instead of all others.
void write_json(JsonWriter& json, Document& document, std::optional<std::uint32_t> depth);
/// The members from "sum" to "outliers" of an object that was begun; without statistics they are null.
void write_statistics(JsonWriter& json, const std::optional<checkpoint::TensorStatistics>& statistics,
                      tensor::DType dtype);

}  // namespace nns::cli
