#include "core/optim/captured_step.h"

#include <gtest/gtest.h>

#include <optional>

#include "core/autograd/engine.h"
#include "core/nn/functional.h"
#include "core/nn/layers.h"
#include "core/ops/op.h"
#include "core/optim/optimizer.h"

namespace nns::optim::tests {
namespace {

using ops::OpId;
using tensor::Dims;
using tensor::DType;
using Tensors = std::vector<Ref<Tensor>>;
using Inputs = std::span<const Ref<Tensor>>;

// A model that draws random numbers and keeps statistics, with its optimiser, in a program of its own.
class Program {
 public:
  Program() : model(make_model()), optimizer(make_optimizer_of(*model)) {}

  Ref<Tensor> numbers(const Dims& shape) {
    Ref<Tensor> made = tensor::empty(in, shape, DType::Float32);
    tensor::normal_(*made, data, 0, 1);
    return made;
  }
  /// forward, loss, backward, step.
  PyResult<Tensors> train(Inputs inputs, bool clears_gradients = true) {
    if (clears_gradients) NNS_TRY(optimizer->zero_grad());
    NNS_TRY_ASSIGN(const Value output, (*model)({Value(inputs[0])}));
    NNS_TRY_ASSIGN(const Value loss, nn::call_functional(in, loss_name, {output, Value(inputs[1])}));
    const Ref<Tensor> root(loss.as<Tensor>());
    NNS_TRY(autograd::backward(in, {&root, 1}, {}));
    NNS_TRY(optimizer->step());
    return Tensors{root, Ref<Tensor>(output.as<Tensor>())};
  }
  void make_step(CapturedStep::Body body = {}) {
    if (!body) body = [this](Inputs inputs) { return train(inputs); };
    step.emplace(in, std::vector{model}, std::move(body));
  }
  PyResult<Inputs> run(const Tensors& inputs) { return step->run(inputs); }

  /// All that training changes: parameters, their gradients and the buffers.
  std::vector<double> state() {
    std::vector<double> all;
    const auto add = [&all](const Tensor& one) {
      tensor::for_each_place(one, [&](std::int64_t place) { all.push_back(tensor::read_double(one, place)); });
    };
    const auto parameters = model->parameters();
    for (const Ref<Tensor>& one : parameters.value()) {
      add(*one);
      if (one->grad()) add(*one->grad());
    }
    const auto buffers = model->buffers();
    for (const Ref<Tensor>& one : buffers.value()) add(*one);
    return all;
  }

  nn::Interpreter in;
  tensor::Generator data{5};
  std::string_view loss_name = "mse_loss";
  Ref<nn::Module> model;
  Ref<Optimizer> optimizer;
  std::optional<CapturedStep> step;

 private:
  Ref<nn::Module> make_model() {
    tensor::TensorLibrary::of(in).generator.seed_with(1);
    std::vector<Value> layers;
    const auto add = [&](std::string_view name, std::vector<Value> arguments) {
      layers.emplace_back(nn::make_layer(in, name, std::move(arguments)).value());
    };
    add("Linear", {6, 16});
    add("BatchNorm1d", {16});
    add("GELU", {});
    add("Dropout", {0.3});
    add("Linear", {16, 4});
    return nn::make_layer(in, "Sequential", std::move(layers)).value();
  }
  Ref<Optimizer> make_optimizer_of(nn::Module& of) {
    const auto parameters = of.parameters();
    std::vector<Value> params(parameters.value().begin(), parameters.value().end());
    return make_optimizer(in, "AdamW", Value(in.list(std::move(params))), {{"lr", Value(0.01)}}).value();
  }
};

// Two programs that start alike; one goes through a CapturedStep.
class CapturedStepTest : public testing::Test {
 public:
  void SetUp() override { captured.make_step(); }

