#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/tensor_slice.h"

namespace nns::cli {

/// Whether `--tensor WANTED` means this one: by its name in the file or by its path in the tree, which differ in
/// whether
/// "/" or "." stands between some of their parts.
bool is_called(std::string_view name, std::string_view wanted);

/// What `--slice TEXT` names of a tensor of that shape; empty: all of it.
/// Errors: as base::parse_slice(), with the option, the place in it and the shape.
base::Result<base::TensorSlice> read_slice(const std::string& text, std::span<const std::int64_t> shape);

}  // namespace nns::cli
