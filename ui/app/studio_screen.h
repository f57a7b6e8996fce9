#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/app/source_check.h"
#include "ui/panels/studio_panel.h"

namespace nns::app {

/// The studio of one program: which moment of its recording is looked at, and what of it.
class StudioScreen {
 public:
  StudioScreen(Requests& requests, const live::Mirror& mirror, std::uint32_t document)
      : requests_(requests), mirror_(mirror), document_(document) {}

  /// Runs the program anew and records it, with `text` as its source if that is not null. Gives the job's number; 0:
  /// it is being recorded already.
  std::uint64_t record(const std::string* text);
  /// Goes to that event; without a recording the program is recorded as soon as it has stopped running.
  void open_at(std::uint32_t event) { wanted_ = event; }
  /// Whether the program is to be recorded once it does not run any more.
  bool wants_recording() const { return wanted_ && recording_ == 0 && mirror_.trace(document_) == nullptr; }
  void take_focus() { state_.source_focus.ask(); }
  void carry_out(const panels::StudioAsk& asked);
  /// Lines of that file where a search stops, from 0.
  text::LineSet breakpoints(const std::string& file) const;
  void set_breakpoints(const std::string& file, text::LineSet lines) { breakpoints_[file] = std::move(lines); }
  const panels::StudioStops& stops() const { return stops_; }
  void set_stops(const panels::StudioStops& stops) { stops_ = stops; }
  /// Goes to a stop of a lesson. Must hold: the recording is complete.
  void find(const live::wire::LessonStop& stop);
  /// Whether the last search found nothing.
  bool is_missing() const { return is_missing_; }
  /// Shows that view of the moment; of a variable of that name the object is chosen.
  void show(live::wire::LessonView view, std::string_view name);
  /// Bits of lesson::Hidden.
  void hide(std::uint32_t parts) { hides_ = parts; }
  void job_ended(std::uint64_t request, bool is_finished);

  /// Takes in what has come. Before drawing.
  void follow(bool is_held);
  std::optional<panels::Intent> draw(widgets::Ui& ui, const widgets::Rect& area, bool is_running, bool is_held);
  bool is_recording() const { return recording_ != 0; }
  /// Whether an answer that would change the picture is on its way.
  bool is_waiting() const;
  std::uint32_t event() const { return event_; }

 private:
  void ask(live::wire::TraceMove move, bool back, std::uint32_t from);
  void go_on();
  void take_moment(const live::TraceView& trace, const live::wire::TraceMoment& moment);
  void show_frame(const live::TraceView& trace, const live::wire::TraceMoment& moment);
  void make_output(const live::TraceView& trace, const live::wire::TraceMoment& moment);
  void play(widgets::Ui& ui);
  struct File;
  File* shown_file();

  Requests& requests_;
  const live::Mirror& mirror_;
  std::uint32_t document_;
  std::uint64_t recording_ = 0;            ///< the request of the job that records
  std::uint64_t asked_ = 0;                ///< the request of the moment that is on its way
  std::deque<panels::StudioAsk> waiting_;  ///< asked for behind it: each begins where the one before it ended
  std::uint32_t seen_recording_ = 0;
  std::uint64_t seen_moment_ = 0;  ///< the request of the moment that is shown
  std::uint32_t event_ = 0;        ///< that was asked for last, or shown
  std::uint32_t shown_event_ = 0;
  std::uint32_t since_ = 0;  ///< what changed behind this event is marked
  std::uint32_t frame_ = 0;  ///< whose source is shown, from the innermost
  std::uint32_t selected_ = UINT32_MAX;
  std::optional<std::uint32_t> wanted_;
  std::string note_;
  bool is_missing_ = false;
  std::uint32_t hides_ = 0;
  bool is_playing_ = false;
  bool was_held_ = false;
  double played_at_ = 0;
  std::map<std::string, text::LineSet> breakpoints_;  ///< by file
  panels::StudioStops stops_;
  panels::StudioSource source_;
  /// A file as it was when it was recorded.
  struct File {
    File(Requests& requests, const live::Mirror& mirror, std::string_view source);
    std::string text;
    std::vector<std::size_t> line_begins;  ///< in the text
    text::TextBuffer buffer;
    SourceCheck check;
  };
  std::map<std::string, std::unique_ptr<File>> files_;  ///< those that were shown, by name
  std::vector<model::StudioRow> stack_, object_, lookup_, modules_, replicas_;
  model::ObjectDrawing drawing_;
  std::vector<std::string> output_;
  panels::StudioPanelState state_;
};

}  // namespace nns::app
