// How long a file is looked through for what loading it could run.
#include <benchmark/benchmark.h>

#include "core/checkpoint/scan.h"
#include "tests/support/files.h"
#include "tests/support/make_serialized_json.h"
#include "tests/support/make_torch_zip.h"

namespace nns::tests {
namespace {

void scan(benchmark::State& state, const std::string& bytes, std::size_t most_findings) {
  const auto source = base::make_memory_source("bench", to_bytes(bytes));
  for (auto _ : state) {
    checkpoint::ScanTask task(source);
    const auto done = task.step(base::Budget::unlimited());
    const checkpoint::ScanReport& report = task.report();
    if (!done.ok() || !*done || report.pickles == 0 || report.findings.size() > most_findings ||
        report.verdict() == checkpoint::Verdict::Dangerous) {
      return state.SkipWithError("not scanned as expected");
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

/// A dictionary of names and lists of numbers.
std::string long_pickle(int entries) {
  PickleWriter pickle;
  pickle.empty_dict().mark();
  for (int i = 0; i < entries; ++i) {
    pickle.text("entry." + std::to_string(i)).empty_list().mark();
    for (int j = 0; j < 8; ++j) pickle.integer(70'000 + j);
    pickle.appends();
  }
  return pickle.set_items().stop();
}

void torch_zip(benchmark::State& state) { scan(state, torch_zip_of_10000(), 10); }
BENCHMARK(torch_zip)->Name("scan/torch_zip/10000")->Unit(benchmark::kMillisecond);

void pickle(benchmark::State& state) { scan(state, long_pickle(200'000), 0); }
BENCHMARK(pickle)->Name("scan/pickle/200000_lists")->Unit(benchmark::kMillisecond);

/// The same pickle in Base64 inside JSON inside a zip.
void serialized(benchmark::State& state) {
  scan(state, zip_of({{"data", serialized_json({}, {{"buffer", long_pickle(200'000)}})}}), 0);
}
BENCHMARK(serialized)->Name("scan/serialized/200000_lists")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nns::tests
