#include "core/live/training_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/live/training_messages.h"

namespace nns::live {
namespace {

using tests::message_of;
using tests::steps_message;

TEST(TrainingViewApply, StepsAreColumnsThatGrow) {
  TrainingView view(7);
  ASSERT_TRUE(view.apply(message_of(steps_message(7, 0, 100))).ok());
  ASSERT_TRUE(view.apply(message_of(steps_message(7, 100, 50))).ok());
  EXPECT_EQ(view.steps().size(), 150U);
  EXPECT_EQ(view.steps().step.back(), 149U);
  EXPECT_FLOAT_EQ(view.steps().phase_ms[1][3], 2.0F);
}

TEST(TrainingViewApply, ARunThatWasTakenUpAgainGoesOnFromItsCheckpoint) {
  TrainingView view(7);
  ASSERT_TRUE(view.apply(message_of(steps_message(7, 0, 100))).ok());
  ASSERT_TRUE(view.apply(message_of(steps_message(7, 60, 10))).ok());
  EXPECT_EQ(view.steps().size(), 70U);
  EXPECT_EQ(view.steps().step.back(), 69U);
}

TEST(TrainingViewApply, ARestartForgetsWhatWasTold) {
  TrainingView view(7);
  ASSERT_TRUE(view.apply(message_of(steps_message(7, 0, 100))).ok());
  ASSERT_TRUE(view.apply(message_of(steps_message(7, 500, 10, true, 490))).ok());
  EXPECT_EQ(view.steps().size(), 10U);
  EXPECT_EQ(view.steps_left_out(), 490U);
}

TEST(TrainingViewApply, MoreStepsThanAreKeptAreThinnedAndCounted) {
  TrainingView view(7, {.most_steps = 1000});
  for (std::uint64_t i = 0; i < 10'000; i += 100) ASSERT_TRUE(view.apply(message_of(steps_message(7, i, 100))).ok());
  EXPECT_LE(view.steps().size(), 1000U);
  EXPECT_GE(view.steps().size(), 400U);
  EXPECT_EQ(view.steps().size() + view.steps_left_out(), 10'000U);
  EXPECT_EQ(view.steps().step.front(), 0U);
  EXPECT_EQ(view.steps().step.back(), 9'999U);
}

TEST(TrainingViewThin, PeaksAndWhatIsNoNumberStay) {
  TrainingView view(7);
  ASSERT_TRUE(view.apply(message_of(steps_message(7, 0, 5000))).ok());
  TrainingSteps steps = view.steps();
  steps.loss[2345] = 99;
  steps.loss[4001] = std::numeric_limits<double>::quiet_NaN();
  const auto rows = thinned_rows(steps, 100);
  EXPECT_LE(rows.size(), 100U);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_NE(std::find(rows.begin(), rows.end(), 2345U), rows.end());
  EXPECT_NE(std::find(rows.begin(), rows.end(), 4001U), rows.end());
  EXPECT_EQ(rows.front(), 0U);
  EXPECT_EQ(rows.back(), 4999U);
}

TEST(TrainingViewApply, ColumnsOfDifferentLengthsAreRefused) {
  TrainingView view(7);
  flatbuffers::FlatBufferBuilder builder;
  const auto step = builder.CreateVector(std::vector<std::uint64_t>{1, 2});
  const auto one = builder.CreateVector(std::vector<double>{1});
  const auto name = builder.CreateString("loss");
  const auto told = wire::CreateTrainingScalars(builder, 7, false, name, wire::ScalarKind::Metric, step, one, one);
  EXPECT_FALSE(view.apply(message_of(finish_message(builder, told))).ok());
  EXPECT_EQ(view.version(), 0U);
}

TEST(TrainingViewApply, NumbersOfModulesThatAreNotThereAreRefused) {
  TrainingView view(7);
  ASSERT_TRUE(view.apply(message_of(tests::modules_message(7, 1, 3))).ok());
  EXPECT_TRUE(view.apply(message_of(tests::numbers_message(7, 1, 5, 2, 0.5))).ok());
  EXPECT_FALSE(view.apply(message_of(tests::numbers_message(7, 1, 6, 3, 0.5))).ok());
  const auto* moments = view.moments(wire::TrainingSubject::Activations, 2);
  ASSERT_NE(moments, nullptr);
  EXPECT_EQ(moments->first, 5U);
  EXPECT_EQ(moments->second.std(), 0.5);
}

TEST(TrainingViewApply, RatesOfGroupsThatComeAndGoHaveGaps) {
  TrainingView view(7);
  ASSERT_TRUE(view.apply(message_of(steps_message(7, 0, 2))).ok());
  ASSERT_TRUE(view.apply(message_of(steps_message(7, 2, 2, false, 0, {0.1, 0.2, 0.3, 0.4}))).ok());
  ASSERT_TRUE(view.apply(message_of(steps_message(7, 4, 1))).ok());
  TrainingView copy(7);
  for (Bytes& bytes : view.snapshot(10'000)) ASSERT_TRUE(copy.apply(message_of(std::move(bytes))).ok());
  for (const TrainingView* one : {&view, &copy}) {
    const auto& rates = one->steps().more_rates;
    ASSERT_EQ(rates.size(), 2U);
    ASSERT_EQ(rates[0].size(), 5U);
    EXPECT_TRUE(std::isnan(rates[0][1]));
    EXPECT_EQ(rates[0][2], 0.1);
    EXPECT_EQ(rates[0][3], 0.2);
    EXPECT_EQ(rates[1][2], 0.3);
    EXPECT_EQ(rates[1][3], 0.4);
    EXPECT_TRUE(std::isnan(rates[1][4]));
  }
  EXPECT_FALSE(view.apply(message_of(steps_message(7, 5, 2, false, 0, {0.1, 0.2, 0.3}))).ok());
}

Message values_message(std::uint32_t id, std::uint32_t of, std::uint64_t step) {
  flatbuffers::FlatBufferBuilder builder;
  const auto values = builder.CreateVector(std::vector<float>{1});
  return message_of(
      finish_message(builder, wire::CreateTrainingValues(builder, 7, 1, id, step, of, 4, 1, 1, 1, 1, values)));
}

TEST(TrainingViewApply, ASubscriptionThatNamesSeveralTensorsKeepsTheValuesOfEach) {
  TrainingView view(7);
  ASSERT_TRUE(view.apply(message_of(tests::modules_message(7, 1, 100))).ok());
  for (std::uint32_t of = 0; of < 3; ++of) ASSERT_TRUE(view.apply(values_message(1, of, 5 + of)).ok());
  ASSERT_TRUE(view.apply(values_message(1, 0, 9)).ok());
  EXPECT_EQ(view.values_of(wire::TrainingSubject::Parameters, 0)->step(), 9U);
  EXPECT_EQ(view.values_of(wire::TrainingSubject::Parameters, 1)->step(), 6U);
  EXPECT_EQ(view.values_of(wire::TrainingSubject::Parameters, 2)->step(), 7U);
  EXPECT_EQ(view.values(1)->of(), 0U) << "the newest";
  EXPECT_EQ(view.values(2), nullptr);
  // Whoever walks through a large model does not gather all of it.
  for (std::uint32_t of = 0; of < 100; ++of) ASSERT_TRUE(view.apply(values_message(1, of, 10 + of)).ok());
  EXPECT_EQ(view.values_of(wire::TrainingSubject::Parameters, 0), nullptr);
  EXPECT_NE(view.values_of(wire::TrainingSubject::Parameters, 99), nullptr);
}

TEST(TrainingViewSnapshot, MakesAnotherViewTheSame) {
  TrainingView view(7);
  ASSERT_TRUE(view.apply(message_of(tests::training_message(7, wire::TrainingState::Running, 3000))).ok());
  ASSERT_TRUE(view.apply(message_of(tests::modules_message(7, 1, 3))).ok());
  ASSERT_TRUE(view.apply(message_of(steps_message(7, 0, 3000))).ok());
  ASSERT_TRUE(view.apply(message_of(tests::numbers_message(7, 1, 5, 2, 0.5))).ok());
  ASSERT_TRUE(view.apply(message_of(tests::log_message(7, 5))).ok());
  for (const std::size_t most : {std::size_t{10'000}, std::size_t{100}}) {
    TrainingView copy(7);
    for (Bytes& bytes : view.snapshot(most)) ASSERT_TRUE(copy.apply(message_of(std::move(bytes))).ok());
    EXPECT_EQ(copy.steps().size() + copy.steps_left_out(), 3000U);
    EXPECT_LE(copy.steps().size(), most);
    EXPECT_EQ(copy.steps().step.back(), 2999U);
    EXPECT_EQ(copy.steps().loss.back(), view.steps().loss.back());
    EXPECT_EQ(copy.log().size(), 5U);
    ASSERT_NE(copy.moments(wire::TrainingSubject::Activations, 2), nullptr);
    EXPECT_EQ(copy.state()->steps(), 3000U);
  }
}

}  // namespace
}  // namespace nns::live
