#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/work_ahead.h"

namespace nns::base {

struct WorkAhead::State {
  enum class Stage : std::uint8_t { Waits, Runs, Done };
  struct Entry {
    Task task;
    Stage stage = Stage::Waits;
    Result<void> outcome;
  };

  // Entries stay where they are while others come and go.
  std::deque<std::unique_ptr<Entry>> entries;
  std::mutex mutex;
  std::condition_variable has_task, is_done;
  bool is_stopping = false;
  std::vector<std::thread> threads;

  Entry* next_waiting() {
    for (const std::unique_ptr<Entry>& entry : entries) {
      if (entry->stage == Stage::Waits) return entry.get();
    }
    return nullptr;
  }

  void loop() {
    std::unique_lock lock(mutex);
    while (true) {
      Entry* entry = nullptr;
      has_task.wait(lock, [&] { return is_stopping || (entry = next_waiting()) != nullptr; });
      if (is_stopping) return;
      entry->stage = Stage::Runs;
      lock.unlock();
      Result<void> outcome = entry->task();
      lock.lock();
      entry->outcome = std::move(outcome);
      entry->stage = Stage::Done;
      is_done.notify_all();
    }
  }
};

WorkAhead::WorkAhead(int threads) : state_(std::make_unique<State>()) {
  for (int i = 0; i < std::min(threads, kMostThreads); ++i)
    state_->threads.emplace_back([state = state_.get()] { state->loop(); });
}

WorkAhead::~WorkAhead() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_stopping = true;
    std::erase_if(state_->entries, [](const auto& entry) { return entry->stage == State::Stage::Waits; });
  }
  state_->has_task.notify_all();
  for (std::thread& one : state_->threads) one.join();
}

void WorkAhead::add(Task task) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->entries.push_back(std::make_unique<State::Entry>(State::Entry{.task = std::move(task), .outcome = {}}));
  }
  state_->has_task.notify_one();
}

Result<void> WorkAhead::take() {
  using Stage = State::Stage;
  std::unique_lock lock(state_->mutex);
  State::Entry& oldest = *state_->entries.front();
  if (oldest.stage == Stage::Waits) {
    oldest.stage = Stage::Runs;
    lock.unlock();
    Result<void> outcome = oldest.task();
    lock.lock();
    state_->entries.pop_front();
    return outcome;
  }
  state_->is_done.wait(lock, [&] { return oldest.stage == Stage::Done; });
  Result<void> outcome = std::move(oldest.outcome);
  state_->entries.pop_front();
  return outcome;
}

std::size_t WorkAhead::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->entries.size();
}

std::size_t WorkAhead::done() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<std::size_t>(std::count_if(state_->entries.begin(), state_->entries.end(),
                                                [](const auto& entry) { return entry->stage == State::Stage::Done; }));
}

}  // namespace nns::base
