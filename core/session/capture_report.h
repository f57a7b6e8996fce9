#pragma once

#include "core/capture/capture.h"
#include "core/dynamo/engine.h"

namespace nns::session {

/// What the tracer of a program noted, as a capture; with the source of the files that it names.
capture::Capture capture_of(dynamo::Engine& engine);

}  // namespace nns::session
