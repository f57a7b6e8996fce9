#pragma once

#include <optional>
#include <span>
#include <string>

#include "ui/panels/intent.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

struct RunningJob {
  std::uint64_t request = 0;
  std::string text;
  double at = -1;        ///< 0 to 1, negative: not known
  bool is_held = false;  ///< it stands still
};
struct StatusModel {
  std::string counts;                ///< "1,138 tensors · 405 B parameters · 810 GB"
  std::span<const RunningJob> jobs;  ///< newest last
};

/// Counts of the document; jobs on their way, each with Cancel.
std::optional<Intent> draw_status_bar(widgets::Ui& ui, widgets::Rect area, const StatusModel& model);

}  // namespace nns::panels
