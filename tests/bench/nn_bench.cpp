// The module machinery: section B of the performance goals.
#include <benchmark/benchmark.h>

#include "core/nn/layers.h"
#include "core/nn/module.h"
#include "core/object/copy.h"
#include "core/object/operations.h"

namespace nns::nn {
namespace {

Ref<Module> linear(Interpreter& in, int from, int to) { return make_layer(in, "Linear", {from, to}).value(); }

// A tree of modules with one parameter each: 10 children a node.
Ref<Module> tree(Interpreter& in, int modules) {
  const auto data = tensor::ones(in, {1});
  Ref<Module> root = Module::make(in);
  std::vector<Ref<Module>> level{root};
  int made = 1;
  for (std::size_t at = 0; made < modules; ++at) {
    for (int i = 0; i < 10 && made < modules; ++i, ++made) {
      const Ref<Module> child = Module::make(in);
      static_cast<void>(child->setattr("weight", Value(tensor::make_parameter(in, *data).value())).ok());
      static_cast<void>(level[at]->setattr("layer" + std::to_string(i), Value(child)).ok());
      level.push_back(child);
    }
  }
  return root;
}

Ref<Module> flat(Interpreter& in, int layers) {
  std::vector<Value> children;
  for (int i = 0; i < layers; ++i) children.emplace_back(linear(in, 1, 1));
  return make_layer(in, "Sequential", std::move(children)).value();
}

void call_identity(benchmark::State& state, int hooks) {
  Interpreter in;
  const Ref<Module> net = make_layer(in, "Identity").value();
  const auto hook = in.function("hook(m, a, o)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  for (int i = 0; i < hooks; ++i) static_cast<void>(net->register_forward_hook(Value(hook)).ok());
  const Value callable(net), argument(1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(net->call({{&argument, 1}, {}}));
  }
}
void call_no_hooks(benchmark::State& state) { call_identity(state, 0); }
void call_4_hooks(benchmark::State& state) { call_identity(state, 4); }
BENCHMARK(call_no_hooks)->Name("module/call");
BENCHMARK(call_4_hooks)->Name("module/call_4_hooks");

void setattr_parameter(benchmark::State& state) {
  Interpreter in;
  const Ref<Module> net = linear(in, 8, 8);
  const Name name = in.intern("weight");
  const Value weight = net->getattr(name).value();
  for (auto _ : state) benchmark::DoNotOptimize(net->setattr(name, weight));
}
BENCHMARK(setattr_parameter)->Name("module/setattr_parameter");

void getattr_parameter(benchmark::State& state) {
  Interpreter in;
  const Ref<Module> net = linear(in, 8, 8);
  const Name name = in.intern("weight");
  for (auto _ : state) benchmark::DoNotOptimize(net->getattr(name));
}
BENCHMARK(getattr_parameter)->Name("module/getattr");

void parameters_of_tree(benchmark::State& state) {
  Interpreter in;
  const Ref<Module> root = tree(in, 100'000);
  for (auto _ : state) benchmark::DoNotOptimize(root->parameters());
}
BENCHMARK(parameters_of_tree)->Name("module/parameters/100000")->Unit(benchmark::kMillisecond);

void named_parameters_of_tree(benchmark::State& state) {
  Interpreter in;
  const Ref<Module> root = tree(in, 100'000);
  for (auto _ : state) benchmark::DoNotOptimize(root->named_parameters());
}
BENCHMARK(named_parameters_of_tree)->Name("module/named_parameters/100000")->Unit(benchmark::kMillisecond);

void state_dict_flat(benchmark::State& state) {
  Interpreter in;
  const Ref<Module> net = flat(in, 5'000);
  for (auto _ : state) benchmark::DoNotOptimize(net->state_dict());
}
BENCHMARK(state_dict_flat)->Name("module/state_dict/10000")->Unit(benchmark::kMillisecond);

void load_state_dict_flat(benchmark::State& state) {
  Interpreter in;
  const Ref<Module> net = flat(in, 5'000);
  const Value saved = net->state_dict().value();
  for (auto _ : state) benchmark::DoNotOptimize(net->load_state_dict(saved));
}
BENCHMARK(load_state_dict_flat)->Name("module/load_state_dict/10000")->Unit(benchmark::kMillisecond);

void build_linears(benchmark::State& state) {
  Interpreter in;
  for (auto _ : state) {
    std::vector<Value> layers;
    for (int i = 0; i < 1'000; ++i) layers.emplace_back(linear(in, 8, 8));
    benchmark::DoNotOptimize(make_layer(in, "Sequential", std::move(layers)));
  }
}
BENCHMARK(build_linears)->Name("module/construct_1000_linear")->Unit(benchmark::kMillisecond);

void deepcopy_flat(benchmark::State& state) {
  Interpreter in;
  const Value net(flat(in, 5'000));
  for (auto _ : state) benchmark::DoNotOptimize(object::deep_copy(in, net));
}
BENCHMARK(deepcopy_flat)->Name("module/deepcopy/10000")->Unit(benchmark::kMillisecond);

void repr_flat(benchmark::State& state) {
  Interpreter in;
  const Ref<Module> net = flat(in, 1'000);
  for (auto _ : state) benchmark::DoNotOptimize(net->text());
}
BENCHMARK(repr_flat)->Name("module/repr")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nns::nn
