// Connectionist temporal classification against a count of all paths.
#include "tests/nn/forward_support.h"

namespace nns::nn::tests {
namespace {

using Ctc = Forward;

// The probability of a target by counting every path through all classes.
double plain_ctc(const Numbers& logs, std::size_t time, std::size_t classes, const std::vector<std::size_t>& target) {
  double sum = 0;
  std::size_t paths = 1;
  for (std::size_t t = 0; t < time; ++t) paths *= classes;
  for (std::size_t path = 0; path < paths; ++path) {
    std::vector<std::size_t> spelled;
    double log = 0;
    std::size_t rest = path, before = classes;
    for (std::size_t t = 0; t < time; ++t, rest /= classes) {
      const std::size_t c = rest % classes;
      log += logs[t * classes + c];
      if (c != before && c != 0) spelled.push_back(c);
      before = c;
    }
    if (spelled == target) sum += std::exp(log);
  }
  return -std::log(sum);
}

TEST_F(Ctc, CountsEveryPathThatSpellsTheTarget) {
  const Value logs = function("log_softmax", {numbers(Dims({5, 2, 3})), Value(2)});
  const Numbers from = items(logs);
  const auto of_sample = [&](std::size_t n, std::size_t time) {
    Numbers mine;
    for (std::size_t t = 0; t < time; ++t)
      for (std::size_t c = 0; c < 3; ++c) mine.push_back(from[t * 6 + n * 3 + c]);
    return mine;
  };
  const Numbers wanted = {plain_ctc(of_sample(0, 5), 5, 3, {1, 1}), plain_ctc(of_sample(1, 4), 4, 3, {2})};
  const auto made = [&](const Value& targets, std::string_view reduction) {
    return function("ctc_loss", {logs, targets, whole(Dims({2}), {5, 4}), Value(in.tuple({Value(2), Value(1)}))},
                    {{"reduction", in.text(reduction)}});
  };
  expect_near(made(whole(Dims({2, 2}), {1, 1, 2, 0}), "none"), wanted, 1e-12);
  expect_near(made(whole(Dims({3}), {1, 1, 2}), "sum"), {wanted[0] + wanted[1]}, 1e-12);
  expect_near(made(whole(Dims({3}), {1, 1, 2}), "mean"), {(wanted[0] / 2 + wanted[1]) / 2}, 1e-12);
  // Two equal labels need a blank between them: two steps are too few.
  const Value few = function("log_softmax", {numbers(Dims({2, 1, 3})), Value(2)});
  const auto short_one = [&](bool zero) {
    return items(function("ctc_loss", {few, whole(Dims({1, 2}), {1, 1}), whole(Dims({1}), {2}), whole(Dims({1}), {2})},
                          {{"zero_infinity", Value(zero)}}))[0];
  };
  EXPECT_TRUE(std::isinf(short_one(false)));
  EXPECT_EQ(short_one(true), 0);
}

TEST_F(Ctc, GivesTheGradientOfWhatItsLogSoftmaxIsMadeOfOnce) {
  const Value logits = numbers(Dims({4, 2, 3}));
  ASSERT_TRUE(logits.as<Tensor>()->set_requires_grad(true).ok());
  const auto loss = [&] {
    return function("ctc_loss", {function("log_softmax", {logits, Value(2)}), whole(Dims({3}), {1, 1, 2}),
                                 whole(Dims({2}), {4, 3}), whole(Dims({2}), {2, 1})});
  };
  const Ref<Tensor> inputs[] = {Ref<Tensor>(logits.as<Tensor>())};
  const Ref<Tensor> roots[] = {Ref<Tensor>(loss().as<Tensor>())};
  const auto grads = autograd::grad(in, roots, inputs, {}, {.create_graph = true});
  ASSERT_TRUE(grads.ok()) << grads.error().message();
  auto* const data = reinterpret_cast<double*>(logits.as<Tensor>()->data());
  Numbers wanted;
  for (std::size_t i = 0; i < 24; ++i) {
    const double before = data[i];
    data[i] = before + 1e-6;
    const double above = items(loss())[0];
    data[i] = before - 1e-6;
    const double below = items(loss())[0];
    data[i] = before;
    wanted.push_back((above - below) / 2e-6);
  }
  expect_near(Value(grads.value()[0]), wanted, 1e-7);
  const ops::Term sum = ops::apply(ops::OpId::sum, {ops::square(ops::Term(grads.value()[0]))});
  const Ref<Tensor> again[] = {sum.ref()};
  const auto twice = autograd::grad(in, again, inputs, {}, {});
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().message(), "derivative for aten::_ctc_loss_backward is not implemented");
}

}  // namespace
}  // namespace nns::nn::tests
