#include <fmt/ranges.h>

#include <cmath>

#include "core/nn/functional.h"
#include "core/object/operations.h"

// Behaviour: torch/nn/functional.py, local_response_norm, pixel_shuffle to affine_grid, and pad.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using ops::TermArgument;
using tensor::Dims;

// ---------------------------------------------------------------- local_response_norm

// Arguments: input, size, alpha, beta, k.
PyResult<Value> local_response_norm(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& input = call.required(0);
  const std::size_t ndim = input.ndim();
  if (ndim < 3) {
    return object::value_error(
        in, "Expected 3D or higher dimensionality                          input (got {} dimensions)", ndim);
  }
  if (input.numel() == 0) return call.args[0];
  const std::int64_t size = call.integer(1);
  const auto tuple = [&](std::initializer_list<std::int64_t> items) { return ops::dims_value(in, Dims(items)); };
  const Term squares = ops::mul(call.term(0), call.term(0));
  const std::int64_t before = size / 2;
  const std::int64_t after = (size - 1) / 2;
  Term mean;
  if (ndim == 3) {
    const Term padded =
        ops::apply(OpId::constant_pad_nd, {ops::apply(OpId::unsqueeze, {squares, 1}), tuple({0, 0, before, after})});
    mean = ops::apply(OpId::squeeze, {ops::apply(OpId::avg_pool2d, {padded, tuple({size, 1}), Value(1)}), Value(1)});
  } else {
    const Dims& shape = input.shape();
    const std::int64_t rest = input.numel() / (shape[0] * shape[1] * shape[2]);
    const Term planes = ops::apply(OpId::reshape, {squares, tuple({shape[0], 1, shape[1], shape[2], rest})});
    const Term padded = ops::apply(OpId::constant_pad_nd, {planes, tuple({0, 0, 0, 0, before, after})});
    const Term pooled = ops::apply(OpId::avg_pool3d, {padded, tuple({size, 1, 1}), Value(1)});
    mean = ops::apply(OpId::reshape, {pooled, ops::dims_value(in, shape)});
  }
  const Term scale =
      ops::pow(mean * TermArgument(call.args[2]) + TermArgument(call.args[4]), TermArgument(call.args[3]));
  return ops::value_of(call.term(0) / scale);
}

// ---------------------------------------------------------------- interpolate

// One value for each spatial dimension, from one or from several.
struct SpatialValues {
  std::vector<Value> values;
  bool was_sequence = false;
};
PyResult<SpatialValues> spatial_values(Interpreter& in, const Value& given, std::size_t dims) {
  if (given.as<object::Tuple>() == nullptr && given.as<object::List>() == nullptr) {
    return SpatialValues{std::vector<Value>(dims, given), false};
  }
  NNS_TRY_ASSIGN(std::vector<Value> items, object::to_vector(in, given));
  return SpatialValues{std::move(items), true};
}

// "Input and output must have the same number of spatial dimensions, but got ...".
object::PyError count_error(FunctionCall& call, const Value& given, bool is_size) {
  const Dims& shape = call.required(0).shape();
  const auto text = object::str(call.interpreter, given);
  return object::value_error(
      call.interpreter,
      "Input and {} must have the same number of spatial dimensions, but got input with spatial dimensions of [{}] and "
      "{} {}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and {} in {} format.",
      is_size ? "output" : "scale_factor",
      fmt::join(shape.span().subspan(std::min<std::size_t>(2, shape.size())), ", "),
      is_size ? "output size of" : "scale_factor of shape", text.ok() ? *text : std::string(),
      is_size ? "output size" : "scale_factor", is_size ? "(o1, o2, ...,oK)" : "(s1, s2, ...,sK)");
}

// What the arguments ask for: sizes, and the factors where the result is laid out by them.
struct Resized {
  std::vector<std::int64_t> size;
  Value factors;
};

