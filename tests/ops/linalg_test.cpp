// The factors of torch.linalg give their matrices back, in float64 and complex128, for matrices of several shapes; what
// LAPACK decides (pivots, signs, orders) is as there; errors.
#include <cmath>
#include <complex>

#include "core/ops/number_to.h"
#include "tests/ops/op_fixture.h"

namespace nns::tests {
namespace {

using ops::apply;
using ops::Term;

Term adjoint(const Term& x) { return ops::conj(apply(OpId::transpose, {x, -2, -1})); }
Term diagonal_matrix(const Term& x) { return apply(OpId::diag_embed, {x}); }

class Linalg : public OpFixture {
 public:
  /// Numbers in (-1, 1) in no order.
  Ref<Tensor> matrices(const Dims& shape, int seed, DType dtype) {
    std::vector<double> values;
    std::uint32_t state = static_cast<std::uint32_t>(seed) * 2654435761U + 99U;
    const bool is_complex = tensor::is_complex(dtype);
    const std::int64_t count = tensor::element_count(shape) * (is_complex ? 2 : 1);
    for (std::int64_t i = 0; i < count; ++i) {
      state = state * 1664525U + 1013904223U;
      values.push_back(static_cast<double>(state >> 8U) / 8388608.0 - 1);
    }
    if (!is_complex) return make(shape, values, dtype);
    std::vector<std::int64_t> pairs(shape.begin(), shape.end());
    pairs.push_back(2);
    return tensor::clone(apply(OpId::view_as_complex, {Term(make(Dims(pairs), values, DType::Float64))}).tensor());
  }
  std::vector<Term> parts(OpId id, const Arguments& args) {
    const Value made = called(id, args);
    std::vector<Term> found;
    if (const auto* const tuple = made.as<object::Tuple>()) {
      for (const Value& item : tuple->items()) found.emplace_back(Ref<Tensor>(item.as<Tensor>()));
    }
    return found;
  }
  /// The largest distance of two tensors' items.
  double distance(const Term& a, const Term& b) {
    const Term difference = apply(OpId::abs, {a - b});
    EXPECT_TRUE(difference.ok()) << (difference.ok() ? "" : difference.result().error().message());
    if (!difference.ok()) return 1;
    double most = 0;
    for (const double item : items(difference.tensor())) most = std::isnan(item) ? 1e300 : std::max(most, item);
    return most;
  }
  void expect_same(const Term& a, const Term& b, const std::string& what) { EXPECT_LT(distance(a, b), 1e-12) << what; }
  Term unit_like(const Term& x) { return apply(OpId::matmul, {x, apply(OpId::linalg_inv, {x})}); }
  void expect_orthogonal(const Term& q, const std::string& what) {
    const Term product = ops::matmul(adjoint(q), q);
    const std::int64_t size = product.tensor().shape()[product.tensor().ndim() - 1];
    const Ref<Tensor> unit = tensor::zeros(in, Dims({size, size}), product.tensor().dtype());
    tensor::fill_items(*tensor::as_strided(*unit, Dims({size}), Dims({size + 1}), 0), 1);
    expect_same(product, Term(unit), what);
  }
};

class LinalgOfShape : public Linalg, public testing::WithParamInterface<std::tuple<Dims, DType>> {
 public:
  Ref<Tensor> a = matrices(std::get<0>(GetParam()), 1, std::get<1>(GetParam()));
  DType dtype = std::get<1>(GetParam());
  Term as_items(const Term& x) { return ops::as_dtype(x, dtype); }
};

TEST_P(LinalgOfShape, FactorsGiveTheMatrixBack) {
  const Term wanted(a);
  const std::vector<Term> lu = parts(OpId::linalg_lu, {Value(a)});
  expect_same(ops::matmul(lu[0], ops::matmul(lu[1], lu[2])), wanted, "P L U");
  const std::vector<Term> packed = parts(OpId::linalg_lu_factor_ex, {Value(a)});
  const std::vector<Term> unpacked = parts(OpId::lu_unpack, {Value(packed[0].ref()), Value(packed[1].ref())});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(distance(unpacked[i], lu[i]), 0);

  for (const char* const mode : {"reduced", "complete"}) {
    const std::vector<Term> qr = parts(OpId::linalg_qr, {Value(a), text(mode)});
    expect_same(ops::matmul(qr[0], qr[1]), wanted, mode);
    expect_orthogonal(qr[0], mode);
    EXPECT_EQ(distance(apply(OpId::triu, {qr[1]}), qr[1]), 0);
  }
  for (const bool is_full : {false, true}) {
    const std::vector<Term> svd = parts(OpId::linalg_svd, {Value(a), Value(is_full)});
    const std::int64_t least = svd[1].tensor().shape()[svd[1].tensor().ndim() - 1];
    const Term u = apply(OpId::narrow, {svd[0], -1, 0, least}), vh = apply(OpId::narrow, {svd[2], -2, 0, least});
    expect_same(ops::matmul(ops::matmul(u, as_items(diagonal_matrix(svd[1]))), vh), wanted, "U S Vh");
    expect_orthogonal(svd[0], "U");
    expect_orthogonal(adjoint(svd[2]), "V");
    const std::vector<double> values = items(svd[1].tensor());
    for (std::size_t i = 1; i < static_cast<std::size_t>(least); ++i) EXPECT_GE(values[i - 1], values[i]);
  }
  const Term inverse(made(OpId::linalg_pinv_tensors, {Value(a)}));
  expect_same(ops::matmul(ops::matmul(wanted, inverse), wanted), wanted, "A A+ A");
  expect_same(ops::matmul(ops::matmul(inverse, wanted), inverse), inverse, "A+ A A+");
}

TEST_P(LinalgOfShape, ReflectionsMakeQ) {
  const std::vector<Term> packed = parts(OpId::geqrf, {Value(a)});
  const std::vector<Term> qr = parts(OpId::linalg_qr, {Value(a), text("complete")});
  const std::int64_t rows = a->shape()[a->ndim() - 2], columns = a->shape()[a->ndim() - 1];
  const Term r = apply(OpId::triu, {apply(OpId::narrow, {packed[0], -2, 0, std::min(rows, columns)})});
  expect_same(r, apply(OpId::narrow, {qr[1], -2, 0, std::min(rows, columns)}), "R");
  expect_same(apply(OpId::ormqr, {packed[0], packed[1], qr[1]}), Term(a), "Q R");
  expect_same(apply(OpId::ormqr, {packed[0], packed[1], Term(a), true, true}), qr[1], "Q^H A");
  if (rows < columns) return;
  const Term q = apply(OpId::linalg_householder_product, {packed[0], packed[1]});
  expect_same(q, apply(OpId::narrow, {qr[0], -1, 0, columns}), "Q");
}

INSTANTIATE_TEST_SUITE_P(Shapes, LinalgOfShape,
                         testing::Combine(testing::Values(Dims({1, 1}), Dims({3, 3}), Dims({5, 2}), Dims({2, 5}),
                                                          Dims({2, 3, 4}), Dims({70, 70}), Dims({40, 50})),
                                          testing::Values(DType::Float64, DType::Complex128)));

class LinalgOfSquares : public Linalg, public testing::WithParamInterface<std::tuple<Dims, DType>> {
 public:
  DType dtype = std::get<1>(GetParam());
  Ref<Tensor> a = matrices(std::get<0>(GetParam()), 2, std::get<1>(GetParam()));
  Term hermitian = Term(a) + adjoint(Term(a));
};

TEST_P(LinalgOfSquares, SystemsAndInversesFit) {
  const Dims shape = std::get<0>(GetParam());
  const Ref<Tensor> b = matrices(shape, 3, dtype);
  const Term matrix(a), right(b);
  for (const bool is_turned : {false, true}) {
    // One whose items lie column after column takes another way.
    const Term system = is_turned ? apply(OpId::transpose,
                                          {apply(OpId::contiguous, {apply(OpId::transpose, {matrix, -2, -1})}), -2, -1})
                                  : matrix;
    EXPECT_LT(distance(ops::matmul(matrix, apply(OpId::linalg_solve, {system, right})), right), 1e-10);
    EXPECT_LT(distance(ops::matmul(apply(OpId::linalg_solve, {system, right, false}), matrix), right), 1e-10);
    const std::vector<Term> packed = parts(OpId::linalg_lu_factor, {Value(system.ref())});
    for (const bool left : {true, false}) {
      for (const bool is_adjoint : {true, false}) {
        const Term x = apply(OpId::linalg_lu_solve, {packed[0], packed[1], right, left, is_adjoint});
        const Term used = is_adjoint ? adjoint(matrix) : matrix;
        EXPECT_LT(distance(left ? ops::matmul(used, x) : ops::matmul(x, used), right), 1e-10);
      }
    }
    const Term inverse = apply(OpId::linalg_inv, {system});
    EXPECT_LT(distance(ops::matmul(inverse, ops::matmul(matrix, right)), right), 1e-10);
    const std::vector<Term> slogdet = parts(OpId::linalg_slogdet, {Value(system.ref())});
    const Term det = apply(OpId::linalg_det, {system});
    const Term ratio = ops::as_dtype(ops::exp(slogdet[1]), dtype) * slogdet[0] / det;
    for (const double item : items(apply(OpId::abs, {ratio - 1.0}).tensor())) EXPECT_LT(item, 1e-10);
  }
}

TEST_P(LinalgOfSquares, EigenvectorsGiveTheMatrixBack) {
  for (const char* const triangle : {"L", "U"}) {
    const std::vector<Term> found = parts(OpId::linalg_eigh, {Value(hermitian.ref()), text(triangle)});
    const Term values = ops::as_dtype(diagonal_matrix(found[0]), dtype);
    EXPECT_LT(distance(ops::matmul(ops::matmul(found[1], values), adjoint(found[1])), hermitian), 1e-11);
    expect_orthogonal(found[1], "eigh");
    EXPECT_LT(distance(Term(made(OpId::linalg_eigvalsh, {Value(hermitian.ref()), text(triangle)})), found[0]), 1e-11);
  }
  const std::vector<Term> found = parts(OpId::linalg_eig, {Value(a)});
  const Term whole = ops::as_dtype(Term(a), DType::Complex128);
  EXPECT_LT(distance(ops::matmul(whole, found[1]), ops::matmul(found[1], diagonal_matrix(found[0]))), 1e-11);
  for (const double length : items(
           apply(OpId::sum_dim, {apply(OpId::abs, {found[1]}) * apply(OpId::abs, {found[1]}), ints({-2})}).tensor())) {
    EXPECT_NEAR(length, 1, 1e-12);
  }
  EXPECT_LT(distance(Term(made(OpId::linalg_eigvals, {Value(a)})), found[0]), 1e-11);
}

TEST_P(LinalgOfSquares, CholeskyFactorsGiveTheMatrixBack) {
  const std::int64_t size = a->shape()[a->ndim() - 1];
  const Ref<Tensor> unit = tensor::zeros(in, Dims({size, size}), dtype);
  tensor::fill_items(*tensor::as_strided(*unit, Dims({size}), Dims({size + 1}), 0), 1);
  const Term positive = ops::matmul(Term(a), adjoint(Term(a))) + Term(unit);
  const Term l = apply(OpId::linalg_cholesky, {positive}), u = apply(OpId::linalg_cholesky, {positive, true});
  EXPECT_LT(distance(ops::matmul(l, adjoint(l)), positive), 1e-11);
  EXPECT_LT(distance(u, adjoint(l)), 1e-13);
  EXPECT_EQ(distance(apply(OpId::tril, {l}), l), 0);
  EXPECT_LT(distance(ops::matmul(positive, apply(OpId::cholesky_inverse, {l})), Term(unit)), 1e-10);
  const Term right(matrices(a->shape(), 5, dtype));
  EXPECT_LT(distance(ops::matmul(positive, apply(OpId::cholesky_solve, {right, u, true})), right), 1e-10);
  for (const bool left : {true, false}) {
    const Term x = apply(OpId::linalg_solve_triangular, {l, right, false, left});
    EXPECT_LT(distance(left ? ops::matmul(l, x) : ops::matmul(x, l), right), 1e-11);
  }
}

TEST_P(LinalgOfSquares, ExponentialsAndPowersMultiply) {
  const Term half = Term(a) * 0.05;
  const Term e = apply(OpId::linalg_matrix_exp, {half});
  EXPECT_LT(distance(ops::matmul(e, e), apply(OpId::linalg_matrix_exp, {half * 2.0})), 1e-11);
  const Term cube = apply(OpId::linalg_matrix_power, {half, 3});
  EXPECT_LT(distance(cube, ops::matmul(half, ops::matmul(half, half))), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Shapes, LinalgOfSquares,
                         testing::Combine(testing::Values(Dims({1, 1}), Dims({2, 2}), Dims({4, 4}), Dims({2, 3, 3}),
                                                          Dims({40, 40})),
                                          testing::Values(DType::Float64, DType::Complex128)));

TEST_F(Linalg, ConventionsAreThoseOfLapack) {
  // R has the signs of geqrf, pivots count from 1, and eigenvalues that balancing isolates come in its order.
  const Value a(make(Dims({2, 2}), {3, 1, 4, 2}, DType::Float64));
  const std::vector<Term> qr = parts(OpId::linalg_qr, {a});
  EXPECT_NEAR(items(qr[1].tensor())[0], -5, 1e-15);
  EXPECT_NEAR(items(qr[1].tensor())[3], 0.4, 1e-15);
  EXPECT_EQ(items(parts(OpId::linalg_lu_factor, {a})[1].tensor()), Numbers({2, 2}));
  const Value lower(make(Dims({2, 2}), {2, 0, 1, 3}, DType::Float64));
  const Term values = parts(OpId::linalg_eig, {lower})[0];
  EXPECT_EQ(items(apply(OpId::real, {values}).tensor()), Numbers({3, 2}));
}

TEST_F(Linalg, ErrorsNameTheMatrixAndTheElement) {
  const Value singular(make(Dims({2, 2}), {1, 2, 2, 4}, DType::Float64));
  EXPECT_EQ(error(OpId::linalg_inv, {singular}),
            "LinAlgError: linalg.inv: The diagonal element 2 is zero, the inversion could not be completed because the "
            "input matrix is singular.");
  EXPECT_EQ(error(OpId::linalg_solve, {singular, singular}),
            "LinAlgError: linalg.solve: The solver failed because the input matrix is singular.");
  const Value batch(make(Dims({2, 2, 2}), {1, 0, 0, 1, 1, 2, 2, 1}, DType::Float64));
  EXPECT_EQ(
      error(OpId::linalg_cholesky, {batch}),
      "LinAlgError: linalg.cholesky: (Batch element 1): The factorization could not be completed because the input "
      "is not positive-definite (the leading minor of order 2 is not positive-definite).");
  EXPECT_EQ(
      error(OpId::linalg_lu_factor, {singular}),
      "RuntimeError: torch.linalg.lu_factor: U[2,2] is zero and using it on lu_solve would result in a division by "
      "zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
      "linalg.lu_factor_ex(A, pivot)");
  EXPECT_EQ(error(OpId::linalg_det, {Value(make(Dims({2, 3}), Numbers(6, 1)))}),
            "RuntimeError: linalg.det: A must be batches of square matrices, but they are 2 by 3 matrices");
  EXPECT_EQ(error(OpId::linalg_inv, {Value(make(Dims({2, 2}), Numbers(4, 1), DType::Float16))}),
            "RuntimeError: linalg.inv: Low precision dtypes not supported. Got Half");
  EXPECT_EQ(error(OpId::linalg_svd, {Value(make(Dims({2, 2}), {1, NAN, 0, 1}))}),
            "LinAlgError: linalg.svd: The algorithm failed to converge because the input matrix contained non-finite "
            "values.");
}

TEST_F(Linalg, MatricesWithoutItemsAreTaken) {
  const Value none(make(Dims({0, 0}), {})), many(tensor::zeros(in, Dims({2, 0, 0}))),
      flat(tensor::zeros(in, Dims({3, 0})));
  EXPECT_EQ(items(OpId::linalg_det, {none}), Numbers({1}));
  EXPECT_EQ(items(OpId::linalg_det, {many}), Numbers({1, 1}));
  EXPECT_EQ(made(OpId::linalg_inv, {many})->shape(), Dims({2, 0, 0}));
  EXPECT_EQ(made(OpId::linalg_svdvals, {flat})->shape(), Dims({0}));
  EXPECT_EQ(parts(OpId::linalg_svd, {flat})[0].tensor().shape(), Dims({3, 3}));
  EXPECT_EQ(parts(OpId::linalg_qr, {flat})[0].tensor().shape(), Dims({3, 0}));
  EXPECT_EQ(made(OpId::linalg_pinv_tensors, {flat})->shape(), Dims({0, 3}));
  EXPECT_EQ(items(OpId::linalg_matrix_rank_tensors, {many}), Numbers({0, 0}));
  EXPECT_EQ(made(OpId::linalg_solve, {none, Value(tensor::zeros(in, Dims({0, 2})))})->shape(), Dims({0, 2}));
  EXPECT_EQ(parts(OpId::linalg_lstsq, {flat, Value(tensor::zeros(in, Dims({3, 2})))})[0].tensor().shape(),
            Dims({0, 2}));
  EXPECT_EQ(parts(OpId::linalg_eigh, {many})[0].tensor().shape(), Dims({2, 0}));
  EXPECT_EQ(parts(OpId::linalg_eig, {many})[0].tensor().shape(), Dims({2, 0}));
}

TEST_F(Linalg, ShapesAreKnownWithoutBytes) {
  const Value square(meta(Dims({2, 3, 3}))), tall(meta(Dims({4, 2})));
  EXPECT_EQ(made(OpId::linalg_inv, {square})->shape(), Dims({2, 3, 3}));
  EXPECT_EQ(made(OpId::linalg_det, {square})->shape(), Dims({2}));
  EXPECT_EQ(parts(OpId::linalg_svd, {tall, Value(false)})[0].tensor().shape(), Dims({4, 2}));
  EXPECT_EQ(parts(OpId::linalg_lstsq, {tall, Value(meta(Dims({4, 3})))})[0].tensor().shape(), Dims({2, 3}));
  EXPECT_EQ(made(OpId::linalg_pinv_tensors, {tall})->shape(), Dims({2, 4}));
  EXPECT_EQ(made(OpId::linalg_matrix_norm, {tall, Value(2)})->shape(), Dims());
}

}  // namespace
}  // namespace nns::tests
