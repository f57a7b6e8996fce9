#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "core/ops/cuda_kernels.h"
#include "core/ops/element_kernels.h"
#include "core/ops/op.h"
#include "core/ops/tensor_lists.h"
#include "core/optim/device_steps.h"
#include "native/cuda/cudnn.h"
#include "native/cuda/device.h"
#include "native/cuda/gemm.h"

namespace nns::cuda {

using object::PyResult;
using object::Ref;
using ops::OpCall;
using ops::OpId;
using tensor::DType;
using tensor::Tensor;

class Ops;
/// Fills the outputs of a call on the device.
using CudaBody = PyResult<void> (*)(Ops& ops, OpCall& call);

/// The bodies of ops on one device, and what works on many tensors at once there.
class Ops final : public ops::CudaOps, public ops::TensorLists, public optim::DeviceSteps {
 public:
  explicit Ops(std::shared_ptr<Device> device);

  void begin(const char* name) override { device_->begin(name); }
  PyResult<void> run(OpCall& call) override;
  PyResult<void> run_elements(const ops::ElementCall& call) override;

  // tensor_lists.cpp
  PyResult<void> norm(std::span<const Ref<Tensor>> tensors, double p, const Tensor& out) override;
  PyResult<void> scale(std::span<const Ref<Tensor>> tensors, const Tensor& factor) override;
  PyResult<void> clamp(std::span<const Ref<Tensor>> tensors, double low, double high) override;
  PyResult<void> sgd(object::Interpreter& interpreter,
                     const optim::StepWork<optim::SgdOptions, optim::SgdScalars>& step) override;
  PyResult<void> adam(object::Interpreter& interpreter,
                      const optim::StepWork<optim::AdamOptions, optim::AdamScalars>& step) override;
#define NNS_DEVICE_STEP(rule, name)                     \
  PyResult<void> step(object::Interpreter& interpreter, \
                      const optim::StepWork<optim::rule##Options, optim::rule##Scalars>& step) override;
#include "core/optim/device_steps.def"
#undef NNS_DEVICE_STEP

  Device& device() { return *device_; }
  Gemm& gemm() { return gemm_; }
  Cudnn& cudnn() { return cudnn_; }
  cudaStream_t stream() const { return device_->stream(); }
  /// The error of a launch that went before, as Python sees it.
  PyResult<void> launched(object::Interpreter& interpreter) const;
  PyResult<void> raised(object::Interpreter& interpreter, const base::Result<void>& done) const;
  /// Memory until the last owner lets go of it, and longer for what was queued by then.
  PyResult<std::shared_ptr<std::byte>> room(object::Interpreter& interpreter, std::uint64_t bytes);
  /// The tensor itself, or its items without gaps and in order.
  PyResult<Ref<Tensor>> dense(const Tensor& tensor);
  /// The same where there is a tensor.
  PyResult<Ref<Tensor>> dense_or_none(const Tensor* tensor) {
    if (tensor == nullptr) return Ref<Tensor>();
    return dense(*tensor);
  }
  /// What has no kernel: the CPU's body on copies of all that it needs (host_fallback.cpp). Said once an op.
  PyResult<void> run_on_host(OpCall& call);

 private:
  PyResult<void> run_elements_on_host(const ops::ElementCall& call);
  void tell_of_fallback(object::Interpreter& interpreter, std::string_view operation);

  struct Kernel {
    ops::ElementLauncher launch = nullptr;
  };
  std::shared_ptr<Device> device_;
  Gemm gemm_;
  Cudnn cudnn_;
  std::unordered_map<ops::ElementKernel, ops::ElementLauncher> kernels_;
  std::set<std::string, std::less<>> told_;
};

/// The body of an op, or null. One row an op: op_table.cpp.
CudaBody cuda_body(OpId id);
/// Whether that calls the CPU's body, whose loops and copies go to the device by themselves.
bool runs_cpu_body(OpId id);

/// Whether it holds floats that kernels compute with.
inline bool has_floats(const Tensor& tensor) {
  return tensor::is_floating(tensor.dtype()) && tensor::item_bytes(tensor.dtype()) > 1;
}
/// As many items as kernels count in 32 bits.
inline constexpr std::int64_t kMostItems = (std::int64_t{1} << 31U) - 1;

/// The numbers of a dense tensor.
inline ops::DeviceNumbers numbers(const Tensor& tensor) {
  return {tensor.data(), tensor.dtype(), tensor::item_bytes(tensor.dtype())};
}
inline ops::DeviceNumbers numbers(const Ref<Tensor>& tensor) {
  return tensor ? numbers(*tensor) : ops::DeviceNumbers();
}

// reductions.cpp
PyResult<void> run_reduction(Ops& ops, OpCall& call);
// products.cpp
PyResult<void> run_mm(Ops& ops, OpCall& call);
PyResult<void> run_bmm(Ops& ops, OpCall& call);
PyResult<void> run_addmm(Ops& ops, OpCall& call);
PyResult<void> run_dot(Ops& ops, OpCall& call);
PyResult<void> run_mv(Ops& ops, OpCall& call);
// layers.cpp
PyResult<void> run_softmax(Ops& ops, OpCall& call);
PyResult<void> run_layer_norm(Ops& ops, OpCall& call);
PyResult<void> run_layer_norm_backward(Ops& ops, OpCall& call);
/// Sets the parts of the sums over rows; the memory lives until they are queued.
PyResult<std::shared_ptr<std::byte>> room_for_parts(Ops& ops, OpCall& call, ops::LayerNormBackwardWork& work);
PyResult<void> run_embedding(Ops& ops, OpCall& call);
PyResult<void> run_embedding_backward(Ops& ops, OpCall& call);
PyResult<void> run_embedding_bag(Ops& ops, OpCall& call);
PyResult<void> run_class_loss(Ops& ops, OpCall& call);
PyResult<void> run_class_loss_shares(Ops& ops, OpCall& call);
PyResult<void> run_cross_entropy_backward(Ops& ops, OpCall& call);
PyResult<void> run_mse_loss(Ops& ops, OpCall& call);
// convolutions.cpp
PyResult<void> run_convolution(Ops& ops, OpCall& call);
PyResult<void> run_convolution_weight_gradient(Ops& ops, OpCall& call);
// attentions.cpp
PyResult<void> run_attention(Ops& ops, OpCall& call);
PyResult<void> run_attention_backward(Ops& ops, OpCall& call);
// indexings.cpp
PyResult<void> run_gather(Ops& ops, OpCall& call);
PyResult<void> run_scatter(Ops& ops, OpCall& call);
PyResult<void> run_scatter_add(Ops& ops, OpCall& call);
PyResult<void> run_scatter_reduce(Ops& ops, OpCall& call);
PyResult<void> run_index_select(Ops& ops, OpCall& call);
PyResult<void> run_index_add(Ops& ops, OpCall& call);
PyResult<void> run_index(Ops& ops, OpCall& call);
PyResult<void> run_index_put(Ops& ops, OpCall& call);
// scans.cpp
PyResult<void> run_scan(Ops& ops, OpCall& call);
PyResult<void> run_triangle(Ops& ops, OpCall& call);
// sortings.cpp
PyResult<void> run_sort(Ops& ops, OpCall& call);
PyResult<void> run_topk(Ops& ops, OpCall& call);
PyResult<void> run_rank(Ops& ops, OpCall& call);
PyResult<void> run_median(Ops& ops, OpCall& call);
PyResult<void> run_mode(Ops& ops, OpCall& call);
// searches.cpp
PyResult<void> run_search(Ops& ops, OpCall& call);
PyResult<void> run_histogram(Ops& ops, OpCall& call);
// nonzeros.cpp
PyResult<void> run_nonzero(Ops& ops, OpCall& call);
// poolings.cpp
PyResult<void> run_max_pool(Ops& ops, OpCall& call);
PyResult<void> run_adaptive_max_pool(Ops& ops, OpCall& call);
PyResult<void> run_average_pool(Ops& ops, OpCall& call);
PyResult<void> run_average_pool_backward(Ops& ops, OpCall& call);
PyResult<void> run_adaptive_average_pool(Ops& ops, OpCall& call);
PyResult<void> run_adaptive_average_pool_backward(Ops& ops, OpCall& call);
PyResult<void> run_unpool(Ops& ops, OpCall& call);
PyResult<void> run_pool_scatter(Ops& ops, OpCall& call);
PyResult<void> run_pool_gather(Ops& ops, OpCall& call);
// resamplings.cpp
PyResult<void> run_padding(Ops& ops, OpCall& call);
PyResult<void> run_resizing(Ops& ops, OpCall& call);
// grid_samples.cpp
PyResult<void> run_grid_sampler(Ops& ops, OpCall& call);
PyResult<void> run_grid_sampler_backward(Ops& ops, OpCall& call);
// norms.cpp
PyResult<void> run_batch_norm(Ops& ops, OpCall& call);
PyResult<void> run_batch_norm_backward(Ops& ops, OpCall& call);
PyResult<void> run_group_norm(Ops& ops, OpCall& call);
PyResult<void> run_group_norm_backward(Ops& ops, OpCall& call);
PyResult<void> run_rms_norm(Ops& ops, OpCall& call);
PyResult<void> run_rms_norm_backward(Ops& ops, OpCall& call);

}  // namespace nns::cuda
