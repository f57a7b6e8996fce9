#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/app/studio_screen.h"
#include "ui/panels/lesson_panel.h"

namespace nns::app {

/// The lesson that goes with a program: at which stop the learner is, and what was answered.
class LessonScreen {
 public:
  LessonScreen(Requests& requests, const live::Mirror& mirror, std::uint32_t document)
      : requests_(requests), mirror_(mirror), document_(document) {}

  /// Null: there is none.
  const live::wire::Lesson* lesson() const { return mirror_.lesson(document_); }
  std::uint32_t stop() const { return stop_; }
  /// Goes there, once the program is recorded; what lies behind the last is the last.
  void go_to(std::uint32_t stop);
  void carry_out(const panels::LessonAsk& asked);
  void job_ended(std::uint64_t request, bool is_finished);
  /// Leads the studio to the stop. Before drawing.
  void follow(StudioScreen& studio);
  std::optional<panels::Intent> draw(widgets::Ui& ui, const widgets::Rect& area);
  bool is_waiting() const { return lesson() != nullptr && (!is_there_ || checking_ != 0); }

 private:
  void check();
  void take_answer();

  Requests& requests_;
  const live::Mirror& mirror_;
  std::uint32_t document_;
  std::uint32_t stop_ = 0;
  bool is_asked_ = false;  ///< for the moment of the stop
  bool is_there_ = false;
  bool is_missing_ = false;
  std::uint64_t checking_ = 0;  ///< the request that checks the answer
  panels::LessonAnswer answer_ = panels::LessonAnswer::None;
  std::string said_;
  panels::LessonPanelState state_;
};

}  // namespace nns::app
