#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>

#include "native/cli/document.h"
#include "native/cli/terminal.h"

namespace nns::cli {

/// Prints the document for a person: a line of totals, the tree in columns, what is odd about the file.
/// Text from the file is made printable first.
void print_text(std::FILE* out, const Document& document, std::optional<std::uint32_t> depth, const Terminal& terminal);

}  // namespace nns::cli
