#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/panels/console_panel.h"

namespace nns::app {

/// The console of one program: what it wrote, and what is typed to it.
class ConsoleScreen {
 public:
  /// `opened_by`: the request that opened the document, which runs the program's file.
  ConsoleScreen(Requests& requests, const live::Mirror& mirror, std::uint32_t document, std::uint64_t opened_by)
      : requests_(requests), mirror_(mirror), document_(document), running_({opened_by}) {}

  /// Takes in what has come. Before drawing.
  void follow();
  std::optional<panels::Intent> draw(widgets::Ui& ui, const widgets::Rect& area);
  void run(const std::string& text);
  /// Asks what the name at the end of the text may become.
  void complete(const std::string& text);
  void stop();
  /// A job that runs the program was begun elsewhere.
  void job_began(std::uint64_t request) { running_.insert(request); }
  void job_ended(std::uint64_t request) { running_.erase(request); }
  void take_focus() { state_.take_focus = true; }
  bool is_running() const { return !running_.empty(); }
  /// What runs stands still until hold(false).
  bool is_held() const;
  void hold(bool held);
  std::string text() const;

 private:
  void take_completions();

  Requests& requests_;
  const live::Mirror& mirror_;
  std::uint32_t document_;
  std::set<std::uint64_t> running_;
  panels::ConsolePanelState state_;
  std::vector<model::ConsoleLine> lines_;
  std::uint64_t lines_version_ = 0;
  std::uint32_t lines_columns_ = 0;
  std::uint64_t completion_request_ = 0;
  std::string completed_;  ///< the text that was asked about
  std::vector<std::string> completions_;
};

}  // namespace nns::app
