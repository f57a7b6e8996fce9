#pragma once

#include <cstdint>
#include <functional>

namespace nns::base {

/// Threads that share the work of one: natively as many as the processor runs at once; in the browser there is one.

/// How many work for the calling thread, itself counted; at first as many as there are processors.
/// Each thread that starts work says for itself.
int thread_count();
/// Must hold: count > 0. More than kMostThreads are as many as that.
void set_thread_count(int count);
inline constexpr int kMostThreads = 64;

/// Calls part(0), ..., part(count - 1), each once, in any order and on any of the threads, and returns when all are
/// done. What a part gives must not depend on the others. The caller takes parts as well: where no other thread comes
/// (the processors are busy, or the threads work for somebody else), it does them all. Inside a part everything runs in
/// it. Cost: some microseconds where threads are asleep; they stay awake for a moment after their last part.
void run_parts(std::int64_t count, const std::function<void(std::int64_t)>& part);

/// Cuts [0, count) into runs of at least `least` (and a multiple of `step`) and calls use(begin, end) for each, as
/// run_parts does: where one run is all, without another thread.
template <class Use>
void run_ranges(std::int64_t count, std::int64_t least, std::int64_t step, const Use& use) {
  // Twice as many parts as threads: one that is held up delays the others by half its share.
  const std::int64_t most = thread_count() == 1 ? 1 : 2 * static_cast<std::int64_t>(thread_count());
  const std::int64_t parts = least <= 0 ? 1 : (count / least < most ? count / least : most);
  if (parts <= 1) {
    if (count > 0) use(std::int64_t{0}, count);
    return;
  }
  const std::int64_t steps = (count + step - 1) / step;
  const std::int64_t size = (steps + parts - 1) / parts * step;
  run_parts((count + size - 1) / size, [&](std::int64_t i) {
    const std::int64_t end = (i + 1) * size;
    use(i * size, end < count ? end : count);
  });
}

}  // namespace nns::base
