#include "native/host/desktop.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

extern char** environ;

namespace nns::host {

namespace {

bool is_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return false;
  std::string_view rest(path);
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, colon)).append("/").append(name);
    if (access(candidate.c_str(), X_OK) == 0) return true;
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  return false;
}

}  // namespace

std::optional<std::string> run_program(const std::vector<std::string>& arguments) {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int started = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  if (started == 0) {
    char buffer[512];
    for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
      output.append(buffer, static_cast<std::size_t>(count));
    }
  }
  close(ends[0]);
  if (started != 0) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  if (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

std::optional<std::vector<std::string>> find_file_picker() {
  // Looked up once: it does not change while the program runs.
  static const std::optional<std::vector<std::string>> found = []() -> std::optional<std::vector<std::string>> {
    for (const char* program : {"zenity", "qarma", "matedialog"}) {
      if (is_program(program))
        return std::vector<std::string>{program, "--file-selection", "--title=Open a checkpoint"};
    }
    if (is_program("kdialog")) return std::vector<std::string>{"kdialog", "--getopenfilename", "."};
    return std::nullopt;
  }();
  return found;
}

std::optional<std::vector<std::string>> find_save_picker(std::string_view name) {
  auto command = find_file_picker();
  if (!command) return command;
  if (command->front() == "kdialog") return std::vector<std::string>{"kdialog", "--getsavefilename", std::string(name)};
  command->back() = "--title=Save";
  command->insert(command->end(), {"--save", "--confirm-overwrite", "--filename=" + std::string(name)});
  return command;
}

std::optional<std::string> run_file_picker() {
  const auto command = find_file_picker();
  if (!command) return std::nullopt;
  std::optional<std::string> path = run_program(*command);
  if (path && path->empty()) return std::nullopt;
  return path;
}

bool desktop_prefers_dark() {
  if (const char* theme = std::getenv("GTK_THEME"))
    return std::string_view(theme).find("dark") != std::string_view::npos;
  if (!is_program("gsettings") || std::getenv("DBUS_SESSION_BUS_ADDRESS") == nullptr) return true;
  const auto scheme = run_program({"gsettings", "get", "org.gnome.desktop.interface", "color-scheme"});
  if (!scheme) return true;
  if (scheme->find("dark") != std::string::npos) return true;
  return scheme->find("light") == std::string::npos && scheme->find("default") == std::string::npos;
}

bool desktop_prefers_reduced_motion() {
  if (!is_program("gsettings") || std::getenv("DBUS_SESSION_BUS_ADDRESS") == nullptr) return false;
  const auto animations = run_program({"gsettings", "get", "org.gnome.desktop.interface", "enable-animations"});
  return animations && *animations == "false";
}

std::string expand_home(std::string_view path) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || path.empty() || path[0] != '~' || (path.size() > 1 && path[1] != '/'))
    return std::string(path);
  return std::string(home).append(path.substr(1));
}

}  // namespace nns::host
