#include "core/tensor/dtype.h"

#include <utility>

namespace nns::tensor {
namespace {

constexpr std::pair<std::string_view, DType> kAliases[] = {
    {"float", DType::Float32},   {"double", DType::Float64},   {"half", DType::Float16},
    {"chalf", DType::Complex32}, {"cfloat", DType::Complex64}, {"cdouble", DType::Complex128},
    {"short", DType::Int16},     {"int", DType::Int32},        {"long", DType::Int64},
};

}  // namespace

std::string torch_dtype_text(DType dtype) { return "torch." + std::string(info(dtype).torch_name); }

std::string legacy_type_name(DType dtype) { return "torch." + std::string(info(dtype).scalar_name) + "Tensor"; }

std::optional<DType> dtype_from_torch_name(std::string_view name) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  for (const DTypeInfo& row : kDTypes) {
    if (row.torch_name == name) return row.dtype;
  }
  for (const auto& [alias, dtype] : kAliases) {
    if (alias == name) return dtype;
  }
  return std::nullopt;
}

std::optional<DType> dtype_from_safetensors_name(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const DTypeInfo& row : kDTypes) {
    if (row.safetensors_name == name) return row.dtype;
  }
  return std::nullopt;
}

std::optional<DType> dtype_from_storage_class(std::string_view name) {
  constexpr std::string_view kSuffix = "Storage";
  if (!name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  for (const DTypeInfo& row : kDTypes) {
    if (row.scalar_name == name) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace nns::tensor
