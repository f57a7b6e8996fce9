#include "core/ops/errors.h"
#include "native/cuda/ops.h"

// Products of matrices. The rules are those of core/ops/products.cpp.
namespace nns::cuda {
namespace {

// The last two dimensions; of three, the first is the batch.
Matrices matrices_of(const Tensor& whole) {
  const std::size_t rows = whole.ndim() - 2, columns = whole.ndim() - 1;
  return {whole.data(),          whole.shape()[rows],      whole.shape()[columns],
          whole.strides()[rows], whole.strides()[columns], whole.ndim() == 3 ? whole.strides()[0] : 0};
}

// out = alpha * left right + beta * out, and `bias` for each column.
PyResult<void> multiply(Ops& ops, OpCall& call, const Tensor& left, const Tensor& right, const Tensor& out,
                        double alpha = 1, double beta = 0, const std::byte* bias = nullptr) {
  object::Interpreter& in = call.interpreter;
  if (!tensor::is_floating(out.dtype()) || tensor::item_bytes(out.dtype()) == 1) {
    return ops::not_implemented_for(in, "addmm_cuda", out.dtype());
  }
  if (out.numel() == 0) return {};
  if (left.shape()[left.ndim() - 1] == 0) {
    // A sum over no items.
    if (beta == 0) tensor::fill_items(out, 0);
    return {};
  }
  Ref<Tensor> a = tensor::detach(left), b = tensor::detach(right);
  if (!matrices_of(*a).is_plain()) {
    NNS_TRY_ASSIGN(a, tensor::try_empty(in, left.shape(), left.dtype(), tensor::Device::Cuda));
    NNS_TRY(tensor::copy_items(*a, left));
  }
  if (!matrices_of(*b).is_plain()) {
    NNS_TRY_ASSIGN(b, tensor::try_empty(in, right.shape(), right.dtype(), tensor::Device::Cuda));
    NNS_TRY(tensor::copy_items(*b, right));
  }
  return ops.raised(in, ops.gemm().multiply(out.dtype(), matrices_of(*a), matrices_of(*b), matrices_of(out),
                                            out.ndim() == 3 ? out.shape()[0] : 1, alpha, beta, bias));
}

}  // namespace

PyResult<void> run_mm(Ops& ops, OpCall& call) {
  return multiply(ops, call, call.required(0), call.required(1), call.output());
}

PyResult<void> run_bmm(Ops& ops, OpCall& call) { return run_mm(ops, call); }

PyResult<void> run_dot(Ops& ops, OpCall& call) {
  const Tensor &a = call.required(0), &b = call.required(1);
  const std::int64_t count = a.shape()[0];
  const Ref<Tensor> row = tensor::as_strided(a, {1, count}, {0, a.strides()[0]}, a.offset());
  const Ref<Tensor> column = tensor::as_strided(b, {count, 1}, {b.strides()[0], 0}, b.offset());
  const Ref<Tensor> out = tensor::as_strided(call.output(), {1, 1}, {1, 1}, call.output().offset());
  return multiply(ops, call, *row, *column, *out);
}

PyResult<void> run_mv(Ops& ops, OpCall& call) {
  const Tensor &a = call.required(0), &x = call.required(1);
  const Ref<Tensor> column = tensor::as_strided(x, {x.shape()[0], 1}, {x.strides()[0], 0}, x.offset());
  const Ref<Tensor> out = tensor::as_strided(call.output(), {a.shape()[0], 1}, {1, 1}, call.output().offset());
  return multiply(ops, call, a, *column, *out);
}

// input 0, mat1 1, mat2 2, beta 3, alpha 4.
PyResult<void> run_addmm(Ops& ops, OpCall& call) {
  const Tensor& input = call.required(0);
  const Tensor& out = call.output();
  const double beta = call.real(3), alpha = call.real(4);
  const bool is_bias = input.ndim() == 1 && input.shape()[0] == out.shape()[1] && input.is_contiguous() &&
                       input.dtype() == out.dtype() && out.dtype() != DType::Float64 && beta == 1 && alpha == 1 &&
                       call.required(1).shape()[1] > 0 && reinterpret_cast<std::uintptr_t>(input.data()) % 16 == 0;
  if (is_bias) return multiply(ops, call, call.required(1), call.required(2), out, 1, 0, input.data());
  // A factor of 0 leaves NaN and inf of the input out.
  if (beta != 0) {
    NNS_TRY(tensor::copy_items(out, input));
    if (call.required(1).shape()[1] == 0 && beta != 1) {
      ops::GradModeGuard no_grad(call.interpreter, false);
      NNS_TRY(ops::call_in_place(call.interpreter, OpId::mul,
                                 std::array{object::Value(Ref<Tensor>(&call.output())), call.args[3]}));
    }
  }
  return multiply(ops, call, call.required(1), call.required(2), out, alpha, beta);
}

}  // namespace nns::cuda
