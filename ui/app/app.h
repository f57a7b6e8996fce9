#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/live/endpoint.h"
#include "core/live/mirror.h"
#include "ui/app/commands.h"
#include "ui/app/comparison_screen.h"
#include "ui/app/document_screen.h"
#include "ui/app/history.h"
#include "ui/app/live_link.h"
#include "ui/app/recent.h"
#include "ui/app/requests.h"
#include "ui/app/settings.h"
#include "ui/app/training_form.h"
#include "ui/app/training_screen.h"
#include "ui/exports/export.h"
#include "ui/exports/picture.h"
#include "ui/host/host.h"
#include "ui/model/link.h"
#include "ui/panels/choice_dialog.h"
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
  /// `programs`: see Requests.
  explicit App(std::unique_ptr<live::Endpoint> endpoint, std::unique_ptr<live::Endpoint> programs = nullptr);
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
  /// Shows the search box with `query`, once what was asked for is open.
  void search_when_opened(std::string query) { pending_search_ = std::move(query); }
  /// Records the program once it is open and has run, and shows its studio at that event.
  void record_when_opened(std::uint32_t event) { pending_studio_ = event; }
  /// The same of a lesson, at that stop, from 0.
  void go_to_stop_when_opened(std::uint32_t stop) { pending_stop_ = stop; }
  /// Compares the two documents that were asked for first, once both are open.
  void compare_when_opened() { compare_pending_ = true; }
  /// For this run only; the setting stays.
  void force_theme(panels::ThemeChoice theme) { forced_theme_ = theme; }
  /// Goes to where a link leads (model::Link), and opens its document if it is not; a file that the platform cannot
  /// give is asked for. `is_quiet`: only opens, shows nothing and asks nothing.
  void follow_link(std::string_view text, bool is_quiet = false);
  /// A page was loaded, or the program started: opens what was open before, in the same order, and goes to where the
  /// page's address says (`link`), or else to what was shown. What cannot be opened without the person is asked for, or
  /// told where the platform knows that it is gone.
  void restore(std::string_view link);
  /// The platform's history is at that visit (host::show_link) now, or else at that link.
  void go_to_visit(std::uint64_t visit, std::string_view link);
  /// By which attach() connects; without it nothing is attached to. Before the first frame.
  void set_connector(LiveConnector connector) { connector_ = std::move(connector); }
  /// Shows the stream of a host on another machine, or in another process of this one (an empty address).
  void attach(const std::string& address);
  void show_error(base::Error error);
  /// The core has stopped and `why`: told once, whoever notices first.
  void core_stopped(std::string why);
  /// The host that runs programs has stopped and `why`: its documents are gone. The next program starts another.
  void programs_stopped(std::string why);
  /// What went wrong and nobody put away yet.
  std::span<const panels::ErrorCard> errors() const { return errors_; }
  /// Everything on the GPU is gone (a browser does that); it is made again when it is drawn.
  void graphics_lost();

  /// Whether a text has the keyboard.
  bool is_typing() const { return ui_.is_typing() || widgets::has_text_field(); }
  /// The focus will move: to where an action that still waits, or the last one, sends it.
  bool is_focus_under_way() const { return gate_.has_waiting_actions() || ui_.has_pending_focus(); }
  /// What the person did has not all been followed yet: the next frames may draw other controls.
  bool is_input_under_way() const { return acted_ || !ui_.is_ready() || gate_.holds(); }
  /// Nothing is on its way: what is drawn will not change by itself. For pictures and tests.
  bool is_settled() const;
  const live::Mirror& mirror() const { return mirror_; }
  /// The controls that were drawn in the last frame.
  std::span<const host::AccessNode> controls() const { return ui_.controls(); }

 private:
  /// By what a file that was open before is known again, beside its name: the bytes of all its files, and a hash of the
  /// first ones. 0: not known.
  struct FileMark {
    std::uint64_t size = 0;
    std::uint64_t head = 0;
  };
  /// Something that is on its way.
  struct Opening {
    std::string name;
    model::Link source;               ///< what a link to it says: file, url or sample
    model::Link then;                 ///< where to go in it
    std::uint32_t replaces = 0;       ///< a document that is open and is this one at an earlier time
    std::uint64_t order = 0;          ///< its place among the tabs, from next_order_
    FileMark mark;                    ///< of the file that was open before
    std::string wanted_name;          ///< the person gave the file for one of this name
    bool is_kept = false;             ///< host::reopen_file() finds the file
    bool is_quiet = false;            ///< what is shown stays
    bool was_open = false;            ///< before the page was loaded anew, or the program started
    bool is_beside = false;           ///< goes beside the one that is shown
    bool is_beside_programs = false;  ///< see Requests::open_source()
    std::optional<host::PickedFile> file;
  };
  struct Source {
    model::Link source;
    bool is_kept = false;
    std::uint64_t order = 0;
    FileMark mark;
    std::optional<host::PickedFile> file;
  };
  /// A file that the person gave for another one.
  struct Mismatch {
    std::uint32_t document = 0;
    Opening opening;
    std::string why;
  };
  /// A comparison whose documents are not open yet.
  struct PendingComparison {
    model::Link link;
    bool is_quiet = false;
  };
  /// A row of a document.
  struct Part {
    std::uint32_t document = 0;
    std::uint32_t row = 0;
  };

  void receive();
  void follow_documents();
  void follow_trainings();
  void follow_link_state();
  void close_training(std::uint32_t tab);
  void choose_recipe();
  void show_training_form(std::string recipe);
  void carry_out_in_form(const panels::TrainingFormAsk& asked);
  void draw_training(const widgets::Rect& area);
  TrainingScreen* training();
  void follow_jobs();
  void take_dropped();
  void run_commands();
  void run(Command command);
  /// Says that what was asked for needs a program.
  void ask_for_program();
  void draw();
  void draw_document(const widgets::Rect& area);
  void draw_screen(DocumentScreen& shown, const widgets::Rect& area, host::Role role);
  void draw_start(const widgets::Rect& area);
  void draw_layers(const widgets::Rect& screen);
  void carry_out(const panels::Intent& intent);
  void ask(std::optional<panels::Intent> intent);

  void open(Opening what, const host::PickedFile* file);
  void start_opening(Opening what);
  void want(Opening what);
  void document_opened(std::uint32_t id, std::uint64_t request);
  void document_ready(std::uint32_t id, const Opening& opening);
  std::string why_other(std::uint32_t id, const Opening& opening) const;
  model::Link link() const;
  model::Link link_of(std::uint32_t tab) const;
  model::Link kept_link(std::uint32_t tab) const;
  /// 0: none. A file at the same place comes before one that only has its name; `at_its_place`: that alone is taken.
  std::uint32_t find_document(const model::Link& source, bool at_its_place = false) const;
  /// What a document is called beside the others that are open.
  std::string title_of(std::uint32_t document) const;
  bool is_coming(const model::Link& source, bool at_its_place = false) const;
  void follow_comparison_link(const model::Link& link, bool is_quiet);
  void follow_pending_comparisons();
  void tell_link();
  std::string session_text() const;
  void copy_link();
  void follow_sources();
  void open_wanted(std::size_t index);
  void forget_wanted(std::size_t index);
  void give_wanted(std::uint64_t order, const host::PickedFile& file);
  void follow_mismatches();
  void mismatch_answered(std::uint32_t line);
  void close_all();
  std::vector<std::uint32_t> tabs() const;
  bool is_before(std::uint32_t document, std::uint32_t other) const;
  void open_recent(std::size_t index);
  /// Opens a document anew, from `file` if it is given, and takes the old one away once that is done.
  void reload(std::uint32_t document, const host::PickedFile* file, bool is_beside_programs = false);
  void follow_watched();
  void choose_beside();
  void choose(std::uint32_t document);
  void visit();
  void go_to(const Place& place);
  void change_scale(int steps);
  void copy(const std::string& text, std::string_view what);
  void open_location(const std::string& text);
  void try_pending_selection();
  void escape();
  void show_search(std::string text);
  void hide_search();
  void follow_search();
  DocumentScreen* screen();
  ComparisonScreen* comparison();
  /// The number of the comparison; 0 if these parts cannot be compared, which is told.
  std::uint32_t compare(const live::Compared& of, bool is_shown = true);
  void bring_together(const live::Compared& of);
  void choose_partner();
  void choose_part_partner();
  void follow_comparisons();
  bool run_in_comparison(Command command);
  void choice_made(std::uint32_t line);
  void carry_out_in_comparison(const panels::ComparisonAsk& asked);
  void draw_comparison(ComparisonScreen& shown, const widgets::Rect& area);
  widgets::Theme const& theme() const;

  live::Mirror mirror_;
  /// What is being written to a file.
  struct Saving {
    std::unique_ptr<exports::Export> work;
    std::unique_ptr<host::SaveFile> file;  ///< null while the person is asked where
    std::string name;
    bool is_given = false;
  };
  static constexpr std::uint64_t kSavingJob = UINT64_MAX;  ///< its number among the jobs that are shown
  void save(Command command);
  void save_difference(Command command);
  void save_checkpoint(std::uint32_t training);
  exports::PictureLook picture_look() const;
  void begin_saving(Saving saving);
  void follow_saving();
  void stop_saving(std::string_view told);

  Requests requests_;
  widgets::InputGate gate_;
  widgets::Ui ui_;
  std::array<Renderers, 2> renderers_;  // of one document, and of the second beside it
  Settings settings_;
  std::optional<panels::ThemeChoice> forced_theme_;

  std::map<std::uint32_t, std::unique_ptr<DocumentScreen>> screens_;
  std::uint32_t chosen_ = 0;
  // Comparisons are tabs as documents are; their numbers have this bit.
  static constexpr std::uint32_t kComparison = 0x80000000U;
  std::map<std::uint32_t, std::unique_ptr<ComparisonScreen>> comparisons_;
  std::uint32_t next_comparison_ = kComparison;
  // Trainings and recordings are tabs, too; their numbers are their documents' with this bit.
  static constexpr std::uint32_t kTraining = 0x40000000U;
  std::map<std::uint32_t, std::unique_ptr<TrainingScreen>> trainings_;
  std::unique_ptr<TrainingForm> form_;       // while a training is being prepared
  std::set<std::uint64_t> begun_trainings_;  // requests: what they become is shown
  LiveConnector connector_;
  LiveLink* link_ = nullptr;  // owned by requests_
  bool said_refused_ = false;
  std::string told_trouble_;
  bool compare_pending_ = false;
  std::uint32_t waits_for_partner_ = 0;  // the document that what is opened next is compared with
  enum class Choosing : std::uint8_t { Partner, Part, Sort, Mismatch, Recipe };
  Choosing choosing_ = Choosing::Partner;
  std::vector<panels::ChoiceLine> choice_lines_;
  std::string choice_title_;
  std::vector<Part> choices_;      // what the lines stand for; document 0: the last line, which is another matter
  std::optional<Part> part_mark_;  // to compare with what is chosen next
  std::optional<panels::ChoiceState> choice_;
  History history_;
  panels::StartState start_;
  std::map<std::uint64_t, Opening> opening_;
  std::map<std::uint64_t, double> job_since_;
  std::string pending_selection_;
  std::optional<panels::InspectorTab> pending_tab_;
  std::string pending_search_;
  std::optional<std::uint32_t> pending_studio_;  ///< the event to be shown
  std::optional<std::uint32_t> pending_stop_;    ///< of a lesson
  std::map<std::uint32_t, Source> sources_;      // by document
  Recent recent_;
  std::uint64_t next_order_ = 1;
  std::map<std::uint64_t, Opening> reopening_;  // files that the platform looks for; by order
  std::vector<Opening> wanted_;                 // files that only the person can give
  std::vector<Mismatch> mismatches_;
  std::vector<PendingComparison> pending_comparisons_;
  bool shows_next_ = false;          // what is opened next is shown, quiet or not: what was to be shown is gone
  model::Link pending_link_;         // where the person is going, as long as nothing is shown
  std::uint64_t pending_visit_ = 0;  // that the platform does not know of yet
  std::string told_link_;
  std::string told_open_;
  std::vector<std::string> watched_;
  std::uint32_t beside_ = 0;  // the document that is shown beside the chosen one; 0: none
  std::vector<panels::ErrorCard> errors_;
  std::uint64_t next_error_ = 1;
  std::optional<panels::Toast> toast_;
  bool keys_shown_ = false;
  widgets::ScrollState keys_scroll_;
  std::uint32_t focus_before_search_ = 0;
  int searches_ = 0;
  std::optional<panels::SearchState> search_;  // while the search box is shown
  model::SearchList answers_;
  bool said_lost_ = false;
  bool settings_changed_ = false;
  std::string title_;
  std::vector<panels::Intent> intents_;
  bool acted_ = false;  // in the last frame: what follows from it is drawn first
  std::optional<Saving> saving_;
  std::uint64_t saving_number_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // answers of the picker may come after the end
};

}  // namespace nns::app
