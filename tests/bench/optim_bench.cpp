// Optimisers: the step of many small and of few large parameters, against what their memory alone costs.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "core/nn/layers.h"
#include "core/optim/optimizer.h"

namespace nns::optim {
namespace {

// The parameters of 1,000 Linear(8, 8): 2,000 tensors, 72,000 numbers, each with a gradient.
std::vector<Value> tiny_parameters(Interpreter& in) {
  std::vector<Value> params;
  for (int i = 0; i < 1000; ++i) {
    const Ref<nn::Module> layer = nn::make_layer(in, "Linear", {8, 8}).value();
    const std::vector<Ref<Tensor>> own = layer->parameters().value();
    for (const Ref<Tensor>& param : own) {
      param->set_grad(tensor::full(in, param->shape(), 0.01));
      params.emplace_back(param);
    }
  }
  return params;
}

void step_all(benchmark::State& state, std::string_view name, Interpreter& in, std::vector<Value> params) {
  const Ref<Optimizer> optimizer = make_optimizer(in, name, Value(in.list(std::move(params)))).value();
  static_cast<void>(optimizer->step().ok());
  for (auto _ : state) {
    if (!optimizer->step().ok()) state.SkipWithError("step failed");
  }
}

void adam_2000_tensors(benchmark::State& state) {
  Interpreter in;
  step_all(state, "Adam", in, tiny_parameters(in));
}
BENCHMARK(adam_2000_tensors)->Name("optim/adam_2000_tensors")->Unit(benchmark::kMicrosecond);

void sgd_2000_tensors(benchmark::State& state) {
  Interpreter in;
  step_all(state, "SGD", in, tiny_parameters(in));
}
BENCHMARK(sgd_2000_tensors)->Name("optim/sgd_2000_tensors")->Unit(benchmark::kMicrosecond);

constexpr std::int64_t kLarge = std::int64_t{1} << 24U;

void adam_large(benchmark::State& state) {
  Interpreter in;
  const Ref<Tensor> param = tensor::make_parameter(in, *tensor::zeros(in, {kLarge})).value();
  param->set_grad(tensor::full(in, {kLarge}, 0.01));
  step_all(state, "Adam", in, {Value(param)});
  // Four arrays are read and three written.
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * kLarge * 7 * 4);
}
BENCHMARK(adam_large)->Name("optim/adam_16m_floats")->Unit(benchmark::kMillisecond);

// The floor of the same traffic: four arrays read, three of them written, with next to no arithmetic.
void memory_floor(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<float> a(count, 1), b(count, 1), c(count, 1), d(count, 1);
  for (auto _ : state) {
    float* const __restrict x = a.data();
    float* const __restrict y = b.data();
    float* const __restrict z = c.data();
    const float* const __restrict g = d.data();
    for (std::size_t i = 0; i < count; ++i) {
      x[i] += g[i];
      y[i] += g[i];
      z[i] += g[i];
    }
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0) * 7 * 4);
}
BENCHMARK(memory_floor)->Name("optim/memory_floor")->Arg(72'000)->Arg(kLarge)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace nns::optim
