#pragma once

#include <functional>

#include "core/parallel/reducer.h"

namespace nns::parallel {

/// Makes `tensors` what they are on rank `root`: tensors of one dtype travel together, up to `most_bytes` at a time.
/// Behaviour: torch.distributed._broadcast_coalesced. Errors: RuntimeError  the communication failed.
PyResult<void> broadcast_coalesced(Interpreter& interpreter, ProcessGroup& group, std::span<const Ref<Tensor>> tensors,
                                   std::int64_t most_bytes, int root, std::chrono::milliseconds timeout);

/// Rank 0's `numbers`, of which every rank has as many. `subject`: what they are, for errors.
/// Errors: RuntimeError  the communication failed.
PyResult<std::vector<std::int64_t>> broadcast_numbers(Interpreter& interpreter, ProcessGroup& group,
                                                      std::vector<std::int64_t> numbers, std::string subject,
                                                      std::chrono::milliseconds timeout);

/// The rest of a check that began. Errors: as those of the check.
using FinishCheck = std::function<PyResult<void>()>;
/// verify_parameters() in two halves, between which rank 0 can give what the others wait for; those have done all in
/// the first. Lifetime: `interpreter` outlives the second.
PyResult<FinishCheck> begin_verifying_parameters(Interpreter& interpreter, ProcessGroup& group,
                                                 std::span<const Ref<Tensor>> tensors,
                                                 std::chrono::milliseconds timeout);

/// Whether all ranks have parameters of the same number, sizes and strides.
/// Behaviour: torch.distributed._verify_params_across_processes.
/// Errors: RuntimeError  on a rank that differs from another in number, or from rank 0 in sizes or strides.
PyResult<void> verify_parameters(Interpreter& interpreter, ProcessGroup& group, std::span<const Ref<Tensor>> tensors,
                                 std::chrono::milliseconds timeout);

}  // namespace nns::parallel
