#include <algorithm>
#include <cmath>
#include <optional>

#include "core/ops/errors.h"
#include "core/ops/node.h"
#include "core/ops/resampling.h"
#include "core/ops/term.h"

// Behaviour: aten/src/ATen/native/{UpSample.h,UpSample*.cpp} and cpu/UpSampleKernel.cpp; gradients:
// tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

enum class Kernel : std::uint8_t { Nearest, NearestExact, Linear, Cubic, SmoothLinear, SmoothCubic };

struct Resizing {
  OpId op;
  Kernel kernel;
  std::size_t dims;
  std::string_view node_name;
};
constexpr Resizing kResizings[] = {
    {OpId::upsample_nearest1d, Kernel::Nearest, 1, "UpsampleNearest1DBackward0"},
    {OpId::upsample_nearest2d, Kernel::Nearest, 2, "UpsampleNearest2DBackward0"},
    {OpId::upsample_nearest3d, Kernel::Nearest, 3, "UpsampleNearest3DBackward0"},
    {OpId::upsample_nearest_exact1d, Kernel::NearestExact, 1, "UpsampleNearestExact1DBackward0"},
    {OpId::upsample_nearest_exact2d, Kernel::NearestExact, 2, "UpsampleNearestExact2DBackward0"},
    {OpId::upsample_nearest_exact3d, Kernel::NearestExact, 3, "UpsampleNearestExact3DBackward0"},
    {OpId::upsample_linear1d, Kernel::Linear, 1, "UpsampleLinear1DBackward0"},
    {OpId::upsample_bilinear2d, Kernel::Linear, 2, "UpsampleBilinear2DBackward0"},
    {OpId::upsample_trilinear3d, Kernel::Linear, 3, "UpsampleTrilinear3DBackward0"},
    {OpId::upsample_bicubic2d, Kernel::Cubic, 2, "UpsampleBicubic2DBackward0"},
    {OpId::upsample_bilinear2d_aa, Kernel::SmoothLinear, 2, "UpsampleBilinear2DAaBackward0"},
    {OpId::upsample_bicubic2d_aa, Kernel::SmoothCubic, 2, "UpsampleBicubic2DAaBackward0"},
};
const Resizing& resizing_of(OpId op) {
  return *std::find_if(std::begin(kResizings), std::end(kResizings),
                       [op](const Resizing& one) { return one.op == op; });
}

// How the input is laid over the result.
struct Scale {
  std::int64_t in = 1;
  std::int64_t out = 1;
  bool aligns_corners = false;
  /// What the caller gave as scale factor.
  std::optional<double> factor;

  // Items of the input an item of the result. Behaviour: UpSample.h, area_pixel_compute_scale.
  template <class Real>
  Real step() const {
    if (aligns_corners) return out > 1 ? static_cast<Real>(in - 1) / static_cast<Real>(out - 1) : Real(0);
    return plain_step<Real>();
  }
  template <class Real>
  Real plain_step() const {
    if (factor && *factor > 0) return static_cast<Real>(1.0 / *factor);
    return static_cast<Real>(in) / static_cast<Real>(out);
  }
};

AxisMap nearest_map(const Scale& scale, bool is_exact) {
  AxisMap map;
  const float step = scale.plain_step<float>();
  for (std::int64_t i = 0; i < scale.out; ++i) {
    const float at = is_exact ? (static_cast<float>(i) + 0.5F) * step : static_cast<float>(i) * step;
    map.add({{std::min(static_cast<std::int64_t>(std::floor(at)), scale.in - 1), 1}});
  }
  return map;
}

// Where item `i` of the result lies in the input, in items.
template <class Real>
Real source_of(const Scale& scale, std::int64_t i, bool is_cubic) {
  const Real step = scale.step<Real>();
  if (scale.aligns_corners) return step * static_cast<Real>(i);
  const Real at = step * (static_cast<Real>(i) + Real(0.5)) - Real(0.5);
  return !is_cubic && at < 0 ? Real(0) : at;
}

template <class Real>
AxisMap linear_map(const Scale& scale) {
  AxisMap map;
  for (std::int64_t i = 0; i < scale.out; ++i) {
    if (scale.in == scale.out) {
      map.add({{i, 1}});
      continue;
    }
    const Real at = source_of<Real>(scale, i, false);
    const std::int64_t low = std::min(static_cast<std::int64_t>(at), scale.in - 1);
    const std::int64_t high = std::min(low + 1, scale.in - 1);
    const Real part = std::min(std::max(at - static_cast<Real>(low), Real(0)), Real(1));
    map.add({{low, static_cast<double>(Real(1) - part)}, {high, static_cast<double>(part)}});
  }
  return map;
}

