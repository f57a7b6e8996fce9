#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace nns::tests {

/// The program under test, running; its outputs are pipes.
class Process {
 public:
  /// `environment`: "NAME=value" beside a small one of its own (no display, so that nothing opens a window).
  /// `out_file`: where standard output goes instead of the pipe. `wrapper`: a program (with its path) that starts this
  /// one.
  explicit Process(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {},
                   const char* out_file = nullptr, const std::vector<std::string>& wrapper = {}) {
    std::array<int, 2> out{}, err{};
    if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) ADD_FAILURE() << "no pipes";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (out_file != nullptr) {
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_file, O_WRONLY, 0);
    } else {
      posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    }
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    std::vector<std::string> words = wrapper;
    words.emplace_back(NNSCOPE_EXECUTABLE);
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> settings = {"PATH=/usr/bin:/bin", "TERM=xterm-256color", "LC_ALL=C.UTF-8",
                                         "HOME=/nonexistent"};
    settings.insert(settings.end(), environment.begin(), environment.end());
    if (::posix_spawn(&id_, words.front().c_str(), &actions, nullptr, pointers(words).data(),
                      pointers(settings).data()) != 0) {
      ADD_FAILURE() << "cannot start " << words.front();
      id_ = -1;
    }
    posix_spawn_file_actions_destroy(&actions);
    ::close(out[1]);
    ::close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  ~Process() {
    if (id_ > 0) {
      ::kill(id_, SIGKILL);
      ::waitpid(id_, nullptr, 0);
    }
    ::close(out_);
    ::close(err_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const { ::kill(id_, number); }

  /// Reads standard output until `mark` came, or `milliseconds` passed without anything new.
  std::string read_until(std::string_view mark, int milliseconds = 120'000) {
    return read_until(out_, mark, milliseconds);
  }
  /// The same of standard error.
  std::string read_errors_until(std::string_view mark, int milliseconds = 120'000) {
    return read_until(err_, mark, milliseconds);
  }

  struct Result {
    int status = -1;  ///< exit status; minus the number of the signal that ended it; -1000: it did not end
    std::string out;
    std::string err;
    long peak_kib = 0;  ///< most memory that it had in use
  };
  /// Reads both outputs to their ends and waits for the program, at most `milliseconds` without anything new.
  Result wait(int milliseconds = 120'000) {
    Result result;
    std::array<pollfd, 2> waiting = {pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
    std::array<std::string*, 2> texts = {&result.out, &result.err};
    std::array<char, 65536> piece{};
    while ((waiting[0].fd >= 0 || waiting[1].fd >= 0) && ::poll(waiting.data(), 2, milliseconds) > 0) {
      for (std::size_t i = 0; i < 2; ++i) {
        if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
        const ssize_t count = ::read(waiting[i].fd, piece.data(), piece.size());
        if (count <= 0) {
          waiting[i].fd = -1;
        } else {
          texts[i]->append(piece.data(), static_cast<std::size_t>(count));
        }
      }
    }
    if (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
      result.status = -1000;
      return result;
    }
    int status = 0;
    rusage usage{};
    ::wait4(id_, &status, 0, &usage);
    id_ = -1;
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    result.peak_kib = usage.ru_maxrss;
    return result;
  }

 private:
  static std::string read_until(int file, std::string_view mark, int milliseconds) {
    std::string text;
    pollfd waiting{file, POLLIN, 0};
    std::array<char, 4096> piece{};
    while (text.find(mark) == std::string::npos && ::poll(&waiting, 1, milliseconds) > 0) {
      const ssize_t count = ::read(file, piece.data(), piece.size());
      if (count <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(count));
    }
    return text;
  }
  static std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    for (std::string& word : words) list.push_back(word.data());
    list.push_back(nullptr);
    return list;
  }
  pid_t id_ = -1;
  int out_ = -1;
  int err_ = -1;
};

inline Process::Result run_nnscope(const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& environment = {}) {
  return Process(arguments, environment).wait();
}

/// The same with a standard output that takes nothing.
inline Process::Result run_nnscope_with_full_disk(const std::vector<std::string>& arguments) {
  return Process(arguments, {}, "/dev/full").wait();
}

}  // namespace nns::tests
