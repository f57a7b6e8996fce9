#include <algorithm>

#include "core/ops/convolution_call.h"
#include "core/ops/errors.h"
#include "core/ops/node.h"
#include "core/ops/plain_numbers.h"
#include "core/ops/term.h"

// Convolutions, plain and transposed.
// Behaviour: aten/src/ATen/native/Convolution.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

// The settings of one call, each with a number for every spatial dimension.
struct Settings {
  std::vector<std::int64_t> stride, padding, dilation, output_padding;
  bool is_transposed = false;
  std::int64_t groups = 1;
};

// Behaviour: aten/src/ATen/native/utils/ParamUtils.h, expand_param_if_needed.
PyResult<std::vector<std::int64_t>> one_a_dimension(OpCall& call, std::size_t parameter, std::size_t dims) {
  const Dims given = call.dims(parameter);
  if (given.size() == 1) return std::vector<std::int64_t>(dims, given[0]);
  if (given.size() == dims) return std::vector<std::int64_t>(given.begin(), given.end());
  return object::runtime_error(call.interpreter,
                               "expected {0} to be a single integer value or a list of {1} values to match the "
                               "convolution dimensions, but got {0}={2}",
                               call.op.parameters[parameter].name, dims, shape_text(given));
}

bool any_below(const std::vector<std::int64_t>& values, std::int64_t least) {
  return std::any_of(values.begin(), values.end(), [least](std::int64_t value) { return value < least; });
}

std::int64_t window_extent(std::int64_t kernel, std::int64_t dilation) { return dilation * (kernel - 1) + 1; }

// The size of a plain convolution's result, and of a transposed one's without output padding.
std::int64_t size_after(std::int64_t size, std::int64_t kernel, const Settings& s, std::size_t i) {
  return (size + 2 * s.padding[i] - window_extent(kernel, s.dilation[i])) / s.stride[i] + 1;
}
std::int64_t size_before(std::int64_t size, std::int64_t kernel, const Settings& s, std::size_t i) {
  return (size - 1) * s.stride[i] - 2 * s.padding[i] + window_extent(kernel, s.dilation[i]);
}

// The sizes of the spatial dimensions; of a 1d convolution, which is computed as a 2d one, with a 1 in front.
std::vector<std::int64_t> spatial(const Dims& shape) {
  std::vector<std::int64_t> sizes(shape.begin() + 2, shape.end());
  if (sizes.size() == 1) sizes.insert(sizes.begin(), 1);
  return sizes;
}

// Behaviour: Convolution.cpp, check_shape_forward.
PyResult<void> check_shapes(OpCall& call, const Settings& s) {
  Interpreter& in = call.interpreter;
  const Dims& input = call.required(0).shape();
  const Dims& weight = call.required(1).shape();
  const Tensor* const bias = call.tensor(2);
  if (any_below(s.padding, 0)) return object::runtime_error(in, "negative padding is not supported");
  if (any_below(s.output_padding, 0)) return object::runtime_error(in, "negative output_padding is not supported");
  if (any_below(s.stride, 1)) return object::runtime_error(in, "non-positive stride is not supported");
  if (any_below(s.dilation, 1)) {
    return object::runtime_error(in, "dilation should be greater than zero, but got [{}]", fmt::join(s.dilation, ", "));
  }
  const std::string weight_text = shape_text(weight);
  if (weight.size() != input.size()) {
    return object::runtime_error(
        in,
        "Expected {0}-dimensional input for {0}-dimensional weight {1}, but got {2}-dimensional input of size {3} "
        "instead",
        weight.size(), weight_text, input.size(), shape_text(input));
  }
  if (weight[0] < s.groups) {
    return object::runtime_error(
        in, "Given groups={0}, expected weight to be at least {0} at dimension 0, but got weight of size {1} instead",
        s.groups, weight_text);
  }
  if (weight[0] % s.groups != 0) {
    return object::runtime_error(
        in,
        "Given groups={0}, expected weight to be divisible by {0} at dimension 0, but got weight of size [{1}] instead",
        s.groups, weight_text);
  }
  const std::int64_t channels = s.is_transposed ? weight[0] : weight[1] * s.groups;
  const std::int64_t made = s.is_transposed ? weight[1] * s.groups : weight[0];
  const bool bias_fits = bias == nullptr || (bias->ndim() == 1 && bias->shape()[0] == made);
  const std::string given = s.is_transposed ? std::string("transposed=1") : fmt::format("groups={}", s.groups);
  if (input[1] != channels) {
    return object::runtime_error(
        in, "Given {}, weight of size {}, expected input{} to have {} channels, but got {} channels instead", given,
        weight_text, shape_text(input), channels, input[1]);
  }
  if (!bias_fits) {
    return object::runtime_error(in,
                                 "Given {}weight of size {}, expected bias to be 1-dimensional with {} elements, but "
                                 "got bias of size {} instead",
                                 s.is_transposed ? "transposed=1, " : "", weight_text, made, shape_text(bias->shape()));
  }
  return {};
}

