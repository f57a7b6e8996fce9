#include "core/ops/flash_tiles.cuh"
#include "core/ops/launch.cuh"

// scaled_dot_product_attention of 16-bit floats by tensor cores: scores and weights stay in registers, a warp has 32
// queries. Source: Dao, FlashAttention-2 (2023).
namespace nns::ops {
namespace {

constexpr int kFlashThreads = 128, kRowTiles = 2, kWarpRows = 16 * kRowTiles, kQueries = kFlashThreads / 32 * kWarpRows;
constexpr int kKeys = 64;

// The rows of a warp: running maxima and sums. A thread has its columns of rows lane / 4 and those 8 further down.
struct RunningRows {
  float largest[kRowTiles][2];
  float totals[kRowTiles][2];

  __device__ RunningRows() {
    for (int r = 0; r < kRowTiles; ++r) {
      for (int half = 0; half < 2; ++half) {
        largest[r][half] = -INFINITY;
        totals[r][half] = 0;
      }
    }
  }
  // Scores become weights, and what was summed before shrinks. `factor`: what makes powers of 2 of scores; above 0.
  template <int width>
  __device__ __forceinline__ void weigh(WarpProduct<kRowTiles, kKeys>& scores, WarpProduct<kRowTiles, width>& sums,
                                        float factor) {
#pragma unroll
    for (int r = 0; r < kRowTiles; ++r) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float peak = largest[r][half];
#pragma unroll
        for (int n = 0; n < kKeys / 8; ++n) {
          peak = fmaxf(peak, fmaxf(scores.of[r][n][half * 2], scores.of[r][n][half * 2 + 1]));
        }
        peak = fmaxf(peak, __shfl_xor_sync(0xFFFFFFFFU, peak, 1));
        peak = fmaxf(peak, __shfl_xor_sync(0xFFFFFFFFU, peak, 2));
        // Of a row that has seen nothing yet, all weights are 0.
        const float base = peak == -INFINITY ? 0 : peak * factor;
        const float shrink = fast_exp2(largest[r][half] * factor - base);
        largest[r][half] = peak;
        float sum = 0;
#pragma unroll
        for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
          for (int i = half * 2; i < half * 2 + 2; ++i) {
            float& score = scores.of[r][n][i];
            score = fast_exp2(score * factor - base);
            sum += score;
          }
        }
        totals[r][half] = totals[r][half] * shrink + sum;
#pragma unroll
        for (int n = 0; n < width / 8; ++n) {
          sums.of[r][n][half * 2] *= shrink;
          sums.of[r][n][half * 2 + 1] *= shrink;
        }
      }
    }
  }
};

// `is_plain`, `drops`: see with_flash_kernel().
template <class Bits, int width, bool is_plain, bool drops>
__global__ void __launch_bounds__(kFlashThreads) flash_attention_kernel(const __grid_constant__ AttentionWork work) {
  using Tile = FlashTile<Bits, width>;
  // Behind the queries two stages of keys and values.
  const Tile query{reinterpret_cast<Bits*>(dynamic_room())}, others = query.behind(kQueries);
  const int queries = static_cast<int>(work.queries), key_count = static_cast<int>(work.keys);
  // Of a causal one the last queries see most keys: they begin first.
  const std::int64_t batch = blockIdx.x % work.batches.count;
  const int first = ((queries - 1) / kQueries - static_cast<int>(blockIdx.x / work.batches.count)) * kQueries;
  std::int64_t offsets[AttentionWork::kOperands];
  work.batches.offsets(batch, offsets);
  const WarpPlace place{static_cast<int>(threadIdx.x) / 32 * kWarpRows};
  const int row = place.row_in_block;
  const auto load = [&](int stage, int begin) {
    const Tile keys = others.behind(stage * 2 * kKeys);
    keys.template begin_load<kKeys, kFlashThreads>(work.key, offsets[AttentionWork::kKey], begin, key_count,
                                                   work.width);
    keys.behind(kKeys).template begin_load<kKeys, kFlashThreads>(work.value, offsets[AttentionWork::kValue], begin,
                                                                 key_count, work.value_width);
  };

  query.template begin_load<kQueries, kFlashThreads>(work.query, offsets[AttentionWork::kQuery], first, queries,
                                                     work.width);
  const int visible = work.is_causal && first + kQueries < key_count ? first + kQueries : key_count;
  if (visible > 0) load(0, 0);
  WarpProduct<kRowTiles, width> sums;
  sums.clear();
  RunningRows rows;
  const float factor = is_plain ? static_cast<float>(work.scale) * kLog2E : 1;
  int stage = 0;
  for (int begin = 0; begin < visible; begin += kKeys, stage ^= 1) {
    finish_copies();
    // Also: nobody reads the other stage any more.
    __syncthreads();
    if (begin + kKeys < visible) load(stage ^ 1, begin + kKeys);
    // These queries see none of the keys.
    if (work.is_causal && begin >= first + row + kWarpRows) continue;
    const Tile keys = others.behind(stage * 2 * kKeys);
    WarpProduct<kRowTiles, kKeys> scores;
    scores.clear();
    scores.add_turned(query, row, keys);
    hide_keys<is_plain>(work, offsets[AttentionWork::kMask], place, first, begin, scores);
    rows.weigh(scores, sums, factor);
    if constexpr (drops) {
#pragma unroll
      for (int r = 0; r < kRowTiles; ++r) {
#pragma unroll
        for (int n = 0; n < kKeys / 8; ++n) {
          drop_of_queries<true>(work, batch, first + place.row(r, 0), begin + place.column(n, 0),
                                [&](int i, float kept) { scores.of[r][n][i] *= kept; });
        }
      }
    }
    sums.add(scores, keys.behind(kKeys));
  }
  finish_copies();
  __syncthreads();

#pragma unroll
  for (int r = 0; r < kRowTiles; ++r) {
    float inverses[2];
    for (int half = 0; half < 2; ++half) {
      float total = rows.totals[r][half];
      total += __shfl_xor_sync(0xFFFFFFFFU, total, 1);
      total += __shfl_xor_sync(0xFFFFFFFFU, total, 2);
      // A query that sees nothing gets zeros.
      inverses[half] = total > 0 ? 1 / total : total != total ? total : 0;
      const int at = first + place.row(r, half * 2);
      if (place.lane % 4 == 0 && at < queries) {
        reinterpret_cast<float*>(work.log_sums)[batch * work.queries + at] =
            total == 0 ? INFINITY : rows.largest[r][half] * factor * kLn2 + logf(total);
      }
    }
    query.put(row + r * 16, sums.of[r], inverses[0], inverses[1]);
    __syncwarp();
    query.store(row + r * 16, work.out, offsets[AttentionWork::kOut], first + row + r * 16, queries, work.value_width);
  }
}

}  // namespace

void launch_flash_attention(const AttentionWork& work, StreamHandle stream) {
  const std::int64_t blocks = work.batches.count * ((work.queries + kQueries - 1) / kQueries);
  with_flash_kernel(work, [&]<class Bits, int width, bool is_plain, bool drops>() {
    constexpr int kBytes = FlashTile<Bits, width>::bytes(kQueries + 4 * kKeys);
    static_assert(kBytes <= flash_bytes(width));
    launch_kernel_with_room(flash_attention_kernel<Bits, width, is_plain, drops>, blocks_for(blocks, 1), kFlashThreads,
                            kBytes, stream, work);
  });
}

}  // namespace nns::ops
