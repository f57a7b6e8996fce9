#pragma once

#include "core/ops/device_items.cuh"
#include "core/ops/sorting_work.h"

// How kernels read items of lines as keys. Not for callers of ops.
namespace nns::ops {

__device__ __forceinline__ std::uint64_t item_bits(const std::byte* at, int bytes) {
  if (bytes == 4) return item_at<unsigned>(at);
  if (bytes == 2) return item_at<unsigned short>(at);
  if (bytes == 1) return item_at<unsigned char>(at);
  return item_at<unsigned long long>(at);
}
__device__ __forceinline__ void put_bits(std::byte* at, int bytes, std::uint64_t item) {
  if (bytes == 4) return put_item(at, static_cast<unsigned>(item));
  if (bytes == 2) return put_item(at, static_cast<unsigned short>(item));
  if (bytes == 1) return put_item(at, static_cast<unsigned char>(item));
  put_item(at, static_cast<unsigned long long>(item));
}

/// One line of several.
struct SortedLine {
  std::int64_t at[3];
  __device__ SortedLine(const SortedLines& lines, std::int64_t line) {
    lines.lines.offsets(lines.first_line + line, at);
  }
  __device__ std::uint64_t bits(const SortedLines& lines, std::int64_t place) const {
    return item_bits(lines.in + at[0] + place * lines.in_stride, lines.item_bytes);
  }
  __device__ std::uint64_t key(const SortedLines& lines, std::int64_t place) const {
    return lines.keys.key(bits(lines, place));
  }
  /// The item at `place` becomes item `number` of the outputs.
  __device__ void give(const SortedLines& lines, std::int64_t number, std::int64_t place) const {
    if (lines.values != nullptr) {
      put_bits(lines.values + at[1] + number * lines.value_stride, lines.item_bytes, bits(lines, place));
    }
    if (lines.places != nullptr) {
      put_item(lines.places + at[2] + number * lines.place_stride, static_cast<long long>(place));
    }
  }
};

}  // namespace nns::ops
