#include "core/session/jobs.h"

#include <fmt/format.h>

#include <algorithm>
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
  StatisticsJob(const AnswerKey& key, std::string name, checkpoint::ElementSource source, bool is_part)
      : Job(key.request, key.document),
        key_(key),
        name_(std::move(name)),
        task_(std::move(source)),
        is_part_(is_part) {}

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    NNS_TRY_ASSIGN(const bool is_done, task_.step(budget));
    if (!is_done) return JobStep::Working;
    send(is_part_ ? view_statistics(key_, task_.statistics()) : tensor_statistics(key_, task_.statistics()));
    return JobStep::Done;
  }

  Progress progress() const override { return {fmt::format("Statistics of {}", name_), task_.done(), task_.total()}; }

 private:
  AnswerKey key_;
  std::string name_;
  checkpoint::StatisticsTask task_;
  bool is_part_;
};

class FindJob final : public Job {
 public:
  FindJob(const AnswerKey& key, std::string name, checkpoint::ElementSource source, checkpoint::FindWhat what,
          std::uint64_t from)
      : Job(key.request, key.document), key_(key), name_(std::move(name)), task_(std::move(source), what, from) {}

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    NNS_TRY_ASSIGN(const bool is_done, task_.step(budget));
    if (!is_done) return JobStep::Working;
    send(value_found(key_, task_.found()));
    return JobStep::Done;
  }

  Progress progress() const override { return {fmt::format("Search in {}", name_), task_.done(), task_.total()}; }

 private:
  AnswerKey key_;
  std::string name_;
  checkpoint::FindValueTask task_;
};

class ValuesJob final : public Job {
 public:
  ValuesJob(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
            const checkpoint::HeatRegion& region)
      : Job(key.request, key.document),
        key_(key),
        name_(std::move(name)),
        dtype_(source.dtype),
        size_(checkpoint::matrix_size(source.shape, source.dtype)),
        region_(region),
        row_(region.row_begin),
        items_(std::move(source)) {
    offsets_.push_back(0);
  }

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    while (row_ < region_.row_end) {
      // An item that packs two numbers is two columns, and is asked for whole.
      const std::uint32_t per_item = checkpoint::values_per_item(dtype_);
      const std::uint64_t line = row_ * (size_.columns / per_item);
      const std::uint64_t begin = line + region_.column_begin / per_item;
      const std::uint64_t end = line + (region_.column_end + per_item - 1) / per_item;
      NNS_TRY_ASSIGN(const std::byte* raw, items_.read(begin, static_cast<std::size_t>(end - begin)));
      for (std::uint64_t item = begin; item < end; ++item) {
        std::string text = checkpoint::item_text(dtype_, raw + (item - begin) * tensor::item_bytes(dtype_));
        std::uint64_t column = (item - line) * per_item;
        for (std::size_t at = 0; at <= text.size(); ++column) {
          // Two numbers stand apart by a blank; no other text has one.
          const std::size_t stop = std::min(text.find(' ', at), text.size());
          if (column >= region_.column_begin && column < region_.column_end) {
            text_.append(text, at, stop - at);
            offsets_.push_back(static_cast<std::uint32_t>(text_.size()));
          }
          at = stop + 1;
        }
      }
      ++row_;
      if (budget.spent() && row_ < region_.row_end) return JobStep::Working;
    }
    send(values(key_, region_, text_, offsets_));
    return JobStep::Done;
  }

  Progress progress() const override {
    return {fmt::format("Values of {}", name_), row_ - region_.row_begin, region_.row_end - region_.row_begin};
  }

 private:
  AnswerKey key_;
  std::string name_;
  tensor::DType dtype_;
  checkpoint::MatrixSize size_;
  checkpoint::HeatRegion region_;
  std::uint64_t row_;
  checkpoint::OrderedItems items_;
  std::string text_;
  std::vector<std::uint32_t> offsets_;
};

class TileJob final : public Job {
 public:
  TileJob(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
          const checkpoint::HeatRegion& region, bool for_file, std::uint32_t other)
      : Job(key.request, key.document, other),
        key_(key),
        name_(std::move(name)),
        size_(checkpoint::matrix_size(source.shape, source.dtype)),
        for_file_(for_file),
        task_(std::move(source), region, !for_file) {}

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    NNS_TRY_ASSIGN(const bool is_done, task_.step(budget));
    if (task_.version() != sent_) {
      send(heat_tile(key_, *task_.tile(), size_, for_file_));
      sent_ = task_.version();
    }
    return is_done ? JobStep::Done : JobStep::Working;
  }

  Progress progress() const override { return {fmt::format("Picture of {}", name_), task_.done(), task_.total()}; }

 private:
  AnswerKey key_;
  std::string name_;
  checkpoint::MatrixSize size_;
  bool for_file_;
  checkpoint::HeatTileTask task_;
  std::uint32_t sent_ = 0;
};

}  // namespace

std::optional<base::Result<SourceProvider::Opened>> open_file(SourceProvider& sources, std::uint64_t source,
                                                              const std::string& name, const std::string& url,
                                                              std::string expected) {
  auto found = sources.open(source, name, url);
  if (found && found->ok() && found->value().source == nullptr) {
    return base::Error{.found = "a folder", .expected = std::move(expected), .where = name, .offset = std::nullopt};
  }
  return found;
}

std::unique_ptr<Job> make_open_job(std::uint64_t request, std::uint64_t source, std::string name, std::string url,
                                   std::shared_ptr<SourceProvider> sources, Opened opened) {
  return std::make_unique<OpenJob>(request, source, std::move(name), std::move(url), std::move(sources),
                                   std::move(opened));
}

std::unique_ptr<Job> make_statistics_job(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
                                         bool is_part) {
  return std::make_unique<StatisticsJob>(key, std::move(name), std::move(source), is_part);
}

std::unique_ptr<Job> make_find_job(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
                                   checkpoint::FindWhat what, std::uint64_t from) {
  return std::make_unique<FindJob>(key, std::move(name), std::move(source), what, from);
}

std::unique_ptr<Job> make_values_job(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
                                     const checkpoint::HeatRegion& region) {
  return std::make_unique<ValuesJob>(key, std::move(name), std::move(source), region);
}

std::unique_ptr<Job> make_tile_job(const AnswerKey& key, std::string name, checkpoint::ElementSource source,
                                   const checkpoint::HeatRegion& region, bool for_file, std::uint32_t other) {
  return std::make_unique<TileJob>(key, std::move(name), std::move(source), region, for_file, other);
}

}  // namespace nns::session
