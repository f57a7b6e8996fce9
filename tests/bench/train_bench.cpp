// Whole training steps of the models of the speed goals, through the calls that a user's loop makes.
#include <benchmark/benchmark.h>

#include "core/base/parallel.h"
#include "tests/training/workload.h"

namespace nns::tests {
namespace {

using Step = nn::PyResult<nn::Ref<nn::Tensor>> (Workload::*)();

void train(benchmark::State& state, std::string_view name, Step step) {
  base::set_thread_count(static_cast<int>(state.range(0)));
  nn::Interpreter in;
  Workload workload(in, name);
  for (int i = 0; i < 3; ++i) static_cast<void>((workload.*step)().ok());
  for (auto _ : state) {
    if (!(workload.*step)().ok()) state.SkipWithError("step failed");
  }
  state.counters["GF/s"] =
      benchmark::Counter(workload.giga_flops() * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
#define NNS_TRAIN(name, unit)                                                \
  BENCHMARK_CAPTURE(train, name, #name, &Workload::step)                     \
      ->Name("train/" #name)                                                 \
      ->ArgName("threads")                                                   \
      ->Arg(1)                                                               \
      ->Arg(2)                                                               \
      ->Unit(unit);                                                          \
  BENCHMARK_CAPTURE(train, name##_captured, #name, &Workload::captured_step) \
      ->Name("train/" #name "_captured")                                     \
      ->ArgName("threads")                                                   \
      ->Arg(1)                                                               \
      ->Arg(2)                                                               \
      ->Unit(unit)
NNS_TRAIN(mlp, benchmark::kMillisecond);
NNS_TRAIN(cnn, benchmark::kMillisecond);
NNS_TRAIN(gpt, benchmark::kMillisecond);
NNS_TRAIN(tinygpt, benchmark::kMillisecond);
NNS_TRAIN(tinymlp, benchmark::kMicrosecond);
#undef NNS_TRAIN

}  // namespace
}  // namespace nns::tests
