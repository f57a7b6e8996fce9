// The models of the speed goals learn: what the benchmarks time is training.
#include "tests/training/workload.h"

#include <gtest/gtest.h>

#include <array>

#include "core/base/parallel.h"

namespace nns::tests {
namespace {

struct Case {
  std::string_view name;
  int rounds;    // over the eight batches
  double share;  // of the first round's loss that may be left in the last
};

class Training : public testing::TestWithParam<Case> {};

TEST_P(Training, LossFalls) {
  nn::Interpreter in;
  Workload workload(in, GetParam().name, true);
  double first = 0, last = 0;
  for (int round = 0; round < GetParam().rounds; ++round) {
    double sum = 0;
    for (int i = 0; i < 8; ++i) {
      const auto loss = workload.step();
      ASSERT_TRUE(loss.ok()) << loss.error().message();
      sum += tensor::read_double(*loss.value(), loss.value()->offset());
    }
    if (round == 0) first = sum / 8;
    last = sum / 8;
  }
  EXPECT_LT(last, first * GetParam().share);
}

INSTANTIATE_TEST_SUITE_P(Models, Training,
                         testing::Values(Case{"mlp", 12, 0.5}, Case{"cnn", 20, 0.99}, Case{"tinygpt", 3, 0.999},
                                         Case{"gpt", 2, 0.999}, Case{"tinymlp", 100, 0.98}),
                         [](const auto& test) { return std::string(test.param.name); });

// All bits of the parameters, one after another.
std::vector<std::byte> bits_of(nn::Module& model) {
  std::vector<std::byte> all;
  const auto parameters = model.parameters();
  for (const nn::Ref<nn::Tensor>& one : parameters.value())
    all.insert(all.end(), one->data(), one->data() + one->nbytes());
  return all;
}

class ThreadedTraining : public testing::TestWithParam<Case> {};

TEST_P(ThreadedTraining, GivesTheSameBitsForAnyNumberOfThreads) {
  std::vector<std::byte> of_one;
  for (const int threads : {1, 2, 3, 5}) {
    base::set_thread_count(threads);
    nn::Interpreter in;
    Workload workload(in, GetParam().name, true);
    for (int i = 0; i < GetParam().rounds; ++i) ASSERT_TRUE(workload.step().ok());
    if (threads == 1) {
      of_one = bits_of(workload.model());
    } else {
      EXPECT_EQ(bits_of(workload.model()), of_one) << threads << " threads";
    }
  }
  base::set_thread_count(1);
}

INSTANTIATE_TEST_SUITE_P(Models, ThreadedTraining,
                         testing::Values(Case{"mlp", 3, 0}, Case{"cnn", 3, 0}, Case{"tinygpt", 2, 0}, Case{"gpt", 1, 0},
                                         Case{"tinymlp", 3, 0}),
                         [](const auto& test) { return std::string(test.param.name); });

class CapturedTraining : public testing::TestWithParam<Case> {};

TEST_P(CapturedTraining, GivesTheSameBitsAsThePlainStep) {
  nn::Interpreter plain_program, captured_program;
  Workload plain(plain_program, GetParam().name, true), captured(captured_program, GetParam().name, true);
  const int steps = GetParam().rounds;
  for (int i = 0; i < steps; ++i) {
    const auto expected = plain.step();
    const auto found = captured.captured_step();
    ASSERT_TRUE(expected.ok());
    ASSERT_TRUE(found.ok()) << found.error().message();
    ASSERT_EQ(tensor::read_double(*found.value(), found.value()->offset()),
              tensor::read_double(*expected.value(), expected.value()->offset()))
        << "step " << i;
    ASSERT_EQ(bits_of(captured.model()), bits_of(plain.model())) << "step " << i;
  }
  EXPECT_EQ(captured.captured().counts().captured, 1U) << captured.captured().reason();
  EXPECT_EQ(captured.captured().counts().replayed, static_cast<std::uint64_t>(steps - 1))
      << captured.captured().reason();
}

INSTANTIATE_TEST_SUITE_P(Models, CapturedTraining,
                         testing::Values(Case{"mlp", 20, 0}, Case{"cnn", 20, 0}, Case{"tinygpt", 4, 0},
                                         Case{"gpt", 3, 0}, Case{"tinymlp", 200, 0}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace nns::tests
