#include "core/ops/flash_tiles.cuh"
#include "core/ops/launch.cuh"

// The gradients of attention of 16-bit floats by tensor cores: those of keys and values by a block a tile of keys,
// those of queries by a block a tile of queries, so that nothing is added up by several blocks. Weights are made again
// from the logarithms of the sums. Source: Dao, FlashAttention-2 (2023), which adds up those of queries atomically.
namespace nns::ops {
namespace {

constexpr int kFlashThreads = 128, kWarps = kFlashThreads / 32;
// The rows that come by, of the other side; and how many times 16 rows a warp has. Source: what was fastest on an H100
// of 8 x 12 x 1024 x 64 and 8 x 6 x 1024 x 128, causal (tests/bench/README.md).
constexpr int others_of(int width) { return width == 64 ? 64 : 32; }
constexpr int kKeyTiles = 1;
constexpr int query_tiles_of(int width) { return width == 64 ? 2 : 1; }

// A block's own tiles of two operands, and two stages of the other side's.
template <class Bits, int width, int own_rows>
struct GradientRooms {
  using Tile = FlashTile<Bits, width>;
  static constexpr int kOthers = others_of(width);
  Tile first{reinterpret_cast<Bits*>(dynamic_room())}, second = first.behind(own_rows);

  static constexpr int kTileBytes = Tile::bytes(2 * own_rows + 4 * kOthers);
  static constexpr std::int64_t kBytes = kTileBytes + 4 * kOthers * static_cast<int>(sizeof(float));
  static_assert(kBytes <= flash_bytes(width));
  __device__ Tile first_other(int stage) const { return second.behind(own_rows + stage * 2 * kOthers); }
  __device__ Tile second_other(int stage) const { return first_other(stage).behind(kOthers); }
  // Of the rows that come by: logarithms of sums times log2(e), and shares.
  __device__ float* log_sums(int stage) const {
    return reinterpret_cast<float*>(dynamic_room() + kTileBytes) + stage * 2 * kOthers;
  }
  __device__ float* shares(int stage) const { return log_sums(stage) + kOthers; }
};

__device__ __forceinline__ float weight_of(float score, float factor, float log_sum) {
  return fast_exp2(score * factor - log_sum);
}

template <class Bits, int width, int row_tiles, bool is_plain, bool drops>
__global__ void __launch_bounds__(kFlashThreads)
    flash_key_value_gradients(const __grid_constant__ AttentionBackwardWork job) {
  constexpr int kWarpRows = 16 * row_tiles, kOwn = kWarps * kWarpRows, kOthers = others_of(width);
  const AttentionWork& work = job.of;
  const GradientRooms<Bits, width, kOwn> rooms;
  const auto key = rooms.first, value = rooms.second;
  const int queries = static_cast<int>(work.queries), keys = static_cast<int>(work.keys);
  const std::int64_t batch = blockIdx.x % work.batches.count;
  const int begin = static_cast<int>(blockIdx.x / work.batches.count) * kOwn;
  std::int64_t offsets[AttentionWork::kOperands];
  work.batches.offsets(batch, offsets);
  const WarpPlace place{static_cast<int>(threadIdx.x) / 32 * kWarpRows};
  const auto* const log_sums = reinterpret_cast<const float*>(work.log_sums) + batch * work.queries;
  const auto* const shares = reinterpret_cast<const float*>(job.shares) + batch * work.queries;
  const auto load = [&](int stage, int first) {
    rooms.first_other(stage).template begin_load<kOthers, kFlashThreads>(work.query, offsets[AttentionWork::kQuery],
                                                                         first, queries, work.width);
    rooms.second_other(stage).template begin_load<kOthers, kFlashThreads>(work.grad, offsets[AttentionWork::kGrad],
                                                                          first, queries, work.value_width);
    const int i = static_cast<int>(threadIdx.x);
    if (i >= kOthers) return;
    // A query that is not there has no weights.
    const bool is_there = first + i < queries;
    rooms.log_sums(stage)[i] = is_there ? log_sums[first + i] * kLog2E : INFINITY;
    rooms.shares(stage)[i] = is_there ? shares[first + i] : 0;
  };

  key.template begin_load<kOwn, kFlashThreads>(work.key, offsets[AttentionWork::kKey], begin, keys, work.width);
  value.template begin_load<kOwn, kFlashThreads>(work.value, offsets[AttentionWork::kValue], begin, keys,
                                                 work.value_width);
  // Queries before these keys do not see them.
  const int start = work.is_causal ? begin : 0;
  if (start < queries) load(0, start);
  WarpProduct<row_tiles, width> key_grad, value_grad;
  key_grad.clear();
  value_grad.clear();
  const float factor = is_plain ? static_cast<float>(work.scale) * kLog2E : 1;
  int stage = 0;
  for (int first = start; first < queries; first += kOthers, stage ^= 1) {
    finish_copies();
    // Also: nobody reads the other stage any more.
    __syncthreads();
    if (first + kOthers < queries) load(stage ^ 1, first + kOthers);
    // None of these queries sees one of the warp's keys.
    if (work.is_causal && first + kOthers <= begin + place.row_in_block) continue;
    const auto query = rooms.first_other(stage), grad = rooms.second_other(stage);
    const float* const sums = rooms.log_sums(stage);
    const float* const parts = rooms.shares(stage);
    WarpProduct<row_tiles, kOthers> weights, slopes;
    weights.clear();
    weights.add_turned(key, place.row_in_block, query);
    const bool is_edge = !is_plain || (work.is_causal && first + 1 < begin + place.row_in_block + kWarpRows);
#pragma unroll
    for (int r = 0; r < row_tiles; ++r) {
#pragma unroll
      for (int n = 0; n < kOthers / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          float& weight = weights.of[r][n][i];
          const int row = place.row(r, i), column = place.column(n, i);
          if constexpr (is_plain) {
            if (is_edge && begin + row > first + column) weight = -INFINITY;
          } else {
            weight = score_of(work, offsets[AttentionWork::kMask], first + column, begin + row, weight) * kLog2E;
          }
          weight = weight_of(weight, factor, sums[column]);
        }
      }
    }
    slopes.clear();
    slopes.add_turned(value, place.row_in_block, grad);
#pragma unroll
    for (int r = 0; r < row_tiles; ++r) {
#pragma unroll
      for (int n = 0; n < kOthers / 8; ++n) {
        const auto slope = [&](int i, float kept) {
          float &weight = weights.of[r][n][i], &part = slopes.of[r][n][i];
          part = weight * (part * kept - parts[place.column(n, i)]);
          weight *= kept;
        };
        drop_of_keys<drops>(work, batch, begin + place.row(r, 0), first + place.column(n, 0), slope);
      }
    }
    value_grad.add(weights, grad);
    key_grad.add(slopes, query);
  }
  finish_copies();
  __syncthreads();

