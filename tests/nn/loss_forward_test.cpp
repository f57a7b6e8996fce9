// Losses and distances against their definition, written out with plain loops.
#include "core/ops/op.h"
#include "tests/nn/forward_support.h"

namespace nns::nn::tests {
namespace {

using Losses = Forward;
using ops::OpId;

double mean(const Numbers& values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

struct PairCase {
  std::string_view layer;
  double (*formula)(double x, double y);
};

TEST_F(Losses, OfPairsInEveryReduction) {
  const PairCase cases[] = {
      {"MSELoss", [](double x, double y) { return (x - y) * (x - y); }},
      {"L1Loss", [](double x, double y) { return std::abs(x - y); }},
      {"SmoothL1Loss",
       [](double x, double y) {
         const double z = std::abs(x - y);
         return z < 1 ? z * z / 2 : z - 0.5;
       }},
      {"HuberLoss",
       [](double x, double y) {
         const double z = std::abs(x - y);
         return z < 1 ? z * z / 2 : z - 0.5;
       }},
      {"SoftMarginLoss", [](double x, double y) { return std::log(1 + std::exp(-x * y)); }},
      {"BCEWithLogitsLoss",
       [](double x, double y) {
         const double p = 1 / (1 + std::exp(-x));
         return -y * std::log(p) - (1 - y) * std::log(1 - p);
       }},
      {"PoissonNLLLoss", [](double x, double y) { return std::exp(x) - y * x; }},
  };
  for (const PairCase& one : cases) {
    for (const DType dtype : {DType::Float64, DType::Float32, DType::BFloat16, DType::Float16}) {
      const double tolerance = dtype == DType::Float64 ? 1e-12 : dtype == DType::Float32 ? 1e-5 : 4e-2;
      const Value x = numbers(Dims({3, 5}), 1, dtype), y = numbers(Dims({3, 5}), 4, dtype);
      Numbers each;
      for (std::size_t i = 0; i < 15; ++i) each.push_back(one.formula(items(x)[i], items(y)[i]));
      const auto made = [&](std::string_view reduction) {
        return call(layer(one.layer, {}, {{"reduction", in.text(reduction)}}), {x, y});
      };
      expect_near(made("none"), each, tolerance, std::string(one.layer));
      expect_near(made("mean"), {mean(each)}, tolerance, std::string(one.layer));
      expect_near(made("sum"), {mean(each) * 15}, tolerance, std::string(one.layer));
    }
  }
}

// The loss of one sample from the definition: shares of the target times the logarithm of the softmax.
double class_loss(const Numbers& x, std::size_t first, std::size_t stride, std::size_t classes, std::size_t own,
                  const Numbers& weight, double smoothing) {
  double sum = 0;
  for (std::size_t c = 0; c < classes; ++c) sum += std::exp(x[first + c * stride]);
  double loss = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    const double share = (c == own ? 1 - smoothing : 0) + smoothing / static_cast<double>(classes);
    loss -= share * weight[c] * (x[first + c * stride] - std::log(sum));
  }
  return loss;
}

TEST_F(Losses, CrossEntropyOfClassesWithWeightsSmoothingAndIgnoredTargets) {
  const Value x = numbers(Dims({2, 150, 3})), weight = numbers(Dims({150}), 9);
  Numbers positive = items(weight);
  for (double& w : positive) w = std::abs(w);
  const Numbers targets = {3, 149, 70, 5, 0, 99};
  const Numbers from = items(x);
  Numbers each;
  double total = 0;
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto own = static_cast<std::size_t>(targets[n * 3 + k]);
      const bool is_ignored = own == 70;
      each.push_back(is_ignored ? 0 : class_loss(from, n * 450 + k, 3, 150, own, positive, 0.2));
      if (!is_ignored) total += positive[own];
    }
  }
  const auto made = [&](std::string_view reduction) {
    return function("cross_entropy", {x, whole(Dims({2, 3}), targets), make(Dims({150}), positive, DType::Float64)},
                    {{"ignore_index", Value(70)}, {"label_smoothing", Value(0.2)}, {"reduction", in.text(reduction)}});
  };
  expect_near(made("none"), each, 1e-12);
  expect_near(made("sum"), {mean(each) * 6}, 1e-12);
  expect_near(made("mean"), {mean(each) * 6 / total}, 1e-12);
}