// Keys' cubic convolution kernel at distance `x`.
template <class Real>
Real cubic_weight(Real x, Real a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

template <class Real>
AxisMap cubic_map(const Scale& scale) {
  constexpr Real kA = Real(-0.75);
  AxisMap map;
  for (std::int64_t i = 0; i < scale.out; ++i) {
    const Real at = source_of<Real>(scale, i, true);
    const Real base = std::floor(at);
    const Real part = at - base;
    const auto item = [&](std::int64_t k) {
      const auto place = static_cast<std::int64_t>(base) - 1 + k;
      return AxisMap::Part{std::clamp<std::int64_t>(place, 0, scale.in - 1),
                           static_cast<double>(cubic_weight<Real>(part + 1 - static_cast<Real>(k), kA))};
    };
    map.add({item(0), item(1), item(2), item(3)});
  }
  return map;
}

// With smoothing the kernel is as wide as an item of the result where that is wider than one of the input.
template <class Real>
AxisMap smooth_map(const Scale& scale, bool is_cubic) {
  constexpr Real kA = Real(-0.5);
  AxisMap map;
  const Real step = scale.step<Real>();
  const Real width = std::max(step, Real(1));
  const Real support = Real(is_cubic ? 2 : 1) * width;
  for (std::int64_t i = 0; i < scale.out; ++i) {
    const Real center = step * (static_cast<Real>(i) + Real(0.5));
    const std::int64_t first = std::max<std::int64_t>(static_cast<std::int64_t>(center - support + Real(0.5)), 0);
    const std::int64_t end = std::min(static_cast<std::int64_t>(center + support + Real(0.5)), scale.in);
    Real total = 0;
    const std::size_t start = map.parts.size();
    for (std::int64_t at = first; at < end; ++at) {
      const Real x = (static_cast<Real>(at) - center + Real(0.5)) / width;
      const Real weight = is_cubic ? cubic_weight<Real>(x, kA) : std::max(Real(1) - std::abs(x), Real(0));
      map.parts.push_back({at, static_cast<double>(weight)});
      total += weight;
    }
    for (std::size_t p = start; total != 0 && p < map.parts.size(); ++p) {
      map.parts[p].weight = static_cast<double>(static_cast<Real>(map.parts[p].weight) / total);
    }
    map.starts.push_back(map.parts.size());
  }
  return map;
}

template <class Real>
AxisMap map_of(Kernel kernel, const Scale& scale) {
  switch (kernel) {
    case Kernel::Nearest:
    case Kernel::NearestExact:
      return nearest_map(scale, kernel == Kernel::NearestExact);
    case Kernel::Linear:
      return linear_map<Real>(scale);
    case Kernel::Cubic:
      return cubic_map<Real>(scale);
    default:
      return smooth_map<Real>(scale, kernel == Kernel::SmoothCubic);
  }
}

std::optional<double> factor_of(const Value& scales, std::size_t i) {
  const object::Tuple* const tuple = scales.as<object::Tuple>();
  if (tuple == nullptr || i >= tuple->size() || (*tuple)[i].is_none()) return std::nullopt;
  return Number::of((*tuple)[i]).as_double();
}

// Maps from the last sizes of `in` to those of `out`.
AxisMaps maps_of(const Resizing& resizing, const Dims& in, const Dims& out, bool aligns_corners, const Value& scales,
                 DType dtype) {
  AxisMaps maps;
  for (std::size_t i = 0; i < resizing.dims; ++i) {
    const std::size_t dim = in.size() - resizing.dims + i;
    const Scale scale{in[dim], out[dim], aligns_corners, factor_of(scales, i)};
    AxisMap map =
        dtype == DType::Float64 ? map_of<double>(resizing.kernel, scale) : map_of<float>(resizing.kernel, scale);
    map.in = scale.in;
    map.out = scale.out;
    maps.push_back(std::move(map));
  }
  return maps;
}

// "H: 3, W: 3".
std::string sizes_text(const Dims& shape, std::size_t dims) {
  constexpr std::string_view kAxes[] = {"D", "H", "W"};
  std::string text;
  for (std::size_t i = 0; i < dims; ++i) {
    if (i > 0) text += ", ";
    text += fmt::format("{}: {}", kAxes[3 - dims + i], shape[shape.size() - dims + i]);
  }
  return text;
}

// Behaviour: UpSample.h, upsample_*d_common_check.
PyResult<void> resized_shape(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Resizing& resizing = resizing_of(call.op.id);
  const Dims& input = call.required(0).shape();
  const Dims size = call.dims(1);
  const std::size_t dims = resizing.dims;
  if (size.size() != dims) {
    return object::runtime_error(in, "It is expected output_size equals to {}, but got size {}", dims, size.size());
  }
  if (input.size() != dims + 2) {
    return object::runtime_error(in, "It is expected input_size equals to {}, but got size {}", dims + 2, input.size());
  }
  Dims shape = input;
  bool is_positive = true;
  for (std::size_t i = 0; i < dims; ++i) {
    shape[i + 2] = size[i];
    is_positive = is_positive && shape[i + 2] > 0 && input[i + 2] > 0;
  }
  if (!is_positive) {
    return object::runtime_error(in,
                                 "Input and output sizes should be greater than 0, but got input ({}){} output ({})",
                                 sizes_text(input, dims), dims == 1 ? " and" : "", sizes_text(shape, dims));
  }
  if (input[1] == 0) {
    return object::runtime_error(in, "Non-empty {}D data tensor expected but got a tensor with sizes {}", dims + 2,
                                 shape_text(input));
  }
  return call.give(shape, call.required(0).dtype());
}

bool is_plain(const Resizing& resizing) {
  return resizing.kernel == Kernel::Nearest || resizing.kernel == Kernel::NearestExact;
}

PyResult<void> run_resizing(OpCall& call) {
  NNS_TRY(check_resizing_dtype(call));
  const Tensor& input = call.required(0);
  const AxisMaps maps = resizing_maps(call);
  if (input.dtype() == DType::Float64) {
    resample<double>(maps, input, call.output(), false);
    return {};
  }
  if (!resizing_rounds(call)) {
    resample<float>(maps, input, call.output(), false);
    return {};
  }
  // Bytes are rounded, and cut off where a cubic overshoots.
  const Ref<Tensor> real = tensor::empty(call.interpreter, call.output().shape(), DType::Float32);
  resample<float>(maps, input, *real, false);
  auto* const items = reinterpret_cast<float*>(real->data());
  for (std::int64_t i = 0; i < real->numel(); ++i) items[i] = std::clamp(std::floor(items[i] + 0.5F), 0.0F, 255.0F);
  return tensor::copy_items(call.output(), *real);
}

Term resizing_gradient(Backward& b) {
  return apply(OpId::upsample_backward,
               {b.grad(), dims_value(b.interpreter(), b.input(0).shape), static_cast<std::int64_t>(b.node.op.id),
                TermArgument(b.value(2)), TermArgument(b.value(3))});
}
PyResult<void> run_backward(OpCall& call) {
  const Tensor& grad = call.required(0);
  const AxisMaps maps = resizing_maps(call);
  if (grad.dtype() == DType::Float64) {
    resample<double>(maps, grad, call.output(), true);
  } else {
    resample<float>(maps, grad, call.output(), true);
  }
  return {};
}
Term backward_gradient(Backward& b) {
  const auto op = static_cast<OpId>(b.integer(2));
  const Dims& shape = b.input(0).shape;
  const Dims size(shape.span().subspan(2));
  return apply(op, {b.grad(), dims_value(b.interpreter(), size), TermArgument(b.value(3)), TermArgument(b.value(4))});
}

OpBodies resizing_bodies(OpId op) {
  return {.shape = resized_shape,
          .cpu = run_resizing,
          .gradients = {Gradient{0, 0, resizing_gradient}},
          .node_name = resizing_of(op).node_name};
}

}  // namespace

