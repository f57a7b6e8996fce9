#include "native/cli/document.h"

#include <chrono>
#include <thread>

#include "core/base/budget.h"
#include "native/cli/progress.h"
#include "native/host/http_source.h"
#include "native/host/url.h"

namespace nns::cli {

namespace {

using base::Result;
using checkpoint::Checkpoint;
using checkpoint::OpenState;
using checkpoint::TensorEntry;

/// Long enough that asking the clock costs nothing, short enough for a smooth progress bar.
constexpr std::chrono::milliseconds kSlice{50};

Result<std::unique_ptr<Checkpoint>> open(const std::string& input, const std::shared_ptr<host::HttpClient>& client,
                                         const Terminal& terminal) {
  NNS_TRY_ASSIGN(auto file, open_input(input, client));
  NNS_TRY_ASSIGN(auto task, file.source != nullptr
                                ? checkpoint::open_checkpoint(std::move(file.source), std::move(file.siblings))
                                : checkpoint::open_folder(std::move(file.siblings), input));
  ProgressLine line(terminal, "reading", input);
  while (true) {
    NNS_TRY_ASSIGN(const OpenState state, task->step(base::Budget(kSlice)));
    if (state == OpenState::Done) return task->take();
    if (state == OpenState::WaitingForFiles) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    line.show(task->progress().done, task->progress().total);
  }
}

Result<checkpoint::TensorStatistics> measure(Checkpoint& file, std::uint32_t index, std::uint64_t done_before,
                                             std::uint64_t total, ProgressLine& line) {
  const TensorEntry& tensor = file.tensors[index];
  checkpoint::ElementSource source;
  if (tensor.numel > 0) {
    NNS_TRY_ASSIGN(source.bytes, file.value_bytes(index));
  } else {
    source.bytes = base::make_memory_source(std::string(file.name(tensor)), {});
  }
  const auto shape = file.shape(tensor);
  const auto stride = file.stride(tensor);
  source.dtype = tensor.dtype;
  source.shape.assign(shape.begin(), shape.end());
  source.stride.assign(stride.begin(), stride.end());
  source.storage_offset = tensor.storage_offset;
  checkpoint::StatisticsTask task(std::move(source), false);
  while (true) {
    NNS_TRY_ASSIGN(const bool is_done, task.step(base::Budget(kSlice)));
    if (is_done) return task.statistics();
    const std::uint64_t part = task.total() == 0 ? 0
                                                 : static_cast<std::uint64_t>(static_cast<double>(task.done()) /
                                                                              static_cast<double>(task.total()) *
                                                                              static_cast<double>(tensor.numel));
    line.show(done_before + part, total);
  }
}

}  // namespace

Result<host::OpenedFile> open_input(const std::string& input, const std::shared_ptr<host::HttpClient>& client) {
  if (host::is_url(input)) return host::open_url(input, client);
  constexpr std::string_view kFileScheme = "file://";
  if (input.starts_with(kFileScheme)) {
    if (const auto path = host::percent_decode(std::string_view(input).substr(kFileScheme.size()))) {
      return host::open_path(*path);
    }
  }
  return host::open_path(input);
}

Result<Document> read_document(const std::string& input, const std::shared_ptr<host::HttpClient>& client,
                               bool with_statistics, const Terminal& terminal) {
  Document document;
  NNS_TRY_ASSIGN(document.checkpoint, open(input, client, terminal));
  Checkpoint& file = *document.checkpoint;

  document.storage_tensors.resize(file.storages.size());
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < file.tensors.size(); ++i) {
    total += file.tensors[i].numel;
    if (file.tensors[i].storage != checkpoint::kNone) document.storage_tensors[file.tensors[i].storage].push_back(i);
  }
  if (!with_statistics) return document;

  ProgressLine line(terminal, "computing", input);
  document.statistics.resize(file.tensors.size());
  std::uint64_t done = 0;
  for (std::uint32_t i = 0; i < file.tensors.size(); ++i) {
    if (!file.tensors[i].readable) continue;
    auto statistics = measure(file, i, done, total, line);
    if (statistics.ok()) {
      document.statistics[i] = std::move(statistics).value();
    } else {
      document.problems.push_back(statistics.error().message());
    }
    done += file.tensors[i].numel;
    line.show(done, total);
  }
  return document;
}

}  // namespace nns::cli
