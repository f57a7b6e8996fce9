#include <algorithm>

#include "core/base/parallel.h"
#include "core/ops/errors.h"
#include "core/ops/pooling.h"

// The largest items of windows, and what undoes it.
// Behaviour: aten/src/ATen/native/{DilatedMaxPool2d,DilatedMaxPool3d,MaxPooling,AdaptiveMaxPooling2d,
// AdaptiveMaxPooling3d,FractionalMaxPool2d,FractionalMaxPool3d,MaxUnpooling}.cpp; gradients:
// tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

constexpr PoolWords kWords2d = {"max_pool2d", "either be ", "either be omitted, ", "be either be ", "be either "};
constexpr PoolWords kWords3d = {"max_pool3d", "either be ", "either be omitted, ", "be either be ", "be either "};

// Errors: NotImplementedError  torch has no kernel for the dtype.
PyResult<void> check_implemented(OpCall& call, std::string_view kernel, bool takes_whole) {
  const DType dtype = call.required(0).dtype();
  const bool is_whole = tensor::is_integral(dtype) && dtype != DType::Bool && dtype != DType::UInt16 &&
                        dtype != DType::UInt32 && dtype != DType::UInt64;
  if (is_whole && takes_whole) return {};
  if (tensor::is_floating(dtype) && tensor::item_bytes(dtype) > 1) return {};
  return not_implemented_for(call.interpreter, kernel, dtype);
}

// The values, and beside them their places.
PyResult<void> give_with_indices(OpCall& call, const Dims& shape) {
  NNS_TRY(call.give(shape, call.required(0).dtype()));
  return call.give(shape, DType::Int64);
}

template <std::size_t dims>
PyResult<PoolArguments> arguments(OpCall& call) {
  return pool_arguments(call, dims, 4, 5, dims == 2 ? kWords2d : kWords3d);
}
template <std::size_t dims>
PyResult<void> max_shape(OpCall& call) {
  NNS_TRY_ASSIGN(const PoolArguments a, arguments<dims>(call));
  const std::size_t ndim = call.required(0).ndim();
  if (ndim != dims + 1 && ndim != dims + 2) {
    return object::runtime_error(call.interpreter, "non-empty {}D or {}D (batch mode) tensor expected for input",
                                 dims + 1, dims + 2);
  }
  NNS_TRY_ASSIGN(const Dims shape, pooled_shape(call, a, "max_pool3d_with_indices_out_cpu_template()", false));
  return give_with_indices(call, shape);
}
template <std::size_t dims>
PyResult<void> run_max(OpCall& call) {
  NNS_TRY(check_implemented(call, dims == 2 ? "max_pool2d" : "max_pool3d", true));
  NNS_TRY_ASSIGN(const PoolArguments a, arguments<dims>(call));
  max_over_windows(plan_of(a.windows(call.required(0).shape())), call.required(0), call.output(0), call.output(1));
  return {};
}

// The gradient of the values goes to the items that they were.
template <std::size_t dims>
Term values_gradient(Backward& b) {
  const std::vector<std::int64_t> size = last_sizes(b.input(0).shape, dims);
  return apply(OpId::pool_scatter, {b.grad(), b.out(1), dims_value(b.interpreter(), Dims(size))});
}
template <std::size_t dims>
OpBodies with_indices(ShapeRule shape, CpuBody cpu, std::string_view node_name) {
  return {.shape = shape,
          .cpu = cpu,
          .gradients = {Gradient{0, result(1), values_gradient<dims>}},
          .differentiable_outputs = 1,
          .node_name = node_name};
}

// The first of two results.
template <OpId op>
PyResult<Value> values_of(OpCall& call) {
  NNS_TRY_ASSIGN(const Value both, call_op(call.interpreter, op, call.args));
  return (*both.as<object::Tuple>())[0];
}

// ---------------------------------------------------------------- one dimension