// Arguments: input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias.
PyResult<Resized> resized_size(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  const Dims& input = call.required(0).shape();
  const std::size_t dims = input.size() < 2 ? 0 : input.size() - 2;
  NNS_TRY_ASSIGN(bool recomputes, object::truth(in, call.args[5]));
  if (!call.is_none(1) && !call.is_none(2)) {
    return object::value_error(in, "only one of size or scale_factor should be defined");
  }
  Resized made;
  if (!call.is_none(1)) {
    NNS_TRY_ASSIGN(const SpatialValues given, spatial_values(in, call.args[1], dims));
    if (given.was_sequence && given.values.size() != dims) return count_error(call, call.args[1], true);
    for (const Value& one : given.values) {
      if (!one.is_int()) {
        return object::type_error(in,
                                  "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, "
                                  "int], but got size with types [{}]",
                                  object::class_repr(in.type_of(one)));
      }
      made.size.push_back(one.as_int());
    }
    if (recomputes) return object::value_error(in, "recompute_scale_factor is not meaningful with an explicit size.");
    return made;
  }
  if (call.is_none(2)) return object::value_error(in, "either size or scale_factor should be defined");
  NNS_TRY_ASSIGN(const SpatialValues given, spatial_values(in, call.args[2], dims));
  if (given.was_sequence && given.values.size() != dims) return count_error(call, call.args[2], false);
  for (std::size_t i = 0; i < given.values.size(); ++i) {
    if (!ops::Number::is_real(given.values[i])) {
      return object::type_error(in, "interpolate(): argument 'scale_factor' must be tuple of floats, not {}",
                                in.type_of(given.values[i]).name());
    }
    const double factor = ops::Number::of(given.values[i]).as_double();
    made.size.push_back(static_cast<std::int64_t>(std::floor(static_cast<double>(input[i + 2]) * factor)));
  }
  if (!recomputes && call.text(3) != "area") made.factors = Value(in.tuple(std::vector<Value>(given.values)));
  return made;
}

std::optional<OpId> resizing_op(std::string_view mode, std::size_t dims, bool smooth) {
  struct Row {
    std::string_view mode;
    std::size_t dims;
    bool smooth;
    OpId op;
  };
  constexpr Row kVisionRows[] = {
      {"nearest", 1, false, OpId::upsample_nearest1d},
      {"nearest", 2, false, OpId::upsample_nearest2d},
      {"nearest", 3, false, OpId::upsample_nearest3d},
      {"nearest-exact", 1, false, OpId::upsample_nearest_exact1d},
      {"nearest-exact", 2, false, OpId::upsample_nearest_exact2d},
      {"nearest-exact", 3, false, OpId::upsample_nearest_exact3d},
      {"area", 1, false, OpId::adaptive_avg_pool1d},
      {"area", 2, false, OpId::adaptive_avg_pool2d},
      {"area", 3, false, OpId::adaptive_avg_pool3d},
      {"linear", 1, false, OpId::upsample_linear1d},
      {"bilinear", 2, false, OpId::upsample_bilinear2d},
      {"bilinear", 2, true, OpId::upsample_bilinear2d_aa},
      {"trilinear", 3, false, OpId::upsample_trilinear3d},
      {"bicubic", 2, false, OpId::upsample_bicubic2d},
      {"bicubic", 2, true, OpId::upsample_bicubic2d_aa},
  };
  for (const Row& row : kVisionRows) {
    if (row.mode == mode && row.dims == dims && row.smooth == smooth) return row.op;
  }
  return std::nullopt;
}

