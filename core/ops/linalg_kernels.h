#pragma once

#include "core/ops/op.h"

// The bodies of the ops of torch.linalg that factor and solve, by Eigen. Not for callers of ops.
// float32 is computed in float32 where elimination shows its rounding (LU, Cholesky, QR, triangular systems) and in
// float64 where iterations run until they converge (singular values, eigenvalues), which is rounded once.
namespace nns::ops {

// linalg_lu_kernels.cpp; each names arguments -> results.
PyResult<void> run_lu_factor(OpCall& call);  // A -> LU, pivots, info
PyResult<void> run_lu(OpCall& call);         // A -> P, L, U
PyResult<void> run_lu_unpack(OpCall& call);  // LU, pivots, unpack_data, unpack_pivots -> P, L, U
PyResult<void> run_lu_solve(OpCall& call);   // LU, pivots, B, left, adjoint -> X
PyResult<void> run_solve(OpCall& call);      // A, B, left -> X, LU, pivots, info
PyResult<void> run_inverse(OpCall& call);    // A -> inverse, info
PyResult<void> run_det(OpCall& call);        // A -> det, LU, pivots
PyResult<void> run_slogdet(OpCall& call);    // A -> sign, logabsdet, LU, pivots

// linalg_ldl_kernels.cpp
PyResult<void> run_ldl_factor(OpCall& call);  // A, hermitian -> LD, pivots, info
PyResult<void> run_ldl_solve(OpCall& call);   // LD, pivots, B, hermitian -> X

// linalg_triangular_kernels.cpp
PyResult<void> run_cholesky(OpCall& call);          // A, upper -> L, info
PyResult<void> run_cholesky_solve(OpCall& call);    // B, L, upper -> X
PyResult<void> run_cholesky_inverse(OpCall& call);  // L, upper -> inverse
PyResult<void> run_solve_triangular(OpCall& call);  // A, B, upper, left, unitriangular -> X

// linalg_qr_kernels.cpp
PyResult<void> run_qr(OpCall& call);           // A, mode -> Q, R
PyResult<void> run_geqrf(OpCall& call);        // A -> a, tau
PyResult<void> run_householder(OpCall& call);  // A, tau -> Q
PyResult<void> run_ormqr(OpCall& call);        // A, tau, C, left, transpose -> Q C

// linalg_svd_kernels.cpp
PyResult<void> run_svd(OpCall& call);    // A, full_matrices, compute_uv -> U, S, Vh
PyResult<void> run_lstsq(OpCall& call);  // A, B, rcond, driver -> X, rank, singular values

// linalg_eigen_kernels.cpp
PyResult<void> run_eigh(OpCall& call);        // A, UPLO, compute_v -> L, V
PyResult<void> run_eig(OpCall& call);         // A, compute_v -> L, V
PyResult<void> run_matrix_exp(OpCall& call);  // A -> exp(A)

}  // namespace nns::ops
