// Convolutions on the GPU against the CPU.
#include "core/ops/convolution_work.h"

#include "core/tensor/gpu_choice.h"
#include "tests/cuda/op_check.h"
#include "tests/cuda/program_fixture.h"

namespace nns::tests {
namespace {

ops::ConvolutionShape shape_of(std::int64_t batch, std::int64_t groups, std::int64_t in, std::int64_t out,
                               std::int64_t size, std::int64_t kernel) {
  ops::ConvolutionShape shape{batch, groups, in, out, {}};
  shape.dims[2] = {size, size - kernel + 1, kernel, 1, 0, 1};
  return shape;
}

TEST(ConvolutionParts, HoldAsManySamplesAsFitElsePartsOfPlacesOrChannels) {
  const auto shape = shape_of(10, 2, 3, 5, 1002, 3);
  // 18 numbers a place, 1,000 places.
  const ops::ColumnPart all = ops::part_of_places(shape, 4, std::int64_t{1} << 40U);
  EXPECT_EQ(all.samples, 10);
  EXPECT_EQ(all.places, 1000);
  EXPECT_EQ(ops::part_of_places(shape, 4, 3 * 72000 + 100).samples, 3);
  const ops::ColumnPart few = ops::part_of_places(shape, 4, 72 * 200);
  EXPECT_EQ(few.samples, 1);
  EXPECT_EQ(few.places, 192) << "rows of the matrix stay aligned";
  EXPECT_EQ(ops::part_of_places(shape, 4, 1).places, 1);
  constexpr std::int64_t kMany = std::int64_t{1} << 31U;
  EXPECT_EQ(ops::part_of_channels(shape, 4, kMany, kMany).samples, 10);
  EXPECT_EQ(ops::part_of_channels(shape, 4, kMany, kMany).channels, 3);
  EXPECT_EQ(ops::part_of_channels(shape, 4, 2 * 24000, kMany).channels, 2);
  EXPECT_EQ(ops::part_of_channels(shape, 4, 2 * 24000, kMany).samples, 1);
  EXPECT_EQ(ops::part_of_channels(shape, 4, kMany, 2 * 3 * 2 * 1002).samples, 2);
  EXPECT_EQ(ops::part_of_channels(shape, 4, 1, 1).channels, 1);
}

// By cuDNN and without it; float32 as float32.
class CudaConvolutions : public CudaOpFixture, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    CudaOpFixture::SetUp();
    if (IsSkipped()) return;
    if (GetParam() && tensor::cudnn_version(in) == 0) GTEST_SKIP() << "cuDNN is not found";
    ops::CudnnSwitches& switches = ops::OpLibrary::of(in).cudnn;
    switches.is_enabled = GetParam();
    switches.allows_tf32 = false;
  }
};
const auto kWays = testing::Values(true, false);
std::string way_name(const testing::TestParamInfo<bool>& way) { return way.param ? "ByCudnn" : "ByOurKernels"; }
INSTANTIATE_TEST_SUITE_P(Ways, CudaConvolutions, kWays, way_name);

struct Case {
  Dims input, weight;
  Dims stride, padding, dilation;
  bool is_transposed = false;
  std::int64_t groups = 1;
  Dims output_padding = Dims({0});
};

const std::vector<Case> kCases = {
    {{2, 3, 9}, {4, 3, 3}, {1}, {1}, {1}},
    {{1, 1, 5}, {1, 1, 5}, {1}, {0}, {1}},
    {{3, 4, 7, 6}, {6, 4, 3, 2}, {2, 1}, {1, 0}, {1, 2}},
    {{2, 4, 5, 5}, {6, 2, 3, 3}, {1}, {1}, {1}, false, 2},
    {{5, 3, 6, 7}, {4, 3, 1, 1}, {1}, {0}, {1}},
    {{2, 4, 6, 5}, {4, 4, 1, 1}, {2}, {0}, {1}},
    {{2, 5, 8, 7}, {5, 1, 3, 3}, {1}, {1}, {1}, false, 5},
    {{2, 3, 8, 7}, {6, 1, 3, 2}, {2, 3}, {1}, {2}, false, 3},
    {{1, 34, 4, 4}, {34, 17, 2, 2}, {1}, {0}, {1}, false, 2},
    {{2, 2, 4, 5, 6}, {3, 2, 2, 3, 3}, {1, 2, 1}, {1, 1, 0}, {2, 1, 1}},
    {{0, 3, 5, 5}, {2, 3, 3, 3}, {1}, {0}, {1}},
    {{2, 4, 5}, {4, 3, 3}, {2}, {1}, {1}, true, 1, {1}},
    {{2, 4, 5, 3}, {4, 3, 3, 2}, {2, 1}, {1, 0}, {1, 2}, true, 1, {1, 0}},
    {{1, 4, 4, 4}, {4, 2, 3, 3}, {1}, {0}, {1}, true, 2},
    {{2, 6, 4, 3}, {6, 1, 3, 3}, {2}, {1}, {1}, true, 6, {1}},
    {{1, 2, 3, 3, 2}, {2, 3, 2, 2, 2}, {2}, {0}, {1}, true},
    // Items at the far end that belong to no window; a plane of a whole number of fours.
    {{2, 4, 5}, {4, 3, 3}, {2}, {1}, {3}, true, 1, {2}},
    {{2, 16, 4, 6}, {8, 16, 3, 3}, {1}, {1}, {1}},
};

