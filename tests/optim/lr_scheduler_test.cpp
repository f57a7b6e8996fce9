// Learning rate schedulers: recorded values, closed forms against steps, state, errors.
#include <cmath>

#include "core/optim/lr_scheduler.h"
#include "tests/optim/optim_support.h"

namespace nns::optim::tests {
namespace {

class LrScheduler : public OptimTest {
 protected:
  using Options = std::vector<std::pair<std::string_view, Value>>;

  Ref<Optimizer> sgd(double lr = 1.0) { return make("SGD", parameter({1}), {{"lr", lr}}); }
  Value make_one(std::string_view name, const Ref<Optimizer>& optimizer, std::vector<Value> rest,
                 const Options& options = {}) {
    rest.insert(rest.begin(), Value(optimizer));
    auto made = make_scheduler(in, name, std::move(rest), options);
    EXPECT_TRUE(made.ok()) << made.error().message();
    return made.ok() ? made.value() : Value();
  }
  std::string refused(std::string_view name, std::vector<Value> positional, const Options& options = {}) {
    return outcome(make_scheduler(in, name, std::move(positional), options));
  }
  void advance(const Value& scheduler) {
    const auto result = in.call_method(scheduler, in.intern("step"));
    ASSERT_TRUE(result.ok()) << result.error().message();
  }
  double rate(Optimizer& optimizer, std::size_t at = 0) {
    const Value lr = option(optimizer, "lr", at);
    return lr.is_float() ? lr.as_float() : static_cast<double>(lr.as_int());
  }
  // The rates of `steps` epochs, as the recorded programs print them.
  std::string trace(std::string_view name, std::vector<Value> rest, const Options& options, int steps = 6) {
    const auto optimizer = sgd();
    const Value scheduler = make_one(name, optimizer, std::move(rest), options);
    std::string text;
    for (int i = 0; i < steps; ++i) {
      if (i > 0) text += ' ';
      text += fmt::format("{:.6f}", rate(*optimizer));
      step(*optimizer);
      advance(scheduler);
    }
    EXPECT_TRUE(in.take_warnings().empty()) << name;
    return text;
  }
  Value get(const Value& scheduler, std::string_view name) {
    return object::getattr(in, scheduler, in.intern(name)).value();
  }
};

TEST_F(LrScheduler, RatesAreThoseOfPyTorch) {
  EXPECT_EQ(trace("StepLR", {2}, {{"gamma", 0.1}}), "1.000000 1.000000 0.100000 0.100000 0.010000 0.010000");
  EXPECT_EQ(trace("MultiStepLR", {list({2, 4})}, {{"gamma", 0.5}}),
            "1.000000 1.000000 0.500000 0.500000 0.250000 0.250000");
  EXPECT_EQ(trace("ExponentialLR", {0.9}, {}), "1.000000 0.900000 0.810000 0.729000 0.656100 0.590490");
  EXPECT_EQ(trace("LinearLR", {}, {{"start_factor", 0.25}, {"total_iters", 3}}),
            "0.250000 0.500000 0.750000 1.000000 1.000000 1.000000");
  EXPECT_EQ(trace("ConstantLR", {}, {{"factor", 0.5}, {"total_iters", 2}}),
            "0.500000 0.500000 1.000000 1.000000 1.000000 1.000000");
  EXPECT_EQ(trace("PolynomialLR", {}, {{"total_iters", 4}, {"power", 2.0}}),
            "1.000000 0.562500 0.250000 0.062500 0.000000 0.000000");
  EXPECT_EQ(trace("CosineAnnealingLR", {}, {{"T_max", 4}, {"eta_min", 0.1}}, 9),
            "1.000000 0.868198 0.550000 0.231802 0.100000 0.231802 0.550000 0.868198 1.000000");
  EXPECT_EQ(trace("CosineAnnealingWarmRestarts", {}, {{"T_0", 3}}),
            "1.000000 0.750000 0.250000 1.000000 0.750000 0.250000");
  EXPECT_EQ(trace("OneCycleLR", {}, {{"max_lr", 1.0}, {"total_steps", 6}}, 5),
            "0.040000 0.994415 0.811746 0.462637 0.133478");
  EXPECT_EQ(trace("CyclicLR", {0.1, 0.5}, {{"step_size_up", 2}, {"cycle_momentum", false}}),
            "0.100000 0.300000 0.500000 0.300000 0.100000 0.300000");
}

// Whoever sets three times the rate that a scheduler made finds three times its rates from then on.
TEST_F(LrScheduler, EachGoesOnFromARateThatIsSetFromOutside) {
  const auto rates = [&](std::string_view name, std::vector<Value> rest, const Options& options, double factor) {
    const auto optimizer = sgd();
    const Value scheduler = make_one(name, optimizer, std::move(rest), options);
    std::vector<double> made;
    for (int i = 0; i < 8; ++i) {
      if (i == 2 && factor != 1) {
        const double wanted = factor * rate(*optimizer);
        const auto followed = rescale_schedulers(*optimizer, 0, wanted);
        EXPECT_TRUE(followed.ok()) << name;
        EXPECT_EQ(followed.value(), std::vector<std::string>{std::string(name)});
        optimizer->param_groups().value()->items()[0].as<Dict>()->set(in.intern("lr"), Value(wanted));
      }
      made.push_back(rate(*optimizer));
      step(*optimizer);
      advance(scheduler);
    }
    return made;
  };
  const std::vector<std::tuple<std::string_view, std::vector<Value>, Options>> all = {
      {"StepLR", {3}, {{"gamma", 0.1}}},
      {"ExponentialLR", {0.9}, {}},
      {"CosineAnnealingLR", {10}, {}},
      {"CosineAnnealingWarmRestarts", {4}, {}},
      {"PolynomialLR", {20}, {}},
      {"LinearLR", {}, {{"start_factor", 0.25}, {"total_iters", 6}}},
      {"CyclicLR", {0.1, 0.5}, {{"step_size_up", 3}, {"cycle_momentum", false}}},
      {"OneCycleLR", {0.5}, {{"total_steps", 10}, {"cycle_momentum", false}}}};
  for (const auto& [name, positional, options] : all) {
    const std::vector<double> plain = rates(name, positional, options, 1);
    const std::vector<double> set = rates(name, positional, options, 3);
    for (std::size_t i = 0; i < plain.size(); ++i)
      EXPECT_NEAR(set[i], plain[i] * (i < 2 ? 1 : 3), 1e-12) << name << ", step " << i;
  }
  // Between a floor and the base only what lies above the floor grows.
  const std::vector<double> floor = rates("CosineAnnealingWarmRestarts", {4}, {{"eta_min", 0.1}}, 3);
  const std::vector<double> before = rates("CosineAnnealingWarmRestarts", {4}, {{"eta_min", 0.1}}, 1);
  const double above = (3 * before[2] - 0.1) / (before[2] - 0.1);
  for (std::size_t i = 2; i < floor.size(); ++i) EXPECT_NEAR(floor[i] - 0.1, (before[i] - 0.1) * above, 1e-12);
}

TEST_F(LrScheduler, ARateThatNoSchedulerCanGoOnFromIsRefused) {
  const auto optimizer = sgd();
  EXPECT_TRUE(rescale_schedulers(*optimizer, 0, 0).ok()) << "nothing computes its rates";
  const Value scheduler = make_one("LinearLR", optimizer, {}, {{"start_factor", 0.5}, {"total_iters", 2}});
  EXPECT_FALSE(rescale_schedulers(*optimizer, 0, 0).ok());
  optimizer->param_groups().value()->items()[0].as<Dict>()->set(in.intern("lr"), Value(0.0));
  EXPECT_FALSE(rescale_schedulers(*optimizer, 0, 0.1).ok());
}

TEST_F(LrScheduler, FunctionsOfTheEpoch) {
  const Value inverse = function("f(epoch)", [](Interpreter&, Args a) -> PyResult<Value> {
    return Value(1.0 / static_cast<double>(a[0].as_int() + 1));
  });
  const Value half = function("f(epoch)", [](Interpreter&, Args) -> PyResult<Value> { return Value(0.5); });
  EXPECT_EQ(trace("LambdaLR", {inverse}, {}), "1.000000 0.500000 0.333333 0.250000 0.200000 0.166667");
  EXPECT_EQ(trace("MultiplicativeLR", {half}, {}), "1.000000 0.500000 0.250000 0.125000 0.062500 0.031250");
  const auto optimizer = sgd();
  EXPECT_EQ(refused("LambdaLR", {Value(optimizer), list({inverse, half})}),
            "ValueError: Expected 1 lr_lambdas, but got 2");
  EXPECT_EQ(refused("MultiplicativeLR", {Value(optimizer), Value(0.5)}),
            "TypeError: lr_lambda should be a function, but got float");
}

TEST_F(LrScheduler, AnEpochTakesTheClosedForm) {
  const struct {
    std::string_view name;
    std::vector<Value> rest;
    Options options;
  } cases[] = {{"StepLR", {2}, {{"gamma", 0.5}}},
               {"MultiStepLR", {list({2, 2, 4})}, {{"gamma", 0.5}}},
               {"ExponentialLR", {0.9}, {}},
               {"LinearLR", {}, {{"start_factor", 0.25}, {"end_factor", 0.75}, {"total_iters", 5}}},
               {"ConstantLR", {}, {{"factor", 0.5}, {"total_iters", 3}}},
               {"PolynomialLR", {}, {{"total_iters", 7}, {"power", 1.5}}},
               {"CosineAnnealingLR", {}, {{"T_max", 5}, {"eta_min", 0.1}}}};
  for (const auto& one : cases) {
    const auto stepped = sgd(), jumped = sgd();
    const Value walker = make_one(one.name, stepped, one.rest, one.options);
    const Value jumper = make_one(one.name, jumped, one.rest, one.options);
    for (int epoch = 1; epoch < 7; ++epoch) {
      step(*stepped);
      advance(walker);
      ASSERT_TRUE(in.call_method(jumper, in.intern("step"), {Value(epoch)}).ok());
      EXPECT_NEAR(rate(*stepped), rate(*jumped), 1e-12) << one.name << " epoch " << epoch;
    }
    EXPECT_EQ(in.take_warnings()[0].text.substr(0, 44), "Detected call of `lr_scheduler.step()` befor");
  }
}

TEST_F(LrScheduler, WarmRestartsMayBeAskedBetweenEpochs) {
  const auto optimizer = sgd();
  const Value scheduler = make_one("CosineAnnealingWarmRestarts", optimizer, {2}, {{"T_mult", 2}});
  ASSERT_TRUE(in.call_method(scheduler, in.intern("step"), {Value(2.5)}).ok());
  // The second period is four epochs long; half an epoch of it is over.
  EXPECT_NEAR(rate(*optimizer), (1 + std::cos(std::acos(-1.0) * 0.5 / 4)) / 2, 1e-12);
  EXPECT_EQ(get(scheduler, "last_epoch").as_int(), 2);
  EXPECT_EQ(outcome(in.call_method(scheduler, in.intern("step"), {Value(-1)})),
            "ValueError: Expected non-negative epoch, but got -1");
}

TEST_F(LrScheduler, EachGroupHasItsRate) {
  const auto p = parameter({1}), q = parameter({1});
  const auto optimizer =
      make("SGD",
           list({dict({{"params", list({Value(p)})}, {"lr", 1.0}}), dict({{"params", list({Value(q)})}, {"lr", 0.1}})}),
           {{"lr", 0.5}});
  const Value scheduler = make_one("ExponentialLR", optimizer, {0.5});
  step(*optimizer);
  advance(scheduler);
  EXPECT_EQ(repr(in.call_method(scheduler, in.intern("get_last_lr")).value()), "[0.5, 0.05]");
  EXPECT_EQ(repr(option(*optimizer, "initial_lr", 0)) + repr(option(*optimizer, "initial_lr", 1)), "1.00.1");
  const Value state = in.call_method(scheduler, in.intern("state_dict")).value();
  EXPECT_EQ(keys(*state.as<Dict>()),
            "gamma base_lrs last_epoch _step_count _is_initial _get_lr_called_within_step _last_lr");
}

TEST_F(LrScheduler, StepBeforeTheOptimizerWarns) {
  const auto optimizer = sgd();
  const Value scheduler = make_one("StepLR", optimizer, {1});
  advance(scheduler);
  const auto warnings = in.take_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].text.substr(0, 73),
            "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTo");
  const auto other = sgd();
  const Value second = make_one("StepLR", other, {1});
  other->dict().erase(in.intern("step"));
  advance(second);
  EXPECT_EQ(in.take_warnings()[0].text.substr(0, 50), "Seems like `optimizer.step()` has been overridden ");
}

