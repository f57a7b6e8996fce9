// Lazy layers beyond the recorded programs: each class, what it refuses, and what loading and copying do.
#include "core/nn/utility.h"
#include "core/object/copy.h"
#include "core/object/operators.h"
#include "tests/nn/forward_support.h"

namespace nns::nn::tests {
namespace {

class Lazy : public Forward {
 protected:
  std::string text(const Value& value) { return object::repr(in, value).value(); }
  // The layer's text after a call with ones of this shape.
  std::string after(const Value& made, const Dims& shape) {
    const auto result = in.call(made, {Value(tensor::ones(in, shape))});
    return result.ok() ? text(made) : std::string(result.error().type()) + ": " + result.error().message();
  }
  std::string outcome(const PyResult<Value>& result) {
    return result.ok() ? "ok" : std::string(result.error().type()) + ": " + result.error().message();
  }
};

TEST_F(Lazy, EachClassBecomesItsLayer) {
  struct Row {
    const char* name;
    std::vector<Value> arguments;
    Dims shape;
    const char* text;
  };
  const Row rows[] = {
      {"LazyLinear", {4}, {2, 3}, "Linear(in_features=3, out_features=4, bias=True)"},
      {"LazyConv1d", {4, 1}, {2, 3, 5}, "Conv1d(3, 4, kernel_size=(1,), stride=(1,))"},
      {"LazyConv2d", {4, 1}, {3, 5, 5}, "Conv2d(3, 4, kernel_size=(1, 1), stride=(1, 1))"},
      {"LazyConv3d", {4, 1}, {1, 3, 2, 2, 2}, "Conv3d(3, 4, kernel_size=(1, 1, 1), stride=(1, 1, 1))"},
      {"LazyConvTranspose1d", {4, 1}, {1, 3, 5}, "ConvTranspose1d(3, 4, kernel_size=(1,), stride=(1,))"},
      {"LazyConvTranspose2d", {4, 1}, {3, 5, 5}, "ConvTranspose2d(3, 4, kernel_size=(1, 1), stride=(1, 1))"},
      {"LazyConvTranspose3d",
       {4, 1},
       {1, 3, 2, 2, 2},
       "ConvTranspose3d(3, 4, kernel_size=(1, 1, 1), stride=(1, 1, 1))"},
      {"LazyBatchNorm1d",
       {},
       {2, 3},
       "BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"},
      {"LazyBatchNorm2d",
       {},
       {2, 3, 2, 2},
       "BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"},
      {"LazyBatchNorm3d",
       {},
       {2, 3, 2, 2, 2},
       "BatchNorm3d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"},
      {"LazyInstanceNorm1d",
       {},
       {2, 3, 4},
       "InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"},
      {"LazyInstanceNorm2d",
       {},
       {2, 3, 2, 2},
       "InstanceNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"},
      {"LazyInstanceNorm3d",
       {},
       {2, 3, 2, 2, 2},
       "InstanceNorm3d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"},
  };
  for (const Row& row : rows) {
    const Value made = layer(row.name, row.arguments);
    EXPECT_EQ(text(made).substr(0, std::string_view(row.name).size()), row.name);
    EXPECT_EQ(after(made, row.shape), row.text);
    EXPECT_EQ(parameter_shapes(*as_module(made)).find("(0,"), std::string::npos);
  }
}

TEST_F(Lazy, InitialValuesAreThoseOfTheLayer) {
  manual_seed(in, 3);
  const Value lazy = layer("LazyConv2d", {4, 2});
  after(lazy, {1, 3, 4, 4});
  manual_seed(in, 3);
  const Value plain = layer("Conv2d", {3, 4, 2});
  for (const char* name : {"weight", "bias"}) {
    EXPECT_TRUE(tensor::equal(*parameter(lazy, name).as<Tensor>(), *parameter(plain, name).as<Tensor>())) << name;
  }
}

TEST_F(Lazy, WithoutBiasOrStatisticsThereAreNone) {
  const Value linear = layer("LazyLinear", {2}, {{"bias", false}});
  EXPECT_EQ(parameter_registry(*as_module(linear)), "weight (0,), bias None");
  after(linear, {1, 3});
  EXPECT_EQ(parameter_registry(*as_module(linear)), "weight (2, 3), bias None");
  const Value norm = layer("LazyBatchNorm1d", {}, {{"affine", false}, {"track_running_stats", false}});
  // Nothing waits for a shape, so torch does not look at the input.
  EXPECT_EQ(after(norm, {2, 3}),
            "BatchNorm1d(0, eps=1e-05, momentum=0.1, affine=False, bias=False, track_running_stats=False)");
  EXPECT_EQ(state_keys(*as_module(norm)), "");
}

TEST_F(Lazy, ConvolutionsSayWhichInputTheyTake) {
  EXPECT_EQ(after(layer("LazyConv2d", {4, 1}), {3, 5}),
            "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to LazyConv2d, but got input of size: "
            "torch.Size([3, 5])");
  EXPECT_EQ(after(layer("LazyConv1d", {4, 1}, {{"groups", 2}}), {1, 3, 5}),
            "ValueError: in_channels must be divisible by groups");
}

TEST_F(Lazy, DtypeAndDeviceAreThoseAskedFor) {
  const Value linear = layer("LazyLinear", {2}, in_float64(in));
  ASSERT_EQ(outcome(in.call(linear, {numbers({1, 3})})), "ok");
  EXPECT_EQ(parameter(linear, "weight").as<Tensor>()->dtype(), DType::Float64);
  const Value halved = layer("LazyBatchNorm1d");
  ASSERT_EQ(outcome(in.call_method(halved, in.intern("double"))), "ok");
  ASSERT_EQ(outcome(in.call(halved, {numbers({2, 3})})), "ok");
  EXPECT_EQ(as_module(halved)->get_buffer("running_mean").value()->dtype(), DType::Float64);
}

TEST_F(Lazy, MemoryWithoutAShapeCannotBeShared) {
  EXPECT_EQ(
      outcome(in.call_method(layer("LazyLinear", {2}), in.intern("share_memory"))),
      "RuntimeError: Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the "
      "parameters before calling `module.share_memory()`.");
  const Value linear = layer("Linear", {1, 1});
  ASSERT_EQ(outcome(in.call_method(linear, in.intern("share_memory"))), "ok");
  EXPECT_TRUE(parameter(linear, "weight").as<Tensor>()->storage()->is_shared());
}

TEST_F(Lazy, TensorsWithoutAShapeRefuseToBeUsed) {
  const Value weight = parameter(layer("LazyLinear", {2}), "weight");
  constexpr std::string_view kRest =
      ". This error happens when you are using a `LazyModule` or explicitly manipulating "
      "`torch.nn.parameter.UninitializedParameter` objects. When using LazyModules Call `forward` with a dummy batch "
      "to "
      "initialize the parameters before calling torch functions";
  EXPECT_EQ(outcome(in.call_method(weight, in.intern("numel"))),
            "ValueError: Attempted to use an uninitialized parameter in <method 'numel' of 'torch._C.TensorBase' "
            "objects>" +
                std::string(kRest));
  EXPECT_EQ(
      outcome(call_functional(in, "linear", {numbers({1, 3}, 1, DType::Float32), weight})),
      "ValueError: Attempted to use an uninitialized parameter in <built-in function linear>" + std::string(kRest));
  const Value plain = make({1}, {1});
  EXPECT_EQ(
      outcome(in.call_method(plain, in.intern("mul"), {weight})),
      "ValueError: Attempted to use an uninitialized parameter in <method 'mul' of 'torch._C.TensorBase' objects>" +
          std::string(kRest));
  EXPECT_EQ(outcome(object::binary(in, object::operator_of("+"), plain, weight)).substr(0, 60),
            "ValueError: Attempted to use an uninitialized parameter in <");
  EXPECT_EQ(outcome(object::getattr(in, weight, in.intern("shape"))).substr(0, 67),
            "RuntimeError: Can't access the shape of an uninitialized parameter ");
  EXPECT_EQ(outcome(in.call_method(weight, in.intern("share_memory_"))).substr(0, 69),
            "RuntimeError: Can't share memory on an uninitialized parameter or buf");
  for (const char* allowed : {"size", "is_floating_point", "double", "cpu"}) {
    EXPECT_EQ(outcome(in.call_method(weight, in.intern(allowed))), "ok") << allowed;
  }
  EXPECT_EQ(outcome(object::getattr(in, weight, in.intern("requires_grad"))), "ok");
}

TEST_F(Lazy, WhatWouldReadOrFillTensorsWithoutAShapeRefuses) {
  const Value linear = layer("LazyLinear", {2});
  const Value weight = parameter(linear, "weight");
  const std::string start = "ValueError: Attempted to use an uninitialized parameter in <method '";
  EXPECT_EQ(outcome(in.call_method(linear, in.intern("requires_grad_"), {Value(false)})).substr(0, start.size() + 14),
            start + "requires_grad_");
  EXPECT_EQ(outcome(call_utility(in, "torch.nn.utils", "parameters_to_vector", std::array{Value(in.list({weight}))}))
                .substr(0, start.size() + 4),
            start + "view");
  EXPECT_EQ(outcome(call_utility(in, "torch.nn.init", "ones_", std::array{weight})).substr(0, start.size() + 5),
            start + "fill_");
}

TEST_F(Lazy, AWholeModelLoadsAndRuns) {
  const Value source = layer("Sequential", {layer("Linear", {3, 4}), layer("BatchNorm1d", {4})});
  const Value lazy = layer("Sequential", {layer("LazyLinear", {4}), layer("LazyBatchNorm1d")});
  const Value state = as_module(source)->state_dict().value();
  ASSERT_EQ(outcome(in.call_method(lazy, in.intern("load_state_dict"), {state})), "ok");
  EXPECT_EQ(parameter_shapes(*as_module(lazy)), parameter_shapes(*as_module(source)));
  EXPECT_EQ(after(lazy, {2, 3}).find("Lazy"), std::string::npos);
  EXPECT_TRUE(tensor::equal(*parameter(lazy, "0.weight").as<Tensor>(), *parameter(source, "0.weight").as<Tensor>()));
}

TEST_F(Lazy, AStateWithoutShapesLoadsIntoALazyLayer) {
  const Value one = layer("LazyLinear", {2}), other = layer("LazyLinear", {2});
  const Value state = as_module(one)->state_dict().value();
  EXPECT_EQ(outcome(in.call_method(other, in.intern("load_state_dict"), {state})), "ok");
  EXPECT_EQ(after(other, {1, 5}), "Linear(in_features=5, out_features=2, bias=True)");
}

TEST_F(Lazy, LoadedWeightsMustFitTheInput) {
  const Value lazy = layer("LazyLinear", {2});
  const Value state = as_module(layer("Linear", {3, 2}))->state_dict().value();
  ASSERT_EQ(outcome(in.call_method(lazy, in.intern("load_state_dict"), {state})), "ok");
  EXPECT_EQ(after(lazy, {1, 4}),
            "AssertionError: The in_features inferred from input: 4 is not equal to in_features from self.weight: 3");
}

TEST_F(Lazy, TheInputMayComeByName) {
  const Value linear = layer("LazyLinear", {2});
  const Keyword input{in.intern("input"), Value(tensor::ones(in, {1, 3}))};
  EXPECT_EQ(outcome(in.call(linear, std::span<const Value>(), {&input, 1})), "ok");
  EXPECT_EQ(text(linear), "Linear(in_features=3, out_features=2, bias=True)");
}

TEST_F(Lazy, AnOptimiserKeepsTheParametersThatGetAShape) {
  // The objects stay, only their class and memory change.
  const Value linear = layer("LazyLinear", {2});
  const Value before = parameter(linear, "weight");
  after(linear, {1, 3});
  EXPECT_TRUE(parameter(linear, "weight").is(before));
  EXPECT_EQ(in.type_of(before).name(), "Parameter");
}

TEST_F(Lazy, ACopyKeepsItsOwnHooks) {
  const Value original = layer("LazyLinear", {2});
  const Value copy = object::deep_copy(in, original).value();
  EXPECT_EQ(after(copy, {1, 3}), "Linear(in_features=3, out_features=2, bias=True)");
  const Value state = as_module(layer("Linear", {5, 2}))->state_dict().value();
  const Value second = object::deep_copy(in, original).value();
  ASSERT_EQ(outcome(in.call_method(second, in.intern("load_state_dict"), {state})), "ok");
  EXPECT_EQ(text(Value(static_cast<object::Object*>(parameter(original, "weight").as<Tensor>()))),
            "<UninitializedParameter>");
  EXPECT_EQ(after(original, {1, 4}), "Linear(in_features=4, out_features=2, bias=True)");
  EXPECT_EQ(after(second, {1, 5}), "Linear(in_features=5, out_features=2, bias=True)");
}

}  // namespace
}  // namespace nns::nn::tests
