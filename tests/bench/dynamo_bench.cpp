// Capturing a model's forward: sources, guards and the graph of a GPT of 12 layers, from nothing each time; and calling
// what was captured, which holds all guards.
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
void measure(benchmark::State& state, const char* function) {
  const std::string path = std::string(NNSCOPE_BENCH_PYTHON) + "/gpt12.py";
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

[[maybe_unused]] const int kRegistered = [] {
  benchmark::RegisterBenchmark("dynamo/gpt12", measure, "capture")->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("dynamo/gpt12_again", measure, "call")->Unit(benchmark::kMillisecond);
  return 0;
}();

}  // namespace
}  // namespace nns::bench
