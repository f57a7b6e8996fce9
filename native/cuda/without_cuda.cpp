#include "native/cuda/doctor.h"
#include "native/cuda/failure.h"
#include "native/cuda/gpu.h"

// The bodies where no CUDA toolkit was found when this was built.
namespace nns::cuda {

base::Result<std::shared_ptr<Gpu>> install(object::Interpreter&, int) {
  return failure("this program was built without CUDA", "a build where nvcc is found");
}

void offer_gpus() {}

Diagnosis examine() {
  Diagnosis made;
  made.lines.push_back({Finding::Missing, "CUDA", "not in this program: no nvcc was found when it was built",
                        "install CUDA 13 (nvcc on the PATH or in /usr/local/cuda) and build again"});
  return made;
}

}  // namespace nns::cuda
