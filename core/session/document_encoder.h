#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/live/message.h"

namespace nns::session {

/// What the stream says of a document beside its contents.
struct DocumentHeader {
  std::uint32_t id = 0;
  std::uint32_t version = 1;
  std::uint64_t request = 0;
  live::wire::DocumentKind kind = live::wire::DocumentKind::Checkpoint;
  std::uint64_t head = 0;  ///< hash_of_head(), or 0
  bool has_console = false;
};

/// A hash of the first 64 KiB of the document's first file, by which a person's file is known again; 0 if they cannot
/// be read.
std::uint64_t hash_of_head(const checkpoint::Checkpoint& document);

/// The Document message of a checkpoint. Cost: one copy a column.
/// Errors: more than 2 GiB, which a message cannot hold.
base::Result<live::Bytes> encode_document(const checkpoint::Checkpoint& document, const DocumentHeader& header);

}  // namespace nns::session
