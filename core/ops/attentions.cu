#include "core/ops/attention_tiles.cuh"
#include "core/ops/launch.cuh"

// scaled_dot_product_attention, a block a tile of queries: a running maximum and sum a row.
// Behaviour: attention.cpp. The tiles: Dao, FlashAttention-2 (2023).
namespace nns::ops {
namespace {

template <class Item>
__global__ void __launch_bounds__(kLineThreads) attention_kernel(const __grid_constant__ AttentionWork work) {
  using Number = typename TileItem<Item>::Number;
  constexpr Number kNothing = -INFINITY;
  const AttentionTiles& tiles = work.tiles;
  const int rows = tiles.rows, step = tiles.step(), value_step = tiles.value_step(), score_step = tiles.score_step();
  RoomForTiles room{dynamic_room()};
  Number* const sums = room.take<Number>(rows * value_step);
  Number* const scores = room.take<Number>(rows * score_step);
  Item* const query = room.take<Item>(rows * step);
  Item* const key = room.take<Item>(rows * step);
  Item* const value = room.take<Item>(rows * value_step);
  Item* const weights = room.take<Item>(rows * score_step);
  Number* const largest = room.take<Number>(rows);
  Number* const totals = room.take<Number>(rows);
  const std::int64_t batch = blockIdx.x / work.query_tiles(), tile = blockIdx.x - batch * work.query_tiles();
  const std::int64_t first = tile * rows;
  std::int64_t offsets[AttentionWork::kOperands];
  work.batches.offsets(batch, offsets);
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;

  load_tile(query, step, rows, tiles.width, work.query, offsets[AttentionWork::kQuery], first, work.queries,
            work.width);
  for (int i = static_cast<int>(threadIdx.x); i < rows * value_step; i += kLineThreads) sums[i] = 0;
  for (int i = static_cast<int>(threadIdx.x); i < rows; i += kLineThreads) {
    largest[i] = kNothing;
    totals[i] = 0;
  }
  const std::int64_t visible = work.is_causal && first + rows < work.keys ? first + rows : work.keys;
  for (std::int64_t begin = 0; begin < visible; begin += rows) {
    load_tile(key, step, rows, tiles.width, work.key, offsets[AttentionWork::kKey], begin, work.keys, work.width);
    load_tile(value, value_step, rows, tiles.value_width, work.value, offsets[AttentionWork::kValue], begin, work.keys,
              work.value_width);
    __syncthreads();
    tile_product<false, true>(query, step, key, step, scores, score_step, rows, rows, tiles.width, false);
    __syncthreads();
    for (int row = warp; row < rows; row += kWarps) {
      Number peak = kNothing;
      for (int column = lane; column < rows; column += 32) {
        Number& score = scores[row * score_step + column];
        score = score_of(work, offsets[AttentionWork::kMask], first + row, begin + column, score);
        peak = Larger()(peak, score);
      }
      for (int half = 16; half > 0; half /= 2) peak = Larger()(peak, __shfl_xor_sync(0xFFFFFFFFU, peak, half));
      const Number before = largest[row];
      peak = Larger()(before, peak);
      // Of a row that has seen nothing yet, all weights are 0.
      const bool sees_nothing = peak == kNothing;
      const Number shrink = sees_nothing ? Number(1) : exp(before - peak);
      Number sum = 0;
      for (int column = lane; column < rows; column += 32) {
        const Number weight = sees_nothing ? Number(0) : exp(scores[row * score_step + column] - peak);
        const Number factor =
            work.dropout.is_on
                ? static_cast<Number>(work.dropout.factor(batch, work.queries, first + row, begin + column))
                : Number(1);
        weights[row * score_step + column] = TileItem<Item>::of(weight * factor);
        sum += weight;
      }
      for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, half);
      for (int column = lane; column < tiles.value_width; column += 32) sums[row * value_step + column] *= shrink;
      __syncwarp();
      if (lane == 0) {
        largest[row] = peak;
        totals[row] = totals[row] * shrink + sum;
      }
    }
    __syncthreads();
    tile_product<false, false>(weights, score_step, value, value_step, sums, value_step, rows, tiles.value_width, rows,
                               true);
    __syncthreads();
  }
  __syncthreads();
  // A query that sees nothing gets zeros.
  for (int i = static_cast<int>(threadIdx.x); i < rows * tiles.value_width; i += kLineThreads) {
    const int row = i / tiles.value_width, column = i - row * tiles.value_width;
    const Number total = totals[row];
    sums[row * value_step + column] *= total > 0 ? 1 / total : total != total ? total : Number(0);
  }
  for (int row = static_cast<int>(threadIdx.x); row < rows && first + row < work.queries; row += kLineThreads) {
    reinterpret_cast<Number*>(work.log_sums)[batch * work.queries + first + row] =
        totals[row] == 0 ? Number(INFINITY) : largest[row] + log(totals[row]);
  }
  __syncthreads();
  store_tile<Item>(sums, value_step, rows, work.out, offsets[AttentionWork::kOut], first, work.queries,
                   work.value_width);
}

template <class Item>
void launch(const AttentionWork& work, StreamHandle stream) {
  using Number = typename TileItem<Item>::Number;
  launch_kernel_with_room(attention_kernel<Item>, blocks_for(work.batches.count * work.query_tiles(), 1), kLineThreads,
                          work.tiles.forward_bytes(sizeof(Item), sizeof(Number)), stream, work);
}

}  // namespace

void launch_attention(const AttentionWork& work, StreamHandle stream) {
  if (work.batches.count * work.queries == 0) return;
  if (is_flash(work)) return launch_flash_attention(work, stream);
  switch (work.dtype) {
    case DType::Float64:
      return launch<double>(work, stream);
    case DType::BFloat16:
      return launch<BFloat16Bits>(work, stream);
    case DType::Float16:
      return launch<HalfBits>(work, stream);
    default:
      return launch<float>(work, stream);
  }
}

}  // namespace nns::ops
