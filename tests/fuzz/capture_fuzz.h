#pragma once

#include <cstdlib>

#include "core/capture/reader.h"

namespace nns::fuzz {

/// Small, so that short inputs reach them.
inline constexpr capture::ReadLimits kSmallLimits = {
    .line_bytes = 1024, .frames = 8, .guards = 16, .nodes = 64, .kinds = 8};

/// Reads all of it, if it can be read, and ends the program where what was read does not fit together.
inline void read_and_check(capture::Reader& reader) {
  if (!reader.step(base::Budget::unlimited()).ok()) return;
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
        const capture::Node& node = graph.nodes[at];
        if (!is_file(node.place) || (node.stack != capture::kNone && node.stack >= graph.stacks.size())) std::abort();
        for (const std::uint32_t input : node.inputs) {
          if (input >= at) std::abort();
        }
      }
      for (std::size_t at = 0; at < graph.stacks.size(); ++at) {
        const std::uint32_t parent = graph.stacks[at].parent;
        if (parent != capture::kNone && parent >= at) std::abort();
      }
    }
  }
}

}  // namespace nns::fuzz
