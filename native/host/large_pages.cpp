#include "native/host/large_pages.h"

#include <sys/mman.h>

#include "core/trace/chunk_memory.h"

namespace nns::host {

void use_large_pages() {
  // Only advice: what the system does not have goes without.
  trace::advise_large_chunks([](void* begin, std::size_t bytes) { madvise(begin, bytes, MADV_HUGEPAGE); });
}

}  // namespace nns::host
