#pragma once

#include <cstdint>

#include "core/live/message.h"
#include "core/trace/trace.h"

/// The messages about a recording, ready for Endpoint::send().
namespace nns::session {

/// Which recording of which program.
struct TraceKey {
  std::uint32_t document = 0;
  std::uint32_t recording = 0;
};

live::Bytes trace_state(const TraceKey& key, const trace::Trace& trace, bool is_complete);
live::Bytes trace_file(const TraceKey& key, const trace::Trace& trace, trace::FileId file);
/// Where the command leads, and what there was. Must hold: the trace has events.
live::Bytes trace_moment(const TraceKey& key, const trace::Trace& trace, const live::wire::MoveInTrace& command);

}  // namespace nns::session