PyResult<Value> interpolate(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  const std::string_view mode = call.text(3);
  const bool is_plain = mode == "nearest" || mode == "area" || mode == "nearest-exact";
  if (is_plain && !call.is_none(4)) {
    return object::value_error(in,
                               "align_corners option can only be set with the interpolating modes: linear | bilinear | "
                               "bicubic | trilinear");
  }
  NNS_TRY_ASSIGN(const bool aligns_corners, object::truth(in, call.args[4]));
  NNS_TRY_ASSIGN(const Resized wanted, resized_size(call));
  const std::size_t ndim = call.required(0).ndim();
  const bool smooth = call.flag(6);
  if (smooth && ((mode != "bilinear" && mode != "bicubic") || ndim != 4)) {
    return object::value_error(
        in, "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input");
  }
  const std::optional<OpId> op = ndim < 2 ? std::nullopt : resizing_op(mode, ndim - 2, smooth);
  if (!op) {
    const std::pair<std::string_view, std::size_t> needs[] = {{"linear", 3}, {"bilinear", 4}, {"trilinear", 5}};
    for (const auto& [one, needed] : needs) {
      if (mode != one || ndim < 3 || ndim > 5) continue;
      return object::error<object::ErrorKind::NotImplementedError>(in, "Got {}D input, but {} mode needs {}D input",
                                                                   ndim, one, needed);
    }
    return object::error<object::ErrorKind::NotImplementedError>(
        in,
        "Input Error: Only 3D, 4D and 5D input Tensors supported (got {}D) for the modes: nearest | linear | bilinear "
        "| "
        "bicubic | trilinear | area | nearest-exact (got {})",
        ndim, mode);
  }
  const Value size = ops::dims_value(in, Dims(wanted.size));
  if (mode == "area") return ops::call_op(in, *op, {call.args[0], size});
  return ops::call_op(in, *op, {call.args[0], size, Value(aligns_corners), wanted.factors});
}

// F.upsample and its siblings, which warn.
PyResult<Value> upsample_as(FunctionCall& call, const Value& mode, const Value& align_corners) {
  call.interpreter.warn(
      object::ErrorKind::UserWarning,
      fmt::format("`nn.functional.{}` is deprecated. Use `nn.functional.interpolate` instead.", call.name));
  return call_functional(call.interpreter, "interpolate",
                         {call.args[0], call.args[1], call.args[2], mode, align_corners});
}

// ---------------------------------------------------------------- grids

void warn_of_corners(Interpreter& in) {
  in.warn(object::ErrorKind::UserWarning,
          "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
          "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.");
}

// Where `name` stands among `names`.
std::optional<std::int64_t> number_of(std::string_view name, std::initializer_list<std::string_view> names) {
  std::int64_t number = 0;
  for (const std::string_view one : names) {
    if (one == name) return number;
    ++number;
  }
  return std::nullopt;
}

// Arguments: input, grid, mode, padding_mode, align_corners.
PyResult<Value> grid_sample(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  const auto mode = number_of(call.text(2), {"bilinear", "nearest", "bicubic"});
  if (!mode) {
    return object::value_error(
        in, "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{}'",
        call.text(2));
  }
  const auto outside = number_of(call.text(3), {"zeros", "border", "reflection"});
  if (!outside) {
    return object::value_error(
        in,
        "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '{}'",
        call.text(3));
  }
  if (call.is_none(4)) warn_of_corners(in);
  NNS_TRY_ASSIGN(const bool aligns_corners, object::truth(in, call.args[4]));
  return ops::call_op(in, OpId::grid_sampler,
                      {call.args[0], call.args[1], Value(*mode), Value(*outside), Value(aligns_corners)});
}

// `count` numbers from -1 to 1, or in the middle of as many equal parts of that range.
std::vector<double> coordinates(std::int64_t count, bool aligns_corners) {
  std::vector<double> made;
  if (count <= 1) return {0};
  for (std::int64_t i = 0; i < count; ++i) {
    const double at = 2.0 * static_cast<double>(i) / static_cast<double>(count - 1) - 1;
    made.push_back(aligns_corners ? at : at * static_cast<double>(count - 1) / static_cast<double>(count));
  }
  return made;
}

