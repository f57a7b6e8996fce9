#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "native/cli/train_viewers.h"

namespace nns::cli {

struct TrainOptions {
  std::string recipe;  ///< a built-in one's name, or a file of Python; empty with `resume` or `lists_recipes`
  std::string data;
  std::vector<std::string> settings;  ///< "key=value"
  std::string device = "auto";
  std::string folder;  ///< of the run; empty: a new one below nnscope-runs
  std::string resume;  ///< the folder of a run that is taken up again
  std::uint64_t checkpoint_every = 500;
  bool keeps_nothing = false;
  bool records_nothing = false;
  bool goes_on_after_nan = false;
  bool checks_backward = false;
  bool json = false;
  TrainViewerOptions viewers;
  bool lists_recipes = false;
  bool prints_recipe = false;
  std::vector<std::string> readable, writable;
  int processes = 0;  ///< 0: this one
  /// The words of the command line without --nproc, for the processes.
  std::vector<std::string> words;
};

/// Trains, and tells how it goes. As one of several ranks (--nproc, or as torchrun, MPI and Slurm start them) only rank
/// 0 keeps a folder, is watched and tells anything. Returns 0; 1 if the program failed or made numbers that are not
/// finite; kBadInput for what cannot be read; kStopped after Ctrl+C.
int run_train(const TrainOptions& options);

}  // namespace nns::cli
