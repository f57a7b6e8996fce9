#include <algorithm>

#include "core/ops/errors.h"
#include "core/ops/layouts.h"
#include "core/ops/pooling.h"

// Behaviour: aten/src/ATen/native/{AveragePool2d,AveragePool3d,AdaptiveAveragePooling,AdaptiveAveragePooling3d,
// Pooling}.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

constexpr PoolWords kWords2d = {"avg_pool2d", "either be ", "either be omitted, ", "either be ", ""};
constexpr PoolWords kWords3d = {"avg_pool3d", "be ", "be omitted, ", "be ", ""};

PyResult<PoolArguments> arguments(OpCall& call, std::size_t dims) {
  return pool_arguments(call, dims, 0, 4, dims == 2 ? kWords2d : kWords3d);
}
MeanOptions options_of(bool counts_padding, const Value& divisor) {
  MeanOptions options{counts_padding, std::nullopt};
  if (!divisor.is_none()) options.divisor = divisor.as_int();
  return options;
}

// Errors: NotImplementedError  torch has no kernel for the dtype.
PyResult<void> check_implemented(OpCall& call, std::string_view kernel, bool takes_long) {
  const DType dtype = call.required(0).dtype();
  if (takes_long && dtype == DType::Int64) return {};
  if (tensor::is_floating(dtype) && tensor::item_bytes(dtype) > 1) return {};
  return not_implemented_for(call.interpreter, kernel, dtype);
}

template <std::size_t dims>
PyResult<void> average_shape(OpCall& call) {
  NNS_TRY_ASSIGN(const PoolArguments a, arguments(call, dims));
  if (!call.is_none(6) && call.integer(6) == 0)
    return object::runtime_error(call.interpreter, "divisor must be not zero");
  const std::size_t ndim = call.required(0).ndim();
  if constexpr (dims == 2) {
    if (ndim < 3) NNS_TRY(call.dimension(-3, ndim));
    if (ndim > 4) {
      return object::runtime_error(
          call.interpreter,
          "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{}",
          shape_text(call.required(0).shape()));
    }
  } else if (ndim != 4 && ndim != 5) {
    return object::runtime_error(call.interpreter, "non-empty 4D or 5D (batch mode) tensor expected for input");
  }
  NNS_TRY_ASSIGN(const Dims shape, pooled_shape(call, a, "avg_pool3d()", dims == 3));
  return call.give(shape, call.required(0).dtype());
}
template <std::size_t dims>
PyResult<void> run_average(OpCall& call) {
  NNS_TRY(check_implemented(call, dims == 2 ? "avg_pool2d" : "avg_pool3d_out_frame", true));
  NNS_TRY_ASSIGN(const PoolArguments a, arguments(call, dims));
  mean_over_windows(plan_of(a.windows(call.required(0).shape())), options_of(call.flag(5), call.args[6]),
                    call.required(0), call.output());
  return {};
}

// The adjoint takes the same arguments with the size of the input in front of them.
PyResult<void> run_average_backward(OpCall& call) {
  const Dims kernel = call.dims(2);
  const Tensor& in = call.output();
  PoolArguments a;
  a.dims = kernel.size();
  const auto ints = [&](std::size_t i) {
    const Dims given = call.dims(i);
    return std::vector<std::int64_t>(given.begin(), given.end());
  };
  a.kernel = ints(2);
  a.stride = ints(3);
  a.padding = ints(4);
  a.dilation.assign(a.dims, 1);
  a.ceil_mode = call.flag(5);
  spread_over_windows(plan_of(a.windows(in.shape())), options_of(call.flag(6), call.args[7]), call.required(0), in);
  return {};
}

// An argument that was checked, with a number for each dimension.
Value expanded(Backward& b, const Value& given, std::size_t dims) {
  const Dims values = dims_of(given);
  return values.size() == dims ? given : dims_value(b.interpreter(), Dims(dims, values[0]));
}
template <std::size_t dims>
Term average_gradient(Backward& b) {
  const Value kernel = expanded(b, b.value(1), dims);
  const bool has_stride = !b.value(2).is_none() && dims_of(b.value(2)).size() > 0;
  return apply(OpId::avg_pool_backward, {b.grad(), dims_value(b.interpreter(), b.input(0).shape), TermArgument(kernel),
                                         TermArgument(has_stride ? expanded(b, b.value(2), dims) : kernel),
                                         TermArgument(expanded(b, b.value(3), dims)), TermArgument(b.value(4)),
                                         TermArgument(b.value(5)), TermArgument(b.value(6))});
}
Term average_backward_gradient(Backward& b) {
  return apply(dims_of(b.value(2)).size() == 2 ? OpId::avg_pool2d : OpId::avg_pool3d,
               {b.grad(), TermArgument(b.value(2)), TermArgument(b.value(3)), TermArgument(b.value(4)),
                TermArgument(b.value(5)), TermArgument(b.value(6)), TermArgument(b.value(7))});
}