TEST_F(Losses, CrossEntropyHoldsOutAgainstLargeAndInfiniteLogits) {
  const double inf = std::numeric_limits<double>::infinity();
  expect_near(function("cross_entropy", {make(Dims({1, 3}), {1000, 998, -inf}), whole(Dims({1}), {1})}),
              {2 + std::log1p(std::exp(-2))}, 1e-6);
  EXPECT_TRUE(
      std::isnan(items(function("cross_entropy", {make(Dims({1, 2}), {-inf, -inf}), whole(Dims({1}), {1})}))[0]));
  EXPECT_TRUE(std::isnan(items(function("cross_entropy", {make(Dims({1, 2}), {1, 2}), whole(Dims({1}), {-100})}))[0]))
      << "a mean of nothing";
}

TEST_F(Losses, CrossEntropyOfProbabilitiesAndOfOneSample) {
  const Value logits = make(Dims({2, 2}), {0, 0, 2, 0});
  const double log3 = std::log(1 + std::exp(2.0));
  expect_near(function("cross_entropy", {logits, make(Dims({2, 2}), {0.5, 0.5, 0, 1})}), {(std::log(2.0) + log3) / 2},
              1e-6);
  expect_near(function("cross_entropy", {make(Dims({2}), {2, 0}), whole(Dims(), {1})}), {log3}, 1e-6);
}

TEST_F(Losses, NllAgreesWithCrossEntropy) {
  const Value x = numbers(Dims({4, 5}), 3, DType::Float32), target = whole(Dims({4}), {0, 4, 2, 2});
  const Value logs = function("log_softmax", {x, Value(1)});
  expect_near(function("nll_loss", {logs, target}), items(function("cross_entropy", {x, target})), 1e-6);
}

TEST_F(Losses, OfProbabilitiesAndDistributions) {
  expect_near(function("binary_cross_entropy", {make(Dims({2}), {0.5, 0.9}), make(Dims({2}), {1, 0})}),
              {(std::log(2) - std::log(0.1)) / 2}, 1e-6);
  expect_near(function("binary_cross_entropy", {make(Dims({2}), {0, 1}), make(Dims({2}), {1, 1})}), {50}, 1e-6);
  expect_near(function("binary_cross_entropy_with_logits", {make(Dims({2}), {0, 2}), make(Dims({2}), {1, 0})},
                       {{"pos_weight", make(Dims({1}), {3})}}),
              {(3 * std::log(2) + std::log1p(std::exp(2.0))) / 2}, 1e-6);
  expect_near(function("kl_div", {make(Dims({1, 2}), {std::log(0.5), std::log(0.5)}), make(Dims({1, 2}), {0, 1})},
                       {{"reduction", in.text("batchmean")}}),
              {std::log(2)}, 1e-6);
  expect_near(
      function("gaussian_nll_loss", {make(Dims({2}), {1, -1}), make(Dims({2}), {0.5, 2}), make(Dims({2}), {1, 0})},
               {{"reduction", in.text("none")}}),
      {0.125, 0.5 * (std::log(1e-6) + 9e6)}, 1e-5);
}

TEST_F(Losses, WithMargins) {
  const Value a = make(Dims({2}), {1, -1}), b = make(Dims({2}), {0.5, 2}), y = make(Dims({2}), {1, -1});
  expect_near(call(layer("MarginRankingLoss", {Value(0.5)}), {a, b, y}), {0}, 1e-6);
  expect_near(call(layer("HingeEmbeddingLoss"), {a, y}), {1.5}, 1e-6);
  expect_near(call(layer("TripletMarginLoss", {}, {{"eps", Value(0.0)}}),
                   {make(Dims({1, 1}), {0}), make(Dims({1, 1}), {3}), make(Dims({1, 1}), {2})}),
              {2}, 1e-6);
  expect_near(call(layer("TripletMarginLoss", {}, {{"eps", Value(0.0)}, {"swap", Value(true)}}),
                   {make(Dims({1, 1}), {0}), make(Dims({1, 1}), {3}), make(Dims({1, 1}), {2})}),
              {3}, 1e-6);
  expect_near(call(layer("TripletMarginWithDistanceLoss"),
                   {make(Dims({1, 1}), {0}), make(Dims({1, 1}), {3}), make(Dims({1, 1}), {2})}),
              {2}, 1e-5);
  expect_near(call(layer("CosineEmbeddingLoss", {Value(0.25)}),
                   {make(Dims({2, 2}), {1, 0, 1, 1}), make(Dims({2, 2}), {0, 1, 2, 2}), make(Dims({2}), {1, -1})}),
              {(1 + 0.75) / 2}, 1e-6);
  expect_near(call(layer("MultiMarginLoss"), {make(Dims({1, 3}), {0.1, 0.2, 0.4}), whole(Dims({1}), {2})}),
              {(0.7 + 0.8) / 3}, 1e-6);
  expect_near(call(layer("MultiMarginLoss", {Value(2)}), {make(Dims({3}), {0.1, 0.2, 0.4}), whole(Dims({1}), {2})}),
              {(0.49 + 0.64) / 3}, 1e-6);
  // Targets 3 and 0 against the others, 1 and 2.
  expect_near(call(layer("MultiLabelMarginLoss"),
                   {make(Dims({1, 4}), {0.1, 0.2, 0.4, 0.8}), whole(Dims({1, 4}), {3, 0, -1, 1})}),
              {0.25 * ((1 - (0.1 - 0.2)) + (1 - (0.1 - 0.4)) + (1 - (0.8 - 0.2)) + (1 - (0.8 - 0.4)))}, 1e-6);
  expect_near(call(layer("MultiLabelSoftMarginLoss"), {make(Dims({1, 2}), {0, 1}), make(Dims({1, 2}), {1, 0})}),
              {(std::log(2) + std::log1p(std::exp(1.0))) / 2}, 1e-6);
}

