#include "native/host/memory_use.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>

namespace nns::host {

// Behaviour: proc(5), /proc/self/statm: size and resident, in pages. It is asked often: the file stays open.
std::uint64_t memory_in_use() {
  static const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[128];
  const ssize_t length = file < 0 ? -1 : pread(file, text, sizeof(text), 0);
  if (length <= 0) return 0;
  const char* const end = text + length;
  std::uint64_t all = 0, resident = 0;
  const auto [behind, failed] = std::from_chars(text, end, all);
  if (failed != std::errc() || behind == end) return 0;
  std::from_chars(behind + 1, end, resident);
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace nns::host
