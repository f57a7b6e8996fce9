#include "core/tensor/dtype.h"

#include <gtest/gtest.h>

namespace nns::tensor {
namespace {

TEST(DTypeTable, StandsInTheOrderOfTheEnumeration) {
  for (std::size_t i = 0; i < kDTypes.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(kDTypes[i].dtype), i);
}

TEST(DTypeTable, NamesLeadBackToTheirRow) {
  for (const DTypeInfo& row : kDTypes) {
    EXPECT_EQ(dtype_from_torch_name(row.torch_name), row.dtype);
    EXPECT_EQ(dtype_from_torch_name(torch_dtype_text(row.dtype)), row.dtype);
    EXPECT_EQ(dtype_from_storage_class(std::string(row.scalar_name) + "Storage"), row.dtype);
    if (!row.safetensors_name.empty()) {
      EXPECT_EQ(dtype_from_safetensors_name(row.safetensors_name), row.dtype);
    }
  }
}

TEST(DTypeNames, AliasesMeanTheSameType) {
  EXPECT_EQ(dtype_from_torch_name("half"), DType::Float16);
  EXPECT_EQ(dtype_from_torch_name("torch.long"), DType::Int64);
  EXPECT_EQ(dtype_from_torch_name("float"), DType::Float32);
}

TEST(DTypeNames, UnknownNamesGiveNone) {
  EXPECT_EQ(dtype_from_torch_name("float12"), std::nullopt);
  EXPECT_EQ(dtype_from_safetensors_name("F6_E2M3"), std::nullopt);
  EXPECT_EQ(dtype_from_safetensors_name(""), std::nullopt);
  EXPECT_EQ(dtype_from_storage_class("UntypedStorage"), std::nullopt);
}

TEST(DTypeNames, LegacyTypeNamesAreThoseOfTorch) {
  EXPECT_EQ(legacy_type_name(DType::Float32), "torch.FloatTensor");
  EXPECT_EQ(legacy_type_name(DType::Int64), "torch.LongTensor");
}

}  // namespace
}  // namespace nns::tensor