PyResult<void> check_kernel_fits(OpCall& call, const Settings& s) {
  const Dims& input = call.required(0).shape();
  const Dims& weight = call.required(1).shape();
  std::vector<std::int64_t> padded, extents;
  bool fits = true;
  for (std::size_t i = 0; i + 2 < weight.size(); ++i) {
    padded.push_back(input[i + 2] + 2 * s.padding[i]);
    extents.push_back(window_extent(weight[i + 2], s.dilation[i]));
    fits = fits && padded.back() >= extents.back();
  }
  if (fits) return {};
  return object::runtime_error(call.interpreter,
                               "Calculated padded input size per channel: ({}). Kernel size: ({}). Kernel size can't "
                               "be greater than actual input size",
                               fmt::join(padded, " x "), fmt::join(extents, " x "));
}

// Names of dimensions as the messages of the slow kernels write them: a 1d convolution is a 2d one there.
std::string named(std::string_view what, std::vector<std::int64_t> values, std::int64_t filler) {
  if (values.size() == 1) values.insert(values.begin(), filler);
  constexpr std::string_view kNames[] = {"depth", "height", "width"};
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ' ';
    text += fmt::format("{}_{}: {}", what, kNames[i + 3 - values.size()], values[i]);
  }
  return text;
}

// Behaviour: NaiveConvolutionTranspose2d.cpp and 3d, slow_conv_transpose*_shape_check; ConvolutionMM2d.cpp and 3d.
PyResult<void> check_kernel(OpCall& call, const Settings& s) {
  const std::vector<std::int64_t> kernel = spatial(call.required(1).shape());
  if (any_below(kernel, 1)) {
    return kernel.size() == 3
               ? object::runtime_error(call.interpreter, "kernel size should be greater than zero, but got: {} (TxHxW)",
                                       fmt::join(kernel, " x "))
               : object::runtime_error(call.interpreter, "kernel size should be greater than zero, but got {}",
                                       named("kernel", kernel, 1));
  }
  for (std::size_t i = 0; s.is_transposed && i < s.output_padding.size(); ++i) {
    if (s.output_padding[i] < s.stride[i] || s.output_padding[i] < s.dilation[i]) continue;
    return object::runtime_error(
        call.interpreter, "output padding must be smaller than either stride or dilation, but got {} {} {}",
        named("output_padding", s.output_padding, 0), named("stride", s.stride, 1), named("dilation", s.dilation, 1));
  }
  return {};
}

