#include "core/session/jobs.h"

#include <fmt/format.h>

#include <optional>

namespace nns::session {

namespace {

class OpenJob final : public Job {
 public:
  OpenJob(std::uint64_t request, std::uint64_t source, std::string name, std::string url,
          std::shared_ptr<SourceProvider> sources, Opened opened)
      : Job(request, 0),
        source_(source),
        name_(std::move(name)),
        url_(std::move(url)),
        sources_(std::move(sources)),
        opened_(std::move(opened)) {}

  base::Result<JobStep> step(const base::Budget& budget, const Send& /*send*/) override {
    if (task_ == nullptr) {
      auto found = sources_->open(source_, name_, url_);
      if (!found) return JobStep::Waiting;
      NNS_TRY_ASSIGN(SourceProvider::Opened opened, std::move(*found));
      NNS_TRY_ASSIGN(task_, opened.source != nullptr
                                ? checkpoint::open_checkpoint(std::move(opened.source), std::move(opened.siblings))
                                : checkpoint::open_folder(std::move(opened.siblings), name_));
    }
    NNS_TRY_ASSIGN(const checkpoint::OpenState state, task_->step(budget));
    switch (state) {
      case checkpoint::OpenState::Working:
        return JobStep::Working;
      case checkpoint::OpenState::WaitingForFiles:
        return JobStep::Waiting;
      case checkpoint::OpenState::Done:
        break;
    }
    NNS_TRY(opened_(task_->take()));
    return JobStep::Done;
  }

  Progress progress() const override {
    const auto progress = task_ == nullptr ? checkpoint::OpenTask::Progress() : task_->progress();
    return {fmt::format("Opening {}", name_.empty() ? url_ : name_), progress.done, progress.total};
  }

 private:
  std::uint64_t source_;
  std::string name_;
  std::string url_;
  std::shared_ptr<SourceProvider> sources_;
  Opened opened_;
  std::unique_ptr<checkpoint::OpenTask> task_;
};

class StatisticsJob final : public Job {
 public:
  StatisticsJob(const AnswerKey& key, std::string name, checkpoint::ElementSource source)
      : Job(key.request, key.document), key_(key), name_(std::move(name)), task_(std::move(source)) {}

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    NNS_TRY_ASSIGN(const bool is_done, task_.step(budget));
    if (!is_done) return JobStep::Working;
    send(tensor_statistics(key_, task_.statistics()));
    return JobStep::Done;
  }

  Progress progress() const override { return {fmt::format("Statistics of {}", name_), task_.done(), task_.total()}; }

 private:
  AnswerKey key_;
  std::string name_;
  checkpoint::StatisticsTask task_;
};

class TileJob final : public Job {
 public:
  TileJob(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
          const checkpoint::HeatRegion& region)
      : Job(key.request, key.document),
        key_(key),
        name_(std::move(name)),
        size_(checkpoint::matrix_size(source.shape, source.dtype)),
        task_(std::move(source), region) {}

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    NNS_TRY_ASSIGN(const bool is_done, task_.step(budget));
    if (task_.version() != sent_) {
      send(heat_tile(key_, *task_.tile(), size_));
      sent_ = task_.version();
    }
    return is_done ? JobStep::Done : JobStep::Working;
  }

  Progress progress() const override { return {fmt::format("Picture of {}", name_), task_.done(), task_.total()}; }

 private:
  AnswerKey key_;
  std::string name_;
  checkpoint::MatrixSize size_;
  checkpoint::HeatTileTask task_;
  std::uint32_t sent_ = 0;
};

}  // namespace

std::unique_ptr<Job> make_open_job(std::uint64_t request, std::uint64_t source, std::string name, std::string url,
                                   std::shared_ptr<SourceProvider> sources, Opened opened) {
  return std::make_unique<OpenJob>(request, source, std::move(name), std::move(url), std::move(sources),
                                   std::move(opened));
}

std::unique_ptr<Job> make_statistics_job(const AnswerKey& key, std::string name, checkpoint::ElementSource source) {
  return std::make_unique<StatisticsJob>(key, std::move(name), std::move(source));
}

std::unique_ptr<Job> make_tile_job(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
                                   const checkpoint::HeatRegion& region) {
  return std::make_unique<TileJob>(key, std::move(name), std::move(source), region);
}

}  // namespace nns::session
