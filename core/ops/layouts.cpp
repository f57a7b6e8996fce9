#include "core/ops/layouts.h"

#include <algorithm>
#include <numeric>

#include "core/ops/python_function.h"
#include "core/tensor/device_class.h"
#include "core/tensor/order.h"

namespace nns::ops {
namespace {

// Calls use(tensor) for every tensor among the arguments.
template <class Use>
void each_tensor(const OpCall& call, Use use) {
  for (const Value& value : call.args) {
    if (const Tensor* const one = value.as<Tensor>()) {
      use(*one);
    } else if (const object::Tuple* const tuple = value.as<object::Tuple>()) {
      for (const Value& item : tuple->items()) {
        if (const Tensor* const part = item.as<Tensor>()) use(*part);
      }
    }
  }
}

// The strides of one input where it is spread over `shape`: 0 along what is repeated.
Dims spread_strides(const Tensor& tensor, const Dims& shape) {
  Dims strides(shape.size(), 0);
  const std::size_t missing = shape.size() - tensor.ndim();
  for (std::size_t dim = 0; dim < tensor.ndim(); ++dim) {
    const bool is_repeated = tensor.shape()[dim] == 1 && shape[missing + dim] != 1;
    if (!is_repeated) strides[missing + dim] = tensor.strides()[dim];
  }
  return strides;
}

// 1: dimension `a` comes behind `b` when walked from the innermost; -1: before; 0: nobody says.
int order_of_dims(const std::vector<Dims>& operands, const Dims& shape, std::size_t a, std::size_t b) {
  for (const Dims& strides : operands) {
    if (strides[a] == 0 || strides[b] == 0) continue;
    if (strides[a] != strides[b]) return strides[a] < strides[b] ? -1 : 1;
    if (shape[a] > shape[b]) return 1;
  }
  return 0;
}

std::optional<Dims> strides_in_order(const Dims& shape, const std::vector<std::size_t>& innermost_first) {
  bool is_contiguous = true;
  Dims strides(shape.size(), 0);
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < innermost_first.size(); ++i) {
    const std::size_t dim = innermost_first[i];
    is_contiguous = is_contiguous && dim == shape.size() - 1 - i;
    strides[dim] = stride;
    stride *= std::max<std::int64_t>(shape[dim], 1);
  }
  return is_contiguous ? std::nullopt : std::optional(strides);
}

// Orders dimensions from the innermost, by insertion: comparisons may be ambiguous.
std::vector<std::size_t> ordered_dims(const std::vector<Dims>& operands, const Dims& shape) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t moved = i;
    for (std::size_t before = i; before-- > 0;) {
      const int found = order_of_dims(operands, shape, order[before], order[moved]);
      if (found > 0) {
        std::swap(order[before], order[moved]);
        moved = before;
      } else if (found < 0) {
        break;
      }
    }
  }
  return order;
}

// Whether the strides are those of a fresh tensor, also where they do not matter.
bool has_plain_strides(const Tensor& tensor) {
  std::int64_t step = 1;
  for (std::size_t dim = tensor.ndim(); dim-- > 0;) {
    if (tensor.strides()[dim] != step) return false;
    step *= std::max<std::int64_t>(tensor.shape()[dim], 1);
  }
  return true;
}

// Whether an argument is a number that torch takes as a tensor without dimensions.
bool has_wrapped_number(const OpCall& call) {
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (call.op.parameters[i].type == ParameterType::TensorOrNumber && !call.args[i].is_none() &&
        call.args[i].as<Tensor>() == nullptr) {
      return true;
    }
  }
  return false;
}

