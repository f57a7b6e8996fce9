// Capturing a model's forward: sources, guards and the graph of a GPT of 12 layers, from nothing each time; and calling
// what was captured, which holds all guards. And backend="nnscope": a fused chain beside the same one unfused, and how
// long twelve blocks take until their plan is ready, beside one plain run of them.
#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "core/dynamo/engine.h"
#include "core/object/operations.h"
#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"

namespace nns::bench {
namespace {

// A function of gpt12.py or fused.py.
void measure_captured(benchmark::State& state, const char* file, const char* function) {
  const std::string path = std::string(NNSCOPE_BENCH_PYTHON) + "/" + file;
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
  constexpr struct {
    const char *name, *file, *function;
  } kAll[] = {
      {"dynamo/gpt12", "gpt12.py", "capture"},
      {"dynamo/gpt12_again", "gpt12.py", "call"},
      {"dynamo/fused_gate", "fused.py", "fused_gate"},
      {"dynamo/unfused_gate", "fused.py", "unfused_gate"},
      {"dynamo/fused_blocks12_ready", "fused.py", "plan"},
      {"dynamo/blocks12", "fused.py", "without_plan"},
  };
  for (const auto& one : kAll) {
    auto* made = benchmark::RegisterBenchmark(one.name, measure_captured, one.file, one.function);
    made->Unit(benchmark::kMillisecond);
    // Kernels share their work between threads.
    if (std::string_view(one.file) == "fused.py") made->UseRealTime();
  }
  return 0;
}();

}  // namespace
}  // namespace nns::bench
