#include "core/parallel/connector.h"

#include <algorithm>

namespace nns::parallel {
namespace {

class SingleWorld final : public World {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::shared_ptr<ProcessGroup> make_group(const std::string&, const std::vector<int>&) override {
    return make_single_group();
  }
};

// Processes: they go on by themselves, and are waited for.
class WholeSpawning final : public Connector::Spawning {
 public:
  WholeSpawning(Connector& connector, int count, std::string pickled)
      : connector_(connector), count_(count), pickled_(std::move(pickled)) {}
  base::Result<std::optional<Connector::Spawned>> go_on() override {
    NNS_TRY_ASSIGN(Connector::Spawned end, connector_.spawn(count_, pickled_));
    return std::optional<Connector::Spawned>(std::move(end));
  }

 private:
  Connector& connector_;
  int count_;
  std::string pickled_;
};

}  // namespace

base::Result<std::shared_ptr<ProcessGroup>> Connector::join_gpus(object::Interpreter&, std::shared_ptr<ProcessGroup>) {
  return base::Error{"GPUs cannot be joined here", {}, {}, {}};
}

base::Result<std::unique_ptr<Connector::Spawning>> Connector::begin_spawn(int count, const std::string& pickled) {
  return std::unique_ptr<Spawning>(std::make_unique<WholeSpawning>(*this, count, pickled));
}

ParallelLibrary& ParallelLibrary::of(object::Interpreter& interpreter) {
  if (auto* made = interpreter.extension<ParallelLibrary>()) return *made;
  return interpreter.extend(std::make_unique<ParallelLibrary>());
}

object::PyResult<void> wait_for_work(object::Interpreter& interpreter, Work& work,
                                     std::optional<std::chrono::milliseconds> timeout) {
  constexpr std::chrono::milliseconds kSlice(50);
  const auto& library = ParallelLibrary::of(interpreter);
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    auto slice = kSlice;
    if (timeout) {
      const auto passed =
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
      slice = std::clamp(*timeout - passed, std::chrono::milliseconds(0), kSlice);
    }
    if (work.wait_for(slice)) break;
    if (library.take_interrupt && library.take_interrupt()) {
      return object::make_error(interpreter, object::ErrorKind::KeyboardInterrupt, "");
    }
    if (timeout && slice < kSlice) {
      return object::runtime_error(interpreter, "what was waited for was not done within {} ms", timeout->count());
    }
  }
  const base::Result<void> done = work.result();
  if (!done.ok()) return object::runtime_error(interpreter, "{}", done.error().message());
  return {};
}

std::shared_ptr<World> make_single_world() { return std::make_shared<SingleWorld>(); }

}  // namespace nns::parallel
