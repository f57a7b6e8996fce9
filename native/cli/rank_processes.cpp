#include "native/cli/rank_processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "native/cli/terminal.h"

extern char** environ;

namespace nns::cli {
namespace {

using Clock = std::chrono::steady_clock;

// For the handler, which gets nothing but a number.
std::atomic<int> signal_seen = 0;

// While it lives SIGINT and SIGTERM are noted.
class NotedSignals {
 public:
  NotedSignals() {
    signal_seen = 0;
    struct sigaction action = {};
    action.sa_handler = [](int number) { signal_seen = number; };
    ::sigaction(SIGINT, &action, &interrupt_);
    ::sigaction(SIGTERM, &action, &terminate_);
  }
  ~NotedSignals() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGTERM, &terminate_, nullptr);
  }
  NotedSignals(const NotedSignals&) = delete;
  NotedSignals& operator=(const NotedSignals&) = delete;

 private:
  struct sigaction interrupt_ = {}, terminate_ = {};
};

struct Rank {
  pid_t process = -1;
  int errors = -1;
  std::string line;
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

// The environment of this process, with some of it replaced.
std::vector<std::string> merged_environment(const std::vector<std::string>& given) {
  std::vector<std::string> all = given;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view setting(*one);
    const std::string_view name = setting.substr(0, setting.find('=') + 1);
    bool is_replaced = false;
    for (const std::string& own : given) is_replaced = is_replaced || own.starts_with(name);
    if (!is_replaced) all.emplace_back(setting);
  }
  return all;
}

// Between fork and exec: nothing but system calls.
[[noreturn]] void become(const RankProcesses& processes, int rank, int out, int errors, char* const* words,
                         char* const* settings) {
  // Who started it may end without a word.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (out >= 0) ::dup2(out, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  if (processes.socket >= 0) ::fcntl(processes.socket, F_SETFD, rank == 0 ? 0 : FD_CLOEXEC);
  ::execve("/proc/self/exe", words, settings);
  ::_exit(127);
}

bool start(const RankProcesses& processes, int rank, Rank& made) {
  int out = -1;
  if (!processes.output_folder.empty()) {
    const std::string path = fmt::format("{}/rank{}.out", processes.output_folder, rank);
    out = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (out < 0) {
      print_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
      return false;
    }
  }
  std::array<int, 2> errors{};
  if (::pipe2(errors.data(), O_CLOEXEC) != 0) {
    if (out >= 0) ::close(out);
    return false;
  }
  std::vector<std::string> words = {"nnscope"};
  words.insert(words.end(), processes.arguments.begin(), processes.arguments.end());
  std::vector<std::string> settings = merged_environment(processes.environment(rank));
  const std::vector<char*> word_list = pointers(words), setting_list = pointers(settings);
  made.process = ::fork();
  if (made.process == 0) become(processes, rank, out, errors[1], word_list.data(), setting_list.data());
  if (out >= 0) ::close(out);
  ::close(errors[1]);
  made.errors = errors[0];
  return made.process > 0;
}

// Writes whole lines of what a rank says on stderr.
void relay(Rank& rank, int number, bool marks, bool is_end) {
  std::array<char, 4096> piece{};
  const ssize_t count = is_end ? 0 : ::read(rank.errors, piece.data(), piece.size());
  if (count > 0) rank.line.append(piece.data(), static_cast<std::size_t>(count));
  for (std::size_t end = 0; (end = rank.line.find('\n')) != std::string::npos; rank.line.erase(0, end + 1)) {
    fmt::print(stderr, "{}{}\n", marks ? fmt::format("[rank{}] ", number) : "", rank.line.substr(0, end));
  }
  if (count > 0) return;
  if (!rank.line.empty()) fmt::print(stderr, "{}{}\n", marks ? fmt::format("[rank{}] ", number) : "", rank.line);
  rank.line.clear();
  if (rank.errors >= 0) ::close(rank.errors);
  rank.errors = -1;
}

class Watch {
 public:
  Watch(std::vector<Rank>& ranks, bool marks) : ranks_(ranks), marks_(marks) {}

