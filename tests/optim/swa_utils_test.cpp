// Averages of weights. Recorded values are PyTorch's.
#include "core/optim/swa_utils.h"

#include "core/nn/layers.h"
#include "core/optim/lr_scheduler.h"
#include "tests/optim/optim_support.h"

namespace nns::optim::tests {
namespace {

class SwaUtils : public OptimTest {
 protected:
  Ref<nn::Module> model(double weight, DType dtype = DType::Float64) {
    const Ref<nn::Module> made = nn::make_layer(in, "Linear", {1, 1}, {{"bias", false}}).value();
    EXPECT_TRUE(made->to(dtype, std::nullopt).ok());
    set(*made, weight);
    return made;
  }
  void set(nn::Module& module, double weight) { tensor::fill_(*module.parameters().value()[0], weight); }
  void update(const Ref<nn::Module>& average, const Ref<nn::Module>& from) {
    const auto result = in.call_method(Value(average), in.intern("update_parameters"), {Value(from)});
    ASSERT_TRUE(result.ok()) << result.error().message();
  }
  std::string shown_weight(nn::Module& module) { return shown(*module.parameters().value()[0], 4); }
  Value made_by(std::string_view function, std::vector<Value> arguments = {}) {
    return in.call(swa_function(in, function), arguments).value();
  }
};

TEST_F(SwaUtils, TheAverageCountsEachModelOnce) {
  const auto m = model(1);
  const auto average = make_averaged_model(in, Value(m)).value();
  std::string text;
  for (const double weight : {2.0, 4.0, 6.0}) {
    set(*m, weight);
    update(average, m);
    text += shown_weight(*average) + " ";
  }
  EXPECT_EQ(text, "[2.0000] [3.0000] [4.0000] ");
  EXPECT_EQ(items(*average->getattr("n_averaged").value().as<Tensor>()), Numbers{3});
  EXPECT_EQ(keys(*average->state_dict().value().as<Dict>()), "n_averaged module.weight");
}

TEST_F(SwaUtils, AnExponentialAverageForgets) {
  for (const auto& [option, function] :
       {std::pair("multi_avg_fn", "get_ema_multi_avg_fn"), std::pair("avg_fn", "get_ema_avg_fn")}) {
    const auto m = model(1);
    const auto average = make_averaged_model(in, Value(m), {{option, made_by(function, {0.75})}}).value();
    update(average, m);
    set(*m, 5);
    update(average, m);
    EXPECT_EQ(shown_weight(*average), "[2.0000]") << option;
  }
  EXPECT_EQ(outcome(in.call(swa_function(in, "get_ema_multi_avg_fn"), {Value(1.5)})),
            "ValueError: Invalid decay value 1.5 provided. Please provide a value in [0,1] range.");
  const Value fn = made_by("get_ema_avg_fn");
  EXPECT_EQ(outcome(make_averaged_model(in, Value(model(1)), {{"avg_fn", fn}, {"multi_avg_fn", fn}})),
            "AssertionError: Only one of avg_fn and multi_avg_fn should be provided");
}

TEST_F(SwaUtils, BuffersAreCopiedOrAveraged) {
  for (const bool averages : {false, true}) {
    const Ref<nn::Module> norm = nn::make_layer(in, "BatchNorm1d", {1}).value();
    Tensor& mean = *norm->getattr("running_mean").value().as<Tensor>();
    const auto average = make_averaged_model(in, Value(norm), {{"use_buffers", averages}}).value();
    for (const double value : {2.0, 6.0}) {
      tensor::fill_(mean, value);
      update(average, norm);
    }
    nn::Module& own = *nn::as_module(average->getattr("module").value());
    EXPECT_EQ(items(*own.getattr("running_mean").value().as<Tensor>()), Numbers{averages ? 4.0 : 6.0});
  }
}

TEST_F(SwaUtils, TheRateGoesToItsTarget) {
  const auto optimizer = make("SGD", parameter({1}), {{"lr", 1.0}});
  const Value scheduler = make_scheduler(in, "SWALR", {Value(optimizer), 0.2},
                                         {{"anneal_epochs", 4}, {"anneal_strategy", in.text("linear")}})
                              .value();
  std::string text;
  for (int i = 0; i < 6; ++i) {
    text += fmt::format("{:.4f} ", option(*optimizer, "lr").as_float());
    step(*optimizer);
    ASSERT_TRUE(in.call_method(scheduler, in.intern("step")).ok());
  }
  EXPECT_EQ(text, "1.0000 0.8000 0.6000 0.4000 0.2000 0.2000 ");
  EXPECT_EQ(outcome(make_scheduler(in, "SWALR", {Value(optimizer), 0.2}, {{"anneal_strategy", in.text("exp")}})),
            "ValueError: anneal_strategy must by one of 'cos' or 'linear', instead got exp");
  EXPECT_EQ(outcome(make_scheduler(in, "SWALR", {Value(optimizer), 0.2}, {{"anneal_epochs", -1}})),
            "ValueError: anneal_epochs must be equal or greater than 0, got -1");
}

TEST_F(SwaUtils, UpdateBnAveragesTheStatisticsOfAllBatches) {
  const Ref<nn::Module> norm = nn::make_layer(in, "BatchNorm1d", {1}).value();
  EXPECT_TRUE(norm->train(false).ok());
  const auto batch = [&](double a, double b) {
    return Value(tensor::from_values(in, tensor::Dims({2, 1}), std::vector<double>{a, b}, DType::Float32));
  };
  // A batch may stand beside its labels.
  const Value loader(in.list({batch(1, 3), Value(in.tuple({batch(5, 9), Value(1)}))}));
  EXPECT_TRUE(made_by("update_bn", {loader, Value(norm)}).is_none());
  // Means 2 and 7, unbiased variances 2 and 8.
  EXPECT_EQ(shown(*norm->getattr("running_mean").value().as<Tensor>(), 4), "[4.5000]");
  EXPECT_EQ(shown(*norm->getattr("running_var").value().as<Tensor>(), 4), "[5.0000]");
  EXPECT_EQ(items(*norm->getattr("num_batches_tracked").value().as<Tensor>()), Numbers{2});
  EXPECT_EQ(norm->getattr("momentum").value().as_float(), 0.1);
  EXPECT_FALSE(norm->training());
}

}  // namespace
}  // namespace nns::optim::tests
