// Every collective between threads that stand for ranks: over TCP on this machine, through shared memory, and within
// the process; against plain loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "core/parallel/local_ranks.h"
#include "core/tensor/dtype.h"
#include "native/collectives/shared_group.h"
#include "tests/parallel/shared_store.h"

namespace nns::tests {
namespace {

using collectives::MeshGroup;
using collectives::NetworkThread;
using collectives::SharedGroup;
using collectives::TcpMesh;
using parallel::Collective;
using parallel::CollectiveKind;
using parallel::ProcessGroup;
using testing::HasSubstr;
using Numbers = std::vector<std::int64_t>;

enum class Way { Network, SharedMemory, OneProcess };

std::vector<int> numbers_to(int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

void run_in_one_process(int size, const std::function<void(ProcessGroup&)>& use, std::chrono::milliseconds timeout) {
  const auto place = std::make_shared<parallel::LocalRanks>();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      const auto connector = place->connector(rank, nullptr);
      parallel::Rendezvous where;
      where.scheme = "tcp";
      where.host = "localhost";
      where.rank = rank;
      where.size = size;
      where.timeout = timeout;
      const auto store = connector->open_store(where);
      ASSERT_TRUE(store.ok());
      const auto world = connector->join(*store, where);
      ASSERT_TRUE(world.ok()) << world.error().message();
      const auto group = (*world)->make_group("test", numbers_to(size));
      use(*group);
      place->leave(rank, "it left");
    });
  }
  for (std::thread& one : threads) one.join();
}

// Runs `use` once a rank, each on a thread of its own with its group.
void run_ranks(Way way, int size, const std::function<void(ProcessGroup&)>& use,
               std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
  if (way == Way::OneProcess) return run_in_one_process(size, use, timeout);
  SharedStore store;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      const auto network = std::make_shared<NetworkThread>();
      base::Result<std::shared_ptr<TcpMesh>> mesh =
          TcpMesh::join(network, store, {rank, size, "test", "127.0.0.1", timeout});
      ASSERT_TRUE(mesh.ok()) << mesh.error().message();
      const std::vector<int> ranks = numbers_to(size);
      std::optional<MeshGroup> over_network;
      std::optional<SharedGroup> in_memory;
      ProcessGroup* group = nullptr;
      if (way == Way::Network) {
        group = &over_network.emplace(*mesh, "test", ranks);
      } else {
        group = &in_memory.emplace(*mesh, "test", ranks);
      }
      use(*group);
      (*mesh)->close();
    });
  }
  for (std::thread& one : threads) one.join();
}

std::span<std::byte> bytes(Numbers& numbers) { return std::as_writable_bytes(std::span(numbers)); }

Collective of(CollectiveKind kind) {
  Collective collective;
  collective.kind = kind;
  collective.dtype = tensor::DType::Int64;
  collective.timeout = std::chrono::seconds(60);
  return collective;
}

void expect_done(ProcessGroup& group, Collective collective) {
  const base::Result<void> done = group.start(std::move(collective))->wait();
  EXPECT_TRUE(done.ok()) << done.error().message();
}

class Ranks : public testing::TestWithParam<std::tuple<Way, int>> {};
class Ways : public testing::TestWithParam<Way> {};

TEST_P(Ranks, AllReduceSumsForAllWhetherSmallOrAroundTheRing) {
  const auto [way, size] = GetParam();
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{20'011}, std::size_t{700'001}}) {
    run_ranks(way, size, [&, size = size](ProcessGroup& group) {
      Numbers items(count), wanted(count, 0);
      for (std::size_t i = 0; i < count; ++i) {
        items[i] = static_cast<std::int64_t>(i) * (group.rank() + 1);
        for (int rank = 0; rank < size; ++rank) wanted[i] += static_cast<std::int64_t>(i) * (rank + 1);
      }
      Collective sum = of(CollectiveKind::AllReduce);
      sum.outputs.push_back(bytes(items));
      expect_done(group, sum);
      EXPECT_EQ(items, wanted);
    });
  }
}

