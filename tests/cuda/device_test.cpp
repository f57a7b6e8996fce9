// What tensors and ops do with the device "cuda:0", on a device in memory of the CPU.
#include <gtest/gtest.h>

#include "core/object/operations.h"
#include "tests/cuda/fake_device.h"
#include "tests/ops/op_fixture.h"

namespace nns::tests {
namespace {

using ops::call_op;
using tensor::Device;

class Devices : public OpFixture {
 protected:
  Devices() {
    tensor::TensorLibrary::of(in).cuda = device;
    ops::OpLibrary::of(in).cuda = kernels;
  }
  Ref<Tensor> moved(const Ref<Tensor>& from) {
    const auto made = tensor::to(*from, from->dtype(), Device::Cuda);
    EXPECT_TRUE(made.ok());
    return made.value();
  }
  Numbers shown(const Tensor& tensor) { return items(*tensor::on_host(tensor).value()); }

  std::shared_ptr<FakeDevice> device = std::make_shared<FakeDevice>(in);
  std::shared_ptr<FakeOps> kernels = std::make_shared<FakeOps>();
};

TEST_F(Devices, WithoutADeviceCudaIsWhatPyTorchSaysOfABuildWithoutIt) {
  Interpreter alone;
  const auto found = tensor::device_of(alone, alone.text("cuda"));
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().type(), "AssertionError");
  EXPECT_EQ(found.error().message(), "Torch not compiled with CUDA enabled");
}

TEST_F(Devices, AreNamedAsInPyTorch) {
  EXPECT_EQ(tensor::device_of(in, in.text("cuda")).value(), Device::Cuda);
  EXPECT_EQ(tensor::device_of(in, in.text("cuda:0")).value(), Device::Cuda);
  EXPECT_EQ(tensor::device_of(in, Value(0)).value(), Device::Cuda);
  const auto missing = tensor::device_of(in, in.text("cuda:1"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().type(), "AcceleratorError");
  EXPECT_TRUE(missing.error().message().starts_with("CUDA error: invalid device ordinal"));
  const Value cuda = tensor::TensorLibrary::of(in).device_value(Device::Cuda);
  EXPECT_EQ(object::repr(in, cuda).value(), "device(type='cuda', index=0)");
  EXPECT_EQ(object::str(in, cuda).value(), "cuda:0");
}

TEST_F(Devices, BytesComeBackAsTheyWent) {
  for (const DType dtype : {DType::Float32, DType::BFloat16, DType::Int64, DType::Bool, DType::Complex64}) {
    const Ref<Tensor> source = whole_numbers({3, 5}, 1, dtype);
    const Ref<Tensor> there = moved(source);
    EXPECT_TRUE(there->is_cuda());
    const auto back = tensor::to(*there, dtype, Device::Cpu);
    ASSERT_TRUE(back.ok());
    EXPECT_TRUE(tensor::equal(*source, *back.value()));
    EXPECT_TRUE(tensor::equal(*source, *there));
  }
}

TEST_F(Devices, CopiesConvertBroadcastAndFollowStridesBothWays) {
  const Ref<Tensor> source = scattered(*whole_numbers({4, 3}, 2));
  const Ref<Tensor> there = tensor::zeros(in, {2, 4, 3}, DType::Float64, Device::Cuda);
  ASSERT_TRUE(tensor::copy_items(*there, *source).ok());
  Numbers expected = items(*source);
  expected.insert(expected.end(), expected.begin(), expected.end());
  EXPECT_EQ(shown(*there), expected);
  const Ref<Tensor> turned = tensor::transpose(*there, 1, 2);
  const Ref<Tensor> back = tensor::zeros(in, {2, 3, 4}, DType::Int32);
  ASSERT_TRUE(tensor::copy_items(*scattered(*back), *turned).ok());
  ASSERT_TRUE(tensor::copy_items(*back, *turned).ok());
  EXPECT_EQ(items(*back), items(*tensor::transpose(*tensor::on_host(*there).value(), 1, 2)));
}

TEST_F(Devices, FactoriesMakeTensorsThere) {
  const Ref<Tensor> ones = tensor::ones(in, {2, 2}, DType::Float16, Device::Cuda);
  EXPECT_EQ(shown(*ones), (Numbers{1, 1, 1, 1}));
  EXPECT_EQ(ones->type_string(), "torch.cuda.HalfTensor");
  EXPECT_EQ(tensor::tensor_text(*ones), "tensor([[1., 1.],\n        [1., 1.]], device='cuda:0', dtype=torch.float16)");
}

TEST_F(Devices, NothingThatIsMadeWithoutBytesAsksTheDevice) {
  device->room = 0;
  EXPECT_EQ(tensor::zeros(in, {0, 3}, DType::Float32, Device::Cuda)->numel(), 0);
}

TEST_F(Devices, NoRoomIsAnOutOfMemoryErrorAndTheProgramGoesOn) {
  const Ref<Tensor> small = moved(whole_numbers({4}, 1));
  device->room = 16;
  const auto wide = call_op(in, OpId::add, {Value(small), Value(moved(whole_numbers({4, 1}, 2)))});
  ASSERT_FALSE(wide.ok());
  EXPECT_EQ(wide.error().type(), "OutOfMemoryError");
  EXPECT_TRUE(wide.error().message().starts_with("CUDA out of memory. Tried to allocate"));
  EXPECT_TRUE(wide.error().is(object::ErrorKind::RuntimeError));
  EXPECT_TRUE(call_op(in, OpId::add, {Value(small), Value(small)}).ok());
  EXPECT_EQ(kernels->operation, "add");
}

TEST_F(Devices, AFailureOfTheDeviceIsAnAcceleratorError) {
  const Ref<Tensor> there = moved(whole_numbers({4}, 1));
  device->fails = true;
  const auto back = tensor::on_host(*there);
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().type(), "AcceleratorError");
  EXPECT_EQ(back.error().message(), "CUDA error: the device is gone");
}

TEST_F(Devices, ElementwiseOpsRunTheTwinOfTheirKernel) {
  const Ref<Tensor> a = whole_numbers({2, 3}, 1), b = whole_numbers({3}, 2);
  const Value sum = called(OpId::add, {Value(moved(a)), Value(moved(b))});
  EXPECT_TRUE(sum.as<Tensor>()->is_cuda());
  EXPECT_EQ(shown(*sum.as<Tensor>()), items(OpId::add, {Value(a), Value(b)}));
  EXPECT_EQ(kernels->kernels, 1);
}

TEST_F(Devices, AnOpWithoutABodyThereSaysSo) {
  EXPECT_EQ(error(OpId::cumsum, {Value(moved(whole_numbers({4}, 1))), Value(0)}),
            "NotImplementedError: Could not run 'cumsum' on cuda:0: this op has no body for CUDA yet.");
}

TEST_F(Devices, DoNotMixExceptForNumbersInTensors) {
  const Ref<Tensor> here = whole_numbers({2, 2}, 1), there = moved(here);
  EXPECT_EQ(error(OpId::add, {Value(here), Value(there)}),
            "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and "
            "cpu!");
  EXPECT_EQ(error(OpId::mm, {Value(there), Value(here)}),
            "RuntimeError: Expected all tensors to be on the same device, but got mat2 is on cpu, different from other "
            "tensors on cuda:0 (when checking argument in method wrapper_CUDA_mm)");
  const Ref<Tensor> number = tensor::full(in, {}, 2, DType::Float64);
  const Value sum = called(OpId::add, {Value(there), Value(number)});
  EXPECT_EQ(sum.as<Tensor>()->dtype(), DType::Float32);
  EXPECT_EQ(shown(*sum.as<Tensor>()), items(OpId::add, {Value(here), Value(2.0)}));
}

TEST_F(Devices, MovingIsRecordedAndTheGradientMovesBack) {
  const Ref<Tensor> x = whole_numbers({3}, 1);
  ASSERT_TRUE(x->set_requires_grad(true).ok());
  const auto& library = tensor::TensorLibrary::of(in);
  const Value there =
      called(OpId::to_device, {Value(x), library.dtype_value(DType::Float64), library.device_value(Device::Cuda)});
  ASSERT_TRUE(there.as<Tensor>()->grad_fn());
  EXPECT_EQ(there.as<Tensor>()->grad_fn()->type().name(), "ToCopyBackward0");
}

}  // namespace
}  // namespace nns::tests
