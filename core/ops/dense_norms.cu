#include "core/ops/dense_norms.h"

#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"
#include "core/ops/pieces.cuh"

// A warp a row, or a block a row where it is long; a row is read once and stays in registers. The formulas are those of
// layer_norms.cpp.
namespace nns::ops {
namespace {

// Items that a thread keeps at most.
constexpr int kMostKept = 32;
constexpr std::int64_t kOfWarp = 32 * kMostKept, kOfBlock = kLineThreads * kMostKept;

__device__ __forceinline__ float statistic_at(const DeviceNumbers& of, std::int64_t row) {
  return load_float<float>(of.dtype, of.data + row * of.item_bytes);
}
__device__ __forceinline__ void put_statistic(const DeviceNumbers& of, std::int64_t row, float x) {
  if (of.data != nullptr) store_item(of.dtype, of.data + row * of.item_bytes, x);
}

template <class Items, int threads>
__global__ void __launch_bounds__(kLineThreads) dense_norm(const __grid_constant__ LayerNormWork work) {
  constexpr int kIn = Items::kInPiece, kPieces = kMostKept / kIn;
  using Row = Team<threads>;
  __shared__ float room[kLineThreads / 32];
  const int pieces = static_cast<int>(work.length) / kIn;
  const auto length = static_cast<float>(work.length);
  const auto eps = static_cast<float>(work.eps);
  for (std::int64_t row = Row::first_line(); row < work.rows; row += Row::line_step()) {
    const std::int64_t first = row * work.length * Items::kBytes;
    uint4 read[kPieces];
    for (int p = 0; p < kPieces; ++p) {
      const int piece = p * threads + Row::lane();
      read[p] = piece < pieces ? piece_at(work.in.data + first + piece * kPieceBytes) : uint4{0, 0, 0, 0};
    }
    float x[kPieces][kIn];
    float mean = 0;
    for (int p = 0; p < kPieces; ++p) {
      Items::decode(read[p], x[p]);
      float sum = 0;
      for (int k = 0; k < kIn; ++k) sum += x[p][k];
      mean += sum;
    }
    mean = work.mean.data == nullptr ? 0 : Row::combined(mean, room, Plus()) / length;
    float squares = 0;
    for (int p = 0; p < kPieces; ++p) {
      if (p * threads + Row::lane() >= pieces) continue;
      float sum = 0;
      for (int k = 0; k < kIn; ++k) sum += (x[p][k] - mean) * (x[p][k] - mean);
      squares += sum;
    }
    const float rstd = 1 / sqrtf(Row::combined(squares, room, Plus()) / length + eps);
    if (Row::lane() == 0) {
      put_statistic(work.mean, row, mean);
      put_statistic(work.rstd, row, rstd);
    }
    for (int p = 0; p < kPieces; ++p) {
      const int piece = p * threads + Row::lane();
      if (piece >= pieces) continue;
      for (int k = 0; k < kIn; ++k) x[p][k] = (x[p][k] - mean) * rstd;
      float parameter[kIn];
      if (work.weight) {
        load_floats(work.weight.dtype, work.weight.data, piece * kIn, parameter);
        for (int k = 0; k < kIn; ++k) x[p][k] *= parameter[k];
      }
      if (work.bias) {
        load_floats(work.bias.dtype, work.bias.data, piece * kIn, parameter);
        for (int k = 0; k < kIn; ++k) x[p][k] += parameter[k];
      }
      put_piece(work.out.data + first + piece * kPieceBytes, Items::encode(x[p]));
    }
  }
}

// The sums of a block's rows for one piece of the columns of each thread, to `to`.
template <int threads, int in_piece>
__device__ __forceinline__ void put_parts(const float (&sums)[in_piece], int piece, int pieces, float* room,
                                          double* to) {
  if constexpr (threads == kLineThreads) {
    if (piece >= pieces) return;
    for (int k = 0; k < in_piece; ++k) to[piece * in_piece + k] = static_cast<double>(sums[k]);
  } else {
    // Each warp had rows of its own.
    constexpr int kColumns = 32 * in_piece;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    __syncthreads();
    for (int k = 0; k < in_piece; ++k) room[warp * kColumns + k * 32 + lane] = sums[k];
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kColumns; i += kLineThreads) {
      const int column = (piece - lane + i % 32) * in_piece + i / 32;
      if (column >= pieces * in_piece) continue;
      double whole = 0;
      for (int other = 0; other < kLineThreads / 32; ++other) {
        whole += static_cast<double>(room[other * kColumns + i]);
      }
      to[column] = whole;
    }
  }
}

// Each block makes part blockIdx.x of the parameters' gradients.
template <class Items, int threads, int kept>
__global__ void __launch_bounds__(kLineThreads)
    dense_norm_backward(const __grid_constant__ LayerNormBackwardWork work) {
  constexpr int kIn = Items::kInPiece, kPieces = kept / kIn;
  using Row = Team<threads>;
  __shared__ float room[threads == 32 ? kLineThreads * kIn : kLineThreads / 32];
  const int pieces = static_cast<int>(work.length) / kIn;
  const auto length = static_cast<float>(work.length);
  float of_weight[kPieces][kIn] = {}, of_bias[kPieces][kIn] = {};
  for (std::int64_t row = Row::first_line(); row < work.rows; row += Row::line_step()) {
    const std::int64_t first = row * work.length * Items::kBytes;
    uint4 read[kPieces], read_grad[kPieces];
    for (int p = 0; p < kPieces; ++p) {
      const int piece = p * threads + Row::lane();
      const bool is_inside = piece < pieces;
      // Behind the end gradients of 0 change no sum.
      read[p] = is_inside ? piece_at(work.in.data + first + piece * kPieceBytes) : uint4{0, 0, 0, 0};
      read_grad[p] = is_inside ? piece_at(work.grad.data + first + piece * kPieceBytes) : uint4{0, 0, 0, 0};
    }
    const float mean = work.mean.data == nullptr ? 0 : statistic_at(work.mean, row);
    const float rstd = statistic_at(work.rstd, row);
    float sum = 0, sum_normal = 0;
    for (int p = 0; p < kPieces; ++p) {
      const int piece = p * threads + Row::lane();
      float x[kIn], grad[kIn], weight[kIn];
      Items::decode(read[p], x);
      Items::decode(read_grad[p], grad);
      for (int k = 0; k < kIn; ++k) weight[k] = 1;
      if (work.weight && piece < pieces) load_floats(work.weight.dtype, work.weight.data, piece * kIn, weight);
      for (int k = 0; k < kIn; ++k) {
        const float normal = (x[k] - mean) * rstd, weighted = grad[k] * weight[k];
        sum += weighted;
        sum_normal += weighted * normal;
        of_weight[p][k] += grad[k] * normal;
        of_bias[p][k] += grad[k];
      }
    }
    const float a = work.mean.data == nullptr ? 0 : Row::combined(sum, room, Plus()) / length;
    const float b = Row::combined(sum_normal, room, Plus()) / length;
    for (int p = 0; p < kPieces; ++p) {
      const int piece = p * threads + Row::lane();
      if (piece >= pieces) continue;
      float x[kIn], grad[kIn], weight[kIn];
      Items::decode(read[p], x);
      Items::decode(read_grad[p], grad);
      for (int k = 0; k < kIn; ++k) weight[k] = 1;
      if (work.weight) load_floats(work.weight.dtype, work.weight.data, piece * kIn, weight);
      for (int k = 0; k < kIn; ++k) x[k] = rstd * (grad[k] * weight[k] - a - (x[k] - mean) * rstd * b);
      put_piece(work.in_grad.data + first + piece * kPieceBytes, Items::encode(x));
    }
  }
  double* const to = work.parts + 2 * static_cast<std::int64_t>(blockIdx.x) * work.length;
  for (int p = 0; p < kPieces; ++p) {
    const int piece = p * threads + Row::lane();
    put_parts<threads>(of_weight[p], piece, pieces, room, to);
    put_parts<threads>(of_bias[p], piece, pieces, room, to + work.length);
  }
}

bool takes(const DeviceNumbers& of, std::int64_t length) {
  return !of || (is_piece_aligned(of.data) && (of.item_bytes == 4 || of.item_bytes == 2) &&
                 length * of.item_bytes % kPieceBytes == 0);
}
bool takes_length(std::int64_t length) { return length > 0 && length <= kOfBlock; }

}  // namespace

