#pragma once

#include "core/ops/cuda_elements.h"
#include "core/ops/sorting_work.h"

// The kernels of the ops that are no elementwise ones. Each queues its work; what went wrong in a launch,
// cudaGetLastError() tells. Not for callers of ops.
namespace nns::ops {

/// Numbers that a kernel reads or writes: dense, in order, of any floating dtype.
struct DeviceNumbers {
  std::byte* data = nullptr;
  tensor::DType dtype = tensor::DType::Float32;
  /// Of `dtype`: a kernel cannot read the host's table of dtypes.
  std::int64_t item_bytes = 4;
  constexpr explicit operator bool() const { return data != nullptr; }
};

/// What a kernel may say to the host: zero, or the first thing that was wrong in what it read. Read by the host after
/// it waited for the stream.
enum class DeviceComplaint : int { None, EmbeddingIndex, LossTarget, Index };

// ---------------------------------------------------------------- reductions.cu

enum class ReductionKind : std::uint8_t { Sum, Product, Largest, Smallest, Norm, Any, All, Count, Variance, LogSumExp };

/// Items one by one, of results whose items lie side by side 16 bytes at a time, or of sums side by side such pieces.
enum class ReductionRoute : std::uint8_t { Items, Lines, Columns };

/// One result for each item of `kept`, made of all items of `gone` behind it. Operand 0 of both is the input; operand 1
/// of `kept` numbers the results in bytes of one, so that they are dense.
struct ReductionWork {
  ReductionKind kind = ReductionKind::Sum;
  /// The type that items are read as: Float, Double, Int64 or Bool.
  Compute compute = Compute::Float;
  WalkPlan<1> kept, gone;
  const std::byte* in = nullptr;
  tensor::DType in_dtype = tensor::DType::Float32;
  std::int64_t in_bytes = 4;
  /// Either may be null: the reduced numbers, and of extremes the place among the items as int64.
  std::byte* out = nullptr;
  tensor::DType out_dtype = tensor::DType::Float32;
  std::int64_t out_bytes = 0;
  std::int64_t* places = nullptr;
  /// Sum: a factor. Norm: p. Variance: the correction, and whether the root is wanted.
  double setting = 1;
  bool is_root = false;
  /// By plan_reduction().
  ReductionRoute route = ReductionRoute::Items;
  ReductionLanes lanes;
  std::int64_t result_count = 0;
  /// Room for lanes.parts partial results of each result: kReductionPartBytes each.
  std::byte* parts = nullptr;
};
/// Bytes of one partial result, for any kind.
inline constexpr std::int64_t kReductionPartBytes = 32;
/// Chooses how threads share the items, of all that is known by then. `processors`: of the device.
void plan_reduction(ReductionWork& work, std::int64_t processors);
void launch_reduction(const ReductionWork& work, StreamHandle stream);

// ---------------------------------------------------------------- softmax.cu

/// softmax or log_softmax of `lines.count` lines of `length` items. Operand 0 of `lines` is the input, 1 the output.
struct SoftmaxWork {
  WalkPlan<2> lines;
  std::int64_t length = 0;
  /// Units: bytes.
  std::int64_t in_stride = 0, out_stride = 0;
  DeviceNumbers in, out;
  bool is_log = false;
  bool in_double = false;
};
void launch_softmax(const SoftmaxWork& work, StreamHandle stream);

// ---------------------------------------------------------------- layer_norms.cu

/// Dense rows, each normalized by itself. `weight` and `bias` may be none.
struct LayerNormWork {
  std::int64_t rows = 0, length = 0;
  DeviceNumbers in, weight, bias, out, mean, rstd;
  double eps = 0;
  bool in_double = false;
};
void launch_layer_norm(const LayerNormWork& work, StreamHandle stream);

/// Gradients of input, weight and bias. `parts`: room for 2 * part_count * length numbers.
struct LayerNormBackwardWork {
  std::int64_t rows = 0, length = 0;
  DeviceNumbers grad, in, mean, rstd, weight, in_grad, weight_grad, bias_grad;
  double* parts = nullptr;
  std::uint32_t part_count = 1;
  bool in_double = false;
};
/// In how many parts the rows are shared for the sums over them. `processors`: of the device.
constexpr std::uint32_t layer_norm_parts(std::int64_t rows, std::int64_t length, std::int64_t processors) {
  // Short rows are eight a block; of what keeps few items a thread, more blocks run at once.
  const bool is_short = length <= 1024;
  const std::int64_t wanted = is_short ? (rows + 7) / 8 : rows;
  const std::int64_t most = processors * (length <= (is_short ? 256 : 2048) ? 4 : 2);
  return static_cast<std::uint32_t>(wanted < 1 ? 1 : wanted > most ? most : wanted);
}
void launch_layer_norm_backward(const LayerNormBackwardWork& work, StreamHandle stream);

// ---------------------------------------------------------------- embedding.cu

/// out[i] = table[indices[i]]: rows of `row_bytes` bytes. A row that is not there gives zeros and a complaint.
struct EmbeddingWork {
  const std::byte* table = nullptr;
  const std::byte* indices = nullptr;
  tensor::DType index_dtype = tensor::DType::Int64;
  std::byte* out = nullptr;
  std::int64_t count = 0, table_rows = 0, row_bytes = 0;
  int* complaint = nullptr;
};
void launch_embedding(const EmbeddingWork& work, StreamHandle stream);

/// sums[r] = sum of grad[i] where indices[i] is r, in the order of i: the same on every run.
struct EmbeddingBackwardWork {
  DeviceNumbers grad, sums;
  /// The indices sorted by these keys.
  SortKeys keys;
  SortPairs sorted;
  std::int64_t count = 0, table_rows = 0, width = 0;
  /// -1: none.
  std::int64_t padding = -1;
  bool by_frequency = false;
  bool in_double = false;
};
void launch_embedding_backward(const EmbeddingBackwardWork& work, StreamHandle stream);

/// out[b] = what the rows of a bag give: of indices[k] for k from offsets[b] to offsets[b + 1].
struct EmbeddingBagWork {
  enum class Mode : int { Sum, Mean, Max };
  Mode mode = Mode::Sum;
  /// Dense; `scale` may be none.
  DeviceNumbers table, scale, out;
  const std::byte* indices = nullptr;
  const std::byte* offsets = nullptr;
  tensor::DType index_dtype = tensor::DType::Int64, offset_dtype = tensor::DType::Int64;
  std::int64_t count = 0, bags = 0, offset_count = 0, table_rows = 0, width = 0;
  /// -1: none.
  std::int64_t padding = -1;
  /// The bag of each index, how many rows each bag has, and of Max which row an item is of.
  std::int64_t* bag_of = nullptr;
  std::int64_t* sizes = nullptr;
  std::int64_t* rows = nullptr;
  int* complaint = nullptr;
  bool in_double = false;
};
void launch_embedding_bag(const EmbeddingBagWork& work, StreamHandle stream);

// ---------------------------------------------------------------- class_losses.cu

/// nll_loss and cross_entropy: (batch, classes, inner) of the input, (batch, inner) of the targets.
struct ClassLossWork {
  std::int64_t batch = 0, classes = 0, inner = 1;
  DeviceNumbers in, weight;
  const std::byte* targets = nullptr;
  tensor::DType target_dtype = tensor::DType::Int64;
  std::int64_t ignored = -100;
  double smoothing = 0;
  /// 0: none, 1: mean, 2: sum.
  int reduction = 1;
  /// Whether the input is made into logarithms of probabilities first.
  bool has_softmax = false;
  DeviceNumbers loss, total, log_sums;
  /// Room for 2 numbers a sample: its loss and its weight.
  double* each = nullptr;
  int* complaint = nullptr;
  bool in_double = false;
  constexpr std::int64_t samples() const { return batch * inner; }
};
void launch_class_loss(const ClassLossWork& work, StreamHandle stream);

/// The gradient of the input. Of has_softmax: of cross_entropy, with `log_sums` and `grad`; else the shares that
/// class_loss_shares gives, for a gradient of 1.
struct ClassLossBackwardWork {
  ClassLossWork of;
  DeviceNumbers grad, out;
};
void launch_class_loss_backward(const ClassLossBackwardWork& work, StreamHandle stream);

}  // namespace nns::ops
