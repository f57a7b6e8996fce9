#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/elements.h"
#include "core/checkpoint/heat_tile.h"
#include "core/checkpoint/statistics.h"
#include "core/live/message.h"
#include "core/session/samples.h"

/// The messages that a host sends, ready for Endpoint::send().
namespace nns::session {

/// Which request an answer belongs to, and what it is about.
struct AnswerKey {
  std::uint64_t request = 0;
  std::uint32_t document = 0;
  std::uint32_t subject = 0;  ///< row or tensor
};

live::Bytes hello(std::span<const Sample> samples);
live::Bytes job_progress(std::uint64_t request, std::string_view text, std::uint64_t done, std::uint64_t total);
live::Bytes job_finished(std::uint64_t request);
live::Bytes job_cancelled(std::uint64_t request);
live::Bytes job_failed(std::uint64_t request, const base::Error& error);
live::Bytes document_closed(std::uint32_t document);

live::Bytes object_details(const AnswerKey& key, const checkpoint::ObjectDescription& description);
live::Bytes tensor_statistics(const AnswerKey& key, const checkpoint::TensorStatistics& statistics);
/// `size` is of the whole matrix.
live::Bytes heat_tile(const AnswerKey& key, const checkpoint::HeatTile& tile, const checkpoint::MatrixSize& size);

/// Whether values of the tensor can be read: not on meta, not in a file that is missing.
bool has_values(const checkpoint::Checkpoint& document, const checkpoint::TensorEntry& entry);
/// The values of a tensor. Must hold: `tensor` is one of the document's.
/// Errors: it has none (meta, or its shard is missing); the archive member is damaged.
base::Result<checkpoint::ElementSource> element_source(checkpoint::Checkpoint& document, std::uint32_t tensor);
/// Must hold: `key.subject` is a tensor of the document. Cost: reads an archive member's local header on the first use.
live::Bytes tensor_facts(const AnswerKey& key, checkpoint::Checkpoint& document);

}  // namespace nns::session
