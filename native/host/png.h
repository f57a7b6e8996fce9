#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "core/base/result.h"

namespace nns::host {

/// Writes rows of RGBA bytes, the lowest row first (as glReadPixels gives them), as an opaque PNG.
base::Result<void> write_png(const std::filesystem::path& file, int width, int height,
                             std::span<const std::uint8_t> rgba);

}  // namespace nns::host
