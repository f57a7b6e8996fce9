#include <cmath>
#include <utility>

#include "core/ops/linalg_kernels.h"
#include "core/ops/linalg_matrices.h"

// Symmetric elimination with blocks of one or two rows, chosen as Bunch and Kaufman do.
// Behaviour: LAPACK sytf2 and sytrs, hetf2 and hetrs, of the lower triangle. A pivot is the row (counted from 1) that
// the row was exchanged with; of a block of two both are negative, and the second row was exchanged.
namespace nns::ops {
namespace {

using Eigen::Index;

template <class T>
using RealOf = decltype(std::abs(T()));

// Of a complex number the sum of the sizes of its parts.
template <class T>
RealOf<T> size_of_item(const T& item) {
  if constexpr (kIsComplex<T>)
    return std::abs(item.real()) + std::abs(item.imag());
  else
    return std::abs(item);
}

template <class T>
struct LdlFactors {
  Matrix<T> ld;
  std::vector<std::int32_t> pivots;
  std::int32_t info = 0;
};

template <class T, bool is_hermitian>
class LdlFactoring {
 public:
  using Real = RealOf<T>;
  explicit LdlFactoring(Matrix<T> a) : made_{std::move(a), {}, 0}, a_(made_.ld), size_(a_.rows()) {
    made_.pivots.resize(static_cast<std::size_t>(size_));
  }

  LdlFactors<T> run() && {
    Index k = 0;
    while (k < size_) {
      const Choice choice = choose(k);
      const Index last = k + choice.step - 1;
      if (choice.is_zero) {
        if (made_.info == 0) made_.info = static_cast<std::int32_t>(k + 1);
        keep_real(k);
      } else {
        exchange(k, last, choice);
        choice.step == 1 ? eliminate_one(k) : eliminate_two(k);
      }
      const auto row = static_cast<std::int32_t>(choice.pivot + 1);
      for (Index i = k; i <= last; ++i) pivot(i) = choice.step == 1 ? row : -row;
      k += choice.step;
    }
    return std::move(made_);
  }

 private:
  struct Choice {
    Index pivot = 0, step = 1;
    bool is_zero = false;
  };

  std::int32_t& pivot(Index i) { return made_.pivots[static_cast<std::size_t>(i)]; }
  static T turned(const T& item) {
    if constexpr (is_hermitian && kIsComplex<T>)
      return std::conj(item);
    else
      return item;
  }
  // The diagonal of a Hermitian matrix is real.
  void keep_real(Index i) {
    if constexpr (is_hermitian && kIsComplex<T>) a_(i, i) = T(a_(i, i).real());
  }
  Real diagonal_size(Index i) const {
    if constexpr (is_hermitian && kIsComplex<T>)
      return std::abs(a_(i, i).real());
    else
      return size_of_item(a_(i, i));
  }
  // The row of the largest item of column `column` from `from` on.
  Index largest_in_column(Index column, Index from) const {
    Index best = from;
    for (Index row = from + 1; row < size_; ++row) {
      if (size_of_item(a_(row, column)) > size_of_item(a_(best, column))) best = row;
    }
    return best;
  }

  Choice choose(Index k) const {
    const Real alpha = (Real(1) + std::sqrt(Real(17))) / Real(8), own = diagonal_size(k);
    const Index row = k + 1 < size_ ? largest_in_column(k, k + 1) : k;
    const Real column_most = row == k ? Real(0) : size_of_item(a_(row, k));
    if (std::max(own, column_most) == Real(0) || std::isnan(own)) return {k, 1, true};
    if (own >= alpha * column_most) return {k, 1, false};
    Real row_most = 0;
    for (Index column = k; column < row; ++column) row_most = std::max(row_most, size_of_item(a_(row, column)));
    if (row + 1 < size_) row_most = std::max(row_most, size_of_item(a_(largest_in_column(row, row + 1), row)));
    if (own >= alpha * column_most * (column_most / row_most)) return {k, 1, false};
    if (diagonal_size(row) >= alpha * row_most) return {row, 1, false};
    return {row, 2, false};
  }

  // Exchanges rows and columns `at` and the pivot in the triangle that is left.
  void exchange(Index k, Index at, const Choice& choice) {
    const Index other = choice.pivot;
    if (other != at) {
      const Index below = size_ - other - 1;
      a_.col(at).tail(below).swap(a_.col(other).tail(below));
      for (Index j = at + 1; j < other; ++j) {
        const T item = turned(a_(j, at));
        a_(j, at) = turned(a_(other, j));
        a_(other, j) = item;
      }
      a_(other, at) = turned(a_(other, at));
      std::swap(a_(at, at), a_(other, other));
      if (choice.step == 2) std::swap(a_(k + 1, k), a_(other, k));
    }
    keep_real(k);
    keep_real(at);
    if (other < size_) keep_real(other);
  }

  void eliminate_one(Index k) {
    const Index below = size_ - k - 1;
    if (below == 0) return;
    const T inverse = T(1) / a_(k, k);
    for (Index j = k + 1; j < size_; ++j) {
      const T factor = inverse * turned(a_(j, k));
      for (Index i = j; i < size_; ++i) a_(i, j) -= a_(i, k) * factor;
      keep_real(j);
    }
    a_.col(k).tail(below) *= inverse;
  }

