#define HWY_TARGET_INCLUDE "core/ops/vector_kernels.h"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "core/ops/vector_rows.h"

#include "core/ops/vector_kernels.h"

// The functions of vector_rows.h, each as the processor at hand does it best.
namespace nns::ops {
#define NNS_GRADIENT_ROWS(use)                                                                           \
  use(relu_gradient) use(tanh_gradient) use(sigmoid_gradient) use(gelu_gradient) use(gelu_tanh_gradient) \
      use(silu_gradient)
#define NNS_EXPORT_ROW(name) HWY_EXPORT(name##_row);
NNS_VECTOR_ROWS(NNS_EXPORT_ROW)
NNS_GRADIENT_ROWS(NNS_EXPORT_ROW)
#undef NNS_EXPORT_ROW
HWY_EXPORT(largest);
HWY_EXPORT(exp_shifted);
HWY_EXPORT(scale_shift);
HWY_EXPORT(sum);
HWY_EXPORT(sum_of_squares);
HWY_EXPORT(dot);
HWY_EXPORT(add_to);
HWY_EXPORT(add_scaled_to);
HWY_EXPORT(mul_shifted);
HWY_EXPORT(log_softmax_gradient);
HWY_EXPORT(normalize);
HWY_EXPORT(normalize_gradient_sums);
HWY_EXPORT(normalize_gradient);
HWY_EXPORT(attention_slopes);

namespace vectors {

#define NNS_CALL_ROW(name) \
  void name##_row(const ElementRow& row) { HWY_DYNAMIC_DISPATCH(name##_row)(row); }
NNS_VECTOR_ROWS(NNS_CALL_ROW)
NNS_GRADIENT_ROWS(NNS_CALL_ROW)
#undef NNS_CALL_ROW

float largest(const float* x, std::int64_t count) { return HWY_DYNAMIC_DISPATCH(largest)(x, count); }
double exp_shifted(const float* x, float shift, float* out, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(exp_shifted)(x, shift, out, count);
}
void scale_shift(const float* x, float scale, float shift, float* out, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(scale_shift)(x, scale, shift, out, count);
}
double sum(const float* x, std::int64_t count) { return HWY_DYNAMIC_DISPATCH(sum)(x, count); }
double sum_of_squares(const float* x, float middle, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(sum_of_squares)(x, middle, count);
}
double dot(const float* a, const float* b, std::int64_t count) { return HWY_DYNAMIC_DISPATCH(dot)(a, b, count); }
void add_to(float* to, const float* from, std::int64_t count) { HWY_DYNAMIC_DISPATCH(add_to)(to, from, count); }
void add_scaled_to(float* to, const float* from, float factor, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(add_scaled_to)(to, from, factor, count);
}
void mul_shifted(const float* a, const float* b, float shift, float* out, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(mul_shifted)(a, b, shift, out, count);
}
void log_softmax_gradient(const float* grad, const float* x, float share, float* out, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(log_softmax_gradient)(grad, x, share, out, count);
}
void normalize(const float* x, float mean, float invstd, const float* weight, const float* bias, float* out,
               std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(normalize)(x, mean, invstd, weight, bias, out, count);
}
NormSums normalize_gradient_sums(const float* x, const float* g, float mean, float invstd, const float* weight,
                                 float* w_grad, float* b_grad, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(normalize_gradient_sums)(x, g, mean, invstd, weight, w_grad, b_grad, count);
}
void normalize_gradient(const float* x, const float* g, float mean, float invstd, const float* weight, float a, float b,
                        float* out, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(normalize_gradient)(x, g, mean, invstd, weight, a, b, out, count);
}
void attention_slopes(float* w, float* s, float log_sum, float share, float scale, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(attention_slopes)(w, s, log_sum, share, scale, count);
}

}  // namespace vectors
}  // namespace nns::ops
