#include "native/host/png.h"

#include <vector>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace nns::host {

base::Result<void> write_png(const std::filesystem::path& file, int width, int height,
                             std::span<const std::uint8_t> rgba) {
  const auto columns = static_cast<std::size_t>(width);
  const auto rows = static_cast<std::size_t>(height);
  std::vector<std::uint8_t> rgb(columns * rows * 3);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint8_t* from = rgba.data() + (rows - 1 - row) * columns * 4;
    std::uint8_t* to = rgb.data() + row * columns * 3;
    for (std::size_t column = 0; column < columns; ++column) {
      for (std::size_t channel = 0; channel < 3; ++channel) to[column * 3 + channel] = from[column * 4 + channel];
    }
  }
  if (stbi_write_png(file.c_str(), width, height, 3, rgb.data(), width * 3) == 0) {
    return base::Error{.found = "the picture could not be written",
                       .expected = "a folder that exists and may be written",
                       .where = file.string(),
                       .offset = {}};
  }
  return {};
}

}  // namespace nns::host
