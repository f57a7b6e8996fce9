// How long two opened documents of 10,000 tensors take to be compared: names and headers, then all values.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/diff/values.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/open_document.h"

namespace nns::tests {
namespace {

// 2,500 blocks of four tensors of 256 bytes to 4 KiB. `weight`: what their matrices are called.
std::unique_ptr<checkpoint::Checkpoint> model_of_10000(const std::string& prefix, const char* weight, char fill) {
  std::vector<PlannedTensor> tensors;
  for (int i = 0; i < 2'500; ++i) {
    const std::string block = fmt::format("{}transformer.h.{}.", prefix, i);
    tensors.push_back({block + "attn." + weight, "F32", {32, 32}});
    tensors.push_back({block + "attn.bias", "F32", {32}});
    tensors.push_back({block + "mlp." + weight, "F32", {32, 64}});
    tensors.push_back({block + "mlp.bias", "F32", {64}});
  }
  const PlannedFile plan = plan_safetensors(tensors);
  std::string file = plan.whole();
  for (std::size_t i = plan.beginning.size(); i < file.size(); i += 4) file[i + 3] = fill;
  auto opened = open_text(file);
  return opened.ok() ? std::move(opened).value() : nullptr;
}

void compare(benchmark::State& state, const char* prefix, const char* weight, bool with_values) {
  const auto a = model_of_10000("", "weight", 0x3F);
  const auto b = model_of_10000(prefix, weight, with_values ? 0x3E : 0x3F);
  for (auto _ : state) {
    const diff::Structure structure = diff::compare_structure(*a, *b);
    if (structure.counts.added != 0 || structure.counts.tensors_b != 10'000) state.SkipWithError("not lined up");
    if (!with_values) continue;
    diff::ValuesTask task(*a, *b, structure);
    while (!task.step(base::Budget::unlimited())) {
    }
    if (task.take_finished().size() != 10'000) state.SkipWithError("values are missing");
  }
}

[[maybe_unused]] const int kDiffRegistered = [] {
  const auto add = [](const char* name, const char* prefix, const char* weight, bool with_values) {
    benchmark::RegisterBenchmark(name, compare, prefix, weight, with_values)->Unit(benchmark::kMillisecond);
  };
  add("diff/10000_tensors/equal_names", "", "weight", false);
  add("diff/10000_tensors/wrapper", "module.", "weight", false);
  add("diff/10000_tensors/prefix", "model.net.", "weight", false);
  add("diff/10000_tensors/renamed", "", "kernel", false);
  add("diff/10000_tensors/values", "", "weight", true);
  return 0;
}();

}  // namespace
}  // namespace nns::tests
