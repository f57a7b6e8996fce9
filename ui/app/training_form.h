#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/host/host.h"
#include "ui/panels/training_form.h"

namespace nns::app {

/// A recipe that a person is about to train: what is set, on which data.
class TrainingForm {
 public:
  /// Asks the host that runs programs what can be set.
  TrainingForm(Requests& requests, const live::Mirror& mirror, std::string recipe);

  std::optional<panels::Intent> draw(widgets::Ui& ui, const widgets::Rect& area);
  /// The files that it is to learn from.
  void give(host::PickedFile data);
  /// The request that starts it; none: the path of its data is wrong, which the form says.
  std::optional<std::uint64_t> start();

 private:
  const live::wire::Recipe* recipe() const;

  Requests& requests_;
  const live::Mirror& mirror_;
  std::string name_;
  std::optional<host::PickedFile> data_;
  std::vector<panels::FormSetting> settings_;
  std::string problem_;
  panels::TrainingFormState state_;
};

}  // namespace nns::app
