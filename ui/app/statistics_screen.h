#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/model/numbers_table.h"
#include "ui/panels/statistics_panel.h"

namespace nns::app {

/// The statistics of all tensors of one document: asks for them, keeps their order.
class StatisticsScreen {
 public:
  StatisticsScreen(Requests& requests, const live::Mirror& mirror) : requests_(requests), mirror_(mirror) {}

  /// Takes in what has come. `is_seen`: somebody looks at them; those of a small document are then computed by
  /// themselves, once.
  void follow(const std::shared_ptr<const live::DocumentView>& document, bool is_seen);
  /// Begins, or goes on behind what is known.
  void compute();
  void sort(model::NumbersColumn column);
  /// A job has ended.
  void job_ended(std::uint64_t request);
  bool is_running() const { return request_ != 0; }
  /// Grows with what is known.
  std::uint64_t version() const { return numbers().size(); }
  std::span<const live::wire::TensorNumbers> numbers() const;
  panels::StatisticsPanelModel model() const;

 private:
  Requests& requests_;
  const live::Mirror& mirror_;
  std::shared_ptr<const live::DocumentView> document_;
  std::uint64_t request_ = 0;
  bool has_begun_ = false;
  model::NumbersTable table_;
  model::NumbersSummary summary_;
};

}  // namespace nns::app
