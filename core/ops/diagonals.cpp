#include <fmt/ranges.h>

#include <algorithm>

#include "core/ops/element_kernels.h"
#include "core/ops/node_names.h"
#include "core/ops/term.h"

// Matrices made of diagonals and blocks, and diagonals taken out.
// Behaviour: aten/src/ATen/native/TensorShape.cpp (diag_embed, diagflat, block_diag), ReduceOps.cpp (trace).
namespace nns::ops {
namespace {

PyResult<Value> zeros_of(OpCall& call, const Tensor& like, const Dims& shape) {
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_full(call.interpreter, shape, 0, like.dtype(), like.device()));
  return Value(std::move(made));
}

PyResult<Value> diag_embed(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& self = call.required(0);
  const std::int64_t offset = call.integer(1);
  const std::size_t ndim = self.ndim() + 1;
  NNS_TRY_ASSIGN(const std::size_t dim1, call.dimension(call.integer(2), ndim));
  NNS_TRY_ASSIGN(const std::size_t dim2, call.dimension(call.integer(3), ndim));
  if (dim1 == dim2) {
    return object::runtime_error(in, "diagonal dimensions cannot be identical {}, {}", call.integer(2),
                                 call.integer(3));
  }
  // The last dimension becomes two, long enough for the diagonal.
  const std::int64_t size = self.shape()[self.ndim() - 1] + std::abs(offset);
  std::vector<std::int64_t> shape(self.shape().begin(), self.shape().end() - 1);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(std::min(dim1, dim2)), size);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(std::max(dim1, dim2)), size);
  NNS_TRY_ASSIGN(const Value zeros, zeros_of(call, self, Dims(shape)));
  return with_node_name(call_op(in, OpId::diagonal_scatter,
                                {zeros, call.args[0], call.args[1], Value(static_cast<std::int64_t>(dim1)),
                                 Value(static_cast<std::int64_t>(dim2))}),
                        "DiagEmbedBackward0");
}

PyResult<Value> diag(OpCall& call) {
  const Tensor& self = call.required(0);
  if (self.ndim() == 1) return call_op(call.interpreter, OpId::diag_embed, {call.args[0], call.args[1]});
  if (self.ndim() != 2) {
    return object::runtime_error(call.interpreter, "diag(): Supports 1D or 2D tensors. Got {}D", self.ndim());
  }
  NNS_TRY_ASSIGN(const Value view, call_op(call.interpreter, OpId::diagonal, {call.args[0], call.args[1]}));
  return with_node_name(call_op(call.interpreter, OpId::clone, {view}), "DiagonalBackward0_copy");
}

// Each tensor as a block of a matrix that is zero beside it; vectors are rows.
PyResult<Value> block_diag(OpCall& call) {
  Interpreter& in = call.interpreter;
  std::vector<Value> blocks;
  TypePromotion promotion(in);
  std::int64_t columns = 0;
  for (Tensor* const given : call.tensors(0)) {
    if (given->ndim() > 2) {
      return object::runtime_error(
          in, "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {} has {} dimensions",
          blocks.size(), given->ndim());
    }
    const Dims shape = given->ndim() == 2 ? given->shape() : Dims({1, given->numel()});
    NNS_TRY_ASSIGN(Value block, call_op(in, OpId::reshape, {Value(given), dims_value(in, shape)}));
    NNS_TRY(promotion.add(*given));
    columns += shape[1];
    blocks.push_back(std::move(block));
  }
  if (blocks.empty()) return Value(tensor::empty(in, Dims({1, 0}), tensor::TensorLibrary::of(in).default_dtype));
  NNS_TRY_ASSIGN(const DType dtype, promotion.dtype());
  const Value dtype_value = tensor::TensorLibrary::of(in).dtype_value(dtype);
  std::int64_t before = 0;
  for (Value& block : blocks) {
    NNS_TRY_ASSIGN(block, call_op(in, OpId::to_dtype, {block, dtype_value}));
    const Tensor& one = *block.as<Tensor>();
    const std::int64_t rows = one.shape()[0], width = one.shape()[1];
    NNS_TRY_ASSIGN(const Value left, zeros_of(call, one, Dims({rows, before})));
    NNS_TRY_ASSIGN(const Value right, zeros_of(call, one, Dims({rows, columns - before - width})));
    NNS_TRY_ASSIGN(block, call_op(in, OpId::cat, {Value(in.tuple({left, block, right})), Value(1)}));
    before += width;
  }
  return call_op(in, OpId::cat, {Value(in.tuple(std::move(blocks))), Value(0)});
}

}  // namespace

template <>
OpBodies bodies<OpId::diag>() {
  return {.composite = diag};
}
template <>
OpBodies bodies<OpId::diag_embed>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    if (call.required(0).ndim() > 0) return diag_embed(call);
    return object::error<object::ErrorKind::IndexError>(
        call.interpreter, "Dimension out of range (expected to be in range of [-1, 0], but got {})", call.integer(2));
  }};
}
template <>
OpBodies bodies<OpId::diagflat>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value flat,
                   call_op(call.interpreter, OpId::reshape, {call.args[0], dims_value(call.interpreter, Dims({-1}))}));
    return call_op(call.interpreter, OpId::diag, {flat, call.args[1]});
  }};
}
template <>
OpBodies bodies<OpId::trace>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    if (call.required(0).ndim() != 2) {
      return object::runtime_error(call.interpreter, "trace: expected a matrix, but got tensor with dim {}",
                                   call.required(0).ndim());
    }
    NNS_TRY_ASSIGN(const Value view, call_op(call.interpreter, OpId::diagonal, {call.args[0]}));
    return with_node_name(call_op(call.interpreter, OpId::sum, {view}), "TraceBackward0");
  }};
}
template <>
OpBodies bodies<OpId::block_diag>() {
  return {.composite = block_diag};
}

}  // namespace nns::ops
