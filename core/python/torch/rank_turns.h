#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/parallel/connector.h"
#include "core/python/eval/machine.h"

namespace nns::python {

/// A program of which ranks are made within one process.
struct RankProgram {
  /// What stands in tracebacks; the text; __file__.
  std::string name, text, file;
  /// Gives the machine of a rank what such a program may use, and where it writes.
  std::function<void(Machine& machine, int rank)> open_world;
};

/// Runs ranks of a program in turns on one thread, each in an interpreter of its own; no process or thread is needed,
/// so this works in a browser, too. A rank that waits for others lets them run, one after the other, on top of it on
/// the stack of C++: each until it has communicated and stands between two statements, or what the first waits for is
/// there. Differs from processes: ranks that need each other more than once within one call that C++ makes (a forward,
/// a hook, a constructor; not the averaging of gradients, nor what rank 0 gives there) cannot be run so; the rank that
/// notices raises RuntimeError and says why.
class RankTurns {
 public:
  /// `pickled`: what torch.multiprocessing.spawn made; each rank loads the program as __mp_main__ and calls it. Empty:
  /// each runs the program as __main__, and finds RANK, WORLD_SIZE and where to meet in os.environ.
  RankTurns(RankProgram program, int count, std::string pickled);
  ~RankTurns();

  /// Goes on until all have ended or `is_slice_over`, which is asked where no rank waits inside of a call.
  /// True: all have ended. Must not be called when it was true.
  bool go_on(const std::function<bool()>& is_slice_over);
  /// Must hold: all have ended. What a rank that failed raised is its traceback; sys.exit() in it is an exit status.
  const parallel::Connector::Spawned& end() const;

 private:
  class Ranks;
  std::unique_ptr<Ranks> ranks_;
};

/// Lets torch.multiprocessing.spawn make ranks within this process. `program` is asked when that happens.
std::shared_ptr<parallel::Connector> make_turns_connector(std::function<RankProgram()> program);

}  // namespace nns::python