TEST_F(LrScheduler, GetLrOutsideAStepWarns) {
  const Value scheduler = make_one("StepLR", sgd(), {1});
  ASSERT_TRUE(in.call_method(scheduler, in.intern("get_lr")).ok());
  EXPECT_EQ(in.take_warnings()[0].text,
            "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.");
}

TEST_F(LrScheduler, PlateauWaitsForPatience) {
  const auto optimizer = sgd();
  const Value scheduler = make_one("ReduceLROnPlateau", optimizer, {}, {{"factor", 0.1}, {"patience", 1}});
  std::string text;
  for (const double loss : {5.0, 4.0, 4.0, 4.0, 3.0, 3.0, 3.0, 3.0}) {
    step(*optimizer);
    ASSERT_TRUE(in.call_method(scheduler, in.intern("step"), {Value(loss)}).ok());
    text += fmt::format("{:.1f} {:.6f} {}\n", loss, rate(*optimizer), get(scheduler, "num_bad_epochs").as_int());
  }
  EXPECT_EQ(text,
            "5.0 1.000000 0\n4.0 1.000000 0\n4.0 1.000000 1\n4.0 0.100000 0\n3.0 0.100000 0\n3.0 0.100000 1\n"
            "3.0 0.010000 0\n3.0 0.010000 1\n");
  EXPECT_EQ(refused("ReduceLROnPlateau", {Value(optimizer)}, {{"factor", 1.0}}), "ValueError: Factor should be < 1.0.");
  EXPECT_EQ(refused("ReduceLROnPlateau", {Value(optimizer)}, {{"mode", in.text("best")}}),
            "ValueError: mode best is unknown!");
  EXPECT_EQ(refused("ReduceLROnPlateau", {Value(optimizer)}, {{"min_lr", list({0.1, 0.2})}}),
            "ValueError: expected 1 min_lrs, got 2");
}

