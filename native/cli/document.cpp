#include "native/cli/document.h"

#include <chrono>
#include <numeric>
#include <thread>

#include "core/base/budget.h"
#include "core/checkpoint/model_statistics.h"
#include "core/live/document_view.h"
#include "core/session/document_encoder.h"
#include "native/cli/progress.h"
#include "native/host/http_source.h"
#include "native/host/url.h"

namespace nns::cli {

namespace {

using base::Result;
using checkpoint::Checkpoint;
using checkpoint::OpenState;

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

std::vector<std::uint32_t> Document::shown_tensors() const {
  if (filter) return filter->tensors;
  std::vector<std::uint32_t> all(checkpoint->tensors.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

std::vector<std::uint32_t> Document::shown_metadata() const {
  if (filter) return filter->metadata;
  std::vector<std::uint32_t> all(checkpoint->metadata.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

Result<Document> read_document(const std::string& input, const std::shared_ptr<host::HttpClient>& client,
                               const Terminal& terminal) {
  Document document;
  NNS_TRY_ASSIGN(document.checkpoint, open(input, client, terminal));
  const Checkpoint& file = *document.checkpoint;

  document.storage_tensors.resize(file.storages.size());
  for (std::uint32_t i = 0; i < file.tensors.size(); ++i) {
    if (file.tensors[i].storage != checkpoint::kNone) document.storage_tensors[file.tensors[i].storage].push_back(i);
  }
  return document;
}

// The search is the viewer's: it looks at what a viewer would be sent, whose rows, tensors and entries have the same
// numbers.
Result<void> filter_document(Document& document, const std::string& query) {
  NNS_TRY(model::check_query(query));
  NNS_TRY_ASSIGN(live::Bytes bytes, session::encode_document(*document.checkpoint, {}));
  NNS_TRY_ASSIGN(live::Message message, live::Message::verify(std::move(bytes)));
  NNS_TRY_ASSIGN(const auto view, live::DocumentView::check(std::move(message)));
  NNS_TRY_ASSIGN(document.filter, model::filter_rows(view, query));
  document.query = query;
  return {};
}

void read_statistics(Document& document, const std::string& input, const Terminal& terminal) {
  Checkpoint& file = *document.checkpoint;
  ProgressLine line(terminal, "computing", input);
  document.statistics.resize(file.tensors.size());
  checkpoint::ModelStatisticsTask task(file, document.shown_tensors());
  for (bool is_done = false; !is_done;) {
    is_done = task.step(base::Budget(kSlice));
    for (checkpoint::TensorReport& report : task.take()) {
      if (report.problem) document.problems.push_back(report.problem->message());
      document.statistics[report.tensor] = std::move(report.statistics);
    }
    line.show(task.done(), task.total());
  }
}

}  // namespace nns::cli
