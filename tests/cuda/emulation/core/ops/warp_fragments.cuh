#pragma once

#include "core/ops/warp_matrix.cuh"

// In place of core/ops/warp_fragments.cuh: each thread asks the others of its warp for what they hold.
namespace nns::ops {

/// What 32 threads hold of one thing.
template <class Held>
struct WarpHoldings {
  Held of[32];
  explicit WarpHoldings(const Held& mine) { tests::gather(&mine, of, sizeof(Held)); }
};

inline void load_matrices(unsigned (&to)[4], const void* row) {
  const WarpHoldings<const void*> rows(row);
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = 0; i < 4; ++i) {
    std::memcpy(&to[i], static_cast<const std::byte*>(rows.of[i * 8 + lane / 4]) + lane % 4 * 4, 4);
  }
}
inline void load_turned_matrices(unsigned (&to)[4], const void* row) {
  const WarpHoldings<const void*> rows(row);
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned short both[2];
    for (unsigned k = 0; k < 2; ++k) {
      std::memcpy(&both[k], static_cast<const std::byte*>(rows.of[i * 8 + lane % 4 * 2 + k]) + lane / 4 * 2, 2);
    }
    std::memcpy(&to[i], both, 4);
  }
}

template <class Bits>
void multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  struct Left {
    Bits items[4][2];
  };
  struct Right {
    Bits items[2][2];
  };
  Left left;
  Right right;
  std::memcpy(&left, a, sizeof left);
  std::memcpy(right.items[0], &b0, 4);
  std::memcpy(right.items[1], &b1, 4);
  const WarpHoldings<Left> lefts(left);
  const WarpHoldings<Right> rights(right);
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned lower = i / 2, column = lane % 4 * 2 + i % 2;
    float sum = 0;
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned holder = k % 8 / 2, part = k / 8, item = k % 2;
      sum += lefts.of[lane / 4 * 4 + holder].items[part * 2 + lower][item].number() *
             rights.of[column * 4 + holder].items[part][item].number();
    }
    c[i] += sum;
  }
}

template <class Bits>
unsigned packed(float first, float second) {
  const Bits both[2] = {Bits::of(first), Bits::of(second)};
  unsigned bits;
  std::memcpy(&bits, both, 4);
  return bits;
}

inline float fast_exp2(float x) { return exp2f(x); }

inline void begin_copy(void* to, const void* from, bool is_there) {
  if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % 16 != 0) __builtin_abort();
  if (is_there) {
    std::memcpy(to, from, 16);
  } else {
    std::memset(to, 0, 16);
  }
}
inline void finish_copies() {}

}  // namespace nns::ops
