#include "core/checkpoint/model_statistics.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

namespace nns::checkpoint {

bool has_values(const Checkpoint& document, const TensorEntry& entry) {
  if (entry.storage == kNone) return false;
  const Storage& storage = document.storages[entry.storage];
  return storage.device != "meta" && storage.file < document.files.size() &&
         document.files[storage.file].source != nullptr;
}

base::Result<ElementSource> element_source(Checkpoint& document, std::uint32_t tensor) {
  const TensorEntry& entry = document.tensors[tensor];
  if (!has_values(document, entry)) {
    return base::Error{.found = fmt::format("{} has no values here", document.name(entry)),
                       .expected = "a tensor that is not on meta, in a file that is there",
                       .where = document.title,
                       .offset = std::nullopt};
  }
  NNS_TRY_ASSIGN(auto bytes, document.value_bytes(tensor));
  const auto shape = document.shape(entry);
  const auto stride = document.stride(entry);
  return ElementSource{.bytes = std::move(bytes),
                       .dtype = entry.dtype,
                       .shape = {shape.begin(), shape.end()},
                       .stride = {stride.begin(), stride.end()},
                       .storage_offset = entry.storage_offset};
}

namespace {

std::vector<std::uint32_t> tensors_from(const Checkpoint& document, std::uint32_t first) {
  std::vector<std::uint32_t> tensors(document.tensors.size() - std::min<std::size_t>(first, document.tensors.size()));
  std::iota(tensors.begin(), tensors.end(), first);
  return tensors;
}

}  // namespace

ModelStatisticsTask::ModelStatisticsTask(Checkpoint& document, std::uint32_t first)
    : ModelStatisticsTask(document, tensors_from(document, first)) {}

ModelStatisticsTask::ModelStatisticsTask(Checkpoint& document, std::vector<std::uint32_t> tensors)
    : document_(document), tensors_(std::move(tensors)) {
  for (const std::uint32_t tensor : tensors_) {
    if (document.tensors[tensor].readable) total_ += document.tensors[tensor].nbytes;
  }
}

bool ModelStatisticsTask::step(const base::Budget& budget) {
  while (at_ < tensors_.size()) {
    if (!task_) begin_tensor();
    if (task_) {
      const auto stepped = task_->step(budget);
      if (stepped.ok() && !*stepped) return false;
      end_tensor(stepped.ok() ? std::nullopt : std::optional(stepped.error()));
    }
    if (budget.spent()) break;
  }
  return at_ >= tensors_.size();
}

// Starts the tensor at `at_`, or reports at once that there is nothing to be read.
void ModelStatisticsTask::begin_tensor() {
  const std::uint32_t tensor = tensors_[at_];
  const TensorEntry& entry = document_.tensors[tensor];
  if (entry.numel == 0 && entry.readable) {
    reports_.push_back({tensor, TensorStatistics(), std::nullopt});
    ++at_;
    return;
  }
  if (!entry.readable || !has_values(document_, entry)) {
    reports_.push_back({tensor, std::nullopt, std::nullopt});
    ++at_;
    return;
  }
  auto source = element_source(document_, tensor);
  if (!source.ok()) return end_tensor(source.error());
  task_.emplace(std::move(source).value(), false);
}

void ModelStatisticsTask::end_tensor(std::optional<base::Error> problem) {
  TensorReport report{tensors_[at_], std::nullopt, std::move(problem)};
  if (!report.problem) report.statistics = task_->statistics();
  reports_.push_back(std::move(report));
  task_.reset();
  done_ += document_.tensors[tensors_[at_]].nbytes;
  ++at_;
}

std::vector<TensorReport> ModelStatisticsTask::take() { return std::exchange(reports_, {}); }

std::uint64_t ModelStatisticsTask::done() const {
  if (!task_ || task_->total() == 0) return done_;
  const double part = static_cast<double>(task_->done()) / static_cast<double>(task_->total());
  return done_ + static_cast<std::uint64_t>(part * static_cast<double>(document_.tensors[tensors_[at_]].nbytes));
}

}  // namespace nns::checkpoint
