#include "core/object/str.h"
#include "core/ops/linalg_kernels.h"
#include "core/ops/linalg_matrices.h"

// Singular values, and systems of equations that have no solution or many.
// Behaviour: LAPACK gesdd, gels, gelsy, gelsd and gelss. Differs: no two libraries share the sign (or phase) that their
// iterations leave to a pair of singular vectors; here the first item of a real left one is negative, which LAPACK's is
// more often than not.
namespace nns::ops {
namespace {

template <class T>
using Svd = Eigen::BDCSVD<Matrix<T>>;

unsigned wanted_parts(bool has_vectors, bool is_full) {
  if (!has_vectors) return 0;
  return is_full ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeThinU | Eigen::ComputeThinV;
}

void turn_to_sign(Matrix<double>& u, Matrix<double>& v) {
  for (Eigen::Index k = 0; k < std::min(u.cols(), v.cols()); ++k) {
    if (!(u(0, k) > 0)) continue;
    u.col(k) = -u.col(k);
    v.col(k) = -v.col(k);
  }
}
void turn_to_sign(Matrix<ComplexDouble>&, Matrix<ComplexDouble>&) {}

// What run_lstsq() is asked.
struct LeastSquares {
  double rcond = 0;
  bool has_singular_values = false;
};

// The solution of the smallest size, and the rank that was found.
template <class T>
std::pair<Matrix<T>, std::int64_t> least_squares(const Matrix<T>& a, const Matrix<T>& b, const LeastSquares& asked,
                                                 Eigen::VectorXd& values) {
  if (a.size() == 0 || b.cols() == 0) return {Matrix<T>::Zero(a.cols(), b.cols()), 0};
  if (!asked.has_singular_values) {
    Eigen::CompleteOrthogonalDecomposition<Matrix<T>> parts;
    parts.setThreshold(asked.rcond);
    parts.compute(a);
    return {parts.solve(b), parts.rank()};
  }
  Svd<T> svd(a, wanted_parts(true, false));
  svd.setThreshold(asked.rcond);
  values = svd.singularValues();
  return {svd.solve(b), svd.rank()};
}

void write_values(const Tensor& to, const Dims& batch, std::int64_t index, const Eigen::VectorXd& values) {
  MatricesOf(to, batch, MatricesOf::Form::Vector).write(index, values);
}

}  // namespace

PyResult<void> run_svd(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  const bool has_vectors = call.flag(2);
  std::int64_t failed = -1;
  NNS_TRY(with_wide_items(call, a.dtype(), "linalg_svd_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch);
    for (std::int64_t i = 0; i < from.count() && failed < 0; ++i) {
      const Matrix<T> matrix = from.read<T>(i);
      Matrix<T> u, v;
      if (matrix.size() == 0) {
        u = Matrix<T>::Identity(matrix.rows(), call.flag(1) ? matrix.rows() : 0);
        v = Matrix<T>::Identity(matrix.cols(), call.flag(1) ? matrix.cols() : 0);
      } else {
        if (!matrix.allFinite()) {
          failed = i;
          continue;
        }
        const Svd<T> svd(matrix, wanted_parts(has_vectors, call.flag(1)));
        write_values(call.output(1), batch, i, svd.singularValues());
        if (!has_vectors) continue;
        u = svd.matrixU();
        v = svd.matrixV();
        turn_to_sign(u, v);
      }
      if (!has_vectors) continue;
      MatricesOf(call.output(0), batch).write(i, u);
      MatricesOf(call.output(2), batch).write(i, Matrix<T>(v.adjoint()));
    }
  }));
  if (failed < 0) return {};
  // LAPACK's code of an argument that holds no number.
  const Ref<Tensor> infos = tensor::zeros(call.interpreter, batch, DType::Int32);
  int_at(*infos, failed) = -4;
  return check_infos(call.interpreter, *infos, "linalg.svd", a.ndim() > 2);
}

PyResult<void> run_lstsq(OpCall& call) {
  const Tensor& a = call.required(0);
  const Tensor& b = call.required(1);
  const bool is_vector = is_vector_system(a.shape(), b.shape());
  const MatricesOf::Form form = is_vector ? MatricesOf::Form::Vector : MatricesOf::Form::Matrix;
  const Dims batch(call.output().shape().span().first(call.output().ndim() - (is_vector ? 1 : 2)));
  const std::string_view driver = call.args[3].as<object::Str>()->view();
  const LeastSquares asked{call.real(2), driver == "gelsd" || driver == "gelss"};
  return with_wide_items(call, a.dtype(), "linalg_lstsq_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch), right(b, batch, form), to(call.output(), batch, form);
    for (std::int64_t i = 0; i < to.count(); ++i) {
      Eigen::VectorXd values;
      const auto [x, rank] = least_squares<T>(from.read<T>(i), right.read<T>(i), asked, values);
      to.write(i, x);
      if (driver == "gels") continue;
      reinterpret_cast<std::int64_t*>(call.output(1).data())[i] = rank;
      if (asked.has_singular_values && values.size() > 0) write_values(call.output(2), batch, i, values);
    }
  });
}

}  // namespace nns::ops
