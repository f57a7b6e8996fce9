#pragma once

#include "core/ops/cuda_elements.h"
#include "core/tensor/random_law.h"

// Random numbers on a GPU. Not for callers of ops.
namespace nns::ops {

struct DrawWork {
  /// Operand 0: what is filled.
  WalkPlan<1> plan;
  std::byte* out = nullptr;
  tensor::DType dtype = tensor::DType::Float32;
  /// Of a Uniform law, the bounds are as the dtype rounds them.
  tensor::RandomLaw law;
  /// Of a Uniform law: second - first, as the dtype rounds it.
  double span = 1;
  tensor::PhiloxState state;
  tensor::DrawPlan threads;
};
void launch_draw(const DrawWork& work, StreamHandle stream);

}  // namespace nns::ops
