#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/live/mirror.h"
#include "ui/app/requests.h"
#include "ui/app/source_check.h"
#include "ui/model/capture_view.h"
#include "ui/model/link.h"
#include "ui/panels/capture_panel.h"

namespace nns::app {

/// A file that a host can read.
struct FileToRead {
  std::uint64_t source = 0;
  std::string name;
  std::string url;
};

/// What a compiler makes of a program, what a log tells of that, or the programs of a package: what is asked for, and
/// what of it is looked at.
class CaptureScreen {
 public:
  /// Must hold: `of` is no package.
  CaptureScreen(Requests& requests, const live::Mirror& mirror, std::uint32_t document, panels::CaptureOf of)
      : requests_(requests), mirror_(mirror), document_(document), of_(of) {}
  /// Of a package, which is read once somebody looks.
  CaptureScreen(Requests& requests, const live::Mirror& mirror, std::uint32_t document, FileToRead package)
      : requests_(requests),
        mirror_(mirror),
        document_(document),
        of_(panels::CaptureOf::Package),
        package_(std::move(package)) {
    state_.part = model::CapturePart::Graph;
  }

  /// Takes in what has come, fills the fields in as long as nobody typed in them, and goes on with the drawing for a
  /// moment if it `is_shown`. Before drawing.
  void follow(const live::DocumentView& document, std::uint32_t selected, bool is_shown);
  panels::CapturePanelModel model(bool is_running) const;
  panels::CapturePanelState& state() { return state_; }
  /// The source as it is edited, with which the program would run; null: as it was. A package is read.
  void run(const std::string* text);
  /// The path of the module that an OpenModule… is about; nothing: the ask is carried out.
  std::optional<std::string> carry_out(const panels::CaptureAsk& asked);
  void job_ended(std::uint64_t request);
  void take_focus();
  /// Where the person is, as parts of a link; a program that was not
  /// captured yet is, as soon as nothing runs in it.
  void write_link(model::Link& link) const;
  void read_link(const model::Link& link);
  bool take_wants_run() { return std::exchange(wants_run_, false); }
  bool is_waiting() const { return request_ != 0 || (is_shown_ && !view_.drawing().is_done()); }

 private:
  bool can_run() const { return of_ == panels::CaptureOf::Program; }
  void fill(const live::DocumentView& document, std::uint32_t selected);
  void follow_source();
  void show_line(std::uint32_t line);
  void show_node(std::uint32_t node);

  Requests& requests_;
  const live::Mirror& mirror_;
  std::uint32_t document_;
  panels::CaptureOf of_;
  FileToRead package_;
  bool was_asked_ = false;  ///< the package was asked for
  bool is_shown_ = false;
  bool wants_run_ = false;
  std::uint64_t request_ = 0;
  std::string error_;  ///< why the last capture failed
  model::CaptureView view_;
  panels::CapturePanelState state_;
  bool is_typed_ = false;  ///< the call is what a person typed
  bool is_filled_ = false;
  std::uint32_t filled_selected_ = 0;
  std::uint32_t filled_version_ = 0;
  std::string guessed_;  ///< inputs that were filled in
  /// The source that is shown, for its colours.
  struct Shown {
    text::TextBuffer buffer;
    SourceCheck check;
  };
  std::unique_ptr<Shown> source_;
  std::uint32_t source_of_ = UINT32_MAX;
  const live::wire::Capture* source_in_ = nullptr;
};

}  // namespace nns::app
