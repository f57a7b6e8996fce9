#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nns::host {

/// The output of a program without its last newline, or nothing if it is not there or fails. Waits for its end.
std::optional<std::string> run_program(const std::vector<std::string>& arguments);

/// The command of the desktop's file picker (zenity, kdialog or qarma), if one is installed.
std::optional<std::vector<std::string>> find_file_picker();
/// The command that asks where to save a file of that name.
std::optional<std::vector<std::string>> find_save_picker(std::string_view name);
/// Shows it and waits: the chosen path, or nothing if the person cancelled.
std::optional<std::string> run_file_picker();

/// What the desktop prefers: its setting where it can be asked cheaply, else dark.
bool desktop_prefers_dark();
bool desktop_prefers_reduced_motion();

/// "~/x" with the home folder in place of "~".
std::string expand_home(std::string_view path);

}  // namespace nns::host