TEST_F(LrScheduler, OneCycleMovesTheMomentumTheOtherWay) {
  const auto optimizer = make("Adam", parameter({1}), {{"lr", 0.1}});
  const Value scheduler = make_one("OneCycleLR", optimizer, {1.0}, {{"total_steps", 11}, {"pct_start", 0.5}});
  EXPECT_EQ(repr(option(*optimizer, "betas")), "(0.95, 0.999)");
  EXPECT_NEAR(rate(*optimizer), 1.0 / 25, 1e-12);
  for (int i = 0; i < 10; ++i) {
    step(*optimizer);
    advance(scheduler);
  }
  EXPECT_NEAR(rate(*optimizer), 1.0 / 25 / 1e4, 1e-12);
  step(*optimizer);
  advance(scheduler);
  EXPECT_EQ(outcome(in.call_method(scheduler, in.intern("step"))),
            "ValueError: Tried to step 12 times. The specified number of total steps is 11");
  EXPECT_EQ(refused("OneCycleLR", {Value(optimizer), Value(1.0)}),
            "ValueError: You must define either total_steps OR (epochs AND steps_per_epoch)");
  EXPECT_EQ(refused("OneCycleLR", {Value(optimizer), Value(1.0), Value(0)}),
            "ValueError: Expected positive integer total_steps, but got 0");
  EXPECT_EQ(refused("OneCycleLR", {Value(make("Adagrad", parameter({1}))), Value(1.0), Value(5)}),
            "ValueError: optimizer must support momentum or beta1 with `cycle_momentum` option enabled");
}

