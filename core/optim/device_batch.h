#pragma once

#include <memory>

#include "core/ops/op.h"
#include "core/optim/device_steps.h"
#include "core/optim/step_plan.h"

// Not for callers of optim.
namespace nns::optim {

/// Whether a rule has a body for GPUs.
template <class Rule>
concept HasDeviceStep = requires {
  &Rule::run_on_device;
};

/// The parameters of a group that lie on a GPU: their updates are queued together, as many as a launch takes.
template <class Rule>
class DeviceBatch {
 public:
  using Options = typename Rule::Options;
  using Scalars = typename Rule::Scalars;

  DeviceBatch(Interpreter& interpreter, const Options& options) : in_(interpreter), options_(options) {
    if constexpr (HasDeviceStep<Rule>) {
      steps_ = dynamic_cast<DeviceSteps*>(ops::OpLibrary::of(interpreter).cuda.get());
    }
  }
  /// Whether there is a GPU and the rule has a body for it.
  bool is_there() const { return steps_ != nullptr; }

  /// Must hold: is_there(), and parameter and gradient lie on the GPU.
  /// Errors: RuntimeError  the gradient does not fit the parameter.
  PyResult<void> add(const Scalars& scalars, const Lane& lane, const Tensor& grad) {
    if (!work_) {
      work_ = std::make_unique<StepWork<Options, Scalars>>();
      work_->options = options_;
    }
    if (work_->is_full() || work_->dtype != dtype_of(lane.format)) NNS_TRY(flush());
    work_->dtype = dtype_of(lane.format);
    if (lane.is_aligned && is_laid_out_alike(grad, *lane.param)) {
      work_->add(lane.rows(grad), lane.count, scalars);
      return {};
    }
    NNS_TRY_ASSIGN(CopiedRows copies, CopiedRows::of(lane, grad, tensor::Device::Cuda));
    work_->add(copies.rows(), lane.count, scalars);
    NNS_TRY(flush());
    return copies.finish(lane);
  }
  /// Queues what was added.
  PyResult<void> flush() {
    if (!work_ || work_->lanes == 0) return {};
    if constexpr (HasDeviceStep<Rule>) NNS_TRY(Rule::run_on_device(*steps_, in_, *work_));
    work_->lanes = work_->blocks = 0;
    return {};
  }

 private:
  static tensor::DType dtype_of(FormatId format) {
    constexpr tensor::DType kDTypes[] = {tensor::DType::Float32, tensor::DType::Float64, tensor::DType::BFloat16,
                                         tensor::DType::Float16};
    return kDTypes[static_cast<std::size_t>(format)];
  }

  Interpreter& in_;
  Options options_;
  DeviceSteps* steps_ = nullptr;
  std::unique_ptr<StepWork<Options, Scalars>> work_;
};

}  // namespace nns::optim
