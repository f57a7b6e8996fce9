#include "core/object/str.h"
#include "core/ops/linalg_kernels.h"
#include "core/ops/linalg_matrices.h"

#include <unsupported/Eigen/MatrixFunctions>

// Eigenvalues, and the exponential of a matrix.
// Behaviour: LAPACK syevd and heevd (eigenvalues rise), geev (balanced first; eigenvectors have length 1, and their
// largest item is real). Differs: eigenvectors of Hermitian matrices of more than two rows, and real ones of others,
// have the sign that the iteration leaves, which no two libraries share.
namespace nns::ops {
namespace {

using Eigen::Index;

// A matrix scaled and permuted so that eigenvalues that can be read off stand at its ends.
// Behaviour: LAPACK gebal with job 'B', and gebak.
template <class T>
class Balanced {
 public:
  explicit Balanced(Matrix<T> a) : matrix(std::move(a)), scale_(Eigen::VectorXd::Ones(matrix.rows())) {
    high_ = matrix.rows() - 1;
    while (isolate_row()) {
    }
    while (isolate_column()) {
    }
    scale();
  }

  /// Eigenvectors of `matrix` as those of the matrix that was given.
  Matrix<ComplexDouble> restored(Matrix<ComplexDouble> vectors) const {
    for (Index i = low_; i <= high_; ++i) vectors.row(i) *= scale_(i);
    for (std::size_t k = exchanges_.size(); k-- > 0;) {
      vectors.row(exchanges_[k].first).swap(vectors.row(exchanges_[k].second));
    }
    return vectors;
  }

  Matrix<T> matrix;

 private:
  void exchange(Index a, Index b) {
    exchanges_.emplace_back(a, b);
    if (a == b) return;
    matrix.col(a).swap(matrix.col(b));
    matrix.row(a).swap(matrix.row(b));
  }
  // A row whose other items are zero goes to the end.
  bool isolate_row() {
    for (Index row = high_; row >= low_; --row) {
      bool is_alone = true;
      for (Index column = low_; column <= high_ && is_alone; ++column) {
        is_alone = column == row || matrix(row, column) == T(0);
      }
      if (!is_alone) continue;
      exchange(row, high_);
      if (high_ == low_) return false;
      --high_;
      return true;
    }
    return false;
  }
  bool isolate_column() {
    for (Index column = low_; column <= high_; ++column) {
      bool is_alone = true;
      for (Index row = low_; row <= high_ && is_alone; ++row) {
        is_alone = column == row || matrix(row, column) == T(0);
      }
      if (!is_alone) continue;
      exchange(column, low_);
      if (high_ == low_) return false;
      ++low_;
      return true;
    }
    return false;
  }
  // Powers of two bring the sizes of rows and columns near to each other.
  void scale() {
    constexpr double kRadix = 2, kWorthIt = 0.95;
    const Index count = high_ - low_ + 1;
    for (bool changes = true; changes;) {
      changes = false;
      for (Index i = low_; i <= high_; ++i) {
        double column = matrix.col(i).segment(low_, count).norm(), row = matrix.row(i).segment(low_, count).norm();
        if (column == 0 || row == 0) continue;
        double factor = 1;
        const double sum = column + row;
        for (double goal = row / kRadix; column < goal; goal /= kRadix) {
          factor *= kRadix;
          column *= kRadix;
        }
        for (double goal = column / kRadix; row <= goal && row > 0; goal /= kRadix) {
          factor /= kRadix;
          row *= kRadix;
        }
        row = matrix.row(i).segment(low_, count).norm() / factor;
        column = matrix.col(i).segment(low_, count).norm() * factor;
        if (factor == 1 || column + row >= kWorthIt * sum) continue;
        scale_(i) *= factor;
        matrix.row(i) /= factor;
        matrix.col(i) *= factor;
        changes = true;
      }
    }
  }

