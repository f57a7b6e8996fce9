#include <benchmark/benchmark.h>

#include "core/live/broadcast.h"
#include "core/live/mirror.h"
#include "core/live/recorder.h"
#include "core/live/recording.h"
#include "tests/live/training_messages.h"
#include "ui/model/training_chart.h"

namespace nns {
namespace {

constexpr std::uint64_t kEvents = 1'000'000;

/// A run of a million steps, each an event, with the numbers of 24 modules every 200 steps.
const std::vector<std::byte>& million_events() {
  static const std::vector<std::byte> bytes = [] {
    base::MemorySink sink;
    live::Recorder recorder(sink);
    const auto add = [&](std::uint64_t at, live::Bytes message) {
      (void)recorder.add(at * 1000, *live::Message::verify(std::move(message)));
    };
    add(0, tests::modules_message(9, 1, 24));
    for (std::uint64_t i = 0; i < kEvents; ++i) {
      add(i, tests::steps_message(9, i, 1));
      if (i % 200 == 0) add(i, tests::numbers_message(9, 1, i, static_cast<std::uint32_t>(i / 200 % 24), 0.5));
    }
    (void)recorder.finish();
    return sink.bytes();
  }();
  return bytes;
}

std::unique_ptr<live::Recording> open_million() {
  return std::move(live::Recording::open(base::make_memory_source("run.nnscope", million_events()))).value();
}

void recording_open(benchmark::State& state) {
  const auto source = base::make_memory_source("run.nnscope", million_events());
  for (auto _ : state) {
    auto recording = live::Recording::open(source);
    live::Mirror mirror;
    auto messages = (*recording)->seek((*recording)->events());
    for (live::RecordedMessage& message : *messages)
      benchmark::DoNotOptimize(mirror.apply(std::move(message.bytes)).ok());
  }
  state.counters["file_MB"] = static_cast<double>(million_events().size()) / 1e6;
  state.counters["bytes_per_event"] = static_cast<double>(million_events().size()) / kEvents;
}
BENCHMARK(recording_open)->Name("recording/open_and_show/events:1000000")->Unit(benchmark::kMillisecond);

void recording_seek(benchmark::State& state) {
  const auto recording = open_million();
  std::uint64_t event = 0;
  for (auto _ : state) {
    event = (event + 387'420'489) % kEvents;
    live::Mirror mirror;
    auto messages = recording->seek(event);
    for (live::RecordedMessage& message : *messages)
      benchmark::DoNotOptimize(mirror.apply(std::move(message.bytes)).ok());
  }
}
BENCHMARK(recording_seek)->Name("recording/seek/events:1000000")->Unit(benchmark::kMillisecond);

void broadcast_publish(benchmark::State& state) {
  live::Broadcast stream;
  std::vector<std::uint64_t> viewers;
  for (std::int64_t i = 0; i < state.range(0); ++i) viewers.push_back(*stream.join(false));
  std::uint64_t step = 0;
  for (auto _ : state) {
    stream.publish(tests::steps_message(9, step++, 1));
    state.PauseTiming();
    if (step % 64 == 0) {
      stream.ready();
      for (const std::uint64_t viewer : viewers) {
        while (stream.take(viewer) != nullptr) {
        }
      }
    }
    state.ResumeTiming();
  }
}
// What a step pays for being told, with its making; who watches costs it nothing more.
BENCHMARK(broadcast_publish)->Name("live/publish/viewers")->Arg(0)->Arg(1)->Arg(50)->Arg(200)->Iterations(20'000);

void curve_reduce(benchmark::State& state) {
  live::TrainingView view(9);
  for (std::uint64_t i = 0; i < kEvents; i += 1000) {
    (void)view.apply(*live::Message::verify(tests::steps_message(9, i, 1000)));
  }
  const std::vector<const live::TrainingView*> all = {&view};
  model::TrainingChart chart;
  model::ChartChoice choice;
  double turn = 0;
  for (auto _ : state) {
    // A zoom changes with every frame.
    choice.zoom = model::AxisRange{turn, 1e6 - turn};
    turn += 1;
    chart.update(all, choice, 1200);
    benchmark::DoNotOptimize(chart.lines().size());
  }
}
BENCHMARK(curve_reduce)->Name("plot/frame/points:1000000")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nns
