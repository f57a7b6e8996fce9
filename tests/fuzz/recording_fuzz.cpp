#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/live/mirror.h"
#include "core/live/recording.h"

/// A recording of any bytes: opened, sought and shown without a crash, a hang or memory without end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  auto opened = nns::live::Recording::open(
      nns::base::make_memory_source("fuzz.nnscope", std::vector<std::byte>(begin, begin + size)));
  if (!opened.ok()) return 0;
  for (const std::uint64_t event : {std::uint64_t{0}, (*opened)->events() / 2, (*opened)->events()}) {
    auto messages = (*opened)->seek(event);
    if (!messages.ok()) continue;
    nns::live::Mirror mirror;
    for (auto& message : *messages) (void)mirror.apply(std::move(message.bytes));
  }
  (void)(*opened)->event_at(12'345);
  return 0;
}