// Behaviour: Convolution.cpp, check_input_same_type_as_parameters, and the slow kernels' own check. Which of the two
// speaks depends on whether torch would take oneDNN's kernel.
PyResult<void> check_dtypes(OpCall& call, const Settings& s) {
  const Tensor& input = call.required(0);
  const Dims& weight = call.required(1).shape();
  const auto strided = [](std::int64_t one) { return one != 1; };
  const std::vector<std::int64_t> kernel = spatial(weight);
  const bool is_small_kernel = kernel.back() == 1 && kernel[kernel.size() - 2] == 1;
  const bool is_wide_kernel = kernel.back() > 3 && kernel[kernel.size() - 2] > 3;
  const bool takes_onednn =
      input.dtype() == DType::Float32 &&
      (std::any_of(s.stride.begin(), s.stride.end(), strided) ||
       std::any_of(s.dilation.begin(), s.dilation.end(), strided) || input.shape()[0] >= 16 || !is_small_kernel) &&
      (s.groups > 1 || is_wide_kernel || input.shape()[0] > 1 || input.numel() > 20480);
  for (const std::size_t parameter : {std::size_t{1}, std::size_t{2}}) {
    const Tensor* const other = call.tensor(parameter);
    if (other == nullptr || other->dtype() == input.dtype()) continue;
    if (!takes_onednn) {
      return object::runtime_error(call.interpreter, "expected scalar type {} but found {}",
                                   tensor::info(input.dtype()).scalar_name, tensor::info(other->dtype()).scalar_name);
    }
    const auto type_text = [](DType dtype) {
      const bool has_old_name = dtype != DType::BFloat16 && dtype != DType::Bool && !tensor::is_complex(dtype);
      return has_old_name ? tensor::legacy_type_name(dtype) : fmt::format("CPU{}Type", tensor::info(dtype).scalar_name);
    };
    const std::string_view name = call.op.parameters[parameter].name;
    return object::runtime_error(call.interpreter,
                                 "Input type ({}) and {} type ({}) should be the same or input should be a MKLDNN "
                                 "tensor and {} is a dense tensor",
                                 type_text(input.dtype()), name, type_text(other->dtype()), name);
  }
  return {};
}

PyResult<Settings> settings_of(OpCall& call, std::size_t first, std::size_t dims, bool has_output_padding) {
  Settings s;
  NNS_TRY_ASSIGN(s.stride, one_a_dimension(call, first, dims));
  NNS_TRY_ASSIGN(s.padding, one_a_dimension(call, first + 1, dims));
  NNS_TRY_ASSIGN(s.dilation, one_a_dimension(call, first + 2, dims));
  s.is_transposed = call.flag(first + 3);
  s.output_padding.assign(dims, 0);
  if (has_output_padding) {
    NNS_TRY_ASSIGN(s.output_padding, one_a_dimension(call, first + 4, dims));
  }
  s.groups = call.integer(has_output_padding ? first + 5 : first + 4);
  return s;
}

PyResult<void> convolution_shape(OpCall& call) {
  const Dims& input = call.required(0).shape();
  const Dims& weight = call.required(1).shape();
  if (weight.size() < 3) return object::runtime_error(call.interpreter, "weight should have at least three dimensions");
  if (call.integer(8) <= 0) return object::runtime_error(call.interpreter, "non-positive groups is not supported");
  NNS_TRY_ASSIGN(const Settings s, settings_of(call, 3, weight.size() - 2, true));
  NNS_TRY(check_shapes(call, s));
  if (!s.is_transposed) NNS_TRY(check_kernel_fits(call, s));
  if (input[0] > 0 && input[1] > 0 && call.required(0).numel() == 0) {
    return object::runtime_error(call.interpreter,
                                 "Only zero batch or zero channel inputs are supported, but got input shape: {}",
                                 shape_text(input));
  }
  NNS_TRY(check_dtypes(call, s));
  NNS_TRY(check_kernel(call, s));
  Dims shape = input;
  shape[1] = s.is_transposed ? weight[1] * s.groups : weight[0];
  // Without channels nothing is made, not even the bias. Behaviour: Convolution.cpp, calc_output_size.
  if (input[1] == 0) shape[1] = 0;
  bool is_too_small = false;
  for (std::size_t i = 0; i + 2 < input.size(); ++i) {
    shape[i + 2] = s.is_transposed ? size_before(input[i + 2], weight[i + 2], s, i) + s.output_padding[i]
                                   : size_after(input[i + 2], weight[i + 2], s, i);
    is_too_small = is_too_small || shape[i + 2] < 1;
  }
  if (is_too_small) {
    return object::runtime_error(
        call.interpreter,
        "Given input size per channel: ({}). Calculated output size per channel: ({}). Output size is too small",
        fmt::join(spatial(input), " x "), fmt::join(spatial(shape), " x "));
  }
  return call.give(shape, call.required(0).dtype());
}