  void eliminate_two(Index k) {
    if (k + 2 >= size_) return;
    // Of the block [[a, turned(b)], [b, c]] everything is taken by b, so that nothing overflows.
    T scale, first, second, corner, factor;
    if constexpr (is_hermitian && kIsComplex<T>) {
      const Real length = std::abs(a_(k + 1, k));
      first = a_(k + 1, k + 1) / length;
      second = a_(k, k) / length;
      corner = a_(k + 1, k) / length;
      scale = T(length);
    } else {
      scale = a_(k + 1, k);
      first = a_(k + 1, k + 1) / scale;
      second = a_(k, k) / scale;
      corner = T(1);
    }
    factor = T(1) / (first * second - T(1)) / scale;
    for (Index j = k + 2; j < size_; ++j) {
      const T left = factor * (first * a_(j, k) - corner * a_(j, k + 1));
      const T right = factor * (second * a_(j, k + 1) - turned(corner) * a_(j, k));
      for (Index i = j; i < size_; ++i) a_(i, j) -= a_(i, k) * turned(left) + a_(i, k + 1) * turned(right);
      a_(j, k) = left;
      a_(j, k + 1) = right;
      keep_real(j);
    }
  }

  LdlFactors<T> made_;
  Matrix<T>& a_;
  Index size_;
};

// Exchanges two rows that a pivot names; it may come from a program.
template <class T>
void exchange_with(Matrix<T>& b, Index row, std::int64_t pivot) {
  const auto other = static_cast<Index>(std::abs(pivot) - 1);
  if (other != row && other >= 0 && other < b.rows()) b.row(row).swap(b.row(other));
}

template <class T>
Matrix<T> ldl_solved(const Matrix<T>& ld, const std::vector<std::int64_t>& pivots, Matrix<T> b, bool is_hermitian) {
  const Index size = ld.rows();
  const auto turned = [&](const T& item) {
    if constexpr (kIsComplex<T>)
      return is_hermitian ? std::conj(item) : item;
    else
      return item;
  };
  const auto diagonal = [&](Index i) {
    if constexpr (kIsComplex<T>)
      return is_hermitian ? T(ld(i, i).real()) : ld(i, i);
    else
      return ld(i, i);
  };
  const auto pivot = [&](Index i) { return pivots[static_cast<std::size_t>(i)]; };
  // 1. P L D.
  for (Index k = 0; k < size;) {
    if (pivot(k) > 0 || k + 1 == size) {
      exchange_with(b, k, pivot(k));
      const Index below = size - k - 1;
      b.bottomRows(below).noalias() -= ld.col(k).tail(below) * b.row(k);
      b.row(k) /= diagonal(k);
      ++k;
      continue;
    }
    exchange_with(b, k + 1, pivot(k));
    const Index below = size - k - 2;
    b.bottomRows(below).noalias() -= ld.col(k).tail(below) * b.row(k);
    b.bottomRows(below).noalias() -= ld.col(k + 1).tail(below) * b.row(k + 1);
    const T side = ld(k + 1, k), first = ld(k, k) / turned(side), second = ld(k + 1, k + 1) / side;
    const T determinant = first * second - T(1);
    for (Index j = 0; j < b.cols(); ++j) {
      const T upper = b(k, j) / turned(side), lower = b(k + 1, j) / side;
      b(k, j) = (second * upper - lower) / determinant;
      b(k + 1, j) = (first * lower - upper) / determinant;
    }
    k += 2;
  }
  // 2. The transposed L and P.
  const auto take = [&](Index row, Index from) {
    for (Index j = 0; j < b.cols(); ++j) {
      for (Index i = from; i < size; ++i) b(row, j) -= turned(ld(i, row)) * b(i, j);
    }
  };
  for (Index k = size - 1; k >= 0;) {
    take(k, k + 1);
    if (pivot(k) > 0 || k == 0) {
      exchange_with(b, k, pivot(k));
      --k;
      continue;
    }
    take(k - 1, k + 1);
    exchange_with(b, k, pivot(k));
    k -= 2;
  }
  return b;
}

std::vector<std::int64_t> ldl_pivots(const MatricesOf& pivots, std::int64_t index) {
  const Matrix<double> read = pivots.read<double>(index);
  std::vector<std::int64_t> made;
  for (Index k = 0; k < read.size(); ++k) made.push_back(static_cast<std::int64_t>(read(k)));
  return made;
}

}  // namespace

PyResult<void> run_ldl_factor(OpCall& call) {
  const Tensor& a = call.required(0);
  const Dims batch = batch_of(a);
  const bool is_hermitian = call.flag(1);
  return with_items(call, a.dtype(), "ldl_factor_cpu", [&]<class T>(T) {
    const MatricesOf from(a, batch), to(call.output(0), batch);
    for (std::int64_t i = 0; i < from.count(); ++i) {
      Matrix<T> lower = from.read<T>(i).template triangularView<Eigen::Lower>();
      const LdlFactors<T> factors =
          is_hermitian ? LdlFactoring<T, true>(std::move(lower)).run() : LdlFactoring<T, false>(std::move(lower)).run();
      to.write(i, factors.ld);
      const auto count = static_cast<std::int64_t>(factors.pivots.size());
      for (std::int64_t k = 0; k < count; ++k) {
        int_at(call.output(1), i * count + k) = factors.pivots[static_cast<std::size_t>(k)];
      }
      int_at(call.output(2), i) = factors.info;
    }
  });
}

PyResult<void> run_ldl_solve(OpCall& call) {
  const Tensor& ld = call.required(0);
  const Dims batch = batch_of(call.output());
  return with_items(call, ld.dtype(), "ldl_solve_cpu", [&]<class T>(T) {
    const MatricesOf factors(ld, batch), pivots(call.required(1), batch, MatricesOf::Form::Vector),
        b(call.required(2), batch), to(call.output(), batch);
    for (std::int64_t i = 0; i < to.count(); ++i) {
      to.write(i, ldl_solved<T>(factors.read<T>(i), ldl_pivots(pivots, i), b.read<T>(i), call.flag(3)));
    }
  });
}

}  // namespace nns::ops
