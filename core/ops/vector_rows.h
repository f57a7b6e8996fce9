#pragma once

#include <cstdint>
#include <span>

#include "core/ops/element_loop.h"

// Runs of floats in the widest vectors of the processor. Not for callers of ops.
namespace nns::ops {

/// The kernels of run_elements() for floats; what each computes is its name. Names as the ops'.
#define NNS_VECTOR_ROWS(use)                                                                                    \
  use(add) use(sub) use(mul) use(div) use(add_scaled) use(sub_scaled) use(neg) use(square) use(sqrt) use(rsqrt) \
      use(reciprocal) use(exp) use(log) use(sigmoid) use(tanh) use(erf) use(relu) use(silu) use(gelu) use(gelu_tanh)
#define NNS_VECTOR_ROW(name) void name##_row(const ElementRow& row);
namespace vectors {
NNS_VECTOR_ROWS(NNS_VECTOR_ROW)

// Gradients: inputs are the gradient, then what the op read or gave.
/// grad where the result is above 0, else 0.
void relu_gradient_row(const ElementRow& row);
/// grad * (1 - tanh^2), grad * s (1 - s): of the results.
void tanh_gradient_row(const ElementRow& row);
void sigmoid_gradient_row(const ElementRow& row);
/// Of the inputs.
void gelu_gradient_row(const ElementRow& row);
void gelu_tanh_gradient_row(const ElementRow& row);
void silu_gradient_row(const ElementRow& row);

// Whole runs. Sums are added up in several parts, and those in double.
/// The largest; -inf of none; NaN if there is one.
float largest(const float* x, std::int64_t count);
/// out = exp(x - shift) (not written if null), and the sum.
double exp_shifted(const float* x, float shift, float* out, std::int64_t count);
/// out = x * scale + shift.
void scale_shift(const float* x, float scale, float shift, float* out, std::int64_t count);
double sum(const float* x, std::int64_t count);
/// The sum of (x - middle)^2.
double sum_of_squares(const float* x, float middle, std::int64_t count);
double dot(const float* a, const float* b, std::int64_t count);
/// to += from.
void add_to(float* to, const float* from, std::int64_t count);
/// to += from * factor.
void add_scaled_to(float* to, const float* from, float factor, std::int64_t count);
/// out = a * (b - shift): the gradient of a softmax.
void mul_shifted(const float* a, const float* b, float shift, float* out, std::int64_t count);
/// out = grad - exp(x) * share: the gradient of a log_softmax with result `x`.
void log_softmax_gradient(const float* grad, const float* x, float share, float* out, std::int64_t count);

/// One row of a layer norm: out = (x - mean) * invstd * weight + bias; weight and bias may be null.
void normalize(const float* x, float mean, float invstd, const float* weight, const float* bias, float* out,
               std::int64_t count);
/// Of the gradient `g` of such a row: w_grad += g * normal, b_grad += g, and the sums of g * weight and of
/// g * weight * normal.
struct NormSums {
  double plain, normal;
};
NormSums normalize_gradient_sums(const float* x, const float* g, float mean, float invstd, const float* weight,
                                 float* w_grad, float* b_grad, std::int64_t count);
/// out = invstd * (g * weight - a - normal * b).
void normalize_gradient(const float* x, const float* g, float mean, float invstd, const float* weight, float a, float b,
                        float* out, std::int64_t count);

/// The gradient of one row of attention: w = exp(w - log_sum), s = w * (s - share) * scale.
void attention_slopes(float* w, float* s, float log_sum, float share, float scale, std::int64_t count);
}  // namespace vectors
#undef NNS_VECTOR_ROW

}  // namespace nns::ops