PyResult<Value> average_1d(OpCall& call) {
  NNS_TRY(check_1d(call, "avg_pool1d"));
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    if (call.is_none(i) || call.dims(i).size() == 1) continue;
    return object::runtime_error(call.interpreter, "avg_pool1d() argument '{}' should contain one int (got {})",
                                 call.op.parameters[i].name, call.dims(i).size());
  }
  const Value stride = call.is_none(2) ? pair_with_one(call, call.dims(1)) : pair_with_one(call, call.dims(2));
  return value_of(
      as_line(apply(OpId::avg_pool2d, {as_plane(call.required(0)), TermArgument(pair_with_one(call, call.dims(1))),
                                       TermArgument(stride), TermArgument(pair_with_one(call, call.dims(3), 0)),
                                       TermArgument(call.args[4]), TermArgument(call.args[5])})));
}

// ---------------------------------------------------------------- adaptive

std::string_view adaptive_name(std::size_t dims) { return dims == 2 ? "adaptive_avg_pool2d" : "adaptive_avg_pool3d"; }

PyResult<void> check_adaptive(OpCall& call, std::size_t dims) {
  const Dims size = call.dims(1);
  if (size.size() != dims)
    return object::runtime_error(call.interpreter, "{}: output_size must be {}", adaptive_name(dims), dims);
  for (const std::int64_t one : size) {
    if (one >= 0) continue;
    // Both speak of 2d, the 3d one without a space.
    return object::runtime_error(
        call.interpreter,
        "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {{{}}}",
        dims == 2 ? fmt::format("{}, {}", size[0], size[1]) : fmt::format("{}, {},{}", size[0], size[1], size[2]));
  }
  const Dims& input = call.required(0).shape();
  if (input.size() == dims + 1 || input.size() == dims + 2) {
    for (std::size_t i = input.size() - dims; i < input.size(); ++i) {
      if (input[i] > 0) continue;
      return object::runtime_error(
          call.interpreter,
          "{}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {} with dimension "
          "{} being empty",
          adaptive_name(dims), shape_text(input), i);
    }
    return {};
  }
  return object::runtime_error(call.interpreter, "{}(): Expected {}D or {}D tensor, but got {}", adaptive_name(dims),
                               dims + 1, dims + 2, shape_text(input));
}

template <std::size_t dims>
PyResult<void> adaptive_shape(OpCall& call) {
  NNS_TRY(check_adaptive(call, dims));
  return call.give(with_last_sizes(call.required(0).shape(), call.dims(1).span()), call.required(0).dtype());
}
PoolPlan adaptive_plan_between(const Dims& in, const Dims& out, std::size_t dims) {
  return adaptive_plan(last_sizes(in, dims), last_sizes(out, dims));
}
template <std::size_t dims>
PyResult<void> run_adaptive(OpCall& call) {
  NNS_TRY(check_implemented(call, dims == 2 ? "adaptive_avg_pool2d" : "adaptive_avg_pool3d_cpu", false));
  mean_over_windows(adaptive_plan_between(call.required(0).shape(), call.output().shape(), dims), {}, call.required(0),
                    call.output());
  return {};
}
PyResult<void> run_adaptive_backward(OpCall& call) {
  NNS_TRY(check_implemented(call, "adaptive_avg_pool_backward", false));
  const auto dims = static_cast<std::size_t>(call.integer(2));
  spread_over_windows(adaptive_plan_between(call.output().shape(), call.required(0).shape(), dims), {},
                      call.required(0), call.output());
  return {};
}
template <std::size_t dims>
OpBodies adaptive_bodies(std::string_view node_name) {
  return {.shape = adaptive_shape<dims>,
          .cpu = run_adaptive<dims>,
          .gradients = {Gradient{0, 0,
                                 [](Backward& b) {
                                   return apply(OpId::adaptive_avg_pool_backward,
                                                {b.grad(), dims_value(b.interpreter(), b.input(0).shape),
                                                 static_cast<std::int64_t>(dims)});
                                 }}},
          .node_name = node_name};
}

