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
#include "ui/model/filtered_rows.h"

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

  /// Only what is shown here is told; none: everything.
  std::optional<model::FilteredRows> filter;
  std::string query;  ///< of the filter, as it was typed

  bool is_shown(std::uint32_t row) const { return !filter || filter->is_shown(row); }
  /// Of what is told in the row: of a filtered document, what matches there.
  std::uint64_t parameters(std::uint32_t row) const {
    return filter ? filter->parameters[row] : checkpoint->tree.parameters[row];
  }
  std::uint64_t bytes(std::uint32_t row) const { return filter ? filter->bytes[row] : checkpoint->tree.bytes[row]; }
  /// The tensors that are told, in the file's order.
  std::vector<std::uint32_t> shown_tensors() const;
  /// The same of the metadata's entries.
  std::vector<std::uint32_t> shown_metadata() const;
};

/// Opens a path, a folder or a web address as a file to read. Errors: as host::open_path() and host::open_url().
base::Result<host::OpenedFile> open_input(const std::string& input, const std::shared_ptr<host::HttpClient>& client);

/// Reads the header of what `input` names. Errors: as open_input() and checkpoint::open_checkpoint().
base::Result<Document> read_document(const std::string& input, const std::shared_ptr<host::HttpClient>& client,
                                     const Terminal& terminal);

/// From now on only what the explorer's search finds for `query` is told. Errors: as model::filter_rows(); a document
/// that is too large for a message (2 GiB).
base::Result<void> filter_document(Document& document, const std::string& query);

/// Reads all values of all tensors that are told.
void read_statistics(Document& document, const std::string& input, const Terminal& terminal);

}  // namespace nns::cli
