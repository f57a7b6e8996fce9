// Products of the shapes that the training steps have, by the engine and, where NNSCOPE_OPENBLAS names a libopenblas,
// by that in turn: gemm/gpt_fc and gemm/gpt_fc/openblas. One thread.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/parallel.h"
#include "core/ops/gemm.h"

namespace nns::bench {
namespace {

struct Product {
  const char* name;
  int rows, columns, depth;
  bool a_is_transposed, b_is_transposed;
};
constexpr Product kProducts[] = {
    {"square_1024", 1024, 1024, 1024, false, false}, {"gpt_qkv", 2048, 1152, 384, false, true},
    {"gpt_fc", 2048, 1536, 384, false, true},        {"gpt_fc_input", 2048, 384, 1536, false, false},
    {"gpt_fc_weight", 1536, 384, 2048, true, false}, {"mlp_1", 128, 512, 784, false, true},
    {"mlp_1_weight", 512, 784, 128, true, false},    {"mlp_2", 128, 256, 512, false, true},
};

// cblas_sgemm: order and transpositions as CBLAS numbers them.
using Sgemm = void (*)(int order, int a_form, int b_form, int rows, int columns, int depth, float alpha, const float* a,
                       int a_stride, const float* b, int b_stride, float beta, float* out, int out_stride);
constexpr int kRowMajor = 101, kAsItIs = 111, kTransposed = 112;

// Null: the environment names no library.
Sgemm openblas() {
  const char* const path = std::getenv("NNSCOPE_OPENBLAS");
  if (path == nullptr) return nullptr;
  void* const library = dlopen(path, RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
  if (void* const set_threads = dlsym(library, "openblas_set_num_threads"); set_threads != nullptr)
    reinterpret_cast<void (*)(int)>(set_threads)(1);
  return reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
}

void multiply(benchmark::State& state, const Product& product, Sgemm theirs) {
  base::set_thread_count(1);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> number(-0.5F, 0.5F);
  const auto filled = [&](int count) {
    std::vector<float> items(static_cast<std::size_t>(count));
    for (float& item : items) item = number(random);
    return items;
  };
  const std::vector<float> a = filled(product.rows * product.depth), b = filled(product.depth * product.columns);
  std::vector<float> out(static_cast<std::size_t>(product.rows * product.columns));
  const auto view = [](const std::vector<float>& items, int rows, int columns, bool is_transposed) {
    const auto whole =
        is_transposed ? ops::matrix_of(items.data(), columns, rows) : ops::matrix_of(items.data(), rows, columns);
    return is_transposed ? whole.transposed() : whole;
  };
  for (auto _ : state) {
    if (theirs != nullptr) {
      theirs(kRowMajor, product.a_is_transposed ? kTransposed : kAsItIs,
             product.b_is_transposed ? kTransposed : kAsItIs, product.rows, product.columns, product.depth, 1.0F,
             a.data(), product.a_is_transposed ? product.rows : product.depth, b.data(),
             product.b_is_transposed ? product.depth : product.columns, 0.0F, out.data(), product.columns);
    } else {
      ops::gemm(view(a, product.rows, product.depth, product.a_is_transposed),
                view(b, product.depth, product.columns, product.b_is_transposed),
                ops::matrix_of(out.data(), product.rows, product.columns));
    }
    benchmark::DoNotOptimize(out.data());
  }
  const double work = 2.0 * product.rows * product.columns * product.depth;
  state.counters["GF/s"] = benchmark::Counter(work * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

[[maybe_unused]] const int kGemmRegistered = [] {
  const Sgemm theirs = openblas();
  for (const Product& product : kProducts) {
    const std::string name = std::string("gemm/") + product.name;
    benchmark::RegisterBenchmark(name.c_str(), [&product](benchmark::State& state) {
      multiply(state, product, nullptr);
    })->Unit(benchmark::kMillisecond);
    if (theirs == nullptr) continue;
    benchmark::RegisterBenchmark((name + "/openblas").c_str(), [&product, theirs](benchmark::State& state) {
      multiply(state, product, theirs);
    })->Unit(benchmark::kMillisecond);
  }
  return 0;
}();

}  // namespace
}  // namespace nns::bench
