#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nns::cli {

/// A variable of the environment; empty: it is not set.
using EnvironmentSetting = std::function<std::string(const char* name)>;

/// The variables by which ranks meet, as torchrun sets them (RANK, WORLD_SIZE, MASTER_ADDR, ...): those that are set,
/// and what Slurm's srun, Open MPI and MPICH (Hydra) say instead. These name no place to meet: under srun it is the
/// first machine of the step, under MPI this machine, where all ranks are on it; the port follows from the job's
/// number. Of one rank alone nothing is taken from them, nor in a script of sbatch that srun did not start. Source: the
/// manuals of srun ("OUTPUT ENVIRONMENT VARIABLES"), of mpirun, and of Hydra.
std::vector<std::pair<std::string, std::string>> rank_environment(const EnvironmentSetting& setting);

/// The first name of a list as Slurm writes it: "node03" of "node[03-05,09],other".
std::string first_of_node_list(std::string_view list);

}  // namespace nns::cli
