#include "core/ops/linalg_kernels.h"
#include "core/ops/linalg_matrices.h"

// Elimination with row exchanges, and what is solved with it.
// Behaviour: LAPACK getrf and getrs: the pivot is the first item of a column whose size (of a complex item the sum of
// the sizes of its parts) is the largest; a column without any is passed over, and the first such is told.
namespace nns::ops {
namespace {

template <class T>
auto size_of(const T& item) {
  if constexpr (kIsComplex<T>)
    return std::abs(item.real()) + std::abs(item.imag());
  else
    return std::abs(item);
}

template <class T>
struct Factors {
  Matrix<T> lu;
  /// Counted from 1, as LAPACK does.
  std::vector<std::int32_t> pivots;
  std::int32_t info = 0;
};

// Eliminates the columns of one panel, `width` of them from `from` on.
template <class T>
void factor_panel(Factors<T>& factors, Eigen::Index from, Eigen::Index width) {
  Matrix<T>& a = factors.lu;
  const Eigen::Index rows = a.rows(), end = from + width;
  for (Eigen::Index k = from; k < end; ++k) {
    Eigen::Index best = k;
    for (Eigen::Index row = k + 1; row < rows; ++row) {
      if (size_of(a(row, k)) > size_of(a(best, k))) best = row;
    }
    factors.pivots.push_back(static_cast<std::int32_t>(best + 1));
    if (a(best, k) == T(0)) {
      if (factors.info == 0) factors.info = static_cast<std::int32_t>(k + 1);
      continue;
    }
    if (best != k) a.row(k).swap(a.row(best));
    const Eigen::Index below = rows - k - 1;
    a.col(k).tail(below) /= a(k, k);
    a.block(k + 1, k + 1, below, end - k - 1).noalias() -= a.col(k).tail(below) * a.row(k).segment(k + 1, end - k - 1);
  }
}

template <class T>
Factors<T> factor(Matrix<T> matrix) {
  constexpr Eigen::Index kPanel = 32;
  Factors<T> factors{std::move(matrix), {}, 0};
  Matrix<T>& a = factors.lu;
  const Eigen::Index count = std::min(a.rows(), a.cols());
  for (Eigen::Index k = 0; k < count; k += kPanel) {
    const Eigen::Index width = std::min(kPanel, count - k), behind = k + width;
    factor_panel(factors, k, width);
    const Eigen::Index rest = a.cols() - behind, below = a.rows() - behind;
    if (rest == 0) continue;
    auto top = a.block(k, behind, width, rest);
    substitute(a.block(k, k, width, width), top, false, true);
    if (below > 0) a.block(behind, behind, below, rest).noalias() -= a.block(behind, k, below, width) * top;
  }
  return factors;
}

// Exchanges rows as the elimination did, or back.
template <class T>
void exchange_rows(Matrix<T>& b, std::span<const std::int32_t> pivots, bool back) {
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    const std::size_t k = back ? pivots.size() - 1 - i : i;
    const auto row = static_cast<Eigen::Index>(k), other = static_cast<Eigen::Index>(pivots[k] - 1);
    if (row != other && other >= 0 && other < b.rows()) b.row(row).swap(b.row(other));
  }
}

template <class T>
void solve_left(const Matrix<T>& lu, std::span<const std::int32_t> pivots, Matrix<T>& b, bool adjoint) {
  if (adjoint) {
    const Matrix<T> turned = lu.adjoint();
    substitute(turned, b, false, false);
    substitute(turned, b, true, true);
    exchange_rows(b, pivots, true);
  } else {
    exchange_rows(b, pivots, false);
    substitute(lu, b, false, true);
    substitute(lu, b, true, false);
  }
}

// A X = B, or X A = B, where `adjoint` with the adjoint of A.
template <class T>
Matrix<T> solve_with(const Matrix<T>& lu, std::span<const std::int32_t> pivots, Matrix<T> b, bool left, bool adjoint) {
  if (left) {
    solve_left(lu, pivots, b, adjoint);
    return b;
  }
  Matrix<T> turned = b.adjoint();
  solve_left(lu, pivots, turned, !adjoint);
  return turned.adjoint();
}

void write_pivots(const Tensor& pivots, std::int64_t index, std::span<const std::int32_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  for (std::int64_t k = 0; k < count; ++k) int_at(pivots, index * count + k) = values[static_cast<std::size_t>(k)];
}
std::vector<std::int32_t> read_pivots(const MatricesOf& pivots, std::int64_t index) {
  const Matrix<double> read = pivots.read<double>(index);
  std::vector<std::int32_t> made;
  for (Eigen::Index k = 0; k < read.size(); ++k) made.push_back(static_cast<std::int32_t>(read(k)));
  return made;
}

// Whether all of them name rows (counted from 1): they may come from a program.
bool are_rows(const Tensor& pivots, std::int64_t least, std::int64_t most) {
  bool are = true;
  tensor::for_each_place(pivots, [&](std::int64_t place) {
    const std::int64_t row = tensor::read_int64(pivots, place);
    are = are && row >= least && row <= most;
  });
  return are;
}

// Which rows P's ones stand in, column for column: P L U is the matrix.
template <class T>
Matrix<T> permutation_of(std::span<const std::int32_t> pivots, Eigen::Index rows) {
  Matrix<T> made = Matrix<T>::Identity(rows, rows);
  exchange_rows(made, pivots, true);
  return made;
}

// PyTorch eliminates the transposed of a real matrix that lies row after row, which needs no copy there; rounding and
// the number of a zero pivot show it.
bool takes_transposed(const Tensor& a) { return a.is_contiguous() && !tensor::is_complex(a.dtype()); }

template <class T>
Factors<T> factor_of(const MatricesOf& a, std::int64_t index, bool is_transposed) {
  Matrix<T> read = a.read<T>(index);
  return factor<T>(is_transposed ? Matrix<T>(read.transpose()) : std::move(read));
}

// Whether the rows were exchanged an odd number of times.
bool is_odd(std::span<const std::int32_t> pivots) {
  bool odd = false;
  for (std::size_t k = 0; k < pivots.size(); ++k) odd = odd != (pivots[k] != static_cast<std::int32_t>(k + 1));
  return odd;
}

}  // namespace

