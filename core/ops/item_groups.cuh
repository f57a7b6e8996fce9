#pragma once

#include "core/ops/pieces.cuh"

// Groups of 4 or 8 items of any dtype that lie in a row. What kernels of a type of number mostly meet goes 16 bytes at
// a time, all else one by one and out of line. Not for callers of ops.
namespace nns::ops {

template <class T>
__device__ __noinline__ T load_any(DType dtype, const std::byte* at) {
  return load_item<T>(dtype, at);
}
template <class T>
__device__ __noinline__ void store_any(DType dtype, std::byte* at, T number) {
  store_item(dtype, at, number);
}

/// The dtype whose items are numbers of type T.
template <class T>
constexpr DType kOwnDType = std::is_same_v<T, double>  ? DType::Float64
                            : std::is_same_v<T, bool>  ? DType::Bool
                            : std::is_same_v<T, float> ? DType::Float32
                                                       : DType::Int64;

/// A group that a kernel reads numbers of type T of. First read() of all groups, then numbers(): so their loads are
/// under way at once. Must hold: they are aligned to the group or to 16 bytes.
template <class T, int count>
struct ItemGroup {
  __device__ __forceinline__ void read(DType, const std::byte*) {}
  __device__ __forceinline__ void numbers(DType dtype, std::int64_t item_bytes, const std::byte* at,
                                          T (&x)[count]) const {
    if (dtype != kOwnDType<T>) {
      for (int k = 0; k < count; ++k) x[k] = load_any<T>(dtype, at + k * item_bytes);
    } else if constexpr (std::is_same_v<T, bool>) {
      for (int k = 0; k < count; k += 4) {
        const unsigned word = item_at<unsigned>(at + k);
        for (int i = 0; i < 4; ++i) x[k + i] = (word >> (8 * i) & 0xFFU) != 0;
      }
    } else {
      struct alignas(16) Two {
        T a, b;
      };
      for (int k = 0; k < count; k += 2) {
        const Two two = item_at<Two>(at + k * 8);
        x[k] = two.a;
        x[k + 1] = two.b;
      }
    }
  }
};

/// Of floats: float32, the 16-bit floats, and the bools of masks.
template <int count>
struct ItemGroup<float, count> {
  static_assert(count == 4 || count == 8);
  unsigned words[count];

  __device__ __forceinline__ void read(DType dtype, const std::byte* at) {
    if (dtype == DType::Float32) {
      for (int k = 0; k < count; k += 4) put(piece_at(at + k * 4), k);
    } else if (dtype == DType::BFloat16 || dtype == DType::Float16) {
      if constexpr (count == 8)
        put(piece_at(at), 0);
      else
        put(item_at<uint2>(at), 0);
    } else if (dtype == DType::Bool) {
      if constexpr (count == 8)
        put(item_at<uint2>(at), 0);
      else
        words[0] = item_at<unsigned>(at);
    }
  }
  __device__ __forceinline__ void numbers(DType dtype, std::int64_t item_bytes, const std::byte* at,
                                          float (&x)[count]) const {
    if (dtype == DType::Float32) {
      for (int k = 0; k < count; ++k) x[k] = float_of_bits(words[k]);
    } else if (dtype == DType::BFloat16) {
      for (int k = 0; k < count; k += 2) {
        x[k] = float_of_bits(words[k / 2] << 16U);
        x[k + 1] = float_of_bits(words[k / 2] & 0xFFFF0000U);
      }
    } else if (dtype == DType::Float16) {
      for (int k = 0; k < count; ++k) {
        x[k] = half_number(static_cast<unsigned short>(words[k / 2] >> (k % 2 * 16) & 0xFFFFU));
      }
    } else if (dtype == DType::Bool) {
      for (int k = 0; k < count; ++k) x[k] = (words[k / 4] >> (k % 4 * 8) & 0xFFU) != 0 ? 1 : 0;
    } else {
      for (int k = 0; k < count; ++k) x[k] = load_any<float>(dtype, at + k * item_bytes);
    }
  }

 private:
  __device__ __forceinline__ void put(const uint4& four, int k) {
    words[k] = four.x;
    words[k + 1] = four.y;
    words[k + 2] = four.z;
    words[k + 3] = four.w;
  }
  __device__ __forceinline__ void put(const uint2& two, int k) {
    words[k] = two.x;
    words[k + 1] = two.y;
  }
};

/// Must hold: as above.
template <class T, int count>
__device__ __forceinline__ void store_group(DType dtype, std::int64_t item_bytes, std::byte* at, const T (&x)[count]) {
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == DType::BFloat16 || dtype == DType::Float16) {
      unsigned words[count / 2];
      for (int k = 0; k < count; k += 2) {
        words[k / 2] = dtype == DType::BFloat16 ? bfloat16_pair(x[k], x[k + 1]) : half_pair(x[k], x[k + 1]);
      }
      if constexpr (count == 8)
        put_item(at, uint4{words[0], words[1], words[2], words[3]});
      else
        put_item(at, uint2{words[0], words[1]});
      return;
    }
  }
  if (dtype != kOwnDType<T>) {
    for (int k = 0; k < count; ++k) store_any<T>(dtype, at + k * item_bytes, x[k]);
  } else if constexpr (std::is_same_v<T, float>) {
    for (int k = 0; k < count; k += 4) put_item(at + k * 4, make_float4(x[k], x[k + 1], x[k + 2], x[k + 3]));
  } else if constexpr (std::is_same_v<T, bool>) {
    unsigned words[2] = {};
    for (int k = 0; k < count; ++k) words[k / 4] |= (x[k] ? 1U : 0U) << (k % 4 * 8);
    if constexpr (count == 8)
      put_item(at, uint2{words[0], words[1]});
    else
      put_item(at, words[0]);
  } else {
    struct alignas(16) Two {
      T a, b;
    };
    for (int k = 0; k < count; k += 2) put_item(at + k * 8, Two{x[k], x[k + 1]});
  }
}

}  // namespace nns::ops
