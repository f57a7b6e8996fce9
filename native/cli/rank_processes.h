#pragma once

#include <functional>
#include <string>
#include <vector>

namespace nns::cli {

/// A program to start as several processes of this machine.
struct RankProcesses {
  int count = 1;
  /// Arguments of this executable.
  std::vector<std::string> arguments;
  /// NAME=value of process `rank`, over what this process has.
  std::function<std::vector<std::string>(int rank)> environment;
  /// Where each writes what it prints: DIR/rank0.out, ...; empty: to this process's standard output.
  std::string output_folder;
  /// A socket that process 0 inherits, or -1.
  int socket = -1;
  /// Whether lines on stderr begin with the rank.
  bool marks_errors = false;
};

/// How they ended: the first that failed, or -1, and how it did.
struct RankEnd {
  int failed_rank = -1;
  /// Its exit status; minus the number of the signal that ended it.
  int status = 0;
};

/// Starts them and waits for all. When one fails, the others get a moment to end by themselves, then SIGTERM, then
/// SIGKILL. Ctrl+C and SIGTERM reach all of them. They do not outlive this process.
/// Errors: none started (status 127, failed_rank 0), with the reason on stderr.
RankEnd run_ranks(const RankProcesses& processes);

/// A socket that listens at a free port of 127.0.0.1, or -1.
struct ListeningSocket {
  int socket = -1;
  int port = 0;
};
ListeningSocket listen_anywhere();

}  // namespace nns::cli
