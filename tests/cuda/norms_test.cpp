// Normalizations over channels on the GPU against the CPU.
#include "core/ops/channel_work.h"
#include "tests/cuda/op_check.h"
#include "tests/cuda/program_fixture.h"

namespace nns::tests {
namespace {

TEST(ChannelBlocks, GiveEveryPartWork) {
  for (const std::int64_t channels : {1, 31, 64, 5000}) {
    for (const std::int64_t inner : {1, 15, 16, 3000}) {
      for (const std::int64_t batch : {1, 7, 100000}) {
        const ops::ChannelShape shape{batch, channels, inner};
        const ops::ChannelBlocks blocks = ops::channel_blocks(shape);
        EXPECT_GE(static_cast<std::int64_t>(blocks.blocks) * (blocks.is_across ? 32 : 1), channels);
        EXPECT_GE(blocks.parts, 1U);
        EXPECT_LE(static_cast<std::int64_t>(blocks.parts - 1) * (blocks.is_across ? 8 : 256), shape.of_channel());
      }
    }
  }
  EXPECT_GT(ops::channel_blocks({64, 32, 3136}).parts, 8U) << "few channels are shared by several blocks each";
}

using CudaNorms = CudaOpFixture;

TEST_F(CudaNorms, OfBatchesAgree) {
  for (const Dims& shape :
       {Dims({9, 5}), Dims({300, 40}), Dims({3, 7, 31}), Dims({2, 4, 5, 6}), Dims({3, 2, 60, 90})}) {
    if (is_too_large(shape, 40000)) continue;
    const std::int64_t channels = shape[1];
    for (const DType dtype : kFloats) {
      const bool is_half = tensor::item_bytes(dtype) == 2;
      const DType of_parameters = is_half ? DType::Float32 : dtype;
      const auto drawn = [&](double low = -2, double high = 2) {
        return Value(random({channels}, of_parameters, low, high));
      };
      const Value x(layout(true, random(shape, dtype))), grad(random(shape, dtype));
      const std::string what = name(OpId::native_batch_norm, dtype, shape);
      for (const bool is_training : {true, false}) {
        check(OpId::native_batch_norm,
              {x, drawn(), drawn(), drawn(), drawn(0.5, 2), Value(is_training), Value(0.1), Value(1e-5)}, what, 16);
        check(OpId::native_batch_norm,
              {x, Value(), Value(), drawn(), drawn(0.5, 2), Value(is_training), Value(0.1), Value(1e-5)}, what, 16);
        check(OpId::native_batch_norm_backward,
              {grad, x, drawn(), drawn(), drawn(0.5, 2), drawn(), drawn(0.5, 2), Value(is_training), Value(1e-5)}, what,
              is_half ? 32 : 256);
        if (HasFatalFailure()) return;
      }
    }
  }
  expect_no_fallback();
}

TEST_F(CudaNorms, OfGroupsAgree) {
  struct Sizes {
    std::int64_t batch, channels, inner, groups;
  };
  for (const Sizes& size : {Sizes{2, 6, 5, 3}, Sizes{3, 4, 1, 2}, Sizes{2, 8, 77, 1}, Sizes{1, 5, 40, 5}}) {
    for (const DType dtype : kFloats) {
      const Dims shape({size.batch, size.channels, size.inner});
      const std::string what = name(OpId::native_group_norm, dtype, shape);
      const Value x(layout(true, random(shape, dtype))), weight(random({size.channels}, dtype));
      const Arguments sizes = {Value(size.batch), Value(size.channels), Value(size.inner), Value(size.groups)};
      const auto with_sizes = [&](Arguments args, bool has_eps) {
        args.insert(args.end(), sizes.begin(), sizes.end());
        if (has_eps) args.emplace_back(1e-3);
        return args;
      };
      check(OpId::native_group_norm, with_sizes({x, weight, Value(random({size.channels}, dtype))}, true), what, 16);
      check(OpId::native_group_norm, with_sizes({x, Value(), Value()}, true), what, 16);
      const auto statistic = [&](double low) { return Value(random({size.batch, size.groups}, dtype, low, 2)); };
      check(OpId::native_group_norm_backward,
            with_sizes({Value(random(shape, dtype)), x, statistic(-2), statistic(0.5), weight}, false), what,
            tensor::item_bytes(dtype) == 2 ? 32 : 64);
      if (HasFatalFailure()) return;
    }
  }
  expect_no_fallback();
}

TEST_F(CudaNorms, OfRootMeanSquaresAgree) {
  for (const Dims& shape : {Dims({7, 5}), Dims({2, 3, 257}), Dims({70, 33})}) {
    const std::int64_t width = shape[shape.size() - 1];
    Dims rows = shape;
    rows[shape.size() - 1] = 1;
    for (const DType dtype : kFloats) {
      const Value x(layout(true, random(shape, dtype))), weight(random({width}, dtype));
      const std::string what = name(OpId::fused_rms_norm, dtype, shape);
      check(OpId::fused_rms_norm, {x, ints({width}), weight, Value(1e-5)}, what, 8);
      check(OpId::fused_rms_norm, {x, ints({width}), Value(), Value()}, what, 8);
      check(OpId::fused_rms_norm_backward,
            {Value(random(shape, dtype)), x, ints({width}), Value(random(rows, dtype, 0.5, 2)), weight}, what,
            tensor::item_bytes(dtype) == 2 ? 32 : 64);
      if (HasFatalFailure()) return;
    }
  }
  expect_no_fallback();
}

using CudaNormPrograms = CudaProgramFixture;

TEST_F(CudaNormPrograms, TrainAsOnTheCpu) {
  EXPECT_EQ(printed_on_gpu(R"(
from torch import nn

def trained(device, make, shape):
    torch.manual_seed(0)
    layer = make().to(device)
    made = []
    for training in [True, True, False]:
        layer.train(training)
        # A mean far from 0.
        x = (torch.randn(shape) * 2 + 100).to(device).requires_grad_()
        out = layer(x)
        (out * (torch.arange(out.numel(), device=device).reshape(out.shape) % 7)).sum().backward()
        made += [out.detach().cpu(), x.grad.cpu()]
    return made + [one.cpu() for one in layer.state_dict().values()] + [one.grad.cpu() for one in layer.parameters()]

rows = [(lambda: nn.BatchNorm1d(5), (9, 5)), (lambda: nn.BatchNorm2d(3), (2, 3, 7, 8)), (lambda: nn.BatchNorm2d(3, affine=False, momentum=None), (2, 3, 7, 8)),
        (lambda: nn.BatchNorm3d(2, track_running_stats=False), (2, 2, 3, 2, 4)), (lambda: nn.GroupNorm(2, 6), (2, 6, 5)),
        (lambda: nn.InstanceNorm2d(3, affine=True, track_running_stats=True), (2, 3, 4, 5)), (lambda: nn.RMSNorm(7), (3, 4, 7))]
for i, (make, shape) in enumerate(rows):
    same = [torch.allclose(a, b, rtol=1e-3, atol=1e-3) for a, b in zip(trained("cpu", make, shape), trained("cuda", make, shape))]
    if not all(same):
        print(i, same)
)"),
            "on the CPU: []\n");
}

}  // namespace
}  // namespace nns::tests
