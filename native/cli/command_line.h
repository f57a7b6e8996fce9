#pragma once

namespace nns::cli {

/// Does what the arguments say; returns the program's exit status (exit_status.h).
int run(int argc, const char* const* argv);

}  // namespace nns::cli