// Behaviour: MaxPooling.cpp, check_max_pool1d.
PyResult<void> check_max_1d(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Dims& input = call.required(0).shape();
  bool is_valid = input.size() == 2 || input.size() == 3;
  for (std::size_t i = input.size() == 3 ? 1 : 0; is_valid && i < input.size(); ++i) is_valid = input[i] != 0;
  if (!is_valid) {
    return object::runtime_error(
        in, "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:{}",
        shape_text(input));
  }
  const std::string_view words[] = {"", "an int, list of ints or tuple of ints",
                                    "None, an int, list of ints, or tuple of ints",
                                    "an int, list of ints, or tuple of ints", "an int, list of ints or tuple of ints"};
  for (std::size_t i = 1; i <= 4; ++i) {
    const std::size_t count = call.is_none(i) ? 0 : call.dims(i).size();
    if (count == 1 || (i == 2 && count == 0)) continue;
    return object::runtime_error(in, "max_pool1d() {} must be {} of size 1 but got size {}", call.op.parameters[i].name,
                                 words[i], count);
  }
  const std::int64_t kernel = call.dims(1)[0];
  const std::int64_t padding = call.dims(3)[0];
  if (kernel <= 0)
    return object::runtime_error(in, "max_pool1d() kernel_size must be greater than zero, but got {}", kernel);
  if (!call.is_none(2) && call.dims(2).size() > 0 && call.dims(2)[0] <= 0)
    return object::runtime_error(in, "max_pool1d() stride must be greater than zero, but got {}", call.dims(2)[0]);
  if (padding < 0) return object::runtime_error(in, "max_pool1d() padding must be non-negative, but got {}", padding);
  if (padding > kernel / 2) {
    return object::runtime_error(
        in, "max_pool1d() padding should be at most half of kernel size, but got padding={} and kernel_size={}",
        padding, kernel);
  }
  if (call.dims(4)[0] <= 0)
    return object::runtime_error(in, "max_pool1d() dilation must be greater than zero, but got {}", call.dims(4)[0]);
  const std::int64_t stride = call.is_none(2) || call.dims(2).size() == 0 ? kernel : call.dims(2)[0];
  const std::int64_t last_start =
      input[input.size() - 1] + 2 * padding - call.dims(4)[0] * (kernel - 1) - 1 + (call.flag(5) ? stride - 1 : 0);
  // Divided towards minus infinity, without a last window that begins in the padding.
  std::int64_t size = (last_start >= 0 ? last_start / stride : -((-last_start + stride - 1) / stride)) + 1;
  if (call.flag(5) && (size - 1) * stride >= input[input.size() - 1] + padding) --size;
  if (size <= 0) return object::runtime_error(in, "max_pool1d() Invalid computed output size: {}", size);
  return {};
}

PyResult<Value> max_1d_with_indices(OpCall& call) {
  Interpreter& in = call.interpreter;
  NNS_TRY(check_1d(call, "max_pool1d"));
  const bool has_stride = !call.is_none(2) && call.dims(2).size() > 0;
  const Term plane = as_plane(call.required(0));
  NNS_TRY_ASSIGN(const Value both,
                 call_op(in, OpId::max_pool2d_with_indices,
                         {Value(plane.ref()), pair_with_one(call, call.dims(1)),
                          pair_with_one(call, call.dims(has_stride ? 2 : 1)), pair_with_one(call, call.dims(3), 0),
                          pair_with_one(call, call.dims(4)), call.args[5]}));
  std::vector<Value> lines;
  for (const Value& one : both.as<object::Tuple>()->items()) {
    NNS_TRY_ASSIGN(Value line, value_of(as_line(Term(Ref<Tensor>(one.as<Tensor>())))));
    lines.push_back(std::move(line));
  }
  return Value(in.tuple(std::move(lines)));
}

PyResult<Value> max_1d(OpCall& call) {
  const Tensor& input = call.required(0);
  const bool recorded = OpLibrary::of(call.interpreter).grad_mode.is_enabled && needs_gradient(input);
  if (!recorded) {
    NNS_TRY(check_max_1d(call));
    // Only this path takes windows that do not fit: then nothing comes out.
    const std::int64_t reach = call.dims(4)[0] * (call.dims(1)[0] - 1) + 1;
    if (!call.flag(5) && reach > input.shape()[input.ndim() - 1] + 2 * call.dims(3)[0]) {
      Dims shape = input.shape();
      shape[input.ndim() - 1] = 0;
      return Value(tensor::empty(call.interpreter, shape, input.dtype(), input.device()));
    }
  }
  return values_of<OpId::max_pool1d_with_indices>(call);
}

// ---------------------------------------------------------------- adaptive

