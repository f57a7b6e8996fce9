#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/panels/training_panel.h"

namespace nns::app {

/// The screen of one training: what it shows is computed from the Mirror, what is asked of it becomes commands.
class TrainingScreen {
 public:
  TrainingScreen(Requests& requests, const live::Mirror& mirror, std::uint32_t document)
      : requests_(requests), mirror_(mirror), document_(document) {}

  std::uint32_t document() const { return document_; }
  std::string title() const;
  std::string counts_text() const;
  /// `trouble`: of the connection to the host.
  std::optional<panels::Intent> draw(widgets::Ui& ui, const widgets::Rect& area, widgets::HeatMapRenderer& renderer,
                                     const std::string& trouble);
  void carry_out(const panels::TrainingAsk& asked);
  /// Nothing keeps the run, and this viewer can be given its checkpoints.
  bool saves_checkpoints() const;
  /// A recording was asked for another place and has not shown it yet.
  bool is_waiting() const;

 private:
  void follow();
  void subscribe();
  void subscribe_to_tensor(std::uint32_t version);

  Requests& requests_;
  const live::Mirror& mirror_;
  std::uint32_t document_;
  panels::TrainingPanelState state_;
  model::TrainingChart chart_;
  std::vector<model::ModuleRow> modules_;
  std::vector<model::PhaseShare> phases_;
  std::uint64_t seen_ = UINT64_MAX;
  model::ModuleStatistic seen_statistic_;
  // Of a recording: what was asked for, and what is to be asked for when that has come.
  std::uint64_t asked_request_ = 0;
  std::optional<std::uint64_t> wanted_event_;
  std::uint32_t subscribed_version_ = 0;  // of the modules
  std::pair<std::string, panels::TrainingPanelState::Rate> subscribed_statistics_;
  std::uint64_t beginning_ = 0;  // of the host's stream that the subscriptions were made in
  /// What the lower part shows of which tensor; its values and history are only asked for while they are seen.
  struct Shown {
    std::uint32_t version = 0;  // of the modules
    std::uint32_t module = UINT32_MAX, tensor = UINT32_MAX;
    panels::TrainingPanelState::Detail detail = panels::TrainingPanelState::Detail::Phases;
    panels::TrainingPanelState::Of of = panels::TrainingPanelState::Of::Weights;
    friend bool operator==(const Shown&, const Shown&) = default;
  };
  Shown subscribed_;
  bool has_tensor_subscription_ = false;
  bool has_hook_subscription_ = false;
  std::vector<std::uint32_t> tensors_;  // of the chosen module
};

}  // namespace nns::app