bool takes_dense_norm(const LayerNormWork& work) {
  const std::int64_t length = work.length;
  return takes_length(length) && takes(work.in, length) && takes(work.weight, length) && takes(work.bias, length) &&
         takes(work.out, length) && work.in.dtype == work.out.dtype;
}
bool takes_dense_norm(const LayerNormBackwardWork& work) {
  const std::int64_t length = work.length;
  return takes_length(length) && takes(work.in, length) && takes(work.weight, length) && takes(work.grad, length) &&
         takes(work.in_grad, length) && work.in.dtype == work.grad.dtype && work.in.dtype == work.in_grad.dtype;
}

void launch_dense_norm(const LayerNormWork& work, StreamHandle stream) {
  with_items(work.in.dtype, [&]<class Items>(Items) {
    if (work.length <= kOfWarp)
      launch_kernel(dense_norm<Items, 32>, blocks_for(work.rows, kLineThreads / 32), kLineThreads, stream, work);
    else
      launch_kernel(dense_norm<Items, kLineThreads>, blocks_for(work.rows, 1), kLineThreads, stream, work);
  });
}

namespace {

template <class Items, int threads>
void launch_backward(const LayerNormBackwardWork& work, StreamHandle stream) {
  // As few registers as the rows need.
  const std::int64_t kept = (work.length + threads - 1) / threads;
  launch_kernel(kept <= 8    ? dense_norm_backward<Items, threads, 8>
                : kept <= 16 ? dense_norm_backward<Items, threads, 16>
                : kept <= 24 ? dense_norm_backward<Items, threads, 24>
                             : dense_norm_backward<Items, threads, kMostKept>,
                work.part_count, kLineThreads, stream, work);
}

}  // namespace

void launch_dense_norm_backward(const LayerNormBackwardWork& work, StreamHandle stream) {
  with_items(work.in.dtype, [&]<class Items>(Items) {
    if (work.length <= kOfWarp)
      launch_backward<Items, 32>(work, stream);
    else
      launch_backward<Items, kLineThreads>(work, stream);
  });
}

}  // namespace nns::ops
