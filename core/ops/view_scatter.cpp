#include <fmt/ranges.h>

#include "core/ops/node.h"
#include "core/ops/term.h"

// A copy of a tensor in which another stands where a view looks.
// Behaviour: aten/src/ATen/native/TensorShape.cpp (select_scatter, slice_scatter, diagonal_scatter).
namespace nns::ops {
namespace {

// The arguments of the view of `of`: those behind the source.
std::vector<Value> view_arguments(Value of, std::span<const Value> args) {
  std::vector<Value> made = {std::move(of)};
  made.insert(made.end(), args.begin() + 2, args.end());
  return made;
}

template <OpId part>
PyResult<void> scatter_view_shape(OpCall& call) {
  Interpreter& in = call.interpreter;
  // What the view says about its arguments holds here, too.
  const GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const Ref<Tensor> place, call_tensor_op(in, part, view_arguments(call.args[0], call.args)));
  const Dims& given = call.required(1).shape();
  if (!(place->shape() == given)) {
    return object::runtime_error(
        in, "expected src to have a size equal to the slice of self. src size = [{}], slice size = [{}]",
        fmt::join(given.span(), ", "), fmt::join(place->shape().span(), ", "));
  }
  return call.give(call.required(0).shape(), call.required(0).dtype());
}
template <OpId part>
PyResult<void> run_scatter_view(OpCall& call) {
  NNS_TRY(tensor::copy_items(call.output(), call.required(0)));
  const GradModeGuard no_grad(call.interpreter, false);
  NNS_TRY_ASSIGN(const Ref<Tensor> place,
                 call_tensor_op(call.interpreter, part, view_arguments(Value(call.outputs[0]), call.args)));
  return tensor::copy_items(*place, call.required(1));
}

std::vector<Value> view_values(Backward& b, Value of) {
  std::vector<Value> made = {std::move(of)};
  for (std::size_t i = 2; i < b.node.arguments.size(); ++i) made.push_back(b.value(i));
  return made;
}
template <OpId part, OpId whole>
OpBodies scattered_view() {
  return {.shape = scatter_view_shape<part>,
          .cpu = run_scatter_view<part>,
          .gradients = {Gradient{0, 0,
                                 [](Backward& b) -> Term {
                                   Term grad = b.grad();
                                   if (!grad.ok()) return grad;
                                   std::vector<Value> args = view_values(b, Value(grad.ref()));
                                   Term zeros = zeros_like(grad, b.input(1).shape);
                                   if (!zeros.ok()) return zeros;
                                   args.insert(args.begin() + 1, Value(zeros.ref()));
                                   return call_tensor_op(b.interpreter(), whole, args);
                                 }},
                        Gradient{1, 0, [](Backward& b) -> Term {
                                   Term grad = b.grad();
                                   if (!grad.ok()) return grad;
                                   return call_tensor_op(b.interpreter(), part, view_values(b, Value(grad.ref())));
                                 }}}};
}

}  // namespace

template <>
OpBodies bodies<OpId::select_scatter>() {
  return scattered_view<OpId::select, OpId::select_scatter>();
}
template <>
OpBodies bodies<OpId::slice_scatter>() {
  return scattered_view<OpId::slice, OpId::slice_scatter>();
}
template <>
OpBodies bodies<OpId::diagonal_scatter>() {
  return scattered_view<OpId::diagonal, OpId::diagonal_scatter>();
}

}  // namespace nns::ops