// The sizes for the kernels: `wide` is the side that windows move over, `weight` (channels of narrow, of a group of
// wide, kernel...).
ConvolutionShape measure(const Dims& wide, const Dims& narrow, const Dims& weight, const Settings& s) {
  ConvolutionShape shape;
  shape.batch = wide[0];
  shape.groups = s.groups;
  shape.in_channels = weight[1];
  shape.out_channels = weight[0] / s.groups;
  const std::size_t dims = weight.size() - 2;
  for (std::size_t i = 0; i < dims; ++i) {
    shape.dims[3 - dims + i] = {wide[i + 2], narrow[i + 2], weight[i + 2], s.stride[i], s.padding[i], s.dilation[i]};
  }
  return shape;
}

// Errors: NotImplementedError  torch's CPU kernel does not know the dtype.
PyResult<void> check_implemented(OpCall& call, const Settings& s) {
  const DType dtype = call.required(0).dtype();
  const bool is_whole = tensor::is_integral(dtype);
  const bool has_kernel = dtype != DType::Bool && dtype != DType::UInt16 && dtype != DType::UInt32 &&
                          dtype != DType::UInt64 && tensor::item_bytes(dtype) > (is_whole ? 0 : 1) &&
                          (!s.is_transposed || !is_whole || dtype == DType::Int64);
  if (has_kernel) return {};
  const bool is_dilated = std::any_of(s.dilation.begin(), s.dilation.end(), [](std::int64_t d) { return d != 1; });
  std::string_view kernel = s.stride.size() == 3 ? "slow_conv3d_cpu" : "slow_conv2d_cpu";
  if (is_dilated) kernel = "slow_conv_dilated<>";
  if (s.is_transposed)
    kernel = s.stride.size() == 3 ? "slow_conv_transpose3d_out_cpu" : "slow_conv_transpose2d_out_cpu";
  return not_implemented_for(call.interpreter, kernel, dtype);
}

PyResult<void> run_convolution(OpCall& call) {
  const Tensor& input = call.required(0);
  const Tensor& weight = call.required(1);
  const Tensor& out = call.output();
  NNS_TRY_ASSIGN(const Settings s, settings_of(call, 3, weight.ndim() - 2, true));
  NNS_TRY(check_implemented(call, s));
  if (out.numel() == 0) return {};
  NNS_TRY_ASSIGN(const ConvolutionShape shape, convolution_of(call));
  with_any_number(out.dtype(), [&]<class T>(T) {
    const NumbersIn<T> from(input);
    const NumbersIn<T> weights(weight);
    std::optional<NumbersIn<T>> bias;
    if (const Tensor* given = call.tensor(2)) bias.emplace(*given);
    const NumbersOut<T> to(out);
    const auto run = s.is_transposed ? &correlate_adjoint<T> : &correlate<T>;
    run(shape, from.data(), weights.data(), bias ? bias->data() : nullptr, to.data());
    to.store();
  });
  return {};
}

PyResult<void> weight_gradient_shape(OpCall& call) { return call.give(call.dims(2), call.required(0).dtype()); }

PyResult<void> run_weight_gradient(OpCall& call) {
  const Tensor& out = call.output();
  NNS_TRY_ASSIGN(const Settings s, settings_of(call, 3, out.ndim() - 2, false));
  const Tensor& wide = call.required(s.is_transposed ? 0 : 1);
  const Tensor& narrow = call.required(s.is_transposed ? 1 : 0);
  NNS_TRY_ASSIGN(const ConvolutionShape shape, weight_gradient_of(call));
  with_any_number(out.dtype(), [&]<class T>(T) {
    const NumbersIn<T> from(wide);
    const NumbersIn<T> grads(narrow);
    const NumbersOut<T> to(out);
    if (wide.numel() == 0 || narrow.numel() == 0)
      std::fill_n(to.data(), out.numel(), T(0));
    else
      correlate_weight(shape, from.data(), grads.data(), to.data());
    to.store();
  });
  return {};
}

// ---------------------------------------------------------------- gradients

// The settings as a recorded call has them: stride, padding and dilation from argument `first` on.
struct Recorded {
  Value stride, padding, dilation;
  bool is_transposed;
  Value groups;
};
Recorded recorded(const Backward& b) {
  return {b.value(3), b.value(4), b.value(5), b.flag(6), b.value(b.node.op.id == OpId::convolution ? 8 : 7)};
}

std::int64_t setting(const Value& value, std::size_t i) {
  const Dims given = dims_of(value);
  return given[given.size() == 1 ? 0 : i];
}