template <std::size_t dims>
PyResult<void> adaptive_shape(OpCall& call) {
  const std::string_view name = dims == 2 ? "adaptive_max_pool2d" : "adaptive_max_pool3d";
  const Dims& input = call.required(0).shape();
  const Dims size = call.dims(1);
  if (input.size() != dims + 1 && input.size() != dims + 2) {
    return object::runtime_error(call.interpreter, "{}(): Expected {}D or {}D tensor, but got: {}", name, dims + 1,
                                 dims + 2, shape_text(input));
  }
  // The batch alone may be empty.
  for (std::size_t i = input.size() == dims + 2 ? 1 : 0; i < input.size(); ++i) {
    if (input[i] > 0) continue;
    return object::runtime_error(
        call.interpreter,
        "{}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {} with dimension {} "
        "being empty",
        name, shape_text(input), i);
  }
  if (size.size() != dims) {
    return object::runtime_error(call.interpreter, "{}(): internal error: output_size.size() must be {}", name, dims);
  }
  const Dims shape = with_last_sizes(input, size.span());
  NNS_TRY(tensor::check_not_negative(call.interpreter, shape));
  return give_with_indices(call, shape);
}
template <std::size_t dims>
PyResult<void> run_adaptive(OpCall& call) {
  NNS_TRY(check_implemented(call, dims == 2 ? "adaptive_max_pool2d" : "adaptive_max_pool3d_cpu", false));
  max_over_windows(adaptive_plan(last_sizes(call.required(0).shape(), dims), last_sizes(call.output().shape(), dims)),
                   call.required(0), call.output(0), call.output(1));
  return {};
}

PyResult<Value> adaptive_1d(OpCall& call) {
  Interpreter& in = call.interpreter;
  NNS_TRY(check_1d(call, "adaptive_max_pool1d"));
  if (call.dims(1).size() != 1) {
    return object::runtime_error(in, "adaptive_max_pool1d() argument 'output_size' should contain one int (got {})",
                                 call.dims(1).size());
  }
  const Term plane = as_plane(call.required(0));
  NNS_TRY_ASSIGN(const Value both,
                 call_op(in, OpId::adaptive_max_pool2d, {Value(plane.ref()), pair_with_one(call, call.dims(1))}));
  std::vector<Value> lines;
  for (const Value& one : both.as<object::Tuple>()->items()) {
    NNS_TRY_ASSIGN(Value line, value_of(as_line(Term(Ref<Tensor>(one.as<Tensor>())))));
    lines.push_back(std::move(line));
  }
  return Value(in.tuple(std::move(lines)));
}

// ---------------------------------------------------------------- fractional

// Behaviour: FractionalMaxPool2d.cpp and 3d, the checks in order.
template <std::size_t dims>
PyResult<void> fractional_shape(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& input = call.required(0);
  const Dims kernel = call.dims(1);
  const Dims size = call.dims(2);
  const std::string name = fmt::format("fractional_max_pool{}d", dims);
  if (kernel.size() != 1 && kernel.size() != dims) {
    return object::runtime_error(in, "{}: kernel_size must either be a single Int or tuple of {}Ints", name,
                                 dims == 3 ? "three " : "");
  }
  if (size.size() != 1 && size.size() != dims) {
    return object::runtime_error(in, "{}: output_size must either be a single Int or tuple of {}Ints", name,
                                 dims == 3 ? "three " : "");
  }
  const std::size_t ndim = input.ndim();
  if (ndim != dims + 1 && ndim != dims + 2) {
    return object::runtime_error(in, "{}(): Expected {}D or {}D tensor, but got: {}", name, dims + 1, dims + 2,
                                 shape_text(input.shape()));
  }
  for (std::size_t i = ndim == dims + 2 ? 1 : 0; i < ndim; ++i) {
    if (input.shape()[i] > 0) continue;
    return object::runtime_error(in,
                                 "{}(): Expected input to have non-zero size for non-batch dimensions, but got {} with "
                                 "dimension {} being empty.",
                                 name, shape_text(input.shape()), i);
  }
  constexpr std::string_view kAxes[] = {"time", "height", "width"};
  std::vector<std::int64_t> made;
  for (std::size_t i = 0; i < dims; ++i) {
    made.push_back(size[size.size() == 1 ? 0 : i]);
    const std::int64_t extent = input.shape()[ndim - dims + i];
    const std::int64_t pool = kernel[kernel.size() == 1 ? 0 : i];
    const std::string_view axis = kAxes[3 - dims + i];
    if (made[i] + pool - 1 > extent) {
      return object::runtime_error(in, "{}(): pool {} {} too large relative to input {} {}",
                                   dims == 3 ? name + "_out" : name, axis, pool, axis, extent);
    }
  }
  const Tensor& samples = call.required(3);
  if (samples.dtype() != input.dtype()) {
    return object::runtime_error(in, "Expect _random_samples to have the same dtype as input");
  }
  if (samples.ndim() != 3) {
    return object::runtime_error(in, "Expect _random_samples to have 3 dimensions, got {}", samples.ndim());
  }
  const std::int64_t batch = ndim == dims + 2 ? input.shape()[0] : 1;
  const std::int64_t channels = input.shape()[ndim - dims - 1];
  if (samples.shape()[0] < batch) {
    return object::runtime_error(in, "Expect _random_samples.size(0) no less then input batch size.");
  }
  if (samples.shape()[1] != channels) {
    return object::runtime_error(in, "Expect _random_samples.size(1) equals to input channel size.");
  }
  if (samples.shape()[2] != static_cast<std::int64_t>(dims)) {
    return object::runtime_error(in, "Expect _random_samples.size(2) equals to {}; got {}.", dims, samples.shape()[2]);
  }
  return give_with_indices(call, with_last_sizes(input.shape(), made));
}

