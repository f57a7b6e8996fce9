#pragma once

#include <memory>
#include <string_view>

#include "core/base/byte_source.h"

namespace nns::checkpoint {

/// Whether `type` is a type of safetensors whose items are parts of a byte: F4 (E2M1), F6_E2M3 or F6_E3M2.
bool is_small_float(std::string_view type);

/// The values of `packed` as float32, which holds each of them, decoded as they are read. Items follow each other
/// without gaps, the first in the lowest bits of the first byte: two of F4 in a byte, four of F6 in three bytes.
/// Behaviour: OCP Microscaling Formats (MX) 1.0, section 5.3: no infinities, no NaN, subnormal numbers; without the
/// scales, which are tensors of their own. Must hold: is_small_float(type), `packed` is whole bytes of whole items (and
/// of F6 a multiple of three).
std::shared_ptr<base::ByteSource> make_small_float_source(std::shared_ptr<base::ByteSource> packed,
                                                          std::string_view type);

}  // namespace nns::checkpoint