// convolution(x, weight) with these settings whose result has the spatial sizes of `wanted`.
Term convolved_to(const Term& x, const Term& weight, const Dims& wanted, const Recorded& r, bool transposed) {
  if (!x.ok()) return x;
  if (!weight.ok()) return weight;
  Interpreter& in = x.tensor().interpreter();
  const Dims from = x.tensor().shape();
  const Dims kernel = weight.tensor().shape();
  Dims output_padding(wanted.size() - 2, 0);
  for (std::size_t i = 0; transposed && i < output_padding.size(); ++i) {
    const std::int64_t least = (from[i + 2] - 1) * setting(r.stride, i) - 2 * setting(r.padding, i) +
                               window_extent(kernel[i + 2], setting(r.dilation, i));
    output_padding[i] = wanted[i + 2] - least;
  }
  Term made = apply(OpId::convolution,
                    {x, weight, Value(), TermArgument(r.stride), TermArgument(r.padding), TermArgument(r.dilation),
                     transposed, dims_value(in, output_padding), TermArgument(r.groups)});
  // Items at the far end that a large output padding added belong to no window.
  for (std::size_t i = 2; made.ok() && i < wanted.size(); ++i) {
    if (made.tensor().shape()[i] == wanted[i]) continue;
    made = apply(OpId::narrow, {made, static_cast<std::int64_t>(i), 0, wanted[i]});
  }
  return made;
}

Term weight_gradient(const Term& grad, const Term& input, const Dims& weight, const Recorded& r) {
  if (!grad.ok()) return grad;
  return apply(OpId::convolution_weight_gradient,
               {grad, input, dims_value(grad.tensor().interpreter(), weight), TermArgument(r.stride),
                TermArgument(r.padding), TermArgument(r.dilation), r.is_transposed, TermArgument(r.groups)});
}

Term bias_gradient(const Term& grad, const Dims& bias) {
  if (!grad.ok()) return grad;
  if (grad.tensor().shape()[1] != bias[0]) return zeros_like(grad, bias);  // of an input without channels
  std::vector<std::int64_t> dims{0};
  for (std::size_t i = 2; i < grad.tensor().ndim(); ++i) dims.push_back(static_cast<std::int64_t>(i));
  return apply(OpId::sum_dim, {grad, dims_value(grad.tensor().interpreter(), Dims(dims))});
}

PyResult<void> convolution_gradients(Backward& b) {
  const Recorded r = recorded(b);
  if (b.needs(0)) {
    if (b.input(0).shape[1] == 0) {
      NNS_TRY(b.give(0, zeros_like(b.grad(), b.input(0).shape)));
    } else {
      NNS_TRY(b.give(0, convolved_to(b.grad(), conj(b.arg(1)), b.input(0).shape, r, !r.is_transposed)));
    }
  }
  if (b.needs(1)) NNS_TRY(b.give(1, weight_gradient(b.grad(), conj(b.arg(0)), b.input(1).shape, r)));
  if (b.is_tensor(2) && b.needs(2)) NNS_TRY(b.give(2, bias_gradient(b.grad(), b.input(2).shape)));
  return {};
}

// The gradient of a weight is linear in both of its arguments.
PyResult<void> weight_gradient_gradients(Backward& b) {
  const Recorded r = recorded(b);
  if (b.needs(0)) {
    NNS_TRY(b.give(0, convolved_to(conj(b.arg(1)), b.grad(), b.input(0).shape, r, r.is_transposed)));
  }
  if (b.needs(1)) {
    NNS_TRY(b.give(1, convolved_to(conj(b.arg(0)), b.grad(), b.input(1).shape, r, !r.is_transposed)));
  }
  return {};
}

