// What is made of cuDNN's proposals, with an emulated library.
#include <gtest/gtest.h>

#include <cstring>

#include "native/cuda/cudnn.h"
#include "tests/cuda/emulation/cudnn.h"
#include "tests/cuda/op_check.h"

namespace nns::tests {
namespace {

using cuda::ConvolutionResult;
using cuda::Cudnn;
using cuda::CudnnConvolution;
using ops::CudnnSwitches;
using tensor::DType;

class CudnnChoices : public testing::Test {
 protected:
  void SetUp() override { emulated_cudnn() = EmulatedCudnn(); }

  // A convolution of ones by ones: 3 channels, 3 taps, so that inner results are 9.
  bool compute(std::int64_t size, const CudnnSwitches& switches, DType dtype = DType::BFloat16) {
    const std::int64_t bytes = tensor::item_bytes(dtype);
    const ops::WindowDim line{size, size - 2, 3, 1, 0, 1};
    const ops::ConvolutionShape shape{1, 1, 3, 2, {ops::WindowDim(), ops::WindowDim(), line}};
    const auto filled = [&](std::int64_t count) {
      auto made = device->allocate(static_cast<std::uint64_t>(count * bytes));
      const float one = 1;
      const std::uint16_t half = 0x3f80;
      std::vector<std::byte> host(static_cast<std::size_t>(count * bytes));
      for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(host.data() + i * bytes, bytes == 2 ? static_cast<const void*>(&half) : &one,
                    static_cast<std::size_t>(bytes));
      }
      EXPECT_TRUE(device->upload(made.value().get(), host.data(), host.size()).ok());
      return made.value();
    };
    const auto x = filled(3 * size), w = filled(18), y = filled(2 * (size - 2));
    if (!cudnn->compute({ConvolutionResult::Out, dtype, shape, x.get(), w.get(), y.get()}, switches)) return false;
    std::array<std::byte, 4> first{};
    EXPECT_TRUE(device->download(first.data(), y.get(), static_cast<std::uint64_t>(bytes)).ok());
    float number = 0;
    std::memcpy(reinterpret_cast<std::byte*>(&number) + 4 - bytes, first.data(), static_cast<std::size_t>(bytes));
    EXPECT_EQ(number, 9);
    return true;
  }

