// Every collective between threads that stand for ranks, over TCP on this machine, against plain loops.
#include "native/collectives/mesh_group.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/tensor/dtype.h"

namespace nns::tests {
namespace {

using collectives::MeshGroup;
using collectives::NetworkThread;
using collectives::TcpMesh;
using parallel::Collective;
using parallel::CollectiveKind;
using Numbers = std::vector<std::int64_t>;

// A store that threads may share.
class SharedStore final : public parallel::Store {
 public:
  base::Result<void> set(const std::string& key, const std::string& value) override {
    const std::lock_guard lock(mutex_);
    return keys_->set(key, value);
  }
  base::Result<std::string> get(const std::string& key, Timeout timeout) override {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        base::Result<std::string> got = keys_->get(key, Timeout(0));
        if (got.ok() || std::chrono::steady_clock::now() > deadline) return got;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  base::Result<std::int64_t> add(const std::string& key, std::int64_t amount) override {
    const std::lock_guard lock(mutex_);
    return keys_->add(key, amount);
  }
  base::Result<std::string> compare_set(const std::string& key, const std::string& a, const std::string& b) override {
    const std::lock_guard lock(mutex_);
    return keys_->compare_set(key, a, b);
  }
  base::Result<bool> check(const std::vector<std::string>& keys) override {
    const std::lock_guard lock(mutex_);
    return keys_->check(keys);
  }
  base::Result<bool> remove(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    return keys_->remove(key);
  }
  base::Result<std::int64_t> key_count() override {
    const std::lock_guard lock(mutex_);
    return keys_->key_count();
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<parallel::Store> keys_ = parallel::make_hash_store();
};

// Runs `use` once a rank, each on a thread of its own with its group.
void run_ranks(int size, const std::function<void(MeshGroup&)>& use,
               std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
  SharedStore store;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      const auto network = std::make_shared<NetworkThread>();
      base::Result<std::shared_ptr<TcpMesh>> mesh =
          TcpMesh::join(network, store, {rank, size, "test", "127.0.0.1", timeout});
      ASSERT_TRUE(mesh.ok()) << mesh.error().message();
      std::vector<int> ranks(static_cast<std::size_t>(size));
      std::iota(ranks.begin(), ranks.end(), 0);
      MeshGroup group(*mesh, "test", ranks);
      use(group);
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

void expect_done(MeshGroup& group, Collective collective) {
  const base::Result<void> done = group.start(std::move(collective))->wait();
  EXPECT_TRUE(done.ok()) << done.error().message();
}

class Ranks : public testing::TestWithParam<int> {};

TEST_P(Ranks, AllReduceSumsForAllWhetherSmallOrAroundTheRing) {
  const int size = GetParam();
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{20'011}}) {
    run_ranks(size, [&](MeshGroup& group) {
      Numbers items(count), wanted(count, 0);
      for (std::size_t i = 0; i < count; ++i) {
        items[i] = static_cast<std::int64_t>(i) * (group.rank() + 1);
        for (int rank = 0; rank < size; ++rank) wanted[i] += static_cast<std::int64_t>(i) * (rank + 1);
      }
      Collective sum = of(CollectiveKind::AllReduce);
      sum.outputs = {bytes(items)};
      expect_done(group, sum);
      EXPECT_EQ(items, wanted);
    });
  }
}

TEST_P(Ranks, BroadcastAndReduceGoFromAndToEachRoot) {
  const int size = GetParam();
  run_ranks(size, [&](MeshGroup& group) {
    for (int root = 0; root < size; ++root) {
      Numbers items{group.rank() * 10 + root, 5};
      Collective broadcast = of(CollectiveKind::Broadcast);
      broadcast.root = root;
      broadcast.outputs = {bytes(items)};
      expect_done(group, broadcast);
      EXPECT_EQ(items, (Numbers{root * 11, 5}));
      Numbers sum{group.rank()};
      Collective reduce = of(CollectiveKind::Reduce);
      reduce.root = root;
      reduce.outputs = {bytes(sum)};
      expect_done(group, reduce);
      EXPECT_EQ(sum, (Numbers{group.rank() == root ? size * (size - 1) / 2 : group.rank()}));
    }
  });
}

TEST_P(Ranks, GatherScatterAndExchangePutEachShareInItsPlace) {
  const int size = GetParam();
  const auto count = static_cast<std::size_t>(size);
  run_ranks(size, [&](MeshGroup& group) {
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
    scatter.outputs = {bytes(got)};
    expect_done(group, scatter);
    EXPECT_EQ(got, own);

    Collective reduce = of(CollectiveKind::ReduceScatter);
    for (Numbers& share : shares) reduce.inputs.emplace_back(bytes(share));
    reduce.outputs = {bytes(got)};
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

INSTANTIATE_TEST_SUITE_P(Sizes, Ranks, testing::Values(2, 3, 5));

TEST(MeshGroupSend, MessagesOfOneTagArriveInOrderAndOthersDoNotMix) {
  run_ranks(2, [&](MeshGroup& group) {
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

TEST(MeshGroupStart, WorkThatIsNotAwaitedRunsInOrderBesideTheCaller) {
  run_ranks(2, [&](MeshGroup& group) {
    std::vector<Numbers> all(50, Numbers(1000, 1));
    std::vector<parallel::WorkHandle> works;
    for (Numbers& one : all) {
      Collective sum = of(CollectiveKind::AllReduce);
      sum.outputs = {bytes(one)};
      works.push_back(group.start(sum));
    }
    for (const auto& work : works) EXPECT_TRUE(work->wait().ok());
    for (const Numbers& one : all) EXPECT_EQ(one, Numbers(1000, 2));
    EXPECT_EQ(group.sequence_number(), 50U);
  });
}

TEST(MeshGroupStart, AFailureReachesARankThatWaitsForSomebodyElse) {
  // Rank 2 waits for rank 1, which failed against rank 0.
  run_ranks(3, [&](MeshGroup& group) {
    Numbers items(group.rank() == 0 ? 2 : 1, 1);
    Collective sum = of(CollectiveKind::AllReduce);
    sum.outputs = {bytes(items)};
    const base::Result<void> done = group.start(sum)->wait();
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.error().message().find("all_reduce number 1 of process group test"), std::string::npos);
  });
}

}  // namespace
}  // namespace nns::tests
