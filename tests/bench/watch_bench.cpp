// What watching a training costs: steps of the models of the speed goals, watched and not, in turn within one run, so
// that a busy machine slows both. Reported is the time of both; the counter "percent" is what watching adds, the median
// over pairs of neighbours, now the one first and now the other; "control" watches neither and tells what the machine
// adds.
#include <benchmark/benchmark.h>

#include <optional>

#include "core/base/parallel.h"
#include "core/train/watch.h"
#include "tests/bench/step_times.h"
#include "tests/training/workload.h"

namespace nns::tests {
namespace {

using train::subject::kActivations;
using train::subject::kGradients;
using train::subject::kParameters;

struct Wanted {
  std::uint8_t modules = 0, tensors = 0, histograms = 0;
};

class Client final : public train::WatchClient {
 public:
  explicit Client(const Wanted& wanted) : wanted_(wanted) {}
  train::StepPlan plan_step(const train::ModuleTable& table) override {
    train::StepPlan plan;
    plan.modules.assign(table.modules().size(), wanted_.modules);
    plan.tensors.assign(table.tensors().size(), wanted_.tensors);
    plan.tensor_histograms.assign(table.tensors().size(), wanted_.histograms);
    return plan;
  }
  void step_made(train::StepReport report) override { benchmark::DoNotOptimize(report); }

 private:
  Wanted wanted_;
};

void overhead(benchmark::State& state, std::string_view name, const std::optional<Wanted>& wanted) {
  base::set_thread_count(1);
  nn::Interpreter plain_world, watched_world;
  Workload plain(plain_world, name), watched(watched_world, name);
  std::optional<Client> client;
  std::optional<train::Watch> watch;
  if (wanted) watch.emplace(watched_world, client.emplace(*wanted));
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(plain.step().ok());
    static_cast<void>(watched.step().ok());
  }
  const auto seconds_of = [&state](Workload& workload) {
    const double begin = thread_seconds();
    if (!workload.step().ok()) state.SkipWithError("step failed");
    return thread_seconds() - begin;
  };
  std::vector<double> without, ratios;
  bool watched_first = false;
  for (auto _ : state) {
    double alone = 0, with = 0;
    if (watched_first) with = seconds_of(watched);
    alone = seconds_of(plain);
    if (!watched_first) with = seconds_of(watched);
    watched_first = !watched_first;
    without.push_back(alone);
    ratios.push_back(with / alone);
  }
  state.counters["plain_ms"] = median(without) * 1e3;
  state.counters["percent"] = (median(ratios) - 1) * 100;
  if (watch) watch->release();
}

constexpr Wanted kAll = {kActivations, kParameters | kGradients, 0};
constexpr Wanted kHistograms = {0, 0, kParameters | kGradients};
#define NNS_OVERHEAD(model)                                               \
  BENCHMARK_CAPTURE(overhead, model##_control, #model, std::nullopt)      \
      ->Name("live/overhead/" #model "/control")                          \
      ->Unit(benchmark::kMillisecond);                                    \
  BENCHMARK_CAPTURE(overhead, model##_idle, #model, Wanted())             \
      ->Name("live/overhead/" #model "/nothing_wanted")                   \
      ->Unit(benchmark::kMillisecond);                                    \
  BENCHMARK_CAPTURE(overhead, model##_all, #model, kAll)                  \
      ->Name("live/overhead/" #model "/activations_parameters_gradients") \
      ->Unit(benchmark::kMillisecond);                                    \
  BENCHMARK_CAPTURE(overhead, model##_histograms, #model, kHistograms)    \
      ->Name("live/overhead/" #model "/histograms")                       \
      ->Unit(benchmark::kMillisecond)
NNS_OVERHEAD(mlp);
NNS_OVERHEAD(gpt);
#undef NNS_OVERHEAD

}  // namespace
}  // namespace nns::tests
