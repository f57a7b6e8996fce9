#include "core/ops/normalization.h"

namespace nns::ops {

NormalizationFormula::Gradients NormalizationFormula::gradients(Interpreter& interpreter) const {
  const Value over = dims_value(interpreter, dims);
  const auto mean_of = [&](const Term& term) { return apply(OpId::mean_dim, {term, over, true}); };
  const bool is_fixed = !fixed_invstd.is_none();
  const Term centered = x - (is_fixed ? fixed_mean : mean_of(x));
  const Term invstd = is_fixed ? fixed_invstd : rsqrt(mean_of(square(centered)) + eps);
  const Term normal = centered * invstd;
  const Term weighted = weight.is_none() ? grad : grad * weight;
  Gradients made;
  made.x = is_fixed ? weighted * invstd : invstd * (weighted - mean_of(weighted) - normal * mean_of(weighted * normal));
  made.weight = grad * normal;
  made.bias = grad;
  return made;
}

PyResult<void> check_parameter_dtype(OpCall& call, const Tensor& input, const Tensor* parameter) {
  if (parameter == nullptr || parameter->dtype() == input.dtype()) return {};
  const bool is_half = input.dtype() == DType::BFloat16 || input.dtype() == DType::Float16;
  if (is_half && parameter->dtype() == DType::Float32) return {};
  if (is_half) {
    return object::runtime_error(call.interpreter, "mixed dtype (CPU): expect parameter to have scalar type of Float");
  }
  return object::runtime_error(call.interpreter, "expected scalar type {} but found {}",
                               tensor::info(input.dtype()).scalar_name, tensor::info(parameter->dtype()).scalar_name);
}

}  // namespace nns::ops