TEST_F(Losses, Distances) {
  const Value a = make(Dims({2, 2}), {1, 0, 1, 1}), b = make(Dims({2, 2}), {0, 2, 2, 2});
  expect_near(call(layer("CosineSimilarity"), {a, b}), {0, 1}, 1e-6);
  expect_near(call(layer("PairwiseDistance", {}, {{"eps", Value(0.0)}}), {a, b}), {std::sqrt(5), std::sqrt(2)}, 1e-6);
  expect_near(function("pdist", {make(Dims({3, 1}), {0, 3, 7})}), {3, 7, 4}, 1e-6);
}

TEST_F(Losses, WarnAndRefuseAsTorchDoes) {
  const Value x = make(Dims({2, 1}), {1, 1}), y = make(Dims({2}), {0, 0});
  function("mse_loss", {x, y});
  ASSERT_EQ(in.take_warnings().size(), 1U);
  EXPECT_EQ(error("mse_loss", {y, y}, {{"reduction", in.text("some")}}),
            "ValueError: some is not a valid value for reduction");
  EXPECT_EQ(error("cross_entropy", {make(Dims({2, 3}), Numbers(6, 0)), whole(Dims({2}), {0, 3})}),
            "IndexError: Target 3 is out of bounds.");
  EXPECT_EQ(error("cross_entropy", {make(Dims({2, 3}), Numbers(6, 0)), whole(Dims({3}), {0, 1, 2})}),
            "ValueError: Expected input batch_size (2) to match target batch_size (3).");
  EXPECT_EQ(error("cross_entropy", {make(Dims({2, 3}), Numbers(6, 0)), make(Dims({2}), {0, 1})}),
            "RuntimeError: expected scalar type Long but found Float");
  EXPECT_EQ(error("binary_cross_entropy", {make(Dims({1}), {1.5}), make(Dims({1}), {1})}),
            "RuntimeError: all elements of input should be between 0 and 1");
  EXPECT_EQ(
      error("binary_cross_entropy", {make(Dims({2}), {0.5, 0.5}), make(Dims({1}), {1})}),
      "ValueError: Using a target size (torch.Size([1])) that is different to the input size (torch.Size([2])) is "
      "deprecated. Please ensure they have the same size.");
}

// ---------------------------------------------------------------- embeddings

TEST_F(Losses, EmbeddingsTakeRowsAndGiveGradientsToThem) {
  const Value m = layer("Embedding", {Value(3), Value(1)}, {{"padding_idx", Value(1)}});
  Tensor& weight = attribute(m, "weight");
  tensor::fill_(weight, 2);
  const Value y = call(m, {whole(Dims({5}), {0, 1, 1, 2, 2})});
  EXPECT_EQ(items(y), Numbers(5, 2));
  const auto sum = ops::call_op(in, OpId::sum, {y});
  const Ref<Tensor> roots[] = {Ref<Tensor>(sum.value().as<Tensor>())}, inputs[] = {Ref<Tensor>(&weight)};
  const auto grads = autograd::grad(in, roots, inputs, {}, {});
  ASSERT_TRUE(grads.ok());
  EXPECT_EQ(items(Value(grads.value()[0])), (Numbers{1, 0, 2}));
  EXPECT_EQ(layer_error(m, {whole(Dims({1}), {4})}), "IndexError: index out of range in self");
  EXPECT_EQ(layer_error(m, {make(Dims({1}), {1})}),
            "RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
            "Int; but got torch.FloatTensor instead (while checking arguments for embedding)");
}

