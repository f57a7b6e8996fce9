#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// Pieces of PNG files. Behaviour: Portable Network Graphics (PNG) Specification, third edition.
namespace nns::exports {

/// Big-endian.
void put_u32(std::string& out, std::uint32_t value);
/// Length, type, data and checksum.
std::string png_chunk(std::string_view type, std::string_view data);
/// A whole small PNG with a palette (three bytes an entry), not packed. Must hold: width x height indices, not none.
std::string png_of_indices(std::uint32_t width, std::uint32_t height, std::string_view palette,
                           std::span<const std::uint8_t> indices);
/// Behaviour: RFC 4648, section 4.
void put_base64(std::string& out, std::string_view bytes);

}  // namespace nns::exports
