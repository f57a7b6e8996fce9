#include "core/train/rank_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace nns::train {
namespace {

using ::testing::ElementsAre;
using Next = RankExchange::Next;

StepReport step_of(double loss, std::uint64_t samples, std::uint64_t ns) {
  StepReport report;
  report.step = 7;
  report.loss = loss;
  report.has_loss = true;
  report.samples = samples;
  report.phase_ns[0] = ns;
  return report;
}

FoundMoments moments_of(std::uint32_t module, std::initializer_list<double> values) {
  ops::Moments moments;
  for (const double value : values) {
    ++moments.count;
    moments.zeros += value == 0 ? 1 : 0;
    moments.sum += value;
    moments.square += value * value;
    moments.low = std::min(moments.low, value);
    moments.high = std::max(moments.high, value);
  }
  return {module, subject::kActivations, moments};
}

// Ranks of one process; what collectives would do is done here.
struct World {
  explicit World(int size) {
    for (int rank = 0; rank < size; ++rank) {
      ranks.push_back(std::make_unique<RankExchange>(rank, size, rank < 2 ? "here" : "there"));
    }
  }
  static void join(std::vector<double>& into, std::span<const double> more, bool is_sum) {
    if (into.empty())
      into.assign(more.begin(), more.end());
    else
      for (std::size_t i = 0; i < into.size(); ++i) into[i] = is_sum ? into[i] + more[i] : std::max(into[i], more[i]);
  }
  std::vector<double> maxima() {
    std::vector<double> all;
    for (const auto& one : ranks) join(all, one->maxima(), false);
    return all;
  }
  void join_sums() {
    std::vector<double> all;
    for (const auto& one : ranks) join(all, one->sums(), true);
    for (const auto& one : ranks) one->take_sums(all);
  }
  void join_moments() {
    std::vector<double> sums, highest;
    for (const auto& one : ranks) {
      const RankExchange::Packed packed = one->moments();
      join(sums, packed.sums, true);
      join(highest, packed.maxima, false);
    }
    for (const auto& one : ranks) one->take_moments(sums, highest);
  }
  std::vector<int> join_rows() {
    std::vector<std::vector<double>> rows;
    for (const auto& one : ranks) rows.push_back(one->row());
    return ranks[0]->take_rows(rows);
  }
  // Rank 0 wants activations of the first of two modules.
  void plan() {
    StepPlan wanted;
    wanted.modules = {subject::kActivations | subject::kAttention, 0};
    ranks[0]->plan_next(wanted, 2);
    const auto next = static_cast<Next>(maxima()[0]);
    EXPECT_EQ(next, Next::NewPlan);
    const std::string told = ranks[0]->plan();
    for (const auto& one : ranks) {
      EXPECT_TRUE(one->take_plan(told));
      EXPECT_TRUE(one->begin_next(next));
    }
  }
  std::vector<std::unique_ptr<RankExchange>> ranks;
};

TEST(RankExchange, TheLossIsThatOfAllItemsAndSamplesAddUp) {
  World world(3);
  world.ranks[0]->put(step_of(1, 10, 5));
  world.ranks[1]->put(step_of(2, 10, 5));
  world.ranks[2]->put(step_of(5, 20, 5));
  world.join_sums();
  const auto report = world.ranks[0]->take();
  ASSERT_TRUE(report);
  EXPECT_DOUBLE_EQ(report->loss, (10 + 20 + 100) / 40.0);
  EXPECT_EQ(report->samples, 40U);
  EXPECT_FALSE(world.ranks[0]->take());
}

TEST(RankExchange, AStepThatNobodyMetForIsGivenBackByTheNext) {
  RankExchange alone(0, 2, "here");
  EXPECT_FALSE(alone.put(step_of(1, 1, 1)));
  const auto before = alone.put(step_of(2, 1, 1));
  ASSERT_TRUE(before);
  EXPECT_EQ(before->loss, 1);
}

TEST(RankExchange, WhatRankZeroPlansToSeeOfModulesAllRanksSee) {
  World world(2);
  world.plan();
  StepPlan other;
  world.ranks[1]->add_to(other, 2);
  EXPECT_THAT(other.modules, ElementsAre(subject::kActivations, 0));
  // Of another model nothing can be said.
  StepPlan none;
  world.ranks[1]->add_to(none, 3);
  EXPECT_TRUE(none.modules.empty());
  // The same plan again is not sent again.
  StepPlan same;
  same.modules = {subject::kActivations, 0};
  world.ranks[0]->plan_next(same, 2);
  EXPECT_EQ(static_cast<Next>(world.maxima()[0]), Next::AsPlanned);
  world.ranks[0]->plan_next({}, 2);
  EXPECT_EQ(static_cast<Next>(world.maxima()[0]), Next::Plain);
  EXPECT_FALSE(world.ranks[1]->take_plan("\x7f"));
}

TEST(RankExchange, MomentsAreThoseOfWhatAllRanksSaw) {
  World world(3);
  world.plan();
  const auto put = [&](std::size_t rank, std::vector<FoundMoments> found) {
    StepReport report = step_of(1, 1, 1);
    report.moments = std::move(found);
    world.ranks[rank]->put(std::move(report));
  };
  put(0, {moments_of(0, {1, 2})});
  put(1, {moments_of(0, {-4, 0}), moments_of(1, {100})});
  put(2, {});
  world.join_moments();
  const auto report = world.ranks[0]->take();
  ASSERT_EQ(report->moments.size(), 1U);
  const ops::Moments& all = report->moments[0].moments;
  EXPECT_EQ(all.count, 4U);
  EXPECT_EQ(all.zeros, 1U);
  EXPECT_DOUBLE_EQ(all.mean(), -0.25);
  EXPECT_DOUBLE_EQ(all.low, -4);
  EXPECT_DOUBLE_EQ(all.high, 2);
  EXPECT_DOUBLE_EQ(all.norm(), std::sqrt(21.0));
  // Who saw nothing itself is told, too.
  const auto third = world.ranks[2]->take();
  ASSERT_EQ(third->moments.size(), 1U);
  EXPECT_EQ(third->moments[0].moments.count, 4U);
}

TEST(RankExchange, OfManyRanksTheSlowestAndTheFastestAreAmongTheLanes) {
  constexpr int kRanks = 40;
  World world(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    const std::uint64_t ns = rank == 23 ? 900 : rank == 31 ? 10 : 100;
    world.ranks[static_cast<std::size_t>(rank)]->put(step_of(rank, 1, ns));
  }
  const std::vector<int> chosen = world.join_rows();
  EXPECT_EQ(chosen.size(), RankExchange::kMostLanes);
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  EXPECT_THAT(chosen, ::testing::IsSupersetOf({0, 23, 31}));
  for (const int rank : chosen) {
    parallel::StepTimeline timeline;
    timeline.forward_ns = 1000;
    world.ranks[0]->take_lane(rank, std::move(timeline));
  }
  const auto told = world.ranks[0]->take_report();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->size, 40U);
  EXPECT_EQ(told->step, 7U);
  EXPECT_EQ(told->lanes.size(), RankExchange::kMostLanes);
  EXPECT_EQ(told->step_ns.most_rank, 23U);
  EXPECT_EQ(told->step_ns.least_rank, 31U);
  EXPECT_DOUBLE_EQ(told->loss.mean, 19.5);
  EXPECT_TRUE(std::isnan(told->waited_ns.mean)) << "no rank had a timeline";
}

