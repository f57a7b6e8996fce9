// Work on many tensors at once: steps of optimisers, norms and clipping of gradients.
#include "core/ops/list_kernels.h"
#include "core/optim/step_kernels.h"
#include "native/cuda/ops.h"

namespace nns::cuda {
namespace {

// Calls use(work) for the tensors, as many at once as a launch takes.
template <class Use>
PyResult<void> for_each_list(std::span<const Ref<Tensor>> tensors, Use use) {
  const auto work = std::make_unique<ops::ListWork>();
  const auto flush = [&]() -> PyResult<void> {
    if (work->tensors > 0) NNS_TRY(use(*work));
    work->tensors = work->blocks = 0;
    return {};
  };
  for (const Ref<Tensor>& one : tensors) {
    if (work->is_full()) NNS_TRY(flush());
    work->add(one->data(), one->numel(), one->dtype(), tensor::item_bytes(one->dtype()));
  }
  return flush();
}

}  // namespace

PyResult<void> Ops::sgd(object::Interpreter& interpreter,
                        const optim::StepWork<optim::SgdOptions, optim::SgdScalars>& step) {
  device_->begin("SGD.step");
  optim::launch_sgd(step, stream());
  return launched(interpreter);
}

PyResult<void> Ops::adam(object::Interpreter& interpreter,
                         const optim::StepWork<optim::AdamOptions, optim::AdamScalars>& step) {
  device_->begin("Adam.step");
  optim::launch_adam(step, stream());
  return launched(interpreter);
}

#define NNS_DEVICE_STEP(rule, name)                                                                   \
  PyResult<void> Ops::step(object::Interpreter& interpreter,                                          \
                           const optim::StepWork<optim::rule##Options, optim::rule##Scalars>& step) { \
    device_->begin(name);                                                                             \
    optim::launch_step(step, stream());                                                               \
    return launched(interpreter);                                                                     \
  }
#include "core/optim/device_steps.def"
#undef NNS_DEVICE_STEP

PyResult<void> Ops::norm(std::span<const Ref<Tensor>> tensors, double p, const Tensor& out) {
  object::Interpreter& in = out.interpreter();
  device_->begin("clip_grad_norm_");
  std::int64_t blocks = 0;
  for (const Ref<Tensor>& one : tensors) blocks += (one->numel() + ops::ListWork::kItems - 1) / ops::ListWork::kItems;
  NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> memory,
                 room(in, static_cast<std::uint64_t>(blocks) * sizeof(double)));
  auto* const parts = reinterpret_cast<double*>(memory.get());
  std::int64_t done = 0;
  NNS_TRY(for_each_list(tensors, [&](const ops::ListWork& work) {
    ops::launch_norm_parts(work, p, parts + done, stream());
    done += work.blocks;
    return launched(in);
  }));
  ops::launch_norm_of_parts(parts, blocks, p, out.data(), out.dtype(), stream());
  return launched(in);
}

PyResult<void> Ops::scale(std::span<const Ref<Tensor>> tensors, const Tensor& factor) {
  device_->begin("clip_grad_norm_");
  return for_each_list(tensors, [&](const ops::ListWork& work) {
    ops::launch_scale(work, factor.data(), factor.dtype(), stream());
    return launched(factor.interpreter());
  });
}

PyResult<void> Ops::clamp(std::span<const Ref<Tensor>> tensors, double low, double high) {
  device_->begin("clip_grad_value_");
  return for_each_list(tensors, [&](const ops::ListWork& work) {
    ops::launch_clamp(work, low, high, stream());
    return launched(tensors[0]->interpreter());
  });
}

}  // namespace nns::cuda
