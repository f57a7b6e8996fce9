#pragma once

#include "core/python/eval/machine.h"
#include "native/cli/run_command.h"

namespace nns::cli {

/// Lets a program be one of several ranks: what of the environment says so (as torchrun, Open MPI, MPICH and Slurm set
/// it) stands in os.environ, and torch.distributed has the network. A program may meet others on this machine, and at
/// the MASTER_ADDR of the environment; torch.multiprocessing.spawn starts this executable with the same permissions.
void give_ranks(python::Machine& machine, const RunOptions& options);

/// Which of several ranks this process is, as the environment says; without that the only one.
struct RankHere {
  int rank = 0;
  int size = 1;
  int local_rank = 0;
};
RankHere rank_here();

/// This executable with `arguments` as several processes of this machine, the ranks of a world. `output_folder`: as
/// RankProcesses. Returns 0, the exit status of the first rank that failed, or 128 + the number of the signal that
/// ended it.
int run_as_ranks(std::vector<std::string> arguments, int count, const std::string& output_folder);

/// run --nproc: a program so.
int run_program_as_ranks(const RunOptions& options);

/// run --nproc --in-turns: the program as several ranks that take turns on one thread. Returns as the same as processes
/// do, or kBadInput where the file cannot be read.
int run_program_in_turns(const RunOptions& options);

/// Whether this process is one that torch.multiprocessing.spawn started.
bool is_spawned();
/// Calls the function that it was started for. Must hold: is_spawned(); the program has run as its module.
object::PyResult<object::Value> call_spawned(python::Machine& machine);
/// Leaves the traceback to who started it.
void tell_spawner(const std::string& traceback);

}  // namespace nns::cli
