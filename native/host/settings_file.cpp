#include "native/host/settings_file.h"

#include <cstdlib>
#include <fstream>
#include <system_error>

namespace nns::host {

namespace fs = std::filesystem;

fs::path settings_path() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/') return fs::path(config) / "nnscope" / "settings";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fs::path(home) / ".config" / "nnscope" / "settings";
  return {};
}

std::map<std::string, std::string> read_settings_file() {
  std::map<std::string, std::string> settings;
  std::ifstream in(settings_path());
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) settings[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return settings;
}

void write_settings_file(const std::map<std::string, std::string>& settings) {
  const fs::path path = settings_path();
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
