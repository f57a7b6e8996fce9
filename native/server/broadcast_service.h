#pragma once

#include <memory>

#include "core/live/broadcast.h"
#include "native/server/live_service.h"

namespace nns::server {

/// Viewers of one stream that all see the same: a training that runs.
/// Lifetime: `stream` must outlive the service and its connections.
std::unique_ptr<LiveService> make_broadcast_service(live::Broadcast& stream);

}  // namespace nns::server
