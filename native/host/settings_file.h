#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace nns::host {

/// $XDG_CONFIG_HOME/nnscope/settings, or ~/.config/nnscope/settings: lines "key=value". Empty path: nowhere to keep
/// them.
std::filesystem::path settings_path();
/// $XDG_STATE_HOME/nnscope/session, or ~/.local/state/nnscope/session: what was open when the program was last used.
std::filesystem::path session_path();
/// What the file says; nothing if there is none or it cannot be read.
std::map<std::string, std::string> read_settings_file(const std::filesystem::path& path);
/// Replaces the file as a whole, so that it is never half written. A failure costs only the settings and is not told.
void write_settings_file(const std::filesystem::path& path, const std::map<std::string, std::string>& settings);

}  // namespace nns::host
