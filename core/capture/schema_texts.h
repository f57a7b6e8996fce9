#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/capture/json.h"

/// How values of torch.export's schema are written. Behaviour: torch/_export/serde/schema.py.
namespace nns::capture {

/// The text with one part more behind a comma.
std::string joined(std::string text, std::string_view more);
/// A number as JSON has it.
std::string plain_text(const Json& value);
/// A size or another number that may be a symbol: {"as_int": 3}, {"as_expr": {"expr_str": "s77"}}.
std::string number_text(const Json& value);
/// "f32[s77, 8]" of a TensorMeta.
std::string tensor_text(const Json& meta);
/// A constant that the schema gives a number or parts: as_scalar_type, as_layout, as_memory_format, as_device,
/// as_complex. None: `key` is no such kind of argument.
std::optional<std::string> constant_text(std::string_view key, const Json& value);

}  // namespace nns::capture
