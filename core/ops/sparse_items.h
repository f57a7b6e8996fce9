#pragma once

#include "core/ops/term.h"

// What gradients and optimisers need of tensors of layout torch.sparse_coo. The work and the memory are those of the
// items that are there, never those of the whole shape, except where a result is dense and new.
namespace nns::ops {

/// The items of equal places added up, in the order of their places; `self` itself where they are so. Gradients flow.
/// Behaviour: aten/src/ATen/native/sparse/SparseTensor.cpp, _coalesce_sparse_cpu.
/// Errors: RuntimeError  a place outside of the shape.
PyResult<Ref<Tensor>> coalesced(Tensor& self);

/// a + alpha * b, both sparse. Columns are merged as if both were in order: where they are not, the sum may have a
/// place several times. Gradients flow.
/// Behaviour: aten/src/ATen/native/sparse/SparseTensorMath.cpp, add_out_sparse_cpu.
/// Errors: RuntimeError  the shapes or the numbers of sparse dimensions differ.
PyResult<Ref<Tensor>> sparse_sum(Tensor& a, Tensor& b, double alpha = 1);

/// dense + alpha * sparse, a new dense tensor. Gradients flow.
PyResult<Ref<Tensor>> dense_sum(Tensor& dense, Tensor& sparse, double alpha = 1);

/// a + b, whichever of them are sparse; two dense ones by the op.
PyResult<Ref<Tensor>> sum_of_gradients(Tensor& a, Tensor& b);

/// self += alpha * sparse, in place. Of a sparse `self` too. No graph is recorded.
/// Errors: RuntimeError  as sparse_sum().
PyResult<void> add_sparse(Tensor& self, Tensor& sparse, double alpha = 1);

/// The items of a dense tensor at the places of a sparse one: (count, dimensions behind). Gradients flow.
PyResult<Ref<Tensor>> items_at(Tensor& dense, const Tensor& sparse);

/// A sparse tensor with the places of `like` and these values, whose gradients flow.
Ref<Tensor> with_values(const Tensor& like, Ref<Tensor> values);

/// Leaves a sparse tensor without items: zero_().
void clear_items(Tensor& sparse);

/// The gradient of a table of `rows` rows of which those of `indices` were taken; none of `padding`. Its values are
/// the rows of `grad`, so gradients flow through them.
/// Behaviour: aten/src/ATen/native/Embedding.cpp, embedding_sparse_backward.
/// Errors: RuntimeError  with `scales`.
Term embedding_sparse_gradient(const Term& grad, const Term& indices, std::int64_t rows, std::int64_t padding,
                               bool scales);

/// The gradient of what gather(self, dim, index) took from: its items are those of `grad`, each at its place.
/// Behaviour: aten/src/ATen/native/TensorAdvancedIndexing.cpp, _gather_sparse_backward.
Term gather_sparse_gradient(const Term& grad, std::int64_t dim, const Term& index, const Dims& shape);

}  // namespace nns::ops
