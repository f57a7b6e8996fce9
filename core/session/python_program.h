#pragma once

#include <memory>

#include "core/session/running_program.h"

namespace nns::session {

/// A program of Python with PyTorch (core/python), in an interpreter of its own. It imports and reads the files beside
/// it and no others, writes none, and reaches no network.
std::unique_ptr<RunningProgram> make_python_program(ProgramOrigin origin);

}  // namespace nns::session
