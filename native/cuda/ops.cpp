#include "native/cuda/ops.h"

#include "core/ops/float_rows.h"
#include "core/ops/gradient_formulas.h"
#include "core/ops/several_formulas.h"
#include "core/tensor/cuda_contents.h"

namespace nns::cuda {
namespace {

using ops::ElementLoop;
using ops::ElementWork;
using KernelMap = std::unordered_map<ops::ElementKernel, ops::ElementLauncher>;

// The CPU's kernel of a formula names the one of the device.
template <class Formula, std::size_t inputs, bool with_settings, class... Types>
void add_formula(KernelMap& kernels) {
  const auto add = [&]<class T>(T) {
    constexpr auto kPlace = static_cast<std::size_t>(ops::compute_for<T>());
    if constexpr (with_settings)
      kernels[ops::kernels_with_settings<Formula, inputs, T>()[kPlace]] =
          &ops::launch_elements<Formula, T, inputs, true>;
    else
      kernels[ops::kernels_of<Formula, inputs, T>()[kPlace]] = &ops::launch_elements<Formula, T, inputs, false>;
  };
  (add(Types()), ...);
}
template <class Formula, std::size_t inputs, bool with_settings>
struct Fractions {
  static void add(KernelMap& kernels) { add_formula<Formula, inputs, with_settings, float, double>(kernels); }
};
template <class Formula, std::size_t inputs, bool with_settings>
struct Numbers {
  static void add(KernelMap& kernels) {
    add_formula<Formula, inputs, with_settings, float, double, std::int64_t>(kernels);
  }
};
template <class Formula, std::size_t inputs, bool with_settings>
struct Everything {
  static void add(KernelMap& kernels) {
    add_formula<Formula, inputs, with_settings, float, double, std::int64_t, bool>(kernels);
  }
};

KernelMap all_kernels() {
  KernelMap kernels;
#define NNS_CUDA_UNARY(name, inputs, settings, types) types<ops::formula::name, inputs, settings>::add(kernels);
#define NNS_CUDA_ACTIVATION NNS_CUDA_UNARY
#define NNS_CUDA_BINARY NNS_CUDA_UNARY
#include "core/ops/cuda_formulas.def"
#undef NNS_CUDA_UNARY
#undef NNS_CUDA_ACTIVATION
#undef NNS_CUDA_BINARY
  return kernels;
}

// Whether kernels cannot read some of its tensors.
bool has_other_items(const OpCall& call) {
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const Tensor* const one = call.tensor(i);
    if (one != nullptr && !tensor::has_kernels(one->dtype())) return true;
  }
  return false;
}

ops::Number number_of(const ops::ElementInput& input) {
  if (input.tensor == nullptr) return input.number;
  return ops::Number::of(tensor::read_value(*input.tensor, input.tensor->offset()));
}

}  // namespace

Ops::Ops(std::shared_ptr<Device> device)
    : device_(std::move(device)), gemm_(device_), cudnn_(device_), kernels_(all_kernels()) {}

PyResult<void> Ops::raised(object::Interpreter& interpreter, const base::Result<void>& done) const {
  if (!done.ok()) return tensor::cuda_error(interpreter, done.error());
  return {};
}

PyResult<void> Ops::launched(object::Interpreter& interpreter) const {
  return raised(interpreter, device_->launched());
}

PyResult<std::shared_ptr<std::byte>> Ops::room(object::Interpreter& interpreter, std::uint64_t bytes) {
  auto made = device_->allocate(bytes == 0 ? 1 : bytes);
  if (!made.ok()) return tensor::cuda_error(interpreter, made.error());
  return std::move(made).value();
}

PyResult<Ref<Tensor>> Ops::dense(const Tensor& tensor) {
  if (tensor.is_contiguous()) return tensor::detach(tensor);
  NNS_TRY_ASSIGN(Ref<Tensor> made,
                 tensor::try_empty(tensor.interpreter(), tensor.shape(), tensor.dtype(), tensor::Device::Cuda));
  NNS_TRY(tensor::copy_items(*made, tensor));
  return made;
}

PyResult<void> Ops::run(OpCall& call) {
  const CudaBody body = cuda_body(call.op.id);
  if (body == nullptr || (!runs_cpu_body(call.op.id) && has_other_items(call))) return run_on_host(call);
  return body(*this, call);
}

PyResult<void> Ops::run_elements(const ops::ElementCall& call) {
  object::Interpreter& in = call.out.interpreter();
  const auto found = kernels_.find(call.kernel);
  if (call.out.numel() == 0) return {};
  if (found == kernels_.end() || !tensor::has_kernels(call.out.dtype())) return run_elements_on_host(call);

  ElementLoop loop(call.out.shape());
  loop.add(call.out);
  ElementWork work;
  work.out = call.out.data();
  work.out_dtype = call.out.dtype();
  work.out_bytes = tensor::item_bytes(call.out.dtype());
  if (call.settings != nullptr) work.settings = *call.settings;
  // Which operand of the loop each input is; 0 for a number.
  std::array<std::size_t, ops::kMostElementInputs> operand{};
  std::size_t operands = 1;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor* const tensor = call.inputs[i].tensor;
    ops::DeviceInput& input = work.inputs[i];
    if (tensor == nullptr || !tensor->is_cuda()) {
      const ops::Number number = number_of(call.inputs[i]);
      input.is_single = true;
      input.real = number.as_double();
      input.integer = number.as_int64();
      continue;
    }
    if (!tensor::has_kernels(tensor->dtype())) return run_elements_on_host(call);
    input.data = tensor->data();
    input.dtype = tensor->dtype();
    input.item_bytes = tensor::item_bytes(tensor->dtype());
    input.is_single = tensor->numel() == 1;
    loop.add(*tensor);
    operand[i] = operands++;
  }
  loop.prepare();
  const auto add = [&](std::int64_t size, const auto& stride_of) {
    std::int64_t strides[ops::kMostElementInputs + 1] = {stride_of(0)};
    for (std::size_t i = 0; i < call.inputs.size(); ++i) strides[i + 1] = operand[i] == 0 ? 0 : stride_of(operand[i]);
    return work.plan.add(size, strides);
  };
  bool fits = add(loop.row_length(), [&](std::size_t i) { return loop.row_stride(i); });
  for (const ElementLoop::LoopDim& dim : loop.outer_dims()) {
    fits = fits && add(dim.size, [&](std::size_t i) { return dim.strides[i]; });
  }
  // So many dimensions that cannot be joined are no kernel's.
  if (!fits) return run_elements_on_host(call);
  work.choose_groups(call.inputs.size(), call.in == ops::Compute::Float);
  found->second(work, stream());
  return launched(in);
}

}  // namespace nns::cuda
