// What the machine can do at most, and what the product of two large matrices makes of it.
#define HWY_TARGET_INCLUDE "tests/bench/fma_loop.h"
#include <benchmark/benchmark.h>
#include <hwy/foreach_target.h>

#include <numeric>
#include <vector>

#include "core/base/parallel.h"
#include "core/ops/gemm.h"
#include "core/ops/op.h"
#include "tests/bench/fma_loop.h"

namespace nns::bench {
HWY_EXPORT(fma_loop);

namespace {

// As many loops at once as there are threads; the rate is that of all of them.
void fma(benchmark::State& state) {
  base::set_thread_count(static_cast<int>(state.range(0)));
  std::vector<float> sinks(static_cast<std::size_t>(state.range(0)), 0.999F);
  std::vector<double> done(sinks.size(), 0);
  for (auto _ : state) {
    base::run_parts(state.range(0), [&](std::int64_t i) {
      const auto part = static_cast<std::size_t>(i);
      done[part] += HWY_DYNAMIC_DISPATCH(fma_loop)(1'000'000, &sinks[part]);
    });
  }
  benchmark::DoNotOptimize(sinks.data());
  const double all = std::accumulate(done.begin(), done.end(), 0.0);
  state.counters["GF/s"] = benchmark::Counter(all * 1e-9, benchmark::Counter::kIsRate);
}
BENCHMARK(fma)->Name("limit/fma")->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

void gemm_2048(benchmark::State& state) {
  base::set_thread_count(1);
  object::Interpreter in;
  constexpr std::int64_t kSize = 2048;
  const object::Value a(tensor::full(in, {kSize, kSize}, 0.5)), b(tensor::full(in, {kSize, kSize}, 0.25));
  for (auto _ : state) benchmark::DoNotOptimize(ops::call_op(in, ops::OpId::mm, {a, b}));
  state.counters["GF/s"] = benchmark::Counter(2e-9 * kSize * kSize * kSize * static_cast<double>(state.iterations()),
                                              benchmark::Counter::kIsRate);
}
BENCHMARK(gemm_2048)->Name("gemm/2048")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nns::bench
