// Predicted steps of given times: what can be worked out by hand.
#include "core/parallel/step_simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace nns::tests {
namespace {

using parallel::all_gather_seconds;
using parallel::all_reduce_seconds;
using parallel::MeasuredStep;
using parallel::Network;
using parallel::NetworkAlgorithm;
using parallel::SimulationOptions;
using parallel::StepPrediction;
using parallel::Strategy;

// One byte takes a second, a message nothing, and all ranks are as far from each other.
Network slow_network(NetworkAlgorithm algorithm = NetworkAlgorithm::Ring) {
  return {.latency = 0,
          .bandwidth = 1,
          .intra_latency = 0,
          .intra_bandwidth = 1,
          .ranks_per_node = 1,
          .algorithm = algorithm};
}

// Forward 6 s, backward 12 s, the rest 1 s; two units of 4 s and 8 s, and what is around them without time.
MeasuredStep two_layers() {
  MeasuredStep step;
  step.forward = 6;
  step.backward = 12;
  step.other = 1;
  step.units = {{"(the rest)", 0, 0, 0}, {"0", 2, 4, 10}, {"1", 4, 8, 20}};
  step.gradients = {{"1.weight", 20, 8}, {"0.weight", 10, 12}};
  return step;
}

TEST(NetworkModel, ARingMovesTwiceAllBytesButThoseOfOneRank) {
  Network network = slow_network();
  EXPECT_DOUBLE_EQ(all_reduce_seconds(network, 8, 1), 0);
  EXPECT_DOUBLE_EQ(all_reduce_seconds(network, 8, 4), 2 * 3 * (8.0 / 4));
  network.latency = 0.5;
  EXPECT_DOUBLE_EQ(all_reduce_seconds(network, 8, 4), 2 * 3 * (8.0 / 4 + 0.5));
  EXPECT_DOUBLE_EQ(all_gather_seconds(network, 8, 4), 3 * (8.0 / 4 + 0.5));
}

TEST(NetworkModel, ATreeTakesAsManyStepsAsTheLogarithmOfTheRanks) {
  Network network = slow_network(NetworkAlgorithm::Tree);
  network.latency = 1;
  EXPECT_DOUBLE_EQ(all_reduce_seconds(network, 8, 8), 2 * (3 + 7.0));
  EXPECT_DOUBLE_EQ(all_reduce_seconds(network, 0, 1000), 2 * 10);
}

TEST(NetworkModel, NodesWithFastLinksCostTheNetworkOnlyWhatGoesBetweenThem) {
  Network network = slow_network(NetworkAlgorithm::Hierarchical);
  network.ranks_per_node = 4;
  network.intra_bandwidth = 1e12;
  // Eight ranks in two nodes: each node gives half of the bytes to the other, twice.
  EXPECT_NEAR(all_reduce_seconds(network, 8, 8), 2 * 4.0, 1e-9);
  // Within one node the network does nothing.
  EXPECT_NEAR(all_reduce_seconds(network, 8, 4), 0, 1e-9);
}

TEST(NetworkModel, AutoIsTheFastestAndGrowsWithRanksAndBytes) {
  Network network;
  double before = 0;
  for (const std::int64_t ranks : {2, 8, 64, 512, 4096, 100000}) {
    double fastest = 1e300;
    for (const auto one : {NetworkAlgorithm::Ring, NetworkAlgorithm::Tree, NetworkAlgorithm::Hierarchical}) {
      network.algorithm = one;
      fastest = std::min(fastest, all_reduce_seconds(network, 1e8, ranks));
    }
    network.algorithm = NetworkAlgorithm::Auto;
    const double found = all_reduce_seconds(network, 1e8, ranks);
    EXPECT_NEAR(found, fastest, 1e-12);
    EXPECT_GT(found, before);
    EXPECT_GT(all_reduce_seconds(network, 2e8, ranks), found);
    before = found;
  }
}

TEST(NetworkModel, NamesOfAlgorithmsLeadToThem) {
  for (const auto one :
       {NetworkAlgorithm::Auto, NetworkAlgorithm::Ring, NetworkAlgorithm::Tree, NetworkAlgorithm::Hierarchical}) {
    EXPECT_EQ(parallel::network_algorithm(name_of(one)), one);
  }
  EXPECT_EQ(parallel::network_algorithm("star"), std::nullopt);
}

TEST(StepSimulation, OneRankTakesWhatWasMeasured) {
  const StepPrediction made = simulate_step(two_layers(), {}, 1);
  EXPECT_DOUBLE_EQ(made.step, 19);
  EXPECT_TRUE(made.transfers.empty());
  SimulationOptions faster;
  faster.speedup = 2;
  EXPECT_DOUBLE_EQ(simulate_step(two_layers(), faster, 1).step, 9.5);
}

// Two ranks move as many seconds as a bucket has bytes: 20 from 6 + 8 on, 10 behind them; backward ends at 18.
TEST(StepSimulation, BucketsFollowEachOtherWhileBackwardGoesOn) {
  SimulationOptions options;
  options.network = slow_network();
  options.first_bucket = options.bucket = 1;
  const StepPrediction made = simulate_step(two_layers(), options, 2);
  ASSERT_EQ(made.transfers.size(), 2U);
  EXPECT_EQ(made.transfers[0].what, "all_reduce 1.weight");
  EXPECT_DOUBLE_EQ(made.transfers[0].ready, 14);
  EXPECT_DOUBLE_EQ(made.transfers[0].end, 34);
  EXPECT_DOUBLE_EQ(made.transfers[1].ready, 18);
  EXPECT_DOUBLE_EQ(made.transfers[1].begin, 34);
  EXPECT_DOUBLE_EQ(made.communication, 30);
  EXPECT_DOUBLE_EQ(made.exposed, 44 - 18);
  EXPECT_DOUBLE_EQ(made.step, 44 + 1);
  EXPECT_DOUBLE_EQ(made.compute, 19);
}

TEST(StepSimulation, OneBucketWaitsForTheLastGradient) {
  SimulationOptions options;
  options.network = slow_network();
  const StepPrediction made = simulate_step(two_layers(), options, 2);
  ASSERT_EQ(made.transfers.size(), 1U);
  EXPECT_EQ(made.transfers[0].what, "all_reduce 1.weight, 0.weight");
  EXPECT_DOUBLE_EQ(made.transfers[0].begin, 18);
  EXPECT_DOUBLE_EQ(made.step, 18 + 30 + 1);
}

TEST(StepSimulation, CommunicationThatFitsIntoBackwardCostsNothing) {
  SimulationOptions options;
  options.network = slow_network();
  options.network.bandwidth = options.network.intra_bandwidth = 10;
  options.first_bucket = options.bucket = 1;
  // 2 s from 14 on, then 1 s behind the end of backward.
  const StepPrediction made = simulate_step(two_layers(), options, 2);
  EXPECT_DOUBLE_EQ(made.exposed, 1);
  EXPECT_NEAR(made.hidden_share(), 2.0 / 3, 1e-12);
  EXPECT_NEAR(made.efficiency(19), 19.0 / 20, 1e-12);
}

// Half of the bytes in each direction: gathers of 5 and 10 s, reductions of the same.
TEST(StepSimulation, UnitsAreGatheredAheadAndReducedBehind) {
  SimulationOptions options;
  options.strategy = Strategy::FullyShard;
  options.network = slow_network();
  const StepPrediction made = simulate_step(two_layers(), options, 2);
  std::vector<std::string> order;
  for (const StepPrediction::Transfer& one : made.transfers) order.push_back(one.what);
  EXPECT_THAT(order, testing::ElementsAre("all_gather 0", "all_gather 1", "all_gather 1", "all_gather 0",
                                          "reduce_scatter 1", "reduce_scatter 0"));
  // Forward: 0 is there at 5, 1 at 15; 0 ran from 5 to 7, 1 runs from 15 to 19. Backward: 1 is there at 29 and runs to
  // 37; 0 came meanwhile (34) and runs to 41; 1's gradients are under way from 37 to 47, 0's to 52.
  EXPECT_DOUBLE_EQ(made.transfers[1].end, 15);
  EXPECT_DOUBLE_EQ(made.transfers[2].end, 29);
  EXPECT_DOUBLE_EQ(made.transfers[3].end, 34);
  EXPECT_DOUBLE_EQ(made.transfers[4].begin, 37);
  EXPECT_DOUBLE_EQ(made.transfers[5].end, 52);
  EXPECT_DOUBLE_EQ(made.step, 53);
  EXPECT_DOUBLE_EQ(made.compute, 19);
  EXPECT_DOUBLE_EQ(made.step, made.compute + made.exposed);
}

TEST(StepSimulation, UnitsThatStayGatheredAreNotGatheredAgain) {
  SimulationOptions options;
  options.strategy = Strategy::FullyShard;
  options.network = slow_network();
  options.reshards_after_forward = false;
  const StepPrediction made = simulate_step(two_layers(), options, 2);
  EXPECT_EQ(made.transfers.size(), 4U);
  EXPECT_LT(made.step, 53);
}

TEST(StepSimulation, EverybodyWaitsForTheSlowest) {
  SimulationOptions options;
  options.jitter = 0.1;
  options.network.bandwidth = options.network.intra_bandwidth = 1e12;
  options.network.latency = options.network.intra_latency = 0;
  // The largest of 1,000 normal numbers lies 3.24 deviations above their mean.
  EXPECT_NEAR(simulate_step(two_layers(), options, 1000).step / 19, 1.324, 0.002);
  EXPECT_DOUBLE_EQ(simulate_step(two_layers(), options, 1).step, 19);
}

}  // namespace
}  // namespace nns::tests