AxisMaps resizing_maps(const OpCall& call) {
  const Tensor& given = call.required(0);
  if (call.op.id == OpId::upsample_backward) {
    return maps_of(resizing_of(static_cast<OpId>(call.integer(2))), call.output().shape(), given.shape(), call.flag(3),
                   call.args[4], given.dtype());
  }
  return maps_of(resizing_of(call.op.id), given.shape(), call.output().shape(), call.flag(2), call.args[3],
                 given.dtype());
}
bool resizing_rounds(const OpCall& call) {
  return call.op.id != OpId::upsample_backward && call.required(0).dtype() == DType::UInt8 &&
         !is_plain(resizing_of(call.op.id));
}
PyResult<void> check_resizing_dtype(OpCall& call) {
  const Resizing& resizing = resizing_of(call.op.id);
  const DType dtype = call.required(0).dtype();
  const bool takes_bytes = dtype == DType::UInt8 && (is_plain(resizing) || resizing.dims == 2);
  if (takes_bytes || (tensor::is_floating(dtype) && tensor::item_bytes(dtype) > 1)) return {};
  constexpr std::string_view kKernels[] = {"nearest", "nearest", "linear", "cubic", "linear", "cubic"};
  const bool is_line = resizing.dims == 1 || resizing.kernel == Kernel::Cubic;
  return not_implemented_for(
      call.interpreter,
      is_line ? fmt::format("compute_indices_weights_{}", kKernels[static_cast<std::size_t>(resizing.kernel)])
              : fmt::format("{}_channels_last", call.op.name),
      dtype);
}

#define NNS_RESIZING(id)              \
  template <>                         \
  OpBodies bodies<OpId::id>() {       \
    return resizing_bodies(OpId::id); \
  }
NNS_RESIZING(upsample_nearest1d)
NNS_RESIZING(upsample_nearest2d)
NNS_RESIZING(upsample_nearest3d)
NNS_RESIZING(upsample_nearest_exact1d)
NNS_RESIZING(upsample_nearest_exact2d)
NNS_RESIZING(upsample_nearest_exact3d)
NNS_RESIZING(upsample_linear1d)
NNS_RESIZING(upsample_bilinear2d)
NNS_RESIZING(upsample_trilinear3d)
NNS_RESIZING(upsample_bicubic2d)
NNS_RESIZING(upsample_bilinear2d_aa)
NNS_RESIZING(upsample_bicubic2d_aa)
#undef NNS_RESIZING

template <>
OpBodies bodies<OpId::upsample_backward>() {
  return {.shape = [](OpCall& call) { return call.give(call.dims(1), call.required(0).dtype()); },
          .cpu = run_backward,
          .gradients = {Gradient{0, 0, backward_gradient}}};
}

}  // namespace nns::ops
