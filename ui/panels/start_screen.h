#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/live/protocol_generated.h"
#include "ui/panels/intent.h"
#include "ui/widgets/ui.h"

namespace nns::panels {

struct StartSample {
  std::string name;
  std::string title;
  std::string about;
  live::wire::SampleKind kind = live::wire::SampleKind::Model;
};
/// Something that was opened lately.
struct StartRecent {
  std::string title;
  std::string detail;
};
/// A file that has to be chosen (again).
struct StartWanted {
  std::string name;
  bool was_open = false;  ///< before the page was loaded anew; otherwise a link is about it
};
struct StartModel {
  std::span<const StartRecent> recent;
  std::span<const StartWanted> wanted;
  std::span<const StartSample> samples;
  bool is_connected = false;  ///< the host has said hello
  bool has_picker = true;
  bool opens_paths = true;               ///< the location field takes paths, too
  std::span<const std::string> opening;  ///< what is being opened now
};
struct StartState {
  std::string location;
  widgets::ScrollState scroll;
  bool focus_location = false;
};

/// The screen without a document: drop, choose, type an address, or take a sample.
std::optional<Intent> draw_start_screen(widgets::Ui& ui, const widgets::Rect& area, const StartModel& model,
                                        StartState& state);

/// Over everything while something is dragged over the window.
void draw_drop_overlay(widgets::Ui& ui, const widgets::Rect& area);

}  // namespace nns::panels
