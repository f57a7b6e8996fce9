#pragma once

#include "core/ops/device_floats.cuh"
#include "core/ops/number_to.h"
#include "core/ops/walk_plan.h"
#include "core/tensor/dtype.h"

// How kernels read and write items of every dtype as numbers of the type that they compute in. Not for callers of ops.
namespace nns::ops {

using tensor::DType;

template <class Item>
__device__ __forceinline__ Item item_at(const std::byte* at) {
  return *reinterpret_cast<const Item*>(at);
}
template <class Item>
__device__ __forceinline__ void put_item(std::byte* at, Item item) {
  *reinterpret_cast<Item*>(at) = item;
}

/// The dtypes that are seldom in a hot loop, out of line so that kernels stay small.
template <class T>
__device__ __noinline__ T load_other(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::Float64:
      return number_to<T>(item_at<double>(at));
    case DType::Int8:
      return number_to<T>(static_cast<std::int64_t>(item_at<signed char>(at)));
    case DType::Int16:
      return number_to<T>(static_cast<std::int64_t>(item_at<short>(at)));
    case DType::Int32:
      return number_to<T>(static_cast<std::int64_t>(item_at<int>(at)));
    case DType::Int64:
      return number_to<T>(static_cast<std::int64_t>(item_at<long long>(at)));
    case DType::UInt8:
      return number_to<T>(static_cast<std::int64_t>(item_at<unsigned char>(at)));
    default:
      return number_to<T>(item_at<unsigned char>(at) != 0);
  }
}
template <class T>
__device__ __noinline__ void store_other(DType dtype, std::byte* at, T number) {
  switch (dtype) {
    case DType::Float64:
      return put_item(at, number_to<double>(number));
    case DType::Int8:
      return put_item(at, static_cast<signed char>(number_to<std::int64_t>(number)));
    case DType::Int16:
      return put_item(at, static_cast<short>(number_to<std::int64_t>(number)));
    case DType::Int32:
      return put_item(at, static_cast<int>(number_to<std::int64_t>(number)));
    case DType::Int64:
      return put_item(at, static_cast<long long>(number_to<std::int64_t>(number)));
    case DType::UInt8:
      return put_item(at, static_cast<unsigned char>(number_to<std::int64_t>(number)));
    default:
      return put_item(at, static_cast<unsigned char>(number_to<bool>(number) ? 1 : 0));
  }
}

/// The item of `dtype` at `at` as a number.
template <class T>
__device__ __forceinline__ T load_item(DType dtype, const std::byte* at) {
  if (dtype == DType::Float32) return number_to<T>(item_at<float>(at));
  if (dtype == DType::BFloat16) return number_to<T>(bfloat16_number(item_at<unsigned short>(at)));
  if (dtype == DType::Float16) return number_to<T>(half_number(item_at<unsigned short>(at)));
  return load_other<T>(dtype, at);
}
template <class T>
__device__ __forceinline__ void store_item(DType dtype, std::byte* at, T number) {
  if (dtype == DType::Float32) return put_item(at, number_to<float>(number));
  if (dtype == DType::BFloat16) return put_item(at, bfloat16_bits(number_to<float>(number)));
  if (dtype == DType::Float16) return put_item(at, half_bits(number_to<float>(number)));
  store_other<T>(dtype, at, number);
}

/// The same of a floating dtype, of Float64 only where numbers are double: nothing is out of line.
template <class T>
__device__ __forceinline__ T load_float(DType dtype, const std::byte* at) {
  if constexpr (std::is_same_v<T, double>) {
    if (dtype == DType::Float64) return item_at<double>(at);
  }
  if (dtype == DType::BFloat16) return number_to<T>(bfloat16_number(item_at<unsigned short>(at)));
  if (dtype == DType::Float16) return number_to<T>(half_number(item_at<unsigned short>(at)));
  return number_to<T>(item_at<float>(at));
}

/// Four items that lie in a row, `bytes` each. Must hold: `at` is aligned to all four.
template <class T>
__device__ __forceinline__ void load_four(DType dtype, std::int64_t bytes, const std::byte* at, T (&numbers)[4]) {
  if (dtype == DType::Float32) {
    const float4 four = item_at<float4>(at);
    numbers[0] = number_to<T>(four.x);
    numbers[1] = number_to<T>(four.y);
    numbers[2] = number_to<T>(four.z);
    numbers[3] = number_to<T>(four.w);
  } else if (dtype == DType::BFloat16 || dtype == DType::Float16) {
    const ushort4 four = item_at<ushort4>(at);
    const bool is_half = dtype == DType::Float16;
    numbers[0] = number_to<T>(is_half ? half_number(four.x) : bfloat16_number(four.x));
    numbers[1] = number_to<T>(is_half ? half_number(four.y) : bfloat16_number(four.y));
    numbers[2] = number_to<T>(is_half ? half_number(four.z) : bfloat16_number(four.z));
    numbers[3] = number_to<T>(is_half ? half_number(four.w) : bfloat16_number(four.w));
  } else {
    for (int i = 0; i < 4; ++i) numbers[i] = load_other<T>(dtype, at + i * bytes);
  }
}
template <class T>
__device__ __forceinline__ void store_four(DType dtype, std::int64_t bytes, std::byte* at, const T (&numbers)[4]) {
  if (dtype == DType::Float32) {
    put_item(at, make_float4(number_to<float>(numbers[0]), number_to<float>(numbers[1]), number_to<float>(numbers[2]),
                             number_to<float>(numbers[3])));
  } else if (dtype == DType::BFloat16 || dtype == DType::Float16) {
    const bool is_half = dtype == DType::Float16;
    unsigned short bits[4];
    for (int i = 0; i < 4; ++i) {
      const float number = number_to<float>(numbers[i]);
      bits[i] = is_half ? half_bits(number) : bfloat16_bits(number);
    }
    put_item(at, make_ushort4(bits[0], bits[1], bits[2], bits[3]));
  } else {
    for (int i = 0; i < 4; ++i) store_other<T>(dtype, at + i * bytes, numbers[i]);
  }
}

}  // namespace nns::ops
