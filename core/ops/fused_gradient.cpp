#include "core/ops/fused_gradient.h"

namespace nns::ops {

std::optional<Term> fused_gradient(const Backward& b, const Term& read, ElementKernel kernel) {
  if (b.is_recorded()) return std::nullopt;
  const Term grad = b.grad();
  const auto is_plain = [](const Term& term) {
    return term.ok() && !term.is_none() && term.tensor().dtype() == DType::Float32 &&
           term.tensor().device() == Device::Cpu;
  };
  if (!is_plain(grad) || !is_plain(read) || !(grad.tensor().shape() == read.tensor().shape())) return std::nullopt;
  const PyResult<Ref<Tensor>> made =
      tensor::try_empty(b.interpreter(), read.tensor().shape(), DType::Float32, Device::Cpu);
  if (!made.ok()) return Term(made.error());
  const ElementInput inputs[] = {{&grad.tensor(), {}}, {&read.tensor(), {}}};
  const PyResult<void> done = run_elements(*made.value(), inputs, Compute::Float, Compute::Float, kernel);
  if (!done.ok()) return Term(done.error());
  return Term(made.value());
}

}  // namespace nns::ops
