#include "native/cli/document.h"

#include <chrono>
#include <thread>

#include "core/base/budget.h"
#include "core/checkpoint/model_statistics.h"
#include "native/cli/progress.h"
#include "native/host/http_source.h"
#include "native/host/url.h"

namespace nns::cli {

namespace {

using base::Result;
using checkpoint::Checkpoint;
using checkpoint::OpenState;

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
  for (std::uint32_t i = 0; i < file.tensors.size(); ++i) {
    if (file.tensors[i].storage != checkpoint::kNone) document.storage_tensors[file.tensors[i].storage].push_back(i);
  }
  if (!with_statistics) return document;

  ProgressLine line(terminal, "computing", input);
  document.statistics.resize(file.tensors.size());
  checkpoint::ModelStatisticsTask task(file, 0);
  for (bool is_done = false; !is_done;) {
    is_done = task.step(base::Budget(kSlice));
    for (checkpoint::TensorReport& report : task.take()) {
      if (report.problem) document.problems.push_back(report.problem->message());
      document.statistics[report.tensor] = std::move(report.statistics);
    }
    line.show(task.done(), task.total());
  }
  return document;
}

}  // namespace nns::cli