TEST_F(Losses, EmbeddingsShortenTheRowsTheyTake) {
  const Value weight = make(Dims({2, 2}), {3, 4, 30, 40});
  expect_near(function("embedding", {whole(Dims({1}), {0}), weight}, {{"max_norm", Value(1.0)}}), {0.6, 0.8}, 1e-6);
  expect_near(weight, {0.6, 0.8, 30, 40}, 1e-6);
}

TEST_F(Losses, BagsAreSumsMeansAndMaximaOfRows) {
  const Value weight = make(Dims({3, 1}), {1, 2, 4}), rows = whole(Dims({4}), {0, 1, 2, 2}),
              starts = whole(Dims({3}), {0, 2, 4});
  const auto bags = [&](std::string_view mode) {
    return items(function("embedding_bag", {rows, weight, starts}, {{"mode", in.text(mode)}}));
  };
  EXPECT_EQ(bags("sum"), (Numbers{3, 8, 0}));
  EXPECT_EQ(bags("mean"), (Numbers{1.5, 4, 0}));
  EXPECT_EQ(bags("max"), (Numbers{2, 4, 0}));
  EXPECT_EQ(items(function("embedding_bag", {whole(Dims({2, 2}), {0, 2, 1, 1}), weight})), (Numbers{2.5, 2}));
  EXPECT_EQ(items(function("embedding_bag", {whole(Dims({2, 2}), {0, 2, 1, 1}), weight},
                           {{"mode", in.text("sum")}, {"per_sample_weights", make(Dims({2, 2}), {1, 0.5, 2, 3})}})),
            (Numbers{3, 10}));
}

TEST_F(Losses, OneHotMarksTheClass) {
  EXPECT_EQ(items(function("one_hot", {whole(Dims({2}), {0, 2})})), (Numbers{1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(error("one_hot", {whole(Dims({2}), {0, 2}), Value(2)}),
            "RuntimeError: Class values must be smaller than num_classes.");
}

// ---------------------------------------------------------------- dropout

TEST_F(Losses, DropoutDrawsAsTorchDoes) {
  // Recorded from PyTorch with manual_seed(0): which of the first twenty items of ones are kept.
  constexpr std::string_view kKept = "00100011011110111100";
  manual_seed(in, 0);
  const Numbers made = items(call(layer("Dropout", {Value(0.5)}), {make(Dims({20}), Numbers(20, 1))}));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(made[i], kKept[i] == '1' ? 2 : 0) << i;
}

TEST_F(Losses, DropoutOfChannelsKeepsOrDropsThemWhole) {
  manual_seed(in, 1);
  const Numbers made = items(call(layer("Dropout2d", {Value(0.5)}), {make(Dims({4, 8, 3, 3}), Numbers(288, 1))}));
  double kept = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(made[i], made[i / 9 * 9]);
    kept += made[i] / 2;
  }
  EXPECT_GT(kept, 72);
  EXPECT_LT(kept, 216);
}

TEST_F(Losses, AlphaDropoutKeepsMeanAndVariance) {
  manual_seed(in, 2);
  Numbers normal(20000);
  for (double& x : normal) x = tensor::TensorLibrary::of(in).generator.normal_double();
  const Numbers made = items(call(layer("AlphaDropout", {Value(0.3)}), {make(Dims({20000}), normal)}));
  const double middle = mean(made);
  double variance = 0;
  for (const double x : made) variance += (x - middle) * (x - middle) / 20000;
  EXPECT_NEAR(middle, 0, 0.03);
  EXPECT_NEAR(variance, 1, 0.05);
}

TEST_F(Losses, DropoutOutsideTrainingGivesItsInput) {
  const Value m = layer("Dropout", {Value(0.5)});
  ASSERT_TRUE(in.call_method(m, in.intern("eval")).ok());
  const Value x = make(Dims({2}), {1, 2});
  EXPECT_TRUE(call(m, {x}).is(x));
  EXPECT_EQ(error("dropout", {x, Value(1.5)}),
            "ValueError: dropout probability has to be between 0 and 1, but got 1.5");
}

}  // namespace
}  // namespace nns::nn::tests
