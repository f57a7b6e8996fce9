#pragma once

#include "core/ops/node.h"
#include "core/ops/term.h"

// What the ops of torch.linalg are written with: checks in PyTorch's words, and matrices as terms. The last two
// dimensions of a tensor are those of its matrices, the others count the matrices (its batch). Not for callers of ops.
namespace nns::ops {

/// Errors: RuntimeError  fewer than two dimensions: "linalg.qr: The input tensor A must have at least 2 dimensions.".
PyResult<void> check_matrices(Interpreter& interpreter, const Tensor& tensor, std::string_view api,
                              std::string_view argument = "A");
/// Errors: RuntimeError  no square matrices.
PyResult<void> check_square(Interpreter& interpreter, const Tensor& tensor, std::string_view api);
/// Errors: RuntimeError  neither floating nor complex, or (where they are not taken) of 16 bits.
PyResult<void> check_fractional(Interpreter& interpreter, const Tensor& tensor, std::string_view api,
                                bool takes_low_precision = true);
/// Errors: RuntimeError  the matrices of A X = B (or X A = B) do not fit.
PyResult<void> check_system(Interpreter& interpreter, const Tensor& a, const Tensor& b, bool left,
                            std::string_view api);
/// Whether `b` is a vector for each matrix of `a` (or one for all) rather than matrices.
bool is_vector_system(const Dims& a, const Dims& b);
/// LAPACK's results, one a matrix: 0 where it went well.
/// Errors: LinAlgError (of lu_factor RuntimeError)  the first that is not, with its place where `is_batch`.
PyResult<void> check_infos(Interpreter& interpreter, const Tensor& infos, std::string_view api, bool is_batch);

/// Says that what is done next depends on values, so that a captured step is not replayed without a look at them.
void note_reading(std::string_view what);

/// The dimensions that count the matrices.
Dims batch_of(const Tensor& matrices);
/// `batch` with these behind.
Dims with_sizes(const Dims& batch, std::initializer_list<std::int64_t> sizes);
std::int64_t rows_of(const Tensor& matrices);
std::int64_t columns_of(const Tensor& matrices);
/// The dtype of sizes of complex numbers: float32 of complex64.
DType real_dtype_of(DType dtype);
DType complex_dtype_of(DType dtype);
/// The distance from 1 to the next number of a dtype.
double epsilon_of(DType dtype);

/// Makes the next output, whose matrices lie column after column, as LAPACK leaves them.
PyResult<void> give_columns(OpCall& call, const Dims& shape, DType dtype);

/// Argument `i` of a call, or a term without a tensor.
inline Term term_at(const OpCall& call, std::size_t i) { return Ref<Tensor>(call.tensor(i)); }
/// The results of an op that gives several.
PyResult<std::vector<Term>> parts_of(Interpreter& interpreter, OpId id, std::initializer_list<Value> args);
/// What a composite op with names for its results gives.
PyResult<Value> named_terms(OpCall& call, std::initializer_list<Term> items);

Term transposed(const Term& x);
/// Transposed and conjugated.
Term adjoint(const Term& x);
Term lower_of(const Term& x, std::int64_t diagonal = 0);
Term upper_of(const Term& x, std::int64_t diagonal = 0);
Term diagonal_of(const Term& x);
/// A matrix with these on its diagonal and zeros beside it.
Term diagonal_matrix(const Term& x);
Term as_column(const Term& x);
Term as_row(const Term& x);
Term narrowed(const Term& x, std::int64_t dim, std::int64_t from, std::int64_t count);
/// The sum over dimensions.
Term sum_over(const Term& x, std::initializer_list<std::int64_t> dims, bool keeps = false);
Term joined(const Term& a, const Term& b, std::int64_t dim);
Term real_part(const Term& x);
/// The unit matrix, in the dtype of `like`.
Term identity_like(const Term& like, std::int64_t size);
Term solved(const Term& a, const Term& b, bool left = true);
Term triangular_solved(const Term& a, const Term& b, bool upper, bool left = true, bool unit = false);
bool is_complex_term(const Term& x);

}  // namespace nns::ops
