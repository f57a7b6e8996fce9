#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/byte_sink.h"
#include "core/tensor/tensor.h"

namespace nns::checkpoint {

/// One tensor that is to be written.
struct NamedBytes {
  std::string name;
  /// The name in the header: "F32". See dtype_from_safetensors_name(); F6 and others are passed on as they are.
  std::string dtype;
  std::vector<std::int64_t> shape;
  /// Units: bytes.
  std::uint64_t nbytes = 0;
  /// Writes exactly `nbytes` bytes: the items in row-major order, little-endian.
  std::function<base::Result<void>(base::ByteSink&)> write;
};

using SafetensorsMetadata = std::vector<std::pair<std::string, std::string>>;

/// The sizes that a header shows for a tensor of this dtype: of float4_e2m1fn_x2 the last one counts numbers, of which
/// an item holds two. Errors: float4_e2m1fn_x2 without dimensions.
base::Result<std::vector<std::int64_t>> safetensors_shape(tensor::DType dtype, std::span<const std::int64_t> shape);

/// Writes a safetensors file. As the reference implementation: the largest items first, so that each tensor is
/// aligned, then by name; the header padded with spaces to a multiple of eight; metadata in the order of its keys.
/// Errors: a name twice or "__metadata__"; a name that is no UTF-8; a header of more than 100 MB; what a tensor or the
/// sink reports.
/// Behaviour: the safetensors format, its serialize().
base::Result<void> write_safetensors(base::ByteSink& sink, std::vector<NamedBytes> tensors,
                                     const SafetensorsMetadata& metadata = {});

/// The same for tensors in memory: safetensors.torch.save(). Tensors that are not contiguous are written in order.
/// Errors: also: a dtype that the format does not have; tensors that share bytes, which it cannot tell, unless each is
/// all that is looked at of them; a tensor on meta.
base::Result<void> write_safetensors(base::ByteSink& sink,
                                     std::span<const std::pair<std::string, tensor::Ref<tensor::Tensor>>> tensors,
                                     const SafetensorsMetadata& metadata = {});

}  // namespace nns::checkpoint
