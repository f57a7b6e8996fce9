#pragma once

#include "core/ops/device_items.cuh"

// Items read and written 16 bytes a thread at a time, by kernels that are compiled for a dtype. Not for callers of ops.
namespace nns::ops {

constexpr int kPieceBytes = 16;

struct Float32Items {
  static constexpr int kBytes = 4, kInPiece = 4;
  __device__ static float load(const std::byte* at) { return item_at<float>(at); }
  __device__ static void store(std::byte* at, float x) { put_item(at, x); }
  __device__ static void decode(const uint4& piece, float (&x)[kInPiece]) {
    x[0] = float_of_bits(piece.x);
    x[1] = float_of_bits(piece.y);
    x[2] = float_of_bits(piece.z);
    x[3] = float_of_bits(piece.w);
  }
  __device__ static uint4 encode(const float (&x)[kInPiece]) {
    return {bits_of_float(x[0]), bits_of_float(x[1]), bits_of_float(x[2]), bits_of_float(x[3])};
  }
};
struct BFloat16Items {
  static constexpr int kBytes = 2, kInPiece = 8;
  __device__ static float load(const std::byte* at) { return bfloat16_number(item_at<unsigned short>(at)); }
  __device__ static void store(std::byte* at, float x) { put_item(at, bfloat16_bits(x)); }
  __device__ static void decode(const uint4& piece, float (&x)[kInPiece]) {
    const unsigned words[4] = {piece.x, piece.y, piece.z, piece.w};
    for (int k = 0; k < 4; ++k) {
      x[2 * k] = float_of_bits(words[k] << 16U);
      x[2 * k + 1] = float_of_bits(words[k] & 0xFFFF0000U);
    }
  }
  __device__ static uint4 encode(const float (&x)[kInPiece]) {
    return {bfloat16_pair(x[0], x[1]), bfloat16_pair(x[2], x[3]), bfloat16_pair(x[4], x[5]), bfloat16_pair(x[6], x[7])};
  }
};
struct HalfItems {
  static constexpr int kBytes = 2, kInPiece = 8;
  __device__ static float load(const std::byte* at) { return half_number(item_at<unsigned short>(at)); }
  __device__ static void store(std::byte* at, float x) { put_item(at, half_bits(x)); }
  __device__ static void decode(const uint4& piece, float (&x)[kInPiece]) {
    const unsigned words[4] = {piece.x, piece.y, piece.z, piece.w};
    for (int k = 0; k < 4; ++k) {
      x[2 * k] = half_number(static_cast<unsigned short>(words[k] & 0xFFFFU));
      x[2 * k + 1] = half_number(static_cast<unsigned short>(words[k] >> 16U));
    }
  }
  __device__ static uint4 encode(const float (&x)[kInPiece]) {
    return {half_pair(x[0], x[1]), half_pair(x[2], x[3]), half_pair(x[4], x[5]), half_pair(x[6], x[7])};
  }
};

/// Calls use(Items()) for the items of a dtype that floats are computed of. False: it is another one.
template <class Use>
bool with_items(DType dtype, Use use) {
  switch (dtype) {
    case DType::Float32:
      use(Float32Items());
      return true;
    case DType::BFloat16:
      use(BFloat16Items());
      return true;
    case DType::Float16:
      use(HalfItems());
      return true;
    default:
      return false;
  }
}

/// Must hold: `at` is aligned to a piece.
__device__ __forceinline__ uint4 piece_at(const std::byte* at) { return item_at<uint4>(at); }
__device__ __forceinline__ void put_piece(std::byte* at, const uint4& piece) { put_item(at, piece); }

/// `count` items of a dtype that lie in a row, from a place that is aligned to all of them or to a piece.
template <int count>
__device__ __forceinline__ void load_floats(DType dtype, const std::byte* first, std::int64_t i, float (&x)[count]) {
  static_assert(count == 4 || count == 8);
  if (dtype == DType::Float32) {
    for (int k = 0; k < count; k += 4) {
      const float4 four = item_at<float4>(first + (i + k) * 4);
      x[k] = four.x;
      x[k + 1] = four.y;
      x[k + 2] = four.z;
      x[k + 3] = four.w;
    }
    return;
  }
  const auto decode = [&](const uint4& piece) {
    float whole[8];
    if (dtype == DType::BFloat16)
      BFloat16Items::decode(piece, whole);
    else
      HalfItems::decode(piece, whole);
    for (int k = 0; k < count; ++k) x[k] = whole[k];
  };
  if constexpr (count == 8) {
    decode(piece_at(first + i * 2));
  } else {
    const uint2 half = item_at<uint2>(first + i * 2);
    decode({half.x, half.y, 0, 0});
  }
}

/// Whether pieces can be read and written there.
inline bool is_piece_aligned(const void* at, std::int64_t stride = 0) {
  return reinterpret_cast<std::uintptr_t>(at) % kPieceBytes == 0 && stride % kPieceBytes == 0;
}

/// Items from the first one at `at` to the first that a piece begins with; no more than `count`.
__device__ __forceinline__ std::int64_t items_before_piece(const std::byte* at, int item_bytes, std::int64_t count) {
  const auto off = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at) % kPieceBytes);
  const std::int64_t before = off == 0 ? 0 : (kPieceBytes - off) / item_bytes;
  return before < count ? before : count;
}

}  // namespace nns::ops
