#include "tests/ops/samples.h"

namespace nns::tests {
namespace {

/// Distinct numbers whose diagonal outweighs the rest, so that every matrix has an inverse and distinct eigenvalues.
Ref<Tensor> heavy(Interpreter& in, const Dims& shape, int seed) {
  Ref<Tensor> made = numbers(in, shape, seed);
  const std::int64_t rows = shape[shape.size() - 2], columns = shape[shape.size() - 1];
  auto* const items = reinterpret_cast<double*>(made->data());
  for (std::int64_t i = 0; i < made->numel(); ++i) {
    const std::int64_t row = i / columns % rows;
    if (row == i % columns) items[i] += 1.5 + 0.4 * static_cast<double>(row);
  }
  return made;
}
Value matrix(Interpreter& in, const Dims& shape, int seed = 1) {
  Ref<Tensor> made = heavy(in, shape, seed);
  EXPECT_TRUE(made->set_requires_grad(true).ok());
  return made;
}
/// A square matrix of four rows as a tensor of more dimensions.
Value folded(Interpreter& in) {
  Ref<Tensor> made = tensor::view_as_shape(*heavy(in, Dims({4, 4}), 1), Dims({4, 2, 2}));
  EXPECT_TRUE(made->set_requires_grad(true).ok());
  return made;
}
Value pivots(Interpreter& in, const Dims& shape, std::initializer_list<double> items) {
  return tensor::from_values(in, shape, std::vector<double>(items), DType::Int32);
}
Value number(Interpreter& in, double value) { return tensor::full(in, Dims(), value, DType::Float64); }

std::vector<Arguments> factor_samples(Interpreter& in, OpId id) {
  const Dims square({3, 3}), batch({2, 3, 3});
  const std::vector<Arguments> of_squares = {{matrix(in, square)}, {matrix(in, batch, 2)}};
  const std::vector<Arguments> of_all = {
      {matrix(in, square)}, {matrix(in, Dims({2, 3}), 2)}, {matrix(in, Dims({3, 2}), 3)}};
  switch (id) {
    case OpId::linalg_lu_factor_ex:
    case OpId::linalg_lu_factor:
    case OpId::linalg_lu:
    case OpId::lu_with_info:
      return {{matrix(in, square)}, {matrix(in, Dims({2, 2, 3}), 2)}, {matrix(in, Dims({4, 2}), 3)}};
    case OpId::lu_unpack:
      return {{matrix(in, square), pivots(in, Dims({3}), {2, 3, 3})},
              {matrix(in, Dims({2, 3}), 2), pivots(in, Dims({2}), {2, 2})},
              {matrix(in, Dims({3, 2}), 3), pivots(in, Dims({2}), {3, 2})}};
    case OpId::linalg_lu_solve: {
      std::vector<Arguments> made;
      for (const bool left : {true, false}) {
        for (const bool adjoint : {true, false}) {
          made.push_back({matrix(in, square), pivots(in, Dims({3}), {2, 3, 3}),
                          input(in, left ? Dims({3, 2}) : Dims({2, 3}), 2), Value(left), Value(adjoint)});
        }
      }
      made.push_back({matrix(in, batch), pivots(in, Dims({2, 3}), {1, 3, 3, 2, 2, 3}), input(in, Dims({3, 1}), 2)});
      return made;
    }
    case OpId::linalg_ldl_factor_ex:
    case OpId::linalg_ldl_factor:
      return of_squares;
    case OpId::linalg_ldl_solve:
      return {{matrix(in, square), pivots(in, Dims({3}), {1, 3, 3}), input(in, Dims({3, 2}), 2)}};
    case OpId::lu_solve:
      return {{input(in, Dims({3, 2}), 2), matrix(in, square), pivots(in, Dims({3}), {2, 3, 3})}};
    case OpId::linalg_solve_parts:
    case OpId::linalg_solve_ex:
    case OpId::linalg_solve:
      return {{matrix(in, square), input(in, Dims({3, 2}), 2)},
              {matrix(in, square), input(in, Dims({2, 3}), 2), Value(false)},
              {matrix(in, batch), input(in, Dims({2, 3}), 2)},
              {matrix(in, batch), input(in, Dims({3}), 2)},
              {matrix(in, batch), input(in, Dims({1, 3, 1}), 2)}};
    case OpId::linalg_inv_ex:
    case OpId::linalg_inv:
    case OpId::inverse:
    case OpId::linalg_det_parts:
    case OpId::linalg_det:
    case OpId::det:
    case OpId::linalg_slogdet_parts:
    case OpId::linalg_slogdet:
    case OpId::slogdet:
    case OpId::logdet:
    case OpId::linalg_cholesky_ex:
    case OpId::linalg_cholesky:
    case OpId::cholesky:
    case OpId::cholesky_inverse:
    case OpId::linalg_eigh:
    case OpId::linalg_eigvalsh:
    case OpId::linalg_matrix_exp:
    case OpId::matrix_exp:
      return of_squares;
    case OpId::linalg_eigh_parts:
      return {{matrix(in, square)}, {matrix(in, batch, 2), in.text("U")}};
    case OpId::cholesky_solve:
      return {{input(in, Dims({3, 2})), matrix(in, square, 2)}, {input(in, Dims({2, 3, 1})), matrix(in, square, 2)}};
    case OpId::linalg_solve_triangular: {
      std::vector<Arguments> made;
      for (const bool upper : {true, false}) {
        for (const bool left : {true, false}) {
          made.push_back({matrix(in, square), input(in, left ? Dims({3, 2}) : Dims({2, 3}), 2), Value(upper),
                          Value(left), Value(upper == left)});
        }
      }
      return made;
    }
    case OpId::triangular_solve:
      return {{input(in, Dims({3, 2})), matrix(in, square, 2)},
              {input(in, Dims({3, 2})), matrix(in, square, 2), Value(false), Value(true)}};
    case OpId::linalg_qr:
    case OpId::qr:
      return of_all;
    case OpId::geqrf:
    case OpId::linalg_svdvals:
    case OpId::linalg_svd_parts:
      return of_all;
    case OpId::linalg_svd:
      return {{matrix(in, Dims({3, 2})), Value(false)}, {matrix(in, batch), Value(false)}};
    case OpId::svd:
      return {{matrix(in, Dims({3, 2}))}, {matrix(in, batch)}};
    case OpId::linalg_householder_product:
    case OpId::orgqr:
      return {{matrix(in, Dims({4, 3})), input(in, Dims({3}), 2)}, {matrix(in, Dims({3, 3})), input(in, Dims({2}), 2)}};
    case OpId::ormqr:
      return {
          {matrix(in, Dims({3, 2})), input(in, Dims({2}), 2), input(in, Dims({3, 2}), 3)},
          {matrix(in, Dims({3, 2})), input(in, Dims({2}), 2), input(in, Dims({2, 3}), 3), Value(false), Value(true)}};
    default:
      return {};
  }
}

}  // namespace

std::vector<Arguments> linalg_samples(Interpreter& in, OpId id) {
  const Dims square({3, 3}), tall({3, 2}), wide({2, 3});
  switch (id) {
    case OpId::linalg_pinv_parts:
      return {{matrix(in, tall), number(in, 0), number(in, 1e-12), Value(false)},
              {matrix(in, wide), number(in, 0), number(in, 1e-12), Value(false)}};
    case OpId::linalg_pinv_tensors:
    case OpId::linalg_pinv_floats:
      return {{matrix(in, tall)}, {matrix(in, wide)}};
    case OpId::linalg_pinv:
    case OpId::pinverse:
      return {{matrix(in, tall), Value(1e-12)}};
    case OpId::linalg_pinv_rcond_tensor:
      return {{matrix(in, tall), number(in, 1e-12)}};
    case OpId::linalg_lstsq_parts:
      return {{matrix(in, tall), input(in, Dims({3, 2}), 2), Value(1e-12), in.text("gelsd")}};
    case OpId::linalg_lstsq:
      return {{matrix(in, tall), input(in, Dims({3, 2}), 2), Value(), in.text("gelsd")},
              {matrix(in, wide), input(in, Dims({2, 1}), 2)},
              {matrix(in, tall), input(in, Dims({3}), 2), Value(), in.text("gels")}};
    case OpId::linalg_cond:
      return {{matrix(in, square)}, {matrix(in, square), Value(1)}, {matrix(in, tall), Value(-2)}};
    case OpId::linalg_cond_str:
      return {{matrix(in, square), in.text("fro")}, {matrix(in, square), in.text("nuc")}};
    case OpId::linalg_cross:
      return {{input(in, wide), input(in, wide, 2)}};
    case OpId::linalg_vecdot:
    case OpId::linalg_matmul:
      return {{matrix(in, square), input(in, square, 2)}};
    case OpId::linalg_diagonal:
      return {{input(in, wide)}};
    case OpId::linalg_matrix_power:
    case OpId::matrix_power:
      return {{matrix(in, square), Value(3)}, {matrix(in, square), Value(-2)}, {matrix(in, square), Value(1)}};
    case OpId::linalg_multi_dot:
      return {{in.tuple({input(in, Dims({3})), input(in, Dims({3, 2}), 2), input(in, Dims({2, 4}), 3)})},
              {in.tuple({input(in, wide), input(in, tall, 2)})}};
    case OpId::linalg_vander:
      return {{input(in, Dims({3}))}, {input(in, wide), Value(4)}};
    case OpId::linalg_tensorinv:
      return {{folded(in), Value(1)}};
    case OpId::linalg_tensorsolve:
      return {{folded(in), input(in, Dims({4}), 2)}};
    case OpId::norm_number:
    case OpId::linalg_vector_norm:
    case OpId::linalg_norm:
      return {{input(in, wide)}, {input(in, wide), Value(1), dims(in, {1})}};
    case OpId::norm_word:
    case OpId::linalg_norm_str:
      return {{input(in, wide), in.text("nuc")}, {input(in, wide), in.text("fro"), dims(in, {0, 1}), Value(true)}};
    case OpId::linalg_matrix_norm:
      return {{matrix(in, wide), Value(2)},
              {matrix(in, wide), Value(-2), dims(in, {1, 0}), Value(true)},
              {matrix(in, wide), Value(1)},
              {matrix(in, wide), Value(-1)}};
    case OpId::linalg_matrix_norm_str:
      return {{matrix(in, wide)}, {matrix(in, Dims({2, 3, 2})), in.text("nuc"), dims(in, {0, 2})}};
    case OpId::fft_r2c:
      return {{input(in, Dims({5})), dims(in, {0}), Value(0), Value(true)},
              {input(in, Dims({2, 4})), dims(in, {0, 1}), Value(1), Value(true)},
              {input(in, Dims({3, 4})), dims(in, {1}), Value(2), Value(false)}};
    case OpId::fft_fft:
    case OpId::fft_ifft:
    case OpId::fft_rfft:
    case OpId::fft_irfft:
    case OpId::fft_hfft:
    case OpId::fft_ihfft:
      return {{input(in, Dims({2, 4}))},
              {input(in, Dims({5, 2})), Value(3), Value(0)},
              {input(in, Dims({3})), Value(6), Value(-1), in.text("ortho")}};
    case OpId::fft_fft2:
    case OpId::fft_ifft2:
    case OpId::fft_rfft2:
    case OpId::fft_irfft2:
    case OpId::fft_hfft2:
    case OpId::fft_ihfft2:
    case OpId::fft_fftn:
    case OpId::fft_ifftn:
    case OpId::fft_rfftn:
    case OpId::fft_irfftn:
    case OpId::fft_hfftn:
    case OpId::fft_ihfftn:
      return {{input(in, Dims({3, 4}))},
              {input(in, Dims({2, 3})), dims(in, {4, 2}), dims(in, {1, 0}), in.text("forward")}};
    case OpId::fft_fftshift:
    case OpId::fft_ifftshift:
      return {{input(in, wide)}, {input(in, wide), dims(in, {1})}};
    case OpId::stft:
      return {{input(in, Dims({9})), Value(4), Value(), Value(3), Value(numbers(in, Dims({3}), 2)), Value(true),
               in.text("reflect"), Value(false), Value(), Value(true)}};
    default:
      return factor_samples(in, id);
  }
}

bool is_of_complex_items(OpId id) {
  return id == OpId::linalg_eig_parts || id == OpId::linalg_eig || id == OpId::linalg_eigvals || id == OpId::fft_c2c ||
         id == OpId::fft_c2r || id == OpId::istft;
}

PresumedForm presumed_form(OpId id) {
  switch (id) {
    case OpId::linalg_cholesky_ex:
    case OpId::linalg_cholesky:
    case OpId::cholesky:
    case OpId::linalg_eigh_parts:
    case OpId::linalg_eigh:
    case OpId::linalg_eigvalsh:
      return {PresumedForm::Form::Symmetric, 0};
    case OpId::cholesky_inverse:
      return {PresumedForm::Form::LowerTriangular, 0};
    case OpId::cholesky_solve:
      return {PresumedForm::Form::LowerTriangular, 1};
    default:
      return {};
  }
}

}  // namespace nns::tests
