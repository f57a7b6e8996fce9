#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

/// What the app needs from the machine. native/host/ and web/host/ each define all of it; nothing else knows the
/// platform. Threads: the UI thread.
namespace nns::host {

/// A file, or several that were dropped together, which the platform keeps under `source` for the Host to read.
struct PickedFile {
  std::uint64_t source = 0;
  std::string name;   ///< of the file that is to be opened; siblings lie beside it
  std::string place;  ///< where it is found again later: a path, or a page's name for a handle; empty: nowhere
};

/// Opens the platform's file picker. `done` runs once, on the UI thread: the file, or nothing if the person cancelled.
void pick_file(const std::function<void(std::optional<PickedFile>)>& done);

/// Whether pick_file() shows a picker here; if not, the app asks for a path itself and calls register_path().
bool has_file_picker();
/// Whether register_path() can work here at all.
bool opens_paths();
/// Registers a path typed by the person. Errors: a browser has no paths.
base::Result<PickedFile> register_path(std::string_view path);

/// Files that were dropped onto the window or page since the last call.
std::vector<PickedFile> take_dropped_files();
/// Whether something is being dragged over the window now.
bool is_drag_over();

/// Opens again what PickedFile::place named, perhaps in an earlier run; inside of a click or key press, since a browser
/// may ask the person first; not `may_ask`: only if it need not. `done` runs once, on the UI thread: the file, or
/// nothing if it is not to be had.
void reopen_file(const std::string& place, bool may_ask, const std::function<void(std::optional<PickedFile>)>& done);

/// From now on only these files are watched, by PickedFile::place.
void watch_files(std::vector<std::string> places);
/// Files that are watched and have another size or time of change than when they were opened, or told of last.
std::vector<PickedFile> take_changed_files();

/// Where the person is now (model::Link, without `#`): a page puts it into its address. `visit` numbers a new entry of
/// its history; 0 changes the present one.
void show_link(std::string_view link, std::uint64_t visit);
/// Goes back (-1) or forward (1) in the platform's own history, which then tells the app where to go. False: it has
/// none, and nothing happens.
bool go_in_history(int steps);
/// What the address of a link begins with, up to the `#`; empty where the explorer is no page.
std::string link_base();

/// Puts UTF-8 text on the system clipboard. Browsers allow it only inside a click or key press.
base::Result<void> copy_to_clipboard(std::string_view text);

/// Pixels of the framebuffer per unit of the user interface, as the system has it (1.0, 1.5, 2.0, ...).
float display_scale();
/// What the system prefers.
bool prefers_dark();
bool prefers_reduced_motion();

/// Small settings that outlive the program (theme, UI scale, recent files): one line of text by key. Those
/// that begin with `tab.` belong to what is open: in a browser they last as long as the tab, natively until the program
/// is next started.
std::optional<std::string> load_setting(std::string_view key);
void save_setting(std::string_view key, std::string_view value);

/// Title of the window or tab.
void set_title(std::string_view title);

/// Asks for another frame even without input: soon (an animation, a job's progress), or when so much time has passed.
/// Otherwise the loop may sleep. Units: seconds.
void request_frame(double after_seconds = 0);

/// One control of the page as assistive technology and tests see it (ui/host/access_node.h).
struct AccessNode;
struct AccessAction;
/// Hands over the whole tree of controls after each frame in which it changed.
void publish_access(std::span<const AccessNode> controls);
/// What was asked of controls since the last call.
std::vector<AccessAction> take_access_actions();

}  // namespace nns::host
