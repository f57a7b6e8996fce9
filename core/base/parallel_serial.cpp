#include "core/base/parallel.h"

// Where there are no threads.
namespace nns::base {

int thread_count() { return 1; }
void set_thread_count(int) {}

void run_parts(std::int64_t count, const std::function<void(std::int64_t)>& part) {
  for (std::int64_t i = 0; i < count; ++i) part(i);
}

}  // namespace nns::base
