#include <algorithm>

#include "core/ops/errors.h"
#include "core/ops/node.h"
#include "core/ops/resampling.h"
#include "core/ops/term.h"

// Behaviour: aten/src/ATen/native/{PadNd,ReflectionPad,ReplicationPadding}.cpp; gradients:
// tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

// constant_pad_nd takes the amounts of the last dimension first: before, after. Negative ones cut away.
// Behaviour: PadNd.cpp, constant_pad_nd.
PyResult<void> constant_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  const Dims pad = call.dims(1);
  if (pad.size() % 2 != 0) {
    return object::runtime_error(call.interpreter, "Length of pad must be even but instead it equals {}", pad.size());
  }
  if (pad.size() / 2 > self.ndim()) {
    return object::runtime_error(
        call.interpreter,
        "Length of pad should be no more than twice the number of dimensions of the input. Pad length is {} while the "
        "input has {} dimensions.",
        pad.size(), self.ndim());
  }
  Dims shape = self.shape();
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    const std::size_t dim = self.ndim() - 1 - i;
    shape[dim] += pad[2 * i] + pad[2 * i + 1];
    if (shape[dim] < 0) {
      return object::runtime_error(
          call.interpreter,
          "The input size {}, plus negative padding {} and {}, resulted in a negative output size, which is invalid. "
          "Check dimension {} of your input.",
          self.shape()[dim], pad[2 * i], pad[2 * i + 1], dim);
    }
  }
  return call.give(shape, self.dtype());
}

// The part of `wide` that lies inside after `pad` was added on each side (cut away where negative).
Ref<Tensor> inner_part(const Tensor& wide, const Dims& pad, bool of_result) {
  Dims shape = wide.shape();
  std::int64_t offset = wide.offset();
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    const std::size_t dim = wide.ndim() - 1 - i;
    const std::int64_t before =
        of_result ? std::max<std::int64_t>(pad[2 * i], 0) : std::max<std::int64_t>(-pad[2 * i], 0);
    const std::int64_t after =
        of_result ? std::max<std::int64_t>(pad[2 * i + 1], 0) : std::max<std::int64_t>(-pad[2 * i + 1], 0);
    shape[dim] = std::max<std::int64_t>(shape[dim] - before - after, 0);
    offset += before * wide.strides()[dim];
  }
  return tensor::as_strided(wide, shape, wide.strides(), offset);
}

PyResult<void> run_constant(OpCall& call) {
  const Tensor& out = call.output();
  const Dims pad = call.dims(1);
  tensor::fill_items(out, call.real(2));
  const Ref<Tensor> target = inner_part(out, pad, true);
  const Ref<Tensor> source = inner_part(call.required(0), pad, false);
  if (target->numel() == 0 || source->numel() == 0) return {};
  return tensor::copy_items(*target, *source);
}

// ---------------------------------------------------------------- reflection, replication, wrapping around

enum class PadMode : std::uint8_t { Reflect, Replicate, Circular };

// Which item shows at place `at` of the padded dimension.
std::int64_t shown_item(PadMode mode, std::int64_t at, std::int64_t before, std::int64_t size) {
  const std::int64_t place = at - before;
  switch (mode) {
    case PadMode::Reflect:
      return place < 0 ? -place : place >= size ? 2 * (size - 1) - place : place;
    case PadMode::Replicate:
      return std::clamp<std::int64_t>(place, 0, size - 1);
    case PadMode::Circular:
      return place < 0 ? place + size : place >= size ? place - size : place;
  }
  return place;
}

AxisMaps maps_of_padding(PadMode mode, const Dims& in, const Dims& pad) {
  AxisMaps maps;
  const std::size_t dims = pad.size() / 2;
  for (std::size_t i = 0; i < dims; ++i) {
    const std::int64_t size = in[in.size() - dims + i];
    const std::int64_t before = pad[2 * (dims - 1 - i)];
    const std::int64_t after = pad[2 * (dims - 1 - i) + 1];
    AxisMap map;
    map.in = size;
    map.out = size + before + after;
    for (std::int64_t at = 0; at < map.out; ++at) map.add({{shown_item(mode, at, before, size), 1}});
    maps.push_back(std::move(map));
  }
  return maps;
}