std::optional<Dims> iterated_strides(const OpCall& call, const Dims& shape) {
  std::vector<const Tensor*> inputs;
  each_tensor(call, [&](const Tensor& one) {
    if (one.ndim() <= shape.size()) inputs.push_back(&one);
  });
  if (inputs.empty()) return std::nullopt;
  const auto all = [&inputs](auto holds) { return std::all_of(inputs.begin(), inputs.end(), holds); };
  // 1. Where all have the shape and lie alike, so does the output.
  if (!has_wrapped_number(call) && all([&](const Tensor* one) { return one->shape() == shape; })) {
    if (all([](const Tensor* one) { return one->is_contiguous(); })) return std::nullopt;
    if (all([](const Tensor* one) { return is_channels_last_contiguous(*one); })) {
      return shape.size() == 4 ? std::optional(channels_last_strides(shape)) : inputs[0]->strides();
    }
    if (tensor::is_non_overlapping_and_dense(*inputs[0]) &&
        all([&](const Tensor* one) { return one->strides() == inputs[0]->strides(); })) {
      return inputs[0]->strides();
    }
  }
  // 2. Else the dimensions are ordered by the strides of the inputs, the first first.
  std::vector<Dims> operands;
  for (const Tensor* const one : inputs) operands.push_back(spread_strides(*one, shape));
  return strides_in_order(shape, ordered_dims(operands, shape));
}

// Behaviour: c10/core/MemoryFormat.h, is_channels_last_strides_2d_s4 and _3d_s5.
bool has_channels_last_strides(const Dims& shape, const Dims& strides) {
  if (strides[1] == 0) return false;
  std::int64_t least = 0;
  std::vector<std::size_t> dims{1};
  for (std::size_t dim = shape.size(); dim-- > 2;) dims.push_back(dim);
  dims.push_back(0);
  for (const std::size_t dim : dims) {
    if (shape[dim] == 0 || strides[dim] < least) return false;
    // One channel, or one item in all others: either would do, and contiguous is meant.
    if (dim == 0 && least == strides[1]) return false;
    least = strides[dim];
    if (shape[dim] > 1) least *= shape[dim];
  }
  return true;
}

}  // namespace

OutputOrder output_order(OpId op) {
  switch (op) {
    case OpId::where:
    case OpId::masked_fill:
    case OpId::prelu_kernel:
    case OpId::flip:
      return OutputOrder::OfInputs;
    case OpId::cat:
    case OpId::convolution:
    case OpId::constant_pad_nd:
    case OpId::reflection_pad2d:
    case OpId::reflection_pad3d:
    case OpId::replication_pad2d:
    case OpId::replication_pad3d:
    case OpId::max_pool2d_with_indices:
    case OpId::max_pool3d_with_indices:
    case OpId::adaptive_max_pool2d:
    case OpId::adaptive_max_pool3d:
    case OpId::pool_scatter:
    case OpId::avg_pool2d:
    case OpId::avg_pool3d:
    case OpId::avg_pool_backward:
    case OpId::adaptive_avg_pool2d_windows:
    case OpId::adaptive_avg_pool3d_windows:
    case OpId::adaptive_avg_pool_backward:
    case OpId::batch_norm:
    case OpId::native_batch_norm:
    case OpId::native_batch_norm_backward:
    case OpId::native_group_norm:
    case OpId::upsample_nearest2d:
    case OpId::upsample_nearest3d:
    case OpId::upsample_nearest_exact2d:
    case OpId::upsample_nearest_exact3d:
    case OpId::upsample_bilinear2d:
    case OpId::upsample_trilinear3d:
    case OpId::upsample_bicubic2d:
    case OpId::upsample_bilinear2d_aa:
    case OpId::upsample_bicubic2d_aa:
    case OpId::upsample_backward:
      return OutputOrder::ChannelsLast;
    default:
      return OutputOrder::Contiguous;
  }
}

std::string_view format_name(MemoryFormat format) {
  constexpr std::string_view kNames[] = {"preserve_format", "contiguous_format", "channels_last", "channels_last_3d"};
  return kNames[static_cast<std::size_t>(format)];
}

MemoryFormat format_of(const Value& value) {
  if (value.is_int()) return static_cast<MemoryFormat>(value.as_int());
  const auto* const named = value.as<tensor::Named>();
  return named == nullptr ? MemoryFormat::Preserve : static_cast<MemoryFormat>(named->which());
}

Value format_value(Interpreter& interpreter, MemoryFormat format) {
  const Value* const found = python_module(interpreter, "torch").find(interpreter.intern(format_name(format)));
  // Without Python nobody made these objects.
  return found != nullptr ? *found : Value(static_cast<std::int64_t>(format));
}

