#include "native/cli/launcher_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>

#include "core/base/hash.h"

namespace nns::cli {
namespace {

// What of the environment programs find in os.environ.
constexpr const char* kShown[] = {
    "RANK",      "LOCAL_RANK",      "WORLD_SIZE",  "LOCAL_WORLD_SIZE", "GROUP_RANK",          "GROUP_WORLD_SIZE",
    "ROLE_RANK", "ROLE_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",      "TORCHELASTIC_RUN_ID", "TORCH_DISTRIBUTED_DEBUG",
};

// What a launcher calls them.
struct Launcher {
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* local_size;
  const char* job;  // the same for all ranks of a job, another for each job
  bool is_slurm = false;
};
constexpr Launcher kOpenMpi = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                               "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE"};
constexpr Launcher kMpich = {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_PORT"};
constexpr Launcher kSlurm = {"SLURM_PROCID",          "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID",
                             "SLURM_NTASKS_PER_NODE", "SLURM_JOB_ID",         true};

// Ports that no service has by custom and no system gives away by itself.
constexpr std::uint64_t kFirstPort = 20'000, kPorts = 10'000;

int number(const std::string& text, int otherwise) {
  int value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string first_of_node_list(std::string_view list) {
  std::string name;
  for (std::size_t at = 0; at < list.size() && list[at] != ',';) {
    if (list[at] != '[') {
      name += list[at++];
      continue;
    }
    const std::size_t end = std::min(list.find(']', at), list.size());
    const std::string_view inside = list.substr(at + 1, end - at - 1);
    name += inside.substr(0, inside.find_first_of("-,"));
    at = std::min(end + 1, list.size());
  }
  return name;
}

std::vector<std::pair<std::string, std::string>> rank_environment(const EnvironmentSetting& setting) {
  std::map<std::string, std::string, std::less<>> found;
  for (const char* const name : kShown) {
    if (std::string value = setting(name); !value.empty()) found.emplace(name, std::move(value));
  }
  const bool has_place = found.contains("MASTER_ADDR");
  for (const Launcher& launcher : {kOpenMpi, kMpich, kSlurm}) {
    const std::string rank = setting(launcher.rank);
    std::string size = setting(launcher.size);
    // A script of sbatch has these, too, and is no rank.
    if (launcher.is_slurm && size.empty() && has_place) size = setting("SLURM_NTASKS");
    if (rank.empty() || size.empty() || (number(size, 1) < 2 && !has_place)) continue;
    const std::string local_size = setting(launcher.local_size);
    const std::pair<const char*, std::string> same[] = {{"RANK", rank},
                                                        {"WORLD_SIZE", size},
                                                        {"LOCAL_RANK", setting(launcher.local_rank)},
                                                        {"LOCAL_WORLD_SIZE", local_size}};
    for (const auto& [name, value] : same) {
      if (!value.empty()) found.try_emplace(name, value);
    }
    if (has_place) break;
    std::string place;
    if (launcher.is_slurm) {
      for (const char* const list : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
        if (place.empty()) place = first_of_node_list(setting(list));
      }
    } else if (local_size == size) {
      place = "127.0.0.1";
    }
    if (place.empty()) break;
    const std::string job = setting(launcher.job) + "." + setting("SLURM_STEP_ID");
    found.emplace("MASTER_ADDR", std::move(place));
    found.try_emplace("MASTER_PORT", fmt::to_string(kFirstPort + base::hash_text(job) % kPorts));
    break;
  }
  return {std::make_move_iterator(found.begin()), std::make_move_iterator(found.end())};
}

}  // namespace nns::cli