  void step_both(std::int64_t batch = 8) {
    const Tensors first{plain.numbers({batch, 6}), plain.numbers({batch, 4})};
    const Tensors second{captured.numbers({batch, 6}), captured.numbers({batch, 4})};
    const auto wanted = plain.train(first);
    const auto found = captured.run(second);
    ASSERT_TRUE(wanted.ok());
    ASSERT_TRUE(found.ok()) << found.error().message();
    ASSERT_EQ(found.value().size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(tensor::equal(*found.value()[i], *wanted.value()[i])) << i;
    EXPECT_EQ(captured.state(), plain.state());
  }
  const CapturedStep::Counts& counts() const { return captured.step->counts(); }

  Program plain, captured;
};

TEST_F(CapturedStepTest, EqualsThePlainStepWithRandomNumbersAndStatistics) {
  for (int i = 0; i < 30; ++i) step_both();
  EXPECT_EQ(counts().captured, 1U) << captured.step->reason();
  EXPECT_EQ(counts().replayed, 29U);
  EXPECT_EQ(counts().plain, 0U);
  EXPECT_EQ(captured.step->reason(), "");
  EXPECT_GT(captured.step->size(), 20U);
  EXPECT_GT(captured.step->memory_bytes(), 1000U);
  EXPECT_EQ(tensor::TensorLibrary::of(plain.in).generator.state_bytes(),
            tensor::TensorLibrary::of(captured.in).generator.state_bytes());
}

TEST_F(CapturedStepTest, HearsTheLearningRate) {
  for (const double rate : {0.01, 0.005, 0.0, 0.1}) {
    for (Program* const one : {&plain, &captured}) {
      one->optimizer->param_groups().value()->items()[0].as<Dict>()->set(one->in.intern("lr"), Value(rate));
    }
    step_both();
  }
  EXPECT_EQ(counts().replayed, 3U);
}

TEST_F(CapturedStepTest, AnotherShapeOrModeIsCapturedAnew) {
  step_both();
  step_both(5);
  EXPECT_EQ(captured.step->reason(), "an input has another shape");
  step_both(5);
  EXPECT_EQ(counts().replayed, 1U);
  for (Program* const one : {&plain, &captured}) ASSERT_TRUE(one->model->train(false).ok());
  step_both(5);
  EXPECT_EQ(captured.step->reason(), "a module changed");
  step_both(5);
  EXPECT_EQ(counts().captured, 3U);
  EXPECT_EQ(counts().replayed, 2U);
}

TEST_F(CapturedStepTest, FollowsParametersToOtherMemory) {
  step_both();
  step_both();
  for (Program* const one : {&plain, &captured}) {
    const auto parameters = one->model->parameters();
    Tensor& weight = *parameters.value()[0];
    weight.set_data(*tensor::clone(weight));
  }
  step_both();
  EXPECT_EQ(captured.step->reason(), "a parameter looks at other memory, or its requires_grad changed");
  step_both();
  EXPECT_EQ(counts().replayed, 2U);
}

TEST_F(CapturedStepTest, AddsToGradientsThatAreNotCleared) {
  captured.make_step([this](Inputs inputs) { return captured.train(inputs, false); });
  for (int i = 0; i < 6; ++i) {
    if (i == 4) {
      for (Program* const one : {&plain, &captured}) ASSERT_TRUE(one->optimizer->zero_grad().ok());
    }
    const Tensors first{plain.numbers({8, 6}), plain.numbers({8, 4})};
    const Tensors second{captured.numbers({8, 6}), captured.numbers({8, 4})};
    ASSERT_TRUE(plain.train(first, false).ok());
    ASSERT_TRUE(captured.run(second).ok());
    ASSERT_EQ(captured.state(), plain.state()) << i;
  }
  // None, there, the same, the same, None, there.
  EXPECT_EQ(counts().captured, 4U);
  EXPECT_EQ(counts().replayed, 2U);
}

TEST_F(CapturedStepTest, HooksRunInEachStep) {
  step_both();
  step_both();
  int calls = 0;
  const Value hook(captured.in.function("hook(module, args, output)", [&calls](nn::Interpreter&, Args) {
    ++calls;
    return PyResult<Value>(Value());
  }));
  const auto handle = captured.model->register_forward_hook(hook);
  ASSERT_TRUE(handle.ok());
  for (int i = 0; i < 3; ++i) step_both();
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(captured.step->reason(), "a hook of a module ran");
}

TEST_F(CapturedStepTest, HooksOfAParameterAndOfTheOptimizerRunInEachStep) {
  step_both();
  step_both();
  int steps = 0, gradients = 0;
  const Value of_step(captured.in.function("hook(optimizer, args, kwargs)", [&steps](nn::Interpreter&, Args) {
    ++steps;
    return PyResult<Value>(Value());
  }));
  const auto registered =
      captured.in.call_method(Value(captured.optimizer), captured.in.intern("register_step_post_hook"), {of_step});
  ASSERT_TRUE(registered.ok()) << registered.error().message();
  for (int i = 0; i < 3; ++i) step_both();
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(captured.step->reason(), "");
  const Value of_gradient(captured.in.function("hook(grad)", [&gradients](nn::Interpreter&, Args) {
    ++gradients;
    return PyResult<Value>(Value());
  }));
  const auto parameters = captured.model->parameters();
  Tensor& weight = *parameters.value()[0];
  weight.autograd_meta().hooks = captured.in.dict();
  weight.autograd_meta().hooks->set(Value(0), of_gradient);
  for (int i = 0; i < 3; ++i) step_both();
  EXPECT_EQ(gradients, 3);
  EXPECT_EQ(captured.step->reason(), "a hook of a tensor or of a node ran in backward");
}

TEST_F(CapturedStepTest, AnInputThatIsWrittenOrAsksForItsGradientMakesItRunPlainly) {
  const auto doubled = [](Program& one, Inputs inputs) -> PyResult<Tensors> {
    NNS_TRY(ops::call_in_place(one.in, OpId::mul, std::array{Value(inputs[1]), Value(2.0)}));
    return one.train(inputs);
  };
  captured.make_step([&](Inputs inputs) { return doubled(captured, inputs); });
  for (int i = 0; i < 3; ++i) {
    const Tensors first{plain.numbers({8, 6}), plain.numbers({8, 4})};
    const Tensors second{captured.numbers({8, 6}), captured.numbers({8, 4})};
    ASSERT_TRUE(doubled(plain, first).ok());
    ASSERT_TRUE(captured.run(second).ok());
    EXPECT_TRUE(tensor::equal(*second[1], *first[1])) << i;
    ASSERT_EQ(captured.state(), plain.state()) << i;
    EXPECT_EQ(captured.step->reason(), "the step writes into an input");
  }
  captured.make_step();
  const Tensors asking{captured.numbers({8, 6}), captured.numbers({8, 4})};
  ASSERT_TRUE(asking[0]->set_requires_grad(true).ok());
  ASSERT_TRUE(captured.run(asking).ok());
  EXPECT_TRUE(asking[0]->grad());
  EXPECT_EQ(captured.step->reason(), "input 0 asks for its gradient");
}

TEST_F(CapturedStepTest, ReadingAValueMakesItRunPlainly) {
  double last = 0;
  captured.make_step([&](Inputs inputs) -> PyResult<Tensors> {
    NNS_TRY_ASSIGN(Tensors made, captured.train(inputs));
    last = tensor::read_double(*made[0], made[0]->offset());
    return made;
  });
  for (int i = 0; i < 3; ++i) {
    const double before = last;
    step_both();
    EXPECT_NE(last, before);
  }
  EXPECT_EQ(counts().plain, 3U);
  EXPECT_EQ(counts().captured, 0U);
  EXPECT_EQ(captured.step->reason(),
            "values of a tensor were read by the program (item(), a shape that depends on values)");
}

TEST_F(CapturedStepTest, NumbersThatTheProgramDrewItselfMakeItRunPlainly) {
  captured.make_step([&](Inputs inputs) -> PyResult<Tensors> {
    static_cast<void>(tensor::TensorLibrary::of(captured.in).generator.random32());
    return captured.train(inputs);
  });
  const Tensors inputs{captured.numbers({8, 6}), captured.numbers({8, 4})};
  ASSERT_TRUE(captured.run(inputs).ok());
  EXPECT_EQ(captured.step->reason(),
            "random numbers were drawn by the program, outside of the ops that can draw again");
}

TEST_F(CapturedStepTest, TensorsThatTheProgramFillsAreFilledAgain) {
  // The program adds its own numbers in place: each step must begin with them, not with what the last one left.
  const auto with_offsets = [](Program& one, Inputs inputs) -> PyResult<Tensors> {
    const double values[] = {1, 2, 3, 4};
    const Ref<Tensor> offsets = tensor::from_values(one.in, {4}, values);
    NNS_TRY(ops::call_in_place(one.in, OpId::add, std::array{Value(offsets), Value(offsets)}));
    NNS_TRY_ASSIGN(const Ref<Tensor> moved,
                   ops::call_tensor_op(one.in, OpId::add, std::array{Value(inputs[1]), Value(offsets)}));
    return one.train(std::array{inputs[0], moved});
  };
  captured.make_step([&](Inputs inputs) { return with_offsets(captured, inputs); });
  for (int i = 0; i < 4; ++i) {
    const Tensors first{plain.numbers({8, 6}), plain.numbers({8, 4})};
    const Tensors second{captured.numbers({8, 6}), captured.numbers({8, 4})};
    ASSERT_TRUE(with_offsets(plain, first).ok());
    ASSERT_TRUE(captured.run(second).ok());
    ASSERT_EQ(captured.state(), plain.state()) << i;
  }
  EXPECT_EQ(counts().replayed, 3U) << captured.step->reason();
}

TEST_F(CapturedStepTest, AnErrorOfAKernelIsTheErrorOfTheStep) {
  captured.loss_name = "cross_entropy";
  const Ref<Tensor> input = captured.numbers({2, 6});
  const auto classes = [&](double wanted) {
    const double values[] = {0, wanted};
    return tensor::from_values(captured.in, {2}, values, DType::Int64);
  };
  ASSERT_TRUE(captured.run({input, classes(3)}).ok());
  ASSERT_TRUE(captured.run({input, classes(1)}).ok());
  const auto failed = captured.run({input, classes(4)});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message(), "Target 4 is out of bounds.");
  ASSERT_TRUE(captured.run({input, classes(2)}).ok());
  EXPECT_EQ(captured.step->reason(), "");
}

TEST_F(CapturedStepTest, GivesUpWhereNothingIsEverReplayed) {
  for (std::int64_t batch = 2; batch < 14; ++batch) step_both(batch);
  EXPECT_EQ(counts().captured, 8U);
  EXPECT_EQ(counts().plain, 4U);
  EXPECT_EQ(captured.step->reason(),
            "8 captures in a row were never replayed, the last because an input has another shape");
}

TEST_F(CapturedStepTest, OneWithinAnotherIsPartOfIt) {
  CapturedStep inner(captured.in, {captured.model}, [this](Inputs inputs) { return captured.train(inputs); });
  captured.make_step([&](Inputs inputs) -> PyResult<Tensors> {
    NNS_TRY_ASSIGN(const Inputs made, inner.run(inputs));
    return Tensors(made.begin(), made.end());
  });
  for (int i = 0; i < 3; ++i) step_both();
  EXPECT_EQ(inner.reason(), "another capture is under way");
  EXPECT_EQ(counts().replayed, 2U);
}

}  // namespace
}  // namespace nns::optim::tests
