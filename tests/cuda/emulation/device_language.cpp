#include "tests/cuda/emulation/device_language.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <csetjmp>
#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/cuda/emulation/device_memory.h"

namespace nns::tests {

thread_local ThreadPlace thread_place;

namespace {

constexpr std::size_t kStackBytes = std::size_t{64} << 10U;
constexpr unsigned kWarp = 32;

enum class State : std::uint8_t { Runs, WaitsForBlock, WaitsForWarp, Ended };

struct Fiber {
  /// Where it goes on. Its context serves to begin: going from one to another by contexts costs two calls of the
  /// kernel.
  std::jmp_buf place;
  ucontext_t context{};
  bool begun = false;
  State state = State::Runs;
  dim3 thread;
  /// What it gives to its warp.
  unsigned char given[16] = {};
};

/// The threads of one block after the other. One lives at a time on each thread of the machine.
class Block {
 public:
  explicit Block(unsigned threads) : fibers_(threads), stacks_(new unsigned char[threads * kStackBytes]) {
    for (unsigned i = 0; i < threads; ++i) {
      Fiber& fiber = fibers_[i];
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = stacks_.get() + i * kStackBytes;
      fiber.context.uc_stack.ss_size = kStackBytes;
      makecontext(&fiber.context, &Block::start, 0);
    }
  }

  void run(dim3 size, const std::function<void()>& body) {
    body_ = &body;
    for (unsigned i = 0; i < fibers_.size(); ++i) {
      Fiber& fiber = fibers_[i];
      fiber.state = State::Runs;
      fiber.thread = dim3(i % size.x, i / size.x % size.y, i / size.x / size.y);
    }
    while (advance()) release();
  }

  void wait(State state) {
    Fiber& own = fibers_[current_];
    own.state = state;
    if (_setjmp(own.place) == 0) _longjmp(home_, 1);
  }
  Fiber& lane(unsigned number) { return fibers_[current_ / kWarp * kWarp + number]; }
  Fiber& own() { return fibers_[current_]; }
  unsigned warp_size() const {
    return std::min<unsigned>(kWarp, static_cast<unsigned>(fibers_.size()) - current_ / kWarp * kWarp);
  }

  static thread_local Block* running;

 private:
  // A thread's life: one body a block.
  static void start() {
    while (true) {
      (*running->body_)();
      running->wait(State::Ended);
    }
  }
  // A function of its own: what a caller keeps in registers stays there.
  [[gnu::noinline]] void resume(Fiber& fiber) {
    if (_setjmp(home_) != 0) return;
    if (fiber.begun) _longjmp(fiber.place, 1);
    fiber.begun = true;
    setcontext(&fiber.context);
  }
  // Lets every thread that may run do so until it waits or ends. False: all have ended.
  bool advance() {
    bool any_left = false, any_ran = false;
    for (current_ = 0; current_ < fibers_.size(); ++current_) {
      Fiber& fiber = fibers_[current_];
      if (fiber.state == State::Runs) {
        thread_place.thread = fiber.thread;
        resume(fiber);
        any_ran = true;
      }
      any_left = any_left || fiber.state != State::Ended;
    }
    // Threads that wait for each other in different places would wait for ever, on the device as well.
    if (any_left && !any_ran) std::abort();
    return any_left;
  }
  // Lets those go on that wait for nobody any more.
  void release() {
    bool block_waits = true;
    for (const Fiber& fiber : fibers_) {
      block_waits = block_waits && (fiber.state == State::WaitsForBlock || fiber.state == State::Ended);
    }
    for (std::size_t first = 0; first < fibers_.size(); first += kWarp) {
      const std::size_t end = std::min(fibers_.size(), first + kWarp);
      bool warp_waits = true;
      for (std::size_t i = first; i < end; ++i) {
        warp_waits = warp_waits && (fibers_[i].state == State::WaitsForWarp || fibers_[i].state == State::Ended);
      }
      for (std::size_t i = first; i < end; ++i) {
        State& state = fibers_[i].state;
        if ((block_waits && state == State::WaitsForBlock) || (warp_waits && state == State::WaitsForWarp)) {
          state = State::Runs;
        }
      }
    }
  }

  std::vector<Fiber> fibers_;
  std::unique_ptr<unsigned char[]> stacks_;
  std::jmp_buf home_;
  const std::function<void()>* body_ = nullptr;
  unsigned current_ = 0;
};
thread_local Block* Block::running = nullptr;

}  // namespace

void run_grid(dim3 grid, dim3 block, const std::function<void()>& body) {
  const DeviceAccess access;
  const unsigned threads = block.x * block.y * block.z;
  Block fibers(threads);
  Block::running = &fibers;
  thread_place.block_size = block;
  thread_place.grid_size = grid;
  for (std::uint32_t y = 0; y < grid.y; ++y) {
    for (std::uint32_t x = 0; x < grid.x; ++x) {
      thread_place.block = dim3(x, y);
      fibers.run(block, body);
    }
  }
  Block::running = nullptr;
}

thread_local std::byte* DynamicRoom::current = nullptr;

DynamicRoom::DynamicRoom(std::size_t bytes) {
  // What is written behind its end ends the program.
  constexpr std::size_t kPage = 4096;
  const std::size_t pages = (bytes + kPage - 1) / kPage;
  size_ = (pages + 1) * kPage;
  memory_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) std::abort();
  std::memset(memory_, 0xFF, size_);
  auto* const end = static_cast<std::byte*>(memory_) + pages * kPage;
  if (::mprotect(end, kPage, PROT_NONE) != 0) std::abort();
  current = end - bytes;
}
DynamicRoom::~DynamicRoom() {
  ::munmap(memory_, size_);
  current = nullptr;
}

void wait_for_block() { Block::running->wait(State::WaitsForBlock); }
void wait_for_warp() { Block::running->wait(State::WaitsForWarp); }

void exchange(const void* mine, void* theirs, std::size_t bytes, unsigned lane) {
  Block& block = *Block::running;
  std::memcpy(block.own().given, mine, bytes);
  wait_for_warp();
  std::memcpy(theirs, block.lane(lane).given, bytes);
  wait_for_warp();
}

void gather(const void* mine, void* all, std::size_t bytes) {
  Block& block = *Block::running;
  std::memcpy(block.own().given, mine, bytes);
  wait_for_warp();
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    std::memcpy(static_cast<std::byte*>(all) + lane * bytes, block.lane(lane).given, bytes);
  }
  wait_for_warp();
}

unsigned ballot(bool mine) {
  Block& block = *Block::running;
  block.own().given[0] = mine ? 1 : 0;
  wait_for_warp();
  unsigned votes = 0;
  for (unsigned lane = 0; lane < block.warp_size(); ++lane) {
    const Fiber& other = block.lane(lane);
    if (other.state != State::Ended && other.given[0] != 0) votes |= 1U << lane;
  }
  wait_for_warp();
  return votes;
}

}  // namespace nns::tests
