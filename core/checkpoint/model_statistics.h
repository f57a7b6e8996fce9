#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/elements.h"
#include "core/checkpoint/statistics.h"

namespace nns::checkpoint {

/// Whether values of the tensor can be read: not on meta, not in a file that is missing.
bool has_values(const Checkpoint& document, const TensorEntry& entry);
/// The values of a tensor. Must hold: `tensor` is one of the document's.
/// Errors: it has none (meta, or its shard is missing); the archive member is damaged.
base::Result<ElementSource> element_source(Checkpoint& document, std::uint32_t tensor);

/// What was found of one tensor.
struct TensorReport {
  std::uint32_t tensor = 0;
  std::optional<TensorStatistics> statistics;  ///< without histogram and quantiles; none: it has no values
  std::optional<base::Error> problem;          ///< its values could not be read
};

/// A resumable computation over all values of all tensors from `first` on, or of those of a list, in the file's order,
/// which is mostly the order of the bytes. A tensor that cannot be read is reported and left behind.
/// Must hold: the document stays open.
class ModelStatisticsTask {
 public:
  ModelStatisticsTask(Checkpoint& document, std::uint32_t first);
  ModelStatisticsTask(Checkpoint& document, std::vector<std::uint32_t> tensors);
  /// True when all are done.
  bool step(const base::Budget& budget);
  /// The reports that were not taken yet, in the file's order.
  std::vector<TensorReport> take();
  /// Units: bytes of tensors.
  std::uint64_t done() const;
  std::uint64_t total() const { return total_; }

 private:
  void begin_tensor();
  void end_tensor(std::optional<base::Error> problem);

  Checkpoint& document_;
  std::vector<std::uint32_t> tensors_;
  std::size_t at_ = 0;  // in tensors_
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  std::optional<StatisticsTask> task_;
  std::vector<TensorReport> reports_;
};

}  // namespace nns::checkpoint