// Where windows begin: spread over the input at random, but the last one always ends with it.
// Behaviour: FractionalMaxPooling.h, generate_intervals.
template <class T>
std::vector<Span> random_spans(T sample, std::int64_t in, std::int64_t out, std::int64_t pool) {
  std::vector<Span> spans;
  if (out > 1) {
    const T alpha = static_cast<T>(in - pool) / static_cast<T>(out - 1);
    for (std::int64_t i = 0; i + 1 < out; ++i) {
      const std::int64_t from =
          static_cast<std::int64_t>((static_cast<T>(i) + sample) * alpha) - static_cast<std::int64_t>(sample * alpha);
      spans.push_back({from, from + pool, 1, pool});
    }
  }
  if (out > 0) spans.push_back({in - pool, in, 1, pool});
  return spans;
}

template <std::size_t dims>
PyResult<void> run_fractional(OpCall& call) {
  NNS_TRY(check_implemented(call, dims == 2 ? "fractional_max_pool2d_out_frame" : "fractional_max_pool3d_out_frame",
                            false));
  const Tensor& input = call.required(0);
  const Tensor& samples = call.required(3);
  const Dims kernel = call.dims(1);
  const std::vector<std::int64_t> in = last_sizes(input.shape(), dims);
  const std::vector<std::int64_t> out = last_sizes(call.output().shape(), dims);
  const std::int64_t channels = input.shape()[input.ndim() - dims - 1];
  const auto plan_of_plane = [&](std::int64_t plane) {
    PoolPlan plan;
    plan.spans.fill({Span{0, 1, 1, 1}});
    for (std::size_t i = 0; i < dims; ++i) {
      // The samples of a plane are for width and height, or for time, height and width.
      const std::size_t column = dims == 2 ? 1 - i : i;
      const double sample = tensor::read_double(samples, samples.offset() + plane / channels * samples.strides()[0] +
                                                             plane % channels * samples.strides()[1] +
                                                             static_cast<std::int64_t>(column) * samples.strides()[2]);
      const std::int64_t pool = kernel[kernel.size() == 1 ? 0 : i];
      plan.in[3 - dims + i] = in[i];
      plan.spans[3 - dims + i] = input.dtype() == DType::Float64
                                     ? random_spans(sample, in[i], out[i], pool)
                                     : random_spans(static_cast<float>(sample), in[i], out[i], pool);
    }
    return plan;
  };
  max_over_windows(plan_of_plane, input, call.output(0), call.output(1));
  return {};
}

// ---------------------------------------------------------------- unpooling

