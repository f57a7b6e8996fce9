// The vector forms of functions against those of the standard library, at every length of what is left over.
#include "core/ops/vector_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/parallel.h"
#include "core/ops/gemm.h"

namespace nns::ops {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> spread_numbers(std::int64_t count, float from, float to) {
  std::vector<float> made(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = from + (to - from) * static_cast<float>((i * 37) % made.size()) / static_cast<float>(made.size());
  }
  return made;
}

std::vector<float> run(ElementKernel kernel, const std::vector<float>& x, const std::vector<float>& y = {}) {
  std::vector<float> out(x.size() + 1, 77);
  ElementRow row{};
  row.out = out.data();
  row.in[0] = x.data();
  row.in[1] = y.data();
  row.count = static_cast<std::int64_t>(x.size());
  kernel(row);
  EXPECT_EQ(out.back(), 77) << "written behind the end";
  out.pop_back();
  return out;
}

struct Function {
  const char* name;
  ElementKernel kernel;
  double (*exact)(double);
  float from, to;
  /// Of the result, or of 1 where that is smaller.
  double tolerance;
};
class VectorFunction : public testing::TestWithParam<Function> {};

TEST_P(VectorFunction, IsTheStandardLibrarys) {
  for (const std::int64_t count : {1, 3, 7, 8, 15, 16, 17, 31, 33, 1000}) {
    const std::vector<float> x = spread_numbers(count, GetParam().from, GetParam().to);
    const std::vector<float> made = run(GetParam().kernel, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = GetParam().exact(static_cast<double>(x[i]));
      ASSERT_NEAR(static_cast<double>(made[i]), exact, GetParam().tolerance * std::max(std::abs(exact), 1e-3))
          << GetParam().name << "(" << x[i] << ")";
    }
  }
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double gelu(double x) { return x * 0.5 * std::erfc(-x * std::sqrt(0.5)); }
double gelu_tanh(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

INSTANTIATE_TEST_SUITE_P(
    All, VectorFunction,
    testing::Values(Function{"exp", vectors::exp_row, [](double x) { return std::exp(x); }, -87, 88, 3e-7},
                    Function{"log", vectors::log_row, [](double x) { return std::log(x); }, 1e-6F, 50, 1e-6},
                    Function{"tanh", vectors::tanh_row, [](double x) { return std::tanh(x); }, -12, 12, 3e-7},
                    Function{"erf", vectors::erf_row, [](double x) { return std::erf(x); }, -5, 5, 3e-7},
                    Function{"sigmoid", vectors::sigmoid_row, sigmoid, -30, 30, 3e-7},
                    Function{"silu", vectors::silu_row, [](double x) { return x * sigmoid(x); }, -10, 10, 1e-6},
                    Function{"gelu", vectors::gelu_row, gelu, -3, 6, 1e-5},
                    Function{"gelu_tanh", vectors::gelu_tanh_row, gelu_tanh, -3, 6, 5e-5},
                    Function{"sqrt", vectors::sqrt_row, [](double x) { return std::sqrt(x); }, 0, 1e6F, 1e-7},
                    Function{"reciprocal", vectors::reciprocal_row, [](double x) { return 1 / x; }, 0.01F, 9, 1e-7}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(VectorRows, WhatIsNotFiniteIsAsInTheStandardLibrary) {
  const std::vector<float> x = {kInfinity, -kInfinity, std::nanf(""), 0.0F, -0.0F, 1000, -1000};
  const auto expect = [&](ElementKernel kernel, float (*exact)(float), const char* name) {
    const std::vector<float> made = run(kernel, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float wanted = exact(x[i]);
      if (std::isnan(wanted)) {
        EXPECT_TRUE(std::isnan(made[i])) << name << "(" << x[i] << ")";
      } else {
        EXPECT_EQ(made[i], wanted) << name << "(" << x[i] << ")";
      }
    }
  };
  expect(
      vectors::exp_row, [](float v) { return std::exp(v); }, "exp");
  expect(
      vectors::tanh_row, [](float v) { return std::tanh(v); }, "tanh");
  expect(
      vectors::erf_row, [](float v) { return std::erf(v); }, "erf");
  expect(
      vectors::sigmoid_row, [](float v) { return 1 / (1 + std::exp(-v)); }, "sigmoid");
  expect(
      vectors::relu_row, [](float v) { return v < 0 ? 0.0F : v; }, "relu");
  EXPECT_EQ(run(vectors::log_row, {0.0F, kInfinity}), (std::vector<float>{-kInfinity, kInfinity}));
  EXPECT_TRUE(std::isnan(run(vectors::log_row, {-1.0F})[0]));
}

TEST(VectorRows, GradientsAreThoseOfDifferences) {
  struct Row {
    ElementKernel kernel;
    double (*function)(double);
  };
  const std::vector<float> x = spread_numbers(37, -4, 4), grad = spread_numbers(37, -1, 1);
  for (const Row& row : {Row{vectors::gelu_gradient_row, gelu}, Row{vectors::gelu_tanh_gradient_row, gelu_tanh},
                         Row{vectors::silu_gradient_row, [](double v) { return v * sigmoid(v); }}}) {
    const std::vector<float> made = run(row.kernel, grad, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<double>(x[i]);
      const double slope = (row.function(at + 1e-5) - row.function(at - 1e-5)) / 2e-5;
      EXPECT_NEAR(static_cast<double>(made[i]), slope * static_cast<double>(grad[i]), 2e-6);
    }
  }
}

TEST(VectorRows, SumsOfRunsOfAnyLength) {
  for (const std::int64_t count : {0, 1, 15, 16, 17, 64, 1023, 1025, 5000}) {
    const std::vector<float> x = spread_numbers(count, -3, 5);
    double sum = 0, squares = 0, exps = 0;
    for (const float one : x) {
      sum += static_cast<double>(one);
      squares += static_cast<double>((one - 1) * (one - 1));
      exps += std::exp(static_cast<double>(one - 2));
    }
    const double size = 1e-6 * static_cast<double>(count + 1);
    EXPECT_NEAR(vectors::sum(x.data(), count), sum, 5 * size);
    EXPECT_NEAR(vectors::sum_of_squares(x.data(), 1, count), squares, 20 * size);
    EXPECT_NEAR(vectors::exp_shifted(x.data(), 2, nullptr, count), exps, 20 * size);
    EXPECT_EQ(vectors::largest(x.data(), count), count == 0 ? -kInfinity : *std::max_element(x.begin(), x.end()));
  }
  std::vector<float> with_nan = spread_numbers(40, 0, 1);
  with_nan[33] = std::nanf("");
  EXPECT_TRUE(std::isnan(vectors::largest(with_nan.data(), 40)));
}

// However many threads there are, the numbers are the same to the last bit.
TEST(VectorRows, ProductsDoNotDependOnTheNumberOfThreads) {
  const std::int64_t rows = 301, depth = 270, columns = 517;
  const std::vector<float> a = spread_numbers(rows * depth, -1, 1), b = spread_numbers(depth * columns, -1, 1);
  std::vector<std::vector<float>> made;
  for (const int threads : {1, 2, 3, 5}) {
    base::set_thread_count(threads);
    for (const bool is_wide : {true, false}) {
      std::vector<float>& out = made.emplace_back(static_cast<std::size_t>(rows * columns));
      if (is_wide) {
        gemm<float>(matrix_of(a.data(), rows, depth), matrix_of(b.data(), depth, columns),
                    matrix_of(out.data(), rows, columns));
      } else {
        // The product turned: then it is cut along the other side.
        gemm<float>(matrix_of(b.data(), depth, columns).transposed(), matrix_of(a.data(), rows, depth).transposed(),
                    matrix_of(out.data(), columns, rows));
      }
    }
  }
  for (std::size_t i = 2; i < made.size(); ++i) EXPECT_EQ(made[i], made[i % 2]);
}

}  // namespace
}  // namespace nns::ops
