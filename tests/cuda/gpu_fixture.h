#pragma once

#include <cmath>
#include <random>

#include "native/cuda/gpu.h"
#include "tests/ops/op_fixture.h"

namespace nns::tests {

/// Tests on the first GPU; skipped, with the reason, where there is none.
class GpuFixture : public OpFixture {
 protected:
  void SetUp() override {
    auto made = cuda::install(in);
    if (!made.ok()) GTEST_SKIP() << "no GPU: " << made.error().message();
    gpu = std::move(made).value();
  }

  /// Numbers from -2 to 2, other ones at each call, of any dtype that holds them; whole dtypes get small whole numbers.
  Ref<Tensor> random(const Dims& shape, DType dtype, double low = -2, double high = 2) {
    Numbers values;
    std::uniform_real_distribution<double> numbers(low, high);
    for (std::int64_t i = 0; i < tensor::element_count(shape); ++i) {
      double value = numbers(source);
      if (tensor::is_integral(dtype)) value = std::round(value * 3);
      if (dtype == DType::UInt8) value = std::abs(value);
      if (dtype == DType::Bool) value = value > 0 ? 1 : 0;
      values.push_back(value);
    }
    return make(shape, values, dtype);
  }
  Ref<Tensor> on(tensor::Device device, const Tensor& tensor, DType dtype) {
    const auto made = tensor::to(const_cast<Tensor&>(tensor), dtype, device);
    EXPECT_TRUE(made.ok()) << made.error().message();
    return made.value();
  }
  /// The same layout of memory there: a view of a moved copy of all that lies between the first and the last item, at
  /// an address that is as well aligned.
  Ref<Tensor> moved(const Tensor& tensor) {
    std::int64_t reach = 1;
    for (std::size_t i = 0; i < tensor.ndim(); ++i) {
      if (tensor.numel() > 0) reach += (tensor.shape()[i] - 1) * tensor.strides()[i];
    }
    if (tensor.numel() == 0) return on(tensor::Device::Cuda, tensor, tensor.dtype());
    const std::int64_t lead = tensor.offset() % 16;
    const Ref<Tensor> flat = tensor::as_strided(tensor, {lead + reach}, {1}, tensor.offset() - lead);
    const Ref<Tensor> there = on(tensor::Device::Cuda, *flat, tensor.dtype());
    return tensor::as_strided(*there, tensor.shape(), tensor.strides(), lead);
  }
  /// Whether a case is left out because the device is emulated, where a thread costs a microsecond.
  bool is_too_large(const Dims& shape, std::int64_t most = 3000) const {
    return gpu->name() == "emulated" && tensor::element_count(shape) > most;
  }
  /// Fills memory that the next op may get with NaN, so that what it does not write is seen.
  void poison() {
    for (const std::int64_t count :
         {std::int64_t{100}, std::int64_t{3000}, std::int64_t{70000}, std::int64_t{1} << 21}) {
      if (is_too_large({count}, 100)) continue;
      static_cast<void>(tensor::full(in, {count}, std::nan(""), DType::Float64, tensor::Device::Cuda));
    }
  }
  /// How far a result of this dtype may be from the exact one, relative to it and to the numbers that it is made of.
  static double tolerance(DType dtype) {
    switch (dtype) {
      case DType::Float64:
        return 1e-11;
      case DType::Float32:
        return 2e-5;
      case DType::Float16:
        return 2e-3;
      case DType::BFloat16:
        return 1.6e-2;
      default:
        return 0;
    }
  }
  void expect_close(const Numbers& found, const Numbers& exact, double allowed, const std::string& what) {
    ASSERT_EQ(found.size(), exact.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (std::isnan(exact[i])) {
        ASSERT_TRUE(std::isnan(found[i])) << what << ": item " << i << " is " << found[i] << " instead of NaN";
      } else if (std::isinf(exact[i])) {
        ASSERT_EQ(found[i], exact[i]) << what << ": item " << i;
      } else {
        ASSERT_NEAR(found[i], exact[i], allowed * (1 + std::abs(exact[i]))) << what << ": item " << i;
      }
    }
  }
  Numbers shown(const Tensor& tensor) {
    const auto host = tensor::on_host(tensor);
    EXPECT_TRUE(host.ok()) << host.error().message();
    return host.ok() ? items(*host.value()) : Numbers();
  }

  std::shared_ptr<cuda::Gpu> gpu;
  std::mt19937 source{std::random_device()()};
};

}  // namespace nns::tests
