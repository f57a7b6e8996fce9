#include "native/host/settings_file.h"

#include <cstdlib>
#include <fstream>
#include <system_error>

namespace nns::host {

namespace fs = std::filesystem;

namespace {

/// `name` in nnscope's folder below what the variable names, else below the home folder.
fs::path place_of(const char* variable, const char* below_home, const char* name) {
  const char* folder = std::getenv(variable);
  if (folder != nullptr && *folder == '/') return fs::path(folder) / "nnscope" / name;
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fs::path(home) / below_home / "nnscope" / name;
  return {};
}

}  // namespace

fs::path settings_path() { return place_of("XDG_CONFIG_HOME", ".config", "settings"); }
fs::path session_path() { return place_of("XDG_STATE_HOME", ".local/state", "session"); }

std::map<std::string, std::string> read_settings_file(const fs::path& path) {
  std::map<std::string, std::string> settings;
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) settings[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return settings;
}

void write_settings_file(const fs::path& path, const std::map<std::string, std::string>& settings) {
  if (path.empty()) return;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const fs::path fresh = path.string() + ".new";
  {
    std::ofstream out(fresh, std::ios::trunc);
    for (const auto& [key, value] : settings) out << key << '=' << value << '\n';
    if (!out.flush()) return;
  }
  fs::rename(fresh, path, error);
}

}  // namespace nns::host
