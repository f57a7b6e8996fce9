#include "core/python/torch/rank_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/parallel/local_ranks.h"
#include "core/python/eval/run.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {
namespace {

constexpr std::string_view kLoad =
    "from torch.multiprocessing.spawn import _load\n"
    "function, args = _load(pickled)\n";

// What sys.exit(status) means. Behaviour: CPython Python/pythonrun.c, _Py_HandleSystemExitAndKeyboardInterrupt.
int exit_status_of(const PyError& leave) {
  const auto& arguments = leave.exception().arguments();
  if (!arguments || arguments->size() == 0 || (*arguments)[0].is_none()) return 0;
  const Value& status = (*arguments)[0];
  return status.is_int() || status.is_bool() ? static_cast<int>(status.as_int() & 0xFF) : 1;
}

}  // namespace

class RankTurns::Ranks final : public parallel::Turns {
 public:
  Ranks(RankProgram program, int count, std::string pickled)
      : program_(std::move(program)), pickled_(std::move(pickled)), place_(std::make_shared<parallel::LocalRanks>()) {
    ranks_.resize(static_cast<std::size_t>(count));
  }
  ~Ranks() override {
    for (Rank& rank : ranks_) drop(rank);
  }

  bool go_on(const std::function<bool()>& is_slice_over) {
    is_slice_over_ = &is_slice_over;
    while (const std::optional<int> next = next_rank(0)) {
      run(*next);
      if (end_.failed_rank < 0 && !has_ended(*next)) {
        is_slice_over_ = nullptr;
        return false;
      }
    }
    is_slice_over_ = nullptr;
    return true;
  }

  bool let_others_run(int rank, const std::function<bool()>& is_ready) override {
    // Those behind this one come first, so that each gets its turn before this one is stuck.
    const std::optional<int> next = next_rank(last_ + 1);
    if (!next) return false;
    last_ = *next;
    waiting_.push_back({rank, &is_ready});
    run(*next);
    waiting_.pop_back();
    return true;
  }

  const parallel::Connector::Spawned& end() const { return end_; }

 private:
  enum class Phase { New, Program, Call, Ended };
  struct Rank {
    std::unique_ptr<Interpreter> interpreter;
    Machine* machine = nullptr;
    Phase phase = Phase::New;
    bool is_running = false;
  };
  struct WaitingRank {
    int rank;
    const std::function<bool()>* is_ready;
  };

  bool has_ended(int rank) const { return ranks_[static_cast<std::size_t>(rank)].phase == Phase::Ended; }

  // The first of those that can run, from `first` on around. None after a failure: it ends the others.
  std::optional<int> next_rank(int first) const {
    if (end_.failed_rank >= 0) return std::nullopt;
    const auto count = static_cast<int>(ranks_.size());
    for (int i = 0; i < count; ++i) {
      const int number = (first + i) % count;
      const Rank& rank = ranks_[static_cast<std::size_t>(number)];
      if (!rank.is_running && rank.phase != Phase::Ended) return number;
    }
    return std::nullopt;
  }

  bool is_turn_over(std::uint64_t events_before) const {
    if (end_.failed_rank >= 0) return true;
    if (waiting_.empty()) return (*is_slice_over_)();
    return place_->events() != events_before || (*waiting_.back().is_ready)();
  }

  // One turn of a rank.
  void run(int number) {
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    rank.is_running = true;
    PyResult<void> done = {};
    if (rank.phase == Phase::New) done = begin(rank, number);
    const std::uint64_t events = place_->events();
    const std::function<bool()> is_over = [this, events] { return is_turn_over(events); };
    while (done.ok() && rank.phase != Phase::Ended) {
      // Who stands on top of another goes no statement further than that needs.
      const std::optional<PyResult<Value>> result = rank.machine->go_on(is_over, !waiting_.empty());
      if (!result) break;
      if (!result->ok()) {
        done = result->error();
      } else if (rank.phase == Phase::Program && !pickled_.empty()) {
        done = begin_call(rank, number);
      } else {
        rank.phase = Phase::Ended;
      }
    }
    if (!done.ok()) note_failure(rank, number, done.error());
    rank.is_running = false;
    if (rank.phase == Phase::Ended) place_->leave(number, "it left (its program ended)");
  }

  PyResult<void> begin(Rank& rank, int number) {
    rank.interpreter = std::make_unique<Interpreter>();
    rank.machine = &Machine::of(*rank.interpreter);
    Interpreter& in = *rank.interpreter;
    program_.open_world(*rank.machine, number);
    parallel::ParallelLibrary::of(in).connector = place_->connector(number, this);
    ops::python_module(in, "torch._C._distributed_c10d").set(in.intern("_takes_turns"), Value(true));
    rank.phase = Phase::Program;
    if (pickled_.empty()) {
      const std::string count = fmt::to_string(ranks_.size()), me = fmt::to_string(number);
      NNS_TRY(set_environment(*rank.machine, {{"RANK", me},
                                              {"LOCAL_RANK", me},
                                              {"WORLD_SIZE", count},
                                              {"LOCAL_WORLD_SIZE", count},
                                              {"GROUP_RANK", "0"},
                                              {"MASTER_ADDR", "127.0.0.1"},
                                              {"MASTER_PORT", "29500"}}));
    }
    const std::string_view called = pickled_.empty() ? "__main__" : "__mp_main__";
    const Ref<Dict> names = new_main_module(*rank.machine, called);
    names->set(rank.machine->names.dunder_file, in.text(program_.file.empty() ? program_.name : program_.file));
    return begin_text(rank, program_.name, program_.text, names);
  }

