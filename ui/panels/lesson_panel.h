#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ui/panels/intent.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

enum class LessonAnswer : std::uint8_t { None, Checking, Right, Wrong, Failed };

struct LessonModel {
  std::string_view title;
  std::uint32_t stop = 0;  ///< from 0
  std::uint32_t stops = 1;
  std::string_view stop_title;
  std::string_view text;  ///< paragraphs, with an empty line between two
  std::string_view question;
  bool is_ready = false;    ///< the program has run to its end: its moments can be shown, and answers checked
  bool is_missing = false;  ///< the recording has no such moment
  LessonAnswer answer = LessonAnswer::None;
  std::string_view said;  ///< why an answer could not be checked
};

struct LessonPanelState {
  std::string answer;
  widgets::ScrollState scroll;
  std::uint32_t shown = UINT32_MAX;  ///< the stop whose beginning was brought into sight
  bool is_answering = false;         ///< the keyboard was in the answer last
  bool focus_answer = false;
  bool checks_when_ready = false;  ///< Enter was pressed before the program had ended
};

/// What a lesson says at one of its stops, its question, and the ways to the others (Page Down, Page Up: the keys that
/// presenters' remote controls send).
std::optional<Intent> draw_lesson_panel(widgets::Ui& ui, const widgets::Rect& area, const LessonModel& model,
                                        LessonPanelState& state);

}  // namespace nns::panels
