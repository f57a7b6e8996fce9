#pragma once

#include "core/capture/capture.h"
#include "core/dynamo/engine.h"

namespace nns::session {

/// The programs that torch.export.export() gave while the engine recorded, in order, each a frame. One that cannot be
/// written as a package is a frame that says why.
capture::Capture exported_programs(dynamo::Engine& engine);

/// Adds the frames of `from` behind those of `to`, whose files are in `files` so far.
void add_frames(capture::Capture from, capture::Capture& to, capture::FileTable& files);

}  // namespace nns::session
