#pragma once

#include "core/ops/python_function.h"

namespace nns::ops {

/// torch.set_num_threads, torch.get_num_threads: how many threads work for the one that the interpreter runs on.
/// Differs: torch's number is that of the process; ours of the thread, so that interpreters side by side do not meet.
void add_thread_functions(Interpreter& interpreter);

}  // namespace nns::ops
