#pragma once

#include <complex>
#include <cstdint>

namespace nns::ops {

/// A matrix in memory. Units of the strides: items. A transposed matrix is the same one with its strides exchanged.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;

  MatrixView transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};
/// Row after row, without gaps.
template <class T>
MatrixView<T> matrix_of(T* data, std::int64_t rows, std::int64_t columns) {
  return {data, rows, columns, columns, 1};
}

/// out (m, n) = a (m, k) b (k, n), or out += a b if `accumulates`. Integers wrap around. Nothing of `out` may lie in
/// `a` or `b`, and its columns must lie side by side. A sum over no items is 0.
template <class T>
void gemm(const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<T>& out,
          bool accumulates = false);

extern template void gemm(const MatrixView<const float>&, const MatrixView<const float>&, const MatrixView<float>&,
                          bool);
extern template void gemm(const MatrixView<const double>&, const MatrixView<const double>&, const MatrixView<double>&,
                          bool);
extern template void gemm(const MatrixView<const std::int64_t>&, const MatrixView<const std::int64_t>&,
                          const MatrixView<std::int64_t>&, bool);
extern template void gemm(const MatrixView<const std::complex<float>>&, const MatrixView<const std::complex<float>>&,
                          const MatrixView<std::complex<float>>&, bool);
extern template void gemm(const MatrixView<const std::complex<double>>&, const MatrixView<const std::complex<double>>&,
                          const MatrixView<std::complex<double>>&, bool);

}  // namespace nns::ops
