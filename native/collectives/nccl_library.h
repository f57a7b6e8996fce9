#pragma once

#include <nccl.h>

#include "core/base/result.h"

namespace nns::collectives {

/// NCCL's functions, found in its library by name: who has one GPU needs none of it.
/// Source: NVIDIA, NCCL documentation, "NCCL API".
struct NcclLibrary {
#define NNS_NCCL_ALL(use)                                                                                           \
  use(GetUniqueId) use(CommInitRankConfig) use(CommGetAsyncError) use(CommFinalize) use(CommDestroy) use(CommAbort) \
      use(GetErrorString) use(GetLastError) use(AllReduce) use(Broadcast) use(Reduce) use(AllGather)                \
          use(ReduceScatter) use(Send) use(Recv) use(GroupStart) use(GroupEnd)
#define NNS_NCCL(name) decltype(&nccl##name) name = nullptr;
  NNS_NCCL_ALL(NNS_NCCL)
#undef NNS_NCCL

  /// Loads it, once. Errors: it is not found, or lacks a function.
  static base::Result<const NcclLibrary*> open();
};

}  // namespace nns::collectives