template <std::size_t dims>
PyResult<void> unpool_shape(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& input = call.required(0);
  const Tensor& indices = call.required(1);
  const Dims size = call.dims(2);
  if (indices.dtype() != DType::Int64) {
    return object::runtime_error(
        in, "elements in indices should be type int64{}",
        dims == 2 ? fmt::format(" but got: {}", tensor::info(indices.dtype()).scalar_name) : std::string());
  }
  if (dims == 2 && size.size() != dims) {
    return object::runtime_error(
        in, "There should be exactly two elements (height, width) in output_size, but got {} elements.", size.size());
  }
  if (input.ndim() != dims + 1 && input.ndim() != dims + 2) {
    return dims == 2 ? object::runtime_error(in,
                                             "Input to max_unpooling2d should be a 3d or 4d Tensor, but got a tensor "
                                             "with {} dimensions.",
                                             input.ndim())
                     : object::runtime_error(in,
                                             "Input to max_unpooling3d should be a 4d or 5d Tensor, but got a tensor "
                                             "with {} dimensions.",
                                             input.ndim());
  }
  if (dims == 3 && size.size() != dims) {
    return object::runtime_error(
        in, "There should be exactly three elements (depth, height, width) in output_size, but got {} elements.",
        size.size());
  }
  if (!(input.shape() == indices.shape())) {
    return object::runtime_error(
        in,
        "Expected shape of indices to be same as that of the input tensor ({}) but got indices tensor with shape: {}",
        shape_text(input.shape()), shape_text(indices.shape()));
  }
  for (std::size_t i = 1; i < input.ndim(); ++i) {
    if (input.shape()[i] > 0) continue;
    return object::runtime_error(
        in,
        "max_unpooling{}d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but got {} "
        "with dimension {} being empty.",
        dims, shape_text(input.shape()), i);
  }
  if constexpr (dims == 3) {
    const Dims stride = call.dims(3);
    if (std::any_of(stride.begin(), stride.end(), [](std::int64_t one) { return one < 1; })) {
      return object::runtime_error(in, "strides should be greater than zero, but got stride: {}", shape_text(stride));
    }
  }
  const Dims shape = with_last_sizes(input.shape(), size.span());
  NNS_TRY(tensor::check_not_negative(in, shape));
  return call.give(shape, input.dtype());
}

// Calls use(item of the dense side, item of the sparse side) for all indices of all planes that lead to an item: those
// of windows that lie in the padding do not.
template <class Use>
void for_each_index(const Tensor& indices, std::int64_t sparse_plane, std::int64_t dense_plane, Use use) {
  const NumbersIn<std::int64_t> places(indices);
  std::int64_t first = 0;
  for (std::int64_t begin = 0; begin < indices.numel(); begin += sparse_plane, first += dense_plane) {
    for (std::int64_t at = begin; at < begin + sparse_plane; ++at) {
      const std::int64_t place = places.data()[at];
      if (place >= 0 && place < dense_plane) use(first + place, at);
    }
  }
}

std::int64_t plane_of(const Dims& shape, std::size_t dims) {
  std::int64_t count = 1;
  for (const std::int64_t size : last_sizes(shape, dims)) count *= size;
  return count;
}

template <std::size_t dims>
PyResult<void> run_unpool(OpCall& call) {
  NNS_TRY(check_implemented(call, dims == 2 ? "max_unpool2d" : "max_unpool3d", false));
  const Tensor& input = call.required(0);
  const Tensor& out = call.output();
  const std::int64_t plane = plane_of(out.shape(), dims);
  const NumbersIn<std::int64_t> places(call.required(1));
  for (std::int64_t at = 0; at < input.numel(); ++at) {
    const std::int64_t place = places.data()[at];
    if (place >= 0 && place < plane) continue;
    return object::runtime_error(call.interpreter, "Found an invalid max index: {} (output volumes are of size {}",
                                 place, fmt::join(last_sizes(out.shape(), dims), "x"));
  }
  with_real(input.dtype(), [&]<class T>(T) {
    const NumbersIn<T> from(input);
    const NumbersOut<T> to(out);
    std::fill_n(to.data(), out.numel(), T());
    for_each_index(call.required(1), plane_of(input.shape(), dims), plane,
                   [&](std::int64_t dense, std::int64_t sparse) { to.data()[dense] = from.data()[sparse]; });
    to.store();
  });
  return {};
}
template <std::size_t dims>
OpBodies unpool_bodies(std::string_view node_name) {
  return {
      .shape = unpool_shape<dims>,
      .cpu = run_unpool<dims>,
      .gradients = {Gradient{0, argument(1),
                             [](Backward& b) {
                               return apply(OpId::pool_gather, {b.grad(), b.arg(1), static_cast<std::int64_t>(dims)});
                             }}},
      .node_name = node_name};
}

