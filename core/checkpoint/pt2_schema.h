#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/tensor/dtype.h"

/// What all readers of torch.export's packages know. Behaviour: torch/_export/serde/schema.py,
/// torch/export/pt2_archive.
namespace nns::checkpoint {

/// The largest member of JSON that is read.
inline constexpr std::uint64_t kMaxPt2Json = 256U << 20U;

/// The type that the schema gives this number, if there is one.
std::optional<tensor::DType> pt2_dtype(std::uint64_t number);

/// Whether that member of a package is a program; `name`: behind the package's folder. Packages of PyTorch 2.1 to 2.7
/// hold one, newer ones may hold several.
bool is_pt2_program(std::string_view name);
/// The name of that program: "model"; empty: it has none.
std::string_view pt2_program_name(std::string_view name);

}  // namespace nns::checkpoint
