#define HWY_TARGET_INCLUDE "core/ops/gemm_kernels.h"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "core/base/parallel.h"
#include "core/ops/element_kernels.h"
#include "core/ops/gemm.h"
#include "core/ops/gemm_kernels.h"

namespace nns::ops {
HWY_EXPORT(multiply_floats);
HWY_EXPORT(multiply_doubles);

namespace {

// A block of rows of the result stays in the first cache while a row of b passes over it.
constexpr std::int64_t kRowBlock = 8;
constexpr std::int64_t kDepthBlock = 256;

// The kinds of numbers that no vector kernel takes. Must hold: `out` has its first values.
template <class T>
void multiply_numbers(const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<T>& out) {
  for (std::int64_t depth = 0; depth < a.columns; depth += kDepthBlock) {
    const std::int64_t depth_end = std::min(a.columns, depth + kDepthBlock);
    for (std::int64_t row = 0; row < out.rows; row += kRowBlock) {
      const std::int64_t row_end = std::min(out.rows, row + kRowBlock);
      for (std::int64_t p = depth; p < depth_end; ++p) {
        const T* const line = b.data + p * b.row_stride;
        for (std::int64_t i = row; i < row_end; ++i) {
          const T factor = a.data[i * a.row_stride + p * a.column_stride];
          T* const target = out.data + i * out.row_stride;
          for (std::int64_t j = 0; j < out.columns; ++j)
            target[j] = wrapping_add(target[j], wrapping_mul(factor, line[j * b.column_stride]));
        }
      }
    }
  }
}

}  // namespace

namespace {

// The rows or columns [begin, end) of a product.
template <class T>
MatrixView<T> some_rows(const MatrixView<T>& whole, std::int64_t begin, std::int64_t end) {
  return {whole.data + begin * whole.row_stride, end - begin, whole.columns, whole.row_stride, whole.column_stride};
}
template <class T>
MatrixView<T> some_columns(const MatrixView<T>& whole, std::int64_t begin, std::int64_t end) {
  return {whole.data + begin * whole.column_stride, whole.rows, end - begin, whole.row_stride, whole.column_stride};
}

// On several threads where it is worth their while: by rows or by columns, whichever are more. No item's sum depends on
// how the matrix is cut.
template <class T, class Multiply>
void multiply_on_threads(const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<T>& out,
                         Multiply multiply) {
  constexpr double kLeastProducts = 2e6;
  // Of both sides: the other factor is packed once for each part.
  constexpr std::int64_t kLeast = 96, kStep = 48;
  const double products =
      static_cast<double>(out.rows) * static_cast<double>(out.columns) * static_cast<double>(a.columns);
  if (products < kLeastProducts) return multiply(a, b, out);
  if (out.rows >= out.columns) {
    base::run_ranges(out.rows, kLeast, kStep, [&](std::int64_t begin, std::int64_t end) {
      multiply(some_rows(a, begin, end), b, some_rows(out, begin, end));
    });
  } else {
    base::run_ranges(out.columns, kLeast, kStep, [&](std::int64_t begin, std::int64_t end) {
      multiply(a, some_columns(b, begin, end), some_columns(out, begin, end));
    });
  }
}

}  // namespace

template <class T>
void gemm(const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<T>& out, bool accumulates,
          const FinishedParts<T>& finished) {
  constexpr bool kHasKernel = std::is_same_v<T, float> || (std::is_same_v<T, double> && HWY_HAVE_FLOAT64);
  if (!accumulates && (!kHasKernel || a.columns == 0)) {
    for (std::int64_t i = 0; i < out.rows; ++i) std::fill_n(out.data + i * out.row_stride, out.columns, T());
  }
  multiply_on_threads<T>(a, b, out,
                         [&](const MatrixView<const T>& x, const MatrixView<const T>& y, const MatrixView<T>& to) {
                           if constexpr (std::is_same_v<T, float>) {
                             HWY_DYNAMIC_DISPATCH(multiply_floats)(x, y, to, accumulates, finished);
                           } else if constexpr (kHasKernel) {
                             HWY_DYNAMIC_DISPATCH(multiply_doubles)(x, y, to, accumulates, finished);
                           } else {
                             multiply_numbers(x, y, to);
                             if (finished) finished({to.data, to.rows, to.columns, to.row_stride, to.column_stride});
                           }
                         });
}

#define NNS_GEMM(T)                                                                                      \
  template void gemm(const MatrixView<const T>&, const MatrixView<const T>&, const MatrixView<T>&, bool, \
                     const FinishedParts<T>&);
NNS_GEMM(float)
NNS_GEMM(double)
NNS_GEMM(std::int64_t)
NNS_GEMM(ComplexFloat)
NNS_GEMM(ComplexDouble)
#undef NNS_GEMM

}  // namespace nns::ops
