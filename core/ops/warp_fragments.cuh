#pragma once

#include "core/ops/warp_matrix.cuh"

// Products by the tensor cores with operands in registers, and the copies that feed them. Not for callers of ops.
// Source: PTX ISA, "Matrix multiply-accumulate operation using mma instruction" (m16n8k16) and "ldmatrix".
//
// How the threads of a warp hold a matrix, with row = lane / 4 and column = lane % 4 * 2:
// - a, 16 x 16: registers 0 to 3 hold two neighbours each, from (row, column), (row + 8, column), (row, column + 8) and
//   (row + 8, column + 8) on;
// - b, 16 x 8: two neighbours of a column each, from (column, row) and (column + 8, row) on;
// - c, 16 x 8: four numbers at (row, column), (row, column + 1), (row + 8, column) and (row + 8, column + 1).
namespace nns::ops {

__device__ __forceinline__ unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

/// Four 8 x 8 matrices of 16-bit items in shared memory; lane i tells where row i % 8 of matrix i / 8 begins. Must
/// hold: all threads of the warp call it; rows are aligned to 16 bytes.
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}
/// The same matrices, each turned.
__device__ __forceinline__ void load_turned_matrices(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

/// c (16 x 8) += a (16 x 16) b (16 x 8).
template <class Bits>
__device__ __forceinline__ void multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  if constexpr (std::is_same_v<Bits, BFloat16Bits>) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

/// Two numbers as neighbours.
template <class Bits>
__device__ __forceinline__ unsigned packed(float first, float second) {
  unsigned both;
  if constexpr (std::is_same_v<Bits, BFloat16Bits>) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  }
  return both;
}

/// 2^x, to some two units in the last place; below the normal numbers 0.
__device__ __forceinline__ float fast_exp2(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

/// Begins to copy 16 bytes into shared memory; without `is_there` they become zeros, and `from` is not read. Must hold:
/// both are aligned to 16 bytes.
__device__ __forceinline__ void begin_copy(void* to, const void* from, bool is_there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(is_there ? 16 : 0)
               : "memory");
}
/// Waits until what this thread began to copy is there. Other threads see it after the next barrier.
__device__ __forceinline__ void finish_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

}  // namespace nns::ops
