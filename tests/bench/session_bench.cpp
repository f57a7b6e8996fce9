// What it costs to get from a file's bytes to the rows of the tree, and to the numbers about one tensor.
#include <benchmark/benchmark.h>

#include <chrono>
#include <random>

#include "core/base/byte_source.h"
#include "core/checkpoint/heat_tile.h"
#include "core/checkpoint/statistics.h"
#include "core/live/mirror.h"
#include "core/session/document_encoder.h"
#include "core/tensor/float_formats.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/open_document.h"
#include "ui/model/search.h"
#include "ui/model/summary.h"
#include "ui/model/tree_rows.h"

namespace nns {
namespace {

std::unique_ptr<checkpoint::Checkpoint> large_document() {
  return std::move(tests::open_text(tests::plan_safetensors(tests::deepseek_v3_tiny()).whole())).value();
}

live::Bytes large_message() { return std::move(session::encode_document(*large_document(), {.id = 1})).value(); }

void encode_document(benchmark::State& state) {
  const auto document = large_document();
  for (auto _ : state) benchmark::DoNotOptimize(session::encode_document(*document, {.id = 1}));
}
BENCHMARK(encode_document)->Name("document/encode/91991")->Unit(benchmark::kMillisecond);

void apply(benchmark::State& state) {
  const live::Bytes message = large_message();
  for (auto _ : state) {
    state.PauseTiming();
    live::Mirror mirror;
    live::Bytes copy = message;
    state.ResumeTiming();
    const bool is_applied = mirror.apply(std::move(copy)).ok();
    benchmark::DoNotOptimize(is_applied);
    state.PauseTiming();
    mirror = live::Mirror();
    state.ResumeTiming();
  }
}
BENCHMARK(apply)->Name("mirror/apply/91991")->Unit(benchmark::kMillisecond);

model::TreeModel large_tree() {
  live::Mirror mirror;
  if (!mirror.apply(large_message()).ok()) std::abort();
  model::TreeModel tree;
  tree.show(mirror.documents().front(), 40);
  return tree;
}

void show(benchmark::State& state) {
  model::TreeModel tree = large_tree();
  live::Mirror mirror;
  if (!mirror.apply(large_message()).ok()) std::abort();
  for (auto _ : state) {
    model::TreeModel fresh;
    fresh.show(mirror.documents().front(), 40);
    benchmark::DoNotOptimize(fresh.rows().size());
  }
}
BENCHMARK(show)->Name("tree_rows/show/91991")->Unit(benchmark::kMillisecond);

void expand_all(benchmark::State& state) {
  model::TreeModel tree = large_tree();
  for (auto _ : state) {
    tree.expand_all();
    benchmark::DoNotOptimize(tree.rows().size());
  }
  state.counters["rows"] = static_cast<double>(tree.rows().size());
}
BENCHMARK(expand_all)->Name("tree_rows/expand_all/100000")->Unit(benchmark::kMillisecond);

void filter(benchmark::State& state, const char* text) {
  model::TreeModel tree = large_tree();
  for (auto _ : state) {
    tree.set_filter("");
    tree.set_filter(text);
    benchmark::DoNotOptimize(tree.rows().size());
  }
  state.counters["matches"] = tree.match_count();
}
BENCHMARK_CAPTURE(filter, name, "weight")->Name("tree_rows/filter_name/100000")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(filter, path, "experts.25")->Name("tree_rows/filter_path/100000")->Unit(benchmark::kMillisecond);

/// One key in the search box: the whole answer, in slices of 4 ms, one a frame.
void search(benchmark::State& state, const char* text) {
  model::TreeModel tree = large_tree();
  const auto& index = tree.search_index();
  const model::SearchQuery query = model::parse_query(text);
  std::size_t hits = 0;
  int slices = 0;
  for (auto _ : state) {
    model::SearchRun run(query, index, true);
    for (slices = 1; !run.step(base::Budget(std::chrono::milliseconds(4))); ++slices) {
    }
    hits = run.hits().size();
  }
  state.counters["hits"] = static_cast<double>(hits);
  state.counters["slices"] = slices;
}
BENCHMARK_CAPTURE(search, word, "attn")->Name("search/91991")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, letter, "e")->Name("search/91991/letter")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, conditions, "experts weight f8 >=16 shape:4,*")
    ->Name("search/91991/conditions")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, path, "experts.25")->Name("search/91991/path")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, pattern, "/experts\\.(1|2)[0-9]+\\.(up|down)_proj\\.weight$/")
    ->Name("search/91991/pattern")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, fuzzy, "l5mlpx9dpws")->Name("search/91991/fuzzy")->Unit(benchmark::kMillisecond);