  Index low_ = 0, high_ = 0;
  std::vector<std::pair<Index, Index>> exchanges_;
  Eigen::VectorXd scale_;
};

// Length 1; a vector of complex numbers is turned so that its largest item is real and positive.
template <bool of_real>
void normalize(Eigen::Ref<Eigen::VectorXcd> vector) {
  const double length = vector.norm();
  if (!(length > 0)) return;
  vector /= length;
  Index largest = 0;
  for (Index i = 1; i < vector.size(); ++i) {
    if (std::norm(vector(i)) > std::norm(vector(largest))) largest = i;
  }
  const ComplexDouble item = vector(largest);
  if (of_real && (vector.imag().array() == 0).all()) return;
  vector *= std::conj(item) / std::abs(item);
  vector(largest) = vector(largest).real();
}

// [[a, b], [b, c]] with signs as LAPACK's laev2 has them: (x, y) belongs to the eigenvalue of the larger size, (-y, x)
// to the other.
void solve_two(const Matrix<double>& m, Eigen::Vector2d& values, Matrix<double>& vectors) {
  const double a = m(0, 0), b = m(1, 0), c = m(1, 1), sum = a + c, difference = a - c;
  const double root = std::hypot(difference, 2 * b);
  const double large = sum < 0 ? (sum - root) / 2 : (sum + root) / 2;
  const double wide = std::abs(a) > std::abs(c) ? a : c, narrow = std::abs(a) > std::abs(c) ? c : a;
  const double less = large == 0 ? 0 : wide / large * narrow - b / large * b;
  double x = 1, y = 0;
  if (b != 0) {
    const int sign = difference >= 0 ? 1 : -1;
    const double leg = difference + sign * root;
    if (std::abs(leg) > 2 * std::abs(b)) {
      const double ratio = -2 * b / leg;
      y = 1 / std::hypot(1, ratio);
      x = ratio * y;
    } else {
      const double ratio = -leg / (2 * b);
      x = 1 / std::hypot(1, ratio);
      y = ratio * x;
    }
    if (sign == (sum < 0 ? -1 : 1)) {
      std::swap(x, y);
      x = -x;
    }
  }
  const bool rises = b == 0 ? a <= c : large <= less;
  values = b == 0 ? Eigen::Vector2d(std::min(a, c), std::max(a, c))
                  : Eigen::Vector2d(std::min(large, less), std::max(large, less));
  vectors.resize(2, 2);
  vectors.col(rises ? 0 : 1) << x, y;
  vectors.col(rises ? 1 : 0) << 0 - y, x;
}

struct Eigenpairs {
  Eigen::VectorXcd values;
  Matrix<ComplexDouble> vectors;
  bool is_found = false;
};

// Of a real matrix.
Eigenpairs solve_balanced(const Matrix<double>& a, bool has_vectors) {
  const Eigen::EigenSolver<Matrix<double>> solver(a, has_vectors);
  if (solver.info() != Eigen::Success) return {};
  return {solver.eigenvalues(), has_vectors ? Matrix<ComplexDouble>(solver.eigenvectors()) : Matrix<ComplexDouble>(),
          true};
}
// Eigen's own for complex matrices sorts what it finds, LAPACK's does not.
Eigenpairs solve_balanced(const Matrix<ComplexDouble>& a, bool has_vectors) {
  const Eigen::ComplexSchur<Matrix<ComplexDouble>> schur(a, has_vectors);
  if (schur.info() != Eigen::Success) return {};
  const Matrix<ComplexDouble>& t = schur.matrixT();
  Eigenpairs found{t.diagonal(), {}, true};
  if (!has_vectors) return found;
  const double least = std::max(t.norm() * std::numeric_limits<double>::epsilon(), std::numeric_limits<double>::min());
  Matrix<ComplexDouble> triangle = Matrix<ComplexDouble>::Identity(t.rows(), t.cols());
  for (Index k = 0; k < t.cols(); ++k) {
    for (Index i = k - 1; i >= 0; --i) {
      const ComplexDouble sum =
          t.row(i).segment(i + 1, k - i).transpose().cwiseProduct(triangle.col(k).segment(i + 1, k - i)).sum();
      ComplexDouble distance = t(i, i) - t(k, k);
      if (std::abs(distance) < least) distance = least;
      triangle(i, k) = -sum / distance;
    }
  }
  found.vectors = schur.matrixU() * triangle;
  return found;
}

template <class T>
Eigenpairs eigenpairs_of(const Matrix<T>& a, bool has_vectors) {
  if (a.size() == 0) return {{}, {}, true};
  const Balanced<T> balanced(a);
  Eigenpairs found = solve_balanced(balanced.matrix, has_vectors);
  if (!has_vectors || !found.is_found) return found;
  found.vectors = balanced.restored(std::move(found.vectors));
  for (Index k = 0; k < found.vectors.cols(); ++k) {
    if constexpr (!kIsComplex<T>) {
      // The second of a pair is the first one's mirror image.
      if (found.values(k).imag() < 0 && k > 0) {
        found.vectors.col(k) = found.vectors.col(k - 1).conjugate();
        continue;
      }
    }
    normalize<!kIsComplex<T>>(found.vectors.col(k));
  }
  return found;
}

PyResult<void> not_converged(OpCall& call, const Dims& batch, std::int64_t index, std::string_view api) {
  const Ref<Tensor> infos = tensor::zeros(call.interpreter, batch, DType::Int32);
  int_at(*infos, index) = static_cast<std::int32_t>(std::max<std::int64_t>(rows_of(call.required(0)) - 1, 1));
  return check_infos(call.interpreter, *infos, api, batch.size() > 0);
}

}  // namespace

PyResult<void> run_eigh(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  const char triangle = call.args[1].as<object::Str>()->view()[0];
  const bool upper = triangle == 'U' || triangle == 'u', has_vectors = call.flag(2);
  std::int64_t failed = -1;
  NNS_TRY(with_wide_items(call, a.dtype(), "linalg_eigh_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch), values(call.output(0), batch, MatricesOf::Form::Vector);
    for (std::int64_t i = 0; i < from.count() && failed < 0; ++i) {
      Matrix<T> matrix = from.read<T>(i);
      if (matrix.size() == 0) continue;
      if (upper) matrix = Matrix<T>(matrix.adjoint());
      if constexpr (!kIsComplex<T>) {
        if (matrix.rows() == 2 && has_vectors && matrix.allFinite()) {
          Eigen::Vector2d two;
          Matrix<T> vectors;
          solve_two(matrix, two, vectors);
          values.write(i, two);
          MatricesOf(call.output(1), batch).write(i, vectors);
          continue;
        }
      }
      const Eigen::SelfAdjointEigenSolver<Matrix<T>> solver(
          matrix, has_vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
      if (solver.info() != Eigen::Success || !solver.eigenvalues().allFinite()) {
        failed = i;
        continue;
      }
      values.write(i, solver.eigenvalues());
      if (has_vectors) MatricesOf(call.output(1), batch).write(i, solver.eigenvectors());
    }
  }));
  return failed < 0 ? PyResult<void>() : not_converged(call, batch, failed, "linalg.eigh");
}

PyResult<void> run_eig(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  const bool has_vectors = call.flag(1);
  std::int64_t failed = -1;
  bool is_finite = true;
  NNS_TRY(with_wide_items(call, a.dtype(), "linalg_eig_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch), values(call.output(0), batch, MatricesOf::Form::Vector);
    for (std::int64_t i = 0; i < from.count() && failed < 0 && is_finite; ++i) {
      const Matrix<T> matrix = from.read<T>(i);
      is_finite = matrix.allFinite();
      if (!is_finite) continue;
      const Eigenpairs found = eigenpairs_of<T>(matrix, has_vectors);
      if (!found.is_found) {
        failed = i;
        continue;
      }
      values.write(i, found.values);
      if (has_vectors) MatricesOf(call.output(1), batch).write(i, found.vectors);
    }
  }));
  if (!is_finite) {
    return object::runtime_error(call.interpreter, "torch.linalg.eig: input tensor should not contain infs or NaNs.");
  }
  return failed < 0 ? PyResult<void>() : not_converged(call, batch, failed, "linalg.eig");
}

PyResult<void> run_matrix_exp(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  return with_wide_items(call, a.dtype(), "linalg_matrix_exp_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch), to(call.output(), batch);
    for (std::int64_t i = 0; i < from.count(); ++i) {
      const Matrix<T> matrix = from.read<T>(i);
      if (matrix.size() == 0) continue;
      Matrix<T> made(matrix.rows(), matrix.cols());
      if (matrix.allFinite())
        made = matrix.exp();
      else
        made.setConstant(std::numeric_limits<double>::quiet_NaN());
      to.write(i, made);
    }
  });
}

}  // namespace nns::ops
