// Rows of any width that begin anywhere on the GPU against the CPU: kernels that read 16 bytes a thread must find the
// ends of rows, and where nothing is aligned.
#include "core/ops/copy_work.h"
#include "tests/cuda/op_check.h"

namespace nns::tests {
namespace {

class CudaAlignment : public CudaOpFixture {
 protected:
  struct Layout {
    /// Items before the first row, and between the end of a row and the next one.
    std::int64_t begin = 0, gap = 0;
  };
  static constexpr Layout kLayouts[] = {{0, 0}, {1, 0}, {0, 3}, {0, 8}, {5, 1}};

  Ref<Tensor> rows(std::int64_t count, std::int64_t width, DType dtype, Layout layout, double low = -2,
                   double high = 2) {
    const std::int64_t step = width + layout.gap;
    return tensor::as_strided(*random({layout.begin + count * step}, dtype, low, high), {count, width}, {step, 1},
                              layout.begin);
  }
  static std::string told(std::string_view what, DType dtype, std::int64_t width, Layout layout) {
    return fmt::format("{} {} width {} begin {} gap {}", what, tensor::info(dtype).torch_name, width, layout.begin,
                       layout.gap);
  }
};

TEST_F(CudaAlignment, SoftmaxTakesRowsAsTheyLie) {
  for (const std::int64_t width : {1, 7, 8, 33, 100, 1024, 1031, 4104, 8192, 8200, 50257}) {
    for (const DType dtype : kFloats) {
      for (const Layout& layout : kLayouts) {
        if (width > 1024 && layout.gap == 3) continue;
        const Value x(rows(3, width, dtype, layout, -6, 6));
        check(OpId::softmax_same, {x, Value(-1)}, told("softmax", dtype, width, layout), 8);
        check(OpId::log_softmax_same, {x, Value(-1)}, told("log_softmax", dtype, width, layout), 8);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(CudaAlignment, SoftmaxOfInfinitiesAndNaNIsThatOfTheCpu) {
  const double infinity = HUGE_VAL;
  for (const std::int64_t width : {40, 1500, 9001}) {
    for (const DType dtype : {DType::Float32, DType::BFloat16}) {
      Numbers values;
      for (std::int64_t row = 0; row < 5; ++row) {
        for (std::int64_t i = 0; i < width; ++i) {
          const bool is_last = i == width - 1;
          values.push_back(row == 0   ? -infinity
                           : row == 1 ? (is_last ? 1 : -infinity)
                           : row == 2 ? (is_last ? infinity : 1)
                           : row == 3 ? (is_last ? std::nan("") : 1)
                                      : (i == 0 ? -infinity : 0.5));
        }
      }
      const Value x(make({5, width}, values, dtype));
      for (const OpId id : {OpId::softmax_same, OpId::log_softmax_same}) {
        check(id, {x, Value(-1)}, name(id, dtype, {5, width}), 8);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(CudaAlignment, NormsTakeRowsAsTheyLie) {
  for (const std::int64_t width : {1, 7, 8, 256, 264, 768, 1024, 1032, 2048, 4104, 8192, 8200}) {
    const std::int64_t count = width < 1000 ? 19 : 3;
    for (const DType dtype : {DType::Float32, DType::BFloat16, DType::Float16}) {
      const bool is_half = tensor::item_bytes(dtype) == 2;
      if (width == 1 && is_half) continue;  // rstd of 316 makes noise of the last bit
      for (const Layout& layout : {kLayouts[0], kLayouts[1]}) {
        const Value x(rows(count, width, dtype, layout)), grad(rows(count, width, dtype, layout));
        const Value weight(random({width}, dtype)), bias(random({width}, dtype));
        const Value mean(random({count, 1}, dtype)), rstd(random({count, 1}, dtype, 0.5, 2));
        const std::string what = told("norm", dtype, width, layout);
        check(OpId::native_layer_norm, {x, ints({width}), weight, bias, Value(1e-5)}, what, 8);
        check(OpId::native_layer_norm, {x, ints({width}), Value(), Value(), Value(1e-5)}, what, 8);
        check(OpId::fused_rms_norm, {x, ints({width}), weight, Value(1e-5)}, what, 8);
        const double extra = is_half ? 32 : 64;
        check(OpId::native_layer_norm_backward, {grad, x, ints({width}), mean, rstd, weight}, what, extra);
        check(OpId::native_layer_norm_backward, {grad, x, ints({width}), mean, rstd, Value()}, what, extra);
        check(OpId::fused_rms_norm_backward, {grad, x, ints({width}), rstd, weight}, what, extra);
        if (HasFatalFailure()) return;
      }
    }
  }
  expect_no_fallback();
}

TEST_F(CudaAlignment, SumsOverManyRowsOfANormAgree) {
  for (const std::int64_t width : {64, 768}) {
    const std::int64_t count = 3000;
    const Value x(random({count, width}, DType::Float32)), grad(random({count, width}, DType::Float32));
    if (is_too_large({count, width}, 200000)) continue;
    check(OpId::native_layer_norm_backward,
          {grad, x, ints({width}), Value(random({count, 1}, DType::Float32)),
           Value(random({count, 1}, DType::Float32, 0.5, 2)), Value()},
          "many rows", 64);
  }
}

TEST_F(CudaAlignment, ReductionsTakeRowsAsTheyLie) {
  for (const std::int64_t width : {1, 7, 8, 33, 64, 264, 1031, 4104}) {
    for (const DType dtype : kFloats) {
      for (const Layout& layout : kLayouts) {
        for (const std::int64_t count : {1, 37, 300}) {
          if (count * width > 30000) continue;
          const Value x(rows(count, width, dtype, layout));
          const std::string what = told("reduction", dtype, width, layout);
          for (const int dim : {0, 1}) {
            check(OpId::sum_dim, {x, ints({dim})}, what, 8);
            check(OpId::mean_dim, {x, ints({dim})}, what, 8);
            check(OpId::amax, {x, ints({dim})}, what, 4);
            check(OpId::argmin, {x, Value(dim)}, what);
            check(OpId::norm, {x, Value(2), ints({dim})}, what, 8);
          }
          check(OpId::sum, {x}, what, 8);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(CudaAlignment, ElementwiseOpsTakeRowsAsTheyLie) {
  for (const std::int64_t width : {1, 7, 8, 12, 33, 64}) {
    for (const DType dtype : {DType::Float32, DType::BFloat16, DType::Float16, DType::Float64, DType::Int64}) {
      for (const Layout& layout : kLayouts) {
        const Value x(rows(5, width, dtype, layout)), y(rows(5, width, dtype, layout));
        const Value row(rows(1, width, dtype, layout)), column(random({5, 1}, dtype));
        const std::string what = told("elements", dtype, width, layout);
        for (const Value& other :
             {y, row, column, Value(random({}, dtype)), Value(random({5, width}, DType::Float32))}) {
          check(OpId::add, {x, other}, what, 2);
          check(OpId::mul, {other, x}, what, 2);
          check(OpId::lt, {x, other}, what);
          if (HasFatalFailure()) return;
        }
        check(OpId::where, {Value(rows(5, width, DType::Bool, layout)), x, row}, what);
        if (tensor::is_floating(dtype)) check(OpId::gelu, {x}, what, 2);
        for (const DType to : {DType::Float32, DType::BFloat16, DType::Int32, DType::Bool}) {
          const Tensor& from = *x.as<Tensor>();
          expect_close(shown(*on(tensor::Device::Cuda, *moved(from), to)), items(*on(tensor::Device::Cpu, from, to)), 0,
                       what);
        }
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(CudaAlignment, MoreItemsThanThreadsOfADeviceAgree) {
  const std::int64_t count = (std::int64_t{1} << 22U) + 5;
  const Ref<Tensor> x = tensor::as_strided(*random({1009}, DType::Float32), {(count + 1008) / 1009, 1009}, {0, 1}, 0);
  for (const DType dtype : {DType::Float32, DType::BFloat16}) {
    const Ref<Tensor> here = on(tensor::Device::Cpu, *x, dtype);
    expect_close(shown(*made(OpId::add, {Value(moved(*here)), Value(1.5)})),
                 items(*made(OpId::add, {Value(here), Value(1.5)})), tolerance(dtype), "long");
    if (HasFatalFailure()) return;
  }
}

TEST_F(CudaAlignment, CopiesFollowStridesOfEveryItemSize) {
  struct Case {
    Dims shape;
    std::vector<std::size_t> order;
  };
  const std::vector<Case> cases = {{Dims({2, 3, 5, 64}), {0, 2, 1, 3}}, {Dims({70, 130}), {1, 0}},
                                   {Dims({3, 70, 65}), {2, 0, 1}},      {Dims({3, 70, 65}), {0, 2, 1}},
                                   {Dims({2, 3, 4}), {2, 1, 0}},        {Dims({5, 7, 6}), {1, 0, 2}},
                                   {Dims({64, 3, 2, 16}), {3, 1, 2, 0}}};
  for (const DType dtype : {DType::UInt8, DType::BFloat16, DType::Float32, DType::Int64, DType::Complex128}) {
    for (const Case& one : cases) {
      for (const std::int64_t begin : {0, 1, 4}) {
        const Ref<Tensor> memory = whole_numbers({begin + tensor::element_count(one.shape)}, 5, dtype);
        std::vector<std::int64_t> shape, strides;
        const Ref<Tensor> shaped = tensor::empty(in, one.shape, dtype);
        for (const std::size_t dim : one.order) {
          shape.push_back(one.shape[dim]);
          strides.push_back(shaped->strides()[dim]);
        }
        const Ref<Tensor> turned = tensor::as_strided(*memory, Dims(shape), Dims(strides), begin);
        const Ref<Tensor> there = moved(*turned);
        // Out of such strides, and into them.
        const Ref<Tensor> straight = tensor::empty(in, turned->shape(), dtype, tensor::Device::Cuda);
        ASSERT_TRUE(tensor::copy_items(*straight, *there).ok());
        EXPECT_TRUE(tensor::equal(*turned, *straight)) << tensor::info(dtype).torch_name;
        const Ref<Tensor> zeros = tensor::zeros(in, {begin + turned->numel()}, dtype, tensor::Device::Cuda);
        const Ref<Tensor> other = tensor::as_strided(*zeros, turned->shape(), turned->strides(), begin);
        ASSERT_TRUE(tensor::copy_items(*other, *straight).ok());
        EXPECT_TRUE(tensor::equal(*turned, *other)) << tensor::info(dtype).torch_name;
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(CudaAlignment, LossesTakeRowsAsTheyLie) {
  for (const std::int64_t classes : {1, 7, 8, 1000, 1001, 50257}) {
    for (const DType dtype : {DType::Float32, DType::BFloat16}) {
      for (const Layout& layout : {kLayouts[0], kLayouts[1]}) {
        Numbers chosen;
        for (int i = 0; i < 4; ++i) {
          chosen.push_back(i == 1 ? -100 : static_cast<double>(source() % static_cast<std::uint32_t>(classes)));
        }
        const Value x(rows(4, classes, dtype, layout)), targets(make({4}, chosen, DType::Int64));
        const Value weight(random({classes}, dtype, 0.5, 1.5));
        for (const double smoothing : {0.0, 0.1}) {
          const std::string what = told("loss", dtype, classes, layout);
          const Arguments rest = {targets, weight, Value(1), Value(-100), Value(smoothing)};
          Arguments forward = {x}, backward = {Value(random({}, dtype)), x};
          forward.insert(forward.end(), rest.begin(), rest.end());
          check(OpId::cross_entropy_fused, forward, what, 16);
          const auto sums = (*called(OpId::cross_entropy_fused, forward).as<object::Tuple>())[2];
          backward.push_back(sums);
          backward.insert(backward.end(), rest.begin(), rest.end());
          check(OpId::cross_entropy_backward, backward, what, 4);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(CopyWork, WidensUnitsThatLieInARow) {
  const auto widened = [](std::int64_t width, std::int64_t gap, std::uintptr_t out_at) {
    ops::CopyWork work;
    work.unit_bytes = 2;
    const std::int64_t row[2] = {2, 2}, rows[2] = {2 * width, 2 * (width + gap)};
    EXPECT_TRUE(work.plan.add(width, row) && work.plan.add(3, rows));
    work.widen(out_at, 64);
    EXPECT_EQ(work.plan.count * work.unit_bytes, 2 * 3 * width);
    return work.unit_bytes;
  };
  EXPECT_EQ(widened(64, 64, 32), 16);
  EXPECT_EQ(widened(64, 4, 32), 8);
  EXPECT_EQ(widened(64, 1, 32), 2);
  EXPECT_EQ(widened(12, 64, 32), 8);
  EXPECT_EQ(widened(64, 64, 36), 4);
  EXPECT_EQ(widened(7, 9, 32), 2);
}

}  // namespace
}  // namespace nns::tests