// Arguments: theta, size, align_corners. Behaviour: aten/src/ATen/native/AffineGridGenerator.cpp.
PyResult<Value> affine_grid(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& theta = call.required(0);
  const Dims size = ops::dims_of(call.args[1]);
  if (!tensor::is_floating(theta.dtype())) {
    return object::value_error(in, "Expected theta to have floating point type, but got {}",
                               tensor::torch_dtype_text(theta.dtype()));
  }
  const std::string size_text = fmt::format("[{}]", fmt::join(size.span(), ", "));
  const std::size_t dims = size.size() < 2 ? 0 : size.size() - 2;
  if (dims != 2 && dims != 3) {
    return object::error<object::ErrorKind::NotImplementedError>(
        in, "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size {}.",
        size_text);
  }
  const auto rows = static_cast<std::int64_t>(dims);
  if (theta.ndim() != 3 || theta.shape()[1] != rows || theta.shape()[2] != rows + 1) {
    return object::value_error(in, "Expected a batch of {}D affine matrices of shape Nx{}x{} for size {}. Got {}.",
                               dims, rows, rows + 1, size_text, tensor::size_text(theta.shape()));
  }
  if (call.is_none(2)) warn_of_corners(in);
  NNS_TRY_ASSIGN(const bool aligns_corners, object::truth(in, call.args[2]));
  for (const std::int64_t one : size) {
    if (one > 0) continue;
    return object::value_error(in, "Expected non-zero, positive output size. Got {}", size_text);
  }
  if (aligns_corners && std::any_of(size.begin() + 2, size.end(), [](std::int64_t one) { return one == 1; })) {
    in.warn(
        object::ErrorKind::UserWarning,
        "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is "
        "not an intended use case of affine_grid. See the documentation of affine_grid for details.");
  }
  // One row a place: its coordinates, the last dimension first, and a 1.
  const Dims spatial(size.span().subspan(2));
  const std::int64_t places = tensor::element_count(spatial);
  std::vector<double> base;
  for (std::int64_t place = 0; place < places; ++place) {
    std::int64_t rest = place;
    for (std::size_t i = dims; i-- > 0; rest /= spatial[i]) {
      base.push_back(coordinates(spatial[i], aligns_corners)[static_cast<std::size_t>(rest % spatial[i])]);
    }
    base.push_back(1);
  }
  const Ref<Tensor> grid = tensor::from_values(in, Dims({1, places, rows + 1}), base, theta.dtype());
  NNS_TRY_ASSIGN(const Ref<Tensor> placed, tensor::to(*grid, theta.dtype(), theta.device()));
  const Term all = ops::apply(OpId::expand, {Term(placed), ops::dims_value(in, Dims({size[0], places, rows + 1}))});
  const Term moved = ops::apply(OpId::bmm, {all, ops::apply(OpId::transpose, {call.term(0), 1, 2})});
  std::vector<std::int64_t> shape{size[0]};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  shape.push_back(rows);
  return ops::value_of(ops::apply(OpId::view, {moved, ops::dims_value(in, Dims(shape))}));
}

constexpr FunctionRow kVisionRows[] = {
    {"local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0)", "TiNNN", local_response_norm},
    {"pixel_shuffle(input, upscale_factor)", "Ti", as_op<OpId::pixel_shuffle>},
    {"pixel_unshuffle(input, downscale_factor)", "Ti", as_op<OpId::pixel_unshuffle>},
    {"channel_shuffle(input, groups)", "Ti", as_op<OpId::channel_shuffle>},
    {"interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, "
     "recompute_scale_factor=None, "
     "antialias=False)",
     "T..s..b", interpolate},
    {"upsample(input, size=None, scale_factor=None, mode='nearest', align_corners=None)", "T..s.",
     [](FunctionCall& call) { return upsample_as(call, call.args[3], call.args[4]); }},
    {"upsample_nearest(input, size=None, scale_factor=None)", "T..",
     [](FunctionCall& call) { return upsample_as(call, call.interpreter.text("nearest"), Value()); }},
    {"upsample_bilinear(input, size=None, scale_factor=None)", "T..",
     [](FunctionCall& call) { return upsample_as(call, call.interpreter.text("bilinear"), Value(true)); }},
    {"grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=None)", "TTss.", grid_sample},
    {"affine_grid(theta, size, align_corners=None)", "TL.", affine_grid},
    {"pad(input, pad, mode='constant', value=None)", "TLsn", as_op<OpId::pad>},
};

}  // namespace

std::span<const FunctionRow> vision_functions() { return kVisionRows; }

}  // namespace nns::nn
