#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/cuda/gpu_fixture.h"

namespace nns::tests {

inline const std::vector<DType> kFloats = {DType::Float32, DType::BFloat16, DType::Float16, DType::Float64};

/// Ops on the GPU against the CPU, whose floating sums are made in float64.
class CudaOpFixture : public GpuFixture {
 protected:
  /// Calls the op on the CPU, with floating arguments in float64, and on the GPU; all outputs must agree.
  void check(OpId id, const Arguments& args, const std::string& what, double extra = 1) {
    SCOPED_TRACE(what);
    Arguments exact, there;
    DType dtype = DType::Int64;
    for (const Value& value : args) {
      if (const Tensor* tensor = value.as<Tensor>()) {
        const bool is_floating = tensor::is_floating(tensor->dtype());
        // What is least exact decides how close results must be.
        if (is_floating && tolerance(tensor->dtype()) > tolerance(dtype)) dtype = tensor->dtype();
        exact.emplace_back(on(tensor::Device::Cpu, *tensor, is_floating ? DType::Float64 : tensor->dtype()));
        there.emplace_back(moved(*tensor));
      } else {
        exact.push_back(value);
        there.push_back(value);
      }
    }
    poison();
    const auto expected = ops::call_op(in, id, exact), found = ops::call_op(in, id, there);
    ASSERT_TRUE(expected.ok()) << expected.error().message();
    ASSERT_TRUE(found.ok()) << found.error().message();
    const auto compare = [&](const Value& a, const Value& b) {
      const Tensor& left = *a.as<Tensor>();
      const Tensor& right = *b.as<Tensor>();
      ASSERT_TRUE(left.is_cuda());
      ASSERT_TRUE(left.shape() == right.shape());
      const double allowed = tensor::is_floating(left.dtype()) ? tolerance(dtype) * extra : 0;
      Numbers wanted = items(*on(tensor::Device::Cpu, right, right.dtype()));
      if (left.dtype() == DType::Float16) {
        constexpr double kRoundsToInfinity = 65520;
        for (double& value : wanted) {
          if (std::abs(value) >= kRoundsToInfinity) value = std::copysign(INFINITY, value);
        }
      }
      expect_close(shown(left), wanted, allowed, what);
    };
    if (const object::Tuple* several = found.value().as<object::Tuple>()) {
      for (std::size_t i = 0; i < several->size(); ++i)
        compare((*several)[i], (*expected.value().as<object::Tuple>())[i]);
    } else {
      compare(found.value(), expected.value());
    }
  }
  std::string name(OpId id, DType dtype, const Dims& shape, std::string_view layout = "") {
    return fmt::format("{} {} [{}] {}", ops::OpLibrary::of(in).info(id).name, tensor::info(dtype).torch_name,
                       fmt::join(shape.span(), ", "), layout);
  }
  /// That all that was checked ran on the GPU.
  void expect_no_fallback() {
    for (const object::Interpreter::Warning& one : in.take_warnings()) {
      EXPECT_EQ(one.text.find("has no kernel"), std::string::npos) << one.text;
    }
  }
  Ref<Tensor> layout(bool is_scattered, const Ref<Tensor>& tensor) {
    return is_scattered && tensor->ndim() > 0 ? scattered(*tensor) : tensor;
  }
};

}  // namespace nns::tests