  std::shared_ptr<cuda::Device> device = cuda::Device::open(0).value();
  std::unique_ptr<Cudnn> cudnn = std::make_unique<Cudnn>(device);
};

TEST_F(CudnnChoices, TheFirstProposalIsMadeAPlanOnceForEachShapeAndDtype) {
  const CudnnSwitches switches;
  EXPECT_TRUE(compute(8, switches));
  EXPECT_TRUE(compute(8, switches));
  EXPECT_EQ(emulated_cudnn().engine, EmulatedCudnn::kFastEngine);
  EXPECT_EQ(emulated_cudnn().plans, 1);
  EXPECT_EQ(emulated_cudnn().runs, 2);
  EXPECT_TRUE(compute(9, switches));
  EXPECT_TRUE(compute(8, switches, DType::Float32));
  EXPECT_EQ(emulated_cudnn().plans, 3);
  cudnn.reset();
  EXPECT_EQ(emulated_cudnn().descriptors, 0) << "all are destroyed";
}

TEST_F(CudnnChoices, WantingTheSameBitsLeavesOutWhatAddsInNoOrder) {
  CudnnSwitches switches;
  switches.is_deterministic = true;
  EXPECT_TRUE(compute(8, switches));
  EXPECT_EQ(emulated_cudnn().engine, EmulatedCudnn::kExactOrderEngine);
  switches.is_deterministic = false;
  EXPECT_TRUE(compute(8, switches));
  EXPECT_EQ(emulated_cudnn().engine, EmulatedCudnn::kFastEngine);
  switches.uses_deterministic_algorithms = true;
  EXPECT_TRUE(compute(8, switches));
  EXPECT_EQ(emulated_cudnn().engine, EmulatedCudnn::kExactOrderEngine);
}

TEST_F(CudnnChoices, WithoutTf32TensorCoresMultiplyNoFloat32) {
  CudnnSwitches switches;
  switches.allows_tf32 = false;
  EXPECT_TRUE(compute(8, switches, DType::Float32));
  EXPECT_EQ(emulated_cudnn().engine, EmulatedCudnn::kPlainEngine);
  EXPECT_TRUE(compute(8, switches, DType::BFloat16));
  EXPECT_EQ(emulated_cudnn().engine, EmulatedCudnn::kFastEngine);
}

TEST_F(CudnnChoices, WhatFailsIsPassedOver) {
  emulated_cudnn().failing = 1U << EmulatedCudnn::kFastEngine | 1U << EmulatedCudnn::kExactOrderEngine;
  EXPECT_TRUE(compute(8, {}));
  EXPECT_EQ(emulated_cudnn().engine, EmulatedCudnn::kPlainEngine);
}

TEST_F(CudnnChoices, ThatNothingWorksIsRemembered) {
  emulated_cudnn().failing = 7;
  EXPECT_FALSE(compute(8, {}));
  EXPECT_EQ(emulated_cudnn().plans, 3);
  emulated_cudnn().failing = 0;
  EXPECT_FALSE(compute(8, {}));
  EXPECT_EQ(emulated_cudnn().plans, 3);
}

TEST_F(CudnnChoices, WhatMemoryHasNoRoomForIsPassedOverAndTriedAgain) {
  emulated_cudnn().failing = 1U << EmulatedCudnn::kExactOrderEngine | 1U << EmulatedCudnn::kPlainEngine;
  emulated_cudnn().workspace_bytes = std::int64_t{1} << 60;
  EXPECT_FALSE(compute(8, {}));
  emulated_cudnn().workspace_bytes = 4096;
  EXPECT_TRUE(compute(8, {}));
  EXPECT_EQ(emulated_cudnn().engine, EmulatedCudnn::kFastEngine);
}

TEST_F(CudnnChoices, BenchmarkingRunsSoManyProposalsAndKeepsOne) {
  CudnnSwitches switches;
  switches.benchmarks = true;
  switches.benchmark_limit = 2;
  EXPECT_TRUE(compute(8, switches));
  EXPECT_EQ(emulated_cudnn().plans, 2);
  const int runs = emulated_cudnn().runs;
  EXPECT_TRUE(compute(8, switches));
  EXPECT_EQ(emulated_cudnn().plans, 2);
  EXPECT_EQ(emulated_cudnn().runs, runs + 1);
  switches.benchmark_limit = 0;
  EXPECT_TRUE(compute(9, switches));
  EXPECT_EQ(emulated_cudnn().plans, 5);
}

TEST_F(CudnnChoices, TheOneThatWasNotUsedForLongestGivesWayToANewOne) {
  const CudnnSwitches switches;
  EXPECT_TRUE(compute(3, switches));
  for (std::size_t i = 1; i < Cudnn::kMostChoices; ++i) {
    EXPECT_TRUE(compute(static_cast<std::int64_t>(3 + i), switches));
  }
  EXPECT_TRUE(compute(3, switches));
  const int plans = emulated_cudnn().plans;
  EXPECT_TRUE(compute(static_cast<std::int64_t>(3 + Cudnn::kMostChoices), switches));
  EXPECT_TRUE(compute(3, switches));
  EXPECT_EQ(emulated_cudnn().plans, plans + 1);
  EXPECT_TRUE(compute(4, switches));
  EXPECT_EQ(emulated_cudnn().plans, plans + 2) << "4 was given up";
}

TEST_F(CudnnChoices, SwitchedOffOrWithoutADeviceNothingIsAsked) {
  CudnnSwitches switches;
  switches.is_enabled = false;
  EXPECT_FALSE(compute(8, switches));
  emulated_cudnn().takes_device = false;
  EXPECT_FALSE(compute(8, {}));
  EXPECT_EQ(cudnn->start().error().found, "cudnnCreate gave status 1001");
  EXPECT_EQ(emulated_cudnn().descriptors, 0);
}

// Which calls of the ops reach cuDNN.
class CudnnRoutes : public CudaOpFixture {
 protected:
  void SetUp() override {
    emulated_cudnn() = EmulatedCudnn();
    CudaOpFixture::SetUp();
  }
  // How often it computes in a convolution of an image of 4 by 4 per channel, and in the gradients of its weight and
  // its input.
  Numbers runs(std::int64_t channels, std::int64_t groups, std::int64_t kernel, DType dtype) {
    const Dims image({2, channels, 4, 4}), taps({channels, channels / groups, kernel, kernel});
    const Value x(on(tensor::Device::Cuda, *random(image, dtype), dtype));
    const Value w(on(tensor::Device::Cuda, *random(taps, dtype), dtype));
    const Value bias(on(tensor::Device::Cuda, *random({channels}, dtype), dtype));
    const Value one = ints({1}), padding = ints({kernel / 2}), number(groups);
    Numbers made;
    const auto count = [&](OpId id, const Arguments& args) {
      const int before = emulated_cudnn().runs;
      EXPECT_TRUE(ops::call_op(in, id, args).ok());
      made.push_back(emulated_cudnn().runs - before);
    };
    count(OpId::convolution, {x, w, bias, one, padding, one, Value(false), ints({0}), number});
    count(OpId::convolution_weight_gradient, {x, x, ints(taps), one, padding, one, Value(false), number});
    count(OpId::convolution, {x, w, Value(), one, padding, one, Value(true), ints({0}), number});
    return made;
  }
};

TEST_F(CudnnRoutes, AllButGroupsOfOneChannelAndPlainProductsOfHalvesGoToCudnn) {
  for (const DType dtype : kFloats) {
    const bool is_half = tensor::item_bytes(dtype) == 2;
    EXPECT_EQ(runs(6, 1, 3, dtype), Numbers({1, 1, 1}));
    EXPECT_EQ(runs(6, 2, 3, dtype), Numbers({1, 1, 1}));
    EXPECT_EQ(runs(6, 6, 3, dtype), Numbers({0, 0, 0}));
    EXPECT_EQ(runs(6, 1, 1, dtype), Numbers({is_half ? 0.0 : 1.0, 1, 1}));
  }
  ops::OpLibrary::of(in).cudnn.is_enabled = false;
  EXPECT_EQ(runs(6, 1, 3, DType::Float32), Numbers({0, 0, 0}));
}

}  // namespace
}  // namespace nns::tests