// Which of the three gradients are asked for, as torch.ops.aten.convolution_backward takes it.
PyResult<Value> convolution_backward(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Recorded r{call.args[4], call.args[5], call.args[6], call.flag(7), call.args[9]};
  const Term grad(Ref<Tensor>(call.tensor(0)));
  const Term input(Ref<Tensor>(call.tensor(1)));
  const Term weight(Ref<Tensor>(call.tensor(2)));
  const Dims mask = call.dims(10);
  if (mask.size() != 3) {
    return object::runtime_error(in, "convolution_backward: output_mask must hold 3 bools, but got {}", mask.size());
  }
  std::vector<Value> made(3);
  const auto put = [&made](std::size_t i, Term term) -> PyResult<void> {
    NNS_TRY_ASSIGN(made[i], value_of(std::move(term)));
    return {};
  };
  if (mask[0] != 0) {
    const Dims& shape = input.tensor().shape();
    NNS_TRY(
        put(0, shape[1] == 0 ? zeros_like(grad, shape) : convolved_to(grad, conj(weight), shape, r, !r.is_transposed)));
  }
  if (mask[1] != 0) NNS_TRY(put(1, weight_gradient(grad, conj(input), weight.tensor().shape(), r)));
  if (mask[2] != 0) {
    NNS_TRY(put(2, bias_gradient(grad, call.is_none(3) ? Dims({grad.tensor().shape()[1]}) : call.dims(3))));
  }
  return Value(in.tuple(std::move(made)));
}

// ---------------------------------------------------------------- conv1d and its siblings

// The arguments of `convolution` in their order.
struct Call {
  Term input;
  Value weight, bias, stride, padding, dilation;
  bool is_transposed;
  Value output_padding, groups;
};

// Adds the dimension of the batch where there is none, and takes it away again.
// Behaviour: Convolution.cpp, batchify.
template <class Use>
PyResult<Value> batched(OpCall& call, std::size_t dims, Use use) {
  Term input(Ref<Tensor>(call.tensor(0)));
  const std::size_t given = input.tensor().ndim();
  if (given != dims + 1 && given != dims + 2) {
    return object::runtime_error(call.interpreter,
                                 "Expected {}D (unbatched) or {}D (batched) input to {}, but got input of size: {}",
                                 dims + 1, dims + 2, call.op.name, shape_text(input.tensor().shape()));
  }
  if (given == dims + 2) return value_of(use(input));
  const Term made = use(apply(OpId::unsqueeze, {input, 0}));
  return value_of(apply(OpId::squeeze, {made, Value(0)}));
}

Term convolve(const Call& c) {
  return apply(OpId::convolution,
               {c.input, TermArgument(c.weight), TermArgument(c.bias), TermArgument(c.stride), TermArgument(c.padding),
                TermArgument(c.dilation), c.is_transposed, TermArgument(c.output_padding), TermArgument(c.groups)});
}

template <std::size_t dims>
PyResult<Value> plain(OpCall& call) {
  if constexpr (dims == 2) {
    const Tensor* const bias = call.tensor(2);
    if (bias != nullptr && bias->dtype() != call.required(0).dtype()) {
      return object::runtime_error(call.interpreter, "Input type ({}) and bias type ({}) should be the same",
                                   cpp_type_name(call.required(0).dtype()), cpp_type_name(bias->dtype()));
    }
  }
  return batched(call, dims, [&](const Term& input) {
    return convolve(
        {input, call.args[1], call.args[2], call.args[3], call.args[4], call.args[5], false, Value(0), call.args[6]});
  });
}

// padding='same': as much on both sides; what is left over is added to the far side by hand.
// Behaviour: Convolution.cpp, convolution_same.
Term padded_same(OpCall& call, const Term& input) {
  Interpreter& in = call.interpreter;
  const Dims weight = call.required(1).shape();
  const Dims stride = call.dims(3);
  const Dims dilation = call.dims(5);
  if (weight.size() < 3) return object::runtime_error(in, "weight should have at least three dimensions");
  const std::size_t dims = weight.size() - 2;
  if (input.tensor().ndim() != weight.size()) {
    return object::runtime_error(
        in,
        "Expected {0}-dimensional input for {0}-dimensional weight{1}, but got {2}-dimensional input of size {3} "
        "instead",
        weight.size(), shape_text(weight), input.tensor().ndim(), shape_text(input.tensor().shape()));
  }
  for (const auto& [name, values] : {std::pair("stride", stride), std::pair("dilation", dilation)}) {
    if (values.size() != dims && values.size() != 1)
      return object::runtime_error(in, "{} cannot broadcast to {} dimensions", name, dims);
  }
  for (const std::int64_t step : stride) {
    if (step != 1) return object::runtime_error(in, "padding='same' is not supported for strided convolutions");
  }
  Dims padding(dims, 0);
  Dims extra(2 * dims, 0);
  bool is_even = true;
  for (std::size_t i = 0; i < dims; ++i) {
    const std::int64_t total = dilation[dilation.size() == 1 ? 0 : i] * (weight[i + 2] - 1);
    padding[i] = total / 2;
    extra[2 * (dims - 1 - i) + 1] = total % 2;
    is_even = is_even && total % 2 == 0;
  }
  Term padded = input;
  if (!is_even) {
    in.warn(object::ErrorKind::UserWarning,
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
            "input be created");
    padded = apply(OpId::constant_pad_nd, {input, dims_value(in, extra)});
  }
  return convolve({padded, call.args[1], call.args[2], call.args[3], dims_value(in, padding), call.args[5], false,
                   Value(0), call.args[6]});
}

