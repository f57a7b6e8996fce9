#include "core/ops/linalg_kernels.h"
#include "core/ops/linalg_matrices.h"

// Cholesky's factors, and triangular systems. Behaviour: LAPACK potrf, potrs, potri; BLAS trsm.
namespace nns::ops {
namespace {

// The lower factor of the lower triangle, in its place; 0, or the order of the first minor that is not positive.
template <class T>
std::int32_t factor_lower(Matrix<T>& a) {
  constexpr Eigen::Index kPanel = 32;
  for (Eigen::Index k = 0; k < a.rows(); k += kPanel) {
    const Eigen::Index width = std::min(kPanel, a.rows() - k), behind = k + width, below = a.rows() - behind;
    for (Eigen::Index j = k; j < behind; ++j) {
      auto row = a.row(j).segment(k, j - k);
      const auto pivot = std::real(a(j, j)) - row.squaredNorm();
      if (!(pivot > 0)) return static_cast<std::int32_t>(j + 1);
      const auto root = std::sqrt(pivot);
      a(j, j) = root;
      const Eigen::Index rest = behind - j - 1;
      auto column = a.col(j).segment(j + 1, rest);
      if (j > k) column.noalias() -= a.block(j + 1, k, rest, j - k) * row.adjoint();
      column /= root;
    }
    if (below == 0) continue;
    auto side = a.block(behind, k, below, width);
    Matrix<T> turned = side.adjoint();
    substitute(a.block(k, k, width, width), turned, false, false);
    side = turned.adjoint();
    a.block(behind, behind, below, below).template selfadjointView<Eigen::Lower>().rankUpdate(side, -1);
  }
  return 0;
}

// X of L L^H X = B; `factor` has L or, where `upper`, L^H.
template <class T>
Matrix<T> solve_factored(const Matrix<T>& factor, Matrix<T> b, bool upper) {
  const Matrix<T> turned = factor.adjoint();
  substitute(upper ? turned : factor, b, false, false);
  substitute(upper ? factor : turned, b, true, false);
  return b;
}

}  // namespace

PyResult<void> run_cholesky(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  const bool upper = call.flag(1);
  return with_items(call, a.dtype(), "cholesky_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch), to(call.output(0), batch);
    for (std::int64_t i = 0; i < from.count(); ++i) {
      Matrix<T> factor = from.read<T>(i);
      if (upper) factor = Matrix<T>(factor.adjoint());
      int_at(call.output(1), i) = factor_lower(factor);
      factor.template triangularView<Eigen::StrictlyUpper>().setZero();
      to.write(i, upper ? Matrix<T>(factor.adjoint()) : factor);
    }
  });
}

PyResult<void> run_cholesky_solve(OpCall& call) {
  const Dims batch = batch_of(call.output());
  return with_items(call, call.output().dtype(), "cholesky_solve_cpu", [&]<class T>(T) {
    const MatricesOf b(call.required(0), batch), factor(call.required(1), batch), to(call.output(), batch);
    for (std::int64_t i = 0; i < to.count(); ++i) {
      to.write(i, solve_factored<T>(factor.read<T>(i), b.read<T>(i), call.flag(2)));
    }
  });
}

PyResult<void> run_cholesky_inverse(OpCall& call) {
  const Tensor& factor = call.required(0);
  const Dims batch = batch_of(factor);
  return with_items(call, factor.dtype(), "cholesky_inverse_cpu", [&]<class T>(T) {
    const MatricesOf from(factor, batch), to(call.output(), batch);
    for (std::int64_t i = 0; i < to.count(); ++i) {
      to.write(i,
               solve_factored<T>(from.read<T>(i), Matrix<T>::Identity(rows_of(factor), rows_of(factor)), call.flag(1)));
    }
  });
}

PyResult<void> run_solve_triangular(OpCall& call) {
  const Dims batch = batch_of(call.output());
  const bool upper = call.flag(2), left = call.flag(3), unit = call.flag(4);
  return with_items(call, call.output().dtype(), "triangular_solve_cpu", [&]<class T>(T) {
    const MatricesOf a(call.required(0), batch), b(call.required(1), batch), to(call.output(), batch);
    for (std::int64_t i = 0; i < to.count(); ++i) {
      Matrix<T> triangle = a.read<T>(i), x = b.read<T>(i);
      if (left) {
        substitute(triangle, x, upper, unit);
        to.write(i, x);
      } else {
        // X A = B is A^T X^T = B^T.
        const Matrix<T> turned = triangle.transpose();
        Matrix<T> turned_x = x.transpose();
        substitute(turned, turned_x, !upper, unit);
        to.write(i, Matrix<T>(turned_x.transpose()));
      }
    }
  });
}

}  // namespace nns::ops
