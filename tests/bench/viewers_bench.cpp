// What a training pays for being watched by others: steps of the models of the speed goals, told to a stream with so
// many viewers and not told at all, in turn within one run. Every viewer asks for what the training screen asks for and
// reads on another thread, as the server's does. Measured is the time of the training's thread; "percent" is what
// telling adds.
#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/base/parallel.h"
#include "core/live/training_commands.h"
#include "core/python/eval/machine.h"
#include "core/train/training.h"
#include "native/server/live_training.h"
#include "tests/bench/step_times.h"
#include "tests/training/workload.h"

namespace nns::tests {
namespace {

namespace wire = live::wire;

/// Reads what comes for all viewers, as often as a server does that is busy with sockets.
class Readers {
 public:
  Readers(live::Broadcast& stream, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t viewer = *stream.join(false);
      live::TrainingSubscription all;
      all.id = 1;
      all.pattern = "*";
      all.subjects = wire::TrainingSubject::Activations | wire::TrainingSubject::Parameters |
                     wire::TrainingSubject::Gradients | wire::TrainingSubject::Updates;
      all.forms = wire::TrainingForm::Times | wire::TrainingForm::Moments | wire::TrainingForm::Timeline;
      all.most_per_second = 4;
      if (!stream.receive(viewer, live::subscribe_training(1, server::LiveTraining::kDocument, all)).ok()) std::abort();
      viewers_.push_back(viewer);
    }
    thread_ = std::thread([this, &stream] {
      while (!is_over_) {
        stream.ready();
        for (const std::uint64_t viewer : viewers_) {
          while (const live::SharedBytes message = stream.take(viewer)) bytes_ += message->size();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
  }
  ~Readers() {
    is_over_ = true;
    thread_.join();
  }
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::vector<std::uint64_t> viewers_;
  std::atomic<bool> is_over_ = false;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::thread thread_;
};

void overhead(benchmark::State& state, std::string_view name) {
  base::set_thread_count(1);
  nn::Interpreter plain_world, told_world;
  Workload plain(plain_world, name), told(told_world, name);
  train::Training training(python::Machine::of(told_world), {});
  live::Broadcast stream;
  server::LiveTraining live(stream, training);
  Readers readers(stream, state.range(0));
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(plain.step().ok());
    static_cast<void>(told.step().ok());
    live.look();
  }
  std::vector<double> without, with;
  for (auto _ : state) {
    const double begin = thread_seconds();
    if (!plain.step().ok()) state.SkipWithError("step failed");
    const double middle = thread_seconds();
    if (!told.step().ok()) state.SkipWithError("step failed");
    live.look();
    without.push_back(middle - begin);
    with.push_back(thread_seconds() - middle);
  }
  // A few steps a second tell what costs more: the mean of all, the same number of both.
  double sum_without = 0, sum_with = 0;
  for (const double one : without) sum_without += one;
  for (const double one : with) sum_with += one;
  state.counters["plain_ms"] = median(without) * 1e3;
  state.counters["percent"] = (sum_with / sum_without - 1) * 100;
  state.counters["percent_median"] = (median(with) / median(without) - 1) * 100;
  state.counters["viewers_got_kB"] = static_cast<double>(readers.bytes()) / 1e3;
  training.watch().release();
}

BENCHMARK_CAPTURE(overhead, mlp, "mlp")
    ->Name("live/overhead/mlp/viewers")
    ->Arg(0)
    ->Arg(1)
    ->Arg(50)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(overhead, gpt, "gpt")
    ->Name("live/overhead/gpt/viewers")
    ->Arg(0)
    ->Arg(1)
    ->Arg(50)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nns::tests