void search_index(benchmark::State& state) {
  live::Mirror mirror;
  if (!mirror.apply(large_message()).ok()) std::abort();
  for (auto _ : state) benchmark::DoNotOptimize(model::SearchIndex(mirror.documents().front()));
}
BENCHMARK(search_index)->Name("search/index/91991")->Unit(benchmark::kMillisecond);

void summary(benchmark::State& state) {
  live::Mirror mirror;
  if (!mirror.apply(large_message()).ok()) std::abort();
  for (auto _ : state) benchmark::DoNotOptimize(model::summarise(*mirror.documents().front()));
}
BENCHMARK(summary)->Name("summary/91991")->Unit(benchmark::kMillisecond);

checkpoint::ElementSource random_weights(tensor::DType dtype, std::int64_t rows, std::int64_t columns) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.02F);
  std::vector<std::byte> bytes(static_cast<std::size_t>(rows * columns) * tensor::item_bytes(dtype));
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    const float value = normal(random);
    const auto half =
        dtype == tensor::DType::Float16 ? tensor::half_from_float(value) : tensor::bfloat16_from_float(value);
    std::byte* place = bytes.data() + static_cast<std::size_t>(i) * tensor::item_bytes(dtype);
    if (dtype == tensor::DType::Float32) {
      std::memcpy(place, &value, sizeof value);
    } else {
      std::memcpy(place, &half, sizeof half);
    }
  }
  return {.bytes = base::make_memory_source("weights", std::move(bytes)),
          .dtype = dtype,
          .shape = {rows, columns},
          .stride = {columns, 1},
          .storage_offset = 0};
}

void statistics(benchmark::State& state, tensor::DType dtype, bool with_histogram) {
  const auto columns = static_cast<std::int64_t>((64U << 20U) / 4096 / tensor::item_bytes(dtype));
  const checkpoint::ElementSource source = random_weights(dtype, 4096, columns);
  for (auto _ : state) {
    checkpoint::StatisticsTask task(source, with_histogram);
    const bool is_done = task.step(base::Budget::unlimited()).ok();
    benchmark::DoNotOptimize(is_done);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * (64 << 20));
}
BENCHMARK_CAPTURE(statistics, float32, tensor::DType::Float32, true)
    ->Name("statistics/float32/64MiB")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(statistics, bfloat16, tensor::DType::BFloat16, true)
    ->Name("statistics/bfloat16/64MiB")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(statistics, float16, tensor::DType::Float16, true)
    ->Name("statistics/float16/64MiB")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(statistics, moments, tensor::DType::Float32, false)
    ->Name("statistics/float32_moments/64MiB")
    ->Unit(benchmark::kMillisecond);

void tile(benchmark::State& state) {
  const checkpoint::ElementSource source = random_weights(tensor::DType::Float32, 4096, 4096);
  for (auto _ : state) {
    checkpoint::HeatTileTask task(
        source, {.row_begin = 0, .row_end = 4096, .column_begin = 0, .column_end = 4096, .width = 512, .height = 512});
    const bool is_done = task.step(base::Budget::unlimited()).ok();
    benchmark::DoNotOptimize(is_done);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * (64 << 20));
}
BENCHMARK(tile)->Name("heat_tile/float32/64MiB")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nns
