#include "core/ops/attention_tiles.cuh"
#include "core/ops/launch.cuh"

// The gradients of attention: those of keys and values by a block a tile of keys, those of queries by a block a tile of
// queries. Each makes the weights again from the logarithms of the sums; nothing is added up by several blocks.
namespace nns::ops {
namespace {

// The tiles of one block: what it keeps, and what it goes through.
template <class Item>
struct GradientTiles {
  using Number = typename TileItem<Item>::Number;
  int rows, step, value_step, score_step;
  Number *wide_sums, *value_sums, *scores, *slopes;
  Item *query, *key, *value, *grad, *weights, *score_grads;

  __device__ explicit GradientTiles(const AttentionTiles& tiles)
      : rows(tiles.rows), step(tiles.step()), value_step(tiles.value_step()), score_step(tiles.score_step()) {
    RoomForTiles room{dynamic_room()};
    wide_sums = room.take<Number>(rows * step);
    value_sums = room.take<Number>(rows * value_step);
    scores = room.take<Number>(rows * score_step);
    slopes = room.take<Number>(rows * score_step);
    query = room.take<Item>(rows * step);
    key = room.take<Item>(rows * step);
    value = room.take<Item>(rows * value_step);
    grad = room.take<Item>(rows * value_step);
    weights = room.take<Item>(rows * score_step);
    score_grads = room.take<Item>(rows * score_step);
  }
  __device__ void clear() {
    for (int i = static_cast<int>(threadIdx.x); i < rows * step; i += kLineThreads) wide_sums[i] = 0;
    for (int i = static_cast<int>(threadIdx.x); i < rows * value_step; i += kLineThreads) value_sums[i] = 0;
  }
  // Weights of the queries from `first` on for the keys from `begin` on, and the gradients of their scores.
  __device__ void make_weights(const AttentionBackwardWork& job, std::int64_t batch, std::int64_t mask_offset,
                               std::int64_t first, std::int64_t begin) {
    const AttentionWork& work = job.of;
    tile_product<false, true>(query, step, key, step, scores, score_step, rows, rows, work.tiles.width, false);
    tile_product<false, true>(grad, value_step, value, value_step, slopes, score_step, rows, rows,
                              work.tiles.value_width, false);
    __syncthreads();
    const auto* const log_sums = reinterpret_cast<const Number*>(work.log_sums) + batch * work.queries;
    const auto* const shares = reinterpret_cast<const Number*>(job.shares) + batch * work.queries;
    for (int i = static_cast<int>(threadIdx.x); i < rows * rows; i += kLineThreads) {
      const int row = i / rows, column = i - row * rows, at = row * score_step + column;
      Number weight = 0, slope = 0;
      if (first + row < work.queries) {
        weight = exp(score_of(work, mask_offset, first + row, begin + column, scores[at]) - log_sums[first + row]);
        const Number factor =
            work.dropout.is_on
                ? static_cast<Number>(work.dropout.factor(batch, work.queries, first + row, begin + column))
                : Number(1);
        slope = weight * (slopes[at] * factor - shares[first + row]) * static_cast<Number>(work.scale);
        weight *= factor;
      }
      weights[at] = TileItem<Item>::of(weight);
      score_grads[at] = TileItem<Item>::of(slope);
    }
    __syncthreads();
  }
};

template <class Item>
__global__ void __launch_bounds__(kLineThreads) key_value_gradients(const __grid_constant__ AttentionBackwardWork job) {
  const AttentionWork& work = job.of;
  GradientTiles<Item> t(work.tiles);
  const std::int64_t batch = blockIdx.x / work.key_tiles(), begin = (blockIdx.x - batch * work.key_tiles()) * t.rows;
  std::int64_t offsets[AttentionWork::kOperands];
  work.batches.offsets(batch, offsets);
  t.clear();
  load_tile(t.key, t.step, t.rows, work.tiles.width, work.key, offsets[AttentionWork::kKey], begin, work.keys,
            work.width);
  load_tile(t.value, t.value_step, t.rows, work.tiles.value_width, work.value, offsets[AttentionWork::kValue], begin,
            work.keys, work.value_width);
  // Queries before these keys do not see them.
  for (std::int64_t first = work.is_causal ? begin : 0; first < work.queries; first += t.rows) {
    load_tile(t.query, t.step, t.rows, work.tiles.width, work.query, offsets[AttentionWork::kQuery], first,
              work.queries, work.width);
    load_tile(t.grad, t.value_step, t.rows, work.tiles.value_width, work.grad, offsets[AttentionWork::kGrad], first,
              work.queries, work.value_width);
    __syncthreads();
    t.make_weights(job, batch, offsets[AttentionWork::kMask], first, begin);
    tile_product<true, false>(t.weights, t.score_step, t.grad, t.value_step, t.value_sums, t.value_step, t.rows,
                              work.tiles.value_width, t.rows, true);
    tile_product<true, false>(t.score_grads, t.score_step, t.query, t.step, t.wide_sums, t.step, t.rows,
                              work.tiles.width, t.rows, true);
    __syncthreads();
  }
  __syncthreads();
  store_tile<Item>(t.wide_sums, t.step, t.rows, job.key_grad, offsets[AttentionWork::kKeyGrad], begin, work.keys,
                   work.width);
  store_tile<Item>(t.value_sums, t.value_step, t.rows, job.value_grad, offsets[AttentionWork::kValueGrad], begin,
                   work.keys, work.value_width);
}

template <class Item>
__global__ void __launch_bounds__(kLineThreads) query_gradients(const __grid_constant__ AttentionBackwardWork job) {
  const AttentionWork& work = job.of;
  GradientTiles<Item> t(work.tiles);
  const std::int64_t batch = blockIdx.x / work.query_tiles(),
                     first = (blockIdx.x - batch * work.query_tiles()) * t.rows;
  std::int64_t offsets[AttentionWork::kOperands];
  work.batches.offsets(batch, offsets);
  t.clear();
  load_tile(t.query, t.step, t.rows, work.tiles.width, work.query, offsets[AttentionWork::kQuery], first, work.queries,
            work.width);
  load_tile(t.grad, t.value_step, t.rows, work.tiles.value_width, work.grad, offsets[AttentionWork::kGrad], first,
            work.queries, work.value_width);
  const std::int64_t visible = work.is_causal && first + t.rows < work.keys ? first + t.rows : work.keys;
  for (std::int64_t begin = 0; begin < visible; begin += t.rows) {
    load_tile(t.key, t.step, t.rows, work.tiles.width, work.key, offsets[AttentionWork::kKey], begin, work.keys,
              work.width);
    load_tile(t.value, t.value_step, t.rows, work.tiles.value_width, work.value, offsets[AttentionWork::kValue], begin,
              work.keys, work.value_width);
    __syncthreads();
    t.make_weights(job, batch, offsets[AttentionWork::kMask], first, begin);
    tile_product<false, false>(t.score_grads, t.score_step, t.key, t.step, t.wide_sums, t.step, t.rows,
                               work.tiles.width, t.rows, true);
    __syncthreads();
  }
  __syncthreads();
  store_tile<Item>(t.wide_sums, t.step, t.rows, job.query_grad, offsets[AttentionWork::kQueryGrad], first, work.queries,
                   work.width);
}

// Of each row the sum of its result times its gradient; `lanes` threads a row. `is_packed`: rows are read 16 bytes at a
// time.
template <class Item, int lanes, bool is_packed>
__global__ void __launch_bounds__(kLineThreads) shares_kernel(const __grid_constant__ AttentionBackwardWork job) {
  using Number = typename TileItem<Item>::Number;
  const AttentionWork& work = job.of;
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x) / lanes;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const bool is_there = row < work.batches.count * work.queries;
  Number sum = 0;
  if (is_there) {
    const std::int64_t batch = row / work.queries;
    std::int64_t offsets[AttentionWork::kOperands];
    work.batches.offsets(batch, offsets);
    const auto row_at = [&](const MatrixRows& rows, AttentionWork::Operand operand) {
      return rows.data + offsets[operand] + (row - batch * work.queries) * rows.row_stride;
    };
    const std::byte* const grad = row_at(work.grad, AttentionWork::kGrad);
    const std::byte* const out = row_at(work.out, AttentionWork::kOut);
    if constexpr (is_packed) {
      constexpr int kFew = 16 / static_cast<int>(sizeof(Item));
      for (int i = lane * kFew; i < work.value_width; i += lanes * kFew) {
        Item a[kFew], b[kFew];
        const uint4 of_out = item_at<uint4>(out + i * static_cast<int>(sizeof(Item)));
        const uint4 of_grad = item_at<uint4>(grad + i * static_cast<int>(sizeof(Item)));
        memcpy(a, &of_out, 16);
        memcpy(b, &of_grad, 16);
        for (int k = 0; k < kFew; ++k) sum += TileItem<Item>::number(a[k]) * TileItem<Item>::number(b[k]);
      }
    } else {
      const auto number = [](const std::byte* at) { return TileItem<Item>::number(item_at<Item>(at)); };
      for (int i = lane; i < work.value_width; i += lanes) {
        sum += number(out + i * work.out.column_stride) * number(grad + i * work.grad.column_stride);
      }
    }
  }
  for (int half = lanes / 2; half > 0; half /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, half);
  if (is_there && lane == 0) reinterpret_cast<Number*>(job.shares)[row] = sum;
}

template <class Item>
void launch_shares(const AttentionBackwardWork& job, StreamHandle stream) {
  const AttentionWork& work = job.of;
  const std::int64_t rows = work.batches.count * work.queries;
  // Whether every row begins where 16 bytes may be read, and ends with 16.
  bool is_packed = work.value_width % (16 / static_cast<int>(sizeof(Item))) == 0;
  const auto is_aligned = [&](const MatrixRows& matrix, AttentionWork::Operand operand) {
    bool aligned = matrix.column_stride == static_cast<std::int64_t>(sizeof(Item)) && matrix.row_stride % 16 == 0 &&
                   reinterpret_cast<std::uintptr_t>(matrix.data) % 16 == 0;
    for (std::int32_t k = 0; k < work.batches.dims; ++k) {
      aligned = aligned && work.batches.dim[k].strides[operand] % 16 == 0;
    }
    return aligned;
  };
  is_packed = is_packed && is_aligned(work.out, AttentionWork::kOut) && is_aligned(work.grad, AttentionWork::kGrad);
  const auto run = [&](auto kernel, int lanes) {
    launch_kernel(kernel, blocks_for(rows * lanes, kLineThreads), kLineThreads, stream, job);
  };
  is_packed ? run(shares_kernel<Item, 8, true>, 8) : run(shares_kernel<Item, 32, false>, 32);
}

template <class Item>
void launch(const AttentionBackwardWork& job, StreamHandle stream) {
  const AttentionWork& work = job.of;
  const std::int64_t batches = work.batches.count;
  const std::int64_t bytes = work.tiles.backward_bytes(sizeof(Item), sizeof(typename TileItem<Item>::Number));
  if (batches * work.queries > 0) {
    launch_shares<Item>(job, stream);
  }
  if (is_flash(work)) return launch_flash_attention_backward(job, stream);
  if (batches * work.queries > 0) {
    launch_kernel_with_room(query_gradients<Item>, blocks_for(batches * work.query_tiles(), 1), kLineThreads, bytes,
                            stream, job);
  }
  if (batches * work.keys > 0) {
    launch_kernel_with_room(key_value_gradients<Item>, blocks_for(batches * work.key_tiles(), 1), kLineThreads, bytes,
                            stream, job);
  }
}

}  // namespace

void launch_attention_backward(const AttentionBackwardWork& job, StreamHandle stream) {
  switch (job.of.dtype) {
    case DType::Float64:
      return launch<double>(job, stream);
    case DType::BFloat16:
      return launch<BFloat16Bits>(job, stream);
    case DType::Float16:
      return launch<HalfBits>(job, stream);
    default:
      return launch<float>(job, stream);
  }
}

}  // namespace nns::ops
