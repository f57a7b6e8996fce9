#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "tests/live/training_messages.h"
#include "ui/model/training_chart.h"
#include "ui/model/training_summary.h"

namespace nns::model {
namespace {

using tests::message_of;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TEST(CurveReduce, HasNoMoreColumnsThanPixelsAndKeepsEveryPeak) {
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 1'000'000; ++i) {
    x.push_back(i);
    y.push_back(std::sin(i * 0.01));
  }
  y[123'456] = 50;
  y[654'321] = -70;
  const auto columns = reduce_curve(x, y, {0, 999'999}, 800, false, false);
  EXPECT_LE(columns.size(), 801U);
  EXPECT_GE(columns.size(), 790U);
  double low = 0;
  double high = 0;
  for (const CurveColumn& column : columns) {
    low = std::min(low, column.low);
    high = std::max(high, column.high);
  }
  EXPECT_EQ(low, -70);
  EXPECT_EQ(high, 50);
}

TEST(CurveReduce, WhatIsNoNumberAndOnALogarithmicAxisWhatIsNotAboveZeroAreGaps) {
  const std::vector<double> x = {1, 2, 3, 4, 5};
  const std::vector<double> y = {1, kNone, -1, 0, 100};
  EXPECT_EQ(reduce_curve(x, y, {0, 6}, 100, false, false).size(), 4U);
  const auto log = reduce_curve(x, y, {0, 6}, 100, false, true);
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[1].low, 2);
}

TEST(CurveReduce, APartTakesTheNextPointsOnBothSides) {
  const std::vector<double> x = {0, 10, 20, 30, 40};
  const auto columns = reduce_curve(x, x, {15, 25}, 100, false, false);
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_LT(columns.front().x, 0);
  EXPECT_GT(columns.back().x, 1);
}

TEST(CurveSmooth, StartsAtTheFirstValueAndSkipsGaps) {
  const std::vector<double> smoothed = smooth_curve(std::vector<double>{4, kNone, 4, 4}, 0.9);
  EXPECT_DOUBLE_EQ(smoothed[0], 4);
  EXPECT_TRUE(std::isnan(smoothed[1]));
  EXPECT_DOUBLE_EQ(smoothed[3], 4);
}

TEST(AxisTicks, AreRoundNumbers) {
  const auto ticks = axis_ticks({0.13, 2.4}, 6, false);
  ASSERT_GE(ticks.size(), 3U);
  EXPECT_EQ(ticks.front().text, "0.5");
  const auto log = axis_ticks({-4, 0}, 6, true);
  ASSERT_EQ(log.size(), 5U);
  EXPECT_EQ(log.front().text, "0.0001");
  EXPECT_TRUE(axis_ticks({1, 1}, 6, false).empty());
}

TEST(TrainingChartUpdate, ShowsTheLossOfSeveralRunsAndReadsThemAtTheCursor) {
  live::TrainingView one(1);
  live::TrainingView two(2);
  ASSERT_TRUE(one.apply(message_of(tests::training_message(1, live::wire::TrainingState::Running, 400))).ok());
  ASSERT_TRUE(one.apply(message_of(tests::steps_message(1, 0, 400))).ok());
  ASSERT_TRUE(two.apply(message_of(tests::steps_message(2, 0, 200))).ok());
  TrainingChart chart;
  const std::vector<const live::TrainingView*> both = {&one, &two};
  chart.update(both, {}, 300);
  EXPECT_EQ(chart.lines().size(), 4U);  // as it is, and smoothed, of each
  EXPECT_EQ(chart.whole().high, 400);
  const auto readout = chart.readout(1.0);
  ASSERT_EQ(readout.size(), 3U);
  EXPECT_EQ(readout[0], "step 400");
  EXPECT_NE(readout[1].find("mlp on spirals"), std::string::npos);
  EXPECT_EQ(readout[1].find("at step"), std::string::npos);
  EXPECT_NE(readout[2].find(", at step 200"), std::string::npos) << "it ended earlier";
  const std::vector<const live::TrainingView*> turned = {&two, &one};
  TrainingChart shorter_first;
  shorter_first.update(turned, {}, 300);
  EXPECT_EQ(shorter_first.readout(1.0).at(0), "step 400") << "where the cursor is, whoever is first";
  for (const ChartLine& line : chart.lines()) {
    for (const CurveColumn& column : line.columns) {
      EXPECT_GE(column.low, 0);
      EXPECT_LE(column.high, 1);
    }
  }
  ChartChoice rate;
  rate.quantity = ChartChoice::Quantity::LearningRate;
  chart.update(both, rate, 300);
  EXPECT_EQ(chart.lines().size(), 2U);
  // Two runs of one recipe have names of their own.
  ASSERT_TRUE(two.apply(message_of(tests::training_message(2, live::wire::TrainingState::Running, 200))).ok());
  chart.update(both, rate, 300);
  ASSERT_EQ(chart.lines().size(), 2U);
  EXPECT_EQ(chart.lines()[1].name, chart.lines()[0].name + " (2)");
}

TEST(TrainingChartUpdate, WithoutStepsThereIsNothing) {
  const live::TrainingView empty(1);
  TrainingChart chart;
  const std::vector<const live::TrainingView*> all = {&empty};
  chart.update(all, {}, 300);
  EXPECT_TRUE(chart.is_empty());
  EXPECT_TRUE(chart.readout(0.5).empty());
}

TEST(TrainingModuleRows, GradientsThatVanishAreShadedByTheirPowersOfTen) {
  live::TrainingView view(1);
  ASSERT_TRUE(view.apply(message_of(tests::modules_message(1, 1, 4))).ok());
  for (std::uint32_t i = 1; i < 4; ++i) {
    ASSERT_TRUE(view.apply(message_of(tests::numbers_message(1, 1, 7, i, std::pow(10.0, -2.0 * i),
                                                             live::wire::TrainingSubject::Gradients)))
                    .ok());
  }
  const auto rows = module_rows(view, {StatisticOf::Gradients, Measure::Norm});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].shade, -1);
  EXPECT_EQ(rows[0].name, "(model)");
  EXPECT_EQ(rows[1].depth, 1);
  EXPECT_NEAR(rows[1].shade, 1, 1e-6);
  EXPECT_NEAR(rows[2].shade, 0.5, 1e-5);
  EXPECT_NEAR(rows[3].shade, 0, 1e-6);
}

TEST(TrainingModuleRows, TellEachStatisticOfEachSubject) {
  using live::wire::TrainingSubject;
  live::TrainingView view(1);
  ASSERT_TRUE(view.apply(message_of(tests::modules_message(1, 1, 2))).ok());
  flatbuffers::FlatBufferBuilder builder;
  std::vector<live::wire::Moments> moments;
  double scale = 1;
  for (const TrainingSubject subject :
       {TrainingSubject::Gradients, TrainingSubject::Updates, TrainingSubject::Parameters, TrainingSubject::Activations,
        TrainingSubject::OutputGradients}) {
    // Four numbers: 1, 2, 3, 0 times the scale, and a NaN.
    moments.emplace_back(5, 1, 0, 1, 1.5 * scale, 1.118 * scale, 0, 3 * scale, 3 * scale, std::sqrt(14.0) * scale, 1U,
                         static_cast<std::uint32_t>(subject));
    scale *= 10;
  }
  const std::vector<live::wire::ModuleTimes> times = {live::wire::ModuleTimes(2'000'000, 3'000'000, 4096, 1, 1)};
  const auto all_times = builder.CreateVectorOfStructs(times);
  const auto all_moments = builder.CreateVectorOfStructs(moments);
  ASSERT_TRUE(view.apply(message_of(live::finish_message(
                             builder, live::wire::CreateTrainingNumbers(builder, 1, 1, 7, all_times, all_moments))))
                  .ok());
  const auto value = [&](StatisticOf of, Measure measure) { return module_rows(view, {of, measure})[1].value; };
  const auto text = [&](StatisticOf of, Measure measure) { return module_rows(view, {of, measure})[1].text; };
  scale = 1;
  for (const StatisticOf of : {StatisticOf::Gradients, StatisticOf::Updates, StatisticOf::Weights,
                               StatisticOf::Activations, StatisticOf::OutputGradients}) {
    EXPECT_NEAR(value(of, Measure::Norm), std::sqrt(14.0) * scale, 1e-9 * scale);
    EXPECT_NEAR(value(of, Measure::Mean), 1.5 * scale, 1e-9 * scale);
    EXPECT_NEAR(value(of, Measure::Std), std::sqrt(1.25) * scale, 1e-9 * scale);
    EXPECT_EQ(value(of, Measure::Min), 0);
    EXPECT_EQ(value(of, Measure::Max), 3 * scale);
    EXPECT_EQ(value(of, Measure::Zeros), 0.2);
    EXPECT_EQ(value(of, Measure::NotFinite), 1);
    scale *= 10;
  }
  EXPECT_NEAR(value(StatisticOf::Updates, Measure::Ratio), 0.1, 1e-9);
  EXPECT_EQ(value(StatisticOf::Module, Measure::NotFinite), 4) << "of updates they are those of the weights";
  EXPECT_EQ(text(StatisticOf::Module, Measure::ForwardTime), "2 ms");
  EXPECT_EQ(text(StatisticOf::Module, Measure::BackwardTime), "3 ms");
  EXPECT_EQ(text(StatisticOf::Module, Measure::OutputBytes), "4.1 KB");
  EXPECT_EQ(module_rows(view, {StatisticOf::Gradients, Measure::Max})[0].text, "") << "nothing is known of it";
}

TEST(TrainingStatistics, AreTurnedThroughAllOfThem) {
  std::set<std::string> names;
  ModuleStatistic statistic;
  EXPECT_EQ(statistic_name(statistic), "Gradient norm");
  for (int subject = 0; subject < 6; ++subject, statistic = turned_subject(statistic, 1)) {
    for (std::size_t i = 0; i < measures_of(statistic.of).size(); ++i, statistic = turned_measure(statistic, 1))
      names.insert(statistic_name(statistic));
  }
  EXPECT_EQ(names.size(), 4U * 7 + 8 + 4);
  for (const char* name : {"Gradient mean", "Gradient zeros", "Update norm", "Update over weight", "Activation min",
                           "Activation max", "Output gradient std", "Output memory", "Weights: NaN and Inf"})
    EXPECT_EQ(names.count(name), 1U) << name;
  const ModuleStatistic ratio{StatisticOf::Updates, Measure::Ratio};
  EXPECT_EQ(turned_subject(ratio, 1), (ModuleStatistic{StatisticOf::Weights, Measure::Norm}));
  EXPECT_EQ(turned_measure(statistic, -1).measure, Measure::NotFinite);
}

TEST(TrainingChartUpdate, EachGroupOfParametersHasACurveOfItsRate) {
  live::TrainingView view(1);
  ASSERT_TRUE(view.apply(message_of(tests::training_message(1, live::wire::TrainingState::Running, 3))).ok());
  ASSERT_TRUE(view.apply(message_of(tests::steps_message(1, 0, 2))).ok());
  // A group that was added after two steps.
  ASSERT_TRUE(view.apply(message_of(tests::steps_message(1, 2, 3, false, 0, {0.5, 0.25, 0.125}))).ok());
  TrainingChart chart;
  ChartChoice choice;
  choice.quantity = ChartChoice::Quantity::LearningRate;
  const std::vector<const live::TrainingView*> all = {&view};
  chart.update(all, choice, 300);
  ASSERT_EQ(chart.lines().size(), 2U);
  EXPECT_EQ(chart.lines()[0].name, "mlp on spirals group 0");
  EXPECT_EQ(chart.lines()[1].name, "mlp on spirals group 1");
  EXPECT_NE(chart.description().find("group 1: 3 points, newest 0.125"), std::string::npos) << chart.description();
}

TEST(TrainingWords, SayWhereANanWasMadeAndWhatAPartOfAStepIs) {
  live::TrainingView view(1);
  ASSERT_TRUE(view.apply(message_of(tests::modules_message(1, 1, 2))).ok());
  flatbuffers::FlatBufferBuilder builder;
  const auto path = builder.CreateString("layers.0");
  const auto op = builder.CreateString("SqrtBackward0");
  const auto what = builder.CreateString("Inf");
  const auto file = builder.CreateString("net.py");
  const auto text = builder.CreateString("");
  ASSERT_TRUE(
      view.apply(message_of(live::finish_message(
                     builder, live::wire::CreateTrainingAlert(builder, 1, 11, 1, path, op, what,
                                                              live::wire::SpanKind::Backward, text, file, 6, true))))
          .ok());
  EXPECT_EQ(alert_text(*view.alert()),
            "Inf in the gradient of layers.0 (SqrtBackward0) at net.py:6, step 12: the run is paused");
  const live::wire::Span forward(30'000, 240'000, 1, live::wire::SpanKind::ModuleForward, 1);
  EXPECT_EQ(span_text(forward, view.modules()), "layers.0 forward, 0.21 ms from 0.03 ms on");
  const live::wire::Span phase(0, 1'000'000, UINT32_MAX, live::wire::SpanKind::Optimizer, 0);
  EXPECT_EQ(span_text(phase, nullptr), "Optimizer, 1 ms from 0 ms on");
}

TEST(TrainingPhases, AreMeansOfTheLastSteps) {
  live::TrainingView view(1);
  EXPECT_TRUE(phase_shares(view.steps(), 50).empty());
  ASSERT_TRUE(view.apply(message_of(tests::steps_message(1, 0, 10))).ok());
  const auto shares = phase_shares(view.steps(), 50);
  ASSERT_EQ(shares.size(), 6U);
  EXPECT_NEAR(shares[0].ms, 2, 1e-6);
  EXPECT_NEAR(shares[0].share, 1.0 / 6, 1e-6);
}

}  // namespace
}  // namespace nns::model
