// torch.nn.utils.clip_grad: norms of gradients and their clipping.
#include <cmath>

#include "core/nn/layer_definition.h"
#include "core/nn/utility.h"
#include "core/ops/tensor_lists.h"
#include "core/ops/term.h"
#include "core/tensor/distributed.h"

// Behaviour: torch/nn/utils/clip_grad.py.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;

PyResult<std::vector<Ref<Tensor>>> gradients_of(Interpreter& in, const Value& parameters) {
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> params, tensors_of(in, parameters));
  std::vector<Ref<Tensor>> grads;
  for (const Ref<Tensor>& param : params) {
    if (param->grad()) grads.push_back(param->grad());
  }
  return grads;
}

PyResult<double> order_of(Interpreter& in, const Value& value) {
  if (const auto* text = value.as<object::Str>()) {
    if (text->view() == "inf") return std::numeric_limits<double>::infinity();
  }
  return number(in, value);
}

PyResult<void> refuse_sparse(Interpreter& in, std::span<const Ref<Tensor>> tensors, std::string_view op) {
  for (const Ref<Tensor>& one : tensors) {
    if (one->sparse() != nullptr) return tensor::no_sparse_kernel(in, op);
  }
  return {};
}

// The norm of some tensors together, of their norms.
PyResult<Ref<Tensor>> norm_of_norms(Interpreter& in, std::span<const Ref<Tensor>> tensors, double order) {
  NNS_TRY(refuse_sparse(in, tensors, "linalg_vector_norm"));
  if (ops::TensorLists* const lists = ops::TensorLists::of(in, tensors); lists != nullptr && order > 0) {
    NNS_TRY_ASSIGN(Ref<Tensor> total, tensor::try_empty(in, {}, tensors[0]->dtype(), tensors[0]->device()));
    NNS_TRY(lists->norm(tensors, order, *total));
    return total;
  }
  std::vector<Value> norms;
  for (const Ref<Tensor>& one : tensors) {
    Term norm = ops::apply(OpId::norm, {Term(one), Value(order)});
    norm = ops::as_dtype(norm, tensors[0]->dtype());
    if (!norm.ok()) return norm.result().error();
    norms.emplace_back(norm.ref());
  }
  const Value all = in.tuple(std::move(norms));
  NNS_TRY_ASSIGN(const Ref<Tensor> stacked, ops::call_tensor_op(in, OpId::stack, {&all, 1}));
  const Term total = ops::apply(OpId::norm, {Term(stacked), Value(order)});
  if (!total.ok()) return total.result().error();
  return total.ref();
}

// Of distributed tensors every rank has a part, of the others all.
PyResult<Ref<Tensor>> norm_of_all(Interpreter& in, std::span<const Ref<Tensor>> tensors, double order) {
  std::vector<Ref<Tensor>> parts, filled, whole;
  for (const Ref<Tensor>& one : tensors) {
    (tensor::is_distributed(*one) ? parts : whole).push_back(one);
    // A part may be empty: then it has no largest item.
    if (tensor::is_distributed(*one) && one->numel() > 0) filled.push_back(one);
  }
  if (parts.empty()) return norm_of_norms(in, whole, order);
  const double of_none = order < 0 ? std::numeric_limits<double>::infinity() : 0;
  Ref<Tensor> here = tensor::full(in, {}, of_none, parts[0]->dtype(), parts[0]->device());
  if (!filled.empty()) {
    NNS_TRY_ASSIGN(here, norm_of_norms(in, filled, order));
  }
  NNS_TRY_ASSIGN(Ref<Tensor> total, tensor::distributed_norm(in, parts, here, order));
  if (whole.empty()) return total;
  whole.push_back(std::move(total));
  return norm_of_norms(in, whole, order);
}

PyResult<Ref<Tensor>> total_norm(Interpreter& in, std::span<const Ref<Tensor>> tensors, double order,
                                 const Value& error_if_nonfinite) {
  if (tensors.empty()) return tensor::zeros(in, {});
  NNS_TRY_ASSIGN(const Ref<Tensor> total, norm_of_all(in, tensors, order));
  NNS_TRY_ASSIGN(const bool refuses, object::truth(in, error_if_nonfinite));
  if (refuses && !total->is_meta() && !std::isfinite(tensor::read_double(*total, total->offset()))) {
    return object::runtime_error(in,
                                 "The total norm of order {} for gradients from `parameters` is non-finite, so it "
                                 "cannot be clipped. To disable this error and scale the gradients by the non-finite "
                                 "norm anyway, set `error_if_nonfinite=False`",
                                 object::float_repr(order));
  }
  return total;
}