TEST_P(Ranks, BroadcastAndReduceGoFromAndToEachRoot) {
  const auto [way, size] = GetParam();
  run_ranks(way, size, [&, size = size](ProcessGroup& group) {
    for (int root = 0; root < size; ++root) {
      Numbers items{group.rank() * 10 + root, 5};
      Collective broadcast = of(CollectiveKind::Broadcast);
      broadcast.root = root;
      broadcast.outputs.push_back(bytes(items));
      expect_done(group, broadcast);
      EXPECT_EQ(items, (Numbers{root * 11, 5}));
      Numbers sum{group.rank()};
      Collective reduce = of(CollectiveKind::Reduce);
      reduce.root = root;
      reduce.outputs.push_back(bytes(sum));
      expect_done(group, reduce);
      EXPECT_EQ(sum, (Numbers{group.rank() == root ? size * (size - 1) / 2 : group.rank()}));
    }
  });
}

TEST_P(Ranks, GatherScatterAndExchangePutEachShareInItsPlace) {
  const auto [way, size] = GetParam();
  const auto count = static_cast<std::size_t>(size);
  run_ranks(way, size, [&, size = size](ProcessGroup& group) {
    const int me = group.rank();
    Numbers own{me, me * 100};
    std::vector<Numbers> shares(count, Numbers(2, -1));
    Collective all = of(CollectiveKind::AllGather);
    all.inputs = {bytes(own)};
    for (Numbers& share : shares) all.outputs.push_back(bytes(share));
    expect_done(group, all);
    for (int rank = 0; rank < size; ++rank)
      EXPECT_EQ(shares[static_cast<std::size_t>(rank)], (Numbers{rank, rank * 100}));

    const int root = size - 1;
    std::vector<Numbers> gathered(count, Numbers(2, -1));
    Collective gather = of(CollectiveKind::Gather);
    gather.root = root;
    gather.inputs = {bytes(own)};
    for (Numbers& share : gathered) {
      if (me == root) gather.outputs.push_back(bytes(share));
    }
    expect_done(group, gather);
    if (me == root) {
      EXPECT_EQ(gathered, shares);
    }

    Numbers got(2, -1);
    Collective scatter = of(CollectiveKind::Scatter);
    scatter.root = root;
    for (Numbers& share : shares) {
      if (me == root) scatter.inputs.emplace_back(bytes(share));
    }
    scatter.outputs.push_back(bytes(got));
    expect_done(group, scatter);
    EXPECT_EQ(got, own);

    Collective reduce = of(CollectiveKind::ReduceScatter);
    for (Numbers& share : shares) reduce.inputs.emplace_back(bytes(share));
    reduce.outputs.push_back(bytes(got));
    expect_done(group, reduce);
    EXPECT_EQ(got, (Numbers{me * size, me * 100 * size}));

    // Rank i gives rank j i + 1 times its number: shares of unequal sizes.
    std::vector<Numbers> given(count, Numbers(static_cast<std::size_t>(me) + 1, me)), taken;
    for (int rank = 0; rank < size; ++rank) taken.emplace_back(static_cast<std::size_t>(rank) + 1, -1);
    Collective exchange = of(CollectiveKind::AllToAll);
    for (Numbers& share : given) exchange.inputs.emplace_back(bytes(share));
    for (Numbers& share : taken) exchange.outputs.push_back(bytes(share));
    expect_done(group, exchange);
    for (int rank = 0; rank < size; ++rank) {
      EXPECT_EQ(taken[static_cast<std::size_t>(rank)], Numbers(static_cast<std::size_t>(rank) + 1, rank));
    }
    expect_done(group, of(CollectiveKind::Barrier));
  });
}

std::string way_name(Way way) {
  return way == Way::Network ? "Network" : way == Way::SharedMemory ? "SharedMemory" : "OneProcess";
}
INSTANTIATE_TEST_SUITE_P(Sizes, Ranks,
                         testing::Combine(testing::Values(Way::Network, Way::SharedMemory, Way::OneProcess),
                                          testing::Values(2, 3, 5)),
                         [](const testing::TestParamInfo<std::tuple<Way, int>>& one) {
                           return way_name(std::get<0>(one.param)) + std::to_string(std::get<1>(one.param));
                         });
INSTANTIATE_TEST_SUITE_P(Groups, Ways, testing::Values(Way::Network, Way::SharedMemory, Way::OneProcess),
                         [](const testing::TestParamInfo<Way>& one) { return way_name(one.param); });