TEST(RankExchange, ClocksOfOtherMachinesAreSetByTheMeeting) {
  World world(3);
  for (const auto& one : world.ranks) one->put(step_of(1, 1, 1));
  for (const auto& one : world.ranks) one->met();
  std::vector<std::vector<double>> rows;
  for (const auto& one : world.ranks) rows.push_back(one->row());
  // The third rank's machine was started a second before.
  for (double& number : rows[2]) {
    if (number > 1e9 && number < 1e18 && number == rows[2][3]) number += 1e9;
  }
  const double skew = rows[2][3] - rows[0][3];
  world.ranks[0]->take_rows(rows);
  for (int rank = 0; rank < 3; ++rank) {
    parallel::StepTimeline timeline;
    timeline.forward_ns = 5'000'000'000;
    timeline.buckets.emplace_back().launched_ns = 6'000'000'000;
    world.ranks[0]->take_lane(rank, std::move(timeline));
  }
  const auto told = world.ranks[0]->take_report();
  EXPECT_EQ(told->lanes.at(1).forward_ns, 5'000'000'000) << "one machine has one clock";
  EXPECT_NEAR(static_cast<double>(told->lanes.at(2).forward_ns), 5e9 - skew, 1e3);
  EXPECT_NEAR(static_cast<double>(told->lanes.at(2).buckets[0].launched_ns), 6e9 - skew, 1e3);
  EXPECT_EQ(told->lanes.at(2).buckets[0].done_ns, 0) << "what did not happen has no time";
}

TEST(RankExchange, NumbersThatAreNotFiniteAreToldOfTheFirstRankThatHasThem) {
  World world(4);
  for (const auto& one : world.ranks) one->put(step_of(1, 1, 1));
  EXPECT_FALSE(world.ranks[0]->bad_rank(world.maxima()[1]));
  for (const std::size_t rank : {2U, 3U}) {
    StepReport report = step_of(1, 1, 1);
    report.is_finite = false;
    report.not_finite.path = "layers." + std::to_string(rank);
    world.ranks[rank]->put(std::move(report));
  }
  EXPECT_EQ(world.ranks[0]->bad_rank(world.maxima()[1]), 2);
  world.ranks[0]->take_not_finite(2, *world.ranks[2]->not_finite());
  const auto report = world.ranks[0]->take();
  EXPECT_FALSE(report->is_finite);
  EXPECT_EQ(report->not_finite.rank, 2);
  EXPECT_EQ(report->not_finite.path, "layers.2");
}

}  // namespace
}  // namespace nns::train
