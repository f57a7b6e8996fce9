#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ui/panels/intent.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

/// One key of a recipe, as core/train/recipes.h says.
struct FormSetting {
  std::string key;
  std::string value;  ///< that it has unless another is given
};
/// A training that is to be started. Lifetime: one frame.
struct TrainingFormModel {
  std::string_view title;
  std::string_view about;
  std::string_view data;  ///< what data it takes; empty: none
  bool needs_data = false;
  std::string_view data_name;  ///< the file or folder that was chosen; empty: none
  std::span<const FormSetting> settings;
  bool is_known = false;     ///< the host has told what can be set
  bool has_picker = true;    ///< else the path of the data is typed
  std::string_view problem;  ///< why it was not started; empty: it was not tried
};
struct TrainingFormState {
  std::vector<std::string> values;  ///< one a setting
  std::string data_path;
  widgets::ScrollState scroll;
  bool take_focus = true;
};

/// Over everything else: what a recipe is, its data, its settings; Enter starts it.
std::optional<Intent> draw_training_form(widgets::Ui& ui, const widgets::Rect& area, const TrainingFormModel& model,
                                         TrainingFormState& state);

}  // namespace nns::panels