Dims padded(const Dims& shape, const Dims& pad) {
  Dims made = shape;
  for (std::size_t i = 0; i < pad.size() / 2; ++i) made[shape.size() - 1 - i] += pad[2 * i] + pad[2 * i + 1];
  return made;
}

// Errors: RuntimeError  the input has other dimensions than `dims` with or without a batch, or an empty one.
PyResult<void> check_padded_input(OpCall& call, PadMode mode, std::size_t dims) {
  const Dims& input = call.required(0).shape();
  bool is_valid = input.size() == dims + 1 || input.size() == dims + 2;
  for (std::size_t i = 1; is_valid && i < input.size(); ++i) is_valid = input[i] != 0;
  // A channel without items is allowed where the input has no batch.
  if (is_valid) return {};
  if (mode == PadMode::Reflect && dims < 3) {
    return object::runtime_error(call.interpreter,
                                 "{}D or {}D (batch mode) tensor expected for input, but got: [ {}{{{}}} ]", dims + 1,
                                 dims + 2, call.required(0).type_string(), fmt::join(input.span(), ","));
  }
  return object::runtime_error(call.interpreter,
                               "Expected {}D or {}D (batch mode) tensor with possibly 0 batch size and other non-zero "
                               "dimensions for input, but got: {}",
                               dims + 1, dims + 2, shape_text(input));
}

// "input (W: 3) is too small. Calculated output W: -1", with all dimensions named.
PyResult<void> check_padded_size(OpCall& call, const Dims& shape, std::size_t dims) {
  const Dims& input = call.required(0).shape();
  constexpr std::string_view kAxes[] = {"D", "H", "W"};
  std::vector<std::string> before, after;
  bool is_too_small = false;
  for (std::size_t i = 0; i < dims; ++i) {
    const std::string_view axis = kAxes[3 - dims + i];
    before.push_back(fmt::format("{}: {}", axis, input[input.size() - dims + i]));
    after.push_back(fmt::format("{}: {}", axis, shape[shape.size() - dims + i]));
    is_too_small = is_too_small || shape[shape.size() - dims + i] < 1;
  }
  if (!is_too_small) return {};
  return object::runtime_error(call.interpreter, "input ({}) is too small. Calculated output {}",
                               fmt::join(before, ", "), fmt::join(after, " "));
}

template <PadMode mode, std::size_t dims>
PyResult<void> sides_shape(OpCall& call) {
  const Dims pad = call.dims(1);
  const Dims& input = call.required(0).shape();
  if (pad.size() != 2 * dims) {
    return object::runtime_error(call.interpreter, "padding size is expected to be {}, but got: {}", 2 * dims,
                                 pad.size());
  }
  NNS_TRY(check_padded_input(call, mode, dims));
  if (mode == PadMode::Reflect) {
    for (std::size_t i = 0; i < dims; ++i) {
      const std::size_t dim = input.size() - 1 - i;
      if (pad[2 * i] < input[dim] && pad[2 * i + 1] < input[dim]) continue;
      return object::runtime_error(
          call.interpreter,
          "Argument #{}: Padding size should be less than the corresponding input dimension, but got: padding ({}, {}) "
          "at dimension {} of input {}",
          4 + 2 * i, pad[2 * i], pad[2 * i + 1], dim, shape_text(input));
    }
  }
  const Dims shape = padded(input, pad);
  NNS_TRY(check_padded_size(call, shape, dims));
  return call.give(shape, call.required(0).dtype());
}

PadMode mode_of(OpId op) {
  switch (op) {
    case OpId::reflection_pad1d:
    case OpId::reflection_pad2d:
    case OpId::reflection_pad3d:
      return PadMode::Reflect;
    case OpId::pad_circular:
      return PadMode::Circular;
    default:
      return PadMode::Replicate;
  }
}

PyResult<void> run_sides(OpCall& call) {
  NNS_TRY(check_padding_dtype(call));
  const Tensor& input = call.required(0);
  with_any_number(input.dtype(), [&]<class T>(T) { resample<T>(padding_maps(call), input, call.output(), false); });
  return {};
}

