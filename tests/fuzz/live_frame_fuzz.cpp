#include <cstddef>
#include <cstdint>

#include "core/live/broadcast.h"
#include "core/live/broadcast_endpoint.h"
#include "core/live/mirror.h"

/// A frame of any bytes, as a viewer sends it to a stream and as a host sends it to a viewer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  const nns::live::Bytes bytes(begin, begin + size);
  nns::live::Broadcast stream;
  const auto end = nns::live::make_broadcast_endpoint(stream, {});
  const auto viewer = stream.join(true);
  (void)stream.receive(*viewer, bytes);
  while (end->receive()) {
  }
  nns::live::Mirror mirror;
  (void)mirror.apply(bytes);
  while (stream.take(*viewer) != nullptr) {
  }
  return 0;
}
