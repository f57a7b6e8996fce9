#include "native/cli/rank_world.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "core/base/parallel.h"
#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/parallel/connector.h"
#include "core/python/stdlib/folder_files.h"
#include "core/python/stdlib/stdlib.h"
#include "core/python/torch/rank_turns.h"
#include "core/tensor/tensor.h"
#include "native/cli/exit_status.h"
#include "native/cli/launcher_environment.h"
#include "native/cli/program_world.h"
#include "native/cli/rank_processes.h"
#include "native/cli/terminal.h"
#include "native/collectives/network_connector.h"

namespace nns::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSocket = "NNSCOPE_STORE_SOCKET";
// 0: ranks of one machine go over the network, too.
constexpr const char* kSharedMemory = "NNSCOPE_SHARED_MEMORY";
// Units: seconds.
constexpr const char* kLongestSilence = "NNSCOPE_LONGEST_SILENCE";
constexpr const char* kSpawnFolder = "NNSCOPE_SPAWN_FOLDER";
constexpr const char* kSpawnRank = "NNSCOPE_SPAWN_RANK";

std::string setting(const char* name) {
  const char* const found = std::getenv(name);
  return found == nullptr ? std::string() : std::string(found);
}
int number(const std::string& text, int otherwise) {
  int value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The options that a process of the same program gets.
std::vector<std::string> same_options(const RunOptions& options) {
  std::vector<std::string> words = {"run"};
  if (options.strict_imports) words.emplace_back("--strict-imports");
  if (options.max_memory > 0) words.insert(words.end(), {"--max-memory", fmt::to_string(options.max_memory)});
  if (options.max_steps > 0) words.insert(words.end(), {"--max-steps", fmt::to_string(options.max_steps)});
  if (options.virtual_devices > 0) {
    words.insert(words.end(), {"--virtual-devices", fmt::to_string(options.virtual_devices)});
  }
  for (const std::string& folder : options.readable) words.insert(words.end(), {"--allow-read", folder});
  for (const std::string& folder : options.writable) words.insert(words.end(), {"--allow-write", folder});
  words.push_back(options.file);
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  return words;
}

// A folder that goes when its owner goes.
class OwnFolder {
 public:
  OwnFolder() {
    std::string path = (fs::temp_directory_path() / "nnscope-spawn-XXXXXX").string();
    if (::mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~OwnFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

base::Result<parallel::Connector::Spawned> spawn(const RunOptions& options, int count, const std::string& pickled) {
  const OwnFolder folder;
  std::ofstream call(folder.path() / "call", std::ios::binary);
  call.write(pickled.data(), static_cast<std::streamsize>(pickled.size()));
  call.close();
  if (folder.path().empty() || !call) return base::Error{"cannot write what the processes are to call", {}, {}, {}};
  RankProcesses processes;
  processes.count = count;
  processes.arguments = same_options(options);
  processes.environment = [&folder](int rank) {
    return std::vector<std::string>{fmt::format("{}={}", kSpawnFolder, folder.path().string()),
                                    fmt::format("{}={}", kSpawnRank, rank)};
  };
  std::fflush(stdout);
  const RankEnd end = run_ranks(processes);
  parallel::Connector::Spawned done;
  done.failed_rank = end.failed_rank;
  done.exit_status = end.status;
  if (end.failed_rank >= 0) {
    done.traceback = read_text(folder.path() / fmt::format("error{}", end.failed_rank)).value_or("");
  }
  return done;
}

}  // namespace

void give_ranks(python::Machine& machine, const RunOptions& options) {
  object::Interpreter& in = machine.interpreter();
  const auto shown = rank_environment(setting);
  // What is wrong with os shows when the program imports it.
  if (!shown.empty()) (void)python::set_environment(machine, shown);
  collectives::NetworkPermissions permissions;
  permissions.listening_socket = number(setting(kSocket), -1);
  int beside = 1;
  for (const auto& [name, value] : shown) {
    if (name == "MASTER_ADDR") permissions.master_host = value;
    if (name == "MASTER_PORT") permissions.listening_port = number(value, 0);
    if (name == "LOCAL_WORLD_SIZE") beside = std::max(number(value, 1), 1);
  }
  permissions.shares_memory = setting(kSharedMemory) != "0";
  if (const int seconds = number(setting(kLongestSilence), -1); seconds >= 0) {
    permissions.longest_silence = std::chrono::seconds(seconds);
  }
  permissions.writable_path = [&machine](const std::string& path) {
    const auto* const folders = dynamic_cast<const python::FolderFiles*>(machine.files.get());
    return folders == nullptr ? std::string() : folders->resolved(path, true).string();
  };
  permissions.spawn = [options](int count, const std::string& pickled) { return spawn(options, count, pickled); };
  parallel::ParallelLibrary::of(in).connector = collectives::make_network_connector(std::move(permissions));
  // The ranks of a machine share its processors.
  if (beside > 1) base::set_thread_count(std::max(base::thread_count() / beside, 1));
  if (beside > 1 || is_spawned()) std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

int run_as_ranks(std::vector<std::string> arguments, int count, const std::string& output_folder) {
  const ListeningSocket meeting = listen_anywhere();
  if (meeting.socket < 0) {
    print_error("no port of 127.0.0.1 can be listened at");
    return kFound;
  }
  RankProcesses processes;
  processes.count = count;
  processes.arguments = std::move(arguments);
  processes.output_folder = output_folder;
  processes.socket = meeting.socket;
  processes.marks_errors = count > 1;
  processes.environment = [&](int rank) {
    std::vector<std::string> settings = {
        fmt::format("RANK={}", rank),
        fmt::format("LOCAL_RANK={}", rank),
        fmt::format("WORLD_SIZE={}", count),
        fmt::format("LOCAL_WORLD_SIZE={}", count),
        "MASTER_ADDR=127.0.0.1",
        fmt::format("MASTER_PORT={}", meeting.port),
        "GROUP_RANK=0",
    };
    settings.push_back(fmt::format("{}={}", kSocket, rank == 0 ? meeting.socket : -1));
    return settings;
  };
  const RankEnd end = run_ranks(processes);
  ::close(meeting.socket);
  if (end.failed_rank < 0) return kFine;
  return end.status < 0 ? 128 - end.status : end.status;
}

int run_program_as_ranks(const RunOptions& options) {
  return run_as_ranks(same_options(options), options.processes, options.output_folder);
}

RankHere rank_here() {
  RankHere here;
  for (const auto& [name, value] : rank_environment(setting)) {
    if (name == "RANK") here.rank = number(value, 0);
    if (name == "WORLD_SIZE") here.size = std::max(number(value, 1), 1);
    if (name == "LOCAL_RANK") here.local_rank = std::max(number(value, 0), 0);
  }
  return here;
}

int run_program_in_turns(const RunOptions& options) {
  std::optional<std::string> text = read_program(options.file);
  if (!text) return kBadInput;
  std::vector<std::ofstream> outputs;
  if (!options.output_folder.empty()) {
    std::error_code error;
    fs::create_directories(options.output_folder, error);
    for (int rank = 0; rank < options.processes; ++rank) {
      const fs::path path = fs::path(options.output_folder) / fmt::format("rank{}.out", rank);
      if (!outputs.emplace_back(path, std::ios::binary)) {
        print_error(fmt::format("cannot write {}", path.string()));
        return kBadInput;
      }
    }
  }
  const std::optional<python::ProgramOptions> asked = program_options(options, *text);
  if (!asked) return kBadInput;
  python::RankProgram program;
  program.name = options.file;
  program.text = *std::move(text);
  program.file = fs::absolute(options.file).lexically_normal().string();
  program.open_world = [&](python::Machine& machine, int rank) {
    open_world(machine, options);
    give_options(machine, *asked);
    if (outputs.empty()) return;
    std::ofstream& output = outputs[static_cast<std::size_t>(rank)];
    machine.streams.out = [&output](std::string_view words) {
      output.write(words.data(), static_cast<std::streamsize>(words.size()));
    };
  };
  python::RankTurns turns(std::move(program), options.processes, {});
  while (!turns.go_on([] { return false; })) {
  }
  std::fflush(stdout);
  const parallel::Connector::Spawned& end = turns.end();
  if (end.failed_rank < 0) return kFine;
  if (!end.traceback.empty()) {
    print_error(fmt::format("rank {} failed", end.failed_rank));
    std::fwrite(end.traceback.data(), 1, end.traceback.size(), stderr);
  }
  return end.exit_status != 0 ? end.exit_status : kFound;
}

bool is_spawned() { return !setting(kSpawnFolder).empty(); }

object::PyResult<object::Value> call_spawned(python::Machine& machine) {
  object::Interpreter& in = machine.interpreter();
  const std::optional<std::string> pickled = read_text(fs::path(setting(kSpawnFolder)) / "call");
  if (!pickled) return object::runtime_error(in, "what this process is to call cannot be read");
  NNS_TRY_ASSIGN(const object::Value module, machine.import_module("torch.multiprocessing.spawn", 0, nullptr));
  return in.call_method(module, in.intern("_run"),
                        {object::Value(std::int64_t{number(setting(kSpawnRank), 0)}),
                         object::Value(object::make<object::Bytes>(*in.builtins().bytes, *pickled))});
}

void tell_spawner(const std::string& traceback) {
  std::ofstream(fs::path(setting(kSpawnFolder)) / fmt::format("error{}", setting(kSpawnRank)), std::ios::binary)
      << traceback;
}

}  // namespace nns::cli
