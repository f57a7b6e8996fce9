#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/elements.h"
#include "core/checkpoint/heat_tile.h"
#include "core/checkpoint/model_statistics.h"
#include "core/checkpoint/statistics.h"
#include "core/checkpoint/tensor_file.h"
#include "core/lesson/lesson.h"
#include "core/live/message.h"
#include "core/session/running_program.h"
#include "core/session/samples.h"
#include "core/session/source_check.h"

/// The messages that a host sends, ready for Endpoint::send().
namespace nns::session {

/// Which request an answer belongs to, and what it is about.
struct AnswerKey {
  std::uint64_t request = 0;
  std::uint32_t document = 0;
  std::uint32_t subject = 0;  ///< row or tensor
};

live::Bytes hello(std::span<const Sample> samples);
live::Bytes job_progress(std::uint64_t request, std::string_view text, std::uint64_t done, std::uint64_t total,
                         bool is_held = false);
live::Bytes job_finished(std::uint64_t request);
live::Bytes job_cancelled(std::uint64_t request);
live::Bytes job_failed(std::uint64_t request, const base::Error& error);
live::Bytes document_closed(std::uint32_t document);

live::Bytes object_details(const AnswerKey& key, const checkpoint::ObjectDescription& description);
live::Bytes tensor_statistics(const AnswerKey& key, const checkpoint::TensorStatistics& statistics);
live::Bytes view_statistics(const AnswerKey& key, const checkpoint::TensorStatistics& statistics);
/// Value number `at` in row-major order, or nothing.
live::Bytes value_found(const AnswerKey& key, std::optional<std::uint64_t> at);
/// `text` holds the values of the region one after the other; `offsets` says where each begins and the last one ends.
live::Bytes values(const AnswerKey& key, const checkpoint::HeatRegion& region, std::string_view text,
                   std::span<const std::uint32_t> offsets);
live::Bytes model_statistics(const AnswerKey& key, std::span<const live::wire::TensorNumbers> tensors);
/// `size` is of the whole matrix.
/// `for_file`: with the means only.
live::Bytes heat_tile(const AnswerKey& key, const checkpoint::HeatTile& tile, const checkpoint::MatrixSize& size,
                      bool for_file);
live::Bytes tensor_file_piece(const AnswerKey& key, const checkpoint::TensorPiece& piece);

live::Bytes program_output(std::uint32_t document, const ProgramOutput& output);
/// `code`: for a link.
live::Bytes source_looks(std::uint64_t request, const SourceFindings& findings, std::string_view code);
live::Bytes program_source(std::uint32_t document, std::string_view name, std::string_view text);
live::Bytes lesson_message(std::uint32_t document, const lesson::Lesson& lesson);
live::Bytes completions(std::uint64_t request, std::uint32_t document, const RunningProgram::Completions& found);

using checkpoint::element_source;
using checkpoint::has_values;
/// Must hold: `key.subject` is a tensor of the document. Cost: reads an archive member's local header on the first use.
live::Bytes tensor_facts(const AnswerKey& key, checkpoint::Checkpoint& document);

}  // namespace nns::session
