#include "native/cli/training_device.h"

#include <fmt/format.h>

#include "core/tensor/gpu_choice.h"
#include "native/cuda/gpu.h"

namespace nns::cli {

namespace {

base::Result<std::string> install_gpu(object::Interpreter& interpreter) {
  auto installed = cuda::install(interpreter, tensor::gpu_number());
  if (installed.ok()) return installed.value()->name();
  const base::Error& why = installed.error();
  return base::Error{.found = fmt::format("--device cuda: {}", why.found),
                     .expected = fmt::format("{}{}--device cpu (nnscope doctor tells more)", why.expected,
                                             why.expected.empty() ? "" : ", or "),
                     .where = why.where,
                     .offset = why.offset};
}

}  // namespace

base::Result<TrainingDevice> choose_device(const std::string& asked) {
  if (asked != "cuda") return TrainingDevice{"cpu", "cpu"};
  // Tried before anything is written: a run that cannot begin leaves no folder.
  object::Interpreter trial;
  NNS_TRY_ASSIGN(const std::string gpu, install_gpu(trial));
  return TrainingDevice{"cuda", fmt::format("cuda: {}", gpu)};
}

base::Result<void> give_device(object::Interpreter& interpreter, const std::string& name) {
  if (name != "cuda") {
    // What a recipe asks torch.cuda is answered as on a machine without.
    tensor::offer_gpus(nullptr);
    return {};
  }
  NNS_TRY(install_gpu(interpreter));
  return {};
}

}  // namespace nns::cli
