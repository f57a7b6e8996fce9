#pragma once

#include <optional>

#include "core/ops/op.h"

// In which order the items of tensors lie.
namespace nns::ops {

/// torch.memory_format. Behaviour: c10/core/MemoryFormat.h.
enum class MemoryFormat : std::uint8_t { Preserve, Contiguous, ChannelsLast, ChannelsLast3d };

/// "channels_last". Must hold: there is such a format.
std::string_view format_name(MemoryFormat format);
/// The format that a value names; Preserve: None, or torch.preserve_format.
MemoryFormat format_of(const Value& value);
/// torch.channels_last and its like.
Value format_value(Interpreter& interpreter, MemoryFormat format);
/// Errors: RuntimeError  the format is one of channels last, for another number of dimensions.
PyResult<void> check_rank(Interpreter& interpreter, MemoryFormat format, std::size_t ndim);

/// The strides of items whose channels lie next to each other: of a shape (batch, channels, ...).
Dims channels_last_strides(const Dims& shape);
/// Whether the items lie so without gaps: is_contiguous(memory_format=torch.channels_last) of four dimensions, of
/// torch.channels_last_3d of five. Dimensions of one item have no say.
bool is_channels_last_contiguous(const Tensor& tensor);
/// The format that a tensor of four or five dimensions has by its strides, be it with gaps; Contiguous of all others.
/// Behaviour: c10/core/TensorImpl.h, is_channels_last_strides; c10/core/MemoryFormat.h, is_channels_last_strides_2d.
MemoryFormat suggested_format(const Tensor& tensor);
/// The strides that `format` means for this shape. Must hold: it is not Preserve, and fits the number of dimensions.
Dims strides_of(MemoryFormat format, const Dims& shape);

/// Strides without gaps in the order of those of `tensor`: its own where it has none.
/// Behaviour: aten/src/ATen/native/TensorFactories.cpp, empty_like of torch.preserve_format.
Dims preserved_strides(const Tensor& tensor);

/// How the outputs of an op lie that does not go item by item.
OutputOrder output_order(OpId op);

/// The strides of a new output of this shape that an op gives; none: contiguous.
/// Cost: one look at each tensor among the arguments where all are contiguous.
std::optional<Dims> output_strides(const OpCall& call, const Dims& shape);

/// Makes the next output, of the shape of `like`, in the order that `format` means: Preserve is that of `like`.
/// Errors: RuntimeError  the number of dimensions does not fit; as OpCall::give().
PyResult<void> give_in_format(OpCall& call, const Tensor& like, MemoryFormat format, DType dtype, Device device);

}  // namespace nns::ops
