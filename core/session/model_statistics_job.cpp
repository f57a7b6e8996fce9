#include <fmt/format.h>

#include <chrono>

#include "core/checkpoint/model_statistics.h"
#include "core/session/jobs.h"

namespace nns::session {

namespace {

namespace wire = live::wire;
using Clock = base::Budget::Clock;

// Rows go out together: soon enough to be seen filling, seldom enough to cost nothing.
constexpr auto kBetweenStatistics = std::chrono::milliseconds(100);
constexpr std::size_t kMostRows = 4096;

wire::TensorNumbers numbers_of(const checkpoint::TensorReport& report) {
  const checkpoint::TensorStatistics found = report.statistics.value_or(checkpoint::TensorStatistics());
  const wire::NumbersState state = report.problem      ? wire::NumbersState::Unreadable
                                   : report.statistics ? wire::NumbersState::Known
                                                       : wire::NumbersState::NoValues;
  return {found.count,        found.zeros,  found.nan,     found.pos_inf + found.neg_inf,
          found.outliers,     found.rows,   found.columns, found.dead_rows,
          found.dead_columns, found.min,    found.max,     found.mean,
          found.std,          found.absmax, report.tensor, state};
}

class ModelStatisticsJob final : public Job {
 public:
  ModelStatisticsJob(const AnswerKey& key, checkpoint::Checkpoint& document)
      : Job(key.request, key.document),
        key_(key),
        name_(document.title),
        task_(document, key.subject),
        sent_at_(Clock::now()) {}

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    const bool is_done = task_.step(budget);
    for (const checkpoint::TensorReport& report : task_.take()) rows_.push_back(numbers_of(report));
    const Clock::time_point now = Clock::now();
    if (!rows_.empty() && (is_done || rows_.size() >= kMostRows || now - sent_at_ >= kBetweenStatistics)) {
      send(model_statistics(key_, rows_));
      rows_.clear();
      sent_at_ = now;
    }
    return is_done ? JobStep::Done : JobStep::Working;
  }

  Progress progress() const override { return {fmt::format("Statistics of {}", name_), task_.done(), task_.total()}; }

 private:
  AnswerKey key_;
  std::string name_;
  checkpoint::ModelStatisticsTask task_;
  std::vector<wire::TensorNumbers> rows_;
  Clock::time_point sent_at_;
};

}  // namespace

std::unique_ptr<Job> make_model_statistics_job(const AnswerKey& key, checkpoint::Checkpoint& document) {
  return std::make_unique<ModelStatisticsJob>(key, document);
}

}  // namespace nns::session