TEST_P(CudaConvolutions, Agree) {
  for (const Case& one : kCases) {
    for (const DType dtype : kFloats) {
      for (const bool is_scattered : {false, true}) {
        const std::string what = name(OpId::convolution, dtype, one.input, is_scattered ? "scattered" : "dense");
        const Value x(layout(is_scattered, random(one.input, dtype))),
            w(layout(is_scattered, random(one.weight, dtype)));
        const std::int64_t made = one.is_transposed ? one.weight[1] * one.groups : one.weight[0];
        const Value bias = is_scattered ? Value() : Value(random({made}, dtype));
        const Arguments settings = {ints(one.stride),         ints(one.padding),        ints(one.dilation),
                                    Value(one.is_transposed), ints(one.output_padding), Value(one.groups)};
        Arguments args = {x, w, bias};
        args.insert(args.end(), settings.begin(), settings.end());
        check(OpId::convolution, args, what, 8);
        if (HasFatalFailure()) return;
        const Dims out = ops::call_op(in, OpId::convolution, args).value().as<Tensor>()->shape();
        check(OpId::convolution_weight_gradient,
              {Value(layout(is_scattered, random(out, dtype))), x, ints(one.weight), settings[0], settings[1],
               settings[2], settings[3], settings[5]},
              what, 16);
        if (HasFatalFailure()) return;
      }
    }
  }
  expect_no_fallback();
}

TEST_P(CudaConvolutions, AgreeInParts) {
  if (GetParam() || gpu->name() != "emulated") GTEST_SKIP() << "the columns of so small a convolution fit at once";
  // Its columns take more than the 2 MiB that the emulated device has for them.
  const Value x(random({2, 8, 90, 100}, DType::Float32)), w(random({1, 8, 3, 3}, DType::Float32));
  const Arguments settings = {ints({1}), ints({1}), ints({1})};
  check(OpId::convolution, {x, w, Value(), settings[0], settings[1], settings[2], Value(false), ints({0}), Value(1)},
        "in parts of places", 8);
  const Value grad(random({2, 1, 90, 100}, DType::Float32));
  check(OpId::convolution_weight_gradient,
        {grad, x, ints({1, 8, 3, 3}), settings[0], settings[1], settings[2], Value(false), Value(1)}, "sums of parts",
        64);
  check(OpId::convolution, {grad, w, Value(), settings[0], settings[1], settings[2], Value(true), ints({0}), Value(1)},
        "in parts of channels", 8);
}

// The same in programs.
class CudaConvolutionPrograms : public CudaProgramFixture, public testing::WithParamInterface<bool> {
 protected:
  std::string with_switches(const std::string& program) {
    return printed_on_gpu(std::string("torch.backends.cudnn.enabled = ") + (GetParam() ? "True" : "False") +
                          "\ntorch.backends.cudnn.allow_tf32 = False\n" + program);
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, CudaConvolutionPrograms, kWays, way_name);

TEST_P(CudaConvolutionPrograms, HaveTheGradientsOfTheCpu) {
  EXPECT_EQ(with_switches(R"(
from torch import nn

def gradients(device, make, shape):
    torch.manual_seed(0)
    layer = make().to(device)
    x = torch.randn(shape).to(device).requires_grad_()
    layer(x).square().sum().backward()
    return [x.grad.cpu()] + [one.grad.cpu() for one in layer.parameters()]

rows = [(lambda: nn.Conv1d(3, 5, 3, padding=1), (2, 3, 11)), (lambda: nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2), (3, 4, 7, 8)),
        (lambda: nn.Conv2d(4, 4, 3, padding="same", groups=4), (2, 4, 5, 6)), (lambda: nn.Conv3d(2, 3, 2), (2, 2, 3, 4, 5)),
        (lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1), (2, 4, 4, 5)), (lambda: nn.Conv2d(3, 4, 2), (3, 5, 5))]
for i, (make, shape) in enumerate(rows):
    same = [torch.allclose(a, b, rtol=1e-4, atol=1e-4) for a, b in zip(gradients("cpu", make, shape), gradients("cuda", make, shape))]
    if not all(same):
        print(i, same)
)"),
            "on the CPU: []\n");
}

}  // namespace
}  // namespace nns::tests
