// Pooling on the GPU against the CPU.
#include "core/ops/pooling.h"

#include "core/ops/pooling_work.h"
#include "tests/cuda/op_check.h"
#include "tests/cuda/program_fixture.h"

namespace nns::tests {
namespace {

// The windows of kernels are those of the CPU, and each item's windows are found.
void expect_windows(const ops::PoolDim& dim, const std::vector<ops::Span>& spans) {
  ASSERT_EQ(static_cast<std::int64_t>(spans.size()), dim.window.out);
  for (std::int64_t at = 0; at < dim.window.out; ++at) {
    const ops::PoolDim::Seen seen = dim.seen(at);
    const ops::Span& span = spans[static_cast<std::size_t>(at)];
    EXPECT_EQ(seen.from, span.from);
    EXPECT_EQ(seen.to, span.to);
    EXPECT_EQ(seen.step, span.step);
    EXPECT_EQ(seen.covered, span.covered);
    if (seen.step != 1) continue;
    for (std::int64_t item = seen.from; item < seen.to; ++item) {
      EXPECT_LE(dim.windows_of(item).from, at);
      EXPECT_GT(dim.windows_of(item).to, at);
    }
  }
}

TEST(PoolDim, SeesWhatTheCpuSees) {
  for (std::int64_t size = 1; size < 12; ++size) {
    for (std::int64_t out = 1; out < 14; ++out) {
      ops::PoolDim adaptive;
      adaptive.is_adaptive = true;
      adaptive.window.in = size;
      adaptive.window.out = out;
      expect_windows(adaptive, ops::adaptive_plan(std::array{size}, std::array{out}).spans[2]);
    }
    for (std::int64_t kernel = 1; kernel <= 3; ++kernel) {
      for (std::int64_t stride = 1; stride <= 3; ++stride) {
        for (std::int64_t padding = 0; padding <= kernel / 2; ++padding) {
          for (std::int64_t dilation = 1; dilation <= 2; ++dilation) {
            for (const bool ceil_mode : {false, true}) {
              const ops::PoolArguments arguments{1, {kernel}, {stride}, {padding}, {dilation}, ceil_mode};
              const std::vector<ops::WindowDim> windows = arguments.windows(Dims({size}));
              if (windows[0].out > 0) expect_windows({windows[0], false}, ops::plan_of(windows).spans[2]);
            }
          }
        }
      }
    }
  }
}

class CudaPooling : public CudaOpFixture {
 protected:
  // Places of items that are there twice may differ from the CPU's in float64: all are different.
  Ref<Tensor> different(const Dims& shape, DType dtype) {
    Numbers values;
    for (std::int64_t i = 0; i < tensor::element_count(shape); ++i) values.push_back(static_cast<double>(i) / 8 - 3);
    std::shuffle(values.begin(), values.end(), source);
    return make(shape, values, dtype);
  }
};

TEST_F(CudaPooling, MaximaAgree) {
  for (const DType dtype : kFloats) {
    for (const bool is_scattered : {false, true}) {
      const Value plane(layout(is_scattered, different({2, 3, 7, 5}, dtype)));
      const Value box(layout(is_scattered, different({2, 4, 5, 6}, dtype)));
      const auto of = [&](OpId id) { return name(id, dtype, {}); };
      check(OpId::max_pool2d_with_indices, {plane, Value(2)}, of(OpId::max_pool2d_with_indices));
      check(OpId::max_pool2d_with_indices, {plane, ints({3, 2}), ints({2, 1}), ints({1, 0}), ints({1, 2}), Value(true)},
            of(OpId::max_pool2d_with_indices));
      check(OpId::max_pool3d_with_indices, {box, Value(2), Value(1), Value(1)}, of(OpId::max_pool3d_with_indices));
      check(OpId::adaptive_max_pool2d, {plane, ints({3, 4})}, of(OpId::adaptive_max_pool2d));
      check(OpId::adaptive_max_pool3d, {box, ints({2, 5, 1})}, of(OpId::adaptive_max_pool3d));
      if (HasFatalFailure()) return;
    }
  }
  Numbers with_nan = {1, std::nan(""), 3, 2, 5, -HUGE_VAL, -HUGE_VAL, 0, 1};
  check(OpId::max_pool2d_with_indices, {Value(make({1, 3, 3}, with_nan)), Value(2), Value(1)}, "not a number");
  check(OpId::max_pool2d_with_indices, {Value(random({0, 2, 4, 4}, DType::Float32)), Value(2)}, "no samples");
  expect_no_fallback();
}

TEST_F(CudaPooling, MeansAgree) {
  for (const DType dtype : kFloats) {
    for (const bool is_scattered : {false, true}) {
      const auto drawn = [&](const Dims& shape) { return Value(layout(is_scattered, random(shape, dtype))); };
      const Value plane = drawn({2, 3, 7, 5}), box = drawn({2, 4, 5, 6});
      const auto of = [&](OpId id) { return name(id, dtype, {}); };
      for (const bool counts : {false, true}) {
        check(OpId::avg_pool2d, {plane, ints({3, 2}), ints({2, 1}), ints({1, 0}), Value(true), Value(counts)},
              of(OpId::avg_pool2d), 4);
        check(OpId::avg_pool3d, {box, Value(2), Value(2), Value(1), Value(false), Value(counts)}, of(OpId::avg_pool3d),
              4);
        check(OpId::avg_pool_backward,
              {drawn({2, 3, 4, 4}), ints({2, 3, 7, 5}), ints({3, 2}), ints({2, 1}), ints({1, 0}), Value(true),
               Value(counts), Value()},
              of(OpId::avg_pool_backward), 4);
        check(OpId::avg_pool_backward,
              {drawn({2, 3, 3, 4}), ints({2, 4, 5, 6}), ints({2, 2, 2}), ints({2, 2, 2}), ints({1, 1, 1}), Value(false),
               Value(counts), Value(3)},
              of(OpId::avg_pool_backward), 4);
      }
      check(OpId::avg_pool2d, {plane, Value(2), Value(), Value(0), Value(false), Value(true), Value(3)},
            of(OpId::avg_pool2d), 4);
      check(OpId::adaptive_avg_pool2d_windows, {plane, ints({3, 8})}, of(OpId::adaptive_avg_pool2d_windows), 4);
      check(OpId::adaptive_avg_pool3d_windows, {box, ints({2, 5, 1})}, of(OpId::adaptive_avg_pool3d_windows), 4);
      check(OpId::adaptive_avg_pool_backward, {drawn({2, 3, 3, 8}), ints({2, 3, 7, 5}), Value(2)},
            of(OpId::adaptive_avg_pool_backward), 4);
      if (HasFatalFailure()) return;
    }
  }
  expect_no_fallback();
}

TEST_F(CudaPooling, WhatIsPutBackAddsUp) {
  for (const DType dtype : kFloats) {
    // More items than a warp has threads, many of them for one place.
    Numbers places;
    for (int i = 0; i < 3 * 5 * 8; ++i) places.push_back(static_cast<double>(source() % (i < 40 ? 4 : 30)));
    const Value indices(make({3, 5, 8}, places, DType::Int64));
    check(OpId::pool_scatter, {Value(random({3, 5, 8}, dtype)), indices, ints({5, 6})},
          name(OpId::pool_scatter, dtype, {3, 5, 8}), 16);
    check(OpId::pool_gather, {Value(layout(true, random({3, 5, 6}, dtype))), indices, Value(2)},
          name(OpId::pool_gather, dtype, {3, 5, 8}));
    if (HasFatalFailure()) return;
  }
  expect_no_fallback();
}

using CudaPoolingPrograms = CudaProgramFixture;

TEST_F(CudaPoolingPrograms, HaveTheGradientsOfTheCpu) {
  EXPECT_EQ(printed_on_gpu(R"(
from torch.nn import functional as F
rows = [lambda x: F.max_pool1d(x[0], 3, 2), lambda x: F.max_pool2d(x, 3, 2, 1), lambda x: F.avg_pool1d(x[0], 2), lambda x: F.avg_pool2d(x, 3, 1, 1),
        lambda x: F.adaptive_avg_pool2d(x, (2, 3)), lambda x: F.adaptive_avg_pool2d(x, 1), lambda x: F.adaptive_max_pool2d(x, (4, 3)),
        lambda x: F.max_pool3d(x, 2), lambda x: F.avg_pool3d(x, 2), lambda x: F.adaptive_avg_pool3d(x, 2), lambda x: F.adaptive_max_pool1d(x[0], 3)]
for i, pool in enumerate(rows):
    made = []
    for device in ["cpu", "cuda"]:
        torch.manual_seed(0)
        x = torch.randn(2, 3, 6, 7).to(device).requires_grad_()
        pool(x).square().sum().backward()
        made.append(x.grad.cpu())
    if not torch.allclose(*made, rtol=1e-5, atol=1e-5):
        print(i)
)"),
            "on the CPU: []\n");
}

}  // namespace
}  // namespace nns::tests
