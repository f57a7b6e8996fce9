// How long opening takes, from bytes in memory to the finished tree, and in the same run what a bare walk of the
// header with simdjson takes (floor/simdjson/...): the goal is a ratio of the two.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <simdjson.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/checkpoint/checkpoint.h"
#include "tests/support/files.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/make_torch_zip.h"
#include "tests/support/open_document.h"

namespace nns::tests {
namespace {

const std::string& safetensors_1138() {
  static const std::string bytes = plan_safetensors(llama_405b_tiny()).whole();
  return bytes;
}
const std::string& safetensors_91991() {
  static const std::string bytes = plan_safetensors(deepseek_v3_tiny()).whole();
  return bytes;
}
const std::string& torch_zip_10000() {
  static const std::string bytes = torch_zip_of_10000();
  return bytes;
}

void open(benchmark::State& state, const std::string& bytes, std::size_t tensors) {
  const auto source = base::make_memory_source("bench", to_bytes(bytes));
  for (auto _ : state) {
    const auto document = open_document(source);
    if (!document.ok() || (*document)->tensors.size() != tensors) state.SkipWithError("not opened as expected");
    benchmark::DoNotOptimize(document);
  }
}

/// Names, types, shapes and offsets into a list, unchecked: what any reader must do at least.
void walk(benchmark::State& state, const std::string& bytes, std::size_t tensors) {
  struct Entry {
    std::string_view name;
    std::string_view dtype;
    std::size_t dims = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  for (auto _ : state) {
    const simdjson::padded_string header(bytes.data() + 8, length);
    simdjson::ondemand::parser parser;
    auto document = parser.iterate(header);
    std::vector<Entry> entries;
    std::vector<std::uint64_t> dims;
    for (auto field : document.get_object()) {
      Entry entry;
      entry.name = std::string_view(field.unescaped_key());
      if (entry.name == "__metadata__") continue;
      entry.dims = dims.size();
      for (auto part : field.value().get_object()) {
        const std::string_view key = part.unescaped_key();
        if (key == "dtype") {
          entry.dtype = part.value().get_string().value();
        } else if (key == "shape") {
          for (auto size : part.value().get_array()) dims.push_back(size.get_uint64());
        } else {
          std::uint64_t* into = &entry.begin;
          for (auto offset : part.value().get_array()) {
            *into = offset.get_uint64();
            into = &entry.end;
          }
        }
      }
      entries.push_back(entry);
    }
    if (entries.size() != tensors) state.SkipWithError("not walked as expected");
    benchmark::DoNotOptimize(entries);
    benchmark::DoNotOptimize(dims);
  }
}

/// DeepSeek-V3's 91,991 names in 72 shards of 4.2 GB each (holes) and an index, on the disk.
struct Shards {
  TemporaryFolder folder;
  bool is_written = true;

  Shards() {
    constexpr std::size_t kShards = 72;
    constexpr std::uint64_t kPadding = 4'200'000'000;
    const std::vector<PlannedTensor> all = deepseek_v3_tiny();
    std::string map;
    for (std::size_t shard = 0; shard < kShards; ++shard) {
      const std::string name = fmt::format("model-{:05}-of-{:05}.safetensors", shard + 1, kShards);
      std::vector<PlannedTensor> part(all.begin() + static_cast<std::ptrdiff_t>(all.size() * shard / kShards),
                                      all.begin() + static_cast<std::ptrdiff_t>(all.size() * (shard + 1) / kShards));
      for (const PlannedTensor& tensor : part)
        map += fmt::format("{}\"{}\":\"{}\"", map.empty() ? "" : ",", tensor.name, name);
      part.push_back({fmt::format("padding.{}", shard), "U8", {kPadding}});
      const PlannedFile plan = plan_safetensors(part);
      is_written =
          is_written && std::filesystem::file_size(folder.write_sparse(name, plan.beginning, plan.size)) == plan.size;
    }
    std::ofstream(index()) << R"({"metadata":{},"weight_map":{)" << map << "}}";
  }
  std::filesystem::path index() const { return folder.path() / "model.safetensors.index.json"; }
};

void open_shards(benchmark::State& state) {
  static const Shards shards;
  if (!shards.is_written) return state.SkipWithError("the file system has no holes");
  for (auto _ : state) {
    const auto document =
        open_document(open_file(shards.index()), std::make_shared<FolderFileSet>(shards.folder.path()));
    if (!document.ok() || (*document)->tensors.size() != 91'991 + 72) state.SkipWithError("not opened as expected");
    benchmark::DoNotOptimize(document);
  }
}

[[maybe_unused]] const int kRegistered = [] {
  const auto add = [](const char* name, auto&& run) {
    benchmark::RegisterBenchmark(name, run)->Unit(benchmark::kMillisecond);
  };
  add("floor/simdjson/1138", [](benchmark::State& s) { walk(s, safetensors_1138(), 1138); });
  add("open/safetensors/1138", [](benchmark::State& s) { open(s, safetensors_1138(), 1138); });
  add("floor/simdjson/91991", [](benchmark::State& s) { walk(s, safetensors_91991(), 91991); });
  add("open/safetensors/91991", [](benchmark::State& s) { open(s, safetensors_91991(), 91991); });
  add("open/72_shards/91991", open_shards);
  add("open/torch_zip/10000", [](benchmark::State& s) { open(s, torch_zip_10000(), 10000); });
  return 0;
}();

}  // namespace
}  // namespace nns::tests
