#include "core/object/class.h"
#include "core/ops/dispatch.h"
#include "core/ops/history.h"
#include "core/ops/node.h"
#include "core/ops/sparse_items.h"
#include "core/tensor/capture.h"
#include "core/tensor/order.h"

// The node at the end of a graph that adds a gradient to its leaf.
// Behaviour: torch/csrc/autograd/functions/accumulate_grad.cpp.
namespace nns::ops {

AccumulateGrad::AccumulateGrad(object::Class& cls, Ref<Tensor> leaf) : Node(cls), variable(std::move(leaf)) {
  sequence = ~std::uint64_t{0};  // visited as soon as it can be
  outputs.push_back(facts_of(*variable));
  variable->autograd_meta().accumulator = this;
}

AccumulateGrad::~AccumulateGrad() {
  if (variable && variable->autograd() != nullptr && variable->autograd()->accumulator == this) {
    variable->autograd_meta().accumulator = nullptr;
  }
}

// Whether nobody else looks at the bytes of a gradient, so that it may become .grad as it is. A view whose base only it
// holds is as good as the base.
static bool is_alone(const Tensor& grad) {
  const tensor::AutogradMeta* meta = grad.autograd();
  const bool is_view = meta != nullptr && meta->view_base && meta->view_base->storage() == grad.storage();
  if (is_view && meta->view_base->reference_count() > 1) return false;
  return grad.storage()->reference_count() == (is_view ? 2U : 1U) && grad.nbytes() == grad.storage()->bytes();
}

// Whether a gradient lies as its leaf does, or is contiguous where that has gaps.
// Behaviour: torch/csrc/autograd/utils/grad_layout_contract.h.
static bool lies_as_its_leaf(const Tensor& grad, const Tensor& leaf) {
  const bool is_contiguous = grad.is_contiguous();
  if ((is_contiguous && leaf.is_contiguous()) || !tensor::is_non_overlapping_and_dense(leaf)) return is_contiguous;
  for (std::size_t dim = 0; dim < grad.ndim(); ++dim) {
    if (grad.shape()[dim] != 1 && grad.strides()[dim] != leaf.strides()[dim]) return false;
  }
  return true;
}

static PyResult<Ref<Tensor>> copy_in_order_of(const Tensor& leaf, const Tensor& grad) {
  if (leaf.is_contiguous() || !tensor::is_non_overlapping_and_dense(leaf) || !(grad.shape() == leaf.shape())) {
    return tensor::clone(grad);
  }
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty_strided(grad.interpreter(), grad.shape(), leaf.strides(),
                                                             grad.dtype(), grad.device()));
  NNS_TRY(tensor::copy_items(*made, grad));
  return made;
}

// The values of a sparse gradient, a copy where somebody else may hold them.
static PyResult<Ref<Tensor>> own_values(const Tensor& grad) {
  const Tensor& values = *grad.sparse()->values;
  return is_alone(values) && values.is_contiguous() ? tensor::detach(values) : tensor::clone(values);
}

PyResult<std::vector<Ref<Tensor>>> AccumulateGrad::apply(std::span<const Ref<Tensor>> grads) {
  if (!grads[0]) return std::vector<Ref<Tensor>>();
  const bool records = OpLibrary::of(interpreter()).grad_mode.is_enabled;
  if (tensor::Capture* const capture = tensor::Capture::current()) [[unlikely]]
    capture->note_grad(*variable);
  const Ref<Tensor>& before = variable->grad();
  if (!before) {
    // A gradient that nobody else holds becomes .grad itself; otherwise a copy does.
    Ref<Tensor> grad = grads[0];
    if (grad->sparse() != nullptr) {
      // The values may be those of somebody else's tensor.
      NNS_TRY_ASSIGN(Ref<Tensor> values,
                     records ? call_tensor_op(interpreter(), OpId::clone, std::array{Value(grad->sparse()->values)})
                             : own_values(*grad));
      grad = with_values(*grad, std::move(values));
    } else if (records || is_dispatched(*grad)) {
      NNS_TRY_ASSIGN(grad, call_tensor_op(interpreter(), OpId::clone, std::array{Value(grad)}));
    } else if (grad->reference_count() > 2 || !is_alone(*grad) || !lies_as_its_leaf(*grad, *variable)) {
      NNS_TRY_ASSIGN(grad, copy_in_order_of(*variable, *grad));
    } else if (grad->requires_grad() || grad->autograd() != nullptr) {
      grad = tensor::detach(*grad);
    }
    tensor::Capture::assign_grad(*variable, std::move(grad));
  } else if (records || (before->sparse() != nullptr && grads[0]->sparse() == nullptr)) {
    NNS_TRY_ASSIGN(Ref<Tensor> sum, sum_of_gradients(*before, *grads[0]));
    tensor::Capture::assign_grad(*variable, std::move(sum));
  } else if (grads[0]->sparse() != nullptr) {
    NNS_TRY(add_sparse(*before, *grads[0]));
  } else {
    NNS_TRY_ASSIGN(const Ref<Tensor> same,
                   call_in_place(interpreter(), OpId::add, std::array{Value(before), Value(grads[0])}));
  }
  return std::vector<Ref<Tensor>>();
}

void AccumulateGrad::traverse(object::Visitor& visitor) const {
  Node::traverse(visitor);
  visitor.visit(variable);
}

void AccumulateGrad::clear_references() {
  Node::clear_references();
  if (variable && variable->autograd() != nullptr && variable->autograd()->accumulator == this) {
    variable->autograd_meta().accumulator = nullptr;
  }
  variable = nullptr;
}

Ref<AccumulateGrad> accumulator_of(Tensor& leaf) {
  tensor::AutogradMeta& meta = leaf.autograd_meta();
  if (meta.accumulator != nullptr) return Ref<AccumulateGrad>(static_cast<AccumulateGrad*>(meta.accumulator));
  return object::make<AccumulateGrad>(node_class(leaf.interpreter(), "AccumulateGrad"), Ref<Tensor>(&leaf));
}

// ---------------------------------------------------------------- recording

}  // namespace nns::ops