  const auto scale = static_cast<float>(work.scale);
#pragma unroll
  for (int r = 0; r < row_tiles; ++r) {
    const int row = place.row_in_block + r * 16;
    key.put(row, key_grad.of[r], scale, scale);
    value.put(row, value_grad.of[r], 1, 1);
    __syncwarp();
    key.store(row, job.key_grad, offsets[AttentionWork::kKeyGrad], begin + row, keys, work.width);
    value.store(row, job.value_grad, offsets[AttentionWork::kValueGrad], begin + row, keys, work.value_width);
  }
}

template <class Bits, int width, int row_tiles, bool is_plain, bool drops>
__global__ void __launch_bounds__(kFlashThreads)
    flash_query_gradients(const __grid_constant__ AttentionBackwardWork job) {
  constexpr int kWarpRows = 16 * row_tiles, kOwn = kWarps * kWarpRows, kOthers = others_of(width);
  const AttentionWork& work = job.of;
  const GradientRooms<Bits, width, kOwn> rooms;
  const auto query = rooms.first, grad = rooms.second;
  // Of a causal one the last queries see most keys: they begin first.
  const int queries = static_cast<int>(work.queries), keys = static_cast<int>(work.keys);
  const std::int64_t batch = blockIdx.x % work.batches.count;
  const int first = ((queries - 1) / kOwn - static_cast<int>(blockIdx.x / work.batches.count)) * kOwn;
  std::int64_t offsets[AttentionWork::kOperands];
  work.batches.offsets(batch, offsets);
  const WarpPlace place{static_cast<int>(threadIdx.x) / 32 * kWarpRows};
  const auto load = [&](int stage, int begin) {
    rooms.first_other(stage).template begin_load<kOthers, kFlashThreads>(work.key, offsets[AttentionWork::kKey], begin,
                                                                         keys, work.width);
    rooms.second_other(stage).template begin_load<kOthers, kFlashThreads>(work.value, offsets[AttentionWork::kValue],
                                                                          begin, keys, work.value_width);
  };

  query.template begin_load<kOwn, kFlashThreads>(work.query, offsets[AttentionWork::kQuery], first, work.queries,
                                                 work.width);
  grad.template begin_load<kOwn, kFlashThreads>(work.grad, offsets[AttentionWork::kGrad], first, work.queries,
                                                work.value_width);
  const int visible = work.is_causal && first + kOwn < keys ? first + kOwn : keys;
  if (visible > 0) load(0, 0);
  float sums[row_tiles][2], parts[row_tiles][2];
#pragma unroll
  for (int r = 0; r < row_tiles; ++r) {
    for (int half = 0; half < 2; ++half) {
      const int row = first + place.row(r, half * 2);
      const bool is_there = row < queries;
      const std::int64_t at = batch * work.queries + row;
      sums[r][half] = is_there ? reinterpret_cast<const float*>(work.log_sums)[at] * kLog2E : INFINITY;
      parts[r][half] = is_there ? reinterpret_cast<const float*>(job.shares)[at] : 0;
    }
  }
  WarpProduct<row_tiles, width> query_grad;
  query_grad.clear();
  const float factor = is_plain ? static_cast<float>(work.scale) * kLog2E : 1;
  int stage = 0;
  for (int begin = 0; begin < visible; begin += kOthers, stage ^= 1) {
    finish_copies();
    __syncthreads();
    if (begin + kOthers < visible) load(stage ^ 1, begin + kOthers);
    if (work.is_causal && begin >= first + place.row_in_block + kWarpRows) continue;
    const auto key = rooms.first_other(stage), value = rooms.second_other(stage);
    WarpProduct<row_tiles, kOthers> weights, slopes;
    weights.clear();
    weights.add_turned(query, place.row_in_block, key);
    slopes.clear();
    slopes.add_turned(grad, place.row_in_block, value);
    hide_keys<is_plain>(work, offsets[AttentionWork::kMask], place, first, begin, weights);
#pragma unroll
    for (int r = 0; r < row_tiles; ++r) {
#pragma unroll
      for (int n = 0; n < kOthers / 8; ++n) {
        const auto slope = [&](int i, float kept) {
          float& part = slopes.of[r][n][i];
          part = weight_of(weights.of[r][n][i], factor, sums[r][i / 2]) * (part * kept - parts[r][i / 2]);
        };
        drop_of_queries<drops>(work, batch, first + place.row(r, 0), begin + place.column(n, 0), slope);
      }
    }
    query_grad.add(slopes, key);
  }
  finish_copies();
  __syncthreads();

  const auto scale = static_cast<float>(work.scale);
#pragma unroll
  for (int r = 0; r < row_tiles; ++r) {
    const int row = place.row_in_block + r * 16;
    query.put(row, query_grad.of[r], scale, scale);
    __syncwarp();
    query.store(row, job.query_grad, offsets[AttentionWork::kQueryGrad], first + row, queries, work.width);
  }
}

template <class Bits, int width, bool is_plain, bool drops>
void launch(const AttentionBackwardWork& job, StreamHandle stream) {
  constexpr int kQueryTiles = query_tiles_of(width);
  const AttentionWork& work = job.of;
  const auto blocks = [&](std::int64_t rows, int tiles) {
    const std::int64_t own = std::int64_t{16} * kWarps * tiles;
    return blocks_for(work.batches.count * ((rows + own - 1) / own), 1);
  };
  if (work.queries > 0) {
    launch_kernel_with_room(flash_query_gradients<Bits, width, kQueryTiles, is_plain, drops>,
                            blocks(work.queries, kQueryTiles), kFlashThreads,
                            GradientRooms<Bits, width, 16 * kWarps * kQueryTiles>::kBytes, stream, job);
  }
  if (work.keys > 0) {
    launch_kernel_with_room(flash_key_value_gradients<Bits, width, kKeyTiles, is_plain, drops>,
                            blocks(work.keys, kKeyTiles), kFlashThreads,
                            GradientRooms<Bits, width, 16 * kWarps * kKeyTiles>::kBytes, stream, job);
  }
}

}  // namespace

void launch_flash_attention_backward(const AttentionBackwardWork& job, StreamHandle stream) {
  if (job.of.batches.count == 0) return;
  with_flash_kernel(job.of, [&]<class Bits, int width, bool is_plain, bool drops>() {
    launch<Bits, width, is_plain, drops>(job, stream);
  });
}

}  // namespace nns::ops
