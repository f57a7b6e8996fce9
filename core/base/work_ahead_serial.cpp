#include <deque>
#include <utility>

#include "core/base/work_ahead.h"

// Where there are no threads.
namespace nns::base {

struct WorkAhead::State {
  std::deque<Task> tasks;
};

WorkAhead::WorkAhead(int) : state_(std::make_unique<State>()) {}
WorkAhead::~WorkAhead() = default;

void WorkAhead::add(Task task) { state_->tasks.push_back(std::move(task)); }

Result<void> WorkAhead::take() {
  const Task task = std::move(state_->tasks.front());
  state_->tasks.pop_front();
  return task();
}

std::size_t WorkAhead::waiting() const { return state_->tasks.size(); }
std::size_t WorkAhead::done() const { return 0; }

}  // namespace nns::base