TEST_F(LrScheduler, SequentialRunsOneAfterTheOther) {
  const auto optimizer = sgd();
  const Value warm = make_one("ConstantLR", optimizer, {}, {{"factor", 0.1}, {"total_iters", 2}});
  const Value decay = make_one("ExponentialLR", optimizer, {0.9});
  const Value all = make_one("SequentialLR", optimizer, {list({warm, decay}), list({2})});
  std::string text;
  for (int i = 0; i < 5; ++i) {
    text += fmt::format("{:.4f} ", rate(*optimizer));
    step(*optimizer);
    advance(all);
  }
  EXPECT_EQ(text, "0.1000 0.1000 1.0000 0.9000 0.8100 ");
  EXPECT_EQ(refused("SequentialLR", {Value(optimizer), list({warm}), list({2})}),
            "ValueError: Sequential Schedulers expects number of schedulers provided to be one more than the number of "
            "milestone points, but got number of schedulers 1 and the number of milestones to be equal to 1");
}

TEST_F(LrScheduler, ChainedTakesAllStepsAtOnce) {
  const auto optimizer = sgd();
  const Value warm = make_one("ConstantLR", optimizer, {}, {{"factor", 0.1}, {"total_iters", 2}});
  const Value decay = make_one("ExponentialLR", optimizer, {0.9});
  const auto chained = make_scheduler(in, "ChainedScheduler", {list({warm, decay})});
  ASSERT_TRUE(chained.ok());
  std::string text;
  for (int i = 0; i < 4; ++i) {
    text += fmt::format("{:.4f} ", rate(*optimizer));
    step(*optimizer);
    advance(chained.value());
  }
  EXPECT_EQ(text, "0.1000 0.0900 0.8100 0.7290 ");
  EXPECT_EQ(refused("ChainedScheduler", {list({})}),
            "ValueError: ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.");
  EXPECT_TRUE(refused("ChainedScheduler", {list({warm, make_one("ExponentialLR", sgd(), {0.9})})})
                  .starts_with("ValueError: ChainedScheduler expects all schedulers to belong to the same optimizer, "
                               "but got scheduler ExponentialLR at index 1 has SGD ("));
}

