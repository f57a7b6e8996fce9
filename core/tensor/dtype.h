#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nns::tensor {

/// The type of a tensor's items: torch.dtype. The rows are in dtypes.def.
enum class DType : std::uint8_t {
#define NNS_DTYPE(id, torch, scalar, safetensors, bytes, kind) id,
#include "core/tensor/dtypes.def"
#undef NNS_DTYPE
};

/// What sort of number a dtype holds.
enum class DTypeKind : std::uint8_t { Floating, Complex, Signed, Unsigned, Boolean, Quantized };

/// One row of dtypes.def.
struct DTypeInfo {
  DType dtype;
  /// torch's name without the module: "float32".
  std::string_view torch_name;
  /// "Float": the word of torch's messages; with "torch." before and "Tensor" behind, the legacy type name.
  std::string_view scalar_name;
  /// The name in a safetensors header, empty where the format has none.
  std::string_view safetensors_name;
  /// Bytes of one item. A Float4E2M1FNX2 item is one byte that holds two numbers, the low four bits first; so are those
  /// of QUInt4x2, and of QUInt2x4 with four.
  std::uint32_t item_bytes;
  DTypeKind kind;
};

inline constexpr std::array kDTypes = {
#define NNS_DTYPE(id, torch, scalar, safetensors, bytes, kind) \
  DTypeInfo{DType::id, torch, scalar, safetensors, bytes, DTypeKind::kind},
#include "core/tensor/dtypes.def"
#undef NNS_DTYPE
};

/// The row of `dtype`.
constexpr const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)]; }

/// Bytes of one item.
constexpr std::uint32_t item_bytes(DType dtype) { return info(dtype).item_bytes; }

constexpr bool is_floating(DType dtype) { return info(dtype).kind == DTypeKind::Floating; }
constexpr bool is_complex(DType dtype) { return info(dtype).kind == DTypeKind::Complex; }
/// Signed, unsigned and bool.
constexpr bool is_integral(DType dtype) {
  const DTypeKind kind = info(dtype).kind;
  return kind == DTypeKind::Signed || kind == DTypeKind::Unsigned || kind == DTypeKind::Boolean;
}
/// Whether tensors of this dtype can require gradients.
constexpr bool is_differentiable(DType dtype) { return is_floating(dtype) || is_complex(dtype); }

/// "torch.float32", as str(dtype) prints.
std::string torch_dtype_text(DType dtype);

/// "torch.FloatTensor", as torch.typename(tensor) says; on other devices "torch.cuda.FloatTensor" is the caller's.
std::string legacy_type_name(DType dtype);

/// The dtype of a torch name, with or without "torch.", aliases included ("half", "float", "long", ...).
std::optional<DType> dtype_from_torch_name(std::string_view name);

/// The dtype of a name in a safetensors header. F6_E2M3 and F6_E3M2 have no torch dtype and give none.
std::optional<DType> dtype_from_safetensors_name(std::string_view name);

/// The dtype of a storage class of torch ("FloatStorage", "HalfStorage", ...), as pickled checkpoints name it.
/// UntypedStorage names no dtype and gives none.
std::optional<DType> dtype_from_storage_class(std::string_view name);

}  // namespace nns::tensor