template <std::size_t dims>
PyResult<Value> named_padding(OpCall& call) {
  const std::string_view padding = call.args[4].as<object::Str>()->view();
  return batched(call, dims, [&](const Term& input) -> Term {
    if (!input.ok()) return input;
    if (padding == "same") return padded_same(call, input);
    if (padding == "valid") {
      return convolve(
          {input, call.args[1], call.args[2], call.args[3], Value(0), call.args[5], false, Value(0), call.args[6]});
    }
    return object::runtime_error(call.interpreter, "Invalid padding string: '{}'", padding);
  });
}

template <std::size_t dims>
PyResult<Value> transposed(OpCall& call) {
  return batched(call, dims, [&](const Term& input) {
    return convolve({input, call.args[1], call.args[2], call.args[3], call.args[4], call.args[7], true, call.args[5],
                     call.args[6]});
  });
}

}  // namespace

PyResult<ConvolutionShape> convolution_of(OpCall& call) {
  const Dims &input = call.required(0).shape(), &weight = call.required(1).shape(), &out = call.output().shape();
  NNS_TRY_ASSIGN(const auto s, settings_of(call, 3, weight.size() - 2, true));
  return s.is_transposed ? measure(out, input, weight, s) : measure(input, out, weight, s);
}

PyResult<ConvolutionShape> weight_gradient_of(OpCall& call) {
  const Dims &grad = call.required(0).shape(), &input = call.required(1).shape(), &weight = call.output().shape();
  NNS_TRY_ASSIGN(const auto s, settings_of(call, 3, weight.size() - 2, false));
  return s.is_transposed ? measure(grad, input, weight, s) : measure(input, grad, weight, s);
}

template <>
OpBodies bodies<OpId::convolution>() {
  return {.shape = convolution_shape,
          .cpu = run_convolution,
          .joint = convolution_gradients,
          .joint_reads = argument(0) | argument(1)};
}
template <>
OpBodies bodies<OpId::convolution_weight_gradient>() {
  return {.shape = weight_gradient_shape,
          .cpu = run_weight_gradient,
          .joint = weight_gradient_gradients,
          .joint_reads = argument(0) | argument(1),
          .node_name = "ConvolutionBackwardBackward0"};
}
template <>
OpBodies bodies<OpId::convolution_backward>() {
  return {.composite = convolution_backward};
}
template <>
OpBodies bodies<OpId::conv1d>() {
  return {.composite = plain<1>};
}
template <>
OpBodies bodies<OpId::conv2d>() {
  return {.composite = plain<2>};
}
template <>
OpBodies bodies<OpId::conv3d>() {
  return {.composite = plain<3>};
}
template <>
OpBodies bodies<OpId::conv1d_padding>() {
  return {.composite = named_padding<1>};
}
template <>
OpBodies bodies<OpId::conv2d_padding>() {
  return {.composite = named_padding<2>};
}
template <>
OpBodies bodies<OpId::conv3d_padding>() {
  return {.composite = named_padding<3>};
}
template <>
OpBodies bodies<OpId::conv_transpose1d>() {
  return {.composite = transposed<1>};
}
template <>
OpBodies bodies<OpId::conv_transpose2d>() {
  return {.composite = transposed<2>};
}
template <>
OpBodies bodies<OpId::conv_transpose3d>() {
  return {.composite = transposed<3>};
}

}  // namespace nns::ops
