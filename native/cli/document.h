#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/statistics.h"
#include "native/cli/terminal.h"
#include "native/host/folder_files.h"
#include "native/host/http_client.h"

namespace nns::cli {

/// An opened checkpoint with what the reports say beyond it.
struct Document {
  std::unique_ptr<checkpoint::Checkpoint> checkpoint;
  /// One a tensor if they were asked for, else empty. nullopt: its values cannot be read.
  std::vector<std::optional<checkpoint::TensorStatistics>> statistics;
  /// What went wrong while values were read, for standard error.
  std::vector<std::string> problems;

  /// Tensors of each storage, in the file's order; by Storage's number.
  std::vector<std::vector<std::uint32_t>> storage_tensors;
};

/// Opens a path, a folder or a web address as a file to read. Errors: as host::open_path() and host::open_url().
base::Result<host::OpenedFile> open_input(const std::string& input, const std::shared_ptr<host::HttpClient>& client);

/// Reads the header of what `input` names, and with `with_statistics` all values of all tensors.
/// Errors: as open_input() and checkpoint::open_checkpoint().
base::Result<Document> read_document(const std::string& input, const std::shared_ptr<host::HttpClient>& client,
                                     bool with_statistics, const Terminal& terminal);

}  // namespace nns::cli