template <PadMode mode>
Term sides_gradient(Backward& b) {
  return apply(OpId::pad_backward, {b.grad(), dims_value(b.interpreter(), b.input(0).shape), TermArgument(b.value(1)),
                                    static_cast<std::int64_t>(mode)});
}
PyResult<void> run_pad_backward(OpCall& call) {
  const Tensor& out = call.output();
  with_any_number(out.dtype(), [&]<class T>(T) { resample<T>(padding_maps(call), call.required(0), out, true); });
  return {};
}
Term pad_backward_gradient(Backward& b) {
  const auto mode = static_cast<PadMode>(b.integer(3));
  constexpr OpId kOps[2][3] = {{OpId::reflection_pad1d, OpId::reflection_pad2d, OpId::reflection_pad3d},
                               {OpId::replication_pad1d, OpId::replication_pad2d, OpId::replication_pad3d}};
  const std::size_t dims = dims_of(b.value(2)).size() / 2;
  const OpId op = mode == PadMode::Circular ? OpId::pad_circular : kOps[mode == PadMode::Reflect ? 0 : 1][dims - 1];
  return apply(op, {b.grad(), TermArgument(b.value(2))});
}

// Behaviour: PadNd.cpp, _pad_circular: any number of dimensions behind the channels, with a batch or without one.
PyResult<void> circular_shape(OpCall& call) {
  const Dims& input = call.required(0).shape();
  const Dims pad = call.dims(1);
  const std::size_t dims = pad.size() / 2;
  const auto ndim = static_cast<std::int64_t>(input.size());
  const std::int64_t kept = ndim - static_cast<std::int64_t>(dims);
  if (kept != 1 && kept != 2) {
    return object::runtime_error(
        call.interpreter,
        "Invalid padding size, expected 1 or 2 non-padded dimensions, which would be equivalent "
        "to padding of length {} or {} respectively but got {}",
        (ndim - 1) * 2, (ndim - 2) * 2, pad.size());
  }
  Dims shape = input;
  for (std::size_t i = 0; i < dims; ++i) {
    const std::size_t dim = i + static_cast<std::size_t>(kept);
    const std::int64_t before = pad[2 * (dims - 1 - i)];
    const std::int64_t after = pad[2 * (dims - 1 - i) + 1];
    shape[dim] = input[dim] + before + after;
    if (before > input[dim] || after > input[dim]) {
      return object::runtime_error(call.interpreter, "Padding value causes wrapping around more than once.");
    }
    if (shape[dim] < 0) {
      return object::runtime_error(call.interpreter, "Negative padding value is resulting in an empty dimension");
    }
  }
  return call.give(shape, call.required(0).dtype());
}

// torch._C._nn.pad. Behaviour: PadNd.cpp, pad and _pad_enum.
PyResult<Value> pad(OpCall& call) {
  Interpreter& in = call.interpreter;
  const std::size_t ndim = call.required(0).ndim();
  const Dims amounts = call.dims(1);
  const std::string_view mode = call.args[2].as<object::Str>()->view();
  constexpr std::string_view kModes[] = {"reflect", "replicate", "circular"};
  const auto* const found = std::find(std::begin(kModes), std::end(kModes), mode);
  if (mode != "constant" && found == std::end(kModes)) {
    return object::error<object::ErrorKind::NotImplementedError>(in, "Unrecognised padding mode {}", mode);
  }
  if (amounts.size() % 2 != 0) return object::runtime_error(in, "Padding length must be divisible by 2");
  if (amounts.size() > 2 * ndim) {
    return object::runtime_error(in,
                                 "Padding length should be less than or equal to two times the input dimension but got "
                                 "padding length {} and input of dimension {}",
                                 amounts.size(), ndim);
  }
  if (mode == "constant") {
    return call_op(in, OpId::constant_pad_nd, {call.args[0], call.args[1], call.is_none(3) ? Value(0) : call.args[3]});
  }
  if (!call.is_none(3) && call.real(3) != 0) {
    return object::runtime_error(in, "Padding mode \"{}\" doesn't take in value argument", mode);
  }
  const std::size_t dims = amounts.size() / 2;
  if (dims < 1 || dims > 3 || (ndim != dims + 1 && ndim != dims + 2)) {
    return object::error<object::ErrorKind::NotImplementedError>(
        in, "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now");
  }
  constexpr OpId kOps[2][3] = {{OpId::reflection_pad1d, OpId::reflection_pad2d, OpId::reflection_pad3d},
                               {OpId::replication_pad1d, OpId::replication_pad2d, OpId::replication_pad3d}};
  const OpId op = mode == "circular" ? OpId::pad_circular : kOps[found - std::begin(kModes)][dims - 1];
  return call_op(in, op, {call.args[0], call.args[1]});
}

