#pragma once

#include <CLI/App.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "native/cli/terminal.h"

namespace nns::cli {

struct SimulateOptions {
  std::string recipe;  ///< a built-in one's name, or a file of Python
  std::string data;
  std::vector<std::string> settings;  ///< "key=value"
  std::uint64_t steps = 20;           ///< that are measured, behind those in which it gets going
  std::vector<std::int64_t> ranks = {1, 8, 64, 512, 4096, 32768, 100000};
  std::string strategy = "ddp", algorithm = "auto";
  std::string bandwidth = "50GB/s", latency = "5us", intra_bandwidth = "450GB/s", intra_latency = "1us";
  std::int64_t ranks_per_node = 8;
  double speedup = 1, jitter_percent = 0, bucket_mb = 25;
  bool reshards_after_forward = true;
  bool json = false;
  std::vector<std::string> readable;
};

/// Adds the command "simulate".
CLI::App* add_simulate(CLI::App& app, SimulateOptions& options);

/// Runs a training on one rank, measures its steps, and predicts those of many ranks on a network that the options
/// describe. Returns 0; 1 if the program failed or made no step; kBadInput for what cannot be read.
int run_simulate(const SimulateOptions& options, const Terminal& terminal);

}  // namespace nns::cli
