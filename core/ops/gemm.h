#pragma once

#include <complex>
#include <cstdint>
#include <functional>

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

/// Is shown parts of a result that have their last values, each item once, while they lie in a near cache; on whatever
/// thread computed them.
template <class T>
using FinishedParts = std::function<void(const MatrixView<const T>& part)>;

/// out (m, n) = a (m, k) b (k, n), or out += a b if `accumulates`. Integers wrap around. Nothing of `out` may lie in
/// `a` or `b`, and its columns must lie side by side. A sum over no items is 0.
template <class T>
void gemm(const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<T>& out,
          bool accumulates = false, const FinishedParts<T>& finished = nullptr);

#define NNS_GEMM(T)                                                                                             \
  extern template void gemm(const MatrixView<const T>&, const MatrixView<const T>&, const MatrixView<T>&, bool, \
                            const FinishedParts<T>&);
NNS_GEMM(float)
NNS_GEMM(double)
NNS_GEMM(std::int64_t)
NNS_GEMM(std::complex<float>)
NNS_GEMM(std::complex<double>)
#undef NNS_GEMM

}  // namespace nns::ops
