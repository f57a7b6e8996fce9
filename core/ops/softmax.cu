#include "core/ops/cuda_kernels.h"
#include "core/ops/launch.cuh"
#include "core/ops/line_pieces.cuh"

// softmax and log_softmax. Lines of floats whose items lie side by side stay in the registers of a warp or a block, or
// where they are longer are read twice; of others, a block or where they are short or lie across a thread has a line.
namespace nns::ops {
namespace {

template <class T>
__device__ __forceinline__ T shown(T x, T largest, T scale, T log_sum, bool is_log) {
  return is_log ? x - largest - log_sum : exp(x - largest) * scale;
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) block_softmax(const __grid_constant__ SoftmaxWork work) {
  __shared__ T largest_room[kLineThreads / 32];
  __shared__ double sum_room[kLineThreads / 32];
  for (std::int64_t line = blockIdx.x; line < work.lines.count; line += gridDim.x) {
    std::int64_t at[2];
    work.lines.offsets(line, at);
    const std::byte* const in = work.in.data + at[0];
    std::byte* const out = work.out.data + at[1];
    T largest = -INFINITY;
    for (std::int64_t i = threadIdx.x; i < work.length; i += kLineThreads) {
      largest = Larger()(largest, load_item<T>(work.in.dtype, in + i * work.in_stride));
    }
    largest = across_block(largest, largest_room, Larger());
    double sum = 0;
    for (std::int64_t i = threadIdx.x; i < work.length; i += kLineThreads) {
      sum += static_cast<double>(exp(load_item<T>(work.in.dtype, in + i * work.in_stride) - largest));
    }
    sum = across_block(sum, sum_room, Plus());
    const T scale = static_cast<T>(1 / sum), log_sum = static_cast<T>(log(sum));
    for (std::int64_t i = threadIdx.x; i < work.length; i += kLineThreads) {
      const T x = load_item<T>(work.in.dtype, in + i * work.in_stride);
      store_item(work.out.dtype, out + i * work.out_stride, shown(x, largest, scale, log_sum, work.is_log));
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kLineThreads) thread_softmax(const __grid_constant__ SoftmaxWork work) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x; line < work.lines.count;
       line += step) {
    std::int64_t at[2];
    work.lines.offsets(line, at);
    const std::byte* const in = work.in.data + at[0];
    std::byte* const out = work.out.data + at[1];
    T largest = -INFINITY;
    for (std::int64_t i = 0; i < work.length; ++i) {
      largest = Larger()(largest, load_item<T>(work.in.dtype, in + i * work.in_stride));
    }
    double sum = 0;
    for (std::int64_t i = 0; i < work.length; ++i) {
      sum += static_cast<double>(exp(load_item<T>(work.in.dtype, in + i * work.in_stride) - largest));
    }
    const T scale = static_cast<T>(1 / sum), log_sum = static_cast<T>(log(sum));
    for (std::int64_t i = 0; i < work.length; ++i) {
      const T x = load_item<T>(work.in.dtype, in + i * work.in_stride);
      store_item(work.out.dtype, out + i * work.out_stride, shown(x, largest, scale, log_sum, work.is_log));
    }
  }
}

// Items that a thread keeps at most.
constexpr int kMostKept = 32;

// A warp or a block a line. `in_piece`: items that are read and written at once, all that a piece has or one.
template <class Items, int threads, int in_piece, int kept>
__global__ void __launch_bounds__(kLineThreads, 3) kept_softmax(const __grid_constant__ SoftmaxWork work) {
  constexpr int kPieces = kept / in_piece;
  using Line = Team<threads>;
  __shared__ float room[kLineThreads / 32];
  const int length = static_cast<int>(work.length);
  for (std::int64_t line = Line::first_line(); line < work.lines.count; line += Line::line_step()) {
    std::int64_t at[2];
    work.lines.offsets(line, at);
    const std::byte* const in = work.in.data + at[0];
    std::byte* const out = work.out.data + at[1];
    const auto first_of = [&](int piece) { return (piece * threads + Line::lane()) * in_piece; };
    // What lies behind the end adds 0 to the sum.
    float x[kPieces][in_piece];
    for (int p = 0; p < kPieces; ++p) {
      const int first = first_of(p);
      bool is_whole = false;
      if constexpr (in_piece > 1) {
        is_whole = first + in_piece <= length;
        if (is_whole) Items::decode(piece_at(in + first * Items::kBytes), x[p]);
      }
      for (int k = 0; k < in_piece && !is_whole; ++k) {
        x[p][k] = first + k < length ? Items::load(in + (first + k) * Items::kBytes) : -INFINITY;
      }
    }
    float largest = -INFINITY;
    for (int p = 0; p < kPieces; ++p) {
      for (int k = 0; k < in_piece; ++k) largest = Larger()(largest, x[p][k]);
    }
    largest = Line::combined(largest, room, Larger());
    float sum = 0;
    for (int p = 0; p < kPieces; ++p) {
      float more = 0;
      for (int k = 0; k < in_piece; ++k) {
        const float power = exp(x[p][k] - largest);
        more += power;
        x[p][k] = work.is_log ? x[p][k] - largest : power;
      }
      sum += more;
    }
    sum = Line::combined(sum, room, Plus());
    const float scale = 1 / sum, log_sum = log(sum);
    for (int p = 0; p < kPieces; ++p) {
      const int first = first_of(p);
      for (int k = 0; k < in_piece; ++k) x[p][k] = work.is_log ? x[p][k] - log_sum : x[p][k] * scale;
      bool is_whole = false;
      if constexpr (in_piece > 1) {
        is_whole = first + in_piece <= length;
        if (is_whole) put_piece(out + first * Items::kBytes, Items::encode(x[p]));
      }
      for (int k = 0; k < in_piece && !is_whole; ++k) {
        if (first + k < length) Items::store(out + (first + k) * Items::kBytes, x[p][k]);
      }
    }
  }
}

constexpr int kLongThreads = 512;
template <class Items>
__global__ void __launch_bounds__(kLongThreads, 2) long_softmax(const __grid_constant__ SoftmaxWork work) {
  __shared__ float largest_room[kLongThreads / 32];
  __shared__ double sum_room[kLongThreads / 32];
  for (std::int64_t line = blockIdx.x; line < work.lines.count; line += gridDim.x) {
    std::int64_t at[2];
    work.lines.offsets(line, at);
    const std::byte* const in = work.in.data + at[0];
    const LineSums sums = line_sums<Items, kLongThreads>(in, work.length, largest_room, sum_room);
    const auto scale = static_cast<float>(1 / sums.sum), log_sum = static_cast<float>(log(sums.sum));
    change_line<Items, kLongThreads>(in, work.out.data + at[1], work.length, [&](float x, std::int64_t) {
      return shown(x, sums.largest, scale, log_sum, work.is_log);
    });
  }
}

// Whether every line begins where a piece may.
bool lines_are_aligned(const SoftmaxWork& work) {
  bool aligned = is_piece_aligned(work.in.data) && is_piece_aligned(work.out.data);
  for (std::int32_t k = 0; k < work.lines.dims; ++k) {
    for (const std::int64_t stride : work.lines.dim[k].strides) aligned = aligned && stride % kPieceBytes == 0;
  }
  return aligned;
}

template <class Items, int threads>
void launch_kept(const SoftmaxWork& work, StreamHandle stream) {
  const auto launch = [&]<int in_piece>() {
    const bool is_half = work.length <= threads * kMostKept / 2;
    launch_kernel(is_half ? kept_softmax<Items, threads, in_piece, kMostKept / 2>
                          : kept_softmax<Items, threads, in_piece, kMostKept>,
                  blocks_for(work.lines.count, Team<threads>::kInBlock), kLineThreads, stream, work);
  };
  if (lines_are_aligned(work))
    launch.template operator()<Items::kInPiece>();
  else
    launch.template operator()<1>();
}

// False: it is nothing for these kernels.
bool launch_side_by_side(const SoftmaxWork& work, StreamHandle stream) {
  if (work.in_stride != work.in.item_bytes || work.out_stride != work.in_stride || work.in.dtype != work.out.dtype) {
    return false;
  }
  return with_items(work.in.dtype, [&]<class Items>(Items) {
    if (work.length <= 32 * kMostKept)
      launch_kept<Items, 32>(work, stream);
    else if (work.length <= kLineThreads * kMostKept)
      launch_kept<Items, kLineThreads>(work, stream);
    else
      launch_kernel(long_softmax<Items>, blocks_for(work.lines.count, 1), kLongThreads, stream, work);
  });
}

template <class T>
void launch(const SoftmaxWork& work, StreamHandle stream) {
  constexpr std::int64_t kShort = 32;
  const bool lies_across = work.in_stride > 8 && work.lines.dims > 0 && work.lines.dim[0].strides[0] < work.in_stride;
  if (work.length > kShort && launch_side_by_side(work, stream)) return;
  if (work.length <= kShort || lies_across) {
    launch_kernel(thread_softmax<T>, blocks_for(work.lines.count, kLineThreads), kLineThreads, stream, work);
  } else {
    launch_kernel(block_softmax<T>, blocks_for(work.lines.count, 1), kLineThreads, stream, work);
  }
}

}  // namespace

void launch_softmax(const SoftmaxWork& work, StreamHandle stream) {
  work.in_double ? launch<double>(work, stream) : launch<float>(work, stream);
}

}  // namespace nns::ops