PyResult<void> run_lu_factor(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  return with_items(call, a.dtype(), "lu_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch), to(call.output(0), batch);
    for (std::int64_t i = 0; i < from.count(); ++i) {
      const Factors<T> factors = factor<T>(from.read<T>(i));
      to.write(i, factors.lu);
      write_pivots(call.output(1), i, factors.pivots);
      int_at(call.output(2), i) = factors.info;
    }
  });
}

namespace {

template <class T>
void write_triangles(const OpCall& call, const Dims& batch, std::int64_t index, const Matrix<T>& lu) {
  const Eigen::Index count = std::min(lu.rows(), lu.cols());
  Matrix<T> l = lu.leftCols(count).template triangularView<Eigen::StrictlyLower>();
  l.diagonal().setOnes();
  MatricesOf(call.output(1), batch).write(index, l);
  const Matrix<T> u = lu.topRows(count).template triangularView<Eigen::Upper>();
  MatricesOf(call.output(2), batch).write(index, u);
}

}  // namespace

PyResult<void> run_lu(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  return with_items(call, a.dtype(), "lu_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch), p(call.output(0), batch);
    for (std::int64_t i = 0; i < from.count(); ++i) {
      const Factors<T> factors = factor<T>(from.read<T>(i));
      p.write(i, permutation_of<T>(factors.pivots, factors.lu.rows()));
      write_triangles(call, batch, i, factors.lu);
    }
  });
}

PyResult<void> run_lu_unpack(OpCall& call) {
  const Tensor& lu = call.required(0);
  if (call.flag(3) && !are_rows(call.required(1), 1, rows_of(lu))) {
    return object::runtime_error(
        call.interpreter,
        "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly "
        "pass the result of lu_factor?");
  }
  const Dims batch = batch_of(lu);
  return with_items(call, lu.dtype(), "lu_unpack_cpu", [&]<class T>(T) {
    const MatricesOf from(lu, batch);
    for (std::int64_t i = 0; i < from.count(); ++i) {
      if (call.flag(2)) write_triangles(call, batch, i, from.read<T>(i));
      if (!call.flag(3)) continue;
      const std::vector<std::int32_t> pivots =
          read_pivots(MatricesOf(call.required(1), batch, MatricesOf::Form::Vector), i);
      MatricesOf(call.output(0), batch).write(i, permutation_of<T>(pivots, rows_of(lu)));
    }
  });
}