  // Behaviour: what a process that spawn() starts does when the program has been loaded.
  PyResult<void> begin_call(Rank& rank, int number) {
    rank.phase = Phase::Call;
    Interpreter& in = *rank.interpreter;
    const Ref<Dict> names = in.dict();
    if (const Value* builtins = rank.machine->modules().find(in.intern("builtins"))) {
      names->set(rank.machine->names.dunder_builtins, *builtins);
    }
    names->set(in.intern("rank"), Value(std::int64_t{number}));
    names->set(in.intern("pickled"), Value(object::make<object::Bytes>(*in.builtins().bytes, pickled_)));
    NNS_TRY_ASSIGN(const Ref<Code> load, compile_text(*rank.machine, "<spawn>", std::string(kLoad)));
    NNS_TRY(rank.machine->run_module(load, names, names));
    // Each argument by itself: f(*args) would be a call that C++ makes, which cannot be left in the middle.
    const auto* const given = names->find(in.intern("args"))->as<object::Tuple>();
    std::string call = "function(rank";
    for (std::size_t i = 0; given != nullptr && i < given->size(); ++i) call += fmt::format(", args[{}]", i);
    return begin_text(rank, "<spawn>", call + ")\n", names);
  }

  static PyResult<void> begin_text(Rank& rank, const std::string& name, std::string text, const Ref<Dict>& names) {
    NNS_TRY_ASSIGN(const Ref<Code> code, compile_text(*rank.machine, name, std::move(text)));
    rank.machine->sources[name] = code->tree;
    rank.machine->begin_module(code, names, names);
    return {};
  }

  void note_failure(Rank& rank, int number, const PyError& error) {
    rank.phase = Phase::Ended;
    const bool is_exit = error.is(object::ErrorKind::SystemExit);
    const int status = is_exit ? exit_status_of(error) : 1;
    if (status == 0) return;
    place_->leave(number, is_exit ? fmt::format("it left with status {}", status) : "it failed: " + error.message());
    if (end_.failed_rank >= 0) return;
    end_.failed_rank = number;
    end_.exit_status = status;
    if (!is_exit) end_.traceback = traceback_text(*rank.machine, error);
  }

  static void drop(Rank& rank) {
    if (rank.machine == nullptr) return;
    rank.machine->abandon();
    rank.machine->streams = {};
    rank.machine = nullptr;
    rank.interpreter.reset();
  }

  RankProgram program_;
  std::string pickled_;
  std::shared_ptr<parallel::LocalRanks> place_;
  std::vector<Rank> ranks_;
  std::vector<WaitingRank> waiting_;
  /// Who had the last turn on top of another.
  int last_ = 0;
  const std::function<bool()>* is_slice_over_ = nullptr;
  parallel::Connector::Spawned end_;
};

RankTurns::RankTurns(RankProgram program, int count, std::string pickled)
    : ranks_(std::make_unique<Ranks>(std::move(program), count, std::move(pickled))) {}
RankTurns::~RankTurns() = default;
bool RankTurns::go_on(const std::function<bool()>& is_slice_over) { return ranks_->go_on(is_slice_over); }
const parallel::Connector::Spawned& RankTurns::end() const { return ranks_->end(); }

namespace {

class SpawnedTurns final : public parallel::Connector::Spawning {
 public:
  explicit SpawnedTurns(std::unique_ptr<RankTurns> turns) : turns_(std::move(turns)) {}
  base::Result<std::optional<parallel::Connector::Spawned>> go_on() override {
    // So long that switching costs little, so short that who runs the program can pause it.
    constexpr std::chrono::milliseconds kSlice(4);
    const auto end = std::chrono::steady_clock::now() + kSlice;
    if (!turns_->go_on([end] { return std::chrono::steady_clock::now() >= end; })) {
      return std::optional<parallel::Connector::Spawned>();
    }
    return std::optional<parallel::Connector::Spawned>(turns_->end());
  }

 private:
  std::unique_ptr<RankTurns> turns_;
};

// The first interpreter is a world of its own.
class TurnsConnector final : public parallel::Connector {
 public:
  explicit TurnsConnector(std::function<RankProgram()> program)
      : program_(std::move(program)), own_(std::make_shared<parallel::LocalRanks>()->connector(0, nullptr)) {}
  base::Result<std::shared_ptr<parallel::Store>> open_store(const parallel::Rendezvous& where) override {
    if (where.size > 1) return alone();
    return own_->open_store(where);
  }
  base::Result<std::shared_ptr<parallel::World>> join(const std::shared_ptr<parallel::Store>& store,
                                                      const parallel::Rendezvous& who) override {
    if (who.size > 1) return alone();
    return own_->join(store, who);
  }
  base::Result<Spawned> spawn(int count, const std::string& pickled) override {
    NNS_TRY_ASSIGN(const std::unique_ptr<Spawning> spawning, begin_spawn(count, pickled));
    while (true) {
      NNS_TRY_ASSIGN(std::optional<Spawned> end, spawning->go_on());
      if (end) return *std::move(end);
    }
  }
  base::Result<std::unique_ptr<Spawning>> begin_spawn(int count, const std::string& pickled) override {
    return std::unique_ptr<Spawning>(
        std::make_unique<SpawnedTurns>(std::make_unique<RankTurns>(program_(), count, pickled)));
  }

 private:
  static base::Error alone() {
    return {"this program runs where there are no other processes: torch.multiprocessing.spawn makes ranks within it",
            {},
            {},
            {}};
  }
  std::function<RankProgram()> program_;
  std::shared_ptr<parallel::Connector> own_;
};

}  // namespace

std::shared_ptr<parallel::Connector> make_turns_connector(std::function<RankProgram()> program) {
  return std::make_shared<TurnsConnector>(std::move(program));
}

}  // namespace nns::python
