// Recordings of programs: what recording costs beside the plain run of the same program, and what asking costs.
#include <benchmark/benchmark.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

#include "core/object/operations.h"
#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "core/recorder/recorder.h"
#include "core/trace/moment.h"
#include "core/trace/search.h"
#include "native/host/large_pages.h"

namespace nns::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr trace::EventId kEvents = 1'000'000;

// Calls, attributes, lists, dicts and texts, as programs have them.
constexpr const char* kObjects = R"(
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y
    def moved(self, dx, dy):
        return Point(self.x + dx, self.y + dy)
def run():
    seen = {}
    path = []
    here = Point(0, 0)
    for i in range(2000):
        here = here.moved(i % 7, -1)
        key = 'row ' + str(i % 10)
        seen[key] = seen.get(key, 0) + here.x
        path.append(here)
        if len(path) > 20:
            path.pop(0)
    return seen
)";

// A model that trains: most of the time is the tensors'.
constexpr const char* kTraining = R"(
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_of = nn.CrossEntropyLoss()
x = torch.randn(64, 32)
y = torch.randint(0, 10, (64,))
def run():
    for step in range(20):
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
)";

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class StudioProgram {
 public:
  explicit StudioProgram(const std::string& text) {
    python::Machine& machine = python::Machine::of(interpreter_);
    python::add_python(machine);
    machine.streams.out = [](std::string_view) {};
    const auto module = python::load_module(machine, {"measured", false, "measured.py", text});
    if (!module.ok()) throw std::runtime_error(module.error().message());
    function_ = object::getattr(interpreter_, module.value(), interpreter_.intern("run")).value();
  }
  /// Processor time in seconds: other programs may run beside this one.
  double call() {
    const double begin = processor_time();
    const auto done = interpreter_.call(function_, std::span<const object::Value>());
    if (!done.ok()) throw std::runtime_error(done.error().message());
    return processor_time() - begin;
  }
  python::Machine& machine() { return python::Machine::of(interpreter_); }

 private:
  object::Interpreter interpreter_;
  object::Value function_;
};

trace::Limits for_a_million() {
  trace::Limits limits;
  limits.events = 2 * kEvents;
  limits.bytes = std::uint64_t{2} << 30U;
  return limits;
}

// Runs in turn plainly and recorded, until a million events are recorded.
void record(benchmark::State& state, const std::string& text) {
  double plain = 0, recorded = 0, bytes = 0, events = 0;
  for (auto _ : state) {
    StudioProgram program(text);
    trace::Trace trace(for_a_million());
    program.call();
    while (trace.size() < kEvents && !trace.is_full()) {
      plain += program.call();
      recorder::Recorder recorder(program.machine(), trace);
      recorded += program.call();
    }
    bytes += static_cast<double>(trace.bytes());
    events += trace.size();
  }
  state.counters["ratio"] = recorded / plain;
  state.counters["plain_ns_per_event"] = plain / events * 1e9;
  state.counters["bytes_per_event"] = bytes / events;
}

void seek(benchmark::State& state, const std::string& text) {
  StudioProgram program(text);
  trace::Trace trace(for_a_million());
  while (trace.size() < kEvents) {
    recorder::Recorder recorder(program.machine(), trace);
    program.call();
  }
  std::mt19937 random(1);
  double longest = 0;
  for (auto _ : state) {
    const auto at = static_cast<trace::EventId>(random() % trace.size());
    const Clock::time_point begin = Clock::now();
    benchmark::DoNotOptimize(trace::moment_at(trace, at));
    longest = std::max(longest, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  state.counters["longest_ms"] = longest;
}

// The longest way: to a line that never runs.
void search(benchmark::State& state) {
  StudioProgram program(kObjects);
  trace::Trace trace(for_a_million());
  while (trace.size() < kEvents) {
    recorder::Recorder recorder(program.machine(), trace);
    program.call();
  }
  trace::Breakpoints breakpoints;
  breakpoints.lines.push_back({trace.file_of(trace.event(0)), 1});
  for (auto _ : state) {
    benchmark::DoNotOptimize(trace::find_stop(trace, 0, trace::Direction::Forward, breakpoints));
  }
}

[[maybe_unused]] const int kStudioRegistered = [] {
  host::use_large_pages();
  const std::string folder = NNSCOPE_BENCH_PYTHON;
  std::vector<std::pair<std::string, std::string>> programs = {{"objects", kObjects}, {"training", kTraining}};
  for (const std::string name : {"nbody", "fannkuch", "dict_str"}) {
    std::ifstream stream(folder + "/" + name + ".py", std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    programs.emplace_back(name, text.str());
  }
  for (const auto& [name, text] : programs) {
    benchmark::RegisterBenchmark(("studio/record_1e6_events/" + name).c_str(),
                                 [text = text](benchmark::State& state) { record(state, text); })
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    benchmark::RegisterBenchmark(("studio/seek/" + programs[i].first).c_str(),
                                 [text = programs[i].second](benchmark::State& state) { seek(state, text); })
        ->Unit(benchmark::kMillisecond)
        ->Iterations(2000);
  }
  benchmark::RegisterBenchmark("studio/search_1e6_events", search)->Unit(benchmark::kMillisecond);
  return 0;
}();

}  // namespace
}  // namespace nns::bench
