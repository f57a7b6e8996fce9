// Ops that have no body on the device: computed by the CPU's, with copies there and back.
#include <fmt/format.h>

#include "core/ops/host_call.h"
#include "core/tensor/cuda_contents.h"
#include "native/cuda/ops.h"

namespace nns::cuda {
namespace {

using object::Value;

// The parameters that a body writes to beside what it gives.
std::span<const std::size_t> written_parameters(OpId id) {
  static constexpr std::size_t kStatistics[] = {3, 4};
  if (id == OpId::batch_norm || id == OpId::native_batch_norm) return kStatistics;
  return {};
}

}  // namespace

void Ops::tell_of_fallback(object::Interpreter& interpreter, std::string_view operation) {
  if (!told_.emplace(operation).second) return;
  interpreter.warn(object::ErrorKind::UserWarning,
                   fmt::format("{} has no kernel for CUDA in nnscope yet: it runs on the CPU, and what it needs is "
                               "copied there and back each time",
                               operation));
}

PyResult<void> Ops::run_on_host(OpCall& call) {
  object::Interpreter& in = call.interpreter;
  tell_of_fallback(in, call.op.name);
  // 1. What it needs, there.
  std::vector<Value> arguments;
  for (const Value& one : call.args) {
    NNS_TRY_ASSIGN(Value there, ops::value_on_host(in, one));
    arguments.push_back(std::move(there));
  }
  OpCall host(in, call.op, arguments);
  host.common = call.common;
  for (const Ref<Tensor>& output : call.outputs) {
    // Of a call in place the output is the target with what it holds.
    const bool is_target = call.target && output == call.target;
    NNS_TRY_ASSIGN(Ref<Tensor> there,
                   is_target ? tensor::on_host(*output)
                             : tensor::try_empty(in, output->shape(), output->dtype(), tensor::Device::Cpu));
    if (is_target) host.target = there;
    host.outputs.push_back(std::move(there));
  }
  const std::vector<Ref<Tensor>> made = host.outputs;
  // 2. The body.
  NNS_TRY(call.op.bodies.cpu(host));
  device_->begin(call.op.name.c_str());
  // 3. Back. An output whose shape depends on values was made by the body.
  for (std::size_t i = 0; i < host.outputs.size(); ++i) {
    const Ref<Tensor>& one = host.outputs[i];
    if (i < made.size() && one == made[i]) {
      NNS_TRY(tensor::copy_items(*call.outputs[i], *one));
      continue;
    }
    NNS_TRY_ASSIGN(Ref<Tensor> there, tensor::to(*one, one->dtype(), tensor::Device::Cuda));
    if (i < call.outputs.size()) {
      call.outputs[i] = std::move(there);
    } else {
      call.outputs.push_back(std::move(there));
    }
  }
  for (const std::size_t i : written_parameters(call.op.id)) {
    if (call.tensor(i) != nullptr) NNS_TRY(tensor::copy_items(*call.tensor(i), *host.tensor(i)));
  }
  return {};
}

PyResult<void> Ops::run_elements_on_host(const ops::ElementCall& call) {
  object::Interpreter& in = call.out.interpreter();
  tell_of_fallback(in, device_->operation());
  std::array<ops::ElementInput, ops::kMostElementInputs> inputs;
  std::vector<Ref<Tensor>> held;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    inputs[i] = call.inputs[i];
    if (inputs[i].tensor == nullptr || !inputs[i].tensor->is_cuda()) continue;
    NNS_TRY_ASSIGN(Ref<Tensor> there, tensor::on_host(*inputs[i].tensor));
    inputs[i].tensor = held.emplace_back(std::move(there)).get();
  }
  NNS_TRY_ASSIGN(const Ref<Tensor> out, tensor::try_empty(in, call.out.shape(), call.out.dtype(), tensor::Device::Cpu));
  NNS_TRY(ops::run_elements(*out, std::span(inputs.data(), call.inputs.size()), call.in, call.written, call.kernel,
                            call.settings));
  return tensor::copy_items(call.out, *out);
}

}  // namespace nns::cuda