template <PadMode mode, std::size_t dims>
OpBodies sides_bodies(std::string_view node_name) {
  return {.shape = sides_shape<mode, dims>,
          .cpu = run_sides,
          .gradients = {Gradient{0, 0, sides_gradient<mode>}},
          .node_name = node_name};
}

}  // namespace

AxisMaps padding_maps(const OpCall& call) {
  if (call.op.id == OpId::pad_backward) {
    return maps_of_padding(static_cast<PadMode>(call.integer(3)), call.output().shape(), call.dims(2));
  }
  return maps_of_padding(mode_of(call.op.id), call.required(0).shape(), call.dims(1));
}
PyResult<void> check_padding_dtype(OpCall& call) {
  const DType dtype = call.required(0).dtype();
  const PadMode mode = mode_of(call.op.id);
  const bool is_narrow = dtype == DType::Bool || (tensor::item_bytes(dtype) == 1 && !tensor::is_integral(dtype));
  if (mode == PadMode::Circular || !is_narrow) return {};
  const std::size_t dims = call.dims(1).size() / 2;
  return not_implemented_for(
      call.interpreter,
      mode == PadMode::Reflect ? fmt::format("reflection_pad{}d", dims) : fmt::format("replication_pad{}d_cpu", dims),
      dtype);
}

template <>
OpBodies bodies<OpId::pad>() {
  return {.composite = pad};
}
template <>
OpBodies bodies<OpId::reflection_pad1d>() {
  return sides_bodies<PadMode::Reflect, 1>("ReflectionPad1DBackward0");
}
template <>
OpBodies bodies<OpId::reflection_pad2d>() {
  return sides_bodies<PadMode::Reflect, 2>("ReflectionPad2DBackward0");
}
template <>
OpBodies bodies<OpId::reflection_pad3d>() {
  return sides_bodies<PadMode::Reflect, 3>("ReflectionPad3DBackward0");
}
template <>
OpBodies bodies<OpId::replication_pad1d>() {
  return sides_bodies<PadMode::Replicate, 1>("ReplicationPad1DBackward0");
}
template <>
OpBodies bodies<OpId::replication_pad2d>() {
  return sides_bodies<PadMode::Replicate, 2>("ReplicationPad2DBackward0");
}
template <>
OpBodies bodies<OpId::replication_pad3d>() {
  return sides_bodies<PadMode::Replicate, 3>("ReplicationPad3DBackward0");
}
template <>
OpBodies bodies<OpId::pad_circular>() {
  return {.shape = circular_shape, .cpu = run_sides, .gradients = {Gradient{0, 0, sides_gradient<PadMode::Circular>}}};
}
template <>
OpBodies bodies<OpId::pad_backward>() {
  return {.shape = [](OpCall& call) { return call.give(call.dims(1), call.required(0).dtype()); },
          .cpu = run_pad_backward,
          .gradients = {Gradient{0, 0, pad_backward_gradient}}};
}

template <>
OpBodies bodies<OpId::constant_pad_nd>() {
  return {.shape = constant_shape,
          .cpu = run_constant,
          .gradients = {Gradient{0, 0, [](Backward& b) {
                                   const Dims pad = dims_of(b.value(1));
                                   Dims back(pad.size(), 0);
                                   for (std::size_t i = 0; i < pad.size(); ++i) back[i] = -pad[i];
                                   return apply(OpId::constant_pad_nd, {b.grad(), dims_value(b.interpreter(), back)});
                                 }}}};
}

}  // namespace nns::ops