PyResult<void> scale(Interpreter& in, std::span<const Ref<Tensor>> grads, double most, const Ref<Tensor>& norm) {
  if (grads.empty()) return {};
  const Term factor = ops::apply(OpId::clamp, {ops::reciprocal(Term(norm) + 1e-6) * most, Value(), Value(1.0)});
  if (!factor.ok()) return factor.result().error();
  if (ops::TensorLists* const lists = ops::TensorLists::of(in, grads); lists != nullptr && factor.tensor().is_cuda()) {
    NNS_TRY(lists->scale(grads, factor.tensor()));
    for (const Ref<Tensor>& grad : grads) grad->bump_version();
    return {};
  }
  for (const Ref<Tensor>& grad : grads) {
    const Value args[] = {Value(grad), Value(factor.ref())};
    NNS_TRY(ops::call_in_place(in, OpId::mul, args));
  }
  return {};
}

PyResult<Value> clip_norm(Interpreter& in, Args a) {
  const ops::GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> grads, gradients_of(in, a[0]));
  NNS_TRY_ASSIGN(const double most, number(in, a[1]));
  NNS_TRY_ASSIGN(const double order, order_of(in, a[2]));
  NNS_TRY_ASSIGN(const Ref<Tensor> norm, total_norm(in, grads, order, a[3]));
  NNS_TRY(scale(in, grads, most, norm));
  return Value(norm);
}

PyResult<Value> get_norm(Interpreter& in, Args a) {
  const ops::GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> tensors, tensors_of(in, a[0]));
  NNS_TRY_ASSIGN(const double order, order_of(in, a[1]));
  NNS_TRY_ASSIGN(const Ref<Tensor> norm, total_norm(in, tensors, order, a[2]));
  return Value(norm);
}

PyResult<Value> clip_with_norm(Interpreter& in, Args a) {
  const ops::GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> grads, gradients_of(in, a[0]));
  NNS_TRY_ASSIGN(const double most, number(in, a[1]));
  if (a[2].as<Tensor>() == nullptr) {
    return object::type_error(in, "total_norm must be a Tensor, not {}", in.type_of(a[2]).name());
  }
  NNS_TRY(scale(in, grads, most, Ref<Tensor>(a[2].as<Tensor>())));
  return Value();
}

PyResult<Value> clip_value(Interpreter& in, Args a) {
  const ops::GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> grads, gradients_of(in, a[0]));
  NNS_TRY_ASSIGN(const double most, number(in, a[1]));
  NNS_TRY(refuse_sparse(in, grads, "clamp_"));
  if (ops::TensorLists* const lists = ops::TensorLists::of(in, grads)) {
    NNS_TRY(lists->clamp(grads, -most, most));
    for (const Ref<Tensor>& grad : grads) grad->bump_version();
    return {Value()};
  }
  for (const Ref<Tensor>& grad : grads) {
    const Value args[] = {Value(grad), Value(-most), Value(most)};
    NNS_TRY(ops::call_in_place(in, OpId::clamp, args));
  }
  return Value();
}

PyResult<Value> clip_norm_deprecated(Interpreter& in, Args a) {
  in.warn(object::ErrorKind::FutureWarning,
          "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.");
  return clip_norm(in, a);
}

constexpr std::string_view kGradientModule = "torch.nn.utils";
constexpr UtilityRow kGradientRows[] = {
    {kGradientModule, "clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None)",
     clip_norm},
    {kGradientModule, "clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None)",
     clip_norm_deprecated},
    {kGradientModule, "get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None)", get_norm},
    {kGradientModule, "clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None)", clip_with_norm},
    {kGradientModule, "clip_grad_value_(parameters, clip_value, foreach=None)", clip_value},
};

}  // namespace

std::span<const UtilityRow> gradient_utilities() { return kGradientRows; }

}  // namespace nns::nn
