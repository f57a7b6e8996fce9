// Gradients of ops on complex tensors against difference quotients by the real and the imaginary part: PyTorch's
// gradient of a real number L by z = x + i y is dL/dx + i dL/dy.
#include <cmath>
#include <complex>
#include <functional>

#include "core/autograd/engine.h"
#include "core/ops/linalg.h"
#include "tests/ops/op_fixture.h"

namespace nns::tests {
namespace {

using ops::apply;
using ops::Term;
using ops::TermArgument;

struct ComplexCase {
  const char* name;
  std::function<Term(const Term& z, const Term& w)> formula;
};

class ComplexGradient : public OpFixture {
 public:
  /// Numbers of both parts in (-0.8, 0.8), none near zero.
  Ref<Tensor> complex_numbers(int seed) {
    const Dims shape({2, 3});
    const auto part = [&](int which) { return Term(numbers(in, shape, seed + which, 2, -1.05)); };
    Ref<Tensor> made = apply(OpId::complex, {part(0), part(4)}).ref();
    made = tensor::clone(*made);
    EXPECT_TRUE(made->set_requires_grad(true).ok());
    return made;
  }
  /// A real number of a tensor, complex or not: each part of each item counts differently.
  Term loss_of(const Term& value) {
    const bool is_complex = tensor::is_complex(value.tensor().dtype());
    const auto weighted = [&](const Term& part, int seed) {
      return apply(OpId::sum, {part * Term(numbers(in, part.tensor().shape(), seed))});
    };
    if (!is_complex) return weighted(value, 3);
    return weighted(apply(OpId::real, {value}), 3) + weighted(apply(OpId::imag, {value}), 5);
  }
  void expect_gradients(const ComplexCase& one) {
    const Ref<Tensor> inputs[] = {complex_numbers(1), complex_numbers(2)};
    const auto loss = [&] { return loss_of(one.formula(Term(inputs[0]), Term(inputs[1]))); };
    const Term value = loss();
    ASSERT_TRUE(value.ok()) << one.name << ": " << value.result().error().message();
    const Ref<Tensor> roots[] = {value.ref()};
    const auto found = autograd::grad(in, roots, inputs, {}, {.allow_unused = true});
    ASSERT_TRUE(found.ok()) << one.name << ": " << found.error().message();
    for (std::size_t k = 0; k < 2; ++k) {
      if (!found.value()[k]) continue;
      const Ref<Tensor> gradient = tensor::clone(*found.value()[k]);
      ASSERT_EQ(gradient->dtype(), DType::Complex128) << one.name;
      const auto* const got = reinterpret_cast<const double*>(gradient->data());
      auto* const items = reinterpret_cast<double*>(inputs[k]->data());
      for (std::int64_t i = 0; i < 2 * gradient->numel(); ++i) {
        constexpr double kStep = 1e-6;
        const double before = items[i];
        const auto at = [&](double x) {
          items[i] = x;
          const Term there = loss();
          return tensor::read_double(there.tensor(), there.tensor().offset());
        };
        const double slope = (at(before + kStep) - at(before - kStep)) / (2 * kStep);
        items[i] = before;
        EXPECT_NEAR(got[i], slope, 1e-5 * (1 + std::abs(slope))) << one.name << ", input " << k << ", part " << i;
      }
    }
  }
};

TEST_F(ComplexGradient, EqualsTheDifferenceQuotientsOfBothParts) {
  const auto of = [](OpId id) { return [id](const Term& z, const Term&) { return apply(id, {z}); }; };
  const auto of_two = [](OpId id) { return [id](const Term& z, const Term& w) { return apply(id, {z, w}); }; };
  const auto real = [](const Term& z) { return apply(OpId::real, {z}); };
  const auto imag = [](const Term& z) { return apply(OpId::imag, {z}); };
  const ComplexCase cases[] = {
      {"real", of(OpId::real)},
      {"imag", of(OpId::imag)},
      {"conj_physical", of(OpId::conj_physical)},
      {"abs", of(OpId::abs)},
      {"angle", of(OpId::angle)},
      {"sgn", of(OpId::sgn)},
      {"neg", of(OpId::neg)},
      {"exp", of(OpId::exp)},
      {"log", of(OpId::log)},
      {"sqrt", of(OpId::sqrt)},
      {"square", of(OpId::square)},
      {"reciprocal", of(OpId::reciprocal)},
      {"sin", of(OpId::sin)},
      {"cos", of(OpId::cos)},
      {"tanh", of(OpId::tanh)},
      {"sum", of(OpId::sum)},
      {"mean", of(OpId::mean)},
      {"add", of_two(OpId::add)},
      {"sub", of_two(OpId::sub)},
      {"mul", of_two(OpId::mul)},
      {"div", of_two(OpId::div)},
      {"mm",
       [](const Term& z, const Term& w) {
         return apply(OpId::mm, {z, apply(OpId::t, {w})});
       }},
      {"view_as_real", of(OpId::view_as_real)},
      {"view_as_complex",
       [](const Term& z, const Term& w) {
         const Term parts = apply(OpId::view_as_real, {z * w});
         return apply(OpId::view_as_complex, {parts * parts});
       }},
      {"complex",
       [&](const Term& z, const Term& w) {
         return apply(OpId::complex, {imag(z) * real(w), real(z)});
       }},
      {"polar",
       [&](const Term& z, const Term& w) {
         return apply(OpId::polar, {real(z), imag(w)});
       }},
  };
  for (const ComplexCase& one : cases) expect_gradients(one);
}

using ops::adjoint;

class ComplexLinalgGradient : public ComplexGradient {
 public:
  /// A product with a diagonal that outweighs the rest: it has an inverse.
  Term square(const Term& z, const Term& w) { return ops::matmul(z, adjoint(w)) + unit(2) * 3.0; }
  Term unit(std::int64_t size) {
    const Ref<Tensor> made = tensor::zeros(in, Dims({size, size}), DType::Complex128);
    tensor::fill_items(*tensor::as_strided(*made, Dims({size}), Dims({size + 1}), 0), 1);
    return made;
  }
  Term part(OpId id, const Arguments& args, std::size_t i) {
    const auto made = ops::call_op(in, id, args);
    if (!made.ok()) return made.error();
    return Ref<Tensor>((*made.value().as<object::Tuple>())[i].as<Tensor>());
  }
  Term part(OpId id, const Term& x, std::size_t i) { return part(id, Arguments{Value(x.ref())}, i); }
  Term twice(const Term& x) { return ops::as_dtype(x, DType::Complex128); }
};

TEST_F(ComplexLinalgGradient, EqualsTheDifferenceQuotientsOfBothParts) {
  const auto of_square = [this](OpId id) {
    return [this, id](const Term& z, const Term& w) { return apply(id, {square(z, w)}); };
  };
  const auto part_of_square = [this](OpId id, std::size_t i) {
    return [this, id, i](const Term& z, const Term& w) { return part(id, square(z, w), i); };
  };
  const auto part_of = [this](OpId id, std::size_t i) {
    return [this, id, i](const Term& z, const Term&) { return part(id, z, i); };
  };
  const auto part_of_tall = [this](OpId id, std::size_t i) {
    return [this, id, i](const Term& z, const Term&) { return part(id, apply(OpId::t, {z}), i); };
  };
  const ComplexCase cases[] = {
      {"inv", of_square(OpId::linalg_inv)},
      {"det", of_square(OpId::linalg_det)},
      {"sign of slogdet", part_of_square(OpId::linalg_slogdet, 0)},
      {"logabsdet", part_of_square(OpId::linalg_slogdet, 1)},
      {"logdet", of_square(OpId::logdet)},
      {"matrix_exp", of_square(OpId::linalg_matrix_exp)},
      {"solve",
       [&](const Term& z, const Term& w) {
         return apply(OpId::linalg_solve, {square(z, w), z});
       }},
      {"L", part_of_square(OpId::linalg_lu, 1)},
      {"U of a wide matrix", part_of(OpId::linalg_lu, 2)},
      {"L of a tall matrix", part_of_tall(OpId::linalg_lu, 1)},
      {"LU", part_of_tall(OpId::linalg_lu_factor, 0)},
      {"lu_solve",
       [&](const Term& z, const Term& w) {
         const Term a = square(z, w);
         return apply(OpId::linalg_lu_solve,
                      {part(OpId::linalg_lu_factor, a, 0), part(OpId::linalg_lu_factor, a, 1), z, true, true});
       }},
      {"cholesky", [&](const Term& z,
                       const Term&) { return apply(OpId::linalg_cholesky, {ops::matmul(z, adjoint(z)) + unit(2)}); }},
      {"cholesky_solve",
       [&](const Term& z, const Term& w) {
         return apply(OpId::cholesky_solve, {w, apply(OpId::tril, {square(z, w)})});
       }},
      {"solve_triangular",
       [&](const Term& z, const Term& w) {
         return apply(OpId::linalg_solve_triangular, {square(z, w), z, true});
       }},
      {"Q", part_of_tall(OpId::linalg_qr, 0)},
      {"R of a wide matrix", part_of(OpId::linalg_qr, 1)},
      {"householder_product",
       [&](const Term& z, const Term& w) {
         return apply(OpId::linalg_householder_product, {apply(OpId::t, {z}), apply(OpId::select, {w, 1, 0})});
       }},
      {"ormqr",
       [&](const Term& z, const Term& w) {
         return apply(OpId::ormqr, {apply(OpId::t, {z}), apply(OpId::select, {w, 1, 0}), w, false, true});
       }},
      {"singular values", [](const Term& z, const Term&) { return apply(OpId::linalg_svdvals, {z}); }},
      {"singular vectors",
       [&](const Term& z, const Term&) {
         // Each pair of vectors, whatever its phase.
         const std::vector<Term> svd = ops::parts_of(in, OpId::linalg_svd_parts, {Value(z.ref())}).value();
         return ops::matmul(svd[0] * twice(svd[1] * svd[1] * svd[1]), svd[2]);
       }},
      {"eigenvalues of a Hermitian matrix",
       [&](const Term& z, const Term&) { return apply(OpId::linalg_eigvalsh, {ops::matmul(z, adjoint(z))}); }},
      {"eigenvectors of a Hermitian matrix",
       [&](const Term& z, const Term&) {
         const Term a = ops::matmul(z, adjoint(z));
         const std::vector<Term> eigh = ops::parts_of(in, OpId::linalg_eigh, {Value(a.ref())}).value();
         return ops::matmul(eigh[1] * twice(eigh[0] * eigh[0] * eigh[0]), adjoint(eigh[1]));
       }},
      {"eigenvalues", of_square(OpId::linalg_eigvals)},
      {"eigenvectors",
       [&](const Term& z, const Term& w) { return apply(OpId::abs, {part(OpId::linalg_eig, square(z, w), 1)}); }},
      {"pinv", [](const Term& z, const Term&) { return apply(OpId::linalg_pinv_tensors, {z}); }},
      {"lstsq",
       [&](const Term& z, const Term& w) {
         return part(OpId::linalg_lstsq,
                     {Value(apply(OpId::t, {z}).ref()), Value(apply(OpId::t, {w}).ref()), Value(), in.text("gelsd")},
                     0);
       }},
      {"residuals",
       [&](const Term& z, const Term& w) {
         return part(OpId::linalg_lstsq,
                     {Value(apply(OpId::t, {z}).ref()), Value(apply(OpId::t, {w}).ref()), Value(), in.text("gelsd")},
                     1);
       }},
      {"norm", [](const Term& z, const Term&) { return apply(OpId::linalg_norm, {z}); }},
      {"matrix norm",
       [](const Term& z, const Term&) {
         return apply(OpId::linalg_matrix_norm, {z, 2});
       }},
      {"vecdot",
       [](const Term& z, const Term& w) {
         return apply(OpId::linalg_vecdot, {z, w});
       }},
  };
  for (const ComplexCase& one : cases) expect_gradients(one);
}

TEST_F(ComplexLinalgGradient, OfTransformsTheyAreThoseOfLinearFunctions) {
  const auto of = [](OpId id) { return [id](const Term& z, const Term&) { return apply(id, {z}); }; };
  const auto turned = [&](const Term& z) { return apply(OpId::transpose, {z, 0, 1}); };
  const ComplexCase cases[] = {
      {"fft", of(OpId::fft_fft)},
      {"ifft", of(OpId::fft_ifft)},
      {"irfft", of(OpId::fft_irfft)},
      {"hfft", of(OpId::fft_hfft)},
      {"fftn", of(OpId::fft_fftn)},
      {"irfftn", of(OpId::fft_irfftn)},
      {"hfft2", of(OpId::fft_hfft2)},
      {"irfft of an odd length",
       [&](const Term& z, const Term&) {
         return apply(OpId::fft_irfft, {z, 5, 1});
       }},
      {"istft",
       [&](const Term& z, const Term&) {
         return apply(OpId::istft, {turned(z), 4, 2, TermArgument(Value()), Term(numbers(in, Dims({4}), 2))});
       }},
  };
  for (const ComplexCase& one : cases) expect_gradients(one);
}

// What depends on the phase that singular vectors happen to have is no function of the matrix.
TEST_F(ComplexLinalgGradient, RefusesLossesOfAPhase) {
  const Term z(complex_numbers(1)), w(complex_numbers(2));
  const auto message_of = [&](const Term& made) {
    const Term loss = loss_of(made);
    const Ref<Tensor> roots[] = {loss.ref()}, inputs[] = {z.ref()};
    const auto found = autograd::grad(in, roots, inputs, {}, {});
    return found.ok() ? std::string() : found.error().message();
  };
  EXPECT_EQ(
      message_of(part(OpId::linalg_svd_parts, z, 0)),
      "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. The "
      "specified loss function depends on this phase term, making it ill-defined.");
  EXPECT_EQ(
      message_of(part(OpId::linalg_eig, square(z, w), 1)),
      "linalg_eig_backward: The eigenvectors in the complex case are specified up to multiplication by e^{i phi}. "
      "The specified loss function depends on this quantity, so it is ill-defined.");
}

}  // namespace
}  // namespace nns::tests
