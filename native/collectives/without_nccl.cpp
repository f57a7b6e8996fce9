#include "native/collectives/error.h"
#include "native/collectives/gpu_group.h"

// Where there was no nccl.h when this was built.
namespace nns::collectives {

base::Result<void> look_for_nccl() { return error("this program was built without NCCL"); }

base::Result<std::shared_ptr<parallel::ProcessGroup>> make_gpu_group(object::Interpreter&,
                                                                     std::shared_ptr<parallel::ProcessGroup>) {
  return look_for_nccl().error();
}

}  // namespace nns::collectives