PyResult<void> run_lu_solve(OpCall& call) {
  const Tensor& lu = call.required(0);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!are_rows(call.required(1), 1, kMost)) {
    return object::runtime_error(
        call.interpreter,
        "Pivots given to lu_solve must all be greater or equal to 1. Did you properly pass the "
        "result of lu_factor?");
  }
  if (!are_rows(call.required(1), 1, rows_of(lu))) {
    return object::runtime_error(
        call.interpreter,
        "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). Did you properly "
        "pass the result of lu_factor?");
  }
  const Dims batch = batch_of(call.output());
  return with_items(call, lu.dtype(), "lu_solve_cpu", [&]<class T>(T) {
    const MatricesOf factors(lu, batch), pivots(call.required(1), batch, MatricesOf::Form::Vector),
        b(call.required(2), batch), to(call.output(), batch);
    for (std::int64_t i = 0; i < to.count(); ++i) {
      to.write(i, solve_with<T>(factors.read<T>(i), read_pivots(pivots, i), b.read<T>(i), call.flag(3), call.flag(4)));
    }
  });
}

PyResult<void> run_solve(OpCall& call) {
  const Tensor& a = call.required(0);
  const Tensor& b = call.required(1);
  const bool is_vector = is_vector_system(a.shape(), b.shape());
  const MatricesOf::Form form = is_vector ? MatricesOf::Form::Vector : MatricesOf::Form::Matrix;
  const Tensor& x = call.output();
  const Dims batch(x.shape().span().first(x.ndim() - (is_vector ? 1 : 2)));
  const Dims own = batch_of(a);
  const bool is_transposed = takes_transposed(a);
  return with_items(call, a.dtype(), "linalg_solve_cpu", [&]<class T>(T) {
    const MatricesOf from(a, own), lu(call.output(1), own), right(b, batch, form), to(x, batch, form);
    for (std::int64_t i = 0; i < from.count(); ++i) {
      const Factors<T> factors = factor_of<T>(from, i, is_transposed);
      lu.write(i, factors.lu);
      write_pivots(call.output(2), i, factors.pivots);
      int_at(call.output(3), i) = factors.info;
    }
    const MatricesOf spread(call.output(1), batch), pivots(call.output(2), batch, MatricesOf::Form::Vector);
    for (std::int64_t i = 0; i < to.count(); ++i) {
      to.write(i,
               solve_with<T>(spread.read<T>(i), read_pivots(pivots, i), right.read<T>(i), call.flag(2), is_transposed));
    }
  });
}

PyResult<void> run_inverse(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  const bool is_transposed = takes_transposed(a);
  return with_items(call, a.dtype(), "linalg_inv_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch), to(call.output(0), batch);
    for (std::int64_t i = 0; i < from.count(); ++i) {
      const Factors<T> factors = factor_of<T>(from, i, is_transposed);
      to.write(i, solve_with<T>(factors.lu, factors.pivots, Matrix<T>::Identity(rows_of(a), rows_of(a)), true,
                                is_transposed));
      int_at(call.output(1), i) = factors.info;
    }
  });
}

PyResult<void> run_det(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  return with_items(call, a.dtype(), "linalg_det_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch), lu(call.output(1), batch);
    for (std::int64_t i = 0; i < from.count(); ++i) {
      const Factors<T> factors = factor_of<T>(from, i, takes_transposed(a));
      lu.write(i, factors.lu);
      write_pivots(call.output(2), i, factors.pivots);
      const T product = factors.lu.diagonal().prod();
      reinterpret_cast<T*>(call.output(0).data())[i] = is_odd(factors.pivots) ? -product : product;
    }
  });
}

PyResult<void> run_slogdet(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  return with_items(call, a.dtype(), "linalg_slogdet_cpu", [&]<class T>(T) {
    using Real = decltype(std::abs(T()));
    const MatricesOf from(a, batch), lu(call.output(2), batch);
    for (std::int64_t i = 0; i < from.count(); ++i) {
      const Factors<T> factors = factor_of<T>(from, i, takes_transposed(a));
      lu.write(i, factors.lu);
      write_pivots(call.output(3), i, factors.pivots);
      T sign = is_odd(factors.pivots) ? T(-1) : T(1);
      Real logarithm = 0;
      for (Eigen::Index k = 0; k < factors.lu.rows(); ++k) {
        const T item = factors.lu(k, k);
        const Real size = std::abs(item);
        sign *= size == 0 ? T(0) : item / size;
        logarithm += std::log(size);
      }
      reinterpret_cast<T*>(call.output(0).data())[i] = sign;
      reinterpret_cast<Real*>(call.output(1).data())[i] = logarithm;
    }
  });
}

}  // namespace nns::ops
