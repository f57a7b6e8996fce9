#include "native/server/kept_run.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "core/train/metrics_file.h"
#include "core/train/run_folder.h"
#include "native/host/run_folder.h"
#include "native/server/stream_recorder.h"

namespace nns::server {

namespace {

namespace fs = std::filesystem;

/// What is told of one training, on its way to its recording.
struct Recording {
  live::Broadcast stream;
  std::unique_ptr<StreamRecorder> recorder;  // goes first
};

base::Result<std::shared_ptr<train::RunFiles>> open_new_folder(const fs::path& folder, const std::string& name) {
  if (!folder.empty()) return host::open_run_folder(host::new_run_folder(folder, name));
  auto here = host::open_run_folder(host::new_run_folder(host::kRunsFolder, name));
  const char* const home = std::getenv("HOME");
  if (here.ok() || home == nullptr || *home == '\0') return here;
  return host::open_run_folder(host::new_run_folder(fs::path(home) / host::kRunsFolder, name));
}

}  // namespace

session::RunKeeper make_run_keeper(std::vector<std::pair<std::string, std::string>> environment, fs::path folder) {
  return [environment = std::move(environment),
          folder = std::move(folder)](const train::RunDescription& run) -> base::Result<session::KeptRun> {
    session::KeptRun kept;
    NNS_TRY_ASSIGN(kept.files, open_new_folder(folder, run.recipe));
    NNS_TRY_ASSIGN(kept.metrics, train::MetricsFile::open(*kept.files, 0));
    const auto recording = std::make_shared<Recording>();
    NNS_TRY_ASSIGN(
        recording->recorder,
        StreamRecorder::start(recording->stream, fs::path(kept.files->folder()) / "recording.nnscope", false));
    kept.record = [recording](live::Bytes message) { recording->stream.publish(std::move(message)); };
    kept.describe = [files = kept.files, run, environment](std::string_view program) {
      return train::describe_run(*files, run, program, environment);
    };
    return kept;
  };
}

}  // namespace nns::server
