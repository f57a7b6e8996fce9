#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "core/diff/structure.h"
#include "core/diff/values.h"
#include "native/cli/document.h"
#include "native/cli/json_writer.h"
#include "native/cli/terminal.h"

namespace nns::cli {

/// Two documents and what differs between them.
struct Comparison {
  std::string input_a;
  std::string input_b;
  std::string part_a;  ///< the module or tensor of A that is compared; empty: all
  std::string part_b;
  Document a;
  Document b;
  diff::Structure structure;
  bool with_values = false;
  bool is_complete = true;              ///< false: stopped before all values were compared
  std::vector<diff::RowValues> values;  ///< in the order of the rows
  std::uint64_t bytes_to_read = 0;      ///< that a comparison of all values reads, of both files

  /// Rows that differ, or could not be compared: most changed first.
  std::vector<std::uint32_t> changed_rows() const;
  /// Null where they are not known.
  const diff::RowValues* values_of(std::uint32_t row) const;
  std::uint64_t count(diff::ValueState state) const;
  /// Tensors of which something could not be compared that was asked for.
  std::uint64_t unknown() const;
  bool is_equal() const { return structure.is_equal() && count(diff::ValueState::Different) == 0; }
};

/// For a person: one line of numbers, what stands in front of names, a table of what differs.
void print_comparison(std::FILE* out, const Comparison& comparison, const Terminal& terminal);

/// An object with the keys a, b (each: input, format, tensors, part if only that is compared), equal, values_compared,
/// complete, counts, prefixes (each: a, b, tensors, places), metadata (entries that differ, each: status "added",
/// "removed" or "changed", key, a and b, null where it is not there; equal does not ask for them, because every
/// torch.save writes another id) and changes, most changed first; each of those: status (a list of "added", "removed",
/// "renamed", "moved", "shape", "dtype", "class", "value", "values", "unknown"), a and b (names, null where it is not
/// there), shape_a, shape_b, dtype_a, dtype_b of tensors, class_a, class_b or value_a, value_b of what is no tensor,
/// and, where values were compared, count, changed, max_abs, max_at, mean_abs, relative, cosine, nan_a, nan_b,
/// nan_both, infinite (core/diff/tensor_difference.h says what they are), or problem.
void write_comparison(JsonWriter& json, const Comparison& comparison);

}  // namespace nns::cli