// One window over all is a mean.
template <std::size_t dims, OpId op>
PyResult<Value> adaptive_average(OpCall& call) {
  const Dims size = call.dims(1);
  if (size.size() == dims) NNS_TRY(check_adaptive(call, dims));
  const bool is_whole = size.size() == dims && std::all_of(size.begin(), size.end(), [](auto one) { return one == 1; });
  if (!is_whole) return call_op(call.interpreter, op, {call.args[0], call.args[1]});
  std::vector<std::int64_t> last;
  for (std::size_t i = 0; i < dims; ++i) last.push_back(-1 - static_cast<std::int64_t>(i));
  NNS_TRY_ASSIGN(const Value made, call_op(call.interpreter, OpId::mean_dim,
                                           {call.args[0], dims_value(call.interpreter, Dims(last)), Value(true)}));
  if (suggested_format(call.required(0)) != MemoryFormat::Contiguous) {
    // Of one item a channel any strides will do: those of channels last tell what the input was.
    Tensor& mean = *made.as<Tensor>();
    Dims strides(mean.ndim(), mean.shape()[1]);
    strides[1] = 1;
    mean.set_data(*tensor::make_tensor(call.interpreter, {mean.storage(), mean.shape(), strides, 0, mean.dtype()}));
  }
  return made;
}

}  // namespace

template <>
OpBodies bodies<OpId::avg_pool1d>() {
  return {.composite = average_1d};
}
template <>
OpBodies bodies<OpId::avg_pool2d>() {
  return {.shape = average_shape<2>,
          .cpu = run_average<2>,
          .gradients = {Gradient{0, 0, average_gradient<2>}},
          .node_name = "AvgPool2DBackward0"};
}
template <>
OpBodies bodies<OpId::avg_pool3d>() {
  return {.shape = average_shape<3>,
          .cpu = run_average<3>,
          .gradients = {Gradient{0, 0, average_gradient<3>}},
          .node_name = "AvgPool3DBackward0"};
}
template <>
OpBodies bodies<OpId::avg_pool_backward>() {
  return {.shape = [](OpCall& call) { return call.give(call.dims(1), call.required(0).dtype()); },
          .cpu = run_average_backward,
          .gradients = {Gradient{0, 0, average_backward_gradient}}};
}
template <>
OpBodies bodies<OpId::adaptive_avg_pool1d>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    NNS_TRY(check_1d(call, "adaptive_avg_pool1d"));
    if (call.dims(1).size() != 1) {
      return object::runtime_error(call.interpreter,
                                   "adaptive_avg_pool1d() argument 'output_size' should contain one int (got {})",
                                   call.dims(1).size());
    }
    return value_of(as_line(apply(OpId::adaptive_avg_pool2d,
                                  {as_plane(call.required(0)), TermArgument(pair_with_one(call, call.dims(1)))})));
  }};
}
template <>
OpBodies bodies<OpId::adaptive_avg_pool2d>() {
  return {.composite = adaptive_average<2, OpId::adaptive_avg_pool2d_windows>};
}
template <>
OpBodies bodies<OpId::adaptive_avg_pool3d>() {
  return {.composite = adaptive_average<3, OpId::adaptive_avg_pool3d_windows>};
}
template <>
OpBodies bodies<OpId::adaptive_avg_pool2d_windows>() {
  return adaptive_bodies<2>("AdaptiveAvgPool2DBackward0");
}
template <>
OpBodies bodies<OpId::adaptive_avg_pool3d_windows>() {
  return adaptive_bodies<3>("AdaptiveAvgPool3DBackward0");
}
template <>
OpBodies bodies<OpId::adaptive_avg_pool_backward>() {
  return {.shape = [](OpCall& call) { return call.give(call.dims(1), call.required(0).dtype()); },
          .cpu = run_adaptive_backward,
          .gradients = {Gradient{0, 0, [](Backward& b) {
                                   const auto dims = static_cast<std::size_t>(b.integer(2));
                                   const std::vector<std::int64_t> size = last_sizes(b.input(0).shape, dims);
                                   return apply(dims == 2 ? OpId::adaptive_avg_pool2d_windows
                                                          : OpId::adaptive_avg_pool3d_windows,
                                                {b.grad(), dims_value(b.interpreter(), Dims(size))});
                                 }}}};
}

}  // namespace nns::ops
