#pragma once

#include <memory>

#include "core/checkpoint/checkpoint.h"
#include "core/session/jobs.h"

namespace nns::session {

/// Two open documents.
struct DocumentPair {
  std::uint32_t id_a = 0;
  checkpoint::Checkpoint* a = nullptr;
  std::uint32_t id_b = 0;
  checkpoint::Checkpoint* b = nullptr;
};

/// Compares them as the command says: sends DiffRows, then DiffValues. Errors: as diff::check_parts(). Lifetime: ends
/// before the documents do.
base::Result<std::unique_ptr<Job>> make_diff_job(const live::wire::RequestDiff& command, const DocumentPair& documents);

/// Sends HeatTile messages of the difference. Errors: a tensor without values, or two that cannot be subtracted.
/// Must hold: the tensors are the documents'.
base::Result<std::unique_ptr<Job>> make_diff_tile_job(const live::wire::RequestDiffTile& command,
                                                      const DocumentPair& documents);

}  // namespace nns::session