PyResult<void> check_rank(Interpreter& interpreter, MemoryFormat format, std::size_t ndim) {
  if (format < MemoryFormat::ChannelsLast) return {};
  const std::size_t rank = format == MemoryFormat::ChannelsLast ? 4 : 5;
  if (ndim == rank) return {};
  return object::runtime_error(interpreter, "required rank {} tensor to use {} format", rank, format_name(format));
}

Dims channels_last_strides(const Dims& shape) {
  Dims strides = shape;
  std::int64_t stride = 1;
  strides[1] = stride;
  stride *= std::max<std::int64_t>(shape[1], 1);
  for (std::size_t dim = shape.size(); dim-- > 2;) {
    strides[dim] = stride;
    stride *= std::max<std::int64_t>(shape[dim], 1);
  }
  strides[0] = stride;
  return strides;
}

bool is_channels_last_contiguous(const Tensor& tensor) {
  if (tensor.ndim() != 4 && tensor.ndim() != 5) return false;
  const Dims wanted = channels_last_strides(tensor.shape());
  for (std::size_t dim = 0; dim < tensor.ndim(); ++dim) {
    if (tensor.shape()[dim] != 1 && tensor.strides()[dim] != wanted[dim]) return false;
  }
  return true;
}

MemoryFormat suggested_format(const Tensor& tensor) {
  const std::size_t ndim = tensor.ndim();
  if ((ndim != 4 && ndim != 5) || !has_channels_last_strides(tensor.shape(), tensor.strides())) {
    return MemoryFormat::Contiguous;
  }
  return ndim == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
}

Dims strides_of(MemoryFormat format, const Dims& shape) {
  return format >= MemoryFormat::ChannelsLast ? channels_last_strides(shape) : tensor::contiguous_strides(shape);
}

Dims preserved_strides(const Tensor& tensor) {
  if (tensor::is_non_overlapping_and_dense(tensor)) return tensor.strides();
  const std::optional<Dims> strides =
      strides_in_order(tensor.shape(), ordered_dims({tensor.strides()}, tensor.shape()));
  return strides.value_or(tensor::contiguous_strides(tensor.shape()));
}

std::optional<Dims> output_strides(const OpCall& call, const Dims& shape) {
  const bool is_iterated = call.op.bodies.is_elementwise || call.op.bodies.order == OutputOrder::OfInputs;
  if ((!is_iterated && call.op.bodies.order == OutputOrder::Contiguous) || shape.size() < 2) return std::nullopt;
  // Dimensions of one item may be anywhere, and have a say where shapes differ.
  bool are_contiguous = true, are_plain = true, are_alike = true;
  each_tensor(call, [&](const Tensor& one) {
    are_contiguous = are_contiguous && one.is_contiguous();
    are_alike = are_alike && one.shape() == shape;
    are_plain = are_plain && has_plain_strides(one);
  });
  if (are_contiguous && (!is_iterated || are_alike || are_plain)) return std::nullopt;
  if (is_iterated) return iterated_strides(call, shape);
  if (shape.size() != 4 && shape.size() != 5) return std::nullopt;
  bool is_last = false, is_first = false;
  each_tensor(call, [&](const Tensor& one) {
    const bool is_one = one.ndim() == shape.size() && suggested_format(one) != MemoryFormat::Contiguous;
    is_last = is_last || is_one;
    is_first = is_first || !is_one;
  });
  // What is joined must agree.
  if (call.op.id == OpId::cat) is_last = is_last && !is_first;
  return is_last ? std::optional(channels_last_strides(shape)) : std::nullopt;
}

PyResult<void> give_in_format(OpCall& call, const Tensor& like, MemoryFormat format, DType dtype, Device device) {
  NNS_TRY(check_rank(call.interpreter, format, like.ndim()));
  const bool is_plain = format == MemoryFormat::Preserve && like.is_contiguous();
  const Dims strides = is_plain || format == MemoryFormat::Contiguous ? tensor::contiguous_strides(like.shape())
                       : format == MemoryFormat::Preserve             ? preserved_strides(like)
                                                                      : channels_last_strides(like.shape());
  return call.give_strided(like.shape(), strides, dtype, device);
}

}  // namespace nns::ops
