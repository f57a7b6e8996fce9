// A model trains on the GPU as it does on the CPU.
#include "core/autograd/engine.h"
#include "core/nn/functional.h"
#include "core/nn/layers.h"
#include "core/optim/optimizer.h"
#include "tests/cuda/gpu_fixture.h"

namespace nns::tests {
namespace {

using tensor::Device;

class CudaTraining : public GpuFixture {
 protected:
  /// The losses of `steps` steps of an MLP with layer norm on one batch.
  Numbers train(Device device, std::string_view optimizer, const optim::Keywords& options, int steps) {
    in.take_warnings();
    tensor::TensorLibrary::of(in).generator.seed_with(5);
    std::vector<Value> layers;
    const auto add = [&](std::string_view name, std::vector<Value> arguments) {
      auto made = nn::make_layer(in, name, std::move(arguments));
      EXPECT_TRUE(made.ok()) << made.error().message();
      layers.emplace_back(std::move(made).value());
    };
    add("Linear", {Value(12), Value(16)});
    add("ReLU", {});
    add("LayerNorm", {Value(16)});
    add("Linear", {Value(16), Value(5)});
    const auto model = nn::make_layer(in, "Sequential", std::move(layers)).value();
    const Ref<Tensor> x = tensor::empty(in, {8, 12}, DType::Float32);
    tensor::normal_(*x, tensor::TensorLibrary::of(in).generator, 0, 1);
    Numbers classes;
    for (int i = 0; i < 8; ++i) classes.push_back(i % 5);
    const Value place = tensor::TensorLibrary::of(in).device_value(device);
    const auto moved_model = in.call_method(Value(model), in.intern("to"), {place});
    EXPECT_TRUE(moved_model.ok()) << moved_model.error().message();
    const Value input(on(device, *x, DType::Float32));
    const Value target(on(device, *make({8}, classes, DType::Int64), DType::Int64));
    const Value parameters = in.call_method(Value(model), in.intern("parameters")).value();
    const auto step = optim::make_optimizer(in, optimizer, parameters, options);
    EXPECT_TRUE(step.ok()) << step.error().message();
    Numbers losses;
    for (int i = 0; i < steps; ++i) {
      const auto one = [&]() -> object::PyResult<void> {
        NNS_TRY(step.value()->zero_grad());
        NNS_TRY_ASSIGN(const Value out, in.call(Value(model), {input}));
        NNS_TRY_ASSIGN(const Value loss, ops::call_op(in, OpId::cross_entropy_loss, {out, target}));
        NNS_TRY(autograd::backward(in, std::array{Ref<Tensor>(loss.as<Tensor>())}, std::array{Ref<Tensor>()}));
        NNS_TRY(step.value()->step());
        losses.push_back(shown(*loss.as<Tensor>())[0]);
        return {};
      };
      const auto done = one();
      EXPECT_TRUE(done.ok()) << done.error().message();
      if (!done.ok()) break;
    }
    return losses;
  }
};

TEST_F(CudaTraining, LossesAreThoseOfTheCpu) {
  struct Row {
    std::string_view optimizer;
    optim::Keywords options;
  };
  for (const Row& row :
       {Row{"SGD", {{"lr", Value(0.1)}, {"momentum", Value(0.9)}}}, Row{"AdamW", {{"lr", Value(0.01)}}}}) {
    // An emulated device takes its time.
    const int steps = gpu->name() == "emulated" ? 10 : 40;
    const Numbers here = train(Device::Cpu, row.optimizer, row.options, steps);
    const Numbers there = train(Device::Cuda, row.optimizer, row.options, steps);
    ASSERT_EQ(here.size(), static_cast<std::size_t>(steps));
    EXPECT_LT(here.back(), 0.9 * here.front()) << "it learns";
    expect_close(there, here, 1e-3, std::string(row.optimizer));
  }
}

}  // namespace
}  // namespace nns::tests
