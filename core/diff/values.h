#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/diff/structure.h"
#include "core/diff/tensor_difference.h"

namespace nns::diff {

/// What is known of the values of a row whose tensors have the same shape.
enum class ValueState : std::uint8_t {
  Unknown,  ///< not compared yet
  Equal,    ///< every value is the same
  Different,
  Unreadable,  ///< one side has no values (meta, a missing shard, a format that cannot be decoded), or reading failed
};

struct RowValues {
  std::uint32_t row = 0;  ///< of Structure
  ValueState state = ValueState::Unknown;
  TensorDifference difference;
  std::string problem;  ///< why it is Unreadable, else empty
};

/// Rows of a Structure, from `first` up to `last`.
struct RowRange {
  std::uint32_t first = 0;
  std::uint32_t last = kNoEnd;
  static constexpr std::uint32_t kNoEnd = checkpoint::kNone;
};

/// A resumable comparison of the values of all rows that have tensors of the same shape on both sides, in the order of
/// the rows. Tensors that share the same pair of storages are compared once. Lifetime: the documents must outlive it.
class ValuesTask {
 public:
  ValuesTask(checkpoint::Checkpoint& a, checkpoint::Checkpoint& b, const Structure& structure, RowRange rows = {});
  ~ValuesTask();
  /// True when done. A tensor that cannot be read is a result like others.
  bool step(const base::Budget& budget);
  /// What was finished since the last call.
  std::vector<RowValues> take_finished();
  /// The row from which another task would go on.
  std::uint32_t next_row() const;
  /// Units: bytes of both files.
  std::uint64_t done() const;
  std::uint64_t total() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The values of a tensor of `file`. Must hold: `tensor` is one of the document's.
/// Errors: it has none, or they cannot be decoded.
base::Result<checkpoint::ElementSource> element_source(checkpoint::Checkpoint& file, std::uint32_t tensor);

/// How far the row is changed, for sorting: larger is more. First what is added or removed, then other shapes, then
/// values by their relative difference, then other dtypes, names and the rest.
double change_rank(const Structure& structure, std::uint32_t row, ValueState state, const TensorDifference& difference);

}  // namespace nns::diff
