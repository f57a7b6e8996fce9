#define HWY_TARGET_INCLUDE "core/ops/convolution_row_kernels.h"
#include "core/ops/convolution_rows.h"

#include <hwy/foreach_target.h>

#include "core/ops/convolution_row_kernels.h"

namespace nns::ops {
HWY_EXPORT(convolve_rows_vectors);
HWY_EXPORT(add_gradient_rows_vectors);

void convolve_rows(const ConvolvedRow& row) { HWY_DYNAMIC_DISPATCH(convolve_rows_vectors)(row); }
void add_gradient_rows(const GradientRows& rows) { HWY_DYNAMIC_DISPATCH(add_gradient_rows_vectors)(rows); }

}  // namespace nns::ops
