#include "core/object/str.h"
#include "core/ops/linalg_kernels.h"
#include "core/ops/linalg_matrices.h"

// Reflections of Householder. Behaviour: LAPACK geqrf, orgqr and ormqr, whose signs Eigen has too: the diagonal of R is
// real and has the sign that is not that of the item it takes the place of, and stays where the column ends there.
namespace nns::ops {
namespace {

template <class T>
struct Reflections {
  /// R above, the vectors below the diagonal.
  Matrix<T> packed;
  /// LAPACK's tau: the reflections are 1 - tau v v^H.
  Eigen::Matrix<T, Eigen::Dynamic, 1> tau;
};

template <class T>
Reflections<T> reflections_of(const Matrix<T>& a) {
  if (a.size() == 0) return {a, Eigen::Matrix<T, Eigen::Dynamic, 1>(std::min(a.rows(), a.cols()))};
  const Eigen::HouseholderQR<Matrix<T>> qr(a);
  return {qr.matrixQR(), qr.hCoeffs().conjugate()};
}

// The product of the reflections (or of their adjoints, in the opposite order) times `on`, from the left.
template <class T>
Matrix<T> applied(const Matrix<T>& packed, const Matrix<T>& tau, Matrix<T> on, bool adjoint) {
  const Eigen::Index count = tau.rows();
  for (Eigen::Index step = 0; step < count && on.size() > 0; ++step) {
    const Eigen::Index k = adjoint ? step : count - 1 - step;
    const Eigen::Index below = packed.rows() - k - 1;
    Eigen::Matrix<T, Eigen::Dynamic, 1> v(below + 1);
    v(0) = T(1);
    v.tail(below) = packed.col(k).tail(below);
    const T factor = adjoint ? Eigen::numext::conj(tau(k, 0)) : tau(k, 0);
    auto rows = on.bottomRows(below + 1);
    const Eigen::Matrix<T, 1, Eigen::Dynamic> products = v.adjoint() * rows;
    rows.noalias() -= (factor * v) * products;
  }
  return on;
}

}  // namespace

PyResult<void> run_qr(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  const bool has_q = call.args[1].as<object::Str>()->view() != "r";
  return with_items(call, a.dtype(), "linalg_qr_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch), r(call.output(1), batch);
    for (std::int64_t i = 0; i < from.count(); ++i) {
      const Reflections<T> found = reflections_of<T>(from.read<T>(i));
      const Eigen::Index r_rows = rows_of(call.output(1));
      const Matrix<T> upper = found.packed.topRows(r_rows).template triangularView<Eigen::Upper>();
      r.write(i, upper);
      if (!has_q) continue;
      const Matrix<T> unit = Matrix<T>::Identity(rows_of(call.output(0)), columns_of(call.output(0)));
      MatricesOf(call.output(0), batch).write(i, applied<T>(found.packed, found.tau, unit, false));
    }
  });
}

PyResult<void> run_geqrf(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  return with_items(call, a.dtype(), "geqrf_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch), packed(call.output(0), batch),
        tau(call.output(1), batch, MatricesOf::Form::Vector);
    for (std::int64_t i = 0; i < from.count(); ++i) {
      const Reflections<T> found = reflections_of<T>(from.read<T>(i));
      packed.write(i, found.packed);
      tau.write(i, found.tau);
    }
  });
}

PyResult<void> run_householder(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  return with_items(call, a.dtype(), "orgqr_cpu", [&]<class T>(T) {
    const MatricesOf packed(a, batch), tau(call.required(1), batch, MatricesOf::Form::Vector), to(call.output(), batch);
    for (std::int64_t i = 0; i < to.count(); ++i) {
      const Matrix<T> unit = Matrix<T>::Identity(rows_of(a), columns_of(a));
      to.write(i, applied<T>(packed.read<T>(i), tau.read<T>(i), unit, false));
    }
  });
}

PyResult<void> run_ormqr(OpCall& call) {
  const Tensor& c = call.required(2);
  const Dims batch = batch_of(c);
  const bool left = call.flag(3), is_turned = call.flag(4);
  return with_items(call, c.dtype(), "ormqr_cpu", [&]<class T>(T) {
    const MatricesOf packed(call.required(0), batch), tau(call.required(1), batch, MatricesOf::Form::Vector),
        from(c, batch), to(call.output(), batch);
    for (std::int64_t i = 0; i < to.count(); ++i) {
      const Matrix<T> on = from.read<T>(i);
      if (left) {
        to.write(i, applied<T>(packed.read<T>(i), tau.read<T>(i), on, is_turned));
      } else {
        // C Q is the adjoint of Q^H C^H.
        const Matrix<T> made = applied<T>(packed.read<T>(i), tau.read<T>(i), on.adjoint(), !is_turned);
        to.write(i, Matrix<T>(made.adjoint()));
      }
    }
  });
}

}  // namespace nns::ops
