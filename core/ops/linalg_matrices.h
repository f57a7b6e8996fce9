#pragma once

#define EIGEN_MPL2_ONLY
#include <Eigen/Dense>

#include "core/ops/element_kernels.h"
#include "core/ops/errors.h"
#include "core/ops/linalg.h"

// Matrices of tensors as Eigen has them. Included by few files: each compiles what it uses of Eigen.
namespace nns::ops {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// The matrices of a tensor, one after another in the order of `batch`, to which those of the tensor broadcast.
class MatricesOf {
 public:
  enum class Form : std::uint8_t { Matrix, Vector };

  MatricesOf(const Tensor& tensor, const Dims& batch, Form form = Form::Matrix)
      : tensor_(tensor), batch_(batch), inner_(form == Form::Matrix ? 2 : 1) {
    const std::size_t ndim = tensor.ndim();
    rows_ = tensor.shape()[ndim - inner_];
    row_stride_ = tensor.strides()[ndim - inner_];
    if (form == Form::Matrix) {
      columns_ = tensor.shape()[ndim - 1];
      column_stride_ = tensor.strides()[ndim - 1];
    }
  }

  std::int64_t count() const { return element_count(batch_); }

  template <class T>
  Matrix<T> read(std::int64_t index) const {
    Matrix<T> made(rows_, columns_);
    const std::int64_t bytes = tensor::item_bytes(tensor_.dtype());
    for (std::int64_t column = 0; column < columns_ && rows_ > 0; ++column) {
      load_items(tensor_.dtype(), at(index) + column * column_stride_ * bytes, row_stride_ * bytes, rows_,
                 compute_for<T>(), made.data() + column * rows_);
    }
    return made;
  }
  template <class Written>
  void write(std::int64_t index, const Written& matrix) const {
    using T = typename Written::Scalar;
    const Matrix<T>& items = matrix;
    const std::int64_t bytes = tensor::item_bytes(tensor_.dtype());
    for (std::int64_t column = 0; column < columns_ && rows_ > 0; ++column) {
      store_items(tensor_.dtype(), at(index) + column * column_stride_ * bytes, row_stride_ * bytes, rows_,
                  compute_for<T>(), items.data() + column * rows_);
    }
  }

 private:
  static std::int64_t element_count(const Dims& shape) { return tensor::element_count(shape); }
  std::byte* at(std::int64_t index) const {
    std::int64_t place = tensor_.offset();
    const std::size_t own = tensor_.ndim() - inner_;
    for (std::size_t dim = batch_.size(); dim-- > 0;) {
      const std::int64_t step = index % batch_[dim];
      index /= batch_[dim];
      const std::size_t behind = batch_.size() - dim;
      if (behind <= own && tensor_.shape()[own - behind] != 1) place += step * tensor_.strides()[own - behind];
    }
    return tensor_.storage()->data() + place * static_cast<std::int64_t>(tensor::item_bytes(tensor_.dtype()));
  }

  const Tensor& tensor_;
  Dims batch_;
  std::size_t inner_;
  std::int64_t rows_ = 0, columns_ = 1, row_stride_ = 1, column_stride_ = 1;
};

/// Calls use(T()) with the type of the items. Errors: NotImplementedError  no float32, float64 or complex of these.
template <class Use>
PyResult<void> with_items(OpCall& call, DType dtype, std::string_view kernel, Use use) {
  switch (dtype) {
    case DType::Float32:
      use(float());
      return {};
    case DType::Float64:
      use(double());
      return {};
    case DType::Complex64:
      use(ComplexFloat());
      return {};
    case DType::Complex128:
      use(ComplexDouble());
      return {};
    default:
      return not_implemented_for(call.interpreter, kernel, dtype);
  }
}
/// The same with the widest type of the kind.
template <class Use>
PyResult<void> with_wide_items(OpCall& call, DType dtype, std::string_view kernel, Use use) {
  return with_items(call, dtype, kernel, [&]<class T>(T) {
    if constexpr (kIsComplex<T>)
      use(ComplexDouble());
    else
      use(double());
  });
}

/// The solution of a triangular system in the place of its right hand side; what is beside the triangle is not read.
/// It divides, where Eigen's own multiplies by inverses: a matrix solved by itself is 1 to the last bit.
template <class A, class B>
void substitute(const A& a, B& b, bool upper, bool unit) {
  using Eigen::Index;
  constexpr Index kPanel = 32;
  const Index size = a.rows(), panels = (size + kPanel - 1) / kPanel;
  for (Index step = 0; step < panels && b.cols() > 0; ++step) {
    const Index from = (upper ? panels - 1 - step : step) * kPanel, width = std::min(kPanel, size - from);
    for (Index j = 0; j < width; ++j) {
      const Index row = upper ? from + width - 1 - j : from + j, first = upper ? row + 1 : from;
      if (j > 0) b.row(row) -= a.row(row).segment(first, j) * b.middleRows(first, j);
      if (!unit) b.row(row) /= a(row, row);
    }
    const Index rest = upper ? 0 : from + width, count = upper ? from : size - rest;
    if (count > 0) b.middleRows(rest, count).noalias() -= a.block(rest, from, count, width) * b.middleRows(from, width);
  }
}

/// The item of an int32 tensor that lies in order.
inline std::int32_t& int_at(const Tensor& tensor, std::int64_t place) {
  return reinterpret_cast<std::int32_t*>(tensor.data())[place];
}

}  // namespace nns::ops
