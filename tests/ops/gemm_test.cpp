#include "core/ops/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/ops/each_processor.h"

namespace nns::ops {
namespace {

using tests::on_each_processor;

// Whole numbers, small enough that sums of their products are exact in every type.
template <class T>
std::vector<T> numbers(std::int64_t count, std::uint32_t seed) {
  std::vector<T> made(static_cast<std::size_t>(count));
  for (T& one : made) {
    seed = seed * 1664525U + 1013904223U;
    one = T(static_cast<std::int16_t>(static_cast<int>(seed >> 24U) % 9 - 4));
  }
  return made;
}

// A matrix in one of the four ways that its items may lie.
template <class T>
struct Laid {
  std::vector<T> items;
  MatrixView<const T> view;
  Laid(std::int64_t rows, std::int64_t columns, int way, std::uint32_t seed)
      : items(numbers<T>((rows + 1) * (columns + 3) * 2, seed)) {
    if (way == 0) view = {items.data(), rows, columns, columns, 1};
    if (way == 1) view = {items.data(), rows, columns, 1, rows};
    if (way == 2) view = {items.data(), rows, columns, columns + 3, 1};
    if (way == 3) view = {items.data(), rows, columns, 2 * columns, 2};
  }
  T at(std::int64_t row, std::int64_t column) const {
    return view.data[row * view.row_stride + column * view.column_stride];
  }
};

template <class T>
void expect_product(std::int64_t m, std::int64_t k, std::int64_t n, int a_way, int b_way, bool accumulates) {
  const Laid<T> a(m, k, a_way, 1);
  const Laid<T> b(k, n, b_way, 2);
  const std::int64_t stride = n + 2;
  const std::vector<T> before = numbers<T>(m * stride, 3);
  std::vector<T> out = before;
  gemm<T>(a.view, b.view, {out.data(), m, n, stride, 1}, accumulates);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < stride; ++j) {
      const auto at = static_cast<std::size_t>(i * stride + j);
      T sum = accumulates ? before[at] : T();
      for (std::int64_t p = 0; j < n && p < k; ++p) sum += a.at(i, p) * b.at(p, j);
      // What lies between the rows of the result stays.
      ASSERT_EQ(out[at], j < n ? sum : before[at])
          << m << " x " << k << " x " << n << ", ways " << a_way << b_way << ", item " << i << ", " << j;
    }
  }
}

template <class T>
void expect_products() {
  constexpr std::int64_t kSizes[][3] = {{0, 3, 4},   {3, 0, 4},   {3, 4, 0},    {1, 1, 1},    {1, 17, 1},   {5, 3, 7},
                                        {12, 8, 32}, {13, 9, 33}, {25, 31, 70}, {4, 300, 16}, {47, 257, 49}};
  for (const auto& size : kSizes) {
    for (int a_way = 0; a_way < 4; ++a_way) {
      for (int b_way = 0; b_way < 4; ++b_way) {
        if (size[0] * size[1] * size[2] > 10'000 && a_way != b_way) continue;
        expect_product<T>(size[0], size[1], size[2], a_way, b_way, false);
        expect_product<T>(size[0], size[1], size[2], a_way, b_way, true);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
  // More than one block in each direction.
  expect_product<T>(251, 30, 40, 0, 1, false);
  // Rows that lie side by side, more than are packed together.
  expect_product<T>(101, 30, 40, 1, 0, false);
  expect_product<T>(14, 6, 3100, 1, 0, true);
}

TEST(Gemm, OfFloats) { on_each_processor(expect_products<float>); }
TEST(Gemm, OfDoubles) { on_each_processor(expect_products<double>); }
TEST(Gemm, OfIntegers) { expect_products<std::int64_t>(); }
TEST(Gemm, OfComplexNumbers) {
  expect_products<std::complex<float>>();
  expect_products<std::complex<double>>();
}

TEST(Gemm, CarriesWhatIsNotANumber) {
  on_each_processor([] {
    const std::vector<float> a = {1, INFINITY, 0, NAN};
    const std::vector<float> b = {1, 0, 0, 2};
    std::vector<float> out(4);
    gemm<float>(matrix_of(a.data(), 2, 2), matrix_of(b.data(), 2, 2), matrix_of(out.data(), 2, 2));
    EXPECT_TRUE(std::isnan(out[0]));  // 1 + inf * 0
    EXPECT_EQ(out[1], INFINITY);
    EXPECT_TRUE(std::isnan(out[2]));
    EXPECT_TRUE(std::isnan(out[3]));
  });
}

}  // namespace
}  // namespace nns::ops
