#include <fmt/format.h>

#include "core/ops/history.h"
#include "core/ops/node.h"

// What is known of tensors that look at others: where gradients go when they are written.
// Behaviour: torch/csrc/autograd/variable.cpp; torch/csrc/autograd/VariableTypeUtils.h.
namespace nns::ops {

namespace {

constexpr std::string_view kSeveralViews =
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one.";
constexpr std::string_view kOfCustomFunction =
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function.";

// What forbids to write a view; empty: nothing does. `is_indirect`: what it looks at was written.
std::string why_not_written(const Tensor& target, bool is_indirect) {
  using tensor::ViewOrigin;
  const tensor::AutogradMeta* const meta = target.autograd();
  if (meta == nullptr || !meta->view_base || meta->view_origin == ViewOrigin::Normal) return {};
  const auto* const node = dynamic_cast<const Node*>(target.grad_fn().get());
  const std::string_view written = is_indirect ? "its base or another view of its base has been" : "is being";
  const bool is_of_inference = meta->view_origin == ViewOrigin::Inference;
  std::string text;
  if (node != nullptr && !is_of_inference && meta->view_origin != ViewOrigin::NoGrad) {
    text = fmt::format("Output {} of {} is a view and {} modified inplace.", target.output_number(),
                       node->type().name(), written);
  } else {
    const std::string prefix = node == nullptr ? std::string("A view was created in")
                                               : fmt::format("Output {} of {} is a view of a view which was created in",
                                                             target.output_number(), node->type().name());
    text = fmt::format("{} {} mode and {} modified inplace {}.", prefix, is_of_inference ? "inference" : "no_grad",
                       written, is_of_inference ? "in normal mode" : "with grad mode enabled");
  }
  if (meta->view_origin == ViewOrigin::SeveralOutputs) return fmt::format("{} {}", text, kSeveralViews);
  if (meta->view_origin == ViewOrigin::CustomFunction) return fmt::format("{} {}", text, kOfCustomFunction);
  return fmt::format(
      "{} Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
      "both the view and the inplace either both inside the {} block (if you don't want the inplace to be tracked) or "
      "both outside (if you want the inplace to be tracked). To find out where this view was allocated, run your "
      "entire forward region under anomaly mode (torch.autograd.detect_anomaly(check_nan=False)).",
      text, is_of_inference ? "inference_mode" : "no_grad");
}

}  // namespace

PyResult<void> check_recorded_write(const Tensor& target) {
  const std::string why = why_not_written(target, false);
  if (why.empty()) return {};
  return object::runtime_error(target.interpreter(), "{}", why);
}

PyResult<void> check_written_base(const Tensor& view) {
  const std::string why = why_not_written(view, true);
  if (why.empty()) return {};
  return object::runtime_error(view.interpreter(), "{}", why);
}

PyResult<void> check_writable(Tensor& target) {
  Interpreter& interpreter = target.interpreter();
  if (target.is_inference() && !OpLibrary::of(interpreter).grad_mode.is_inference) {
    return object::runtime_error(
        interpreter,
        "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
        "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.");
  }
  const tensor::AutogradMeta* meta = target.autograd();
  const bool is_view = meta != nullptr && meta->view_base;
  if (!needs_gradient(target) || target.is_inference()) return {};
  NNS_TRY(check_recorded_write(target));
  if (is_view && meta->view_base->is_leaf()) {
    return object::runtime_error(
        interpreter, "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  }
  if (target.is_leaf()) {
    return object::runtime_error(interpreter,
                                 "a leaf Variable that requires grad is being used in an in-place operation.");
  }
  return {};
}

void note_view(OpCall& call) {
  Tensor& base = call.required(0);
  const GradMode& mode = OpLibrary::of(call.interpreter).grad_mode;
  // One of inference has no history at all.
  if (base.is_inference()) return;
  const tensor::AutogradMeta* of_base = base.autograd();
  const Ref<Tensor> root = of_base != nullptr && of_base->view_base ? of_base->view_base : Ref<Tensor>(&base);
  // Also a list of one.
  const bool is_list = call.outputs.size() > 1 || call.op.bodies.differentiable_outputs == 255;
  for (const Ref<Tensor>& made : call.outputs) {
    tensor::AutogradMeta& meta = made->autograd_meta();
    meta.view_base = root;
    if (of_base != nullptr && of_base->own_version) meta.own_version = of_base->own_version;
    meta.view_version = made->version();
    // A view of a view is of the same kind unless it is of one itself.
    const bool is_of_inference =
        of_base != nullptr && of_base->view_base && of_base->view_origin == tensor::ViewOrigin::Inference;
    meta.view_origin = mode.is_inference || is_of_inference       ? tensor::ViewOrigin::Inference
                       : !mode.is_enabled                         ? tensor::ViewOrigin::NoGrad
                       : is_list                                  ? tensor::ViewOrigin::SeveralOutputs
                       : of_base != nullptr && of_base->view_base ? of_base->view_origin
                                                                  : tensor::ViewOrigin::Normal;
  }
}

}  // namespace nns::ops
