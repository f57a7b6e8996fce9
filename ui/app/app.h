#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/live/endpoint.h"
#include "core/live/mirror.h"
#include "ui/app/commands.h"
#include "ui/app/document_screen.h"
#include "ui/app/history.h"
#include "ui/app/requests.h"
#include "ui/app/settings.h"
#include "ui/host/host.h"
#include "ui/panels/error_cards.h"
#include "ui/panels/intent.h"
#include "ui/panels/start_screen.h"
#include "ui/widgets/input_gate.h"
#include "ui/widgets/ui.h"

namespace nns::app {

/// The explorer: applies what hosts tell to the Mirror, draws panels from it, and carries out what they ask for.
/// Must hold: a Dear ImGui context is current from before the constructor until after the destructor.
/// Threads: the UI thread.
class App {
 public:
  explicit App(std::unique_ptr<live::Endpoint> endpoint);
  ~App();

  /// One frame, from ImGui::NewFrame(), which it calls, to ImGui::Render(), which it leaves to the caller. With nothing
  /// to do it asks for no further frame (host::request_frame()): the loop may sleep until there is input or a message.
  void frame();

  void open_file(const host::PickedFile& file);
  void open_url(const std::string& url);
  void open_sample(const std::string& name);
  /// Chooses the row with this path (or the first whose path ends with it) once what was asked for is open.
  void select_when_opened(std::string path);
  void show_tab(panels::InspectorTab tab);
  /// For this run only; the setting stays.
  void force_theme(panels::ThemeChoice theme) { forced_theme_ = theme; }
  void show_error(base::Error error);
  /// The core has stopped and `why`: told once, whoever notices first.
  void core_stopped(std::string why);
  /// What went wrong and nobody put away yet.
  std::span<const panels::ErrorCard> errors() const { return errors_; }
  /// Everything on the GPU is gone (a browser does that); it is made again when it is drawn.
  void graphics_lost();

  /// The focus will move: to where an action that still waits, or the last one, sends it.
  bool is_focus_under_way() const { return gate_.has_waiting_actions() || ui_.has_pending_focus(); }
  /// Nothing is on its way: what is drawn will not change by itself. For pictures and tests.
  bool is_settled() const;
  const live::Mirror& mirror() const { return mirror_; }
  /// The controls that were drawn in the last frame.
  std::span<const host::AccessNode> controls() const { return ui_.controls(); }

 private:
  struct Opening {
    std::string name;
  };

  void receive();
  void follow_documents();
  void follow_jobs();
  void take_dropped();
  void run_commands();
  void run(Command command);
  void draw();
  void draw_document(const widgets::Rect& area);
  void draw_start(const widgets::Rect& area);
  void draw_layers(const widgets::Rect& screen);
  void carry_out(const panels::Intent& intent);
  void ask(std::optional<panels::Intent> intent);

  void choose(std::uint32_t document);
  void visit();
  void go_to(const Place& place);
  void change_scale(int steps);
  void copy(const std::string& text, std::string_view what);
  void open_location(const std::string& text);
  void try_pending_selection();
  void escape();
  DocumentScreen* screen();
  widgets::Theme const& theme() const;

  live::Mirror mirror_;
  Requests requests_;
  widgets::InputGate gate_;
  widgets::Ui ui_;
  widgets::HeatMapRenderer renderer_;
  Settings settings_;
  std::optional<panels::ThemeChoice> forced_theme_;

  std::map<std::uint32_t, std::unique_ptr<DocumentScreen>> screens_;
  std::uint32_t chosen_ = 0;
  History history_;
  panels::StartState start_;
  std::map<std::uint64_t, Opening> opening_;
  std::map<std::uint64_t, double> job_since_;
  std::string pending_selection_;
  std::optional<panels::InspectorTab> pending_tab_;
  std::vector<panels::ErrorCard> errors_;
  std::uint64_t next_error_ = 1;
  std::optional<panels::Toast> toast_;
  bool keys_shown_ = false;
  widgets::ScrollState keys_scroll_;
  std::optional<panels::PaletteState> palette_;  // while the list of commands is shown
  bool said_lost_ = false;
  bool settings_changed_ = false;
  std::string title_;
  std::vector<panels::Intent> intents_;
  bool acted_ = false;  // in the last frame: what follows from it is drawn first
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // answers of the picker may come after the end
};

}  // namespace nns::app
