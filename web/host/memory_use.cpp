#include "web/host/memory_use.h"

#include <malloc.h>
#include <unistd.h>

namespace nns::web {

std::uint64_t memory_in_use() {
  // What was asked of the browser: it is never given back, so it may be much more than what is in use.
  const auto asked = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(sbrk(0)));
  constexpr std::uint64_t kWorthCounting = std::uint64_t{2} << 30U;
  if (asked < kWorthCounting) return asked;
  // Counts in 32 bits with a sign; a program of WebAssembly has at most 4 GB.
  return static_cast<std::uint32_t>(mallinfo().uordblks);
}

}  // namespace nns::web