// out[plane][indices] += input. A plane is cleared right before it is written: then it lies in a cache.
PyResult<void> run_scatter(OpCall& call) {
  constexpr std::int64_t kItems = 32768;
  const Tensor& input = call.required(0);
  const Tensor& out = call.output();
  const std::size_t dims = call.dims(2).size();
  const std::int64_t sparse = plane_of(input.shape(), dims), dense = plane_of(out.shape(), dims);
  if (dense == 0) return {};
  with_real(input.dtype(), [&]<class T>(T) {
    const NumbersIn<T> from(input);
    const NumbersIn<std::int64_t> places(call.required(1));
    const NumbersOut<T> to(out);
    base::run_ranges(out.numel() / dense, std::max<std::int64_t>(1, kItems / dense), 1,
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t plane = begin; plane < end; ++plane) {
                         T* const target = to.data() + plane * dense;
                         std::fill_n(target, dense, T());
                         for (std::int64_t at = plane * sparse; at < (plane + 1) * sparse; ++at) {
                           const std::int64_t place = places[at];
                           // Those of windows that lie in the padding lead nowhere.
                           if (place >= 0 && place < dense) target[place] = wrapping_add(target[place], from[at]);
                         }
                       }
                     });
    to.store();
  });
  return {};
}
// out = input[plane][indices].
PyResult<void> run_gather(OpCall& call) {
  const Tensor& input = call.required(0);
  const auto dims = static_cast<std::size_t>(call.integer(2));
  const Tensor& out = call.output();
  with_real(input.dtype(), [&]<class T>(T) {
    const NumbersIn<T> from(input);
    const NumbersOut<T> to(out);
    std::fill_n(to.data(), out.numel(), T());
    for_each_index(call.required(1), plane_of(out.shape(), dims), plane_of(input.shape(), dims),
                   [&](std::int64_t dense, std::int64_t sparse) { to.data()[sparse] = from.data()[dense]; });
    to.store();
  });
  return {};
}

}  // namespace

template <>
OpBodies bodies<OpId::max_pool1d>() {
  return {.composite = max_1d};
}
template <>
OpBodies bodies<OpId::max_pool2d>() {
  return {.composite = values_of<OpId::max_pool2d_with_indices>};
}
template <>
OpBodies bodies<OpId::max_pool3d>() {
  return {.composite = values_of<OpId::max_pool3d_with_indices>};
}
template <>
OpBodies bodies<OpId::max_pool1d_with_indices>() {
  return {.composite = max_1d_with_indices};
}
template <>
OpBodies bodies<OpId::max_pool2d_with_indices>() {
  return with_indices<2>(max_shape<2>, run_max<2>, "MaxPool2DWithIndicesBackward0");
}
template <>
OpBodies bodies<OpId::max_pool3d_with_indices>() {
  return with_indices<3>(max_shape<3>, run_max<3>, "MaxPool3DWithIndicesBackward0");
}
template <>
OpBodies bodies<OpId::adaptive_max_pool1d>() {
  return {.composite = adaptive_1d};
}
template <>
OpBodies bodies<OpId::adaptive_max_pool2d>() {
  return with_indices<2>(adaptive_shape<2>, run_adaptive<2>, "AdaptiveMaxPool2DBackward0");
}
template <>
OpBodies bodies<OpId::adaptive_max_pool3d>() {
  return with_indices<3>(adaptive_shape<3>, run_adaptive<3>, "AdaptiveMaxPool3DBackward0");
}
template <>
OpBodies bodies<OpId::fractional_max_pool2d>() {
  return with_indices<2>(fractional_shape<2>, run_fractional<2>, "FractionalMaxPool2DBackward0");
}
template <>
OpBodies bodies<OpId::fractional_max_pool3d>() {
  return with_indices<3>(fractional_shape<3>, run_fractional<3>, "FractionalMaxPool3DBackward0");
}
template <>
OpBodies bodies<OpId::max_unpool2d>() {
  return unpool_bodies<2>("MaxUnpool2DBackward0");
}
template <>
OpBodies bodies<OpId::max_unpool3d>() {
  return unpool_bodies<3>("MaxUnpool3DBackward0");
}
template <>
OpBodies bodies<OpId::pool_scatter>() {
  return {.shape =
              [](OpCall& call) {
                return call.give(with_last_sizes(call.required(0).shape(), call.dims(2).span()),
                                 call.required(0).dtype());
              },
          .cpu = run_scatter,
          .gradients = {Gradient{0, argument(1), [](Backward& b) {
                                   const auto dims = static_cast<std::int64_t>(dims_of(b.value(2)).size());
                                   return apply(OpId::pool_gather, {b.grad(), b.arg(1), dims});
                                 }}}};
}
template <>
OpBodies bodies<OpId::pool_gather>() {
  return {.shape = [](OpCall& call) { return call.give(call.required(1).shape(), call.required(0).dtype()); },
          .cpu = run_gather,
          .gradients = {Gradient{
              0, argument(1), [](Backward& b) {
                const auto dims = static_cast<std::size_t>(b.integer(2));
                const std::vector<std::int64_t> size = last_sizes(b.input(0).shape, dims);
                return apply(OpId::pool_scatter, {b.grad(), b.arg(1), dims_value(b.interpreter(), Dims(size))});
              }}}};
}

}  // namespace nns::ops
