#pragma once

#include "core/object/interpreter.h"
#include "core/parallel/process_group.h"

namespace nns::collectives {

/// Whether GPUs can be joined: this program was built with NCCL and finds its library. Where it cannot: why.
base::Result<void> look_for_nccl();

/// Connector::join_gpus over NCCL: one rank a GPU, collectives on a stream of their own beside the computation, which
/// waits for them only where a program waits. `host` carries what lies on the CPU, letters, and the first meeting.
/// A rank that is gone, an error of NCCL or a collective that takes longer than its timeout ends the group: its kernels
/// are ended, and who waits hears which rank was missing.
/// Errors: as look_for_nccl().
base::Result<std::shared_ptr<parallel::ProcessGroup>> make_gpu_group(object::Interpreter& interpreter,
                                                                     std::shared_ptr<parallel::ProcessGroup> host);

}  // namespace nns::collectives
