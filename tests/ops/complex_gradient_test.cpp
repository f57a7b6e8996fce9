// Gradients of ops on complex tensors against difference quotients by the real and the imaginary part: PyTorch's
// gradient of a real number L by z = x + i y is dL/dx + i dL/dy.
#include <cmath>
#include <complex>
#include <functional>

#include "core/autograd/engine.h"
#include "tests/ops/op_fixture.h"

namespace nns::tests {
namespace {

using ops::apply;
using ops::Term;

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

}  // namespace
}  // namespace nns::tests
