// Programs in Python: pure loops, and the construction of models. What CPython takes for the same text:
// tests/bench/python_beside_cpython.py.
#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/object/operations.h"
#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"

namespace nns::bench {
namespace {

using object::Value;

// A program that is loaded, and one function of it.
class Program {
 public:
  Program(const std::string& path, const std::string& more, const std::string& function) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read " + path);
    std::ostringstream text;
    text << stream.rdbuf();
    python::Machine& machine = python::Machine::of(interpreter_);
    python::add_python(machine);
    const auto module = python::load_module(machine, {"measured", false, path, text.str() + more});
    if (!module.ok()) throw std::runtime_error(module.error().message());
    function_ = object::getattr(interpreter_, module.value(), interpreter_.intern(function)).value();
  }
  void call() {
    const auto done = interpreter_.call(function_, std::span<const Value>());
    if (!done.ok()) throw std::runtime_error(done.error().message());
    benchmark::DoNotOptimize(done.value());
  }

 private:
  object::Interpreter interpreter_;
  Value function_;
};

void measure(benchmark::State& state, const std::string& path, const std::string& more, const std::string& function) {
  Program program(path, more, function);
  for (auto _ : state) program.call();
}

constexpr const char* kOnMeta = "\n\ndef on_meta(build):\n    with torch.device('meta'):\n        return build()\n\n";

[[maybe_unused]] const int kPythonRegistered = [] {
  const std::string folder = NNSCOPE_BENCH_PYTHON, examples = NNSCOPE_EXAMPLES;
  for (const std::string name : {"nbody", "fannkuch", "dict_str"}) {
    benchmark::RegisterBenchmark(("python/" + name).c_str(), [=](benchmark::State& state) {
      measure(state, folder + "/" + name + ".py", "", "run");
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("python/build_gpt2_124m_meta", [=](benchmark::State& state) {
    measure(state, examples + "/gpt2.py", std::string(kOnMeta) + "def run():\n    return on_meta(GPT2)\n", "run");
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("python/build_resnet152", [=](benchmark::State& state) {
    measure(state, examples + "/resnet.py", "", "resnet152");
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("python/build_resnet152_meta", [=](benchmark::State& state) {
    measure(state, examples + "/resnet.py", std::string(kOnMeta) + "def run():\n    return on_meta(resnet152)\n",
            "run");
  })->Unit(benchmark::kMillisecond);
  return 0;
}();

}  // namespace
}  // namespace nns::bench