TEST_P(Ways, MessagesOfOneTagArriveInOrderAndOthersDoNotMix) {
  run_ranks(GetParam(), 2, [&](ProcessGroup& group) {
    Numbers a{1}, b{2}, c{3};
    parallel::PointToPoint plain, tagged;
    plain.peer = tagged.peer = 1 - group.rank();
    tagged.tag = 9;
    if (group.rank() == 0) {
      for (const parallel::WorkHandle& work :
           {group.send(bytes(a), plain), group.send(bytes(b), plain), group.send(bytes(c), tagged)}) {
        EXPECT_TRUE(work->wait().ok());
      }
      return;
    }
    Numbers first(1), second(1), third(1);
    EXPECT_TRUE(group.receive(bytes(third), tagged)->wait().ok());
    EXPECT_TRUE(group.receive(bytes(first), plain)->wait().ok());
    parallel::PointToPoint any;
    any.peer = -1;
    const parallel::WorkHandle last = group.receive(bytes(second), any);
    EXPECT_TRUE(last->wait().ok());
    EXPECT_EQ(last->source_rank(), 0);
    EXPECT_EQ((Numbers{first[0], second[0], third[0]}), (Numbers{1, 2, 3}));
  });
}

TEST_P(Ways, WorkThatIsNotAwaitedRunsInOrderBesideTheCaller) {
  run_ranks(GetParam(), 2, [&](ProcessGroup& group) {
    std::vector<Numbers> all(50, Numbers(1000, 1));
    std::vector<parallel::WorkHandle> works;
    for (Numbers& one : all) {
      Collective sum = of(CollectiveKind::AllReduce);
      sum.outputs.push_back(bytes(one));
      works.push_back(group.start(sum));
    }
    for (const auto& work : works) EXPECT_TRUE(work->wait().ok());
    for (const Numbers& one : all) EXPECT_EQ(one, Numbers(1000, 2));
    EXPECT_EQ(group.sequence_number(), 50U);
  });
}

TEST_P(Ways, AFailureReachesARankThatWaitsForSomebodyElse) {
  // Rank 2 waits for rank 1, which failed against rank 0.
  run_ranks(GetParam(), 3, [&](ProcessGroup& group) {
    Numbers items(group.rank() == 0 ? 2 : 1, 1);
    Collective sum = of(CollectiveKind::AllReduce);
    sum.outputs.push_back(bytes(items));
    const base::Result<void> done = group.start(sum)->wait();
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.error().message().find("all_reduce number 1 of process group test"), std::string::npos);
  });
}

TEST_P(Ways, LargeSharesArriveWhole) {
  // More than fits into the channels, also where nobody waits at once.
  constexpr std::size_t kCount = 1'500'000;
  run_ranks(GetParam(), 2, [&](ProcessGroup& group) {
    const int me = group.rank();
    Numbers own(kCount, me + 1), first(kCount), second(kCount), sum(kCount, me + 5);
    Collective all = of(CollectiveKind::AllGather), add = of(CollectiveKind::AllReduce);
    all.inputs = {bytes(own)};
    for (Numbers* const share : {&first, &second}) all.outputs.push_back(bytes(*share));
    add.outputs.push_back(bytes(sum));
    const parallel::WorkHandle gathering = group.start(all), adding = group.start(add);
    EXPECT_TRUE(adding->wait().ok());
    EXPECT_TRUE(gathering->wait().ok());
    EXPECT_EQ(first, Numbers(kCount, 1));
    EXPECT_EQ(second, Numbers(kCount, 2));
    EXPECT_EQ(sum, Numbers(kCount, 11));
  });
}

