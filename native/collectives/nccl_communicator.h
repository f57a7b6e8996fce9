#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "core/parallel/collective.h"
#include "native/collectives/nccl_library.h"

namespace nns::collectives {

/// Whether NCCL can put items of that dtype together so.
/// Behaviour: torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp, getNcclReduceOp, getNcclDataType.
/// Errors: what cannot be done, in PyTorch's words.
base::Result<void> check_gpu_reduction(tensor::DType dtype, parallel::ReduceOp op);

/// The GPUs of a group of ranks, one each, as NCCL joins them. No call waits: what was asked for may still be under way
/// (is_ready). Lifetime: without finish() the destructor ends what is under way, here and for the others.
/// Threads: one, which has said which GPU it means.
class NcclCommunicator {
 public:
  /// Begins to meet the others, who know the same `id`. Errors: NCCL's.
  static base::Result<std::unique_ptr<NcclCommunicator>> begin(const NcclLibrary& nccl, const ncclUniqueId& id,
                                                               int rank, int size);
  ~NcclCommunicator();
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  /// Whether all that was asked for stands on its stream (or the others were met). Errors: what went wrong meanwhile,
  /// here or at another rank.
  base::Result<bool> is_ready();
  /// Puts a collective on `stream`. Must hold: check_collective is well for its bytes, which lie on the GPU;
  /// is_ready(). Errors: NCCL's.
  base::Result<void> launch(const parallel::Collective& collective, cudaStream_t stream);
  /// Says goodbye; is_ready() tells when that is done. Must hold: nothing is under way.
  base::Result<void> finish();

 private:
  NcclCommunicator(const NcclLibrary& nccl, int rank, int size) : nccl_(nccl), rank_(rank), size_(size) {}
  base::Result<void> checked(ncclResult_t result, const char* what) const;
  base::Result<void> launch_pieces(const parallel::Collective& collective, cudaStream_t stream);

  const NcclLibrary& nccl_;
  ncclComm_t comm_ = nullptr;
  int rank_, size_;
  bool is_finished_ = false;
};

}  // namespace nns::collectives
