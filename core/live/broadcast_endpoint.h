#pragma once

#include <cstdint>
#include <memory>

#include "core/live/broadcast.h"
#include "core/live/endpoint.h"

namespace nns::live {

/// A Host's end of a stream that many watch: what it sends goes to all viewers, what it answers to the one that asked.
/// Commands of viewers get numbers of their own on their way to the host (requests, subscriptions), since each viewer
/// counts for itself. What would open or close something for all is refused, except from the program itself.
/// `inputs`: commands of the program, which the host is told first.
/// Threads: the host's. Lifetime: `stream` must outlive the end.
std::unique_ptr<Endpoint> make_broadcast_endpoint(Broadcast& stream, std::vector<Bytes> inputs);

/// Of a command, or of what answers one; 0: it has none.
std::uint64_t request_of(const wire::Message& message);

}  // namespace nns::live
