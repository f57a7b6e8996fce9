// Capturing a model's forward: sources, guards and the graph of a GPT of 12 layers, from nothing each time.
#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/dynamo/engine.h"
#include "core/object/operations.h"
#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"

namespace nns::bench {
namespace {

// The functions capture() and call() of gpt12.py.
void run(benchmark::State& state, std::string_view function) {
  const std::string path = NNS_BENCH_FOLDER "/python/gpt12.py";
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << stream.rdbuf();
  object::Interpreter interpreter;
  python::Machine& machine = python::Machine::of(interpreter);
  python::add_python(machine);
  dynamo::add_dynamo(machine);
  const auto module = python::load_module(machine, {"measured", false, path, text.str()});
  if (!module.ok()) throw std::runtime_error(module.error().message());
  const object::Value callee = object::getattr(interpreter, module.value(), interpreter.intern(function)).value();
  for (auto _ : state) {
    const auto done = interpreter.call(callee, std::span<const object::Value>());
    if (!done.ok()) throw std::runtime_error(done.error().message());
    benchmark::DoNotOptimize(done.value());
  }
}

BENCHMARK_CAPTURE(run, dynamo / gpt12, "capture")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, dynamo / gpt12_again, "call")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nns::bench
