#include "core/session/package_job.h"

#include <utility>

#include "core/capture/exported_program.h"
#include "core/session/capture_messages.h"

namespace nns::session {
namespace {

class ReadPackageJob final : public Job {
 public:
  /// The document is the viewer's, maybe another host's: the job works on none of this host's.
  ReadPackageJob(std::uint64_t request, std::uint32_t document, std::uint64_t source, std::string name, std::string url,
                 std::shared_ptr<SourceProvider> sources)
      : Job(request, 0),
        shown_in_(document),
        source_(source),
        name_(std::move(name)),
        url_(std::move(url)),
        sources_(std::move(sources)) {}

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    if (reader_ == nullptr) {
      auto found = open_file(*sources_, source_, name_, url_, "a package of torch.export");
      if (!found) return JobStep::Waiting;
      NNS_TRY_ASSIGN(const SourceProvider::Opened opened, std::move(*found));
      reader_ = std::make_unique<capture::ExportedProgramReader>(opened.source);
    }
    NNS_TRY_ASSIGN(const bool is_read, reader_->step(budget));
    if (!is_read) return JobStep::Working;
    send(capture_message(request(), shown_in_, reader_->take()));
    return JobStep::Done;
  }
  Progress progress() const override {
    return {"Reading the programs of " + name_, reader_ == nullptr ? 0 : reader_->done(),
            reader_ == nullptr ? 0 : reader_->total()};
  }

 private:
  std::uint32_t shown_in_;
  std::uint64_t source_;
  std::string name_;
  std::string url_;
  std::shared_ptr<SourceProvider> sources_;
  std::unique_ptr<capture::ExportedProgramReader> reader_;
};

}  // namespace

std::unique_ptr<Job> make_read_package_job(std::uint64_t request, std::uint32_t document, std::uint64_t source,
                                           std::string name, std::string url, std::shared_ptr<SourceProvider> sources) {
  return std::make_unique<ReadPackageJob>(request, document, source, std::move(name), std::move(url),
                                          std::move(sources));
}

}  // namespace nns::session
