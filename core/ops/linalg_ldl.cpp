#include <fmt/ranges.h>

#include "core/ops/linalg.h"
#include "core/ops/linalg_kernels.h"
#include "core/ops/promotion.h"

// A = P L D L^T P^T of symmetric matrices (L^H of Hermitian ones), and systems that are solved with it.
// Behaviour: aten/src/ATen/native/BatchLinearAlgebra.cpp, linalg_ldl_factor_ex and linalg_ldl_solve, which have no
// derivatives.
namespace nns::ops {
namespace {

PyResult<void> ldl_factor_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  NNS_TRY(check_square(call.interpreter, a, "torch.linalg.ldl_factor_ex"));
  NNS_TRY(check_fractional(call.interpreter, a, "torch.linalg.ldl_factor_ex"));
  NNS_TRY(give_columns(call, a.shape(), a.dtype()));
  NNS_TRY(call.give(with_sizes(batch_of(a), {rows_of(a)}), DType::Int32));
  return call.give(batch_of(a), DType::Int32);
}

PyResult<void> run_ldl_factor_checked(OpCall& call) {
  NNS_TRY(run_ldl_factor(call));
  if (!call.flag(2)) return {};
  return check_infos(call.interpreter, call.output(2), "torch.linalg.ldl_factor_ex", call.required(0).ndim() > 2);
}

PyResult<void> ldl_solve_shape(OpCall& call) {
  Interpreter& in = call.interpreter;
  constexpr std::string_view kApi = "torch.linalg.ldl_solve";
  const Tensor& ld = call.required(0);
  const Tensor& pivots = call.required(1);
  const Tensor& b = call.required(2);
  NNS_TRY(check_square(in, ld, kApi));
  NNS_TRY(check_fractional(in, ld, kApi));
  if (ld.dtype() != b.dtype()) {
    return object::runtime_error(
        in, "Expected b and A to have the same dtype, but found b of type {} and A of type {} instead.",
        tensor::info(b.dtype()).scalar_name, tensor::info(ld.dtype()).scalar_name);
  }
  if (b.ndim() < 2) {
    return object::runtime_error(in, "{}: Expected B to have at least 2 dimensions, but it has {} dimensions instead",
                                 kApi, b.ndim());
  }
  if (columns_of(ld) != rows_of(b)) {
    return object::runtime_error(
        in, "Incompatible matrix sizes for {}: each A matrix is {} by {} but each b matrix is {} by {}", kApi,
        columns_of(ld), columns_of(ld), rows_of(b), columns_of(b));
  }
  if (!(pivots.shape() == with_sizes(batch_of(ld), {rows_of(ld)}))) {
    return object::runtime_error(
        in, "{}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape [{}] instead", kApi,
        fmt::join(pivots.shape().span(), ", "));
  }
  if (!tensor::is_integral(pivots.dtype()) || pivots.dtype() == DType::Bool) {
    return object::runtime_error(in, "{}: Expected pivots to be integers. Got {}", kApi,
                                 tensor::info(pivots.dtype()).scalar_name);
  }
  NNS_TRY_ASSIGN(const Dims batch, broadcast_shapes(in, batch_of(b), batch_of(ld)));
  return give_columns(call, with_sizes(batch, {rows_of(b), columns_of(b)}), b.dtype());
}

}  // namespace

template <>
OpBodies bodies<OpId::linalg_ldl_factor_ex>() {
  return {.shape = ldl_factor_shape,
          .cpu = run_ldl_factor_checked,
          .differentiable_outputs = 0,
          .result_fields = "LD pivots info"};
}
template <>
OpBodies bodies<OpId::linalg_ldl_factor>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
            NNS_TRY_ASSIGN(const std::vector<Term> parts,
                           parts_of(call.interpreter, OpId::linalg_ldl_factor_ex, {call.args[0], call.args[1]}));
            NNS_TRY(check_infos(call.interpreter, parts[2].tensor(), "torch.linalg.ldl_factor",
                                call.required(0).ndim() > 2));
            return named_terms(call, {parts[0], parts[1]});
          },
          .result_fields = "LD pivots"};
}
template <>
OpBodies bodies<OpId::linalg_ldl_solve>() {
  return {.shape = ldl_solve_shape, .cpu = run_ldl_solve};
}

}  // namespace nns::ops
