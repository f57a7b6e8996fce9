#pragma once

#include "core/capture/capture.h"
#include "core/live/message.h"

namespace nns::session {

/// What the viewer is told of a capture.
live::Bytes capture_message(std::uint64_t request, std::uint32_t document, const capture::Capture& capture);

}  // namespace nns::session
