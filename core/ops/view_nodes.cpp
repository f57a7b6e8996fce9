#include "core/ops/view_nodes.h"

#include <array>
#include <utility>
#include <vector>

#include "core/ops/history.h"
#include "core/ops/term.h"

namespace nns::ops {
namespace {

// A complex tensor as the real one that its parts are. Must hold: it is complex.
TensorShape parts_of(const TensorShape& of) {
  std::vector<std::int64_t> shape(of.shape.begin(), of.shape.end()), strides;
  for (const std::int64_t stride : of.strides) strides.push_back(2 * stride);
  shape.push_back(2);
  strides.push_back(1);
  const DType dtype = of.dtype == DType::Complex64 ? DType::Float32 : DType::Float64;
  return {Dims(shape), Dims(strides), 2 * of.offset, dtype, of.device};
}

/// A base and a view of it, both in items of one kind: where one is complex and the other is not, in real ones.
struct SameItems {
  SameItems(const TensorShape& of_base, const TensorShape& of_view)
      : is_mixed(tensor::is_complex(of_base.dtype) != tensor::is_complex(of_view.dtype)),
        base(is_mixed && tensor::is_complex(of_base.dtype) ? parts_of(of_base) : of_base),
        view(is_mixed && tensor::is_complex(of_view.dtype) ? parts_of(of_view) : of_view) {}
  bool is_mixed;
  TensorShape base, view;
};

PyResult<Ref<Tensor>> as_parts(Interpreter& in, const Ref<Tensor>& tensor, bool is_wanted) {
  if (!is_wanted || !tensor::is_complex(tensor->dtype())) return tensor;
  return call_tensor_op(in, OpId::view_as_real, std::array{Value(tensor)});
}

PyResult<Ref<Tensor>> as_numbers(Interpreter& in, const Ref<Tensor>& tensor, DType dtype) {
  if (!tensor::is_complex(dtype) || tensor::is_complex(tensor->dtype())) return tensor;
  return call_tensor_op(in, OpId::view_as_complex, std::array{Value(tensor)});
}

// The node of a view whose base was written: its gradient goes to its place in that of the base.
class AsStridedNode final : public Node {
 public:
  AsStridedNode(object::Class& cls, const Tensor& base, const Tensor& view)
      : Node(cls), base_(facts_of(base)), view_(facts_of(view)) {
    outputs.push_back(facts_of(view));
  }
  PyResult<std::vector<Ref<Tensor>>> apply(std::span<const Ref<Tensor>> grads) override {
    if (!grads[0]) return std::vector<Ref<Tensor>>(1);
    Interpreter& in = interpreter();
    const SameItems items(base_, view_);
    NNS_TRY_ASSIGN(const Ref<Tensor> grad, as_parts(in, grads[0], items.is_mixed));
    NNS_TRY_ASSIGN(const Ref<Tensor> whole,
                   as_strided_gradient(grad, items.base.shape, items.base.strides, dims_value(in, items.view.shape),
                                       dims_value(in, items.view.strides), items.view.offset - items.base.offset)
                       .take());
    if (!items.is_mixed) return std::vector<Ref<Tensor>>{whole};
    NNS_TRY_ASSIGN(const Ref<Tensor> dense, call_tensor_op(in, OpId::contiguous, std::array{Value(whole)}));
    NNS_TRY_ASSIGN(Ref<Tensor> made, as_numbers(in, dense, base_.dtype));
    return std::vector<Ref<Tensor>>{std::move(made)};
  }

 private:
  TensorShape base_;
  TensorShape view_;
};

// The node of a tensor after a view of it was written: torch's CopySlices.
class CopySlices final : public Node {
 public:
  CopySlices(object::Class& cls, const Tensor& base, const Tensor& view, Ref<Node> function)
      : Node(cls), base_(facts_of(base)), view_(facts_of(view)), function_(std::move(function)) {
    outputs.push_back(facts_of(base));
  }
  PyResult<std::vector<Ref<Tensor>>> apply(std::span<const Ref<Tensor>> grads) override {
    std::vector<Ref<Tensor>> given(next.size());
    if (!grads[0]) return given;
    Interpreter& in = interpreter();
    NNS_TRY_ASSIGN(const Ref<Tensor> whole, laid_out(grads[0], base_.shape, base_.strides).take());
    const SameItems items(base_, view_);
    NNS_TRY_ASSIGN(const Ref<Tensor> target, as_parts(in, whole, items.is_mixed));
    NNS_TRY_ASSIGN(const Ref<Tensor> place, call_tensor_op(in, OpId::as_strided,
                                                           std::array{Value(target), dims_value(in, items.view.shape),
                                                                      dims_value(in, items.view.strides),
                                                                      Value(items.view.offset - items.base.offset)}));
    NNS_TRY_ASSIGN(const Ref<Tensor> part, as_numbers(in, place, view_.dtype));
    NNS_TRY_ASSIGN(const Ref<Tensor> before, call_tensor_op(in, OpId::clone, std::array{Value(part)}));
    const Ref<Tensor> copied[] = {before};
    NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> inner, function_->apply(copied));
    if (inner[0]) {
      NNS_TRY(call_in_place(in, OpId::copy, std::array{Value(part), Value(inner[0])}));
    } else {
      NNS_TRY(call_in_place(in, OpId::fill, std::array{Value(part), Value(0)}));
    }
    given[0] = whole;
    for (std::size_t i = 1; i < inner.size(); ++i) given[i] = inner[i];
    return given;
  }
  void release_saved() override { function_->release_saved(); }
  bool is_released() const override { return function_->is_released(); }
  void traverse(object::Visitor& visitor) const override {
    Node::traverse(visitor);
    visitor.visit(function_);
  }
  void clear_references() override {
    Node::clear_references();
    function_ = nullptr;
  }

 private:
  TensorShape base_;
  TensorShape view_;
  Ref<Node> function_;
};

}  // namespace

Ref<Node> node_of_view(const Tensor& base, const Tensor& view) {
  return object::make<AsStridedNode>(node_class(base.interpreter(), "AsStridedBackward0"), base, view);
}

Ref<Node> node_of_written_base(const Tensor& base, const Tensor& view, Ref<Node> function) {
  return object::make<CopySlices>(node_class(base.interpreter(), "CopySlices"), base, view, std::move(function));
}

}  // namespace nns::ops
