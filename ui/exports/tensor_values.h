#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/live/mirror.h"
#include "ui/exports/export.h"

namespace nns::exports {

/// Asks a host for the piece of the file that begins with value `first`: live::read_tensor_file(). Gives the number of
/// the request; the answer comes through the Mirror.
using PieceAsker = std::function<std::uint64_t(std::uint64_t first, std::uint64_t count)>;

/// The values of a tensor of `document`, or of a part of it, as a file: one piece after the other, each asked for when
/// the one before is written.
std::unique_ptr<Export> make_tensor_values(const live::Mirror& mirror, std::uint32_t document, PieceAsker ask);

}  // namespace nns::exports
