// What PyTorch printed for short programs (float64, six decimals).
#include "tests/optim/optim_support.h"

namespace nns::optim::tests {
namespace {

class RecordedSteps : public OptimTest {
 protected:
  // The parameter after each step on sum(p ** 2).
  std::string run(std::string_view name, const Keywords& keywords, const Numbers& start, int steps) {
    const auto p = parameter(start);
    const auto optimizer = make(name, p, keywords);
    std::string text;
    for (int i = 0; i < steps; ++i) {
      set_square_grad(p);
      step(*optimizer);
      if (i > 0) text += ' ';
      text += shown(*p);
    }
    return text;
  }
  // The parameter after steps with these gradients.
  std::string run_on(std::string_view name, const Keywords& keywords, double start, const Numbers& grads) {
    const auto p = parameter({start});
    const auto optimizer = make(name, p, keywords);
    for (const double grad : grads) {
      set_grad(p, {grad});
      step(*optimizer);
    }
    return shown(*p) + " " + keys(state(*optimizer, p));
  }
  std::string last(std::string_view name, const Keywords& keywords) {
    const std::string all = run(name, keywords, {2.5}, 3);
    return all.substr(all.rfind('['));
  }
};

TEST_F(RecordedSteps, SgdGoesDownTheGradient) {
  EXPECT_EQ(run("SGD", {{"lr", 0.1}}, {1, 2}, 3), "[0.800000, 1.600000] [0.640000, 1.280000] [0.512000, 1.024000]");
}

TEST_F(RecordedSteps, TheFirstStepOfMomentumIsNotDampened) {
  const auto p = parameter({1});
  const auto optimizer = make("SGD", p, {{"lr", 0.1}, {"momentum", 0.5}, {"dampening", 0.5}});
  for (const std::string expected : {"[0.900000]", "[0.800000]", "[0.700000]"}) {
    set_grad(p, {1});
    step(*optimizer);
    EXPECT_EQ(shown(*p), expected);
    EXPECT_EQ(shown(state(*optimizer, p, "momentum_buffer")), "[1.000000]");
  }
}

TEST_F(RecordedSteps, SgdWithNesterovMomentum) {
  EXPECT_EQ(run("SGD", {{"lr", 0.1}, {"momentum", 0.9}, {"nesterov", true}}, {1}, 4),
            "[0.620000] [0.222400] [-0.108352] [-0.324823]");
}

TEST_F(RecordedSteps, MaximizeGoesUp) {
  EXPECT_EQ(run_on("SGD", {{"lr", 0.1}, {"maximize", true}, {"momentum", 0.9}}, 1, {2, 2, 2}),
            "[2.122000] momentum_buffer");
}

TEST_F(RecordedSteps, AdamAndItsState) {
  const auto p = parameter({1, -2});
  const auto optimizer = make("Adam", p, {{"lr", 0.1}});
  for (const std::string expected :
       {"[0.900000, -1.900000]", "[0.800412, -1.800166]", "[0.701586, -1.700623]", "[0.603939, -1.601505]"}) {
    set_square_grad(p);
    step(*optimizer);
    EXPECT_EQ(shown(*p), expected);
  }
  EXPECT_EQ(keys(state(*optimizer, p)), "step exp_avg exp_avg_sq");
  EXPECT_EQ(items(state(*optimizer, p, "step")), Numbers{4});
  EXPECT_EQ(shown(state(*optimizer, p, "exp_avg")), "[0.575991, -1.263555]");
  EXPECT_EQ(shown(state(*optimizer, p, "exp_avg_sq")), "[0.011751, 0.054881]");
}

TEST_F(RecordedSteps, OptionsOfAdam) {
  const Numbers grads{1, -0.5, 0.25};
  const auto with = [&](std::string_view name, const Value& value) {
    return run_on("Adam", {{"lr", 0.1}, {name, value}}, 1, grads);
  };
  EXPECT_EQ(with("betas", Value(in.tuple({0.5, 0.9}))), "[0.877552] step exp_avg exp_avg_sq");
  EXPECT_EQ(with("eps", 0.1), "[0.855878] step exp_avg exp_avg_sq");
  EXPECT_EQ(with("weight_decay", 0.1), "[0.818279] step exp_avg exp_avg_sq");
  EXPECT_EQ(with("amsgrad", true), "[0.839323] step exp_avg exp_avg_sq max_exp_avg_sq");
  EXPECT_EQ(with("maximize", true), "[1.160677] step exp_avg exp_avg_sq");
}

TEST_F(RecordedSteps, AdamWTakesTheDecayFromTheWeight) {
  EXPECT_EQ(run("AdamW", {{"lr", 0.1}}, {1, -2}, 4),
            "[0.899000, -1.898000] [0.798519, -1.796273] [0.698911, -1.694945] [0.600599, -1.594153]");
  EXPECT_EQ(run_on("Adam", {{"lr", 0.1}, {"weight_decay", 0.1}}, 10, {0, 0}), "[9.800027] step exp_avg exp_avg_sq");
  EXPECT_EQ(run_on("AdamW", {{"lr", 0.1}, {"weight_decay", 0.1}}, 10, {0, 0}), "[9.801000] step exp_avg exp_avg_sq");
}

TEST_F(RecordedSteps, TheOtherOptimisers) {
  EXPECT_EQ(last("RMSprop", {{"lr", 0.1}}), "[0.661423]");
  EXPECT_EQ(last("RMSprop", {{"lr", 0.1}, {"centered", true}, {"momentum", 0.5}}), "[-0.202155]");
  EXPECT_EQ(last("Adagrad", {{"lr", 0.1}}), "[2.274939]");
  EXPECT_EQ(last("Adadelta", {}), "[2.490299]");
  EXPECT_EQ(last("Adamax", {{"lr", 0.1}}), "[2.206066]");
  EXPECT_EQ(last("NAdam", {{"lr", 0.1}}), "[2.246523]");
  EXPECT_EQ(last("RAdam", {{"lr", 0.1}}), "[1.155758]");
  EXPECT_EQ(last("Rprop", {{"lr", 0.1}}), "[2.136000]");
  EXPECT_EQ(last("ASGD", {{"lr", 0.1}}), "[1.279959]");
}

TEST_F(RecordedSteps, MomentumIsLostWithTheOptimizer) {
  const auto p = parameter({0});
  auto optimizer = make("SGD", p, {{"lr", 1.0}, {"momentum", 0.5}});
  for (int i = 0; i < 2; ++i) {
    set_grad(p, {1});
    step(*optimizer);
    ASSERT_TRUE(optimizer->zero_grad().ok());
  }
  EXPECT_EQ(shown(*p, 4), "[-2.5000]");
  optimizer = make("SGD", p, {{"lr", 1.0}, {"momentum", 0.5}});
  set_grad(p, {1});
  step(*optimizer);
  EXPECT_EQ(shown(*p, 4), "[-3.5000]");
}

}  // namespace
}  // namespace nns::optim::tests
