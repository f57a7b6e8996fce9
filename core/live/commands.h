#pragma once

#include <cstdint>
#include <string_view>

#include "core/live/bytes.h"

/// The messages that a viewer sends to a host, ready for Endpoint::send(). `request` numbers are the viewer's choice,
/// each used once; the host's answers carry them.
namespace nns::live {

Bytes open_source(std::uint64_t request, std::uint64_t source, std::string_view name, std::string_view url);
Bytes open_sample(std::uint64_t request, std::string_view name);
Bytes close_document(std::uint32_t document);
Bytes inspect(std::uint64_t request, std::uint32_t document, std::uint32_t node);
Bytes inspect_tensor(std::uint64_t request, std::uint32_t document, std::uint32_t tensor, bool with_values);
Bytes cancel(std::uint64_t request);

/// The part of a tensor's matrix that a tile shows, and how many cells it is to have.
struct TileRequest {
  std::uint64_t row_begin = 0;
  std::uint64_t row_end = 0;
  std::uint64_t column_begin = 0;
  std::uint64_t column_end = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
Bytes request_tile(std::uint64_t request, std::uint32_t document, std::uint32_t tensor, const TileRequest& tile);

}  // namespace nns::live
