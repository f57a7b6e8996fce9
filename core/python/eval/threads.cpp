// Threads of a program: each has frames of its own, and they take turns.
#include <algorithm>

#include "core/object/operations.h"
#include "core/python/eval/machine.h"
#include "core/python/eval/quick_frames.h"

namespace nns::python {
namespace {

// So many statements are a turn, unless the thread pauses before: a few milliseconds, as CPython's switch interval.
constexpr std::uint64_t kTurn = 20'000;

}  // namespace

void Machine::swap_stack(ThreadStack& stack) {
  std::swap(stack_, stack.values);
  std::swap(frame_, stack.top);
  std::swap(handled_, stack.handled);
  std::swap(depth_, stack.depth);
}

PyResult<std::int64_t> Machine::begin_thread(Function& function) {
  auto stack = std::make_unique<ThreadStack>();
  swap_stack(*stack);
  // What compiles frames is offered the functions of the program, not the one that calls them.
  FrameCompiler* const compiler_of_frames = std::exchange(frame_compiler, nullptr);
  ExecutionObserver* const observer = std::exchange(observer_, nullptr);
  const PyResult<Value> begun = enter_function(function, {}, {});
  frame_compiler = compiler_of_frames;
  observer_ = observer;
  if (begun.ok() && begun.value().is_absent()) {
    frame_->exit = FrameExit::Leave;
    stack->base = frame_;
  }
  swap_stack(*stack);
  if (!begun.ok()) return begun.error();
  if (stack->base == nullptr) return object::type_error(interpreter_, "a thread calls a function, not a generator");
  threads_.emplace(++last_thread_, std::move(stack));
  return last_thread_;
}

PyResult<bool> Machine::run_turn(std::int64_t thread) {
  const auto found = threads_.find(thread);
  if (found == threads_.end() || found->second == nullptr) {
    return object::value_error(interpreter_, "thread {} has ended, or has its turn already", thread);
  }
  constexpr int kMostNestedTurns = 200;
  if (nested_runs_ >= kMostNestedTurns) return interpreter_.recursion_error();
  std::unique_ptr<ThreadStack> stack = std::move(found->second);
  swap_stack(*stack);
  if (observer_ != nullptr) {
    std::vector<const Frame*> frames;
    for (const Frame* at = frame_; at != nullptr; at = at->back) frames.push_back(at);
    for (std::size_t i = frames.size(); i-- > 0;) observer_->on_resume(*frames[i]);
  }
  const std::function<bool()>* const outer = is_slice_over_;
  const std::uint64_t outer_look_around = look_around_;
  const bool outer_turn = std::exchange(is_turn_, true);
  const bool outer_pause = std::exchange(is_pause_asked_, false);
  const int outer_pausing_runs = std::exchange(pausing_runs_, ++nested_runs_);
  const std::uint64_t end = steps_ + kTurn;
  const std::function<bool()> is_over = [&] {
    if (is_pause_asked_ || steps_ >= end) return true;
    if (outer != nullptr && (*outer)() && while_nested) while_nested();
    return false;
  };
  is_slice_over_ = &is_over;
  look_around_ = std::min(look_around_, kOften);
  look_at_statements();
  const PyResult<Value> result = run(stack->base, nullptr);
  is_slice_over_ = outer;
  look_around_ = outer_look_around;
  look_at_statements();
  --nested_runs_;
  pausing_runs_ = outer_pausing_runs;
  is_turn_ = outer_turn;
  is_pause_asked_ = outer_pause;
  const bool is_paused = result.ok() && result.value().is_absent();
  if (is_paused && observer_ != nullptr) {
    for (const Frame* at = frame_; at != nullptr; at = at->back) observer_->on_yield(*at, Value());
  }
  swap_stack(*stack);
  if (is_paused) {
    threads_[thread] = std::move(stack);
    return false;
  }
  threads_.erase(thread);
  if (!result.ok()) return result.error();
  return true;
}

bool Machine::pause_turn() {
  if (!is_turn_ || nested_runs_ != pausing_runs_) return false;
  is_pause_asked_ = true;
  look_soon();
  return true;
}

void Machine::drop_threads() {
  // What goes with the frames may run code of the program, which finds no threads any more.
  std::map<std::int64_t, std::unique_ptr<ThreadStack>> threads = std::move(threads_);
  threads_.clear();
  observer_ = nullptr;
  for (auto& [number, stack] : threads) {
    if (stack == nullptr) continue;
    swap_stack(*stack);
    while (frame_ != nullptr) leave();
    swap_stack(*stack);
  }
}

}  // namespace nns::python