TEST_F(LrScheduler, AStateThatWasSavedContinues) {
  const struct {
    std::string_view name;
    std::vector<Value> rest;
    Options options;
  } cases[] = {
      {"StepLR", {2}, {}},
      {"MultiStepLR", {list({2, 4})}, {}},
      {"CosineAnnealingLR", {6}, {}},
      {"CosineAnnealingWarmRestarts", {3}, {}},
      {"CyclicLR", {0.1, 0.5}, {{"step_size_up", 2}, {"cycle_momentum", false}, {"mode", in.text("triangular2")}}},
      {"OneCycleLR", {1.0}, {{"total_steps", 9}}}};
  for (const auto& one : cases) {
    std::vector<double> ends;
    for (const bool splits : {false, true}) {
      auto optimizer = sgd();
      Value scheduler = make_one(one.name, optimizer, one.rest, one.options);
      for (int i = 0; i < 6; ++i) {
        if (splits && i == 3) {
          const Value saved = in.call_method(scheduler, in.intern("state_dict")).value();
          const Value saved_optimizer = optimizer->state_dict().value();
          optimizer = sgd();
          scheduler = make_one(one.name, optimizer, one.rest, one.options);
          ASSERT_TRUE(optimizer->load_state_dict(saved_optimizer).ok());
          ASSERT_TRUE(in.call_method(scheduler, in.intern("load_state_dict"), {saved}).ok());
        }
        step(*optimizer);
        advance(scheduler);
      }
      ends.push_back(rate(*optimizer));
    }
    EXPECT_EQ(ends[0], ends[1]) << one.name;
  }
}

TEST_F(LrScheduler, RefusesWhatIsNoOptimizer) {
  EXPECT_EQ(refused("StepLR", {Value(1), Value(1)}), "TypeError: int is not an Optimizer");
  const auto optimizer = sgd();
  EXPECT_EQ(refused("StepLR", {Value(optimizer), Value(1)}, {{"last_epoch", 3}}).substr(0, 60),
            "KeyError: \"param 'initial_lr' is not specified in param_grou");
  EXPECT_EQ(refused("LinearLR", {Value(optimizer), Value(0)}),
            "ValueError: Starting multiplicative factor expected to be greater than 0 and less or equal to 1.");
  EXPECT_EQ(refused("ConstantLR", {Value(optimizer), Value(2)}),
            "ValueError: Constant multiplicative factor expected to be between 0 and 1.");
  EXPECT_EQ(refused("CosineAnnealingWarmRestarts", {Value(optimizer), Value(0)}),
            "ValueError: Expected positive integer T_0, but got 0");
  EXPECT_EQ(refused("CyclicLR", {Value(optimizer), Value(0.1), Value(0.5)}, {{"mode", in.text("saw")}}),
            "ValueError: mode is invalid and scale_fn is None");
}

TEST_F(LrScheduler, WritesIntoARateThatIsATensor) {
  const Ref<Tensor> lr = tensor::full(in, {}, 0.5);
  const auto optimizer = make("SGD", parameter({1}), {{"lr", Value(lr)}});
  const Value scheduler = make_one("ExponentialLR", optimizer, {0.5});
  step(*optimizer);
  advance(scheduler);
  EXPECT_EQ(option(*optimizer, "lr").object(), lr.get());
  EXPECT_EQ(items(*lr), Numbers{0.25});
}

}  // namespace
}  // namespace nns::optim::tests
