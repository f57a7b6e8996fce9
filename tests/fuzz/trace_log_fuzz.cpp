// A log of TORCH_TRACE: whatever its bytes are, what is read of it fits together.
#include <cstdlib>

#include "core/capture/trace_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nns;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  capture::TraceLogReader reader(base::make_memory_source("fuzz.log", std::vector<std::byte>(bytes, bytes + size)),
                                 {.line_bytes = 1024, .frames = 8, .guards = 16, .nodes = 64, .kinds = 8});
  if (!reader.step(base::Budget::unlimited()).ok()) return 0;
  const capture::Capture capture = reader.take();
  const auto is_file = [&](const capture::Place& place) {
    return place.file == capture::kNone || place.file < capture.files.size();
  };
  for (const capture::Frame& frame : capture.frames) {
    if (!is_file(frame.place)) std::abort();
    for (const capture::Guard& guard : frame.guards) {
      if (!is_file(guard.place)) std::abort();
    }
    for (const capture::Graph& graph : frame.graphs) {
      for (std::size_t at = 0; at < graph.nodes.size(); ++at) {
        if (!is_file(graph.nodes[at].place)) std::abort();
        for (const std::uint32_t input : graph.nodes[at].inputs) {
          if (input >= at) std::abort();
        }
      }
    }
  }
  return 0;
}