  RankEnd run() {
    while (is_running()) {
      read_errors();
      reap();
      stop_if_wanted();
    }
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      while (ranks_[i].errors >= 0) relay(ranks_[i], static_cast<int>(i), marks_, false);
    }
    return end_;
  }

 private:
  bool is_running() const {
    for (const Rank& one : ranks_) {
      if (one.process > 0) return true;
    }
    return false;
  }

  void read_errors() {
    std::vector<pollfd> waiting;
    std::vector<std::size_t> whose;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (ranks_[i].errors < 0) continue;
      waiting.push_back({ranks_[i].errors, POLLIN, 0});
      whose.push_back(i);
    }
    // So that an end is noticed soon, and costs nothing to look for.
    constexpr int kPauseMilliseconds = 10;
    ::poll(waiting.data(), waiting.size(), kPauseMilliseconds);
    for (std::size_t k = 0; k < waiting.size(); ++k) {
      if (waiting[k].revents != 0) relay(ranks_[whose[k]], static_cast<int>(whose[k]), marks_, false);
    }
  }

  void reap() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      int status = 0;
      if (ranks_[i].process <= 0 || ::waitpid(ranks_[i].process, &status, WNOHANG) != ranks_[i].process) continue;
      ranks_[i].process = -1;
      const int result = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      if (result == 0 || end_.failed_rank >= 0 || is_told_) continue;
      end_ = {static_cast<int>(i), result};
      stop_at_ = Clock::now() + kMoment;
    }
  }

  // 1. A failure: the others see it themselves, and say what they were doing. 2. SIGTERM. 3. SIGKILL.
  void stop_if_wanted() {
    if (const int number = signal_seen.exchange(0); number != 0) {
      // The terminal sends Ctrl+C to all by itself; a second one ends the patience.
      if (number == SIGTERM || is_told_) signal_all(is_told_ ? SIGKILL : SIGTERM);
      is_told_ = true;
      if (end_.failed_rank < 0) end_ = {0, number == SIGINT ? 130 : -number};
      stop_at_ = Clock::now() + kPatience;
    }
    if (stop_at_ == Clock::time_point() || Clock::now() < stop_at_) return;
    signal_all(was_asked_ ? SIGKILL : SIGTERM);
    was_asked_ = true;
    stop_at_ = Clock::now() + kPatience;
  }
  void signal_all(int number) const {
    for (const Rank& one : ranks_) {
      if (one.process > 0) ::kill(one.process, number);
    }
  }

  static constexpr std::chrono::milliseconds kMoment{1000}, kPatience{3000};
  std::vector<Rank>& ranks_;
  bool marks_;
  RankEnd end_;
  Clock::time_point stop_at_;
  bool was_asked_ = false;
  bool is_told_ = false;
};

}  // namespace

RankEnd run_ranks(const RankProcesses& processes) {
  if (!processes.output_folder.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(processes.output_folder, failed);
    if (failed) {
      print_error(fmt::format("cannot make the folder {}: {}", processes.output_folder, failed.message()));
      return {0, 127};
    }
  }
  const NotedSignals signals;
  std::vector<Rank> ranks(static_cast<std::size_t>(processes.count));
  for (int rank = 0; rank < processes.count; ++rank) {
    if (start(processes, rank, ranks[static_cast<std::size_t>(rank)])) continue;
    print_error(fmt::format("cannot start rank {}: {}", rank, std::strerror(errno)));
    for (const Rank& one : ranks) {
      if (one.process > 0) ::kill(one.process, SIGTERM);
    }
    Watch(ranks, processes.marks_errors).run();
    return {rank, 127};
  }
  return Watch(ranks, processes.marks_errors).run();
}

ListeningSocket listen_anywhere() {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return {};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  if (::bind(made, plain, size) != 0 || ::listen(made, SOMAXCONN) != 0 || ::getsockname(made, plain, &size) != 0) {
    ::close(made);
    return {};
  }
  return {made, ntohs(address.sin_port)};
}

}  // namespace nns::cli
