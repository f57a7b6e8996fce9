// Transforms against the sums that they stand for, of every length that has its own way: small, with large prime
// factors, even and odd; and signals that come back.
#include <cmath>
#include <complex>

#include "tests/ops/op_fixture.h"

namespace nns::tests {
namespace {

using ops::apply;
using ops::Term;
using Complex = std::complex<double>;

class Fourier : public OpFixture {
 public:
  Ref<Tensor> signal(std::int64_t length, int seed) { return numbers(in, Dims({length}), seed, 2, -1); }
  std::vector<Complex> complex_items(const Tensor& tensor) {
    std::vector<Complex> found;
    tensor::for_each_place(tensor, [&](std::int64_t place) { found.push_back(tensor::read_complex(tensor, place)); });
    return found;
  }
  /// The sums, item by item.
  static std::vector<Complex> sums(const std::vector<Complex>& x, double sign) {
    const std::size_t n = x.size();
    std::vector<Complex> made(n);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) {
        const double angle = sign * 6.283185307179586 * static_cast<double>(j * k % n) / static_cast<double>(n);
        made[k] += x[j] * Complex(std::cos(angle), std::sin(angle));
      }
    }
    return made;
  }
  static void expect_same(const std::vector<Complex>& got, const std::vector<Complex>& want, const std::string& what) {
    ASSERT_EQ(got.size(), want.size()) << what;
    for (std::size_t k = 0; k < got.size(); ++k) EXPECT_LT(std::abs(got[k] - want[k]), 1e-10) << what << ", item " << k;
  }
};

class FourierOfLength : public Fourier, public testing::WithParamInterface<int> {};

TEST_P(FourierOfLength, GivesTheSums) {
  const std::int64_t n = GetParam();
  const Ref<Tensor> real = signal(n, 1);
  const Term z = apply(OpId::complex, {Term(real), Term(signal(n, 2))});
  const std::vector<Complex> x = complex_items(z.tensor()), whole = sums(x, -1);
  expect_same(complex_items(apply(OpId::fft_fft, {z}).tensor()), whole, "fft");
  std::vector<Complex> back = sums(x, 1);
  for (Complex& item : back) item /= static_cast<double>(n);
  expect_same(complex_items(apply(OpId::fft_ifft, {z}).tensor()), back, "ifft");

  std::vector<Complex> of_real = sums(complex_items(ops::as_dtype(Term(real), DType::Complex128).tensor()), -1);
  expect_same(complex_items(apply(OpId::fft_fft, {Term(real)}).tensor()), of_real, "fft of real numbers");
  of_real.resize(static_cast<std::size_t>(n / 2 + 1));
  const Term half = apply(OpId::fft_rfft, {Term(real)});
  expect_same(complex_items(half.tensor()), of_real, "rfft");
  const std::vector<double> again = items(apply(OpId::fft_irfft, {half, n}).tensor()), wanted = items(*real);
  for (std::size_t k = 0; k < again.size(); ++k) EXPECT_NEAR(again[k], wanted[k], 1e-12) << "irfft, item " << k;
}

INSTANTIATE_TEST_SUITE_P(Lengths, FourierOfLength,
                         testing::Values(1, 2, 3, 4, 5, 8, 12, 15, 16, 30, 61, 64, 67, 134, 136, 201));

TEST_F(Fourier, SeveralDimensionsAreOneAfterAnother) {
  const Term x(numbers(in, Dims({3, 4, 5}), 1, 2, -1));
  Term one = ops::as_dtype(x, DType::Complex128);
  for (const int dim : {0, 1, 2}) one = apply(OpId::fft_fft, {one, Value(), dim});
  expect_same(complex_items(apply(OpId::fft_fftn, {x}).tensor()), complex_items(one.tensor()), "fftn");
  const Term half = apply(OpId::fft_rfftn, {x});
  EXPECT_EQ(half.tensor().shape(), Dims({3, 4, 3}));
  expect_same(complex_items(half.tensor()), complex_items(apply(OpId::narrow, {one, 2, 0, 3}).tensor()), "rfftn");
  const Term again = apply(OpId::fft_irfftn, {half, ints({3, 4, 5})});
  const std::vector<double> got = items(again.tensor()), wanted = items(x.tensor());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], wanted[k], 1e-12);
  // hfft is the transform of what irfft goes back from.
  const Term hermitian = apply(OpId::fft_ihfft2, {x});
  const std::vector<double> restored = items(apply(OpId::fft_hfft2, {hermitian, ints({4, 5})}).tensor());
  for (std::size_t k = 0; k < restored.size(); ++k) EXPECT_NEAR(restored[k], wanted[k], 1e-12);
}

TEST_F(Fourier, ASignalComesBackFromItsFrames) {
  for (const bool is_normalized : {false, true}) {
    const Term x(numbers(in, Dims({2, 20}), 1, 2, -1)), window(numbers(in, Dims({8}), 3));
    const Term frames =
        apply(OpId::stft, {x, 8, 2, Value(), window, true, text("reflect"), is_normalized, Value(), true});
    EXPECT_EQ(frames.tensor().shape(), Dims({2, 5, 11}));
    const Term again = apply(OpId::istft, {frames, 8, 2, Value(), window, true, is_normalized, Value(), 20});
    const std::vector<double> got = items(again.tensor()), wanted = items(x.tensor());
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], wanted[k], 1e-12);
  }
}

TEST_F(Fourier, ErrorsAreThoseOfTorch) {
  const Value z(made(OpId::complex, {Value(make(Dims({2}), {1, 2})), Value(make(Dims({2}), {1, 2}))}));
  EXPECT_EQ(error(OpId::fft_rfft, {z}), "RuntimeError: rfft expects a real input tensor, but got ComplexFloat");
  EXPECT_EQ(error(OpId::fft_fft, {z, Value(0)}), "RuntimeError: Invalid number of data points (0) specified");
  EXPECT_EQ(error(OpId::fft_fft, {z, Value(), Value(3)}),
            "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 3)");
  EXPECT_EQ(error(OpId::fft_fft, {z, Value(), Value(-1), text("half")}),
            "RuntimeError: Invalid normalization mode: half");
  EXPECT_EQ(error(OpId::fft_fftn, {z, Value(), ints({0, 0})}), "RuntimeError: FFT dims must be unique");
  EXPECT_EQ(error(OpId::fft_fft, {Value(make(Dims({2}), {1, 2}, DType::Float16))}),
            "RuntimeError: Unsupported dtype Half");
}

}  // namespace
}  // namespace nns::tests
