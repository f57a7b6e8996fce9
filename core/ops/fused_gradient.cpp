#include "core/ops/fused_gradient.h"

namespace nns::ops {

std::optional<Term> fused_gradient(const Backward& b, const Term& read, ElementKernel floats,
                                   const KernelTable& kernels) {
  if (b.is_recorded()) return std::nullopt;
  const Term grad = b.grad();
  const auto is_plain = [](const Term& term) {
    if (!term.ok() || term.is_none()) return false;
    const Tensor& one = term.tensor();
    return tensor::is_floating(one.dtype()) && !one.is_meta() && one.sparse() == nullptr;
  };
  if (!is_plain(grad) || !is_plain(read)) return std::nullopt;
  const Tensor &given = grad.tensor(), &seen = read.tensor();
  const DType dtype = seen.dtype();
  if (given.dtype() != dtype || given.device() != seen.device() || !(given.shape() == seen.shape())) {
    return std::nullopt;
  }
  const Compute compute = compute_of(dtype);
  const ElementKernel kernel =
      dtype == DType::Float32 && tensor::is_cpu(seen.device()) ? floats : kernels[static_cast<std::size_t>(compute)];
  if (kernel == nullptr) return std::nullopt;
  const PyResult<Ref<Tensor>> made = tensor::try_empty(b.interpreter(), seen.shape(), dtype, seen.device());
  if (!made.ok()) return Term(made.error());
  const ElementInput inputs[] = {{&given, {}}, {&seen, {}}};
  const PyResult<void> done = run_elements(*made.value(), inputs, compute, compute, kernel);
  if (!done.ok()) return Term(done.error());
  return Term(made.value());
}

}  // namespace nns::ops
