#include <fmt/ranges.h>

#include "core/ops/element_kernels.h"
#include "core/ops/node.h"
#include "core/ops/several_formulas.h"
#include "core/ops/term.h"

// Activations with a second input: the other half, a learned slope, a random slope.
// Behaviour: aten/src/ATen/native/{Activation,GatedLinearUnit}.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

using namespace formula;  // NOLINT(google-build-using-namespace): this file runs formulas

template <class Formula>
PyResult<void> run_two(OpCall& call, const Tensor& a, const Tensor& b) {
  static constexpr KernelTable kTable = kernels_of<Formula, 2, float, double>();
  ElementKernel kernel = nullptr;
  NNS_TRY(find_kernel(call, kTable, call.common, kernel));
  const ElementInput inputs[] = {{&a, {}}, {&b, {}}};
  return run_elements(call.output(), inputs, compute_of(call.common), compute_of(call.common), kernel);
}

// Half number `which` of a tensor along `dim`, as a view.
Ref<Tensor> half_of(const Tensor& whole, std::size_t dim, std::int64_t which) {
  Dims shape = whole.shape();
  shape[dim] /= 2;
  return tensor::as_strided(whole, shape, whole.strides(), whole.offset() + which * shape[dim] * whole.strides()[dim]);
}

PyResult<void> glu_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  if (self.ndim() == 0) return object::runtime_error(call.interpreter, "glu does not support 0-dimensional tensors");
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim()));
  Dims shape = self.shape();
  if (shape[dim] % 2 != 0) {
    return object::runtime_error(call.interpreter, "Halving dimension must be even, but dimension {} is size {}", dim,
                                 shape[dim]);
  }
  shape[dim] /= 2;
  call.common = self.dtype();
  return call.give(shape, call.common);
}

Term glu_gradient(Backward& b) {
  const std::int64_t dim = b.integer(1);
  const std::size_t place = wrapped(dim, b.input(0).shape.size());
  const std::int64_t half = b.input(0).shape[place] / 2;
  const Term x = apply(OpId::narrow, {b.arg(0), dim, 0, half});
  const Term gate = sigmoid(apply(OpId::narrow, {b.arg(0), dim, half, half}));
  const Term left = b.grad() * gate;
  const Term right = left * (-gate + 1) * x;
  if (!left.ok()) return left;
  if (!right.ok()) return right;
  return call_tensor_op(b.interpreter(), OpId::cat,
                        std::array{Value(b.interpreter().tuple({Value(left.ref()), Value(right.ref())})), Value(dim)});
}

PyResult<Value> prelu_of(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& x = call.required(0);
  const Tensor& weight = call.required(1);
  if (x.dtype() != weight.dtype()) {
    return object::runtime_error(in, "prelu: Type promoting not supported. Got {} and {}",
                                 tensor::info(x.dtype()).scalar_name, tensor::info(weight.dtype()).scalar_name);
  }
  Term slope(Ref<Tensor>(call.tensor(1)));
  if (weight.numel() != 1) {
    if (x.ndim() == 0) return object::runtime_error(in, "Not allow zero-dim input tensor.");
    const std::int64_t channels = x.ndim() > 1 ? x.shape()[1] : 1;
    if (channels != weight.numel()) {
      return object::runtime_error(in,
                                   "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} "
                                   "and channel size = {}.",
                                   weight.numel(), channels);
    }
  }
  if (weight.ndim() > 1) {
    return object::runtime_error(in, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {}",
                                 weight.ndim());
  }
  if (x.ndim() != weight.ndim()) {
    Dims shape(x.ndim(), 1);
    if (x.ndim() > 1) shape[1] = weight.numel();
    slope = apply(OpId::reshape, {slope, dims_value(in, shape)});
  }
  return value_of(apply(OpId::prelu_kernel, {Term(Ref<Tensor>(call.tensor(0))), slope}));
}

PyResult<void> prelu_shape(OpCall& call) {
  NNS_TRY_ASSIGN(const Dims shape,
                 broadcast_shapes(call.interpreter, call.required(0).shape(), call.required(1).shape()));
  call.common = call.required(0).dtype();
  return call.give(shape, call.common);
}

PyResult<void> rrelu_shape(OpCall& call) {
  const Tensor& x = call.required(0);
  NNS_TRY(call.give(x.shape(), x.dtype()));
  return call.give(x.shape(), x.dtype());
}

// A slope is drawn for each item that is not positive, in order; the noise is what the gradient is multiplied with.
PyResult<void> run_rrelu(OpCall& call) {
  const Tensor& x = call.required(0);
  const double low = call.real(1), high = call.real(2);
  tensor::Generator& generator = tensor::TensorLibrary::of(call.interpreter).generator;
  std::vector<double> noise;
  tensor::for_each_place(x, [&](std::int64_t place) {
    noise.push_back(tensor::read_double(x, place) > 0 ? 1 : generator.uniform_double() * (high - low) + low);
  });
  const auto bytes = static_cast<std::int64_t>(tensor::item_bytes(x.dtype()));
  store_items(x.dtype(), call.output(1).data(), bytes, x.numel(), Compute::Double, noise.data());
  std::size_t next = 0;
  std::vector<double> made(noise.size());
  tensor::for_each_place(x, [&](std::int64_t place) {
    made[next] = tensor::read_double(x, place) * noise[next];
    ++next;
  });
  store_items(x.dtype(), call.output(0).data(), bytes, x.numel(), Compute::Double, made.data());
  return {};
}

}  // namespace

template <>
OpBodies bodies<OpId::glu>() {
  return {.shape = glu_shape,
          .cpu =
              [](OpCall& call) {
                const Tensor& x = call.required(0);
                const std::size_t dim = wrapped(call.integer(1), x.ndim());
                return run_two<Glu>(call, *half_of(x, dim, 0), *half_of(x, dim, 1));
              },
          .gradients = {Gradient{0, argument(0), glu_gradient}}};
}
template <>
OpBodies bodies<OpId::prelu>() {
  return {.composite = prelu_of};
}
template <>
OpBodies bodies<OpId::prelu_kernel>() {
  return {.shape = prelu_shape,
          .cpu = [](OpCall& call) { return run_two<PRelu>(call, call.required(0), call.required(1)); },
          .gradients = {
              Gradient{0, argument(0) | argument(1),
                       [](Backward& b) { return where(gt(b.arg(0), 0), b.grad(), b.grad() * b.arg(1)); }},
              Gradient{1, argument(0), [](Backward& b) { return where(gt(b.arg(0), 0), 0, b.grad() * b.arg(0)); }}}};
}
template <>
OpBodies bodies<OpId::rrelu_with_noise>() {
  return {.shape = rrelu_shape,
          .cpu = run_rrelu,
          .gradients = {Gradient{0, result(1), [](Backward& b) { return b.grad() * b.out(1); }}},
          .differentiable_outputs = 1,
          .node_name = "RreluWithNoiseBackward0"};
}

}  // namespace nns::ops
