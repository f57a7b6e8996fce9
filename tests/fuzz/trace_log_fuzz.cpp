// A log of TORCH_TRACE: whatever its bytes are, what is read of it fits together.
#include "core/capture/trace_log.h"
#include "tests/fuzz/capture_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nns;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  capture::TraceLogReader reader(base::make_memory_source("fuzz.log", std::vector<std::byte>(bytes, bytes + size)),
                                 fuzz::kSmallLimits);
  fuzz::read_and_check(reader);
  return 0;
}
