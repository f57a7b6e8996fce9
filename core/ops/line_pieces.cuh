#pragma once

#include "core/ops/lines.cuh"
#include "core/ops/pieces.cuh"

// Lines of any length and alignment whose items lie side by side, 16 bytes at a time between their ends. Not for
// callers of ops.
namespace nns::ops {

/// The largest item of a line, and the sum of exp(item - largest). Not a number, and a line of -inf, as the CPU has it.
struct LineSums {
  float largest = -INFINITY;
  double sum = 0;

  template <int count>
  __device__ __forceinline__ void add(const float (&x)[count]) {
    float of_these = x[0];
    for (int k = 1; k < count; ++k) of_these = Larger()(of_these, x[k]);
    const float next = Larger()(largest, of_these);
    if (next != largest) {
      sum *= static_cast<double>(exp(largest - next));
      largest = next;
    }
    if (largest == -INFINITY) return;
    float more = 0;
    for (int k = 0; k < count; ++k) more += exp(x[k] - largest);
    sum += static_cast<double>(more);
  }
};

/// Calls each(number, read(number)) for every step-th of `count` pieces; four are read at once.
template <class Step, class Read, class Each>
__device__ __forceinline__ void for_pieces(std::int64_t piece, Step step, std::int64_t count, Read read, Each each) {
  for (; piece + 3 * step < count; piece += 4 * step) {
    uint4 four[4];
    for (int q = 0; q < 4; ++q) four[q] = read(piece + q * step);
    for (int q = 0; q < 4; ++q) each(piece + q * step, four[q]);
  }
  for (; piece < count; piece += step) each(piece, read(piece));
}

/// Of a line, by a block of `threads`, each of which gets them. The line is read once. `largest_room`, `sum_room`: a
/// value a warp in shared memory.
template <class Items, int threads>
__device__ __forceinline__ LineSums line_sums(const std::byte* in, std::int64_t length, float* largest_room,
                                              double* sum_room) {
  constexpr int kIn = Items::kInPiece;
  const std::int64_t head = items_before_piece(in, Items::kBytes, length);
  const std::int64_t pieces = (length - head) / kIn;
  const std::byte* const body = in + head * Items::kBytes;
  LineSums own;
  for_pieces(
      threadIdx.x, threads, pieces, [&](std::int64_t piece) { return piece_at(body + piece * kPieceBytes); },
      [&](std::int64_t, const uint4& read) {
        float x[kIn];
        Items::decode(read, x);
        own.add(x);
      });
  const auto add_one = [&](std::int64_t i) {
    const float x[1] = {Items::load(in + i * Items::kBytes)};
    own.add(x);
  };
  if (threadIdx.x < head) add_one(threadIdx.x);
  const std::int64_t last = head + pieces * kIn + threadIdx.x;
  if (last < length) add_one(last);
  LineSums whole;
  whole.largest = across_block<threads>(own.largest, largest_room, Larger());
  whole.sum = across_block<threads>(own.sum * static_cast<double>(exp(own.largest - whole.largest)), sum_room, Plus());
  return whole;
}

/// out[i] = change(in[i], i) for a line, by a block of `threads`; from the end on, which caches hold best after a walk
/// from the beginning.
template <class Items, int threads, class Change>
__device__ __forceinline__ void change_line(const std::byte* in, std::byte* out, std::int64_t length, Change change) {
  constexpr int kIn = Items::kInPiece;
  const auto change_one = [&](std::int64_t i) {
    Items::store(out + i * Items::kBytes, change(Items::load(in + i * Items::kBytes), i));
  };
  const auto off = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % kPieceBytes; };
  if (off(in) != off(out)) {
    for (std::int64_t i = threadIdx.x; i < length; i += threads) change_one(i);
    return;
  }
  const std::int64_t head = items_before_piece(in, Items::kBytes, length);
  const std::int64_t pieces = (length - head) / kIn;
  const std::int64_t last = head + pieces * kIn + threadIdx.x;
  if (last < length) change_one(last);
  // The first item of a piece, counted from the last piece on.
  const auto first_of = [&](std::int64_t piece) { return head + (pieces - 1 - piece) * kIn; };
  for_pieces(
      threadIdx.x, threads, pieces, [&](std::int64_t piece) { return piece_at(in + first_of(piece) * Items::kBytes); },
      [&](std::int64_t piece, const uint4& read) {
        float x[kIn];
        Items::decode(read, x);
        for (int k = 0; k < kIn; ++k) x[k] = change(x[k], first_of(piece) + k);
        put_piece(out + first_of(piece) * Items::kBytes, Items::encode(x));
      });
  if (threadIdx.x < head) change_one(threadIdx.x);
}

}  // namespace nns::ops
