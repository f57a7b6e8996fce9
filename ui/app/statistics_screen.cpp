#include "ui/app/statistics_screen.h"

#include <algorithm>

namespace nns::app {

namespace {

// A document up to this size is computed by itself once its statistics are looked at: a fraction of a second.
constexpr std::uint64_t kSmallDocumentBytes = 64'000'000;

std::uint64_t bytes_from(const live::DocumentView& document, std::size_t first) {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = static_cast<std::uint32_t>(first); i < document.tensor_count(); ++i) {
    bytes += document.nbytes(i);
  }
  return bytes;
}

}  // namespace

std::span<const live::wire::TensorNumbers> StatisticsScreen::numbers() const {
  return document_ == nullptr ? std::span<const live::wire::TensorNumbers>() : mirror_.numbers(document_->id());
}

void StatisticsScreen::follow(const std::shared_ptr<const live::DocumentView>& document, bool is_seen) {
  if (document != document_) {
    document_ = document;
    has_begun_ = false;
    table_ = {};
  }
  const auto known = numbers();
  if (table_.lines().size() != known.size()) {
    table_.follow(known);
    if (known.size() == document_->tensor_count() && table_.is_sorted()) table_.sort(*document_, known);
    summary_ = model::summarise_numbers(known);
  }
  if (!is_seen || has_begun_ || document_->tensor_count() == 0) return;
  if (bytes_from(*document_, 0) <= kSmallDocumentBytes) compute();
}

void StatisticsScreen::compute() {
  if (request_ != 0 || document_ == nullptr || numbers().size() >= document_->tensor_count()) return;
  has_begun_ = true;
  request_ = requests_.model_statistics(document_->id(), static_cast<std::uint32_t>(numbers().size()));
}

void StatisticsScreen::sort(model::NumbersColumn column) { table_.choose(*document_, numbers(), column); }

void StatisticsScreen::job_ended(std::uint64_t request) {
  if (request_ == request) request_ = 0;
}

panels::StatisticsPanelModel StatisticsScreen::model() const {
  panels::StatisticsPanelModel made;
  made.document = document_.get();
  made.numbers = numbers();
  made.table = &table_;
  made.summary = &summary_;
  made.request = request_;
  if (document_ != nullptr && request_ == 0) made.bytes_left = bytes_from(*document_, made.numbers.size());
  const auto job = mirror_.jobs().find(request_);
  if (request_ != 0 && job != mirror_.jobs().end()) made.job = &job->second;
  return made;
}

}  // namespace nns::app
