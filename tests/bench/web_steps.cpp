// Training steps of the models of the speed goals as WebAssembly: tests/web/measure_training.mjs runs this in a page's
// worker. train_bench.cpp does the same natively. Arguments: seconds for each line, then names of lines; all without.
// Prints a line of JSON for each: {"name", "steps", "milliseconds", "giga_flops"}; milliseconds are the median of a
// step.
#define HWY_TARGET_INCLUDE "tests/bench/fma_loop.h"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/fma_loop.h"
#include "tests/bench/step_times.h"
#include "tests/training/workload.h"

namespace nns::bench {
HWY_EXPORT(fma_loop);

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void print(std::string_view name, std::size_t steps, double milliseconds, double least, double giga_flops) {
  std::printf(R"({"name": "%.*s", "steps": %zu, "milliseconds": %.6f, "least": %.6f, "giga_flops": %.3f})"
              "\n",
              static_cast<int>(name.size()), name.data(), steps, milliseconds, least, giga_flops);
}

// What the vectors of the browser can do at most.
void measure_limit(double seconds) {
  // Called through a pointer: a browser optimises functions that are called often, and this one must stay a function.
  double (*volatile loop)(std::int64_t, float*) = HWY_DYNAMIC_DISPATCH(fma_loop);
  float sink = 0.999F;
  double best = 0;
  std::size_t rounds = 0;
  for (const auto begin = Clock::now(); rounds < 3 || seconds_since(begin) < seconds; ++rounds) {
    const auto start = Clock::now();
    const double done = loop(400'000, &sink);
    best = std::max(best, done / seconds_since(start) * 1e-9);
  }
  print("limit/fma", rounds, 0, 0, best);
}

using Step = nn::PyResult<nn::Ref<nn::Tensor>> (tests::Workload::*)();

// Steps in runs that are long enough for a browser's clock, which is coarse.
bool measure_steps(std::string_view name, std::string_view model, Step step, double seconds) {
  nn::Interpreter in;
  tests::Workload workload(in, model);
  const auto run = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!(workload.*step)().ok()) return false;
    }
    return true;
  };
  // The browser compiles what runs often a second time, in its background: until then it is slow.
  const auto warm = Clock::now();
  std::size_t warm_steps = 0;
  while (warm_steps < 3 || seconds_since(warm) < seconds / 2) {
    if (!run(1)) return false;
    ++warm_steps;
  }
  const double each = seconds_since(warm) / static_cast<double>(warm_steps);
  const auto count = static_cast<std::size_t>(std::max(1.0, 0.02 / each));
  std::vector<double> times;
  for (const auto begin = Clock::now(); times.size() < 3 || seconds_since(begin) < seconds;) {
    const auto start = Clock::now();
    if (!run(count)) return false;
    times.push_back(seconds_since(start) / static_cast<double>(count));
  }
  const double step_seconds = tests::median(times);
  const double least = *std::min_element(times.begin(), times.end());
  print(name, times.size() * count, step_seconds * 1e3, least * 1e3, workload.giga_flops() / step_seconds);
  return true;
}

}  // namespace
}  // namespace nns::bench

int main(int argc, char** argv) {
  using nns::tests::Workload;
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  const auto wanted = [&](std::string_view name) {
    for (int i = 2; i < argc; ++i) {
      if (name == argv[i]) return true;
    }
    return argc <= 2;
  };
  if (wanted("limit/fma")) nns::bench::measure_limit(seconds);
  for (const std::string_view model : {"mlp", "cnn", "tinygpt", "tinymlp", "gpt"}) {
    for (const bool captured : {false, true}) {
      const std::string name = "train/" + std::string(model) + (captured ? "_captured" : "");
      if (!wanted(name)) continue;
      if (!nns::bench::measure_steps(name, model, captured ? &Workload::captured_step : &Workload::step, seconds)) {
        std::printf("%s failed\n", name.c_str());
        return 1;
      }
    }
  }
  return 0;
}
