#pragma once

#include <vector>

#include "core/nn/functional.h"

namespace nns::nn {

/// Sequences of different lengths without the padding: the rows of all steps one after another.
/// Behaviour: torch/nn/utils/rnn.py, class PackedSequence: a tuple of four.
struct PackedSequence {
  /// (sum of the lengths, ...).
  Value data;
  /// How many sequences each step has; int64 on the CPU.
  Value batch_sizes;
  /// Where each sequence stood before they were sorted by length, and the way back; or None.
  Value sorted_indices, unsorted_indices;

  /// What `value` holds, if it is a packed sequence.
  static std::optional<PackedSequence> of(Interpreter& interpreter, const Value& value);
  /// As an object.
  Value value(Interpreter& interpreter) const;
  std::vector<std::int64_t> sizes() const;
};

/// The items of a tensor of whole numbers.
std::vector<std::int64_t> whole_items(const Tensor& tensor);
/// Lengths given as a tensor or as a sequence of ints. Errors: TypeError  an item is no int.
PyResult<std::vector<std::int64_t>> lengths_of(Interpreter& in, const Value& given);
/// `x` with its rows (along `dim`) in the order of `indices`; as it is where that is None.
ops::Term reordered(const ops::Term& x, int dim, const Value& indices);

/// torch.nn.utils.rnn.<name>: PackedSequence, pack_padded_sequence, pad_packed_sequence, pad_sequence, unpad_sequence,
/// pack_sequence, unpack_sequence, invert_permutation; Absent where there is none.
Value rnn_utility(Interpreter& interpreter, std::string_view name);

}  // namespace nns::nn