TEST_P(Ways, WhatIsStartedOnTheSameItemsHappensInOrder) {
  run_ranks(GetParam(), 3, [&](ProcessGroup& group) {
    for (const std::size_t count : {std::size_t{3}, std::size_t{200'000}}) {
      Numbers items(count, group.rank() + 1);
      Collective sum = of(CollectiveKind::AllReduce);
      sum.outputs.push_back(bytes(items));
      const parallel::WorkHandle once = group.start(sum), twice = group.start(sum);
      EXPECT_TRUE(twice->wait().ok());
      EXPECT_TRUE(once->is_completed());
      EXPECT_EQ(items, Numbers(count, 18));
    }
  });
}

TEST_P(Ways, ARankThatComputesDoesNotHoldUpWhatItStarted) {
  // Rank 1 starts 60 sums that fit no channel together, and comes to wait for them only when rank 0 has them.
  std::atomic<bool> is_finished = false;
  run_ranks(GetParam(), 2, [&](ProcessGroup& group) {
    std::vector<Numbers> all(60, Numbers(30'000, 1));
    std::vector<parallel::WorkHandle> works;
    for (Numbers& one : all) {
      Collective sum = of(CollectiveKind::AllReduce);
      sum.outputs.push_back(bytes(one));
      works.push_back(group.start(sum));
    }
    while (group.rank() == 1 && !is_finished) std::this_thread::yield();
    for (const auto& work : works) EXPECT_TRUE(work->wait().ok());
    is_finished = true;
    for (const Numbers& one : all) EXPECT_EQ(one, Numbers(30'000, 2));
  });
}

TEST_P(Ways, BothRanksGetTheSameBitsWhateverTheirOrder) {
  // A NaN has bits of its own, and min(0, -0) depends on the order.
  std::array<std::vector<std::uint32_t>, 2> got;
  run_ranks(GetParam(), 2, [&](ProcessGroup& group) {
    const bool is_first = group.rank() == 0;
    std::vector<std::uint32_t> items = {is_first ? 0x7FC00001U : 0x7FC00002U, is_first ? 0U : 0x80000000U};
    for (const auto op : {parallel::ReduceOp::Sum, parallel::ReduceOp::Min}) {
      std::vector<std::uint32_t> mine = items;
      Collective collective = of(CollectiveKind::AllReduce);
      collective.op = op;
      collective.dtype = tensor::DType::Float32;
      collective.outputs.push_back(std::as_writable_bytes(std::span(mine)));
      expect_done(group, collective);
      auto& all = got[static_cast<std::size_t>(group.rank())];
      all.insert(all.end(), mine.begin(), mine.end());
    }
  });
  EXPECT_EQ(got[0], got[1]);
}

TEST_P(Ways, ADisagreementNamesTheRankTheCollectiveAndWhatEachRuns) {
  run_ranks(GetParam(), 2, [&](ProcessGroup& group) {
    Numbers items(group.rank() == 0 ? 4 : 5, 1);
    Collective sum = of(CollectiveKind::AllReduce);
    sum.outputs.push_back(bytes(items));
    sum.subject = "fc.weight";
    const base::Result<void> done = group.start(sum)->wait();
    ASSERT_FALSE(done.ok());
    EXPECT_THAT(done.error().message(),
                HasSubstr("all_reduce number 1 of process group test (fc.weight) failed on rank"));
    EXPECT_THAT(done.error().message(), HasSubstr(group.rank() == 0 ? "rank 1 runs all_reduce of 5 torch.int64 (SUM)"
                                                                    : "rank 0 runs all_reduce of 4 torch.int64 (SUM)"));
  });
}

TEST_P(Ways, ARankThatStaysAwayIsNamedWhenTheTimeIsOver) {
  std::atomic<bool> is_over = false;
  run_ranks(GetParam(), 2, [&](ProcessGroup& group) {
    Numbers items(4, 1);
    Collective sum = of(CollectiveKind::AllReduce);
    sum.outputs.push_back(bytes(items));
    sum.timeout = std::chrono::milliseconds(300);
    while (group.rank() == 1 && !is_over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (group.rank() == 1) return;
    const base::Result<void> done = group.start(sum)->wait();
    is_over = true;
    ASSERT_FALSE(done.ok());
    EXPECT_THAT(done.error().message(), HasSubstr("rank 1 sent nothing within 300 ms"));
  });
}

TEST_P(Ways, ARankThatLeavesIsNamedAndWhatItGaveBeforeStillCounts) {
  run_ranks(GetParam(), 2, [&](ProcessGroup& group) {
    Numbers items(4, 1);
    Collective give = of(CollectiveKind::Broadcast), sum = of(CollectiveKind::AllReduce);
    give.root = 1;
    give.outputs.push_back(bytes(items));
    if (group.rank() == 1) {
      items.assign(4, 7);
      return expect_done(group, give);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    expect_done(group, give);
    EXPECT_EQ(items, Numbers(4, 7));
    sum.outputs.push_back(bytes(items));
    const base::Result<void> done = group.start(sum)->wait();
    ASSERT_FALSE(done.ok());
    EXPECT_THAT(done.error().message(), HasSubstr("rank 1 is gone"));
  });
}

}  // namespace
}  // namespace nns::tests
