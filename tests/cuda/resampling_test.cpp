// Padding, resizing, grids and unpooling on the GPU against the CPU.
#include "tests/cuda/op_check.h"

namespace nns::tests {
namespace {

using CudaResampling = CudaOpFixture;

TEST_F(CudaResampling, PaddingAndItsGradientAgree) {
  struct Row {
    OpId id;
    Dims shape, pad;
    std::int64_t mode;
  };
  const std::vector<Row> rows = {{OpId::reflection_pad1d, {2, 3, 7}, {2, 3}, 0},
                                 {OpId::reflection_pad2d, {3, 5, 7}, {2, 0, 1, 4}, 0},
                                 {OpId::reflection_pad3d, {1, 2, 3, 4, 5}, {1, 2, 3, 0, 1, 1}, 0},
                                 {OpId::replication_pad1d, {3, 7}, {2, 9}, 1},
                                 {OpId::replication_pad2d, {2, 3, 5, 7}, {2, 0, -1, 4}, 1},
                                 {OpId::replication_pad3d, {1, 2, 3, 4, 5}, {1, 2, 3, 0, 1, 1}, 1},
                                 {OpId::pad_circular, {2, 3, 5, 7}, {2, 7, -1, 4}, 2}};
  for (const Row& row : rows) {
    for (const DType dtype : kFloats) {
      const Value x(layout(true, random(row.shape, dtype)));
      check(row.id, {x, ints(row.pad)}, name(row.id, dtype, row.shape));
      if (HasFatalFailure()) return;
      const auto padded = ops::call_op(in, row.id, {x, ints(row.pad)});
      const Value grad(random(padded.value().as<Tensor>()->shape(), dtype));
      check(OpId::pad_backward, {grad, ints(row.shape), ints(row.pad), Value(row.mode)}, "gradient", 8);
      if (HasFatalFailure()) return;
    }
  }
  check(OpId::pad_circular, {Value(random({1, 2, 6}, DType::Int64)), ints({2, 3})}, "whole numbers");
  check(OpId::reflection_pad1d, {Value(random({1, 2, 6}, DType::Int64)), ints({2, 3})}, "whole numbers");
  const Ref<Tensor> truths = random({1, 2, 6}, DType::Bool);
  EXPECT_EQ(error(OpId::reflection_pad1d, {Value(moved(*truths)), ints({2, 3})}),
            error(OpId::reflection_pad1d, {Value(truths), ints({2, 3})}));
  expect_no_fallback();
}

TEST_F(CudaResampling, ResizingAndItsGradientAgree) {
  struct Row {
    OpId id;
    std::size_t dims;
    bool takes_corners = true;
  };
  const std::vector<Row> rows = {{OpId::upsample_nearest1d, 1, false},
                                 {OpId::upsample_nearest2d, 2, false},
                                 {OpId::upsample_nearest3d, 3, false},
                                 {OpId::upsample_nearest_exact1d, 1, false},
                                 {OpId::upsample_nearest_exact2d, 2, false},
                                 {OpId::upsample_nearest_exact3d, 3, false},
                                 {OpId::upsample_linear1d, 1},
                                 {OpId::upsample_bilinear2d, 2},
                                 {OpId::upsample_trilinear3d, 3},
                                 {OpId::upsample_bicubic2d, 2},
                                 {OpId::upsample_bilinear2d_aa, 2},
                                 {OpId::upsample_bicubic2d_aa, 2}};
  const std::vector<std::int64_t> from = {4, 6, 5}, up = {8, 7, 11}, down = {2, 5, 3};
  for (const Row& row : rows) {
    for (const std::vector<std::int64_t>& to : {up, down}) {
      std::vector<std::int64_t> shape = {2, 3};
      shape.insert(shape.end(), from.end() - static_cast<std::ptrdiff_t>(row.dims), from.end());
      const Dims size(std::vector<std::int64_t>(to.end() - static_cast<std::ptrdiff_t>(row.dims), to.end()));
      for (const DType dtype : kFloats) {
        for (const bool corners : {false, true}) {
          if (corners && !row.takes_corners) continue;
          const Value x(layout(corners, random(Dims(shape), dtype)));
          check(row.id, {x, ints(size), Value(corners)}, name(row.id, dtype, Dims(shape)), 8);
          std::vector<std::int64_t> made = {2, 3};
          made.insert(made.end(), size.begin(), size.end());
          check(OpId::upsample_backward,
                {Value(random(Dims(made), dtype)), ints(Dims(shape)), Value(static_cast<std::int64_t>(row.id)),
                 Value(corners), Value()},
                name(row.id, dtype, Dims(shape), "gradient"), 32);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  for (const OpId id : {OpId::upsample_nearest2d, OpId::upsample_bilinear2d, OpId::upsample_bicubic2d_aa}) {
    Numbers bytes;
    for (int i = 0; i < 24; ++i) bytes.push_back(static_cast<double>(source() % 256));
    check(id, {Value(make({1, 1, 4, 6}, bytes, DType::UInt8)), ints({8, 3}), Value(false)}, "bytes");
  }
  expect_no_fallback();
}

TEST_F(CudaResampling, GridsAndTheirGradientsAgree) {
  for (const DType dtype : kFloats) {
    for (const bool corners : {false, true}) {
      for (const int outside : {0, 1, 2}) {
        for (const int between : {0, 1, 2}) {
          // Where 16 bits round a place decides what the nearest item is.
          if (between == 1 && tensor::item_bytes(dtype) == 2) continue;
          const Value x(layout(corners, random({2, 11, 4, 5}, dtype)));
          const Value grid(random({2, 3, 7, 2}, dtype, -1.4, 1.4));
          const Value mode(between), edge(outside), aligns(corners);
          const std::string what =
              fmt::format("{} {} {} {}", name(OpId::grid_sampler_2d, dtype, {}), between, outside, corners);
          const bool is_exact = tensor::item_bytes(dtype) > 2;
          check(OpId::grid_sampler_2d, {x, grid, mode, edge, aligns}, what, 16);
          if (is_exact) {
            check(OpId::grid_sampler_backward, {Value(random({2, 11, 3, 7}, dtype)), x, grid, mode, edge, aligns},
                  what + " gradient", 64);
          }
          if (HasFatalFailure()) return;
          if (between == 2) continue;
          const Value volume(random({1, 2, 3, 4, 5}, dtype)), places(random({1, 2, 2, 3, 3}, dtype, -1.4, 1.4));
          check(OpId::grid_sampler_3d, {volume, places, mode, edge, aligns}, what + " volume", 16);
          if (is_exact) {
            check(OpId::grid_sampler_backward,
                  {Value(random({1, 2, 2, 2, 3}, dtype)), volume, places, mode, edge, aligns},
                  what + " gradient of a volume", 64);
          }
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  expect_no_fallback();
}

TEST_F(CudaResampling, UnpoolingAgrees) {
  for (const DType dtype : {DType::Float32, DType::BFloat16, DType::Float64}) {
    Numbers places;
    for (int i = 0; i < 2 * 3 * 6; ++i) places.push_back(static_cast<double>(source() % 20));
    check(OpId::max_unpool2d,
          {Value(layout(true, random({2, 3, 2, 3}, dtype))), Value(make({2, 3, 2, 3}, places, DType::Int64)),
           ints({4, 5})},
          name(OpId::max_unpool2d, dtype, {2, 3, 2, 3}));
    check(OpId::max_unpool3d,
          {Value(random({3, 2, 2, 3}, dtype)), Value(make({3, 2, 2, 3}, places, DType::Int64)), ints({2, 2, 5}),
           ints({1, 1, 1}), ints({0, 0, 0})},
          name(OpId::max_unpool3d, dtype, {3, 2, 2, 3}));
    if (HasFatalFailure()) return;
  }
  expect_no_fallback();
}

}  // namespace
}  // namespace nns::tests
