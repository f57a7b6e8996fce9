// All-reduces between two processes of this machine, beside copies of the same memory in the same run.
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "native/collectives/network_connector.h"
#include "tests/support/files.h"

namespace nns::bench {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}
double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

// One of two ranks that meet by a file.
struct Rank {
  std::shared_ptr<parallel::Connector> connector;
  std::shared_ptr<parallel::World> world;
  std::shared_ptr<parallel::ProcessGroup> group;
};
Rank join(const std::string& file, int rank, bool shares_memory) {
  collectives::NetworkPermissions permissions;
  permissions.writable_path = [](const std::string& path) { return path; };
  permissions.shares_memory = shares_memory;
  Rank made;
  made.connector = collectives::make_network_connector(std::move(permissions));
  parallel::Rendezvous where;
  where.scheme = "file";
  where.path = file;
  where.rank = rank;
  where.size = 2;
  const auto store = made.connector->open_store(where);
  if (!store.ok()) return made;
  auto world = made.connector->join(*store, where);
  if (!world.ok()) return made;
  made.world = *std::move(world);
  made.group = made.world->make_group("bench", {0, 1});
  return made;
}

bool all_reduce(parallel::ProcessGroup& group, std::vector<float>& items) {
  parallel::Collective collective;
  collective.kind = parallel::CollectiveKind::AllReduce;
  collective.dtype = tensor::DType::Float32;
  collective.outputs.push_back(std::as_writable_bytes(std::span(items)));
  return group.start(std::move(collective))->wait().ok();
}

// The other process: sums as often as this one, whose number of the last one becomes known before that begins.
void run_other(const std::string& file, bool shares_memory, std::size_t count, const std::atomic<std::int64_t>& last) {
  const Rank rank = join(file, 1, shares_memory);
  std::vector<float> items(count, 0);
  for (std::int64_t number = 1; rank.group && all_reduce(*rank.group, items); ++number) {
    if (last.load() == number) break;
  }
}

void run(benchmark::State& state, bool shares_memory) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const std::size_t count = bytes / sizeof(float);
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "store").string();
  void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const last = new (page) std::atomic<std::int64_t>(0);
  const pid_t other = ::fork();
  if (other == 0) {
    run_other(file, shares_memory, count, *last);
    std::_Exit(0);
  }
  std::vector<double> times;
  {
    const Rank rank = join(file, 0, shares_memory);
    std::vector<float> items(count, 0);
    std::int64_t number = 0;
    const auto sum = [&] {
      ++number;
      return rank.group && all_reduce(*rank.group, items);
    };
    for (int warm = 0; warm < 20; ++warm) {
      if (!sum()) state.SkipWithError("the ranks do not meet");
    }
    for (auto _ : state) {
      const auto begin = Clock::now();
      if (!sum()) state.SkipWithError("an all-reduce failed");
      times.push_back(microseconds_since(begin));
    }
    last->store(number + 1);
    sum();
  }
  ::waitpid(other, nullptr, 0);
  ::munmap(page, 4096);
  std::vector<float> from(count, 1), to(count, 0);
  std::vector<double> copies;
  for (std::size_t i = 0; i < std::clamp<std::size_t>(times.size(), 20, 1000); ++i) {
    const auto begin = Clock::now();
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::ClobberMemory();
    copies.push_back(microseconds_since(begin));
  }
  if (times.empty()) return;
  state.counters["median_us"] = median(times);
  state.counters["best_us"] = *std::min_element(times.begin(), times.end());
  state.counters["copy_us"] = median(copies);
  state.counters["copies"] = median(times) / median(copies);
  state.counters["best_copies"] =
      *std::min_element(times.begin(), times.end()) / *std::min_element(copies.begin(), copies.end());
}

void shared_memory(benchmark::State& state) { run(state, true); }
void network(benchmark::State& state) { run(state, false); }
#define NNS_SIZES Arg(4)->Arg(65536)->Arg(1048576)->Arg(26214400)->Unit(benchmark::kMicrosecond)->UseRealTime()
BENCHMARK(shared_memory)->Name("allreduce/ranks:2")->NNS_SIZES;
BENCHMARK(network)->Name("allreduce_network/ranks:2")->NNS_SIZES;
#undef NNS_SIZES

}  // namespace
}  // namespace nns::bench
