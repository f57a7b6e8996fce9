#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/object/interpreter.h"
#include "core/parallel/process_group.h"
#include "core/parallel/step_timeline.h"
#include "core/parallel/store.h"

namespace nns::parallel {

/// Where the ranks of one world meet.
struct Rendezvous {
  /// "tcp": a store that rank 0 keeps at host and port; "file": one in a file.
  std::string scheme;
  std::string host;
  int port = 0;
  std::string path;
  int rank = 0;
  int size = 1;
  std::chrono::milliseconds timeout{std::chrono::minutes(30)};
};

/// Ranks that know each other, of which groups are made.
class World {
 public:
  virtual ~World() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// A group of some of them, of which this one is one; all of these make it, with the same name.
  virtual std::shared_ptr<ProcessGroup> make_group(const std::string& name, const std::vector<int>& ranks) = 0;
};

/// How an interpreter reaches others. Who runs it decides: a browser's worker is alone, a process has a network.
class Connector {
 public:
  virtual ~Connector() = default;
  /// Errors: nobody answered in time; this interpreter may not reach that place.
  virtual base::Result<std::shared_ptr<Store>> open_store(const Rendezvous& where) = 0;
  /// Joins the others that do the same with this store. Returns when all have.
  virtual base::Result<std::shared_ptr<World>> join(const std::shared_ptr<Store>& store, const Rendezvous& who) = 0;
  /// Whether groups of GPUs can be made: torch.distributed.is_nccl_available().
  virtual bool has_gpu_groups() { return false; }
  /// A group of the same ranks whose collectives also take bytes that lie on the interpreter's GPU; `host` carries all
  /// else. All ranks make it. Errors: this program, or this machine, has nothing that does it.
  virtual base::Result<std::shared_ptr<ProcessGroup>> join_gpus(object::Interpreter& interpreter,
                                                                std::shared_ptr<ProcessGroup> host);
  /// Starts `count` processes that run the program's main file anew and then call `function(i, *arguments)`; both as
  /// pickle bytes. Waits for all. Errors: they cannot be started here.
  struct Spawned {
    int failed_rank = -1;
    int exit_status = 0;
    std::string traceback;
  };
  virtual base::Result<Spawned> spawn(int count, const std::string& pickled) = 0;
  /// Ranks that were started so, and go on while they are asked to.
  class Spawning {
   public:
    virtual ~Spawning() = default;
    /// Their end; none: they are not there yet, ask again.
    virtual base::Result<std::optional<Spawned>> go_on() = 0;
  };
  /// The same, to be waited for bit by bit where ranks run within this process; others are waited for at once.
  virtual base::Result<std::unique_ptr<Spawning>> begin_spawn(int count, const std::string& pickled);
};

/// What an interpreter has of it.
class ParallelLibrary final : public object::Interpreter::Extension {
 public:
  static constexpr object::Interpreter::ExtensionSlot kSlot = object::Interpreter::ExtensionSlot::Parallel;
  static ParallelLibrary& of(object::Interpreter& interpreter);

  /// Null: the only rank is this one.
  std::shared_ptr<Connector> connector;
  /// Whether the person wants the program to stop; it is asked while others are waited for. May be empty.
  std::function<bool()> take_interrupt;
  /// Is told each step that was synchronised. Empty: nobody looks, and nothing is noted.
  std::function<void(StepTimeline step)> on_step;
};

/// Waits for communication. Errors: RuntimeError  it failed, or `timeout` is over; KeyboardInterrupt.
object::PyResult<void> wait_for_work(object::Interpreter& interpreter, Work& work,
                                     std::optional<std::chrono::milliseconds> timeout = std::nullopt);

/// A world of one rank.
std::shared_ptr<World> make_single_world();

}  // namespace nns::parallel
